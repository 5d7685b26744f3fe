"""Where is there an expression that is no metric math? What it does and why: docs/checks/expression-syntax.md."""

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
    yield from mistakes_of_kind(world, "syntax")


CHECK = Check(name="expression-syntax", severity=Severity.BUG, title="An expression that is no metric math", find=_find)
