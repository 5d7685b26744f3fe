"""Where is there an error rate that one request can bring to 100 per cent? What it does and why: docs/checks/ratio-without-minimum.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.math.ast import Call
from monitoring.lint.catalogue import is_rare, known_metric
from monitoring.lint.finding import Check, Severity
from monitoring.lint.math_shapes import denominators

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        result = alarm.result
        tree = None if result is None or result.is_metric else alarm.queries.tree(result)
        if result is None or tree is None or not alarm.breaches_above:
            continue
        if any(isinstance(node, Call) and node.function == "IF" for node in alarm.queries.expanded(tree)):
            continue
        for chain, divisor in denominators(tree, alarm.queries):
            below = [known_metric(one.namespace, one.name) for one in alarm.queries.metrics_under(divisor)]
            above = [known_metric(one.namespace, one.name) for one in alarm.queries.metrics_under(chain.first)]
            counts = bool(below) and all(one is not None and one.kind == "count" for one in below)
            if counts and any(one is not None and is_rare(one) for one in above):
                message = (
                    "one failure of one request is a rate of 100 %: at night this alarm goes off for a single call."
                )
                hint = "Count only minutes with enough requests: IF(requests >= 20, errors / requests * 100)."
                yield alarm.found(message, path=result.expression_path, span=(chain.start, chain.end), hint=hint)
                break


CHECK = Check(
    name="ratio-without-minimum",
    severity=Severity.RISK,
    title="An error rate that one request can bring to 100 per cent",
    find=_find,
)
