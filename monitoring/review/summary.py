"""What did one model do in one week? Every number of the review that comes from metrics, for one stretch of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bedrock.evidence import ServedAs
from bedrock.metrics import BedrockMetric
from bedrock.models import LatencyMode
from cloudwatch.problems import InvalidValueError
from monitoring.review.decomposition import TypicalCall
from monitoring.review.readings import Slots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bedrock.models import MonitoredModel, Prices
    from monitoring.review.readings import Quantile, Readings
    from monitoring.review.week import Week

__all__ = ["DayLine", "ModelWeek", "summarise", "token_quota"]

PERCENTS = (50, 90, 99)
_HOUR_S, _MINUTE_S = 3600, 60


@dataclass(frozen=True, slots=True, kw_only=True)
class DayLine:
    """One day: calls, p90s in ms, decode rate, shares (0 to 1), dollars; None where nothing is known."""

    label: str
    calls: float
    ttft_p90_ms: float | None
    latency_p90_ms: float | None
    otps: float | None
    throttle_share: float | None
    fallback_share: float | None
    cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelWeek:
    """One week of one model; None where nothing is known or nothing happened. Shares are 0 to 1.

    Attributes:
        calls, throttles, client_errors, server_errors: Counts of the week.
        throttle_share: Throttled attempts of all attempts.
        error_share: Server errors of calls.
        fallback_share: Calls served standard of calls with a known mode, on a model that asks for optimized.
        ttft_ms, latency_ms: Percentile -> value.
        otps: Output tokens per second, sum of tokens over sum of decode time.
        streaming_share: Calls with a time to first token, of all.
        output_tokens, input_tokens, cache_write_tokens: Per call, mean.
        cache_hit_rate: Read / (input + read + write).
        cost: Dollars, tokens at configured prices.
        peak_requests, peak_tokens: Busiest minute: attempts, and quota tokens that Bedrock counted.
        typical: The median call where all calls are known, else the mean one; None where too few stream.
        typical_of: `median call` or `mean call`.
        days: Day by day.
        hourly: Name -> a value for each hour, NaN where nothing is known: calls, ttft, latency, otps, throttled, standard.
    """

    calls: float
    throttles: float
    client_errors: float
    server_errors: float
    throttle_share: float | None
    error_share: float | None
    fallback_share: float | None
    ttft_ms: dict[int, Quantile]
    latency_ms: dict[int, Quantile]
    otps: float | None
    streaming_share: float | None
    output_tokens: float | None
    input_tokens: float | None
    cache_write_tokens: float
    cache_hit_rate: float | None
    cost: float | None
    peak_requests: float | None
    peak_tokens: float | None
    typical: TypicalCall | None
    typical_of: str
    days: tuple[DayLine, ...]
    hourly: dict[str, NDArray[np.float64]]

    @property
    def cost_per_thousand(self) -> float | None:
        """Dollars per thousand calls."""
        return None if self.cost is None or not self.calls else 1000 * self.cost / self.calls


def token_quota(model: MonitoredModel) -> tuple[str, float] | None:
    """Return the tokens-per-minute quota that the model meets first, by name: past the optimized one calls are served standard."""
    quotas = model.quotas
    if model.latency is LatencyMode.OPTIMIZED and quotas.optimized_tpm is not None:
        return "optimized TPM quota", quotas.optimized_tpm
    return None if quotas.tpm is None else ("TPM quota", quotas.tpm)


def summarise(readings: Readings, week: Week) -> ModelWeek:
    """Return the numbers of one week."""
    hours = np.array(week.hours)
    at = Slots(hours, _HOUR_S)
    model = readings.model
    read, write = readings.cache_metrics

    def hourly(name: str, stat: str = "Sum") -> NDArray[np.float64]:
        return readings.sums(name, stat=stat, slots=at)

    calls, throttles = hourly(BedrockMetric.INVOCATIONS), hourly(BedrockMetric.THROTTLES)
    client, server = hourly(BedrockMetric.CLIENT_ERRORS), hourly(BedrockMetric.SERVER_ERRORS)
    tokens_in, tokens_out = hourly(BedrockMetric.INPUT_TOKENS), hourly(BedrockMetric.OUTPUT_TOKENS)
    answered = hourly(BedrockMetric.OUTPUT_TOKENS, "SampleCount")
    cached, written = (hourly(name) if model.prompt_caching else np.zeros(len(hours)) for name in (read, write))
    got, spent = readings.decode(slots=at)
    streamed, timed = hourly(BedrockMetric.TTFT, "SampleCount"), hourly(BedrockMetric.LATENCY, "SampleCount")
    standard = optimized = np.zeros(len(hours))
    if model.latency is LatencyMode.OPTIMIZED and readings.has_evidence():
        standard = readings.served(ServedAs.STANDARD, slots=at)
        optimized = readings.served(ServedAs.OPTIMIZED, slots=at)
    cost = _cost(model.prices, parts=(tokens_in, tokens_out, cached, written))
    ttft, latency = _quantiles(readings, BedrockMetric.TTFT, week), _quantiles(readings, BedrockMetric.LATENCY, week)
    series = {
        "calls": calls,
        "otps": _ratio(1000 * got, spent),
        "throttled": _ratio(throttles, calls + throttles),
        "standard": _ratio(standard, standard + optimized),
        "ttft": _ratio(hourly(BedrockMetric.TTFT), streamed),
        "latency": _ratio(hourly(BedrockMetric.LATENCY), timed),
    }
    days = _days(readings, week, series=(calls, throttles, standard, optimized, got, spent), cost=cost)
    total = float(calls.sum())
    typical, typical_of = _typical(readings, week, ttft=ttft, latency=latency, decode=(got.sum(), spent.sum()))
    peak_requests, peak_tokens = _peaks(readings, week)
    return ModelWeek(
        calls=total,
        throttles=float(throttles.sum()),
        client_errors=float(client.sum()),
        server_errors=float(server.sum()),
        throttle_share=_share(throttles, calls + throttles),
        error_share=_share(server, calls),
        fallback_share=_share(standard, standard + optimized),
        ttft_ms=ttft,
        latency_ms=latency,
        otps=None if not spent.sum() else float(1000 * got.sum() / spent.sum()),
        streaming_share=None if not timed.sum() else min(1.0, float(streamed.sum() / timed.sum())),
        output_tokens=_share(tokens_out, answered),
        input_tokens=_share(tokens_in, answered),
        cache_write_tokens=_share(written, answered) or 0.0,
        cache_hit_rate=_share(cached, tokens_in + cached + written) if model.prompt_caching else None,
        cost=None if cost is None else float(cost.sum()),
        peak_requests=peak_requests,
        peak_tokens=peak_tokens,
        typical=typical,
        typical_of=typical_of,
        days=days,
        hourly=series,
    )


def _share(part: NDArray[np.float64], whole: NDArray[np.float64]) -> float | None:
    total = float(whole.sum())
    return float(part.sum()) / total if total else None


def _ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)
    return found


def _cost(prices: Prices, *, parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64] | None:
    """Return dollars; None where a kind of token that was used has no price."""
    kinds = (prices.input, prices.output, prices.cache_read, prices.cache_write)
    if any(price is None and part.any() for price, part in zip(kinds, parts, strict=True)):
        return None
    total = np.zeros(np.shape(parts[0]))
    for price, part in zip(kinds, parts, strict=True):
        total = total + part * (price or 0.0) / 1_000_000
    return total


def _quantiles(readings: Readings, name: str, week: Week) -> dict[int, Quantile]:
    found = {
        percent: readings.quantile(name, percent=percent, start_s=week.start_s, end_s=week.end_s)
        for percent in PERCENTS
    }
    return {percent: value for percent, value in found.items() if value is not None}


def _typical(
    readings: Readings,
    week: Week,
    *,
    ttft: dict[int, Quantile],
    latency: dict[int, Quantile],
    decode: tuple[float, float],
) -> tuple[TypicalCall | None, str]:
    tokens = readings.quantile(BedrockMetric.OUTPUT_TOKENS, percent=50, start_s=week.start_s, end_s=week.end_s)
    first, last = ttft.get(50), latency.get(50)
    if first and last and tokens and first.exact and last.exact and tokens.exact:
        try:
            found = TypicalCall(latency_ms=last.value, ttft_ms=first.value, output_tokens=tokens.value)
        except InvalidValueError:
            return None, ""
        return found, "median call"
    span = Slots(np.array(week.hours), _HOUR_S)

    def mean(name: str) -> float:
        count = readings.sums(name, stat="SampleCount", slots=span).sum()
        return float(readings.sums(name, slots=span).sum() / count) if count else 0.0

    got, spent = decode
    if not spent:
        return None, ""
    length, first_ms = mean(BedrockMetric.OUTPUT_TOKENS), mean(BedrockMetric.TTFT)
    try:
        whole = first_ms + length * spent / got if got else 0.0
        return TypicalCall(latency_ms=whole, ttft_ms=first_ms, output_tokens=length), "mean call"
    except InvalidValueError:
        return None, ""


def _peaks(readings: Readings, week: Week) -> tuple[float | None, float | None]:
    if not readings.minutes:
        return None, None
    at = Slots(np.array(week.minutes), _MINUTE_S)
    attempts = readings.sums(BedrockMetric.INVOCATIONS, slots=at) + readings.sums(BedrockMetric.THROTTLES, slots=at)
    tokens = readings.sums(BedrockMetric.TPM_USAGE, slots=at)
    return float(attempts.max()) or None, float(tokens.max()) or None


def _days(
    readings: Readings,
    week: Week,
    *,
    series: Sequence[NDArray[np.float64]],
    cost: NDArray[np.float64] | None,
) -> tuple[DayLine, ...]:
    hours = np.array(week.hours)
    lines = []
    for day in week.days:
        inside = (hours >= day.start_s) & (hours < day.end_s)
        calls, throttles, standard, optimized, got, spent = (column[inside] for column in series)

        def tail(name: str, start_s: int = day.start_s, end_s: int = day.end_s) -> float | None:
            found = readings.quantile(name, percent=90, start_s=start_s, end_s=end_s)
            return None if found is None else found.value

        lines.append(
            DayLine(
                label=day.label,
                calls=float(calls.sum()),
                ttft_p90_ms=tail(BedrockMetric.TTFT),
                latency_p90_ms=tail(BedrockMetric.LATENCY),
                otps=float(1000 * got.sum() / spent.sum()) if spent.sum() else None,
                throttle_share=_share(throttles, calls + throttles),
                fallback_share=_share(standard, standard + optimized),
                cost=None if cost is None else float(cost[inside].sum()),
            )
        )
    return tuple(lines)
