"""Problems as text: places, carets, long lines, secrets."""

from __future__ import annotations

from cloudwatch.problems import Place, Problem, ProblemSeverity
from monitoring.problem_output import as_junit, as_text, summary


def problem(column: int | None, *, line: int | None = 1, hint: str = "") -> Problem:
    """Return a problem in file `f`."""
    return Problem(code="x", message="wrong.", place=Place(file="f", line=line, column=column), hint=hint)


def shown(line: str, column: int) -> tuple[str, str]:
    """Return the source line and the caret line of a problem."""
    _, source, caret = as_text([problem(column)], lines={"f": [line]}).splitlines()
    return source, caret


def test_the_caret_stands_under_the_guilty_word() -> None:
    """Carets run from the column to the end of the word, key or quoted text."""
    for line, column, word in [
        ("  key: value # comment", 8, "value"),
        ("  key: value", 3, "key"),
        ("a: [one, two]", 10, "two"),
        ('a: "in quotes", b', 4, '"in quotes"'),
        ("a: http://x", 4, "http://x"),
        ("a:", 3, ""),
    ]:
        source, caret = shown(line, column)
        start = caret.index("^")
        assert source[start:] == line[column - 1 :], (line, caret)
        assert caret.count("^") == max(1, len(word))


def test_a_long_value_is_cut() -> None:
    """No more than sixty characters of a value are shown, and the caret stays in sight of a late column."""
    source, caret = shown("k: " + "s" * 300, 4)
    assert source.count("s") == 60
    source, caret = shown("a" * 200 + " key", 202)
    assert source[caret.index("^") :].startswith("key")
    assert len(source) <= 110


def test_control_characters_never_reach_the_terminal() -> None:
    """An escape sequence in a file is not played back."""
    assert "\x1b" not in as_text([problem(4)], lines={"f": ["a: \x1b[31mred"]})


def test_without_line_or_file_only_what_is_known_is_said() -> None:
    """A problem may be about a whole file, or about none."""
    assert as_text([problem(None, line=None, hint="Do it.")], lines={}) == "f: error: wrong. [x]\n  Do it."
    assert as_text([Problem(code="x", message="wrong.")], lines={}) == "error: wrong. [x]"
    assert as_text([problem(1, line=99)], lines={"f": ["one line"]}) == "f:99:1: error: wrong. [x]"


def test_xml_is_escaped() -> None:
    """A message with brackets, quotes or control characters is still XML."""
    from xml.etree import ElementTree as ET

    bad = Problem(code="x", message='<a> & "b" \x07', place=Place(file='f"', line=1))
    warning = Problem(code="w", message="m", severity=ProblemSeverity.WARNING)
    suite = ET.fromstring(as_junit([bad, warning], suite="s"))
    assert suite.find("testcase/failure").get("message") == '<a> & "b" '  # type: ignore[union-attr]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert suite.find("testcase/system-out") is not None


def test_the_summary_counts_by_severity() -> None:
    """Singular, plural, and nothing."""
    warning = Problem(code="w", message="m", severity=ProblemSeverity.WARNING)
    assert summary([]) == "no problems"
    assert summary([problem(1), problem(2), warning]) == "2 errors, 1 warning"
