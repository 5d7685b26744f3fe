"""Where is there composites that wait for each other? What it does and why: docs/checks/composite-cycle.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.alarm import CompositeAlarm
from cloudwatch.alarm_rule import find_cycles
from cloudwatch.problems import InvalidValueError
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    values, views = [], {}
    for one in world.composites:
        if one.rule is None or one.rule_text is None:
            continue
        try:
            values.append(CompositeAlarm(name=one.name, rule=one.rule_text))
        except InvalidValueError:
            continue
        views[one.name] = one
    for cycle in find_cycles(values):
        first = views[cycle[0]]
        circle = " -> ".join([*cycle, cycle[0]])
        message = (
            f"{circle[:200]} is a circle: CloudWatch stops evaluating these alarms, and none of them can be deleted."
        )
        after = cycle[1] if len(cycle) > 1 else cycle[0]
        start = (first.rule_text or "").find(after)
        span = (start, start + len(after)) if start >= 0 else None
        yield first.found(message, path=("AlarmRule",), span=span, hint="Take one of them out of the other's rule.")


CHECK = Check(name="composite-cycle", severity=Severity.BUG, title="Composites that wait for each other", find=_find)
