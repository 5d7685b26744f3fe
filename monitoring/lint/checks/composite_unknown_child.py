"""A composite over an alarm that is not there."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from cloudwatch.alarm_rule import referenced_name
from monitoring.lint.finding import Check, Severity
from monitoring.lint.known import has_hole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    names = [alarm.name for alarm in world.every_alarm]
    known = set(names)
    logical = {alarm.subject.identity: alarm.name for alarm in world.every_alarm}
    for one in world.composites:
        for child in one.children:
            name = referenced_name(child)
            if name in known or has_hole(name):
                continue
            close = get_close_matches(name[:100], names[:1000], n=1, cutoff=0.7)
            start = (one.rule_text or "").find(child)
            span = (start, start + len(child)) if start >= 0 else None
            message = f"no alarm {name[:80]} is in the files given; if there is none in the account either, the deployment fails."
            hint = f"Did you mean {close[0]}?" if close else "Deploy it before, or give its file to lint too."
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
