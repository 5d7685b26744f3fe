"""Fragile verdicts: which alarm, when, under which switch."""

from __future__ import annotations

import numpy as np

from cloudwatch.alarm import Alarm, AlarmState, Comparison, CompositeAlarm, MetricAlarm, MissingData
from cloudwatch.fragility import fragile_verdicts
from cloudwatch.metric import Metric, MetricQuery
from cloudwatch.series import Samples
from cloudwatch.store import MetricStore
from cloudwatch.timeline import run_timeline

START = 1_793_527_200
METRIC = Metric(namespace="N", name="x")
A, O, I = AlarmState.ALARM, AlarmState.OK, AlarmState.INSUFFICIENT_DATA  # noqa: E741


def _alarm(treat: MissingData, *, n: int = 3) -> MetricAlarm:
    return MetricAlarm(
        name="a",
        queries=(MetricQuery(id="x", metric=METRIC, stat="Sum", period_s=60, return_data=True),),
        comparison=Comparison.GREATER,
        threshold=5.0,
        evaluation_periods=n,
        datapoints_to_alarm=n,
        treat_missing_data=treat,
    )


def test_a_lone_breach_depends_on_range_and_scope() -> None:
    """As it ages through the range: whether, and how long, it is an alarm is not documented."""
    store = MetricStore.of([(METRIC, Samples.of_values([START], [9.0]))])
    timeline = run_timeline([_alarm(MissingData.MISSING)], store=store, start=START, end=START + 480)
    fragility = fragile_verdicts(timeline)
    assert timeline.state_at("a", START + 240) is A
    assert [(verdict.switch, verdict.setting, verdict.other) for verdict in fragility.at("a", START + 240)] == [
        ("evaluation_range_extra", 0, I),
        ("premature_scope", "periods", O),
    ]
    assert fragility.at("a", START + 60) == ()
    assert [(verdict.at_s - START, verdict.setting) for verdict in fragility.verdicts("a")] == [
        (240, 0),
        (300, 1),
        (360, 3),
        (240, "periods"),
    ]


def test_without_gaps_nothing_is_fragile() -> None:
    """Every slot real: no open choice has a say."""
    stamps = START + 60 * np.arange(-10, 30)
    samples = Samples.of_values(stamps, np.where(stamps % 300 < 180, 9.0, 1.0))
    alarms: list[Alarm] = [_alarm(MissingData.MISSING), CompositeAlarm(name="c", rule="ALARM(a) AND NOT OK(a)")]
    timeline = run_timeline(alarms, store=MetricStore.of([(METRIC, samples)]), start=START, end=START + 1800)
    assert len(timeline.changes) > 4
    assert fragile_verdicts(timeline).others == {}


def test_a_composite_is_fragile_through_its_children_and_its_precedence() -> None:
    """Flat precedence changes an unparenthesised rule."""
    store = MetricStore.of([(METRIC, Samples.of_values(START + 60 * np.arange(5), [9.0] * 5))])
    alarms: list[Alarm] = [
        _alarm(MissingData.MISSING, n=1),
        CompositeAlarm(name="c", rule="ALARM(a) OR ALARM(a) AND OK(a)"),
    ]
    timeline = run_timeline(alarms, store=store, start=START, end=START + 300)
    verdicts = fragile_verdicts(timeline).verdicts()
    assert [(verdict.alarm, verdict.at_s - START, verdict.switch, verdict.other) for verdict in verdicts] == [
        ("c", 60, "composite_precedence", O)
    ]
