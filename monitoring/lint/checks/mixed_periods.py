"""Where is there metrics of one alarm with different periods? What it does and why: docs/checks/mixed-periods.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        metrics = [entry for entry in alarm.queries.metrics if entry.period_s is not None]
        periods = sorted({entry.period_s for entry in metrics if entry.period_s is not None})
        if len(periods) > 1:
            odd = next(entry for entry in metrics if entry.period_s != metrics[0].period_s)
            message = f"the metrics have periods of {' and '.join(f'{period:g}' for period in periods)} s: PutMetricAlarm wants one."
            yield alarm.found(message, path=odd.paths["Period"], hint="Give all metrics the same Period.")


CHECK = Check(
    name="mixed-periods", severity=Severity.BUG, title="Metrics of one alarm with different periods", find=_find
)
