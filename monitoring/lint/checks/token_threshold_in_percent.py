"""Where is there a per cent threshold on a number of tokens? What it does and why: docs/checks/token-threshold-in-percent.md."""

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
        result, threshold = alarm.result, alarm.threshold
        if result is None or threshold is None or not 0 < threshold <= 100 or not alarm.breaches_above:
            continue
        if result.name == "EstimatedTPMQuotaUsage" and result.stat in {"Sum", "Average", "Maximum", "Minimum"}:
            message = f"EstimatedTPMQuotaUsage is a number of tokens, not per cent: a single request passes {threshold:g}, and the alarm is always on."
            hint = "Take tokens: 80 % of a quota of 200,000 tokens per minute is 160000; or divide by the quota in an expression."
            yield alarm.found(message, path=("Threshold",), hint=hint)


CHECK = Check(
    name="token-threshold-in-percent",
    severity=Severity.BUG,
    title="A per cent threshold on a number of tokens",
    find=_find,
)
