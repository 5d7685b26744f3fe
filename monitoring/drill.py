"""Which alarms prove that each severity reaches somebody? One alarm for each path, chosen so that a drill harms nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from alarms.alarm_set import AlarmEntry, Role, Severity
from cloudwatch.alarm import MetricAlarm

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["DrillStep", "drill_reason", "drill_steps"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillStep:
    """One alarm to set to ALARM.

    Attributes:
        severity: The path that it proves.
        alarm: Its AlarmName.
        composite: A composite keeps the state that is set until a child changes, so a drill has to set it back.
        topic_arns: Where its ALARM action goes.
        wait_s: How long its suppressor delays the action, seconds.
    """

    severity: Severity
    alarm: str
    composite: bool
    topic_arns: tuple[str, ...]
    wait_s: int


def drill_steps(
    entries: Iterable[AlarmEntry], *, severities: Iterable[Severity] = tuple(Severity)
) -> tuple[DrillStep, ...]:
    """Return one step for each severity that has an alarm with actions, in the order page, ticket, note.

    A metric alarm is preferred (its next evaluation undoes the drill), then a composite without a suppressor.
    """
    steps = []
    candidates = [entry for entry in entries if entry.role is Role.CAUSE and entry.alarm.alarm_actions]
    for severity in severities:
        fitting = [entry for entry in candidates if entry.severity is severity]
        if fitting:
            steps.append(_step(min(fitting, key=_harm), severity=severity))
    return tuple(steps)


def drill_reason(step: DrillStep, *, mark: str) -> str:
    """Return the state reason that whoever is paged reads first."""
    return f"FIRE DRILL {mark}: this tests the {step.severity} path of bedrock-monitor. Nothing is wrong, do nothing."


def _harm(entry: AlarmEntry) -> tuple[int, str]:
    alarm = entry.alarm
    if isinstance(alarm, MetricAlarm):
        return 0, alarm.name
    return (1 if alarm.suppressor is None else 2), alarm.name


def _step(entry: AlarmEntry, *, severity: Severity) -> DrillStep:
    alarm = entry.alarm
    suppressor = None if isinstance(alarm, MetricAlarm) else alarm.suppressor
    return DrillStep(
        severity=severity,
        alarm=alarm.name,
        composite=not isinstance(alarm, MetricAlarm),
        topic_arns=alarm.alarm_actions,
        wait_s=0 if suppressor is None else suppressor.wait_s,
    )
