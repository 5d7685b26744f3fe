"""Where is there more than one entry, or none, that is the alarm's result? What it does and why: docs/checks/return-data.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity
from monitoring.lint.known import has_hole, items, mapping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        metrics = items(alarm.properties.get("Metrics"))
        if not metrics or any(has_hole(mapping(one).get("ReturnData")) for one in metrics):
            continue
        band = alarm.properties.get("ThresholdMetricId")
        returned = [entry for entry in alarm.entries if entry.returned and (entry.id is None or entry.id != band)]
        if len(returned) > 1:
            extra = returned[1]
            names = ", ".join(str(entry.id) for entry in returned)
            message = f"{len(returned)} entries return data ({names}), one must: the deployment fails. ReturnData is true where it is not written."
            hint = "Write ReturnData: false on all but the result."
            yield alarm.found(message, path=(*extra.path, "ReturnData"), hint=hint)
        elif not returned:
            message = "no entry returns data, so there is nothing to compare with the threshold: the deployment fails."
            yield alarm.found(message, path=("Metrics",), hint="Write ReturnData: true on the result.")


CHECK = Check(
    name="return-data",
    severity=Severity.BUG,
    title="More than one entry, or none, that is the alarm's result",
    find=_find,
)
