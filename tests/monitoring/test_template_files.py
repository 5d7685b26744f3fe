"""Templates and API answers from files: short forms, numbers, and one clear problem for everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cloudwatch.problems import ProblemsError
from monitoring.template_files import parse_document, read_document

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("yaml", "value"),
    [
        ("a: !Ref Topic", {"a": {"Ref": "Topic"}}),
        ("a: !GetAtt Topic.Arn.More", {"a": {"Fn::GetAtt": ["Topic", "Arn.More"]}}),
        ("a: !Sub '${X}-y'", {"a": {"Fn::Sub": "${X}-y"}}),
        ("a: !Join ['-', [b, !Ref C]]", {"a": {"Fn::Join": ["-", ["b", {"Ref": "C"}]]}}),
        ("a: !If [Prod, 1, 2.5]", {"a": {"Fn::If": ["Prod", 1, 2.5]}}),
        ("a: 012345678901", {"a": "012345678901"}),
        ("a: nan\nb: .5\nc: true\nd: ~\ne: '7'", {"a": "nan", "b": 0.5, "c": True, "d": None, "e": "7"}),
        ('{"a": [1, null]}', {"a": [1, None]}),
        ("a: &x {k: 1}\nb: *x", {"a": {"k": 1}, "b": {"k": 1}}),
    ],
)
def test_a_document_becomes_plain_values(yaml: str, value: Any) -> None:
    """Short forms become long ones, ids keep their zeros, words that look like numbers stay words."""
    assert parse_document(yaml, file="t.yaml") == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ('{"a": ', "not JSON"),
        ("a: [1, 2", "not YAML"),
        ("a: &x [*x]", "neither"),
        ("[" * 5000, "not JSON|nested"),
        ("a: " + "[" * 300 + "]" * 300, "not YAML|neither"),
    ],
)
def test_what_cannot_be_read_is_one_problem(text: str, says: str) -> None:
    """Broken, endless and too deep documents are refused in one sentence with the file's name."""
    with pytest.raises(ProblemsError, match=says) as caught:
        parse_document(text, file="t.json")
    assert [problem.place.file for problem in caught.value.problems] == ["t.json"]


def test_aliases_do_not_multiply() -> None:
    """Nine levels of nine aliases are ten shared lists, not a billion values."""
    lines = ["a0: &a0 [x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 10)]
    value = parse_document("\n".join(lines), file="t.yaml")
    assert value["a9"][0] is value["a9"][8]


def test_a_missing_file_and_a_directory_are_said(tmp_path: Path) -> None:
    """A wrong path names the path."""
    with pytest.raises(ProblemsError, match="no such file"):
        read_document(tmp_path / "none.json")
    with pytest.raises(ProblemsError, match="directory"):
        read_document(tmp_path)
