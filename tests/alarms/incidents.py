"""What would be called if symptoms changed state so? Composites and suppressors of an alarm set run through time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alarms.alarm_set import AlarmSet, Role, Severity
from alarms.policy import base_slug
from cloudwatch.alarm import AlarmState, CompositeAlarm, MetricAlarm
from cloudwatch.alarm_rule import parse_rule
from cloudwatch.composites import composite_transitions
from cloudwatch.suppression import run_actions

if TYPE_CHECKING:
    from collections.abc import Mapping

Changes = list[tuple[int, AlarmState]]
END_S = 6 * 3600


def symptom_changes(alarms: AlarmSet, spans: Mapping[str, tuple[int, int]]) -> dict[str, Changes]:
    """Return the changes of every metric alarm: in ALARM over the span of its slug, else OK."""
    changes: dict[str, Changes] = {}
    for entry in alarms:
        if isinstance(entry.alarm, MetricAlarm):
            span = spans.get(base_slug(entry.slug))
            started = [(0, AlarmState.OK)]
            changes[entry.alarm.name] = (
                [*started, (span[0], AlarmState.ALARM), (span[1], AlarmState.OK)] if span else started
            )
    return changes


def calls(
    alarms: AlarmSet, spans: Mapping[str, tuple[int, int]], *, severity: Severity = Severity.PAGE
) -> list[tuple[int, str]]:
    """Return what calls people with that severity: second and slug, in order."""
    changes = symptom_changes(alarms, spans)
    found: list[tuple[int, str]] = []
    for entry in alarms:
        alarm = entry.alarm
        if isinstance(alarm, CompositeAlarm):
            transitions = composite_transitions(parse_rule(alarm.rule), changes, created_s=0)
            changes[alarm.name] = [(change.at_s, change.state) for change in transitions]
            held = alarm.suppressor
            log = run_actions(
                changes[alarm.name],
                until_s=END_S,
                suppressor=None if held is None else changes[held.alarm],
                wait_s=held.wait_s if held else 0,
                extension_s=held.extension_s if held else 0,
            )
            runs = [(run.at_s, run.state) for run in log.runs]
        else:
            runs = changes[alarm.name]
        if entry.role is Role.CAUSE and entry.severity is severity:
            found += [(at, entry.slug) for at, state in runs if state is AlarmState.ALARM]
    return sorted(found)


def states_at(alarms: AlarmSet, spans: Mapping[str, tuple[int, int]], at_s: int) -> dict[str, AlarmState]:
    """Return the state of every alarm by slug."""
    changes = symptom_changes(alarms, spans)
    states: dict[str, AlarmState] = {}
    for entry in alarms:
        if isinstance(entry.alarm, CompositeAlarm):
            transitions = composite_transitions(parse_rule(entry.alarm.rule), changes, created_s=0)
            changes[entry.alarm.name] = [(change.at_s, change.state) for change in transitions]
        states[entry.slug] = [state for at, state in changes[entry.alarm.name] if at <= at_s][-1]
    return states
