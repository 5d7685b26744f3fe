"""What does a statistic over a period give for these samples?

`aggregate` answers for any list of slots, aligned or sliding by the minute (User Guide, CloudWatch statistics definitions):

* SampleCount, Sum, Minimum and Maximum combine rows; Average is Sum / SampleCount.
* The percentile family needs the single values of the slot. A statistic set stands for its value when minimum and maximum are
  equal and the sum agrees; another one, or a negative value, leaves the slot without a point.
* `TM`, `TC`, `TS`, `WM` between values take samples above the lower bound up to and including the upper one; `PR` is their share
  in percent. Between percentages they take the part of the ordered samples between those ranks, an end sample in part, so TC
  may be fractional; WM sets the samples outside to the percentiles at the ends. TS = TM * TC.
* A slot without samples has no point: NaN, which means nothing else. An empty range has TC 0, TS 0 and no TM.

A percentile is the largest of the samples that remain below it (nearest rank), as the page says of p99; it gives no formula, so
there is a switch, `Switches.percentile`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, assert_never, cast

import numpy as np

from cloudwatch.problems import InvalidValueError
from cloudwatch.series import GivenStatistic, Samples
from cloudwatch.stat import (
    OpaqueStat,
    Percentile,
    PercentileRank,
    PercentRange,
    Plain,
    Stat,
    TrimKind,
    Trimmed,
    ValueRange,
    print_stat,
)
from cloudwatch.switches import DEFAULT_SWITCHES, Switches

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from cloudwatch.series import SampleSource

__all__ = ["aggregate", "percentile_available", "sample_counts"]

_EXPANDED_ROWS = 2_000_000  # rows held at a time while slots are ordered; bounds memory, not results


def aggregate(
    samples: SampleSource,
    *,
    stat: Stat,
    period_s: int,
    starts: ArrayLike,
    as_of: ArrayLike | None = None,
    switches: Switches = DEFAULT_SWITCHES,
) -> NDArray[np.float64]:
    """Return one statistic for each slot [start, start + period_s).

    Args:
        samples: What is known of the metric.
        stat: The statistic.
        period_s: Length of a slot, seconds.
        starts: Epoch seconds, any shape and order; slots may overlap.
        as_of: Epoch seconds, broadcast against `starts`: only rows available by then count. None sees every row.
        switches: Only `percentile` matters.

    Returns:
        float64 in the shape of `starts` (and `as_of`); NaN where there is no point.

    Raises:
        InvalidValueError: The statistic cannot be derived from what is given, or nobody documents it.
    """
    if isinstance(stat, OpaqueStat):
        raise InvalidValueError(f"Statistic {stat.text}: CloudWatch takes it, no page says what it is")
    view = _view(samples, period_s=period_s, starts=starts, as_of=as_of)
    if isinstance(samples, GivenStatistic):
        return _of_given(samples, view, stat=stat, period_s=period_s)
    if isinstance(stat, Plain):
        return _of_rows(samples, view, stat=stat)
    return _of_values(samples, view, stat=stat, switches=switches)


def sample_counts(
    samples: SampleSource, *, period_s: int, starts: ArrayLike, as_of: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Return the number of samples in each slot, 0 where there are none: what a low-sample percentile is judged by.

    Raises:
        InvalidValueError: Only another statistic is known.
    """
    counted = aggregate(samples, stat=Plain.SAMPLE_COUNT, period_s=period_s, starts=starts, as_of=as_of)
    return np.nan_to_num(counted, nan=0.0)


