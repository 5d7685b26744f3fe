"""A setting of a dashboard that does nothing."""

from __future__ import annotations

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


_OTHERS = {"widgets-overlap", "sparkline-without-points", "unknown-metric-id"}


def _find(world: World) -> Iterator[Found]:
    for dashboard in world.dashboards:
        for problem in dashboard.problems:
            if problem.severity is ProblemSeverity.ERROR or problem.code in _OTHERS:
                continue
            inner, value = body_path(dashboard.body, problem.place.path)
            if not has_hole(value):
                yield dashboard.inside(f"{problem.message.rstrip('.')}.", inner=inner, hint=problem.hint)


CHECK = Check(
    name="dashboard-no-effect", severity=Severity.STYLE, title="A setting of a dashboard that does nothing", find=_find
)
