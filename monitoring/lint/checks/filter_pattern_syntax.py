"""Where is there a filter pattern that CloudWatch Logs refuses? What it does and why: docs/checks/filter-pattern-syntax.md."""

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
        if one.mistake is not None:
            wrong = one.mistake
            span = (wrong.start, max(wrong.end, wrong.start + 1))
            message = (
                f"in the filter pattern, {wrong.message[:1].lower()}{wrong.message[1:]}: PutMetricFilter refuses it."
            )
            yield one.found(message, path=("FilterPattern",), span=span, hint=wrong.hint)


CHECK = Check(
    name="filter-pattern-syntax",
    severity=Severity.BUG,
    title="A filter pattern that CloudWatch Logs refuses",
    find=_find,
)
