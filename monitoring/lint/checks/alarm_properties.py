"""Where is there a property that is missing, misspelt or has a value CloudWatch does not take? What it does and why: docs/checks/alarm-properties.md."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from cloudwatch.alarm import Comparison, LowSampleCount, MissingData
from cloudwatch.readers.alarms import COMPOSITE_FIELDS, METRIC_ALARM_FIELDS
from monitoring.lint.finding import Check, Severity
from monitoring.lint.known import has_hole, items, mapping, number, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.alarm_view import AlarmView, View
    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_CHOICES = {
    "ComparisonOperator": [str(one.value) for one in Comparison],
    "TreatMissingData": [str(one.value) for one in MissingData],
    "EvaluateLowSampleCountPercentile": [str(one.value) for one in LowSampleCount],
}
_NUMBERS = ("Threshold", "EvaluationPeriods", "DatapointsToAlarm", "Period")
_ID = re.compile(r"[a-z][A-Za-z0-9_]*\Z")


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        if "EvaluationCriteria" not in alarm.properties:
            yield from _of_alarm(alarm)
        yield from _names(alarm, METRIC_ALARM_FIELDS)
    for composite in world.composites:
        yield from _names(composite, COMPOSITE_FIELDS)


def _names(view: View, fields: frozenset[str]) -> Iterator[Found]:
    if "Resources" not in view.subject.places.original(())[:1]:
        return  # an API answer holds states and times beside the definition
    for name in view.properties:
        if name not in fields:
            close = get_close_matches(str(name)[:60], sorted(fields), n=1)
            hint = f"Did you mean {close[0]}?" if close else "Remove it."
            yield view.found(f"there is no property {str(name)[:60]}: the deployment fails.", path=(name,), hint=hint)


def _of_alarm(alarm: AlarmView) -> Iterator[Found]:
    properties = alarm.properties
    for name, choices in _CHOICES.items():
        value = text(properties.get(name))
        if value is not None and value not in choices:
            close = [one for one in choices if one.lower() == value.lower()] or get_close_matches(
                value[:60], choices, n=1
            )
            hint = f"Did you mean {close[0]}?" if close else ""
            yield alarm.found(f"{name} is {value[:60]!r}; it is {', '.join(choices)}.", path=(name,), hint=hint)
    for name in _NUMBERS:
        value = properties.get(name)
        if value is not None and not has_hole(value) and number(value) is None:
            yield alarm.found(f"{name} is {str(value)[:60]!r}, it is a number.", path=(name,))
    for name in ("ComparisonOperator", "EvaluationPeriods"):
        if name not in properties:
            yield alarm.found(f"{name} is missing: the deployment fails.", hint=f"Add {name}.")
    if "Metrics" in properties:
        for name in ("MetricName", "Namespace", "Statistic", "ExtendedStatistic", "Dimensions", "Period", "Unit"):
            if name in properties and properties[name] not in (None, [], ""):
                message = f"{name} and Metrics exclude each other: PutMetricAlarm refuses it."
                yield alarm.found(message, path=(name,), hint=f"Remove {name}, or Metrics.")
        yield from _ids(alarm)
        return
    for name in ("MetricName", "Namespace", "Period"):
        if name not in properties:
            yield alarm.found(f"{name} is missing: the deployment fails.", hint=f"Add {name}, or Metrics.")
    if "Statistic" not in properties and "ExtendedStatistic" not in properties:
        yield alarm.found("Statistic is missing: the deployment fails.", hint="Add Statistic or ExtendedStatistic.")


def _ids(alarm: AlarmView) -> Iterator[Found]:
    seen: set[str] = set()
    for position, raw in enumerate(items(alarm.properties.get("Metrics"))):
        path = ("Metrics", position)
        entry = mapping(raw)
        name = text(entry.get("Id"))
        if "Id" not in entry:
            yield alarm.found("an entry of Metrics has no Id: the deployment fails.", path=path, hint="Add Id.")
        elif name is not None and not _ID.match(name):
            message = f"the id {name[:60]!r} does not begin with a lower-case letter followed by letters, digits and _."
            yield alarm.found(message, path=(*path, "Id"), hint="Ids are such as m1 or error_rate.")
        elif name in seen:
            yield alarm.found(
                f"the id {name[:60]!r} occurs twice.", path=(*path, "Id"), hint="Give each entry its own."
            )
        seen.add(name or "")
        if ("Expression" in entry) == ("MetricStat" in entry):
            message = "an entry of Metrics has either MetricStat or Expression: PutMetricAlarm refuses it."
            yield alarm.found(message, path=path, hint="Give one of them.")


CHECK = Check(
    name="alarm-properties",
    severity=Severity.BUG,
    title="A property that is missing, misspelt or has a value CloudWatch does not take",
    find=_find,
)
