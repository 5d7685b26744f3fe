"""Fragile verdicts: which alarm, when, under which switch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cloudwatch.alarm import Alarm, AlarmState, Comparison, CompositeAlarm, LowSampleCount, MetricAlarm, MissingData
from cloudwatch.fragility import fragile_verdicts
from cloudwatch.metric import ExpressionQuery, Metric, MetricQuery
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


def _switches(alarm: MetricAlarm, samples: Samples) -> set[str]:
    store = MetricStore.of([(METRIC, samples)])
    timeline = run_timeline([alarm], store=store, start=START, end=START + 300)
    return {switch for switch, _ in fragile_verdicts(timeline).others}


def test_each_open_choice_is_tried_where_it_has_a_say() -> None:
    """Percentiles, few samples, scalars beside gaps: each named by its switch."""
    full = np.repeat(START + 60 * np.arange(5), 2)
    median = MetricQuery(id="x", metric=METRIC, stat="p50", period_s=60, return_data=True)
    alarm = replace(_alarm(MissingData.MISSING, n=1), queries=(median,))
    samples = Samples.of_values(full, np.tile([4.0, 8.0], 5))
    assert _switches(alarm, samples) == {"percentile"}
    ignoring = replace(alarm, low_sample_count=LowSampleCount.IGNORE, evaluation_periods=2, datapoints_to_alarm=1)
    many = Samples.of_values(np.repeat(START + 60 * np.arange(5), 12), np.full(60, 9.0))  # 12 a period, 24 a window
    assert _switches(ignoring, many) == {"low_sample_window"}
    queries = (
        replace(median, stat="Sum", return_data=False),
        ExpressionQuery(id="e", expression="x + 9", return_data=True),
    )
    scalar = replace(alarm, queries=queries, treat_missing_data=MissingData.NOT_BREACHING)
    assert "scalar_missing" in _switches(scalar, Samples.of_values([START - 600], [1.0]))
