"""Alarms through time: against a slow evaluation of every minute by itself, and by example."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cloudwatch.alarm import (
    Alarm,
    AlarmState,
    Comparison,
    CompositeAlarm,
    LowSampleCount,
    MetricAlarm,
    MissingData,
    Suppressor,
)
from cloudwatch.alarm_states import SampleRule, evaluate_slots
from cloudwatch.evaluation_window import is_due, sliding_starts, wall_clock_slots, zone_for
from cloudwatch.math.program import Grid, compile_queries
from cloudwatch.metric import ExpressionQuery, Metric, MetricQuery, Query
from cloudwatch.mute_rules import MuteRule
from cloudwatch.problems import InvalidValueError, TextSyntaxError
from cloudwatch.series import GivenStatistic, Samples
from cloudwatch.stat import Plain
from cloudwatch.store import MetricStore
from cloudwatch.switches import Switches
from cloudwatch.timeline import Timeline, Why, run_timeline

START = 1_793_527_200  # Sunday 2026-11-01 10:00 UTC
A, O, I = AlarmState.ALARM, AlarmState.OK, AlarmState.INSUFFICIENT_DATA  # noqa: E741
X, Y = (Metric(namespace="N", name=name) for name in "xy")


def _alarm(name: str = "a", *, period_s: int = 60, expression: str | None = None, **changes: object) -> MetricAlarm:
    queries: tuple[Query, ...] = (
        MetricQuery(id="x", metric=X, stat="Sum", period_s=period_s, return_data=expression is None),
    )
    if expression is not None:
        second = MetricQuery(id="y", metric=Y, stat="Sum", period_s=period_s)
        queries = (*queries, second, ExpressionQuery(id="e", expression=expression, return_data=True))
    alarm = MetricAlarm(
        name=name,
        queries=queries,
        comparison=Comparison.GREATER,
        threshold=5.0,
        evaluation_periods=1,
        datapoints_to_alarm=1,
    )
    return replace(alarm, **changes)  # type: ignore[arg-type]


def _points(text: str, *, step_s: int = 60) -> Samples:
    """Return one sample a minute: `.` 1, `X` 9, `-` none."""
    stamps = [START + step_s * index for index, letter in enumerate(text) if letter != "-"]
    return Samples.of_values(stamps, [9.0 if letter == "X" else 1.0 for letter in text if letter != "-"])


def _run(alarms: list[Alarm], text: str, *, mute_rules: tuple[MuteRule, ...] = ()) -> Timeline:
    store = MetricStore.of([(X, _points(text))])
    return run_timeline(alarms, store=store, start=START, end=START + 60 * len(text), mute_rules=mute_rules)


def _wall_slowly(alarm: MetricAlarm, store: MetricStore, *, end: int) -> list[tuple[int, AlarmState]]:
    zone = zone_for(alarm.wall_clock_timezone or "UTC")
    state, states = I, []
    for at in range(START + 60, end + 1, 60):
        if not is_due(at, period_s=alarm.period_s, n=alarm.evaluation_periods):
            continue
        slots = wall_clock_slots(at, period_s=alarm.period_s, slots=alarm.evaluation_periods, zone=zone)
        values = [
            store.column(replace(alarm.metrics[0], period_s=ends - begins), starts=[begins], as_of=[at])[0]
            for begins, ends in slots
        ]
        state = evaluate_slots(
            [None if np.isnan(value) else bool(value > 5.0) for value in values],
            n=alarm.evaluation_periods,
            m=alarm.datapoints_to_alarm,
            treat=alarm.treat_missing_data,
            previous=state,
        ).state
        states.append((at, state))
    return states


@pytest.mark.parametrize("period_s", [60, 300, 3600, 86_400])
@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "America/New_York"])
def test_wall_clock_evaluations_equal_those_made_one_by_one(period_s: int, zone: str) -> None:
    """Over the end of daylight saving in New York, with gaps and late points, no slot beyond N."""
    rng = np.random.default_rng(period_s)
    stamps = START + 600 * np.arange(-400, 40)[rng.random(440) < 0.7]
    store = MetricStore.of(
        [(X, Samples.of_values(stamps, rng.integers(0, 9, len(stamps)).astype(float), available_at=stamps + 400))]
    )
    alarm = _alarm(
        period_s=period_s,
        evaluation_periods=2,
        treat_missing_data=MissingData.IGNORE,
        wall_clock_timezone=zone,
        threshold=5.0,
    )
    end = START + 4 * 3600
    timeline = run_timeline([alarm], store=store, start=START, end=end)
    slowly = _wall_slowly(alarm, store, end=end)
    assert [(at, timeline.state_at("a", at)) for at, _ in slowly] == slowly


def _letters(timeline: Timeline, alarm: str) -> str:
    return "".join("OAI"[code] for code in timeline.codes[alarm])


def _slowly(alarm: MetricAlarm, store: MetricStore, *, end: int, switches: Switches) -> list[tuple[int, AlarmState]]:
    """Return the state after every evaluation, each made by itself from one window."""
    program = compile_queries(alarm.queries)
    n, slots = alarm.evaluation_periods, alarm.evaluation_periods + switches.evaluation_range_extra
    state, states = I, []
    for at in range(START + 10, end + 1, 10):
        if not is_due(at, period_s=alarm.period_s, n=n):
            continue
        starts = np.array(sliding_starts(at, period_s=alarm.period_s, n=n, slots=slots), dtype=np.int64)
        columns = store.columns(program, starts=starts, as_of=np.int64(at), switches=switches)
        grid = Grid(timestamps=starts, period_s=alarm.period_s)
        values = program.evaluate(columns, grid=grid, switches=switches).single
        state = evaluate_slots(
            [None if np.isnan(value) else bool(value > 5.0) for value in values],
            n=n,
            m=alarm.datapoints_to_alarm,
            treat=alarm.treat_missing_data,
            previous=state,
            premature=switches.premature_scope,
        ).state
        states.append((at, state))
    return states


@given(
    st.sampled_from([10, 30, 60, 120, 300, 420]),
    st.sampled_from([None, "x+y", "IF(x>3,x,y)", "x/y", "FILL(x,REPEAT)", "RUNNING_SUM(x)/3", "SUM([x,y])"]),
    st.integers(1, 3),
    st.data(),
)
@settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.data_too_large])
def test_every_evaluation_equals_the_one_made_by_itself(
    period_s: int, expression: str | None, n: int, data: st.DataObject
) -> None:
    """Any period, expression, gap, lateness and treatment: the batch gives what single evaluations give."""
    minutes, step = (8, 10) if period_s < 60 else (40, 60)
    count = minutes * 60 // step
    rng = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    sources = []
    for metric in (X, Y):
        stamps = START + step * (np.arange(count) - 5)[rng.random(count) < data.draw(st.sampled_from([0.3, 0.8, 1.0]))]
        delay = data.draw(st.sampled_from([0, 60, 200])) * (
            rng.random(len(stamps)) < data.draw(st.sampled_from([0.1, 1.0]))
        )
        stamps = stamps + data.draw(st.sampled_from([0, step - 5]))
        values = rng.integers(0, 8, len(stamps)).astype(float)
        sources.append((metric, Samples.of_values(stamps, values, available_at=stamps + delay.astype(np.int64))))
    store = MetricStore.of(sources)
    alarm = _alarm(
        period_s=period_s,
        expression=expression,
        evaluation_periods=n,
        datapoints_to_alarm=data.draw(st.integers(1, n)),
        treat_missing_data=data.draw(st.sampled_from(MissingData)),
    )
    switches = Switches(
        evaluation_range_extra=data.draw(st.integers(0, 3)),
        premature_scope=data.draw(st.sampled_from(["range", "periods"])),
    )
    end = START + minutes * 60
    timeline = run_timeline([alarm], store=store, start=START, end=end, switches=switches)
    slowly = _slowly(alarm, store, end=end, switches=switches)
    assert [(at, timeline.state_at("a", at)) for at, _ in slowly] == slowly
    at, state = slowly[-1]
    window = timeline.window("a", at)
    assert window is not None
    assert (window.at_s, window.evaluation.state) == (at, state)


def test_alarms_are_created_without_data_and_evaluated_from_the_next_minute() -> None:
    """INSUFFICIENT_DATA at the start, then what the minute before says."""
    timeline = _run([_alarm()], "..XX..")
    assert _letters(timeline, "a") == "IOOAAOO"
    assert [(change.at_s - START, change.state) for change in timeline.changes] == [(60, O), (180, A), (300, O)]
    assert timeline.state_at("a", START + 239) is A


def test_a_late_point_counts_only_from_when_it_was_available() -> None:
    """Two minutes late: the alarm comes two minutes later, and evaluations in between saw nothing."""
    stamps = START + 60 * np.arange(6)
    samples = Samples.of_values(stamps, [1.0, 9.0, 1.0, 1.0, 1.0, 1.0], available_at=stamps + 180)
    timeline = run_timeline([_alarm()], store=MetricStore.of([(X, samples)]), start=START, end=START + 600)
    assert _letters(timeline, "a") == "IIIOAOOOOII"
    window = timeline.window("a", START + 240)
    assert window is not None
    assert window.values == (9.0, None, None)


def test_a_window_shows_every_step() -> None:
    """Slots, what each query gave in them, what was compared, and the outcome."""
    stamps = START + 60 * np.arange(4)
    store = MetricStore.of(
        [(X, Samples.of_values(stamps, [2.0, 4.0, 6.0, 8.0])), (Y, Samples.of_values(stamps[1:], [1.0, 0.0, 1.0]))]
    )
    alarm = _alarm(expression="x/y", evaluation_periods=2, datapoints_to_alarm=1)
    timeline = run_timeline([alarm], store=store, start=START, end=START + 240)
    window = timeline.window("a", START + 250 - 10)
    assert window is not None
    assert window.starts == tuple(START + second for second in (0, 60, 120, 180))
    assert window.steps == {"x": (2.0, 4.0, 6.0, 8.0), "y": (None, 1.0, 0.0, 1.0), "e": (None, 4.0, None, 8.0)}
    assert (window.values, window.breaching) == ((None, 4.0, None, 8.0), (None, False, None, True))
    assert (window.evaluation.used, window.evaluation.filled) == ((1, 3), 0)
    assert timeline.window("a", START) is None
    with pytest.raises(InvalidValueError, match="no metric alarm"):
        timeline.window("ghost", START)


def test_a_multi_day_alarm_evaluates_hourly() -> None:
    """At three past, from data up to the top of the hour."""
    alarm = _alarm(
        period_s=86_400,
        evaluation_periods=2,
        datapoints_to_alarm=2,
        treat_missing_data=MissingData.NOT_BREACHING,
    )
    store = MetricStore.of([(X, Samples.of_values([START + 1800, START + 3599], [1.0, 9.0]))])
    timeline = run_timeline([alarm], store=store, start=START, end=START + 4 * 3600)
    assert [(change.at_s - START, change.state) for change in timeline.changes] == [(180, O)]
    alarm = replace(alarm, datapoints_to_alarm=1)
    timeline = run_timeline([alarm], store=store, start=START, end=START + 4 * 3600)
    assert [(change.at_s - START, change.state) for change in timeline.changes] == [(180, O), (3780, A)]


def test_a_wall_clock_alarm_waits_for_the_hour_to_complete() -> None:
    """The breach at 10:05 counts from 11:00 to 12:00; a sliding window would see it at 10:06."""
    alarm = _alarm(period_s=3600, treat_missing_data=MissingData.NOT_BREACHING)
    store = MetricStore.of([(X, Samples.of_values([START + 300], [9.0]))])
    wall = replace(alarm, name="w", wall_clock_timezone="Europe/Berlin")
    timeline = run_timeline([alarm, wall], store=store, start=START, end=START + 10_800)
    changed = {name: [change.at_s - START for change in timeline.changes if change.alarm == name] for name in "aw"}
    assert changed["w"] == [60, 3600, 7200]
    assert changed["a"][1] == 360


def test_a_warm_up_holds_insufficient_data_until_the_window_is_full() -> None:
    """From the first data on for N periods; no action before."""
    alarm = _alarm(evaluation_periods=3, warm_up_min=60, alarm_actions=("arn:page",))
    timeline = _run([alarm], "--XXXXXX")
    assert _letters(timeline, "a") == "IIIIIAAAA"
    assert _letters(_run([replace(alarm, warm_up_min=4)], "--XXXXXX"), "a") == "IIIIAAAAA"
    assert [entry.at_s - START for entry in timeline.notifications] == [300]


def test_a_percentile_over_few_samples_keeps_the_state() -> None:
    """With `ignore`, p50 under 20 samples changes nothing."""
    query = MetricQuery(id="x", metric=X, stat="p50", period_s=60, return_data=True)
    alarm = replace(_alarm(), queries=(query,), low_sample_count=LowSampleCount.IGNORE)
    minutes = np.repeat(START + 60 * np.arange(3), [20, 19, 20])
    store = MetricStore.of([(X, Samples.of_values(minutes, np.repeat([9.0, 1.0, 1.0], [20, 19, 20])))])
    timeline = run_timeline([alarm], store=store, start=START, end=START + 180)
    assert _letters(timeline, "a") == "IAAO"
    assert timeline.readers["a"].sample_rule == SampleRule(needed=20)


def test_dynamodb_may_ignore_missing_data_whatever_the_alarm_says() -> None:
    """One page of the documentation says it always does: a switch."""
    metric = replace(X, namespace="AWS/DynamoDB")
    query = MetricQuery(id="x", metric=metric, stat="Sum", period_s=60, return_data=True)
    alarm = replace(_alarm(), queries=(query,), treat_missing_data=MissingData.NOT_BREACHING)
    store = MetricStore.of([(metric, _points("X-----"))])
    ends = {
        choice: run_timeline(
            [alarm], store=store, start=START, end=START + 360, switches=Switches(dynamodb_missing=choice)
        ).state_at("a", START + 360)
        for choice in ("override", "ignore")
    }
    assert ends == {"override": O, "ignore": A}


def test_a_band_alarm_compares_with_the_supplied_band() -> None:
    """Above the upper edge is an alarm, inside is not; the reason names the edge."""
    queries = (
        MetricQuery(id="x", metric=X, stat="Sum", period_s=60, return_data=True),
        ExpressionQuery(id="band", expression="ANOMALY_DETECTION_BAND(x, 2)", return_data=True),
    )
    alarm = replace(
        _alarm(), queries=queries, comparison=Comparison.ABOVE_BAND, threshold=None, threshold_metric_id="band"
    )
    stamps = START + 60 * np.arange(4)
    band = tuple(
        GivenStatistic.of_points(stamps + 30, values, stat=Plain.AVERAGE, period_s=60)
        for values in ([0.0] * 4, [5.0, 5.0, 10.0, 5.0])
    )
    store = MetricStore.of([(X, _points(".XX."))])
    timeline = run_timeline([alarm], store=store, start=START, end=START + 240, supplied={"band": band})
    assert _letters(timeline, "a") == "IOAOO"
    assert "was greater than the upper thresholds [5.0]" in timeline.reason_at("a", START + 120)


def test_composites_follow_their_children_in_the_same_minute() -> None:
    """In any order of definition; the first evaluation is OK or ALARM; the trigger is the child that changed."""
    top = CompositeAlarm(name="top", rule="ALARM(mid)")
    mid = CompositeAlarm(name="mid", rule='ALARM("a") AND NOT ALARM(b)')
    timeline = _run([top, mid, _alarm(), _alarm("b", threshold=100.0)], "..X.")
    assert (_letters(timeline, "mid"), _letters(timeline, "top")) == ("IOOAO", "IOOAO")
    assert [change.alarm for change in timeline.changes if change.at_s == START + 180] == ["a", "mid", "top"]
    assert timeline.triggers_at("mid", START + 180) == ("a",)
    assert timeline.reason_at("top", START + 180) == (
        "mid transitioned to ALARM at Sunday 01 November, 2026 10:03:00 UTC"
    )


def test_a_suppressor_holds_back_the_page_and_not_the_state() -> None:
    """The composite waits two minutes; the suppressor, in ALARM by then, swallows the page until it recovers."""
    page = CompositeAlarm(
        name="page",
        rule="ALARM(a)",
        suppressor=Suppressor(alarm="slow", wait_s=120, extension_s=60),
        alarm_actions=("arn:page",),
    )
    slow = _alarm("slow", evaluation_periods=2, datapoints_to_alarm=2)
    timeline = _run([_alarm(), slow, page], "..XXXX......")
    assert _letters(timeline, "page") == "IOOAAAAOOOOOO"
    assert timeline.notifications == ()
    brief = _run([_alarm(), slow, page], "..X-........")
    assert [(entry.at_s - START, entry.state, entry.why) for entry in brief.notifications] == [(300, A, Why.CHANGE)]


def test_actions_run_on_changes_only_and_only_where_there_are_some() -> None:
    """Each state has its own list; disabled actions run nothing."""
    alarm = _alarm(alarm_actions=("arn:1", "arn:2"), ok_actions=("arn:3",))
    timeline = _run([alarm], ".XX.")
    assert [(entry.at_s - START, entry.actions) for entry in timeline.notifications] == [
        (60, ("arn:3",)),
        (120, ("arn:1", "arn:2")),
        (240, ("arn:3",)),
    ]
    assert _run([replace(alarm, actions_enabled=False)], ".XX.").notifications == ()


def test_a_mute_rule_defers_the_page_to_the_end_of_its_window() -> None:
    """Muted from 10:02 to 10:05: the page of 10:03 comes at 10:05; the state changed on time."""
    rule = MuteRule(name="r", expression="cron(2 10 * * *)", duration="PT3M", alarms=("a",))
    timeline = _run([_alarm(alarm_actions=("arn:page",))], "..XXXX", mute_rules=(rule,))
    assert [(entry.at_s - START, entry.why) for entry in timeline.notifications] == [(300, Why.MUTE_ENDED)]
    assert timeline.state_at("a", START + 180) is A


def test_reasons_come_from_the_last_change() -> None:
    """Creation first, then the sentence of the evaluation that changed the state."""
    timeline = _run([_alarm()], ".XX")
    assert timeline.reason_at("a", START) == "Unchecked: Initial alarm creation"
    expected = (
        "Threshold Crossed: 1 out of the last 1 datapoints [9.0 (01/11/26 10:01:00)] was greater than the threshold (5.0) "
        "(minimum 1 datapoint for OK -> ALARM transition)."
    )
    assert {timeline.reason_at("a", START + second) for second in (120, 180)} == {expected}


@pytest.mark.parametrize(
    ("alarms", "message"),
    [
        ([_alarm(), _alarm()], "occurs twice"),
        ([CompositeAlarm(name="c", rule="ALARM(ghost)")], "not given: ghost"),
        ([CompositeAlarm(name="c", rule="ALARM(d)"), CompositeAlarm(name="d", rule="OK(c)")], "circle"),
        ([_alarm(expression="x +")], "a: e: "),
        ([_alarm(warm_up_min=2881)], "a: WarmUpPeriod 2881"),
        ([_alarm(wall_clock_timezone="Mars/Olympus")], "a: Timezone"),
        ([_alarm(), CompositeAlarm(name="c", rule="ALARM(a")], "c: "),
    ],
)
def test_what_cannot_be_evaluated_is_refused_by_name(alarms: list[Alarm], message: str) -> None:
    """Twice the same name, unknown children, circles, wrong expressions and rules."""
    with pytest.raises(InvalidValueError, match=message):
        _run(alarms, "...")


@pytest.mark.parametrize("threshold", [float("nan"), float("inf"), float("-inf")])
def test_a_threshold_is_a_finite_number(threshold: float) -> None:
    """An alarm that no point, or every point, breaches by construction is a slip of whoever computed the threshold."""
    with pytest.raises(InvalidValueError, match=r"a: the threshold .* is no finite number"):
        replace(_alarm(), threshold=threshold)


@pytest.mark.parametrize("start", [-60, 253_370_764_800])
def test_times_outside_the_calendar_are_refused(start: int) -> None:
    """A mistyped year is told in words, before windows of local days run out of dates."""
    with pytest.raises(InvalidValueError, match="1970 to 9998"):
        run_timeline([_alarm()], store=MetricStore.of([]), start=start, end=start + 60)


def test_a_wrong_rule_keeps_its_place() -> None:
    """The error of a rule is a syntax error with an offset into the rule."""
    with pytest.raises(TextSyntaxError) as caught:
        _run([_alarm(), CompositeAlarm(name="c", rule="ALARM(a")], "...")
    assert caught.value.start == 7
