"""Slower or chattier: three contributions that always sum to the change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloudwatch.problems import InvalidValueError
from monitoring.review.decomposition import TypicalCall, Verdict, decompose


def call(latency_ms: float, ttft_ms: float, output_tokens: float) -> TypicalCall:
    """A call."""
    return TypicalCall(latency_ms=latency_ms, ttft_ms=ttft_ms, output_tokens=output_tokens)


def test_twice_the_answer_at_the_same_rate_is_all_length() -> None:
    """6 s to 11 s with 1 s to the first token and answers of 300 to 600 tokens: 60 tokens/s before and after, all length."""
    found = decompose(call(6000, 1000, 300), call(11_000, 1000, 600))
    assert found.before.otps == found.after.otps == 60
    assert (found.prefill_ms, found.decode_ms, found.length_ms) == (0, 0, 5000)
    assert found.verdict is Verdict.CHATTIER
    assert found.sentence == "Chattier, not slower: 6.00 s became 11.00 s, all of it answers of 300 to 600 tokens."


@pytest.mark.parametrize(
    ("after", "verdict"),
    [
        pytest.param(call(11_000, 1000, 300), Verdict.SLOWER, id="half the rate"),
        pytest.param(call(3500, 1000, 300), Verdict.FASTER, id="twice the rate"),
        pytest.param(call(9000, 4000, 300), Verdict.LATER, id="a later first token"),
        pytest.param(call(5200, 200, 300), Verdict.EARLIER, id="an earlier first token"),
        pytest.param(call(3500, 1000, 150), Verdict.TERSER, id="half the answer"),
        pytest.param(call(6200, 1000, 312), Verdict.UNCHANGED, id="a few per cent"),
        pytest.param(call(9000, 2500, 345), Verdict.MIXED, id="a little of everything"),
    ],
)
def test_the_dominant_part_is_the_verdict(after: TypicalCall, verdict: Verdict) -> None:
    """Each part alone is named; none that dominates is mixed."""
    found = decompose(call(6000, 1000, 300), after)
    assert found.verdict is verdict
    assert found.sentence.lower().startswith(verdict.value)


numbers = st.floats(min_value=1, max_value=1e5)
calls = st.tuples(numbers, numbers, numbers).map(lambda three: call(three[0] + three[1], three[0], three[2]))


@given(calls, calls)
def test_the_parts_sum_to_the_change_and_turn_round(before: TypicalCall, after: TypicalCall) -> None:
    """Whatever the calls, the three parts are the change; backwards each part is its own opposite."""
    there, back = decompose(before, after), decompose(after, before)
    total = there.prefill_ms + there.decode_ms + there.length_ms
    scale = 1e-9 * (1 + abs(there.length_ms) + abs(there.decode_ms) + before.latency_ms + after.latency_ms)
    assert total == pytest.approx(there.change_ms, abs=scale)
    assert there.length_ms == pytest.approx(-back.length_ms, abs=scale)
    assert there.decode_ms == pytest.approx(-back.decode_ms, abs=scale)


@pytest.mark.parametrize("three", [(1000, 1000, 10), (1000, 2000, 10), (1000, 100, 0), (float("nan"), 1, 1)])
def test_a_call_without_decode_time_is_refused(three: tuple[float, float, float]) -> None:
    """There is no rate without tokens and time between the first and the last."""
    with pytest.raises(InvalidValueError, match="no decode rate"):
        call(*three)
