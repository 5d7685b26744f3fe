"""How is a problem shown: to a person, to a program, to a build server?

Text has the place first (editors make it a link), then the line of the file with a caret under the guilty column, then what to
do. JSON is one object; JUnit has one failed test case for each problem, or one passed one.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, assert_never

from cloudwatch.problems import ProblemSeverity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from cloudwatch.problems import Problem

__all__ = ["OutputFormat", "as_json", "as_junit", "as_text", "rendered", "summary"]

LINE_WIDTH = 100
VALUE_WIDTH = 60
_XML_CHARACTERS = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;"}


class OutputFormat(StrEnum):
    """For whom: a person, a program, a build server."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"


def rendered(
    problems: Sequence[Problem], output_format: OutputFormat, *, lines: Mapping[str, Sequence[str]], suite: str
) -> str:
    """Return the problems in a format, without a newline at the end.

    Args:
        problems: What was found.
        output_format: Text, JSON or JUnit.
        lines: Lines of each file that was read, by its name; text shows the guilty ones.
        suite: What was checked, for example `validate`.
    """
    match output_format:
        case OutputFormat.TEXT:
            return as_text(problems, lines=lines)
        case OutputFormat.JSON:
            return as_json(problems)
        case OutputFormat.JUNIT:
            return as_junit(problems, suite=suite)
        case _:
            assert_never(output_format)


def as_text(problems: Iterable[Problem], *, lines: Mapping[str, Sequence[str]]) -> str:
    """Return each problem with the line it is in and a caret, an empty line between two."""
    return "\n\n".join(_one(problem, lines.get(problem.place.file or "", ())) for problem in problems)


def _one(problem: Problem, lines: Sequence[str]) -> str:
    place = problem.place
    where = ":".join(str(part) for part in (place.file, place.line, place.column) if part is not None)
    text = [f"{where}: {problem.severity}: {problem.message} [{problem.code}]".removeprefix(": ")]
    if place.line is not None and 0 < place.line <= len(lines):
        line = lines[place.line - 1]
        column = min(place.column or 1, len(line) + 1)
        cut = max(0, column - LINE_WIDTH + 20)
        end = min(
            cut + LINE_WIDTH, column - 1 + VALUE_WIDTH
        )  # no more of a value than a message shows: it may be a secret
        shown = "".join(char if char.isprintable() else " " for char in line)[cut:end]
        gutter = len(str(place.line))
        text.append(f"  {place.line} | {shown}")
        if place.column is not None:
            width = _guilty_width(line, column) if cut == 0 else 1
            text.append(
                f"  {' ' * gutter} | {' ' * (column - 1 - cut)}{'^' * max(1, min(width, VALUE_WIDTH, LINE_WIDTH - column))}"
            )
    if problem.hint:
        text.append(f"  {problem.hint}")
    return "\n".join(text)


def _guilty_width(line: str, column: int) -> int:
    """Return how many characters the word at a column has: up to the next space, comma, bracket or colon."""
    rest = line[column - 1 :]
    if rest[:1] in {'"', "'"} and (end := rest.find(rest[0], 1)) > 0:
        return end + 1
    for index, char in enumerate(rest):
        if char in " ,]}#" or (char == ":" and rest[index + 1 : index + 2] in {"", " "}):
            return index
    return len(rest)


def as_json(problems: Iterable[Problem]) -> str:
    """Return `{"problems": [{code, severity, message, hint, file, line, column, path}]}`."""
    import json  # noqa: PLC0415 - only this format needs it

    rows = [
        {
            "code": problem.code,
            "severity": problem.severity.value,
            "message": problem.message,
            "hint": problem.hint,
            "file": problem.place.file,
            "line": problem.place.line,
            "column": problem.place.column,
            "path": problem.place.path,
        }
        for problem in problems
    ]
    return json.dumps({"problems": rows}, indent=2, ensure_ascii=False)


def as_junit(problems: Sequence[Problem], *, suite: str) -> str:
    """Return JUnit XML: a failure for each error, a passed case with its text for each warning and note."""
    failures = sum(problem.severity is ProblemSeverity.ERROR for problem in problems)
    rows = ['<?xml version="1.0" encoding="UTF-8"?>']
    rows.append(f'<testsuite name="{_xml(suite)}" tests="{max(1, len(problems))}" failures="{failures}" errors="0">')
    if not problems:
        rows.append(f'  <testcase classname="{_xml(suite)}" name="no problems"/>')
    for problem in problems:
        place = problem.place
        line = f' file="{_xml(place.file)}" line="{place.line or 1}"' if place.file else ""
        name = f"{problem.code} {place.path or place}".strip()
        rows.append(f'  <testcase classname="{_xml(suite)}" name="{_xml(name)}"{line}>')
        if problem.severity is ProblemSeverity.ERROR:
            rows.append(
                f'    <failure type="{_xml(problem.code)}" message="{_xml(problem.message)}">{_xml(str(problem))}</failure>'
            )
        else:
            rows.append(f"    <system-out>{_xml(str(problem))}</system-out>")
        rows.append("  </testcase>")
    rows.append("</testsuite>")
    return "\n".join(rows)


def _xml(text: str) -> str:
    return "".join(char for char in text if char.isprintable() or char in "\n\t").translate(_XML_CHARACTERS)


def summary(problems: Iterable[Problem]) -> str:
    """Return the counts in words: `2 errors, 1 warning`; `no problems` where there are none."""
    counts = Counter(problem.severity for problem in problems)
    words = [
        f"{counts[severity]} {severity.value}{'' if counts[severity] == 1 else 's'}"
        for severity in ProblemSeverity
        if counts[severity]
    ]
    return ", ".join(words) or "no problems"
