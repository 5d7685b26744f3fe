"""Where is there periods that together are longer than CloudWatch looks back? What it does and why: docs/checks/window-too-long.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch import limits
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        period, periods = alarm.period_s, alarm.periods
        if period is None or periods is None:
            continue
        longest = limits.MAX_WINDOW_LONG_PERIOD_S if period >= limits.LONG_PERIOD_S else limits.MAX_WINDOW_S
        if period * periods > longest:
            message = f"{periods} periods of {period:g} s are {period * periods:g} s, CloudWatch looks back {longest} s at most: PutMetricAlarm refuses it."
            hint = "Take fewer periods; with a period of 3600 s or more a week is possible."
            yield alarm.found(message, path=("EvaluationPeriods",), hint=hint)


CHECK = Check(
    name="window-too-long",
    severity=Severity.BUG,
    title="Periods that together are longer than CloudWatch looks back",
    find=_find,
)
