"""Which state follows from the points of one evaluation? M out of N, with missing points.

An evaluation sees the slots of its evaluation range, oldest first; a slot breaches, does not breach, or is missing.

1. With at least N real points the newest N decide: ALARM if M or more breach. TreatMissingData plays no part.
2. With fewer, every real point counts and only the shortfall is filled. `breaching`: filled points count as breaches;
   `notBreaching`: they do not.
3. `missing` and `ignore`: nothing real gives INSUFFICIENT_DATA (`missing`) or keeps the state (`ignore`); M breaches give
   ALARM; else, if no real point is healthy and the oldest breach is M or more slots old, ALARM would be premature to
   withhold: ALARM (`missing`), state kept (`ignore`); else OK.

(UG, Configuring how CloudWatch alarms treat missing data. Whether rule 3 looks for the breach in the whole range or in the
newest N slots is told both ways there: `Switches.premature_scope`.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, assert_never

from cloudwatch.alarm import AlarmState, Comparison, MissingData
from cloudwatch.problems import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Evaluation", "PrematureScope", "Ruling", "SampleRule", "breaches", "evaluate_slots", "needed_samples"]

PrematureScope = Literal["range", "periods"]

_PERCENTILE = re.compile(r"p([0-9]{1,3}(?:\.[0-9]+)?)\Z")


class Ruling(StrEnum):
    """Which rule decided an evaluation."""

    REAL_POINTS = "real points"  # enough of them, or those there are suffice
    FILLED = "filled points"  # TreatMissingData filled some slots
    PREMATURE = "premature rule"  # a breach grew old without a healthy point after it
    NO_DATA = "no data"  # nothing real in the range
    LOW_SAMPLES = "low samples"  # a percentile over too few samples


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRule:
    """EvaluateLowSampleCountPercentile `ignore`: the state stays where a percentile rests on too few samples.

    Attributes:
        needed: Number of samples from which on the percentile counts.
        window: Whether every `period` used must reach it, or all of them together, the `window`; AWS does not say.
    """

    needed: int
    window: Literal["period", "window"] = "period"

    def too_few(self, samples: Sequence[float]) -> bool:
        """Return whether the slots used, with these numbers of samples, keep the state."""
        if not samples:
            return False
        return (min(samples) if self.window == "period" else sum(samples)) < self.needed


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What one evaluation concluded.

    Attributes:
        state: The state after it.
        used: Indices of the slots that counted, oldest first.
        breaching: How many of them breach.
        filled: How many points TreatMissingData had to stand in for: N less the real points, not below 0.
        ruling: The rule that decided.
    """

    state: AlarmState
    used: tuple[int, ...]
    breaching: int
    filled: int
    ruling: Ruling


def evaluate_slots(
    slots: Sequence[bool | None],
    *,
    n: int,
    m: int,
    treat: MissingData,
    previous: AlarmState,
    premature: PrematureScope = "range",
    samples: Sequence[float] | None = None,
    sample_rule: SampleRule | None = None,
) -> Evaluation:
    """Return the outcome of one evaluation.

    Args:
        slots: The evaluation range, oldest first: True breaches, False does not, None is missing.
        n: EvaluationPeriods.
        m: DatapointsToAlarm, 1 to n.
        treat: TreatMissingData.
        previous: The state before.
        premature: Where rule 3 looks for a breach.
        samples: Per slot, how many samples its percentile rests on; goes with `sample_rule`.
        sample_rule: Keeps the state where that is too few; None evaluates whatever the number.

    Raises:
        InvalidValueError: M is not 1 to N.
    """
    if not 1 <= m <= n:
        raise InvalidValueError(f"DatapointsToAlarm {m} of EvaluationPeriods {n}; it must be 1 to {max(n, 1)}")
    used = tuple(index for index, slot in enumerate(slots) if slot is not None)[-n:]
    breaching = sum(slots[index] is True for index in used)
    filled = n - len(used)

    def outcome(state: AlarmState, ruling: Ruling) -> Evaluation:
        return Evaluation(state=state, used=used, breaching=breaching, filled=filled, ruling=ruling)

    if samples is not None and sample_rule is not None and sample_rule.too_few([samples[index] for index in used]):
        return outcome(previous, Ruling.LOW_SAMPLES)
    if filled == 0:
        return outcome(_alarm_if(breaching >= m), Ruling.REAL_POINTS)
    match treat:
        case MissingData.BREACHING:
            return outcome(_alarm_if(breaching + filled >= m), Ruling.FILLED)
        case MissingData.NOT_BREACHING:
            return outcome(_alarm_if(breaching >= m), Ruling.FILLED)
        case MissingData.MISSING | MissingData.IGNORE:
            ignores = treat is MissingData.IGNORE
            if not used:
                return outcome(previous if ignores else AlarmState.INSUFFICIENT_DATA, Ruling.NO_DATA)
            if breaching >= m:
                return outcome(AlarmState.ALARM, Ruling.REAL_POINTS)
            if breaching == len(used) and _oldest_age(used, slots=len(slots), n=n, premature=premature) >= m:
                return outcome(previous if ignores else AlarmState.ALARM, Ruling.PREMATURE)
            return outcome(AlarmState.OK, Ruling.REAL_POINTS)
        case _:
            assert_never(treat)


def breaches(
    value: float,
    *,
    comparison: Comparison,
    threshold: float = 0.0,
    band: tuple[float, float] | None = None,
) -> bool:
    """Return whether a point breaches: `value OP threshold` without tolerance, or outside `band` (lower, upper)."""
    lower, upper = band or (threshold, threshold)
    match comparison:
        case Comparison.GREATER_OR_EQUAL:
            return value >= threshold
        case Comparison.GREATER:
            return value > threshold
        case Comparison.LESS:
            return value < threshold
        case Comparison.LESS_OR_EQUAL:
            return value <= threshold
        case Comparison.OUTSIDE_BAND:
            return value < lower or value > upper
        case Comparison.BELOW_BAND:
            return value < lower
        case Comparison.ABOVE_BAND:
            return value > upper
        case _:
            assert_never(comparison)


def needed_samples(stat: str) -> int | None:
    """Return from how many samples in a period on a percentile is evaluated whatever EvaluateLowSampleCountPercentile says.

    10/(1-p) from the median up, 10/p below it, in exact arithmetic: 1000 for p99 (UG, Percentile-based alarms and low data
    samples). None for any other statistic, and for p0 and p100, where no number is enough.
    """
    matched = _PERCENTILE.match(stat)
    if not matched:
        return None
    share = Fraction(matched.group(1)) / 100
    if not 0 < share < 1:
        return None
    needed = 10 / (1 - share) if share >= Fraction(1, 2) else 10 / share
    return -(-needed.numerator // needed.denominator)


def _alarm_if(condition: bool) -> AlarmState:  # noqa: FBT001 - reads as a sentence
    return AlarmState.ALARM if condition else AlarmState.OK


def _oldest_age(used: Sequence[int], *, slots: int, n: int, premature: PrematureScope) -> int:
    """Return the age in slots, the newest being 1, of the oldest used slot that the scope admits; 0 if it admits none."""
    admitted = used if premature == "range" else [index for index in used if index >= slots - n]
    return slots - admitted[0] if admitted else 0
