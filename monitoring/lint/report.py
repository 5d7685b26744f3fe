"""How are findings shown: to a person, to a program, to a code host, to a build server?

Text is that of a good compiler: place, what is wrong and what follows, the line with carets under the guilty characters, what to
do. JSON is `{"findings": [{check, severity, file, path, line, column, message, hint}]}`. SARIF is version 2.1.0. JUnit has a
failed test case for each bug and a passed one for everything else.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Any, assert_never

from monitoring.lint.finding import Severity
from monitoring.lint.registry import CHECKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from monitoring.lint.finding import Finding
    from monitoring.lint.run import Report

__all__ = ["LintFormat", "rendered", "summary"]

WIDTH = 110
_XML = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;"}
_LEVELS = {Severity.BUG: "error", Severity.RISK: "warning", Severity.STYLE: "note"}


class LintFormat(StrEnum):
    """For whom: a person, a program, a code host, a build server."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"


def rendered(report: Report, output_format: LintFormat) -> str:
    """Return a report in a format, without a newline at the end."""
    match output_format:
        case LintFormat.TEXT:
            return "\n\n".join(_text(one, report.lines.get(one.file, ())) for one in report.findings)
        case LintFormat.JSON:
            return json.dumps({"findings": [_row(one) for one in report.findings]}, indent=2)
        case LintFormat.SARIF:
            return json.dumps(_sarif(report.findings), indent=2)
        case LintFormat.JUNIT:
            return _junit(report.findings)
        case _:
            assert_never(output_format)


def summary(report: Report) -> str:
    """Return the counts in words: `2 bugs, 1 risk in 14 subjects`."""
    plural = {Severity.BUG: "bugs", Severity.RISK: "risks", Severity.STYLE: "matters of style"}
    single = {Severity.BUG: "bug", Severity.RISK: "risk", Severity.STYLE: "matter of style"}
    counts = [(severity, report.count(severity)) for severity in Severity]
    words = [f"{count} {(single if count == 1 else plural)[severity]}" for severity, count in counts if count]
    subjects = f"{report.subjects} subject{'' if report.subjects == 1 else 's'}"
    return f"{', '.join(words) or 'nothing found'} in {subjects}"


def _row(one: Finding) -> dict[str, Any]:
    return {
        "check": one.check,
        "severity": one.severity.value,
        "file": one.file,
        "path": one.path,
        "line": one.line,
        "column": one.column,
        "message": one.message,
        "hint": one.hint,
    }


def _text(one: Finding, lines: Sequence[str]) -> str:
    who = f"{one.subject}: " if one.subject else ""
    found = [f"{one.file}:{one.line}:{one.column}: {one.severity}: {who}{one.message} [{one.check}]"]
    if 0 < one.line <= len(lines):
        found += _source(one, lines[one.line - 1])
    if one.hint:
        found.append(f"  {one.hint}")
    return "\n".join(found)


def _source(one: Finding, line: str) -> list[str]:
    """Return the line with carets below; of a long line the part around them."""
    begin = one.column - 1
    end = max(begin + 1, min(one.end_column - 1, len(line)))
    cut = 0 if begin < WIDTH * 3 // 4 else begin - WIDTH // 3
    part = line[cut : cut + WIDTH]
    shown = "".join(char if char.isprintable() else " " for char in part)
    before, after = ("..." if cut else ""), ("..." if cut + WIDTH < len(line) else "")
    gutter = len(str(one.line))
    carets = "^" * max(1, min(end, cut + WIDTH) - begin)
    pad = " " * (begin - cut + len(before))
    return [f"  {one.line} | {before}{shown}{after}", f"  {' ' * gutter} | {pad}{carets}"]


def _sarif(findings: Sequence[Finding]) -> dict[str, Any]:
    names = {one.check for one in findings}
    rules = [
        {
            "id": check.name,
            "shortDescription": {"text": check.title},
            "defaultConfiguration": {"level": _LEVELS[check.severity]},
            "help": {"text": f"docs/checks/{check.name}.md"},
        }
        for check in CHECKS
        if check.name in names
    ]
    results = [
        {
            "ruleId": one.check,
            "level": _LEVELS[one.severity],
            "message": {"text": f"{one.subject}: {one.message} {one.hint}".strip(": ")},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": one.file},
                        "region": {"startLine": one.line, "startColumn": one.column, "endColumn": one.end_column},
                    }
                }
            ],
        }
        for one in findings
    ]
    driver = {"name": "bedrock-monitor", "rules": rules}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }


def _junit(findings: Sequence[Finding]) -> str:
    failures = sum(one.severity is Severity.BUG for one in findings)
    rows = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="lint" tests="{max(1, len(findings))}" failures="{failures}" errors="0">',
    ]
    if not findings:
        rows.append('  <testcase classname="lint" name="nothing found"/>')
    for one in findings:
        name = _xml(f"{one.check} {one.subject}".strip())
        rows.append(f'  <testcase classname="lint" name="{name}" file="{_xml(one.file)}" line="{one.line}">')
        text = _xml(f"{one.file}:{one.line}:{one.column} {one.message} {one.hint}".strip())
        if one.severity is Severity.BUG:
            rows.append(f'    <failure type="{one.check}" message="{_xml(one.message)}">{text}</failure>')
        else:
            rows.append(f"    <system-out>{one.severity}: {text}</system-out>")
        rows.append("  </testcase>")
    rows.append("</testsuite>")
    return "\n".join(rows)


def _xml(text: str) -> str:
    return "".join(char for char in text if char.isprintable() or char in "\n\t").translate(_XML)