def percentile_available(samples: Samples) -> NDArray[np.bool_]:
    """Tell for each row whether CloudWatch could compute a percentile from it alone."""
    one_value = (samples.minima == samples.maxima) & (samples.sums == samples.minima * samples.counts)
    return cast("NDArray[np.bool_]", one_value & (samples.minima >= 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """Which rows each slot sees: `rows[low:high]`, or the rows themselves where `rows` is None."""

    shape: tuple[int, ...]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    rows: NDArray[np.int64] | None

    def take(self, column: NDArray[np.float64]) -> NDArray[np.float64]:
        return column if self.rows is None else column[self.rows]


def _view(samples: SampleSource, *, period_s: int, starts: ArrayLike, as_of: ArrayLike | None) -> _View:
    first = np.asarray(starts, dtype=np.int64)
    if as_of is not None:
        first, seen = np.broadcast_arrays(first, np.asarray(as_of, dtype=np.int64))
    flat = first.reshape(-1)
    low = np.searchsorted(samples.timestamps, flat, side="left")
    high = np.searchsorted(samples.timestamps, flat + period_s, side="left")
    if as_of is None:
        return _View(shape=first.shape, low=low, high=high, rows=None)
    available, clock = samples.available_at, seen.reshape(-1)
    if np.all(available[1:] >= available[:-1]):
        # Rows become visible in their own order: each slot sees a prefix of its rows.
        high = np.maximum(low, np.minimum(high, np.searchsorted(available, clock, side="right")))
        return _View(shape=first.shape, low=low, high=high, rows=None)
    slot, rows = _expand(low, high)
    visible = available[rows] <= clock[slot]
    slot, rows = slot[visible], rows[visible]
    ends = np.searchsorted(slot, np.arange(len(flat) + 1), side="left")
    return _View(shape=first.shape, low=ends[:-1], high=ends[1:], rows=rows)


def _expand(low: NDArray[np.int64], high: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for ranges low:high, the number of the range and the index of each element in them."""
    lengths = high - low
    slot = np.repeat(np.arange(len(low)), lengths)
    offset = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return slot, low[slot] + offset


def _reduce(operation: np.ufunc, column: NDArray[np.float64], view: _View) -> NDArray[np.float64]:
    """Reduce each range; NaN for an empty one.

    reduceat on (low, high) pairs adds up each range by itself: no running total, whose rounding would depend on what came before.
    """
    taken = view.take(column)
    if not len(taken) or not len(view.low):
        return np.full(view.shape, np.nan)
    padded = np.append(taken, 0.0)
    pairs = np.empty(2 * len(view.low), dtype=np.int64)
    pairs[0::2], pairs[1::2] = view.low, view.high
    reduced = np.asarray(operation.reduceat(padded, pairs)[0::2], dtype=np.float64)
    reduced[view.low >= view.high] = np.nan
    return reduced.reshape(view.shape)


def _of_rows(samples: Samples, view: _View, *, stat: Plain) -> NDArray[np.float64]:
    match stat:
        case Plain.SAMPLE_COUNT:
            return _reduce(np.add, samples.counts, view)
        case Plain.SUM:
            return _reduce(np.add, samples.sums, view)
        case Plain.MINIMUM:
            return _reduce(np.minimum, samples.minima, view)
        case Plain.MAXIMUM:
            return _reduce(np.maximum, samples.maxima, view)
        case Plain.AVERAGE:
            return _reduce(np.add, samples.sums, view) / _reduce(np.add, samples.counts, view)
        case _:
            assert_never(stat)


def _of_given(given: GivenStatistic, view: _View, *, stat: Stat, period_s: int) -> NDArray[np.float64]:
    if stat != given.stat:
        raise InvalidValueError(
            f"{print_stat(stat)} cannot be derived: only {print_stat(given.stat)} over {given.period_s} s is known"
        )
    adds_up = isinstance(stat, Plain) and stat is not Plain.AVERAGE and period_s % given.period_s == 0
    if period_s != given.period_s and not adds_up:
        raise InvalidValueError(
            f"{print_stat(stat)} over {period_s} s cannot be derived from {print_stat(stat)} over {given.period_s} s"
        )
    operation = {Plain.MINIMUM: np.minimum, Plain.MAXIMUM: np.maximum}.get(stat) if isinstance(stat, Plain) else None
    return _reduce(operation or np.add, given.values, view)


def _of_values(
    samples: Samples, view: _View, *, stat: Percentile | Trimmed | PercentileRank, switches: Switches
) -> NDArray[np.float64]:
    usable = percentile_available(samples).astype(np.float64)
    complete = _reduce(np.minimum, usable, view).reshape(-1) > 0  # NaN, an empty slot, is not above 0
    slots = np.flatnonzero(complete)
    # Minute by minute an evaluation asks for the same ranges again: each is ordered once.
    ranges = np.stack([view.low[slots], view.high[slots]], axis=1)
    distinct, where = np.unique(ranges, axis=0, return_inverse=True)
    values, counts = view.take(samples.minima), view.take(samples.counts)
    found = np.empty(len(distinct))
    for begin, end in _chunks(distinct[:, 1] - distinct[:, 0]):
        slot, rows = _expand(distinct[begin:end, 0], distinct[begin:end, 1])
        order = np.lexsort((values[rows], slot))
        rows = rows[order]
        ordered = _Ordered.of(slot, values[rows], counts[rows], slots=end - begin)
        found[begin:end] = ordered.answer(stat, switches=switches)
    result = np.full(len(view.low), np.nan)
    result[slots] = found[where.reshape(-1)]
    return result.reshape(view.shape)


def _chunks(lengths: NDArray[np.int64]) -> list[tuple[int, int]]:
    if not len(lengths):
        return []
    group = np.cumsum(lengths) // _EXPANDED_ROWS
    cuts = [0, *(np.flatnonzero(np.diff(group)) + 1).tolist(), len(lengths)]
    return list(pairwise(cuts))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ordered:
    """Samples of several slots, ordered by slot and value; every slot has at least one."""

    slot: NDArray[np.int64]
    values: NDArray[np.float64]
    counts: NDArray[np.float64]
    above: NDArray[np.float64]  # samples of the slot up to and including this row
    first: NDArray[np.int64]  # row where each slot begins
    total: NDArray[np.float64]  # samples of each slot

    @classmethod
    def of(
        cls, slot: NDArray[np.int64], values: NDArray[np.float64], counts: NDArray[np.float64], *, slots: int
    ) -> _Ordered:
        first = np.searchsorted(slot, np.arange(slots), side="left")
        running = np.cumsum(counts)
        before = running[first] - counts[first]
        above = running - before[slot]
        last = np.append(first[1:], len(slot)) - 1
        return cls(slot=slot, values=values, counts=counts, above=above, first=first, total=above[last])

    def answer(self, stat: Percentile | Trimmed | PercentileRank, *, switches: Switches) -> NDArray[np.float64]:
        match stat:
            case Percentile(percent=percent):
                return self.percentile(float(percent) / 100.0, switches=switches)
            case PercentileRank(bounds=bounds):
                share = self.total_of(self.inside(bounds)) / self.total
                return 100.0 * share
            case Trimmed(kind=kind, bounds=bounds):
                return self.trimmed(kind, bounds, switches=switches)
            case _:
                assert_never(stat)

    def total_of(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.add.reduceat(weights, self.first), dtype=np.float64)

    def inside(self, bounds: PercentRange | ValueRange) -> NDArray[np.float64]:
        """Return how many samples of each row lie in the range."""
        if isinstance(bounds, PercentRange):
            total = self.total[self.slot]
            low, high = total * (float(bounds.lower) / 100.0), total * (float(bounds.upper) / 100.0)
            part = np.minimum(self.above, high) - np.maximum(self.above - self.counts, low)
            return cast("NDArray[np.float64]", np.maximum(0.0, part))
        low_value = -np.inf if bounds.lower is None else float(bounds.lower)
        high_value = np.inf if bounds.upper is None else float(bounds.upper)
        return np.where((self.values > low_value) & (self.values <= high_value), self.counts, 0.0)

    def trimmed(self, kind: TrimKind, bounds: PercentRange | ValueRange, *, switches: Switches) -> NDArray[np.float64]:
        if kind is TrimKind.WINSORIZED_MEAN:
            low, high = self.edges(bounds, switches=switches)
            clipped = np.minimum(np.maximum(self.values, low), high)
            return self.total_of(clipped * self.counts) / self.total
        weights = self.inside(bounds)
        count, total = self.total_of(weights), self.total_of(weights * self.values)
        match kind:
            case TrimKind.COUNT:
                return count
            case TrimKind.SUM:
                return total
            case TrimKind.MEAN:
                return cast("NDArray[np.float64]", np.where(count > 0, total / np.where(count > 0, count, 1.0), np.nan))
            case _:
                assert_never(kind)

    def edges(
        self, bounds: PercentRange | ValueRange, *, switches: Switches
    ) -> tuple[float | NDArray[np.float64], float | NDArray[np.float64]]:
        if isinstance(bounds, PercentRange):
            low = self.percentile(float(bounds.lower) / 100.0, switches=switches)
            high = self.percentile(float(bounds.upper) / 100.0, switches=switches)
            return low[self.slot], high[self.slot]
        return (
            -np.inf if bounds.lower is None else float(bounds.lower),
            np.inf if bounds.upper is None else float(bounds.upper),
        )

    def percentile(self, share: float, *, switches: Switches) -> NDArray[np.float64]:
        if switches.percentile == "nearest_rank":
            return self.at(np.maximum(np.ceil(self.total * share - 1e-9) - 1.0, 0.0))
        position = np.maximum(self.total - 1.0, 0.0) * share
        below = np.floor(position + 1e-9)
        part = np.maximum(position - below, 0.0)
        low, high = self.at(below), self.at(np.minimum(below + 1.0, np.maximum(self.total - 1.0, 0.0)))
        return np.where(part > 0, low + (high - low) * part, low)

    def at(self, rank: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the value at a rank of each slot, counted from 0 over all samples of the slot."""
        last = np.append(self.first[1:], len(self.slot)) - 1
        # The first row whose samples reach past the rank: rows of earlier slots and rows up to the rank are before it.
        reached = self.above <= rank[self.slot]
        row = self.first + np.add.reduceat(reached.astype(np.int64), self.first)
        return cast("NDArray[np.float64]", self.values[np.minimum(row, last)])
