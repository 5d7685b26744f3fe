"""Where is there a period shorter than the metric is published? What it does and why: docs/checks/period-below-resolution.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_SLOW_S = {
    ("AWS/S3", "BucketSizeBytes"): 86_400,
    ("AWS/S3", "NumberOfObjects"): 86_400,
    ("AWS/Billing", "EstimatedCharges"): 21_600,
}
_FAST = {("AWS/SageMaker", "ConcurrentRequestsPerModel"), ("AWS/SageMaker", "ConcurrentRequestsPerCopy")}


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        for entry in alarm.queries.metrics:
            if entry.namespace is None or entry.name is None or entry.period_s is None:
                continue
            key = (entry.namespace, entry.name)
            published = 10 if key in _FAST else _SLOW_S.get(key, 60)
            if entry.namespace.startswith("AWS/") and 0 < entry.period_s < published:
                periods = f"{published / entry.period_s:g}"
                message = f"{entry.title} has a point every {published} s; of {periods} periods of {entry.period_s:g} s all but one are empty."
                yield alarm.found(message, path=entry.paths["Period"], hint=f"Take a period of {published} s.")


CHECK = Check(
    name="period-below-resolution",
    severity=Severity.RISK,
    title="A period shorter than the metric is published",
    find=_find,
)
