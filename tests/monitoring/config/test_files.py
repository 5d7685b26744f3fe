"""Every file in good/ is right, every file in doubtful/ has warnings only, every file in bad/ has an error.

What is said stands beside each file as .txt, word for word, with the line and the caret. Set REWRITE=1 to write the texts anew,
then read them as a user would.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cloudwatch.problems import ProblemsError, ProblemSeverity
from monitoring.config import load_configuration, load_deployments
from monitoring.config.source import read_source
from monitoring.problem_output import as_text

HERE = Path(__file__).parent


def cases(folder: str) -> list[str]:
    """Return the names of the files in a folder."""
    return sorted(path.stem for path in (HERE / folder).glob("*.yaml"))


def check_text(folder: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Assert that what is said of a file is the text beside it."""
    monkeypatch.chdir(HERE / folder)
    problems = load_configuration(f"{name}.yaml").problems
    lines = {f"{name}.yaml": Path(f"{name}.yaml").read_text(encoding="utf-8").splitlines()}
    text = as_text(problems, lines=lines) + "\n"
    expected = Path(f"{name}.txt")
    if os.environ.get("REWRITE"):
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", cases("good"))
def test_a_good_file_has_no_problem_and_deploys_something(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in good/ is accepted without a word."""
    monkeypatch.chdir(HERE / "good")
    assert load_configuration(f"{name}.yaml").problems == ()
    assert load_deployments(f"{name}.yaml")


@pytest.mark.parametrize("name", cases("doubtful"))
def test_a_doubtful_file_is_warned_about_and_still_deploys(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in doubtful/ gets its warning and nothing stops it."""
    check_text("doubtful", name, monkeypatch)
    loaded = load_configuration(f"{name}.yaml")
    assert {problem.severity for problem in loaded.problems} == {ProblemSeverity.WARNING}
    assert loaded.deployments


@pytest.mark.parametrize("name", cases("bad"))
def test_a_bad_file_is_refused_in_our_words(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in bad/ is refused with the text beside it; every problem has a line and column, and no word of pydantic."""
    check_text("bad", name, monkeypatch)
    with pytest.raises(ProblemsError) as caught:
        load_deployments(f"{name}.yaml")
    for problem in caught.value.problems:
        assert problem.place.line is not None
        assert problem.place.column is not None
        assert problem.hint
        assert not any(word in str(problem) for word in ("pydantic", "Input should", "validation", "Field required"))


def test_each_bad_file_breaks_the_smallest_good_one_in_one_thing() -> None:
    """The smallest good file and each bad one share most of their lines, so that a reader sees what is wrong."""
    good = set((HERE / "good" / "smallest.yaml").read_text(encoding="utf-8").splitlines())
    for name in cases("bad"):
        if name == "file-is-a-list":
            continue
        lines = (HERE / "bad" / f"{name}.yaml").read_text(encoding="utf-8").splitlines()
        assert len(good & set(lines)) >= len(good) - 3, name


def test_every_text_belongs_to_a_file() -> None:
    """No expected text is left over from a file that was renamed."""
    for folder in ("bad", "doubtful"):
        assert {path.stem for path in (HERE / folder).glob("*.txt")} == set(cases(folder))


def test_all_problems_of_a_file_are_told_at_once() -> None:
    """Wrong form, unknown keys and wrong meaning in different parts of a file are found in one run, in the order of the file."""
    loaded = load_configuration(HERE / "many-at-once.yaml")
    assert [(problem.place.line, problem.code) for problem in loaded.problems] == [
        (3, "unknown-key"),
        (10, "wrong-region"),
        (15, "wrong-value"),
        (21, "trail-elsewhere"),
        (24, "duplicate-key"),
        (26, "m-over-n"),
    ]


def test_a_place_is_where_the_value_stands() -> None:
    """Lines and columns of keys and values count from 1, as editors do."""
    source = read_source(HERE / "good" / "smallest.yaml")
    assert str(source.place(("accounts", "prod", "regions", 0))).endswith("smallest.yaml:6:15 accounts.prod.regions[0]")
    assert source.place(("accounts", "prod", "id"), of_key=True).column == 5
