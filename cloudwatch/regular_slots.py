"""How is a plain statistic read quickly where slots and rows lie on one grid?

A week of an alarm asks for ten thousand slots at a fixed distance, and nearly always there is at most one row in each step of
that distance. Then a row's place follows from its timestamp, and a longer period is a sum of shifted steps. Anything else is
left to `statistics.aggregate`, which answers for every arrangement; both give the same numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloudwatch.series import GivenStatistic, Samples
from cloudwatch.stat import Plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloudwatch.series import SampleSource

__all__ = ["regular_statistic"]

_LONGEST_SUM = 8  # from more addends on the order of addition could differ from that of `aggregate`


def regular_statistic(
    source: SampleSource,
    *,
    stat: Plain,
    period_s: int,
    first_s: int,
    step_s: int,
    count: int,
    seen_after_s: int | None = None,
) -> NDArray[np.float64] | None:
    """Return a statistic for the slots that start at `first_s + k * step_s`, NaN where there is no point.

    Args:
        source: The rows.
        stat: The statistic.
        period_s: Length of a slot, a multiple of `step_s`.
        first_s: Start of the first slot, seconds.
        step_s: Distance of the slots, seconds.
        count: Number of slots.
        seen_after_s: A slot sees the rows available that many seconds after its start; None sees every row.

    Returns:
        float64 of length `count`, or None where this way of reading does not apply.
    """
    if isinstance(source, GivenStatistic):
        if source.stat != stat or source.period_s != step_s or (stat is Plain.AVERAGE and period_s != step_s):
            return None
        columns = {stat: source.values}
    else:
        assert isinstance(source, Samples)
        columns = {
            Plain.SUM: source.sums,
            Plain.SAMPLE_COUNT: source.counts,
            Plain.MINIMUM: source.minima,
            Plain.MAXIMUM: source.maxima,
        }
    shifts = period_s // step_s
    if period_s % step_s or shifts >= _LONGEST_SUM:
        return None
    place = source.timestamps - first_s
    if step_s != 1:
        place //= step_s
    if len(place) > 1 and not np.all(place[1:] > place[:-1]):
        return None
    length = count + shifts - 1
    within = slice(int(np.searchsorted(place, 0)), int(np.searchsorted(place, length)))
    place = place[within]
    waits = None
    if seen_after_s is not None:  # by how many steps a row's own slot must precede the one that it is seen in
        late = source.available_at[within] - first_s - seen_after_s
        waits = place - -(-late // step_s)
    if stat is Plain.AVERAGE and stat not in columns:
        total, number = (
            _combined(columns[each][within], place, waits=waits, shifts=shifts, length=length, stat=Plain.SUM)
            for each in (Plain.SUM, Plain.SAMPLE_COUNT)
        )
        return total / number
    return _combined(columns[stat][within], place, waits=waits, shifts=shifts, length=length, stat=stat)


def _combined(
    column: NDArray[np.float64],
    place: NDArray[np.int64],
    *,
    waits: NDArray[np.int64] | None,
    shifts: int,
    length: int,
    stat: Plain,
) -> NDArray[np.float64]:
    """Spread rows over their steps and combine as many neighbouring steps as a period has.

    A row at step p belongs to the slots p - shift, shift from 0 to `shifts` - 1; it is seen where shift <= `waits`.
    """
    if shifts == 1:
        if waits is not None:
            seen = waits >= 0
            column, place = column[seen], place[seen]
        if len(place) == length:
            return column
        steps = np.full(length, np.nan)
        steps[place] = column
        return steps
    operation: np.ufunc = {Plain.MINIMUM: np.fmin, Plain.MAXIMUM: np.fmax}.get(stat, np.add)
    adds = operation is np.add
    count = length - shifts + 1
    combined = np.full(count, 0.0 if adds else np.nan)
    found = np.zeros(count, dtype=np.bool_)
    steps = np.full(length, 0.0 if adds else np.nan)
    there = np.zeros(length, dtype=np.bool_)
    steps[place], there[place] = column, True
    for shift in range(shifts):
        if waits is not None:
            hidden = place[waits < shift]
            steps[hidden], there[hidden] = (0.0 if adds else np.nan), False
        operation(combined, steps[shift : shift + count], out=combined)
        found |= there[shift : shift + count]
    if adds:
        combined[~found] = np.nan
    return combined
