"""Where is there streaming calls that leave two CloudTrail records? What it does and why: docs/checks/filter-streaming-double-count.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.patterns.nodes import Comparison, Glob, JsonPattern, Selector, Text
from monitoring.lint.checks.filter_not_equal_on_absent_field import _comparisons
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_STREAMING = ("ConverseStream", "InvokeModelWithResponseStream")


def _last(part: Comparison) -> object:
    return part.subject.steps[-1] if isinstance(part.subject, Selector) and part.subject.steps else ""


def _find(world: World) -> Iterator[Found]:
    for one in world.filters:
        if not isinstance(one.pattern, JsonPattern):
            continue
        parts = list(_comparisons(one.pattern.condition))
        if any(_last(part) in {"eventType", "errorCode"} for part in parts):
            continue
        for part in parts:
            value = part.operand.text if isinstance(part.operand, Text | Glob) else ""
            if _last(part) == "eventName" and (value in _STREAMING or value in {"Converse*", "InvokeModel*"}):
                message = "a streaming call can leave two records with this eventName, an AwsApiCall and an AwsServiceEvent: it counts twice."
                hint = 'Add && ($.eventType = "AwsApiCall").'
                yield one.found(message, path=("FilterPattern",), span=(part.start, part.end), hint=hint)
                break


CHECK = Check(
    name="filter-streaming-double-count",
    severity=Severity.RISK,
    title="Streaming calls that leave two CloudTrail records",
    find=_find,
)
