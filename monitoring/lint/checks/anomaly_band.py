"""Where is there a band that is not there, or a number beside it? What it does and why: docs/checks/anomaly-band.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.math.ast import Call
from monitoring.lint.finding import Check, Severity
from monitoring.lint.known import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_BAND_OPERATORS = {"LessThanLowerOrGreaterThanUpperThreshold", "LessThanLowerThreshold", "GreaterThanUpperThreshold"}


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        properties, operator = alarm.properties, alarm.comparison
        band = text(properties.get("ThresholdMetricId"))
        if operator is None or "EvaluationCriteria" in properties:
            continue
        if operator in _BAND_OPERATORS:
            if "ThresholdMetricId" not in properties:
                message = f"{operator} compares with a band, and there is none: PutMetricAlarm refuses it."
                yield alarm.found(
                    message, path=("ComparisonOperator",), hint="Add ThresholdMetricId with the id of the band."
                )
            if "Threshold" in properties:
                message = f"{operator} compares with a band, not with a number: PutMetricAlarm refuses it."
                yield alarm.found(message, path=("Threshold",), hint="Remove Threshold.")
        elif "ThresholdMetricId" in properties:
            message = f"{operator} compares with a number, not with a band: PutMetricAlarm refuses it."
            yield alarm.found(
                message, path=("ComparisonOperator",), hint="Take LessThanLowerOrGreaterThanUpperThreshold."
            )
        elif "Threshold" not in properties and operator in _KNOWN:
            yield alarm.found("Threshold is missing: the deployment fails.", hint="Add Threshold.")
        if band is None or not alarm.entries:
            continue
        entry = alarm.queries.by_id.get(band)
        tree = None if entry is None else alarm.queries.tree(entry)
        if entry is None:
            message = f"ThresholdMetricId is {band[:60]!r}, and no entry has that id: PutMetricAlarm refuses it."
            yield alarm.found(message, path=("ThresholdMetricId",), hint="Name the entry with ANOMALY_DETECTION_BAND.")
        elif tree is not None and not (isinstance(tree, Call) and tree.function == "ANOMALY_DETECTION_BAND"):
            message = f"{band[:60]} is no ANOMALY_DETECTION_BAND: PutMetricAlarm refuses it."
            yield alarm.found(message, path=("ThresholdMetricId",), hint="Name the entry with ANOMALY_DETECTION_BAND.")


_KNOWN = {"GreaterThanThreshold", "GreaterThanOrEqualToThreshold", "LessThanThreshold", "LessThanOrEqualToThreshold"}


CHECK = Check(
    name="anomaly-band", severity=Severity.BUG, title="A band that is not there, or a number beside it", find=_find
)
