"""Where is there several Regions on one dashboard without saying so? What it does and why: docs/checks/dashboard-regions.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity
from monitoring.lint.known import mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.dashboard_view import WidgetView
    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for dashboard in world.dashboards:
        regions: dict[str, list[WidgetView]] = {}
        for widget in dashboard.widgets:
            for region in {entry.region for entry in widget.queries.entries if entry.region is not None}:
                regions.setdefault(region, []).append(widget)
        if len(regions) < 2:
            continue
        names = ", ".join(sorted(regions))
        headings = [w.title for w in dashboard.widgets] + [
            text(mapping(w.properties).get("markdown")) or "" for w in dashboard.widgets
        ]
        said = {region for region in regions if any(region in words for words in [dashboard.name, *headings])}
        rarest = min(regions, key=lambda region: len(regions[region]))
        widget = regions[rarest][0]
        labelled = any(entry.label and rarest in entry.label for entry in widget.queries.entries)
        if rarest not in said and not labelled:
            message = f"the dashboard shows {names}, and this widget does not say that it is {rarest}: two curves of one name are two Regions."
            yield dashboard.inside(
                message, inner=(*widget.path, "properties", "region"), hint="Name the Region in the title or label."
            )


CHECK = Check(
    name="dashboard-regions",
    severity=Severity.STYLE,
    title="Several Regions on one dashboard without saying so",
    find=_find,
)
