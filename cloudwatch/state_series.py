"""Which states follow from a whole series of evaluations? The rules of `alarm_states`, for all evaluations at once.

Slots of one alarm that follow each other at distance Period form a row; an alarm evaluated every minute with a period of
P seconds has P/60 rows, one a phase, and alarms of the same M, N and treatment may share a call. The evaluation at slot t
sees slots t-R+1 .. t of its row. Everything an evaluation asks (how many real points, how many breaches among the newest N,
how old is the oldest) is a difference of running counts, so the cost does not depend on R.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

import numpy as np

from cloudwatch.alarm import AlarmState, Comparison, MissingData

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cloudwatch.alarm_states import PrematureScope, SampleRule

__all__ = [
    "ALARM",
    "BREACH",
    "HEALTHY",
    "INSUFFICIENT",
    "KEEP",
    "MISSING",
    "OK",
    "STATES",
    "breach_codes",
    "carry_states",
    "judge_rows",
    "judge_windows",
]

HEALTHY: Final = 0
BREACH: Final = 1
MISSING: Final = 2

OK: Final = 0
ALARM: Final = 1
INSUFFICIENT: Final = 2
KEEP: Final = 3  # the state before stays

STATES: Final = (AlarmState.OK, AlarmState.ALARM, AlarmState.INSUFFICIENT_DATA)  # by code


def breach_codes(
    values: NDArray[np.float64],
    *,
    comparison: Comparison,
    threshold: float = 0.0,
    lower: NDArray[np.float64] | None = None,
    upper: NDArray[np.float64] | None = None,
) -> NDArray[np.uint8]:
    """Return HEALTHY, BREACH or MISSING for every value; NaN is missing, and so is a value whose band is NaN.

    Args:
        values: Any shape.
        comparison: ComparisonOperator.
        threshold: The number to compare with.
        lower: Lower edge of the band, shape of `values`; for the comparisons against a band.
        upper: Upper edge.
    """
    missing = np.isnan(values)
    low: NDArray[np.float64] | float = threshold if lower is None else lower
    high: NDArray[np.float64] | float = threshold if upper is None else upper
    if comparison.against_band:
        missing |= np.isnan(low) | np.isnan(high)
    match comparison:
        case Comparison.GREATER_OR_EQUAL:
            breach = values >= threshold
        case Comparison.GREATER:
            breach = values > threshold
        case Comparison.LESS:
            breach = values < threshold
        case Comparison.LESS_OR_EQUAL:
            breach = values <= threshold
        case Comparison.OUTSIDE_BAND:
            breach = (values < low) | (values > high)
        case Comparison.BELOW_BAND:
            breach = values < low
        case Comparison.ABOVE_BAND:
            breach = values > high
        case _:
            assert_never(comparison)
    codes: NDArray[np.uint8] = breach.view(np.uint8).copy()
    codes[missing] = MISSING
    return codes


def judge_rows(
    codes: NDArray[np.uint8],
    *,
    n: int,
    m: int,
    slots: int,
    treat: MissingData,
    premature: PrematureScope = "range",
    samples: NDArray[np.float64] | None = None,
    sample_rule: SampleRule | None = None,
) -> NDArray[np.uint8]:
    """Return the verdict of every evaluation that has its whole range: OK, ALARM, INSUFFICIENT or KEEP.

    Args:
        codes: Shape (rows, length), oldest slot first, `length >= slots`.
        n: EvaluationPeriods, at most `slots`.
        m: DatapointsToAlarm.
        slots: R, the evaluation range.
        treat: TreatMissingData.
        premature: Where the premature rule looks for a breach.
        samples: As `codes`: how many samples the slot's percentile rests on; goes with `sample_rule`.
        sample_rule: Keeps the state where that is too few.

    Returns:
        Shape (rows, length - slots + 1): the evaluation whose newest slot is `slots - 1 + column`.
    """
    rows, length = codes.shape
    breach = codes == BREACH
    real = codes != MISSING
    if sample_rule is None and real.all():
        total = _running(breach.reshape(-1))
        newest = _ends(total, rows=rows, length=length, back=0, slots=slots)
        oldest = _ends(total, rows=rows, length=length, back=n, slots=slots)
        return ((newest - oldest) >= m).view(np.uint8)
    seen = _running(real.reshape(-1))
    points = np.flatnonzero(real)  # flat positions of the real points
    hits = _running(breach.reshape(-1)[points])
    newest = _ends(seen, rows=rows, length=length, back=0, slots=slots)
    oldest = _ends(seen, rows=rows, length=length, back=slots, slots=slots)
    first = np.maximum(oldest, newest - n)  # number of the first point used
    used = newest - first
    breaching = hits[newest] - hits[first]
    alarm = breaching >= m
    breaching_or_filled = breaching + (n - used) if treat is MissingData.BREACHING else breaching
    verdict = (breaching_or_filled >= m).view(np.uint8)
    if treat in {MissingData.MISSING, MissingData.IGNORE}:
        keeps = treat is MissingData.IGNORE
        pending = (breaching == used) & ~alarm & (used > 0)  # fewer than N real points, else M would breach
        if pending.any():
            row, column = np.nonzero(pending)
            start = oldest[row, column]
            if premature == "periods":
                start = _ends(seen, rows=rows, length=length, back=n, slots=slots)[row, column]
            admitted = start < newest[row, column]
            place = points[np.where(admitted, start, 0)]
            age = row * length + column + slots - place
            old = admitted & (age >= m)
            verdict[row[old], column[old]] = KEEP if keeps else ALARM
        verdict[used == 0] = KEEP if keeps else INSUFFICIENT
    if samples is not None and sample_rule is not None:
        counts = samples.reshape(-1)[points]
        if sample_rule.window == "period":
            weak = _running(counts < sample_rule.needed)
            verdict[weak[newest] > weak[first]] = KEEP
        else:
            total_samples = np.concatenate(([0.0], np.cumsum(counts)))
            verdict[(total_samples[newest] - total_samples[first] < sample_rule.needed) & (used > 0)] = KEEP
    return verdict


def judge_windows(
    codes: NDArray[np.uint8],
    *,
    n: int,
    m: int,
    treat: MissingData,
    premature: PrematureScope = "range",
    samples: NDArray[np.float64] | None = None,
    sample_rule: SampleRule | None = None,
) -> NDArray[np.uint8]:
    """Return one verdict a row, each row being the whole evaluation range of one evaluation: shape (rows,).

    For evaluations that do not share slots: expressions that depend on the range, wall-clock windows, late data.
    """
    slots = codes.shape[1]
    return judge_rows(
        codes, n=n, m=m, slots=slots, treat=treat, premature=premature, samples=samples, sample_rule=sample_rule
    )[:, 0]


def carry_states(verdicts: NDArray[np.uint8], initial: int) -> NDArray[np.uint8]:
    """Return the states: every KEEP becomes the state before it, the first ones `initial`.

    Args:
        verdicts: Shape (evaluations,), in order of time.
        initial: Code of the state before the first.
    """
    kept = verdicts == KEEP
    if not kept.any():
        return verdicts
    source = np.arange(1, len(verdicts) + 1)
    source[kept] = 0
    np.maximum.accumulate(source, out=source)
    return np.concatenate((np.array([initial], dtype=np.uint8), verdicts))[source]


def _running(flags: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return how many flags are set before each place, and in all: one longer than `flags`."""
    total = np.zeros(len(flags) + 1, dtype=np.int32)
    np.cumsum(flags, dtype=np.int32, out=total[1:])
    return total


def _ends(total: NDArray[np.int32], *, rows: int, length: int, back: int, slots: int) -> NDArray[np.int32]:
    """Return the running count `back` slots before the end of each evaluation's range: shape (rows, evaluations)."""
    count = length - slots + 1
    start = slots - back
    step = total.strides[0]
    return np.lib.stride_tricks.as_strided(
        total[start:], shape=(rows, count), strides=(length * step, step), writeable=False
    )
