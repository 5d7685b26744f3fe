"""What does each function of metric math do?

The second of two tables: behaviours, by name; the signatures are in `cloudwatch.math.functions`. (User Guide, Using metric math.)
Choices where the page is silent: LOG of 0 or less gives no point; a reduction of nothing has no value, only DATAPOINT_COUNT
gives 0; RUNNING_SUM has no point in a gap; FILL leaves what lies before the first point (REPEAT) or outside two points (LINEAR);
missing points count as 0 in AVG over an array, as the page states, and are left out in SUM, MIN, MAX and STDDEV.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from cloudwatch.math.values import Scalar, Series, SeriesArray, Strings, finite, stacked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from cloudwatch.math.values import Context, Floats, Value
    from cloudwatch.switches import Switches

    Behaviour = Callable[[Context, Sequence[Value]], Value]

__all__ = ["BEHAVIOURS"]


def _each(change: Callable[[Context, Floats], Floats]) -> Behaviour:
    """Lift a function of slots to a series and to each series of an array."""

    def behaviour(context: Context, arguments: Sequence[Value]) -> Value:
        (value,) = arguments
        if isinstance(value, SeriesArray):
            return value.mapped(change(context, value.values))
        assert isinstance(value, Series)
        return Series(change(context, value.values))

    return behaviour


def _clock(read: Callable[[NDArray[np.int64]], NDArray[np.int64]]) -> Behaviour:
    """Lift a function of UTC timestamps; the result has a point in every slot."""
    return lambda context, _: Series(read(context.timestamps).astype(np.float64))


def _reduction(reduce: Callable[[Floats, int, Switches], Floats]) -> Behaviour:
    """Lift a function along an axis: a series gives a number for its window, an array gives a number for each slot."""

    def behaviour(context: Context, arguments: Sequence[Value]) -> Value:
        (value,) = arguments
        if isinstance(value, SeriesArray):
            values = np.where(value.present[:, :, None], value.values, np.nan)
            if reduce is _average:
                return Series(_average_across(values, value.present))
            return Series(reduce(values, 0, context.switches))
        assert isinstance(value, Series)
        return Scalar(reduce(value.values, -1, context.switches)[:, None])

    return behaviour


def _count(values: Floats, axis: int, _: Switches) -> Floats:
    return cast("Floats", (~np.isnan(values)).sum(axis=axis).astype(np.float64))


def _sum(values: Floats, axis: int, switches: Switches) -> Floats:
    total = np.nansum(values, axis=axis)
    return finite(np.where(_count(values, axis, switches) > 0, total, np.nan))


def _average(values: Floats, axis: int, switches: Switches) -> Floats:
    there = _count(values, axis, switches)
    count = there if switches.average_missing == "existing" else np.float64(values.shape[axis])
    return np.where(there > 0, np.nansum(values, axis=axis) / count, np.nan)


def _average_across(values: Floats, present: NDArray[np.bool_]) -> Floats:
    """Average over an array: each series that exists counts, a missing point of it as 0."""
    somewhere = ~np.isnan(values).all(axis=0)
    return finite(np.where(somewhere, np.nansum(values, axis=0) / present.sum(axis=0)[:, None], np.nan))


def _minimum(values: Floats, axis: int, _: Switches) -> Floats:
    return cast("Floats", np.fmin.reduce(values, axis=axis))


def _maximum(values: Floats, axis: int, _: Switches) -> Floats:
    return cast("Floats", np.fmax.reduce(values, axis=axis))


def _deviation(values: Floats, axis: int, switches: Switches) -> Floats:
    there = _count(values, axis, switches)
    mean = np.nansum(values, axis=axis) / there
    squares = np.nansum((values - np.expand_dims(mean, axis)) ** 2, axis=axis)
    divisor = there if switches.stddev == "population" else there - 1
    return finite(np.where(divisor > 0, np.sqrt(squares / divisor), np.nan))


def _filled_forward(values: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Return the last point up to each slot, and its slot; NaN before the first point."""
    slots = np.arange(values.shape[-1])
    last = np.maximum.accumulate(np.where(np.isnan(values), 0, slots), axis=-1)
    return np.take_along_axis(values, last, axis=-1), last


