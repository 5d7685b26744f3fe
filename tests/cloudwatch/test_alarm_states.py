"""One evaluation: M out of N with every kind of gap, comparisons, low samples; and the same for whole series at once."""

from __future__ import annotations

import itertools
import math
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloudwatch.alarm import AlarmState, Comparison, MissingData
from cloudwatch.alarm_states import Ruling, SampleRule, breaches, evaluate_slots, needed_samples
from cloudwatch.problems import InvalidValueError
from cloudwatch.state_series import (
    KEEP,
    MISSING,
    STATES,
    breach_codes,
    carry_states,
    judge_rows,
    judge_windows,
)
from tests.cloudwatch.second_opinion import verdict

SLOT = {"0": False, "X": True, "-": None}
CODE = {"0": 0, "X": 1, "-": MISSING}
Scope = Literal["range", "periods"]


def _state(text: str, *, n: int, m: int, treat: MissingData, scope: Scope) -> str:
    slots = [SLOT[letter] for letter in text]
    outcomes = {
        evaluate_slots(slots, n=n, m=m, treat=treat, previous=previous, premature=scope).state
        for previous in AlarmState
    }
    return str(outcomes.pop()) if len(outcomes) == 1 else "RETAIN"


@pytest.mark.parametrize("treat", MissingData)
@pytest.mark.parametrize("length", [5, 7])
@pytest.mark.parametrize("scope", ["range", "periods"])
def test_every_string_of_slots_agrees_with_the_second_implementation(
    length: int, treat: MissingData, scope: Scope
) -> None:
    """All strings of 5 and 7 slots, all M and N, both scopes: one evaluation, and all of them in one call."""
    texts = ["".join(letters) for letters in itertools.product("0X-", repeat=length)]
    codes = np.array([[CODE[letter] for letter in text] for text in texts], dtype=np.uint8)
    for n in range(1, length + 1):
        for m in range(1, n + 1):
            expected = [verdict(text, n=n, m=m, treat=treat, scope=scope) for text in texts]
            batch = judge_windows(codes, n=n, m=m, treat=treat, premature=scope)
            assert ["RETAIN" if code == KEEP else str(STATES[code]) for code in batch] == expected
            assert [_state(text, n=n, m=m, treat=treat, scope=scope) for text in texts] == expected


def test_the_two_readings_of_the_premature_rule_differ_in_18_cases() -> None:
    """Over all 5-slot strings, N = 3, every M, `missing` and `ignore`: the size of the ambiguity."""
    cases = itertools.product(itertools.product("0X-", repeat=5), (1, 2, 3), (MissingData.MISSING, MissingData.IGNORE))
    differing = [
        letters
        for letters, m, treat in cases
        if _state("".join(letters), n=3, m=m, treat=treat, scope="range")
        != _state("".join(letters), n=3, m=m, treat=treat, scope="periods")
    ]
    assert len(differing) == 18


@given(
    st.lists(st.text("0X-", min_size=12, max_size=12), min_size=1, max_size=3),
    st.integers(1, 4),
    st.data(),
    st.sampled_from(MissingData),
    st.sampled_from(["range", "periods"]),
)
@settings(max_examples=80, derandomize=True)
def test_a_sliding_series_equals_its_evaluations_one_by_one(
    texts: list[str], n: int, data: st.DataObject, treat: MissingData, scope: Scope
) -> None:
    """Running counts over rows and windows cut out one by one give the same states, kept states included."""
    m = data.draw(st.integers(1, n))
    slots = n + data.draw(st.integers(0, 3))
    codes = np.array([[CODE[letter] for letter in text] for text in texts], dtype=np.uint8)
    verdicts = judge_rows(codes, n=n, m=m, slots=slots, treat=treat, premature=scope)
    assert verdicts.shape == (len(texts), 12 - slots + 1)
    for row, text in zip(verdicts, texts, strict=True):
        state, states = AlarmState.INSUFFICIENT_DATA, []
        for start in range(12 - slots + 1):
            seen = [SLOT[letter] for letter in text[start : start + slots]]
            state = evaluate_slots(seen, n=n, m=m, treat=treat, previous=state, premature=scope).state
            states.append(state)
        assert [STATES[code] for code in carry_states(row, 2)] == states


