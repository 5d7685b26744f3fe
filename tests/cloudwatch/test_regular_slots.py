"""The quick way of reading plain statistics gives the numbers of the general one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloudwatch.regular_slots import regular_statistic
from cloudwatch.series import GivenStatistic, Samples, SampleSource
from cloudwatch.stat import Plain
from cloudwatch.statistics import aggregate


@given(
    there=st.lists(st.booleans(), max_size=30),
    stat=st.sampled_from(Plain),
    period_s=st.sampled_from([60, 120, 300]),
    first=st.integers(-3, 3),
    count=st.integers(1, 25),
    given_points=st.booleans(),
    seen_after_s=st.sampled_from([None, 0, 60, 150, 400]),
)
@settings(max_examples=120, derandomize=True)
def test_it_equals_the_general_way(
    *,
    there: list[bool],
    stat: Plain,
    period_s: int,
    first: int,
    count: int,
    given_points: bool,
    seen_after_s: int | None,
) -> None:
    """Gaps, edges, every plain statistic, samples within the minute, periods of several steps, rows not yet available."""
    stamps = 6000 + 60 * np.flatnonzero(there) + (0 if given_points else np.arange(sum(there)) % 60)
    values = (np.arange(len(stamps)) * 7 % 11).astype(float)
    available = stamps + np.arange(len(stamps)) * 37 % 200
    source: SampleSource = Samples.of_values(
        stamps, values, counts=np.arange(len(stamps)) % 3 + 1, available_at=available
    )
    if given_points:
        source = GivenStatistic.of_points(stamps, values, stat=stat, period_s=60, available_at=available)
    starts = 6000 + 60 * (first + np.arange(count))
    got = regular_statistic(
        source,
        stat=stat,
        period_s=period_s,
        first_s=int(starts[0]),
        step_s=60,
        count=count,
        seen_after_s=seen_after_s,
    )
    as_of = None if seen_after_s is None else starts + seen_after_s
    if got is None:
        assert given_points
        assert stat is Plain.AVERAGE
    else:
        np.testing.assert_array_equal(got, aggregate(source, stat=stat, period_s=period_s, starts=starts, as_of=as_of))


@pytest.mark.parametrize(
    ("source", "stat", "period_s"),
    [
        (Samples.of_values([0, 30], [1.0, 2.0]), Plain.SUM, 60),
        (Samples.of_values([0, 60], [1.0, 2.0]), Plain.SUM, 90),
        (Samples.of_values([0, 60], [1.0, 2.0]), Plain.SUM, 3600),
        (GivenStatistic.of_points([0, 60], [1.0, 2.0], stat=Plain.SUM, period_s=60), Plain.MAXIMUM, 60),
    ],
)
def test_it_declines_what_it_cannot_read(source: SampleSource, stat: Plain, period_s: int) -> None:
    """Two rows in a step, a period that is no multiple, a long one, another statistic: the general way answers."""
    assert regular_statistic(source, stat=stat, period_s=period_s, first_s=0, step_s=60, count=5) is None
