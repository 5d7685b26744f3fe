"""Where is there a recovery that wakes somebody? What it does and why: docs/checks/ok-action-to-pager.md."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_PAGER = re.compile(r"pag(er|ing|e\b)|on-?call|pagerduty|opsgenie|victorops|wake", re.IGNORECASE)


def _find(world: World) -> Iterator[Found]:
    for alarm in world.every_alarm:
        paged = {action for _, action in alarm.actions("AlarmActions")}
        for path, action in alarm.actions("OKActions"):
            topic = action.rpartition(":")[2]
            if action in paged and ":sns:" in action and _PAGER.search(topic.replace("_", "-")):
                message = f"the recovery goes to {topic[:60]} too: who was woken by the alarm is woken again to hear that it is over."
                yield alarm.found(
                    message, path=path, hint="Send recoveries to a quiet topic, if the pager does not close by itself."
                )


CHECK = Check(name="ok-action-to-pager", severity=Severity.STYLE, title="A recovery that wakes somebody", find=_find)
