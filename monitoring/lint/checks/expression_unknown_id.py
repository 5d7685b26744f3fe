"""Where is there an expression that reads an id nobody has? What it does and why: docs/checks/expression-unknown-id.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity
from monitoring.lint.math_shapes import mistakes_of_kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    yield from mistakes_of_kind(world, "unknown-id")


CHECK = Check(
    name="expression-unknown-id", severity=Severity.BUG, title="An expression that reads an id nobody has", find=_find
)
