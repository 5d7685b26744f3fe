"""Where is there a period that CloudWatch does not have? What it does and why: docs/checks/invalid-period.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.metric import is_valid_period
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        for entry in alarm.entries:
            period = entry.period_s
            if period is not None and not (period.is_integer() and is_valid_period(int(period))):
                below = max(60, int(period // 60) * 60) if 0 < period < 1e9 else 60
                message = f"a period of {period:g} s does not exist: CloudWatch has 10, 20, 30 and multiples of 60."
                yield alarm.found(message, path=entry.paths["Period"], hint=f"Take {below}.")


CHECK = Check(name="invalid-period", severity=Severity.BUG, title="A period that CloudWatch does not have", find=_find)
