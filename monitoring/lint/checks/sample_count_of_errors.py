"""Where is there sampleCount where Sum counts? What it does and why: docs/checks/sample-count-of-errors.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.catalogue import is_rare, known_metric
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
        if result is not None and known is not None and result.stat == "SampleCount" and is_rare(known):
            message = f"SampleCount of {known.name} counts reports, zeros included, not errors: 500 good calls can read as 500."
            yield alarm.found(message, path=result.paths["Stat"], hint="Take Sum.")


CHECK = Check(name="sample-count-of-errors", severity=Severity.BUG, title="SampleCount where Sum counts", find=_find)
