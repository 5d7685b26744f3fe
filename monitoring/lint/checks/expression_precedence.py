"""Where is there an expression whose order of operators is not documented? What it does and why: docs/checks/expression-precedence.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.math.ast import Chain, Negative, walk
from monitoring.lint.finding import Check, Severity
from monitoring.lint.math_shapes import expressions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _parenthesised(chain: Chain) -> bool:
    return chain.start < chain.first.start


def _find(world: World) -> Iterator[Found]:
    for _, entry, tree, at in expressions(world):
        for node in walk(tree):
            message = None
            match node:
                case Negative(operand=Chain(steps=steps) as power) if steps[0].operator == "^" and not _parenthesised(
                    power
                ):
                    message = "whether - or ^ binds closer is not documented; this is read as -(a ^ b)."
                case Chain(steps=steps) if steps[0].operator == "OR":
                    sides = [
                        side for side in (node.first, *(step.operand for step in steps)) if isinstance(side, Chain)
                    ]
                    if any(side.steps[0].operator == "AND" and not _parenthesised(side) for side in sides):
                        message = "whether AND or OR binds closer is not documented; this is read with AND first."
                case _:
                    pass
            if message:
                span = (node.start, node.end)
                yield at(message, entry.expression_path, span=span, hint="Write the parentheses.")


CHECK = Check(
    name="expression-precedence",
    severity=Severity.STYLE,
    title="An expression whose order of operators is not documented",
    find=_find,
)