@given(st.text("0X-", min_size=8, max_size=8), st.lists(st.integers(0, 3), min_size=8, max_size=8), st.data())
@settings(max_examples=60, derandomize=True)
def test_low_samples_keep_the_state_alike_in_both_forms(text: str, samples: list[int], data: st.DataObject) -> None:
    """The rule over periods and the rule over the window, one by one and in a series."""
    rule = SampleRule(needed=data.draw(st.integers(1, 5)), window=data.draw(st.sampled_from(["period", "window"])))
    treat = data.draw(st.sampled_from(MissingData))
    verdicts = judge_rows(
        np.array([[CODE[letter] for letter in text]], dtype=np.uint8),
        n=2,
        m=1,
        slots=4,
        treat=treat,
        samples=np.array([samples], dtype=float),
        sample_rule=rule,
    )[0]
    state, states = AlarmState.INSUFFICIENT_DATA, []
    for start in range(5):
        state = evaluate_slots(
            [SLOT[letter] for letter in text[start : start + 4]],
            n=2,
            m=1,
            treat=treat,
            previous=state,
            samples=samples[start : start + 4],
            sample_rule=rule,
        ).state
        states.append(state)
    assert [STATES[code] for code in carry_states(verdicts, 2)] == states


def test_an_evaluation_tells_what_it_used_and_why() -> None:
    """The newest N real points, how many breach, how many were filled, and the rule that decided."""
    slots = [True, None, False, True, None]
    outcome = evaluate_slots(slots, n=2, m=1, treat=MissingData.BREACHING, previous=AlarmState.OK)
    assert (outcome.used, outcome.breaching, outcome.filled, outcome.ruling) == ((2, 3), 1, 0, Ruling.REAL_POINTS)
    outcome = evaluate_slots(slots, n=5, m=4, treat=MissingData.BREACHING, previous=AlarmState.OK)
    assert (outcome.state, outcome.breaching, outcome.filled, outcome.ruling) == (AlarmState.ALARM, 2, 2, Ruling.FILLED)
    outcome = evaluate_slots([True, None], n=3, m=2, treat=MissingData.MISSING, previous=AlarmState.OK)
    assert (outcome.state, outcome.ruling) == (AlarmState.ALARM, Ruling.PREMATURE)


def test_m_must_not_exceed_n() -> None:
    """No procedure exists for 3 out of 2."""
    with pytest.raises(InvalidValueError, match="3 of EvaluationPeriods 2"):
        evaluate_slots([True], n=2, m=3, treat=MissingData.MISSING, previous=AlarmState.OK)


@pytest.mark.parametrize(
    ("comparison", "breaching"),
    [
        (Comparison.GREATER, [3.0]),
        (Comparison.GREATER_OR_EQUAL, [2.0, 3.0]),
        (Comparison.LESS, [1.0]),
        (Comparison.LESS_OR_EQUAL, [1.0, 2.0]),
    ],
)
def test_a_point_on_the_threshold_breaches_only_with_or_equal(comparison: Comparison, breaching: list[float]) -> None:
    """Comparison has no tolerance, alone or in a series."""
    values = [1.0, 2.0, 3.0]
    assert [value for value in values if breaches(value, comparison=comparison, threshold=2.0)] == breaching
    codes = breach_codes(np.array([*values, math.nan]), comparison=comparison, threshold=2.0)
    assert codes.tolist() == [*(int(value in breaching) for value in values), MISSING]


@pytest.mark.parametrize(
    ("comparison", "expected"),
    [
        (Comparison.OUTSIDE_BAND, [1, 0, 0, 1]),
        (Comparison.BELOW_BAND, [1, 0, 0, 0]),
        (Comparison.ABOVE_BAND, [0, 0, 0, 1]),
    ],
)
def test_a_band_is_left_on_either_side(comparison: Comparison, expected: list[int]) -> None:
    """The edges belong to the band; where the band has no point there is nothing to compare."""
    values = np.array([0.0, 1.0, 2.0, 3.0, 9.0])
    lower, upper = np.array([1.0, 1.0, 1.0, 1.0, math.nan]), np.full(5, 2.0)
    codes = breach_codes(values, comparison=comparison, lower=lower, upper=upper)
    assert codes.tolist() == [*expected, MISSING]
    one_by_one = [breaches(float(value), comparison=comparison, band=(1.0, 2.0)) for value in values[:4]]
    assert [int(breach) for breach in one_by_one] == expected


@pytest.mark.parametrize(
    ("stat", "needed"),
    [("p99", 1000), ("p50", 20), ("p10", 100), ("p99.9", 10_000), ("p30", 34), ("Average", None), ("p100", None)],
)
def test_needed_samples_are_exact(stat: str, needed: int | None) -> None:
    """10/(1-p) and 10/p without the rounding of binary fractions."""
    assert needed_samples(stat) == needed
