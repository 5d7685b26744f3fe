"""Where is there the average of something that is always reported as 1? What it does and why: docs/checks/average-of-count.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.catalogue import is_rare, known_metric
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_ALWAYS_ONE = ("AWS/Bedrock", "AWS/ApplicationELB", "AWS/Bedrock/Agents", "AWS/Bedrock/Guardrails")


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        result = alarm.result
        known = None if result is None else known_metric(result.namespace, result.name)
        if result is None or known is None or result.namespace not in _ALWAYS_ONE or not is_rare(known):
            continue
        if result.stat in {"Average", "Maximum", "Minimum"} or result.is_percentile:
            message = f"each point of {known.name} is 1, so its {result.stat} is 1 for one error and for a thousand."
            yield alarm.found(message, path=result.paths["Stat"], hint="Take Sum.")


CHECK = Check(
    name="average-of-count",
    severity=Severity.RISK,
    title="The average of something that is always reported as 1",
    find=_find,
)
