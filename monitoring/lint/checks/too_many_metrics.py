"""Where is there more metrics or expressions than one alarm takes? What it does and why: docs/checks/too-many-metrics.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch import limits
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        metrics = [entry for entry in alarm.entries if entry.is_metric]
        others = [entry for entry in alarm.entries if not entry.is_metric]
        for kind, entries, most in (
            ("metrics", metrics, limits.METRICS_PER_ALARM),
            ("expressions", others, limits.EXPRESSIONS_PER_ALARM),
        ):
            if len(entries) > most:
                message = f"{len(entries)} {kind}, an alarm takes {most}: PutMetricAlarm refuses it."
                yield alarm.found(
                    message, path=entries[most].path, hint="Split it over several alarms and a composite."
                )
        for entry in others:
            length = len(entry.expression or "")
            if length > limits.EXPRESSION_LENGTH:
                message = f"the expression has {length} characters, CloudWatch takes {limits.EXPRESSION_LENGTH}."
                yield alarm.found(message, path=entry.expression_path, hint="Split it over several entries.")


CHECK = Check(
    name="too-many-metrics", severity=Severity.BUG, title="More metrics or expressions than one alarm takes", find=_find
)
