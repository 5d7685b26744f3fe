"""Where is there a function that sees more of the past than EvaluationPeriods? What it does and why: docs/checks/window-function-in-alarm.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.math.ast import Call, walk
from cloudwatch.math.functions import Type
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_WHOLE = {
    "DATAPOINT_COUNT": "counts points of",
    "REMOVE_EMPTY": "depends on what is empty in",
    "RUNNING_SUM": "begins at the oldest point of",
    "RATE": "compares whatever points there are in",
}
_REDUCTIONS = frozenset({"AVG", "SUM", "MIN", "MAX", "STDDEV"})


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        for entry, tree in alarm.queries.trees:
            for node in walk(tree):
                if not isinstance(node, Call) or not node.arguments:
                    continue
                does = _WHOLE.get(node.function)
                if node.function in _REDUCTIONS:
                    kind = alarm.queries.type_of_node(node.arguments[0], entry)
                    does = "looks at all points of" if kind is Type.SERIES else None
                if does is not None:
                    message = f"{node.function} {does} the range that CloudWatch fetched, which is longer than EvaluationPeriods by a number that is not published."
                    hint = "Compare each point with the threshold, or take a longer period."
                    yield alarm.found(message, path=entry.expression_path, span=(node.start, node.end), hint=hint)


CHECK = Check(
    name="window-function-in-alarm",
    severity=Severity.RISK,
    title="A function that sees more of the past than EvaluationPeriods",
    find=_find,
)
