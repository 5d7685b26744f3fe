"""Baselines from hours of metrics."""

from __future__ import annotations

from dataclasses import replace

import pytest

from monitoring.measurement import HourlyUse, measure, suggested_objectives

HOURS = 48


def use(model_id: str = "m", *, calls: float = 100, streamed: float = 1.0, latency: float = 3000) -> HourlyUse:
    """Hours that are all the same: 200 tokens out, 1000 in, 500 ms to the first token."""
    hours = range(0, 3600 * HOURS, 3600)
    values = {
        ("Invocations", "Sum"): calls,
        ("InvocationLatency", "Sum"): calls * latency,
        ("InvocationLatency", "SampleCount"): calls,
        ("InvocationLatency", "p90"): 2 * latency,
        ("TimeToFirstToken", "Sum"): calls * streamed * 500,
        ("TimeToFirstToken", "SampleCount"): calls * streamed,
        ("TimeToFirstToken", "p90"): 1000.0,
        ("OutputTokenCount", "Sum"): calls * 200,
        ("OutputTokenCount", "SampleCount"): calls,
        ("InputTokenCount", "Sum"): calls * 1000,
        ("InputTokenCount", "SampleCount"): calls,
        ("CacheReadInputTokenCount", "Sum"): calls * 3000,
    }
    return HourlyUse(model_id=model_id, columns={key: dict.fromkeys(hours, value) for key, value in values.items()})


def test_the_decode_rate_is_tokens_over_decoding() -> None:
    """200 tokens in 3000 - 500 ms are 80 tokens per second, with and without calls that do not stream."""
    for streamed in (1.0, 0.5):
        found = measure([use(streamed=streamed)], start_s=0, end_s=3600 * HOURS)
        assert found.otps == pytest.approx(80)
        assert found.streaming_share == pytest.approx(streamed)


def test_ids_are_weighted_by_their_tokens() -> None:
    """Two ids with 80 and 40 tokens per second and as many tokens give the ratio of the sums, 53.3."""
    found = measure([use("a"), use("b", latency=5500)], start_s=0, end_s=3600 * HOURS)
    assert found.otps == pytest.approx(2 * 200 / (2500 + 5000) * 1000)
    assert found.latency_p90_ms == 11000


def test_an_incident_is_no_yardstick() -> None:
    """Ten slow hours of 48 do not move the median."""
    slow = use()
    for hour in range(0, 36000, 3600):
        slow.columns["InvocationLatency", "Sum"][hour] *= 4  # type: ignore[index]
    assert measure([slow], start_s=0, end_s=3600 * HOURS).otps == pytest.approx(80)


def test_few_calls_say_nothing() -> None:
    """Hours under 20 calls count for no rate and no percentile; their tokens do."""
    found = measure([use(calls=10)], start_s=0, end_s=3600 * HOURS)
    assert (found.hours, found.otps, found.ttft_p90_ms, found.output_tokens) == (0, None, None, 200)


def test_the_cache_hit_rate_takes_the_published_names() -> None:
    """3000 read of 4000 prompt tokens are 0.75; without cache metrics there is no rate."""
    names = ("CacheReadInputTokenCount", "CacheWriteInputTokenCount")
    assert measure([use()], start_s=0, end_s=3600 * HOURS, cache_metrics=names).cache_hit_rate == 0.75
    assert measure([use()], start_s=0, end_s=3600 * HOURS).cache_hit_rate is None


def test_input_tokens_are_what_has_to_be_processed() -> None:
    """1000 uncached and 500 written to the cache are 1500 a call, as prefill-size counts them; reads are not among them."""
    names = ("CacheReadInputTokenCount", "CacheWriteInputTokenCount")
    one = use()
    columns = {
        **one.columns,
        ("CacheWriteInputTokenCount", "Sum"): {
            hour: calls * 500 for hour, calls in one.column("InputTokenCount", "SampleCount").items()
        },
    }
    found = measure([replace(one, columns=columns)], start_s=0, end_s=3600 * HOURS, cache_metrics=names)
    assert found.input_tokens == 1500
    assert measure([one], start_s=0, end_s=3600 * HOURS).input_tokens == 1000


def test_objectives_have_headroom() -> None:
    """Suggested tails lie a quarter above the worst hours, and a perfect record suggests no perfection."""
    found = suggested_objectives(measure([use(calls=1000)], start_s=0, end_s=3600 * HOURS))
    assert found == {"ttft_p90_ms": 1300, "latency_p90_ms": 7500, "success_rate": 0.998}


def test_nothing_measured_is_nothing() -> None:
    """No series, no numbers."""
    found = measure([], start_s=0, end_s=3600 * HOURS)
    assert (found.calls, found.otps, found.requests_per_minute, suggested_objectives(found)) == (0, None, None, {})
