"""Where is there a recovery that wakes somebody? What it does and why: docs/checks/ok-action-to-pager.md."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from monitoring.lint.alarm_view import AlarmView
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.other_views import CompositeView
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_PAGER = re.compile(r"pag(er|ing|e\b)|on-?call|pagerduty|opsgenie|victorops|wake", re.IGNORECASE)
_QUICK_S = 300


def _find(world: World) -> Iterator[Found]:
    for alarm in world.every_alarm:
        why = _noise(alarm)
        if why is None:
            continue
        paged = {action for _, action in alarm.actions("AlarmActions")}
        for path, action in alarm.actions("OKActions"):
            topic = action.rpartition(":")[2]
            if action in paged and ":sns:" in action and _PAGER.search(topic.replace("_", "-")):
                message = f"the recovery goes to {topic[:60]} too, and {why}."
                hint = "Hold the alarm longer (a larger N with the same M), or send recoveries to a quiet topic."
                yield alarm.found(message, path=path, hint=hint)


def _noise(alarm: AlarmView | CompositeView) -> str | None:
    """Return why recoveries of the alarm are noise; None where they only close what was opened, as most pagers want it."""
    if not isinstance(alarm, AlarmView):
        if "ActionsSuppressor" in alarm.properties:
            return "its suppressor can hold back the ALARM before it: a recovery of what nobody was told"
        return None
    period_s, periods = alarm.period_s, alarm.periods
    if period_s is None or periods is None:
        return None
    clears_s = (periods - (alarm.datapoints or periods) + 1) * period_s
    if clears_s >= _QUICK_S:
        return None
    return f"the alarm can clear after {clears_s:g} s: each time it flaps, who was woken is woken again to hear that it is over"


CHECK = Check(name="ok-action-to-pager", severity=Severity.STYLE, title="A recovery that wakes somebody", find=_find)
