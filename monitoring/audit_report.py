"""How do findings in an account look? As those of lint: the answers of AWS are the files, and live findings point into them."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from monitoring.lint.documents import Document
from monitoring.lint.finding import Finding
from monitoring.lint.run import Report, lint_documents
from monitoring.lint.silence import is_silent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from monitoring.audit_findings import Inventory, LiveFinding
    from monitoring.lint.settings import LintSettings

__all__ = ["audit_report"]


def audit_report(
    inventory: Inventory,
    *,
    live: Sequence[LiveFinding],
    today: date,
    settings: LintSettings,
    place: str,
) -> Report:
    """Return lint's report on an account, with the live findings among the others.

    Args:
        inventory: What lives there.
        live: What no file shows.
        today: For checks that are off until a day.
        settings: What the configuration says about lint; it may switch live checks off too.
        place: Account and Region, the first part of the names of the files.
    """
    documents = _documents(inventory, place=place)
    report = lint_documents(documents, today=today, settings=settings)
    wanted = [one for one in live if not is_silent(one.check, settings.off, today=today)]
    placed = [_placed(one, documents, settings, place=place) for one in wanted]
    order = {document.file: position for position, document in enumerate(documents)}
    findings = sorted(
        (*report.findings, *placed), key=lambda one: (order.get(one.file, -1), one.line, one.column, one.check)
    )
    return replace(report, findings=tuple(findings))


def _documents(inventory: Inventory, *, place: str) -> list[Document]:
    found = []
    if inventory.alarms is not None:
        answer = {"MetricAlarms": list(inventory.alarms), "CompositeAlarms": list(inventory.composites or ())}
        found.append(_document(f"{place}/alarms", answer))
    if inventory.filters is not None:
        found.append(_document(f"{place}/metric-filters", {"metricFilters": list(inventory.filters)}))
    for name, body in inventory.dashboards.items():
        found.append(_document(f"{place}/dashboards/{name}", {"DashboardName": name, "DashboardBody": body}))
    return found


def _document(file: str, data: Mapping[str, Any]) -> Document:
    text = json.dumps(data, indent=2, ensure_ascii=False, default=_moment)
    return Document(file=file, text=text, data=json.loads(text), is_json=True)


def _moment(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _placed(one: LiveFinding, documents: Sequence[Document], settings: LintSettings, *, place: str) -> Finding:
    file, line, column, end = place, 1, 1, 2
    name = json.dumps(one.subject, ensure_ascii=False)
    for document in documents:
        for key in ("AlarmName", "filterName"):
            text = f'"{key}": {name}'
            at = document.text.find(text)
            if at >= 0:
                start = document.text.rfind("\n", 0, at) + 1
                file, line = document.file, document.text.count("\n", 0, at) + 1
                column = at - start + len(text) - len(name) + 1
                end = column + len(name)
                break
    return Finding(
        check=one.check,
        severity=settings.severities.get(one.check, one.severity),
        file=file,
        path="",
        line=line,
        column=column,
        end_column=end,
        message=one.message,
        hint=one.hint,
        subject=one.subject,
    )
