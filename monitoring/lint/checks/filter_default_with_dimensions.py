"""Where is there a default value together with dimensions? What it does and why: docs/checks/filter-default-with-dimensions.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for one in world.filters:
        for position, transformation in enumerate(one.transformations):
            if transformation.get("DefaultValue") is not None and transformation.get("Dimensions"):
                message = "a default value and dimensions exclude each other: PutMetricFilter refuses it."
                hint = "Remove DefaultValue, and write FILL(m, 0) where a gap hurts."
                yield one.found(message, path=("MetricTransformations", position, "DefaultValue"), hint=hint)


CHECK = Check(
    name="filter-default-with-dimensions",
    severity=Severity.BUG,
    title="A default value together with dimensions",
    find=_find,
)
