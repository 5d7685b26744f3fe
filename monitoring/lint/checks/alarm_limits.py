"""Where is there an alarm beyond the limits of CloudWatch? What it does and why: docs/checks/alarm-limits.md."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cloudwatch import limits
from monitoring.lint.finding import Check, Severity
from monitoring.lint.known import has_hole, items, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def _find(world: World) -> Iterator[Found]:
    for alarm in world.every_alarm:
        name = text(alarm.properties.get("AlarmName"))
        if name is not None and not 1 <= len(name) <= limits.ALARM_NAME_LENGTH:
            message = f"the name has {len(name)} characters, CloudWatch takes 1 to {limits.ALARM_NAME_LENGTH}."
            yield alarm.found(message, path=("AlarmName",), hint="Shorten it.")
        if name is not None and _CONTROL.search(name):
            yield alarm.found("the name holds a control character.", path=("AlarmName",), hint="Remove it.")
        description = alarm.properties.get("AlarmDescription")
        if (
            isinstance(description, str)
            and not has_hole(description)
            and len(description) > limits.ALARM_DESCRIPTION_LENGTH
        ):
            message = f"the description has {len(description)} characters, CloudWatch takes {limits.ALARM_DESCRIPTION_LENGTH}."
            yield alarm.found(message, path=("AlarmDescription",), hint="Put the rest on the page it links to.")
        for state in ("AlarmActions", "OKActions", "InsufficientDataActions"):
            count = len(items(alarm.properties.get(state)))
            if count > limits.ACTIONS_PER_STATE:
                message = f"{count} actions for one state, CloudWatch takes {limits.ACTIONS_PER_STATE}."
                yield alarm.found(message, path=(state,), hint="Send several notifications through one topic.")
        if len(items(alarm.properties.get("Tags"))) > limits.TAGS:
            yield alarm.found(f"more than {limits.TAGS} tags.", path=("Tags",), hint="Remove some.")
    for alarm in world.alarms:
        for entry in alarm.queries.metrics:
            names = [name for name, _ in entry.dimensions or ()]
            if len(names) > limits.DIMENSIONS_PER_METRIC:
                message = f"{len(names)} dimensions, a metric has at most {limits.DIMENSIONS_PER_METRIC}."
                yield alarm.found(message, path=entry.paths["Dimensions"])
            elif len(set(names)) != len(names):
                message = "a dimension is given twice: PutMetricAlarm refuses it."
                yield alarm.found(message, path=entry.paths["Dimensions"], hint="Give each dimension once.")


CHECK = Check(name="alarm-limits", severity=Severity.BUG, title="An alarm beyond the limits of CloudWatch", find=_find)
