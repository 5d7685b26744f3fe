"""Through which states does one metric alarm go, evaluation by evaluation?

All evaluations are judged at once. Where a slot's value depends on that slot alone, sliding windows share it: the expression
is evaluated once over all slots, one phase of the period beside the other. Expressions that depend on their range (FILL,
RATE, AVG of a series...) and wall-clock windows are evaluated window by window, in batches.

An evaluation that took place before one of its samples was available judges what it could see. Where that is rare those
evaluations are judged again, one window each. Where all data come late, as those of many AWS services do, a slot is evaluated
once for every age at which it is not yet settled, and once settled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from cloudwatch.alarm_points import sources_of
from cloudwatch.evaluation_window import evaluation_interval_s, wall_clock_slots
from cloudwatch.state_series import INSUFFICIENT, MISSING, carry_states, judge_rows, judge_windows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloudwatch.alarm_points import AlarmReader, Points
    from cloudwatch.store import MetricStore

__all__ = ["Track", "evaluation_times", "metric_track", "slots_at", "window_points"]

_Number = TypeVar("_Number", bound=np.generic)
_BATCH_CELLS = 1_000_000  # slots held at a time; bounds memory, not results
_HOURLY_OFFSET_S = 180
_RARELY = 8  # up to one late evaluation in so many is judged again by itself


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Track:
    """The states of one alarm.

    Attributes:
        times: Seconds of its evaluations, int64.
        states: State code of `state_series` after each.
    """

    times: NDArray[np.int64]
    states: NDArray[np.uint8]


def evaluation_times(reader: AlarmReader, *, start_s: int, end_s: int) -> NDArray[np.int64]:
    """Return when an alarm created at `start_s` is evaluated, after that second up to and including `end_s`."""
    interval = evaluation_interval_s(reader.alarm.period_s, n=reader.alarm.evaluation_periods)
    offset = _HOURLY_OFFSET_S if interval == 3600 else 0
    first = (start_s - offset) // interval * interval + interval + offset
    return np.arange(first, end_s + 1, interval, dtype=np.int64)


def metric_track(reader: AlarmReader, *, store: MetricStore, start_s: int, end_s: int) -> Track:
    """Return the states of an alarm created at `start_s` in INSUFFICIENT_DATA.

    Raises:
        InvalidValueError: As `AlarmReader.points`.
    """
    times = evaluation_times(reader, start_s=start_s, end_s=end_s)
    if not len(times):
        return Track(times=times, states=np.zeros(0, dtype=np.uint8))
    late, wait_s = _late_evaluations(reader, store=store, times=times)
    interval = int(times[1] - times[0]) if len(times) > 1 else reader.alarm.period_s
    shares = reader.zone is None and reader.alarm.period_s % interval == 0
    ages = -(-wait_s // reader.alarm.period_s)
    if not (shares and reader.elementwise):
        settled = shares and not late.any()
        verdicts, seen = _window_verdicts(reader, store=store, times=times, interval=interval if settled else None)
    elif np.count_nonzero(late) * _RARELY <= len(times):
        verdicts, seen = _sliding_verdicts(reader, store=store, times=times, interval=interval)
        again = np.flatnonzero(late)
        if len(again):
            verdicts[again], seen[again] = _window_verdicts(reader, store=store, times=times[again])
    elif ages < reader.slots:
        verdicts, seen = _ageing_verdicts(reader, store=store, times=times, interval=interval, ages=ages)
    else:
        verdicts, seen = _window_verdicts(reader, store=store, times=times)
    _warm_up(reader, times=times, verdicts=verdicts, seen=seen, start_s=start_s)
    return Track(times=times, states=carry_states(verdicts, INSUFFICIENT))


def slots_at(reader: AlarmReader, times: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
    """Return starts, [evaluations, R], of the slots that evaluations see, oldest first; and their lengths by wall clock."""
    alarm, slots = reader.alarm, reader.slots
    if reader.zone is None:
        ends = _cut_offs(reader, times)
        back = np.arange(slots, 0, -1, dtype=np.int64) * alarm.period_s
        return ends[:, None] - back[None, :], None
    newest = int(times[-1])
    count = (newest - int(times[0])) // alarm.period_s + slots + 3
    chain = wall_clock_slots(newest, period_s=alarm.period_s, slots=count, zone=reader.zone)
    edges = np.array([chain[0][0], *(end for _, end in chain)], dtype=np.int64)
    last = np.searchsorted(edges, times, side="right") - 1  # edge at which the newest completed slot ends
    index = last[:, None] - np.arange(slots, 0, -1)[None, :]
    return edges[index], edges[index + 1] - edges[index]


def _cut_offs(reader: AlarmReader, times: NDArray[np.int64]) -> NDArray[np.int64]:
    interval = evaluation_interval_s(reader.alarm.period_s, n=reader.alarm.evaluation_periods)
    return times - _HOURLY_OFFSET_S if interval == 3600 else times


def _sliding_verdicts(
    reader: AlarmReader, *, store: MetricStore, times: NDArray[np.int64], interval: int
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Judge evaluations that share slots, and tell for each whether its newest slot has a point."""
    alarm, slots = reader.alarm, reader.slots
    phases = alarm.period_s // interval
    first = int(_cut_offs(reader, times[:1])[0]) - slots * alarm.period_s
    length = (slots - 1) * phases + len(times)
    points = reader.points(store, starts=first + interval * np.arange(length, dtype=np.int64))
    verdicts = judge_rows(
        _by_phase(points.codes, phases=phases, fill=MISSING),
        n=alarm.evaluation_periods,
        m=alarm.datapoints_to_alarm,
        slots=slots,
        treat=reader.treat,
        premature=reader.switches.premature_scope,
        samples=None if points.samples is None else _by_phase(points.samples, phases=phases, fill=0.0),
        sample_rule=reader.sample_rule if points.samples is not None else None,
    )
    return verdicts.T.reshape(-1)[: len(times)], points.codes[length - len(times) :] != MISSING


