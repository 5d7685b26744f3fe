"""Where is there the sum of a duration? What it does and why: docs/checks/sum-of-latency.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.catalogue import BEDROCK, known_metric
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        result = alarm.result
        known = None if result is None else known_metric(result.namespace, result.name)
        if result is not None and known is not None and known.is_time and result.stat == "Sum":
            yield alarm.found(_message(known.name), path=result.paths["Stat"], hint="Take a percentile such as p90.")
    for dashboard in world.dashboards:
        for widget in dashboard.widgets:
            for entry in widget.queries.metrics:
                known = known_metric(entry.namespace, entry.name)
                if (
                    entry.returned
                    and entry.namespace == BEDROCK
                    and known is not None
                    and known.is_time
                    and entry.stat == "Sum"
                ):
                    yield dashboard.inside(
                        _message(known.name), inner=entry.paths["Stat"], hint="Take a percentile such as p90."
                    )


def _message(name: str) -> str:
    return f"the Sum of {name} grows with traffic: 100 calls of 1 s are the same as 1 call of 100 s. It says nothing about slowness."


CHECK = Check(name="sum-of-latency", severity=Severity.BUG, title="The sum of a duration", find=_find)
