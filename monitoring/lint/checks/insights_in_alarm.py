"""Where is there a Metrics Insights query that an alarm cannot run? What it does and why: docs/checks/insights-in-alarm.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity
from monitoring.lint.known import items, mapping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_LONGEST_S = 3 * 3600


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        queries = [
            entry
            for entry in alarm.entries
            if entry.expression is not None and entry.expression.lstrip()[:7].upper() == "SELECT "
        ]
        for entry in queries:
            position = entry.path[1] if len(entry.path) > 1 else 0
            raw = mapping(items(alarm.properties.get("Metrics"))[int(position)])
            if "Period" not in raw:
                message = "a Metrics Insights query needs a Period of its own: PutMetricAlarm refuses it."
                yield alarm.found(message, path=entry.expression_path, hint="Add Period: 60 (or more) to this entry.")
            elif (
                entry.period_s is not None and alarm.periods is not None and entry.period_s * alarm.periods > _LONGEST_S
            ):
                window = entry.period_s * alarm.periods / 3600
                message = f"the window is {window:g} hours, and Metrics Insights sees the last 3 hours only: older points are missing for ever."
                yield alarm.found(
                    message, path=("EvaluationPeriods",), hint="Shorten the period or take fewer periods."
                )
        for entry in queries[1:]:
            message = "a request takes one Metrics Insights query, this alarm has several: PutMetricAlarm refuses it."
            yield alarm.found(
                message, path=entry.expression_path, hint="Make an alarm of each, and a composite over them."
            )


CHECK = Check(
    name="insights-in-alarm",
    severity=Severity.BUG,
    title="A Metrics Insights query that an alarm cannot run",
    find=_find,
)