def _by_phase(column: NDArray[_Number], *, phases: int, fill: float) -> NDArray[_Number]:
    """Return slots that follow each other at the evaluation interval as rows at the distance of a period."""
    if phases == 1:
        return column.reshape(1, -1)
    rows = -(-len(column) // phases)
    padded = np.full(rows * phases, fill, dtype=column.dtype)
    padded[: len(column)] = column
    return np.ascontiguousarray(padded.reshape(rows, phases).T)


def _ageing_verdicts(
    reader: AlarmReader, *, store: MetricStore, times: NDArray[np.int64], interval: int, ages: int
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Judge evaluations whose newest `ages` slots are not settled yet; older ones no longer change and are shared."""
    period_s, slots = reader.alarm.period_s, reader.slots
    phases, count = period_s // interval, len(times)
    ends = _cut_offs(reader, times)
    first = int(ends[0]) - slots * period_s
    length = (slots - 1 - ages) * phases + count
    settled = reader.points(store, starts=first + interval * np.arange(length, dtype=np.int64))
    codes = np.empty((count, slots), dtype=np.uint8)
    samples = None if settled.samples is None else np.empty((count, slots))
    for place in range(slots):
        age = slots - 1 - place
        if age >= ages:
            points, part = settled, slice(place * phases, place * phases + count)
        else:
            points, part = reader.points(store, starts=ends - (age + 1) * period_s, as_of=times), slice(None)
        codes[:, place] = points.codes[part]
        if samples is not None and points.samples is not None:
            samples[:, place] = points.samples[part]
    verdicts = np.empty(count, dtype=np.uint8)
    step = max(1, _BATCH_CELLS // slots)
    for begin in range(0, count, step):
        rows = slice(begin, begin + step)
        verdicts[rows] = _judged(reader, codes=codes[rows], samples=None if samples is None else samples[rows])
    return verdicts, codes[:, -1] != MISSING


def _window_verdicts(
    reader: AlarmReader, *, store: MetricStore, times: NDArray[np.int64], interval: int | None = None
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Judge evaluations one window each.

    With an `interval`, evaluations follow each other at it, their windows share slots and nothing is late: metrics are then
    read once. Without, each window is read as it was available by its time.
    """
    verdicts = np.empty(len(times), dtype=np.uint8)
    seen = np.empty(len(times), dtype=np.bool_)
    step = max(1, _BATCH_CELLS // reader.slots)
    for begin in range(0, len(times), step):
        part = slice(begin, begin + step)
        if interval is None:
            points = window_points(reader, store=store, times=times[part])
        else:
            points = _overlapping_points(reader, store=store, times=times[part], interval=interval)
        verdicts[part] = _judged(reader, codes=points.codes, samples=points.samples)
        seen[part] = points.codes[:, -1] != MISSING
    return verdicts, seen


def _overlapping_points(reader: AlarmReader, *, store: MetricStore, times: NDArray[np.int64], interval: int) -> Points:
    """Return what evaluations at a fixed interval compare, [evaluations, R]; metrics are read once, windows cut out of them."""
    starts, _ = slots_at(reader, times)
    phases = reader.alarm.period_s // interval
    length = (reader.slots - 1) * phases + len(times)
    once = reader.columns(store, starts=int(starts[0, 0]) + interval * np.arange(length, dtype=np.int64))
    cut = np.arange(len(times))[:, None] + phases * np.arange(reader.slots)[None, :]
    return reader.points(store, starts=starts, columns={id_: column[cut] for id_, column in once.items()})


def _judged(reader: AlarmReader, *, codes: NDArray[np.uint8], samples: NDArray[np.float64] | None) -> NDArray[np.uint8]:
    return judge_windows(
        codes,
        n=reader.alarm.evaluation_periods,
        m=reader.alarm.datapoints_to_alarm,
        treat=reader.treat,
        premature=reader.switches.premature_scope,
        samples=samples,
        sample_rule=reader.sample_rule if samples is not None else None,
    )


def window_points(reader: AlarmReader, *, store: MetricStore, times: NDArray[np.int64]) -> Points:
    """Return what evaluations compare, [evaluations, R], from what was available by then."""
    starts, lengths = slots_at(reader, times)
    return reader.points(store, starts=starts, lengths=lengths, as_of=times[:, None])


def _late_evaluations(
    reader: AlarmReader, *, store: MetricStore, times: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], int]:
    """Return which evaluations took place before a sample of theirs was available, and the longest such delay, seconds."""
    change = np.zeros(len(times) + 1, dtype=np.int64)
    longest = 0
    for query in reader.metrics:
        for source in sources_of(store, query.metric):
            stamps, available = source.timestamps, source.available_at
            waits = available > stamps
            if not waits.any():
                continue
            stamps, available = stamps[waits], available[waits]
            from_ = np.searchsorted(times, stamps, side="right")
            until = np.searchsorted(times, available, side="left")
            missed = until > from_
            if missed.any():
                change += np.bincount(from_[missed], minlength=len(change))
                change -= np.bincount(until[missed], minlength=len(change))
                longest = max(longest, int((available[missed] - stamps[missed]).max()))
    return np.cumsum(change[:-1]) > 0, longest


def _warm_up(
    reader: AlarmReader,
    *,
    times: NDArray[np.int64],
    verdicts: NDArray[np.uint8],
    seen: NDArray[np.bool_],
    start_s: int,
) -> None:
    """Hold INSUFFICIENT_DATA until N periods of data are there, at the latest until the warm-up is over."""
    alarm = reader.alarm
    if alarm.warm_up_min is None:
        return
    end = start_s + alarm.warm_up_min * 60
    if seen.any():
        first_data = int(times[int(np.argmax(seen))]) - min(60, alarm.period_s)
        end = min(end, first_data + alarm.period_s * alarm.evaluation_periods)
    verdicts[times < end] = INSUFFICIENT
