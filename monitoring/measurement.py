"""How does a model behave in its account? Baselines and objectives from hours of its own metrics.

Counts and tokens of several ModelId values add up; percentiles do not, so of a percentile the worst value of the hour is taken.
The decode rate is measured as its alarm measures it: tokens over (latency - time to first token), token-weighted, where the
first-token time of streamed calls stands in for the calls that do not stream. A baseline is the median over hours with enough
calls, so that an incident in the two weeks does not become the yardstick.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["FEWEST_CALLS", "HourlyUse", "Measured", "measure", "suggested_objectives"]

FEWEST_CALLS = 20
"""Calls that an hour needs before it counts for a median."""
_HEADROOM = 1.25
_MISSES = 0.002


@dataclass(frozen=True, slots=True, kw_only=True)
class HourlyUse:
    """Hours of one ModelId value.

    Attributes:
        model_id: The value.
        columns: (metric name, statistic) -> epoch second of the hour -> value.
    """

    model_id: str
    columns: Mapping[tuple[str, str], Mapping[int, float]]

    def column(self, name: str, stat: str = "Sum") -> Mapping[int, float]:
        """Return one column, empty where there is none."""
        return self.columns.get((name, stat), {})

    @property
    def calls(self) -> float:
        """Calls of the whole time: requests that CloudWatch counted as invocations."""
        return sum(self.column("Invocations").values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was measured of a model, all its ModelId values together; None where too little was seen.

    Attributes:
        start_s, end_s: Time that was looked at, epoch seconds.
        calls: Calls in it.
        hours: Hours with at least `FEWEST_CALLS` calls.
        requests_per_minute: Rate that three hours of four stay below, empty hours included.
        streaming_share: Calls with a time to first token, of all, 0 to 1.
        otps: Output tokens per second, median of the hours.
        output_tokens, input_tokens: Tokens per call, mean of all.
        cache_hit_rate: Read / (input + read + write), of all, 0 to 1; None without prompt caching.
        ttft_p90_ms, latency_p90_ms: 95th percentile over the hours of the worst hourly p90.
        success_rate: Served calls of all attempts, 0 to 1.
        throttles: Throttled attempts.
    """

    start_s: int
    end_s: int
    calls: float
    hours: int
    requests_per_minute: float | None = None
    streaming_share: float | None = None
    otps: float | None = None
    output_tokens: float | None = None
    input_tokens: float | None = None
    cache_hit_rate: float | None = None
    ttft_p90_ms: float | None = None
    latency_p90_ms: float | None = None
    success_rate: float | None = None
    throttles: float = 0.0


