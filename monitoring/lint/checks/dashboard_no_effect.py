"""Where is there a setting of a dashboard that does nothing? What it does and why: docs/checks/dashboard-no-effect.md."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from cloudwatch.problems import ProblemSeverity
from monitoring.lint.dashboard_problems import body_path
from monitoring.lint.finding import Check, Severity
from monitoring.lint.known import has_hole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_PROPERTIES = (
    *(
        "type",
        "width",
        "height",
        "properties",
        "widgets",
        "variables",
        "periodOverride",
        "metrics",
        "region",
        "title",
        "view",
    ),
    *(
        "stacked",
        "sparkline",
        "stat",
        "period",
        "accountId",
        "annotations",
        "horizontal",
        "vertical",
        "yAxis",
        "legend",
    ),
    *(
        "position",
        "liveData",
        "timezone",
        "table",
        "label",
        "color",
        "visible",
        "expression",
        "query",
        "markdown",
        "alarms",
    ),
    *(
        "setPeriodToTimeRange",
        "singleValueFullPrecision",
        "showUnits",
        "background",
        "value",
        "fill",
        "sortBy",
        "states",
    ),
)
_OTHERS = {"widgets-overlap", "sparkline-without-points", "unknown-metric-id"}


def _find(world: World) -> Iterator[Found]:
    for dashboard in world.dashboards:
        for problem in dashboard.problems:
            if problem.severity is ProblemSeverity.ERROR or problem.code in _OTHERS:
                continue
            inner, value = body_path(dashboard.body, problem.place.path)
            message, hint = problem.message, problem.hint
            if problem.code == "unknown-dashboard-property":
                name = str(inner[-1]) if inner else ""
                close = get_close_matches(name[:60], _PROPERTIES, n=1, cutoff=0.75)
                if not close:
                    continue  # the console writes properties that no page documents
                message, hint = f"there is no property {name[:60]}, and it has no effect", f"Did you mean {close[0]}?"
            if not has_hole(value):
                yield dashboard.inside(f"{message.rstrip('.')}.", inner=inner, hint=hint)


CHECK = Check(
    name="dashboard-no-effect", severity=Severity.STYLE, title="A setting of a dashboard that does nothing", find=_find
)
