"""Where is there a sum or difference in which a missing point counts as 0? What it does and why: docs/checks/missing-operand-counts-as-zero.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.math.ast import Call, Chain, walk
from monitoring.lint.catalogue import known_metric
from monitoring.lint.finding import Check, Severity
from monitoring.lint.math_shapes import guards

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_FIRST_TOKEN = ("TimeToFirstToken", "TTFT", "FirstChunkLatency")


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        result = alarm.result
        tree = None if result is None or result.is_metric else alarm.queries.tree(result)
        if result is None or tree is None:
            continue
        guarded = guards(tree, alarm.queries)
        for entry, expression in alarm.queries.trees:
            fillers = any(isinstance(node, Call) and node.function == "FILL" for node in walk(expression))
            for node in walk(expression):
                if not isinstance(node, Chain) or fillers or node.steps[0].operator not in {"+", "-"}:
                    continue
                metrics = alarm.queries.metrics_under(node)
                if len(metrics) < 2 or any(one.id in guarded for one in metrics):
                    continue
                times = [
                    one
                    for one in metrics
                    if (known := known_metric(one.namespace, one.name)) is not None and known.is_time
                ]
                is_otps = any(one.name in _FIRST_TOKEN for one in metrics) and "/" in (entry.expression or "")
                minus = any(step.operator == "-" for step in node.steps)
                hint = "Guard it: IF(a AND b, ...), or fill the gap with FILL on purpose."
                span = (node.start, node.end)
                if times and minus and not is_otps:
                    names = " and ".join(str(one.name) for one in metrics[:3])
                    message = (
                        f"where one of {names} has no point it counts as 0, and the difference is the other one alone."
                    )
                    yield alarm.found(message, path=entry.expression_path, span=span, hint=hint)
                elif alarm.breaches_below and not minus:
                    message = "where one of the metrics has no point it counts as 0: the sum falls, and this alarm goes off though nothing fell."
                    yield alarm.found(message, path=entry.expression_path, span=span, hint=hint)


CHECK = Check(
    name="missing-operand-counts-as-zero",
    severity=Severity.RISK,
    title="A sum or difference in which a missing point counts as 0",
    find=_find,
)