def measure(
    uses: Sequence[HourlyUse], *, start_s: int, end_s: int, cache_metrics: tuple[str, str] | None = None
) -> Measured:
    """Return what hours of one model say.

    Args:
        uses: One for each ModelId value.
        start_s: First second that was asked for.
        end_s: Second after the last.
        cache_metrics: Names of the cache read and cache write metrics, or None without prompt caching.
    """
    calls = _added(uses, "Invocations")
    total = sum(calls.values())
    counted = [hour for hour, number in calls.items() if number >= FEWEST_CALLS]
    latencies, firsts = (
        _added(uses, "InvocationLatency", "SampleCount"),
        _added(uses, "TimeToFirstToken", "SampleCount"),
    )
    served = sum(latencies.values())
    throttles = sum(_added(uses, "InvocationThrottles").values())
    failed = sum(sum(_added(uses, name).values()) for name in ("InvocationClientErrors", "InvocationServerErrors"))
    attempts = total + throttles
    return Measured(
        start_s=start_s,
        end_s=end_s,
        calls=total,
        hours=len(counted),
        requests_per_minute=_three_of_four(calls, hours=(end_s - start_s) // 3600),
        streaming_share=min(1.0, sum(firsts.values()) / served) if served else None,
        otps=_decode_rate(uses, hours=counted),
        output_tokens=_mean(uses, "OutputTokenCount"),
        input_tokens=_to_process(uses, cache_metrics=cache_metrics),
        cache_hit_rate=_cache_hit(uses, cache_metrics=cache_metrics),
        ttft_p90_ms=_tail(uses, "TimeToFirstToken", hours=counted),
        latency_p90_ms=_tail(uses, "InvocationLatency", hours=counted),
        success_rate=max(0.0, 1 - (throttles + failed) / attempts) if attempts else None,
        throttles=throttles,
    )


def suggested_objectives(measured: Measured) -> dict[str, float]:
    """Return objectives that the two weeks would have met: tails with a quarter of headroom, two significant digits."""
    found: dict[str, float] = {}
    for name, value in (("ttft_p90_ms", measured.ttft_p90_ms), ("latency_p90_ms", measured.latency_p90_ms)):
        if value is not None and value > 0:
            found[name] = _rounded_up(value * _HEADROOM)
    if measured.success_rate is not None and measured.calls >= FEWEST_CALLS / _MISSES:
        found["success_rate"] = max(0.9, int(1000 * min(0.999, measured.success_rate - _MISSES)) / 1000)
    return found


def _added(uses: Iterable[HourlyUse], name: str, stat: str = "Sum") -> dict[int, float]:
    total: dict[int, float] = {}
    for use in uses:
        for hour, value in use.column(name, stat).items():
            total[hour] = total.get(hour, 0.0) + value
    return total


def _to_process(uses: Sequence[HourlyUse], *, cache_metrics: tuple[str, str] | None) -> float | None:
    """Return input tokens per call that were not read from the cache: uncached ones and cache writes."""
    count = sum(_added(uses, "InputTokenCount", "SampleCount").values())
    written = sum(_added(uses, cache_metrics[1]).values()) if cache_metrics else 0.0
    return (sum(_added(uses, "InputTokenCount").values()) + written) / count if count else None


def _mean(uses: Sequence[HourlyUse], name: str) -> float | None:
    count = sum(_added(uses, name, "SampleCount").values())
    return sum(_added(uses, name).values()) / count if count else None


def _three_of_four(calls: Mapping[int, float], *, hours: int) -> float | None:
    if not calls:
        return None
    rates = sorted([0.0] * max(0, hours - len(calls)) + [number / 60 for number in calls.values()])
    rate = rates[min(len(rates) - 1, int(0.75 * len(rates)))]
    return rate or max(rates)


def _decode_rate(uses: Sequence[HourlyUse], *, hours: Iterable[int]) -> float | None:
    rates = []
    for hour in hours:
        tokens = spent = 0.0
        for use in uses:
            firsts = use.column("TimeToFirstToken", "SampleCount").get(hour, 0.0)
            calls = use.column("InvocationLatency", "SampleCount").get(hour, 0.0)
            if not firsts or not calls:
                continue
            first = use.column("TimeToFirstToken").get(hour, 0.0) / firsts
            decoding = use.column("InvocationLatency").get(hour, 0.0) - first * calls
            if decoding > 0:
                tokens += use.column("OutputTokenCount").get(hour, 0.0)
                spent += decoding
        if spent > 0 and tokens > 0:
            rates.append(1000 * tokens / spent)
    return median(rates) if rates else None


def _cache_hit(uses: Sequence[HourlyUse], *, cache_metrics: tuple[str, str] | None) -> float | None:
    if cache_metrics is None:
        return None
    read, write = (sum(_added(uses, name).values()) for name in cache_metrics)
    prompt = sum(_added(uses, "InputTokenCount").values()) + read + write
    return read / prompt if prompt and (read or write) else None


def _tail(uses: Sequence[HourlyUse], name: str, *, hours: Iterable[int]) -> float | None:
    wanted = set(hours)
    worst: dict[int, float] = {}
    for use in uses:
        for hour, value in use.column(name, "p90").items():
            if hour in wanted and use.column(name, "SampleCount").get(hour, 0.0) >= FEWEST_CALLS / 2:
                worst[hour] = max(value, worst.get(hour, 0.0))
    values = sorted(worst.values())
    return values[min(len(values) - 1, int(0.95 * len(values)))] if values else None


def _rounded_up(value: float) -> float:
    digits = len(str(int(value)))
    step = 10 ** max(0, digits - 2)
    return float(-(-int(value + 0.999999) // step) * step)
