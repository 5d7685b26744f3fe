"""Where is there a topic of another Region? What it does and why: docs/checks/action-other-region.md."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_ARN = re.compile(r"arn:[a-z-]+:(sns|lambda|ssm|ssm-incidents|autoscaling):([a-z]{2}-[a-z-]+-\d):")


def _find(world: World) -> Iterator[Found]:
    for alarm in world.every_alarm:
        regions = [
            (path, action, found[2], found[1]) for path, action in alarm.actions() if (found := _ARN.match(action))
        ]
        home = alarm.subject.region
        if home is None or "${" in home:
            home = regions[0][2] if regions else None
        for path, action, region, service in regions:
            if region != home and service == "sns":
                where = f"the alarm in {home}" if alarm.subject.region else f"another action in {home}"
                message = f"{action.rpartition(':')[2][:60]} is in {region}, {where}: an alarm reaches topics of its own Region only, and the action fails in silence."
                yield alarm.found(message, path=path, hint="Take a topic of the alarm's Region.")


CHECK = Check(name="action-other-region", severity=Severity.BUG, title="A topic of another Region", find=_find)
