"""Where is there a composite over an alarm that is not there? What it does and why: docs/checks/composite-unknown-child.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.alarm_rule import referenced_name
from monitoring.lint.finding import Check, Severity
from monitoring.lint.known import has_hole
from monitoring.lint.suggest import closest_of_many

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    known = world.alarms_by_name
    by_start: dict[str, list[str]] = {}
    for name in known:
        by_start.setdefault(name[:4].lower(), []).append(name)
    logical = {alarm.subject.identity: alarm.name for alarm in world.every_alarm}
    for one in world.composites:
        for child in one.children:
            name = referenced_name(child)
            if name in known or has_hole(name):
                continue
            close = closest_of_many(name, by_start)
            start = (one.rule_text or "").find(child)
            span = (start, start + len(child)) if start >= 0 else None
            message = f"no alarm {name[:80]} is in the files given; if there is none in the account either, the deployment fails."
            hint = f"Did you mean {close}?" if close else "Deploy it before, or give its file to lint too."
            if name in logical:
                message = (
                    f"{name[:80]} is a logical id; a rule names alarms by AlarmName, and there is none of that name."
                )
                hint = f"Did you mean {logical[name][:80]}? Or write !Sub with ${{{name[:80]}}}."
            yield one.found(message, path=("AlarmRule",), span=span, hint=hint)


CHECK = Check(
    name="composite-unknown-child",
    severity=Severity.RISK,
    title="A composite over an alarm that is not there",
    find=_find,
)
