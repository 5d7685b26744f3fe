"""What has CloudWatch been sent about one metric, and when could it be read?

A datum is what one PutMetricData entry carries: single values, values with counts, or a statistic set (API, MetricDatum).
It has two clocks: the timestamp decides in which period it counts, `available_at` from when an evaluation can see it.

Everything is columns. A value v with count c is kept as (count c, sum v*c, minimum v, maximum v), so a statistic set is a row
like any other: a row whose minimum and maximum are equal stands for that value, and only such rows can answer percentiles.
A gap is the absence of a row. NaN and infinities are refused here and do not exist further inside.

`GivenStatistic` is for series whose samples nobody knows: points of one statistic, one for each period, as a query would have
returned them. A slot that slides over them takes the points whose timestamps lie in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cloudwatch.problems import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from cloudwatch.stat import Stat

__all__ = ["GivenStatistic", "SampleSource", "Samples", "merge_samples"]

_LARGEST = 2.0**360


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Samples:
    """Rows of one metric, sorted by timestamp.

    Built by `of_values` and `of_sets`; the columns have one length and are not to be written to.

    Attributes:
        timestamps: Epoch seconds, int64, ascending.
        available_at: Epoch seconds, int64, from when a query sees the row.
        counts: Number of samples of each row, above 0.
        sums: Their sum.
        minima: Their smallest value.
        maxima: Their largest value.
    """

    timestamps: NDArray[np.int64]
    available_at: NDArray[np.int64]
    counts: NDArray[np.float64]
    sums: NDArray[np.float64]
    minima: NDArray[np.float64]
    maxima: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.timestamps)

    @classmethod
    def of_values(
        cls,
        timestamps: ArrayLike,
        values: ArrayLike,
        *,
        counts: ArrayLike | None = None,
        available_at: ArrayLike | None = None,
    ) -> Samples:
        """Return samples of single values (Value), or of values with counts (Values and Counts).

        Args:
            timestamps: Epoch seconds, one for each value; a datum with several values repeats its timestamp.
            values: The values, in the unit of the metric.
            counts: How often each value occurs; None is once.
            available_at: Epoch seconds; None is at once.

        Raises:
            InvalidValueError: A value is NaN, infinite or beyond 2^360, a count is not positive, or lengths differ.
        """
        times = _times("timestamps", timestamps)
        column = _column("Value", values, length=len(times))
        if counts is None:
            return cls._sorted(times, available_at, np.ones(len(times)), column, column, column)
        number = _counts(counts, length=len(times))
        return cls._sorted(times, available_at, number, column * number, column, column)

    @classmethod
    def of_sets(
        cls,
        timestamps: ArrayLike,
        *,
        counts: ArrayLike,
        sums: ArrayLike,
        minima: ArrayLike,
        maxima: ArrayLike,
        available_at: ArrayLike | None = None,
    ) -> Samples:
        """Return samples of statistic sets (StatisticValues).

        Raises:
            InvalidValueError: As `of_values`, or a minimum lies above its maximum.
        """
        times = _times("timestamps", timestamps)
        number = _counts(counts, length=len(times))
        columns = [
            _column(name, values, length=len(times))
            for name, values in (("Sum", sums), ("Minimum", minima), ("Maximum", maxima))
        ]
        if np.any(columns[1] > columns[2]):
            raise InvalidValueError("StatisticValues: a Minimum lies above its Maximum")
        return cls._sorted(times, available_at, number, *columns)

    @classmethod
    def _sorted(
        cls, timestamps: NDArray[np.int64], available_at: ArrayLike | None, *columns: NDArray[np.float64]
    ) -> Samples:
        available = timestamps if available_at is None else _times("available_at", available_at)
        if len(available) != len(timestamps):
            raise InvalidValueError(f"available_at has {len(available)} rows, timestamps have {len(timestamps)}")
        if np.any(available < timestamps):
            raise InvalidValueError("available_at: a datum cannot be read before its own timestamp")
        if np.any(timestamps[1:] < timestamps[:-1]):
            order = np.argsort(timestamps, kind="stable")
            timestamps, available = timestamps[order], available[order]
            columns = tuple(column[order] for column in columns)
        counts, sums, minima, maxima = columns
        return cls(
            timestamps=timestamps, available_at=available, counts=counts, sums=sums, minima=minima, maxima=maxima
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GivenStatistic:
    """Points of one statistic where the samples behind them are unknown.

    Attributes:
        stat: The statistic that the points are.
        period_s: Seconds that each point covers, from its timestamp on.
        timestamps: Epoch seconds, int64, strictly ascending.
        values: The points; a gap is a timestamp that is not there.
        available_at: Epoch seconds from when a query sees the point.
    """

    stat: Stat
    period_s: int
    timestamps: NDArray[np.int64]
    values: NDArray[np.float64]
    available_at: NDArray[np.int64]

    @classmethod
    def of_points(
        cls,
        timestamps: ArrayLike,
        values: ArrayLike,
        *,
        stat: Stat,
        period_s: int,
        available_at: ArrayLike | None = None,
    ) -> GivenStatistic:
        """Return points of a statistic; NaN among the values is a gap, as in what `aggregate` returns.

        Raises:
            InvalidValueError: A value is infinite, timestamps do not ascend by at least a period, or lengths differ.
        """
        times = _times("timestamps", timestamps)
        column = np.asarray(values, dtype=np.float64)
        available = times if available_at is None else _times("available_at", available_at)
        if column.shape != times.shape or available.shape != times.shape:
            raise InvalidValueError(f"{len(times)} timestamps, {column.size} values, {available.size} available_at")
        if np.any(np.diff(times) < period_s):
            raise InvalidValueError(f"timestamps: points of a {period_s} s statistic are at least {period_s} s apart")
        there = ~np.isnan(column)
        kept = _column("Value", column[there], length=int(there.sum()))
        return cls(stat=stat, period_s=period_s, timestamps=times[there], values=kept, available_at=available[there])


SampleSource = Samples | GivenStatistic


def merge_samples(parts: Sequence[Samples]) -> Samples:
    """Return the rows of several sample sets of one metric as one, sorted by timestamp."""
    if len(parts) == 1:
        return parts[0]
    names = ("timestamps", "available_at", "counts", "sums", "minima", "maxima")
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    order = np.argsort(columns["timestamps"], kind="stable")
    return Samples(**{name: column[order] for name, column in columns.items()})


def _times(field: str, values: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise InvalidValueError(f"{field}: one dimension, not {array.ndim}")
    if array.size and array.dtype.kind not in "iu":
        raise InvalidValueError(f"{field}: whole epoch seconds, not {array.dtype}")
    return array.astype(np.int64, copy=False)


def _column(field: str, values: ArrayLike, *, length: int) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (length,):
        raise InvalidValueError(f"{field}: {array.size} values for {length} timestamps")
    if not np.all(np.abs(array) <= _LARGEST):
        guilty = array[~(np.abs(array) <= _LARGEST)][0]
        raise InvalidValueError(f"{field} {guilty}: CloudWatch takes numbers from -2^360 to 2^360, no NaN, no infinity")
    return array


def _counts(values: ArrayLike, *, length: int) -> NDArray[np.float64]:
    array = _column("Counts", values, length=length)
    if np.any(array <= 0):
        raise InvalidValueError(f"Counts {array.min()}: a count is above 0")
    return array
