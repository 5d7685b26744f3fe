"""Where is there `!=` on a field that may be absent? What it does and why: docs/checks/filter-not-equal-on-absent-field.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.patterns.nodes import All, Any, Comparison, Condition, Is, JsonPattern, NotExists, Operator, Selector
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_ALWAYS_THERE = {
    "eventName",
    "eventSource",
    "eventType",
    "eventVersion",
    "eventTime",
    "awsRegion",
    "eventID",
    "sourceIPAddress",
}
_ALWAYS_INSIDE = {("userIdentity", "type")}


def _find(world: World) -> Iterator[Found]:
    for one in world.filters:
        if not isinstance(one.pattern, JsonPattern):
            continue
        settled = _settled(one.pattern.condition)
        for part in _comparisons(one.pattern.condition):
            subject = part.subject
            if part.operator is not Operator.NOT_EQUAL or not isinstance(subject, Selector) or subject in settled:
                continue
            steps = tuple(step for step in subject.steps if isinstance(step, str))
            if steps[-1:] and ((steps[-1] in _ALWAYS_THERE and len(steps) <= 2) or steps[-2:] in _ALWAYS_INSIDE):
                continue
            field = f"$.{'.'.join(map(str, steps))}"
            message = f"a record without {field} does not match !=, so it is not counted, though it has not that value either."
            hint = f"Write ({field} NOT EXISTS) || ({field} != ...), or {field} = * to say that it must be there."
            yield one.found(message, path=("FilterPattern",), span=(part.start, part.end), hint=hint)


def _comparisons(condition: Condition) -> Iterator[Comparison]:
    if isinstance(condition, Comparison):
        yield condition
    elif isinstance(condition, All | Any):
        for part in condition.parts:
            yield from _comparisons(part)


def _settled(condition: Condition) -> set[object]:
    """Return the fields whose absence the pattern speaks of already, or that it wants to be there."""
    if isinstance(condition, NotExists | Is):
        return {condition.subject}
    if isinstance(condition, Comparison):
        return {condition.subject} if condition.operator is Operator.EQUAL else set()
    return set().union(*(_settled(part) for part in condition.parts))


CHECK = Check(
    name="filter-not-equal-on-absent-field",
    severity=Severity.RISK,
    title="`!=` on a field that may be absent",
    find=_find,
)
