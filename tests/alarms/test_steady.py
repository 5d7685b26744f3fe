"""A missed objective is a ticket once, not each time that traffic falls under what can be judged, or chance turns it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from alarms.alarm_set import AlarmSet, Severity
from bedrock.models import AlarmOverride, Objectives
from cloudwatch.alarm import AlarmState, CompositeAlarm, MetricAlarm
from cloudwatch.metric import ExpressionQuery
from cloudwatch.timeline import run_timeline
from tests.alarms.incidents import calls
from tests.alarms.samples import STANDARD, alarms_of, aliased, evidence_for, overridden
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
    """Twelve turns in a day: tickets until the memory has enough of them, then none."""
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


def test_the_memory_reads_what_the_symptom_reads() -> None:
    """The same periods and guard, half the share: it cannot go off where the symptom is not judged, and hold back the first word."""
    symptom = alarms_of(BATCH).get("latency-objective")
    memory = alarms_of(BATCH).get("objective-held")
    assert symptom is not None
    assert memory is not None
    assert isinstance(symptom.alarm, MetricAlarm)
    assert isinstance(memory.alarm, MetricAlarm)
    assert memory.alarm.period_s == symptom.alarm.period_s == 300
    assert memory.alarm.evaluation_periods == 144
    assert memory.alarm.datapoints_to_alarm == 24  # half of 3 in 9
    assert isinstance(memory.alarm.returned, ExpressionQuery)
    assert ">=20," in memory.alarm.returned.expression


@pytest.mark.parametrize("count", [1, 3])
def test_the_memory_compares_each_id_with_each_objective(count: int) -> None:
    """Ten metrics hold two ids with both objectives; more are split, and any group remembers."""
    alarms = alarms_of(aliased(STANDARD, count))
    memories = [entry for entry in alarms if entry.slug.startswith("objective-held")]
    assert len(memories) == (1 if count == 1 else 2)
    expressions = [
        query.expression
        for entry in memories
        if isinstance(entry.alarm, MetricAlarm)
        for query in entry.alarm.queries
        if isinstance(query, ExpressionQuery)
    ]
    for goal in ("1500", "12000"):
        assert sum(text.count(f"/{goal}") for text in expressions) == count
    assert (alarms.get("shape-known") is not None) is (count > 1)


def test_an_asked_threshold_is_remembered_by_it() -> None:
    """The memory compares with what the symptom compares with."""
    model = overridden(BATCH, latency_objective=AlarmOverride(threshold=9000))
    memory = alarms_of(model).get("objective-held")
    assert memory is not None
    assert isinstance(memory.alarm, MetricAlarm)
    assert isinstance(memory.alarm.returned, ExpressionQuery)
    assert "/9000" in memory.alarm.returned.expression


def test_without_an_objective_there_is_nothing_to_remember() -> None:
    """No alarm that nobody reads."""
    assert alarms_of(replace(STANDARD, objectives=Objectives())).get("objective-held") is None
