"""Where is there widgets on top of each other? What it does and why: docs/checks/widgets-overlap.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.dashboard_problems import body_path
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for dashboard in world.dashboards:
        for problem in dashboard.problems:
            if problem.code == "widgets-overlap":
                inner, _ = body_path(dashboard.body, problem.place.path)
                message = (
                    f"{problem.message}: the console moves one of them, and the page looks other than it was drawn."
                )
                yield dashboard.inside(message, inner=inner, hint="Correct x, y, width or height.")


CHECK = Check(name="widgets-overlap", severity=Severity.RISK, title="Widgets on top of each other", find=_find)
