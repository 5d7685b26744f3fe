"""The runner of vectors: what it reads, what it refuses, and what counts as a failure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.__main__ import main
from tests.conformance.registry import failures_of, kinds, read_vectors

if TYPE_CHECKING:
    from pathlib import Path

GOOD = {"id": "a", "stat": "p99", "valid": True}


def written(path: Path, content: Any) -> str:
    """Write a document and return its name."""
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return str(path)


def test_a_folder_stands_for_the_files_below_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both files are replayed, one of them two folders down."""
    (tmp_path / "b").mkdir()
    written(tmp_path / "a.json", [GOOD])
    written(tmp_path / "b" / "c.json", {"vectors": [GOOD, GOOD | {"valid": False}]})
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "2 passed, 1 failed"


@pytest.mark.parametrize(
    "content",
    [
        "no json",
        "3",
        '{"a": 1}',
        '{"vectors": null}',
        pytest.param("[" * 100_000, id="deep"),
    ],
)
def test_what_holds_no_vectors_is_one_line_and_exit_code_two(
    tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A user who names the wrong file is told which, without a traceback."""
    name = written(tmp_path / "x.json", content)
    assert main([name]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"{name}: not a file of vectors: ")


def test_a_folder_without_files_and_a_missing_file_are_usage_errors(tmp_path: Path) -> None:
    """Nothing replayed must not look like nothing failed."""
    assert main([str(tmp_path)]) == 2
    assert main([str(tmp_path / "none.json")]) == 2


def test_an_empty_list_passes_and_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    """A file may hold no vector yet, and may come from an editor that writes a mark."""
    assert main([written(tmp_path / "x.json", {"vectors": []})]) == 0
    assert read_vectors(_marked(tmp_path / "y.json")) == [GOOD]


def _marked(path: Path) -> Path:
    path.write_text(json.dumps([GOOD]), encoding="utf-8-sig")
    return path


@pytest.mark.parametrize(
    "vector",
    [
        1,
        None,
        {"id": "x"},
        {"limit": "colours", "value": 1, "accepted": True},
        {"limit": ["widgets"], "value": 1, "accepted": True},
        {"kind": "smell", "pattern": "a", "message": "a", "match": True},
        {"kind": "json", "pattern": "{ $.a = 1 }", "match": True},
        {"datapoints": "0 ?", "treatMissingData": "missing", "evaluationPeriods": 1, "expected": "OK"},
        {"series": {"m1": [1]}, "expression": "m1", "expected": "AMBIGUOUS"},
        {"kind": "text", "pattern": "a", "message": "a", "match": "AMBIGUOUS"},
    ],
)
def test_what_cannot_be_replayed_fails(vector: object) -> None:
    """Unknown kinds, missing inputs and outcomes that are not open after all are failures, never skips or tracebacks."""
    assert failures_of(vector, among=kinds())


@pytest.mark.parametrize(
    "vector",
    [
        {"expected": [3.0, 1], "expression": "m1 + m2", "note": "n", "series": {"m2": [2], "m1": [1, 1]}, "name": "x"},
        {"period": 300.0, "evaluationPeriods": 288.0, "accepted": True, "note": "whole numbers with a point"},
        {"value": 500.0, "limit": "widgets", "accepted": True},
        {"metricValue": "1", "eventsInMinute": 2, "matches": 2, "expectedMinuteSum": 2, "name": "n", "kind": "metric"},
        {"pattern": "{ $.a = 1 }", "event": {"a": 1}, "match": True, "metricValue": 7, "published": 7.0},
        {"pattern": "{ $.a = 1 }", "event": {"a": 1, "b": "x"}, "match": True, "metricValue": "$.b", "published": None},
        {
            "waitPeriod": 2,
            "extensionPeriod": 3,
            "events": [["t2", "composite", "ALARM"], ["t3", "suppressor", "ALARM"], ["t4", "composite", "OK"]],
            "expected": [["t4", "no OK actions run"]],
        },
    ],
)
def test_order_of_keys_notes_whole_floats_and_short_series_do_not_matter(vector: dict[str, Any]) -> None:
    """The form in which a vector is written leaves its outcome alone."""
    assert failures_of({"id": "x"} | vector, among=kinds()) == []
