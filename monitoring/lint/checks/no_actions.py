"""Where is there an alarm that nobody hears? What it does and why: docs/checks/no-actions.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity
from monitoring.lint.known import flag, has_hole, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    shown = _shown(world)
    for alarm in world.every_alarm:
        properties = alarm.properties
        if has_hole(properties.get("AlarmActions")) or alarm.name in world.children or alarm.name in shown:
            continue
        enabled = flag(properties.get("ActionsEnabled"), default=True)
        if properties.get("AlarmActions") and enabled:
            continue
        why = "ActionsEnabled is false" if properties.get("AlarmActions") else "it has no AlarmActions"
        path = ("ActionsEnabled",) if properties.get("AlarmActions") else ()
        message = (
            f"{why}, no composite reads it and no dashboard shows it: it can be in ALARM for weeks and nobody hears."
        )
        yield alarm.found(message, path=path, hint="Send it to a topic, or take it into a composite.")


def _shown(world: World) -> set[str]:
    """Return the names of alarms that a dashboard of the files shows."""
    found = set()
    for dashboard in world.dashboards:
        for widget in dashboard.widgets:
            properties = widget.properties
            annotations = properties.get("annotations")
            alarms = texts(properties.get("alarms"))
            if isinstance(annotations, dict):
                alarms += texts(annotations.get("alarms"))
            found |= {arn.rpartition(":alarm:")[2] for arn in alarms}
    return found


CHECK = Check(name="no-actions", severity=Severity.RISK, title="An alarm that nobody hears", find=_find)
