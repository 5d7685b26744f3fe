"""Where is there a metric value or dimension that is no field of the pattern? What it does and why: docs/checks/filter-value.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.patterns import TextPattern, compile_value
from cloudwatch.patterns.operands import number_in
from cloudwatch.problems import InvalidValueError
from monitoring.lint.finding import Check, Severity
from monitoring.lint.known import items, mapping, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.subjects import Path_
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for one in world.filters:
        for position, transformation in enumerate(one.transformations):
            path = ("MetricTransformations", position)
            value = text(transformation.get("MetricValue"))
            if value is not None and not value.startswith("$") and (number_in(value) is None or len(value) > 100):
                message = f"the metric value {value[:40]!r} is neither a number nor a field: nothing is published."
                yield one.found(message, path=(*path, "MetricValue"), hint="Write 1, $.field or $name.")
            if one.pattern is None:
                continue
            selectors: list[tuple[Path_, str | None]] = []
            if value is not None and value.startswith("$"):
                selectors.append(((*path, "MetricValue"), value))
            for index, pair in enumerate(items(transformation.get("Dimensions"))):
                selectors.append(((*path, "Dimensions", index, "Value"), text(mapping(pair).get("Value"))))
            for place, selector in selectors:
                if selector is None:
                    continue
                if isinstance(one.pattern, TextPattern):
                    message = (
                        f"a text pattern has no fields, so {selector[:60]} is nothing: PutMetricFilter refuses it."
                    )
                    yield one.found(message, path=place, hint="Use a JSON or a space-delimited pattern.")
                    continue
                try:
                    compile_value(one.pattern, selector)
                except InvalidValueError as wrong:
                    yield one.found(
                        f"{wrong}: PutMetricFilter refuses it.", path=place, hint="Name a field of the pattern."
                    )


CHECK = Check(
    name="filter-value",
    severity=Severity.BUG,
    title="A metric value or dimension that is no field of the pattern",
    find=_find,
)
