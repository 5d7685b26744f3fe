"""Where is there an average of percentiles? What it does and why: docs/checks/average-of-percentiles.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.math.ast import Call, Chain, Number, walk
from monitoring.lint.finding import Check, Severity
from monitoring.lint.math_shapes import expressions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for queries, entry, tree, at in expressions(world):
        for node in walk(tree):
            metrics = []
            if isinstance(node, Call) and node.function == "AVG" and node.arguments:
                argument = node.arguments[0]
                every = isinstance(argument, Call) and argument.function == "METRICS" and not argument.arguments
                metrics = list(queries.metrics) if every else queries.metrics_under(argument)
            elif (
                isinstance(node, Chain) and node.steps[0].operator == "/" and isinstance(node.steps[0].operand, Number)
            ):
                is_sum = isinstance(node.first, Chain) and all(step.operator == "+" for step in node.first.steps)
                metrics = queries.metrics_under(node.first) if is_sum else []
            if len(metrics) > 1 and all(one.is_percentile for one in metrics):
                message = f"the average of several {metrics[0].stat} is no {metrics[0].stat}: of 1 call of 10 s and 999 of 1 s it makes 5.5 s."
                hint = "Show the largest (MAX), or ask for one percentile of all calls under one dimension."
                yield at(message, entry.expression_path, span=(node.start, node.end), hint=hint)


CHECK = Check(name="average-of-percentiles", severity=Severity.BUG, title="An average of percentiles", find=_find)
