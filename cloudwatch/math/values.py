"""What flows through an evaluation?

Every number is part of a batch: rows are evaluations (one for a dashboard, ten thousand for a week of an alarm's windows), columns
are the slots of the window, oldest first. NaN is a missing point and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cloudwatch.problems import InvalidValueError

if TYPE_CHECKING:
    from cloudwatch.switches import Switches

__all__ = [
    "Context",
    "Floats",
    "Grid",
    "LabelledSeries",
    "Scalar",
    "Series",
    "SeriesArray",
    "Strings",
    "Supplied",
    "Supply",
    "Value",
    "finite",
    "joined",
    "stacked",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grid:
    """The slots that an evaluation is over.

    Attributes:
        timestamps: Start of each slot, epoch seconds, int64, ascending along the last axis: [slots] or [rows, slots].
        period_s: Length of a slot, seconds.
    """

    timestamps: NDArray[np.int64]
    period_s: int

    def __post_init__(self) -> None:
        if self.timestamps.ndim not in {1, 2} or self.timestamps.dtype != np.int64:
            raise InvalidValueError("Grid: timestamps are int64 with one or two dimensions")
        if not self.timestamps.size:
            raise InvalidValueError("Grid: at least one slot")
        if np.any(np.diff(self.timestamps, axis=-1) <= 0):
            raise InvalidValueError("Grid: timestamps ascend")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelledSeries:
    """One series of a result or of a supply: its label, and values of shape [slots] or [rows, slots]."""

    label: str
    values: Floats


Supply = NDArray[np.float64] | Sequence[LabelledSeries]
Supplied = Mapping[str, Supply]


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """One number for each row, [rows, 1], or [1, 1] for a constant. NaN where there is none, as AVG of nothing."""

    values: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """One number for each slot: [rows, slots]."""

    values: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeriesArray:
    """Several series; which of them exist, and in which order, may differ from row to row.

    Attributes:
        values: [series, rows, slots].
        present: [series, rows]; in each row those present come first.
        labels: The label of each series before any sorting.
        order: [series, rows]: index into `labels` of the series at each place.
    """

    values: Floats
    present: NDArray[np.bool_]
    labels: tuple[str, ...]
    order: NDArray[np.int64]

    def placed(self, places: NDArray[np.int64], present: NDArray[np.bool_]) -> SeriesArray:
        """Return the array with the series of each row at new places, [series, rows]; `present` is of the old places."""
        return SeriesArray(
            values=np.take_along_axis(self.values, places[:, :, None], axis=0),
            present=np.take_along_axis(present, places, axis=0),
            labels=self.labels,
            order=np.take_along_axis(self.order, places, axis=0),
        )

    def mapped(self, values: Floats) -> SeriesArray:
        """Return the array with other values in the same places."""
        return SeriesArray(values=values, present=self.present, labels=self.labels, order=self.order)


@dataclass(frozen=True, slots=True)
class Strings:
    """A string (one) or an array of strings."""

    values: tuple[str, ...]


Value = Scalar | Series | SeriesArray | Strings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Context:
    """What functions may ask for beside their arguments.

    Attributes:
        timestamps: [rows, slots], epoch seconds.
        period_s: Seconds of a slot.
        switches: The open choices.
        metrics: The metrics of the list in its order: id and values.
        periods: Period of each metric, seconds.
        supplied: What callers supply, by id or by printed expression.
    """

    timestamps: NDArray[np.int64]
    period_s: int
    switches: Switches
    metrics: tuple[tuple[str, Series], ...] = ()
    periods: Mapping[str, int] = field(default_factory=dict)
    supplied: Supplied = field(default_factory=dict)


def finite(values: Floats) -> Floats:
    """Return the values with infinities turned into missing points."""
    return np.where(np.isfinite(values), values, np.nan)


def stacked(labels: Sequence[str], series: Sequence[Floats], *, shape: tuple[int, ...]) -> SeriesArray:
    """Return series of shape [rows, slots] as an array in which all are present.

    Without any series the array has one absent series, so that shapes hold.
    """
    values = np.stack(series) if series else np.full((1, *shape), np.nan)
    places = values.shape[:2]
    order = np.broadcast_to(np.arange(places[0], dtype=np.int64)[:, None], places)
    present = np.full(places, bool(series), dtype=np.bool_)
    return SeriesArray(values=values, present=present, labels=tuple(labels) or ("",), order=order)


def joined(parts: Sequence[SeriesArray]) -> SeriesArray:
    """Return the series of several arrays as one array, in their order."""
    offsets = np.cumsum([0, *(len(part.labels) for part in parts[:-1])])
    both = SeriesArray(
        values=np.concatenate([part.values for part in parts]),
        present=np.concatenate([part.present for part in parts]),
        labels=tuple(label for part in parts for label in part.labels),
        order=np.concatenate([part.order + offset for part, offset in zip(parts, offsets, strict=True)]),
    )
    return both.placed(np.argsort(~both.present, axis=0, kind="stable"), both.present)
