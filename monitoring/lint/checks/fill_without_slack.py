"""Where is there FILL in an alarm that wants every point? What it does and why: docs/checks/fill-without-slack.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.math.ast import Call, walk
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        result = alarm.result
        tree = None if result is None or result.is_metric else alarm.queries.tree(result)
        if tree is None or alarm.datapoints is None or alarm.datapoints != alarm.periods:
            continue
        reached = {id(node) for node in alarm.queries.expanded(tree)}
        for entry, expression in alarm.queries.trees:
            for node in walk(expression):
                if isinstance(node, Call) and node.function == "FILL" and id(node) in reached:
                    count = f"{alarm.datapoints} of {alarm.periods}"
                    message = f"a metric that arrives a minute late is filled in the newest minute first; with {count} points that one decides."
                    hint = f"Ask for fewer points than are looked at, for example {alarm.datapoints} of {alarm.datapoints + 1}."
                    yield alarm.found(message, path=entry.expression_path, span=(node.start, node.end), hint=hint)


CHECK = Check(
    name="fill-without-slack", severity=Severity.RISK, title="FILL in an alarm that wants every point", find=_find
)
