"""How sure is a figure? 95 % intervals: Wilson for shares, Byar for counts over a length, bootstrap for medians."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["count_interval", "quantile_interval", "wilson"]

_Z = 1.959964
_RESAMPLES = 1000


def wilson(hits: int, of: int) -> tuple[float, float]:
    """Return the Wilson score interval of a share, fractions; 0 to 1 of nothing."""
    if of == 0:
        return 0.0, 1.0
    share = hits / of
    middle = (share + _Z**2 / (2 * of)) / (1 + _Z**2 / of)
    half = _Z * math.sqrt(share * (1 - share) / of + _Z**2 / (4 * of**2)) / (1 + _Z**2 / of)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def count_interval(events: int, length: float) -> tuple[float, float]:
    """Return the interval of a rate of independent events over a length (Byar's approximation of the exact Poisson one)."""
    above = events + 1
    high = above * (1 - 1 / (9 * above) + _Z / (3 * math.sqrt(above))) ** 3
    low = events * (1 - 1 / (9 * events) - _Z / (3 * math.sqrt(events))) ** 3 if events else 0.0
    return low / length, high / length


def quantile_interval(values: Sequence[float], quantile: float, *, seed: int = 0) -> tuple[float, float]:
    """Return the bootstrap interval of a quantile; not a number where there are no values."""
    if not values:
        return math.nan, math.nan
    data = np.asarray(values, dtype=np.float64)
    rng = np.random.default_rng(seed)
    draws = np.quantile(data[rng.integers(0, len(data), (_RESAMPLES, len(data)))], quantile, axis=1)
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(low), float(high)
