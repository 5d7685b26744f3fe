"""How is the report on evidence told? Text at 80 columns, JSON, JUnit."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from monitoring.evidence_check import Status

if TYPE_CHECKING:
    from monitoring.evidence_check import Finding, Report

__all__ = ["as_json", "as_junit", "as_text"]

_MARKS = {Status.OK: "ok     ", Status.WRONG: "WRONG  ", Status.UNKNOWN: "unknown"}


def as_text(report: Report) -> str:
    """Return the findings, what is wrong last, with the configuration lines to change."""
    order = [Status.OK, Status.UNKNOWN, Status.WRONG]
    blocks = [_block(finding) for finding in sorted(report.findings, key=lambda finding: order.index(finding.status))]
    counts = {status: sum(finding.status is status for finding in report.findings) for status in Status}
    head = f"Evidence of {report.account} in {report.region}"
    foot = f"{counts[Status.OK]} ok, {counts[Status.UNKNOWN]} unknown, {counts[Status.WRONG]} wrong"
    return "\n".join([head, "", *blocks, "", foot])


def as_json(report: Report) -> str:
    """Return `{"account", "region", "findings": [{"check", "status", "saw", "do", "lines"}]}`."""
    rows = [asdict(finding) for finding in report.findings]
    return json.dumps({"account": report.account, "region": report.region, "findings": rows}, indent=2)


def as_junit(report: Report) -> str:
    """Return JUnit XML: a case for each finding, skipped where too little was seen."""
    wrong = sum(finding.status is Status.WRONG for finding in report.findings)
    unknown = sum(finding.status is Status.UNKNOWN for finding in report.findings)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="verify-evidence" tests="{len(report.findings)}" failures="{wrong}" skipped="{unknown}">',
    ]
    for finding in report.findings:
        case = f"  <testcase classname={quoteattr(report.account)} name={quoteattr(finding.check)}"
        text = quoteattr(" ".join(filter(None, [finding.saw, finding.do, *finding.lines])))
        inner = {
            Status.OK: None,
            Status.WRONG: f"<failure message={text}/>",
            Status.UNKNOWN: f"<skipped message={text}/>",
        }
        body = inner[finding.status]
        lines.append(f"{case}/>" if body is None else f"{case}>{body}</testcase>")
    return "\n".join([*lines, "</testsuite>"])


def _block(finding: Finding) -> str:
    pad = " " * 9
    said = textwrap.fill(
        f"{finding.check}: {finding.saw}", width=80, initial_indent=f"{_MARKS[finding.status]}  ", subsequent_indent=pad
    )
    lines = [said]
    if finding.do:
        lines.append(textwrap.fill(finding.do, width=80, initial_indent=pad, subsequent_indent=pad))
    lines += [f"{pad}    {line}" for line in finding.lines]
    return "\n".join(lines)
