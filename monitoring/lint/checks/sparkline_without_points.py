"""Where is there a sparkline over a single point? What it does and why: docs/checks/sparkline-without-points.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for dashboard in world.dashboards:
        for widget in dashboard.widgets:
            properties = widget.properties
            if properties.get("view") != "singleValue":
                continue  # elsewhere neither has an effect, and the console leaves both behind
            if properties.get("sparkline") is True and properties.get("setPeriodToTimeRange") is True:
                message = "one value over the whole time range has no line to draw; the CDK refuses the two together."
                path = (*widget.path, "properties", "setPeriodToTimeRange")
                yield dashboard.inside(message, inner=path, hint="Remove sparkline, or setPeriodToTimeRange.")


CHECK = Check(
    name="sparkline-without-points", severity=Severity.STYLE, title="A sparkline over a single point", find=_find
)
