"""Where is there SEARCH in an alarm? What it does and why: docs/checks/search-in-alarm.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.math.ast import Call, walk
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        for entry, tree in alarm.queries.trees:
            for node in walk(tree):
                if isinstance(node, Call) and node.function == "SEARCH":
                    message = "an alarm cannot use SEARCH: PutMetricAlarm refuses it."
                    hint = "Name the metrics, or alarm on a Metrics Insights query (SELECT ...)."
                    yield alarm.found(message, path=entry.expression_path, span=(node.start, node.end), hint=hint)


CHECK = Check(name="search-in-alarm", severity=Severity.BUG, title="SEARCH in an alarm", find=_find)
