"""Statistics of samples over aligned and sliding slots, against a slow second implementation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloudwatch.problems import InvalidValueError
from cloudwatch.series import GivenStatistic, Samples, merge_samples
from cloudwatch.stat import Plain, parse_stat
from cloudwatch.statistics import aggregate, sample_counts
from cloudwatch.switches import Switches

LINEAR = Switches(percentile="linear")
STATS = [
    "SampleCount",
    "Sum",
    "Average",
    "Minimum",
    "Maximum",
    "p50",
    "p90",
    "TC(2:7)",
    "TM(2:)",
    "TS(:5)",
    "PR(1:6)",
    "WM(3:8)",
]

data = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 9), st.integers(1, 3), st.integers(0, 15)), min_size=1, max_size=30
)


def slowly(stat: str, samples: list[float]) -> float:
    """Return a statistic of the single values, the obvious way; percentiles by nearest rank."""
    ordered = sorted(samples)
    if not ordered:
        return math.nan
    simple = {"SampleCount": len(ordered), "Sum": sum(ordered), "Average": sum(ordered) / len(ordered)}
    simple |= {"Minimum": ordered[0], "Maximum": ordered[-1]}
    if stat in simple:
        return simple[stat]
    if stat.startswith("p"):
        return ordered[max(math.ceil(len(ordered) * int(stat[1:]) / 100) - 1, 0)]
    kind, low_text, high_text = stat[:2], *stat[3:-1].split(":")
    low, high = float(low_text or "-inf"), float(high_text or "inf")
    inside = [value for value in ordered if low < value <= high]
    if kind == "WM":
        return sum(min(max(value, low), high) for value in ordered) / len(ordered)
    return {
        "TC": len(inside),
        "TS": sum(inside),
        "TM": sum(inside) / len(inside) if inside else math.nan,
        "PR": 100 * len(inside) / len(ordered),
    }[kind]


@given(rows=data, period=st.integers(1, 6), stat=st.sampled_from(STATS), clock=st.one_of(st.none(), st.integers(0, 40)))
def test_each_slot_has_the_statistic_of_the_samples_it_sees(
    rows: list[tuple[int, int, int, int]], period: int, stat: str, clock: int | None
) -> None:
    """Any period, overlapping slots, values with counts, data that arrives late and out of order."""
    times, values, counts, delays = (list(column) for column in zip(*rows, strict=True))
    samples = Samples.of_values(times, values, counts=counts, available_at=np.add(times, delays))
    starts = np.arange(-2, 24)
    got = aggregate(samples, stat=parse_stat(stat), period_s=period, starts=starts, as_of=clock)
    for start, found in zip(starts, got, strict=True):
        seen = [
            float(value)
            for time, value, count, delay in rows
            for _ in range(count)
            if start <= time < start + period and (clock is None or time + delay <= clock)
        ]
        assert found == pytest.approx(slowly(stat, seen), nan_ok=True)


def test_slots_may_have_two_dimensions_and_a_clock_for_each_row() -> None:
    """An alarm asks for a window of slots at every minute, each evaluation with its own clock."""
    samples = Samples.of_values([0, 60, 120], [1, 2, 4], available_at=[0, 200, 120])
    clocks = np.array([120, 180, 240])
    starts = clocks[:, None] - 60 * np.arange(1, 4)
    got = aggregate(samples, stat=Plain.SUM, period_s=60, starts=starts, as_of=clocks[:, None])
    np.testing.assert_array_equal(got, [[np.nan, 1, np.nan], [4, np.nan, 1], [np.nan, 4, 2]])


@pytest.mark.parametrize(
    ("row", "available"),
    [((1, 5, 5, 5), True), ((4, 20, 5, 5), True), ((4, 12, 1, 5), False), ((2, -4, -2, -2), False)],
)
def test_a_statistic_set_answers_percentiles_only_when_it_stands_for_one_value(
    row: tuple[float, float, float, float], *, available: bool
) -> None:
    """SampleCount, Sum, Minimum, Maximum of one set beside a single value in the same slot."""
    count, total, low, high = ([number] for number in row)
    samples = merge_samples(
        [Samples.of_sets([1], counts=count, sums=total, minima=low, maxima=high), Samples.of_values([2], [5])]
    )
    found = aggregate(samples, stat=parse_stat("p50"), period_s=60, starts=[0])
    assert np.isnan(found[0]) == (not available)
    assert aggregate(samples, stat=Plain.SUM, period_s=60, starts=[0])[0] == row[1] + 5


@pytest.mark.parametrize(
    ("stat", "switches", "expected"),
    [
        ("p50", Switches(), 2.0),
        ("p50.1", Switches(), 3.0),
        ("p0", Switches(), 1.0),
        ("p100", Switches(), 4.0),
        ("wm50", Switches(), 1.75),
        ("p50", LINEAR, 2.5),
        ("p0", LINEAR, 1.0),
        ("p100", LINEAR, 4.0),
        ("wm50", LINEAR, 2.0),
        ("TC(25%:75%)", Switches(), 2.0),
        ("TC(:10%)", Switches(), 0.4),
        ("IQM", Switches(), 2.5),
    ],
)
def test_percentages_cut_the_ordered_samples(stat: str, switches: Switches, expected: float) -> None:
    """1, 2, 3, 4, by nearest rank and interpolated."""
    samples = Samples.of_values([0, 0, 0, 0], [4, 2, 3, 1])
    found = aggregate(samples, stat=parse_stat(stat), period_s=60, starts=[0], switches=switches)
    assert found[0] == pytest.approx(expected)


def test_p99_is_the_largest_of_the_remaining_99_percent() -> None:
    """The sentence of the page on percentiles against trimmed means."""
    samples = Samples.of_values(np.zeros(1000, dtype=int), np.arange(1.0, 1001.0))
    assert aggregate(samples, stat=parse_stat("p99"), period_s=60, starts=[0])[0] == 990
    assert aggregate(samples, stat=parse_stat("tm99"), period_s=60, starts=[0])[0] == pytest.approx(495.5)


def test_trimmed_sum_is_trimmed_mean_times_trimmed_count() -> None:
    """TS = TM * TC, as the page on statistics states."""
    samples = Samples.of_values(np.zeros(97, dtype=int), np.arange(97) ** 2)
    tm, tc, ts = (
        aggregate(samples, stat=parse_stat(f"{kind}(12.5%:91%)"), period_s=60, starts=[0])[0]
        for kind in ("TM", "TC", "TS")
    )
    assert ts == pytest.approx(tm * tc)


def test_sums_do_not_depend_on_what_lies_before_the_slot() -> None:
    """A huge value leaves no rounding behind in later slots."""
    samples = Samples.of_values([0, 60, 120], [1e30, 0.1, 0.2])
    np.testing.assert_array_equal(
        aggregate(samples, stat=Plain.SUM, period_s=60, starts=[0, 60, 120, 180]), [1e30, 0.1, 0.2, np.nan]
    )


def test_a_given_statistic_answers_itself_and_what_follows_from_it() -> None:
    """Sums of minutes give sums of five minutes; averages of minutes do not give averages."""
    minutes = np.arange(0, 600, 60)
    sums = GivenStatistic.of_points(minutes, np.arange(10.0), stat=Plain.SUM, period_s=60)
    np.testing.assert_array_equal(aggregate(sums, stat=Plain.SUM, period_s=300, starts=[0, 60, 600]), [10, 15, np.nan])
    averages = GivenStatistic.of_points(minutes, np.arange(10.0), stat=Plain.AVERAGE, period_s=60)
    with pytest.raises(InvalidValueError, match="Average over 300 s cannot be derived from Average over 60 s"):
        aggregate(averages, stat=Plain.AVERAGE, period_s=300, starts=[0])
    for period in (30, 90):
        with pytest.raises(InvalidValueError, match=f"Sum over {period} s cannot be derived from Sum over 60 s"):
            aggregate(sums, stat=Plain.SUM, period_s=period, starts=[0])
    with pytest.raises(InvalidValueError, match="p90 cannot be derived: only Sum over 60 s is known"):
        aggregate(sums, stat=parse_stat("p90"), period_s=60, starts=[0])


def test_an_unexplained_statistic_is_not_computed() -> None:
    """The API takes it, but no page says what it is."""
    with pytest.raises(InvalidValueError, match="no page says"):
        aggregate(Samples.of_values([0], [1]), stat=parse_stat("p90_H"), period_s=60, starts=[0])


@pytest.mark.parametrize(
    "broken",
    [
        {"values": [math.nan]},
        {"values": [math.inf]},
        {"values": [2.0**361]},
        {"values": [1, 2]},
        {"counts": [0]},
        {"timestamps": [0.5]},
        {"available_at": [-1]},
    ],
    ids=str,
)
def test_what_cloudwatch_refuses_never_becomes_a_sample(broken: dict[str, Any]) -> None:
    """NaN inside means a missing point and nothing else, so it stops at the border."""
    good: dict[str, Any] = {"timestamps": [0], "values": [1]}
    Samples.of_values(**good)
    with pytest.raises(InvalidValueError):
        Samples.of_values(**(good | broken))


def test_no_samples_is_no_points() -> None:
    """An empty metric has gaps only, and a sample count of 0."""
    nothing = Samples.of_values([], [])
    assert np.isnan(aggregate(nothing, stat=parse_stat("p90"), period_s=60, starts=[0, 60])).all()
    np.testing.assert_array_equal(sample_counts(nothing, period_s=60, starts=[0, 60]), [0, 0])
