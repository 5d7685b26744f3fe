"""Where is there a statistic that CloudWatch does not have? What it does and why: docs/checks/invalid-statistic.md."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from cloudwatch.cloudformation import SIMPLE_STATISTICS
from cloudwatch.problems import InvalidValueError
from cloudwatch.stat import parse_stat
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        properties = alarm.properties
        if "Statistic" in properties and "ExtendedStatistic" in properties:
            message = "Statistic and ExtendedStatistic exclude each other: PutMetricAlarm refuses it."
            yield alarm.found(message, path=("ExtendedStatistic",), hint="Remove one of them.")
        for entry in alarm.queries.metrics:
            if entry.stat is None:
                continue
            wrong = _why_not(entry.stat, plain=entry.paths["Stat"] == ("Statistic",))
            if wrong:
                yield alarm.found(wrong, path=entry.paths["Stat"], hint=_hint(entry.stat))
    for dashboard in world.dashboards:
        for widget in dashboard.widgets:
            for entry in widget.queries.metrics:
                wrong = None if entry.stat is None else _why_not(entry.stat, plain=False)
                if wrong:
                    yield dashboard.inside(wrong, inner=entry.paths["Stat"], hint=_hint(str(entry.stat)))


def _why_not(stat: str, *, plain: bool) -> str | None:
    if plain and stat not in SIMPLE_STATISTICS:
        return f"Statistic takes {', '.join(sorted(SIMPLE_STATISTICS))}, not {stat[:40]}: PutMetricAlarm refuses it."
    try:
        parse_stat(stat)
    except InvalidValueError as wrong:
        return f"{wrong}."
    return None


def _hint(stat: str) -> str:
    close = get_close_matches(stat.title()[:40], sorted(SIMPLE_STATISTICS), n=1)
    return f"Did you mean {close[0]}?" if close else "Percentiles go into ExtendedStatistic, as p90."


CHECK = Check(
    name="invalid-statistic", severity=Severity.BUG, title="A statistic that CloudWatch does not have", find=_find
)
