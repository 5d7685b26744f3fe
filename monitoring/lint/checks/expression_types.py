"""Where is there an unknown function, or an argument of the wrong type? What it does and why: docs/checks/expression-types.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.math.functions import Type
from monitoring.lint.finding import Check, Severity
from monitoring.lint.math_shapes import mistakes_of_kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    yield from mistakes_of_kind(world, "type")
    for alarm in world.alarms:
        result = alarm.result
        if (
            result is None
            or result.is_metric
            or result.expression is None
            or result.expression.lstrip()[:6].upper() == "SELECT"
        ):
            continue
        kind = alarm.queries.type_of(result.id)
        if kind is Type.ARRAY and "SEARCH" not in result.expression:
            message = "the result is an array of series, and an alarm watches one: PutMetricAlarm refuses it."
            yield alarm.found(
                message, path=result.expression_path, hint="Combine the series, for example with SUM or MAX."
            )
        elif kind is Type.SCALAR:
            message = "the result is one number, not a series: PutMetricAlarm refuses it."
            yield alarm.found(
                message, path=result.expression_path, hint="Let a metric take part, or write TIME_SERIES(...)."
            )


CHECK = Check(
    name="expression-types",
    severity=Severity.BUG,
    title="An unknown function, or an argument of the wrong type",
    find=_find,
)
