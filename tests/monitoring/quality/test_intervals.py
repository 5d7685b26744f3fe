"""Intervals hold against figures from elsewhere."""

from __future__ import annotations

import math

import pytest

from monitoring.quality.intervals import count_interval, quantile_interval, wilson


def test_wilson_of_a_known_example() -> None:
    """Nine of ten: 59.6 % to 98.2 %; of nothing, everything is possible."""
    assert wilson(9, 10) == pytest.approx((0.5958, 0.9821), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(100, 100)[1] == 1.0


@pytest.mark.parametrize(("events", "low", "high"), [(0, 0.0, 3.689), (5, 1.623, 11.668), (100, 81.36, 121.63)])
def test_counts_as_the_exact_poisson_interval(events: int, low: float, high: float) -> None:
    """Within two per cent of the exact limits."""
    found = count_interval(events, 1.0)
    assert found == pytest.approx((low, high), rel=0.02, abs=0.001)
    assert count_interval(events, 10.0) == pytest.approx((found[0] / 10, found[1] / 10))


def test_the_interval_of_a_median_holds_it() -> None:
    """The bootstrap interval of numbers in a row holds their median; of nothing there is none."""
    low, high = quantile_interval([float(value) for value in range(101)], 0.5)
    assert low < 50 < high
    assert high - low < 40
    assert all(math.isnan(edge) for edge in quantile_interval([], 0.5))