def _preceding(values: Floats, timestamps: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return value and time of the point before each point; NaN where there is none."""
    before, elapsed = np.full(values.shape, np.nan), np.full(values.shape, np.nan)
    forward, slot = _filled_forward(values[..., :-1])
    times = np.broadcast_to(timestamps.astype(np.float64), values.shape)
    before[..., 1:] = forward
    elapsed[..., 1:] = np.where(np.isnan(forward), np.nan, times[..., 1:] - np.take_along_axis(times, slot, axis=-1))
    return np.where(np.isnan(values), np.nan, before), np.where(np.isnan(values), np.nan, elapsed)


def _difference(context: Context, values: Floats) -> Floats:
    return finite(values - _preceding(values, context.timestamps)[0])


def _rate(context: Context, values: Floats) -> Floats:
    before, elapsed = _preceding(values, context.timestamps)
    return finite((values - before) / elapsed)


def _elapsed(context: Context, values: Floats) -> Floats:
    return _preceding(values, context.timestamps)[1]


def _running_sum(_: Context, values: Floats) -> Floats:
    return finite(np.where(np.isnan(values), np.nan, np.nancumsum(values, axis=-1)))


def _fill(context: Context, arguments: Sequence[Value]) -> Value:
    value, filler = arguments
    assert isinstance(value, Series | SeriesArray)
    if isinstance(filler, Strings):
        change = _repeated if filler.values == ("REPEAT",) else _interpolated
        return _each(lambda _, values: change(values))(context, [value])
    assert isinstance(filler, Scalar | Series)
    filled = np.where(np.isnan(value.values), filler.values, value.values)
    return value.mapped(filled) if isinstance(value, SeriesArray) else Series(filled)


def _repeated(values: Floats) -> Floats:
    return _filled_forward(values)[0]


def _interpolated(values: Floats) -> Floats:
    before, start = _filled_forward(values)
    backward, distance = _filled_forward(values[..., ::-1])
    after, end = backward[..., ::-1], values.shape[-1] - 1 - distance[..., ::-1]
    part = (np.arange(values.shape[-1]) - start) / np.maximum(end - start, 1)
    return np.where(np.isnan(values), before + (after - before) * part, values)


def _time_series(context: Context, arguments: Sequence[Value]) -> Value:
    (number,) = arguments
    assert isinstance(number, Scalar)
    return Series(np.broadcast_to(number.values, context.timestamps.shape))


def _if(context: Context, arguments: Sequence[Value]) -> Value:
    """IF: a series as condition is judged slot by slot, a scalar chooses one branch as a whole with its gaps.

    A missing condition, and a false one without a third argument, give no point. True with a missing second argument gives 0.
    False with a missing third argument gives 0 in the tables of 2026, unless the second is a scalar, and no point in those of 2023.
    """
    condition, then = arguments[0], arguments[1]
    otherwise = arguments[2] if len(arguments) > 2 else Scalar(np.full((1, 1), np.nan))
    assert isinstance(condition, Scalar | Series)
    assert isinstance(then, Scalar | Series)
    assert isinstance(otherwise, Scalar | Series)
    chosen_then, chosen_otherwise = then.values, otherwise.values
    if isinstance(condition, Series):
        if isinstance(then, Series):
            chosen_then = np.nan_to_num(chosen_then, nan=0.0)
        if isinstance(otherwise, Series) and isinstance(then, Series) and context.switches.if_missing == "2026":
            chosen_otherwise = np.nan_to_num(chosen_otherwise, nan=0.0)
    result = np.where(condition.values != 0, chosen_then, chosen_otherwise)
    result = np.where(np.isnan(condition.values), np.nan, result)
    if all(isinstance(argument, Scalar) for argument in arguments):
        return Scalar(result)
    return Series(np.broadcast_to(result, context.timestamps.shape))


def _metrics(context: Context, arguments: Sequence[Value]) -> Value:
    wanted = ""
    for argument in arguments:
        assert isinstance(argument, Strings)
        (wanted,) = argument.values
    chosen = [(id_, series) for id_, series in context.metrics if wanted in id_]
    return stacked([id_ for id_, _ in chosen], [series.values for _, series in chosen], shape=context.timestamps.shape)


def _array(arguments: Sequence[Value]) -> SeriesArray:
    (value,) = arguments[:1]
    assert isinstance(value, SeriesArray)
    return value


def _metric_count(_: Context, arguments: Sequence[Value]) -> Value:
    return Scalar(_array(arguments).present.sum(axis=0).astype(np.float64)[:, None])


def _at(array: SeriesArray, place: NDArray[np.int64]) -> Series:
    """Return the series at a place of each row; nothing where there is none."""
    index = np.maximum(place, 0)[None, :, None]
    values = np.take_along_axis(array.values, index, axis=0)[0]
    there = np.take_along_axis(array.present, index[:, :, 0], axis=0)[0] & (place >= 0)
    return Series(np.where(there[:, None], values, np.nan))


def _first(_: Context, arguments: Sequence[Value]) -> Value:
    array = _array(arguments)
    return _at(array, np.zeros(array.present.shape[1], dtype=np.int64))


def _last(_: Context, arguments: Sequence[Value]) -> Value:
    array = _array(arguments)
    return _at(array, array.present.sum(axis=0).astype(np.int64) - 1)


def _sort(context: Context, arguments: Sequence[Value]) -> Value:
    array = _array(arguments)
    by, direction = arguments[1], arguments[2]
    assert isinstance(by, Strings)
    assert isinstance(direction, Strings)
    reduce = {"AVG": _average, "MIN": _minimum, "MAX": _maximum, "SUM": _sum}[by.values[0]]
    key = reduce(array.values, -1, context.switches)
    key = np.where(np.isnan(key), np.inf, key if direction.values == ("ASC",) else -key)
    result = array.placed(np.lexsort((key, ~array.present), axis=0), array.present)
    if len(arguments) > 3:
        return _between(result, Scalar(np.zeros((1, 1))), arguments[3])
    return result


def _between(array: SeriesArray, start: Value, end: Value) -> SeriesArray:
    assert isinstance(start, Scalar)
    assert isinstance(end, Scalar)
    place = np.arange(len(array.present))[:, None]
    wanted = (place >= start.values[:, 0]) & (place < end.values[:, 0])
    return _kept(array, wanted)


def _kept(array: SeriesArray, wanted: NDArray[np.bool_]) -> SeriesArray:
    alive = array.present & wanted
    return array.placed(np.argsort(~alive, axis=0, kind="stable"), alive)


def _slice(_: Context, arguments: Sequence[Value]) -> Value:
    end = arguments[2] if len(arguments) > 2 else Scalar(np.full((1, 1), np.inf))
    return _between(_array(arguments), arguments[1], end)


def _remove_empty(_: Context, arguments: Sequence[Value]) -> Value:
    array = _array(arguments)
    return _kept(array, cast("NDArray[np.bool_]", ~np.isnan(array.values).all(axis=-1)))


def _months(timestamps: NDArray[np.int64]) -> NDArray[np.int64]:
    return timestamps.astype("datetime64[s]").astype("datetime64[M]").astype(np.int64)


def _date(timestamps: NDArray[np.int64]) -> NDArray[np.int64]:
    days = timestamps.astype("datetime64[s]").astype("datetime64[D]")
    since_first = days - days.astype("datetime64[M]").astype("datetime64[D]")
    return cast("NDArray[np.int64]", since_first.astype(np.int64) + 1)


BEHAVIOURS: Mapping[str, Behaviour] = {
    "ABS": _each(lambda _, values: np.abs(values)),
    "CEIL": _each(lambda _, values: np.ceil(values)),
    "FLOOR": _each(lambda _, values: np.floor(values)),
    "LOG": _each(lambda _, values: finite(np.log(values))),
    "LOG10": _each(lambda _, values: finite(np.log10(values))),
    "AVG": _reduction(_average),
    "SUM": _reduction(_sum),
    "MIN": _reduction(_minimum),
    "MAX": _reduction(_maximum),
    "STDDEV": _reduction(_deviation),
    "DATAPOINT_COUNT": _reduction(_count),
    "METRIC_COUNT": _metric_count,
    "DIFF": _each(_difference),
    "RATE": _each(_rate),
    "DIFF_TIME": _each(_elapsed),
    "RUNNING_SUM": _each(_running_sum),
    "FILL": _fill,
    "TIME_SERIES": _time_series,
    "IF": _if,
    "METRICS": _metrics,
    "FIRST": _first,
    "LAST": _last,
    "SORT": _sort,
    "SLICE": _slice,
    "REMOVE_EMPTY": _remove_empty,
    "MINUTE": _clock(lambda times: times // 60 % 60),
    "HOUR": _clock(lambda times: times // 3600 % 24),
    "DAY": _clock(lambda times: (times // 86_400 + 3) % 7 + 1),  # the epoch was a Thursday
    "DATE": _clock(_date),
    "MONTH": _clock(lambda times: _months(times) % 12 + 1),
    "YEAR": _clock(lambda times: _months(times) // 12 + 1970),
    "EPOCH": _clock(lambda times: times),
}
