"""Where is there a unit filter on a Bedrock metric? What it does and why: docs/checks/unit-on-bedrock-metric.md."""

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
        for entry in alarm.queries.metrics:
            if entry.unit is not None and (entry.namespace or "").startswith("AWS/Bedrock"):
                message = f"AWS does not document the CloudWatch units of {entry.namespace}; if {entry.name} has another unit than {entry.unit[:40]} there are no points and no error."
                yield alarm.found(message, path=entry.paths["Unit"], hint="Leave the unit out.")


CHECK = Check(
    name="unit-on-bedrock-metric", severity=Severity.RISK, title="A unit filter on a Bedrock metric", find=_find
)
