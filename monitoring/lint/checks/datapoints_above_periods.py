"""Where is there m greater than N? What it does and why: docs/checks/datapoints-above-periods.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity
from monitoring.lint.known import whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        periods, datapoints = alarm.periods, whole(alarm.properties.get("DatapointsToAlarm"))
        if periods is not None and periods < 1:
            yield alarm.found(f"EvaluationPeriods is {periods}, it is at least 1.", path=("EvaluationPeriods",))
        elif datapoints is not None and (datapoints < 1 or (periods is not None and datapoints > periods)):
            message = f"DatapointsToAlarm is {datapoints} of {periods} EvaluationPeriods: PutMetricAlarm refuses it."
            hint = f"Take 1 to {periods}." if periods is not None else "Take at least 1."
            yield alarm.found(message, path=("DatapointsToAlarm",), hint=hint)


CHECK = Check(name="datapoints-above-periods", severity=Severity.BUG, title="M greater than N", find=_find)
