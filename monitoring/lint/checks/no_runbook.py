"""Where is there a page without a link to what to do? What it does and why: docs/checks/no-runbook.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity
from monitoring.lint.known import has_hole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for alarm in world.every_alarm:
        description = alarm.properties.get("AlarmDescription")
        if not alarm.acts or has_hole(description) or has_hole(alarm.properties.get("AlarmActions")):
            continue
        if not any("sns" in action or "${" in action for _, action in alarm.actions("AlarmActions")):
            continue
        words = description if isinstance(description, str) else ""
        if "http://" not in words and "https://" not in words:
            message = "its description holds no link: who is woken has to find out alone what to do."
            path = ("AlarmDescription",) if words else ()
            yield alarm.found(message, path=path, hint="Put the address of the runbook into AlarmDescription.")


CHECK = Check(name="no-runbook", severity=Severity.STYLE, title="A page without a link to what to do", find=_find)
