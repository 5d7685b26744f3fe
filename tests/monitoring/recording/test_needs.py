"""What to ask for, and how far back it is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloudwatch.metric import Metric
from monitoring.recording.needs import Interval, Series, missing, needed_series, series_of, spans
from tests.monitoring.sample_plans import site_plan

NOW = 1_795_953_600
DAY = 86_400
METRIC = Metric(
    namespace="AWS/Bedrock",
    name="InvocationLatency",
    dimensions=(("ModelId", "m"),),
    region="eu-west-1",
    account_id="1",
)


def series(stat: str = "Sum", period_s: int = 60) -> Series:
    """One series."""
    return Series(metric=METRIC, stat=stat, period_s=period_s)


def test_a_key_reads_back() -> None:
    """The text of a series is that series."""
    assert series_of(series("p90", 300).key) == series("p90", 300)


def test_every_metric_of_an_alarm_is_a_statistic_set() -> None:
    """Four statistics a minute for each metric, with account and Region, each once."""
    found = needed_series(site_plan())
    assert len(set(found)) == len(found)
    metrics = {each.metric for each in found}
    assert all(metric.account_id == "111122223333" and metric.region == "us-east-1" for metric in metrics)
    for metric in metrics:
        stats = {each.stat for each in found if each.metric == metric and each.period_s == 60}
        assert {"SampleCount", "Sum", "Minimum", "Maximum"} <= stats


@pytest.mark.parametrize(
    ("stat", "period_s", "days", "expected"),
    [
        ("Sum", 60, 14, {60}),
        ("Sum", 60, 40, {60, 300}),
        ("Sum", 60, 100, {60, 300, 3600}),
        ("p90", 60, 40, {60}),
        ("p90", 300, 100, {300}),
        ("p90", 3600, 100, {3600}),
    ],
)
def test_periods_follow_retention(stat: str, period_s: int, days: int, expected: set[int]) -> None:
    """One minute for 15 days, five for 63, an hour beyond; a percentile only as far back as its period is kept."""
    found = list(spans(series(stat, period_s), (NOW - days * DAY, NOW), now_s=NOW))
    assert {period for _, period in found} == expected
    for (start, end), period in found:
        assert end - start <= DAY
        assert (start % period, end % period) == (0, 0)
        age = NOW - start
        assert age < {60: 15, 300: 63, 3600: 455}[period] * DAY


def test_spans_follow_each_other_without_a_hole() -> None:
    """Fifteen days of minutes are asked once each."""
    found = [interval for interval, _ in spans(series(), (NOW - 14 * DAY, NOW), now_s=NOW)]
    assert [start for start, _ in found[1:]] == [end for _, end in found[:-1]]
    assert (found[0][0], found[-1][1]) == (NOW - 14 * DAY, NOW)


intervals = st.tuples(st.integers(0, 60), st.integers(1, 30)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(wanted=intervals, covered=st.lists(intervals, max_size=6))
def test_missing_is_what_is_not_covered(wanted: Interval, covered: list[Interval]) -> None:
    """Second by second."""
    inside = {at for start, end in covered for at in range(start, end)}
    gaps = missing(wanted, covered)
    assert [at for start, end in gaps for at in range(start, end)] == [at for at in range(*wanted) if at not in inside]
