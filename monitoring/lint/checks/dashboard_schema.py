"""Where is there a dashboard body that PutDashboard refuses? What it does and why: docs/checks/dashboard-schema.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.problems import ProblemSeverity
from monitoring.lint.dashboard_problems import body_path
from monitoring.lint.dashboard_view import BODY
from monitoring.lint.finding import Check, Severity
from monitoring.lint.known import has_hole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for dashboard in world.dashboards:
        if dashboard.broken is not None:
            message, position = dashboard.broken
            span = (position, position + 1)
            yield dashboard.found(f"the body is not JSON: {message}.", path=BODY, span=span)
            continue
        for problem in dashboard.problems:
            if problem.severity is not ProblemSeverity.ERROR:
                continue
            if problem.code == "invalid-dashboard-name":
                yield dashboard.found(problem.message.strip(), path=("DashboardName",), hint=problem.hint)
                continue
            inner, value = body_path(dashboard.body, problem.place.path)
            if not has_hole(value):
                message = f"{problem.message.rstrip('.')}: PutDashboard refuses the body."
                yield dashboard.inside(message, inner=inner, hint=problem.hint)


CHECK = Check(
    name="dashboard-schema", severity=Severity.BUG, title="A dashboard body that PutDashboard refuses", find=_find
)
