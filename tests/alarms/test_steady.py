"""A missed objective is a ticket once, not each time that traffic falls under what can be judged, or chance turns it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from alarms.alarm_set import AlarmSet, Severity
from alarms.measures import lasting
from alarms.speed import latency_objective
from bedrock.models import Objectives
from cloudwatch.alarm import AlarmState, CompositeAlarm
from cloudwatch.timeline import run_timeline
from tests.alarms.incidents import calls
from tests.alarms.samples import STANDARD, alarms_of, evidence_for
from tests.alarms.telemetry import EPOCH, Minute, changed, rows_of, span, store_of

BATCH = replace(
    STANDARD,
    streaming_share=0,
    requests_per_minute=20,
    objectives=Objectives(latency_p90_ms=12_000),
    prompt_caching=False,
)
SLOW = changed(calls=10, latency_ms=20_000, ttft_ms=None)
FINE = replace(SLOW, latency_ms=5000)
FEW = replace(SLOW, calls=1)


def tickets(alarms: AlarmSet, minutes: dict[int, Minute], *, hours: int) -> list[int]:
    """Return the minutes after the epoch at which a ticket was written."""
    line = run_timeline(
        [entry.alarm for entry in alarms],
        store=store_of(rows_of(BATCH, evidence=evidence_for(BATCH), minutes=minutes)),
        start=EPOCH,
        end=EPOCH + 3600 * hours,
    )
    entry = alarms.get("request-shape")
    assert entry is not None
    runs = line.action_log(entry.alarm.name).runs
    return [(run.at_s - EPOCH) // 60 for run in runs if run.state is AlarmState.ALARM]


def cycles(first: Minute, second: Minute, *, hours: int) -> dict[int, Minute]:
    """Return an hour of one kind and an hour of the other by turns."""
    found: dict[int, Minute] = {}
    for hour in range(hours):
        found |= span(60 * hour, 60 * (hour + 1), second if hour % 2 else first)
    return found


@pytest.mark.parametrize("pause", [FEW, FINE], ids=["too few calls to judge", "within the objective"])
def test_an_objective_that_is_missed_by_turns_is_a_few_tickets(pause: Minute) -> None:
    """Twelve turns in a day: tickets until a fifth of half a day was missed, then none."""
    found = tickets(alarms_of(BATCH), cycles(SLOW, pause, hours=24), hours=24)
    assert 1 <= len(found) <= 3
    assert max(found) < 6 * 60


def test_without_the_memory_every_turn_is_a_ticket() -> None:
    """What the memory is for: the same day without it."""
    alarms = alarms_of(BATCH)
    entries = []
    for entry in alarms:
        alarm = entry.alarm
        if entry.slug == "request-shape":
            assert isinstance(alarm, CompositeAlarm)
            alarm = replace(alarm, suppressor=None)
        entries.append(replace(entry, alarm=alarm))
    found = tickets(replace(alarms, entries=tuple(entries)), cycles(SLOW, FEW, hours=24), hours=24)
    assert len(found) >= 10


def test_a_change_after_a_quiet_day_is_a_ticket_again() -> None:
    """The memory ends half a day after."""
    minutes = span(0, 6 * 60, SLOW) | span(6 * 60, 24 * 60, FINE) | span(24 * 60, 27 * 60, SLOW)
    found = tickets(alarms_of(BATCH), minutes, hours=27)
    assert len(found) == 2
    assert found[0] < 60
    assert 24 * 60 < found[1] < 25 * 60


def test_a_single_miss_in_a_quiet_hour_is_no_ticket() -> None:
    """The ticket waits ten minutes, on a model that does not stream too."""
    alarms = alarms_of(BATCH)
    assert calls(alarms, {"latency-objective": (3600, 3600 + 540)}, severity=Severity.TICKET) == []
    assert calls(alarms, {"latency-objective": (3600, 3600 + 660)}, severity=Severity.TICKET) == [
        (3600 + 600, "request-shape")
    ]


def test_the_memory_needs_more_than_the_symptom() -> None:
    """It never goes off with the symptom: both would be silent then."""
    symptom = latency_objective(BATCH)
    (memory,) = lasting(symptom, slug="latency-objective-held", window_s=3600, share=0.01)
    assert memory.cadence.datapoints_to_alarm == symptom[0].cadence.datapoints_to_alarm + 1
    (long,) = lasting(symptom, slug="latency-objective-held", window_s=43_200, share=0.2)
    assert long.cadence.evaluation_periods * long.cadence.period_s == 43_200
    assert long.cadence.datapoints_to_alarm == -(-long.cadence.evaluation_periods // 5)
