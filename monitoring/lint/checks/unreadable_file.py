"""Where is there a file that is no template, answer, plan, dashboard or configuration? What it does and why: docs/checks/unreadable-file.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:  # noqa: ARG001 - what cannot be read is no part of the world
    """Yield nothing: files that cannot be read are reported where they are read."""
    yield from ()


CHECK = Check(
    name="unreadable-file",
    severity=Severity.BUG,
    title="A file that is no template, answer, plan, dashboard or configuration",
    find=_find,
)
