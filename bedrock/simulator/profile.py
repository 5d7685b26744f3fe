"""How does a model serve its calls on a good day? Everything the simulation needs, derived from the monitored model.

Baselines, quotas and objectives come from the model, shapes of distributions from here. A scale that the model does not
name (its time to first token without an objective) has a default that grows with the prompt.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from bedrock.models import LatencyMode, MonitoredModel
from bedrock.simulator.draws import stream

__all__ = ["Profile", "fit_quotas", "lognormal_tokens", "profile_for", "unit_ttft"]

OBJECTIVE_MARGIN = 1.4
"""Users' objective over the healthy p90: what an objective that is neither idle nor always broken looks like."""

LONG_REQUEST_TOKENS = 11_000
"""Llama 3.1 405B above this many tokens is always served standard (Bedrock User Guide, latency-optimized inference)."""

INPUT_SIGMA, OUTPUT_SIGMA = 0.4, 0.6  # of the logarithm of token counts
DECODE_SIGMA = 0.12  # of the logarithm of a call's output rate
CACHE_RELIABILITY = 0.97  # probability that a prefix in use is found in the cache
_BASE, _PREFILL, _QUEUE, _NETWORK = 0.40, 0.40, 0.10, 0.10  # parts of the mean time to first token
_TTFT_SIGMA = 0.18
_STANDARD_SLOWDOWN = 1.8
_SAMPLE = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A model on a good day. Index 0 of a pair is served standard, index 1 served optimized.

    Attributes:
        asks_optimized: Whether callers ask for latency-optimized inference.
        otps: Output tokens per second.
        ttft_s: Mean time to first token in seconds at mean load and mean prompt.
        mean_duration_s: Mean time from request to last token, seconds.
        input_tokens: Mean uncached tokens of a prompt after its cached prefix.
        prefix_tokens: Tokens of a prompt's cacheable prefix; 0 without prompt caching.
        output_tokens: Mean answer.
        max_tokens: max_tokens that callers send.
        burndown: Quota tokens per output token at settlement.
        ttft_p90_ms: Healthy p90 of the time to first token, in the mode that callers ask for.
        latency_p90_ms: Healthy p90 of the whole time, in the same mode.
        charge_tokens: Mean quota tokens that a request holds in a minute's window: settled, and reserved while it runs.
        charge_deviation: Root mean square of the same.
        long_request_tokens: Total tokens above which a call is always served standard, or None.
        client_error_rate: Healthy probability of a 4xx.
        server_error_rate: Healthy probability of a 5xx per attempt.
        attempts: Attempts an SDK makes.
    """

    asks_optimized: bool
    otps: tuple[float, float]
    ttft_s: tuple[float, float]
    mean_duration_s: tuple[float, float]
    input_tokens: float
    prefix_tokens: int
    output_tokens: float
    max_tokens: int
    burndown: float
    ttft_p90_ms: float
    latency_p90_ms: float
    charge_tokens: float
    charge_deviation: float
    long_request_tokens: int | None
    client_error_rate: float
    server_error_rate: float
    attempts: int


@lru_cache(maxsize=256)
def profile_for(model: MonitoredModel) -> Profile:
    """Derive the healthy behaviour of a model."""
    base = model.baselines
    optimized = model.latency is LatencyMode.OPTIMIZED
    standard_otps = base.standard_otps or base.otps / _STANDARD_SLOWDOWN if optimized else base.otps
    ratio = max(base.otps / standard_otps, 1.0)
    max_tokens = model.quotas.max_tokens or max(512, math.ceil(4 * base.output_tokens))
    hit_rate = min(base.cache_hit_rate, 0.93) if model.prompt_caching else 0.0
    prefix = round(hit_rate * base.input_tokens / (CACHE_RELIABILITY - hit_rate))
    success = model.objectives.success_rate or 0.99

    unit, uncached, output = _unit_sample(base.input_tokens, base.output_tokens, max_tokens)
    if model.objectives.ttft_p90_ms is not None:
        p90_s = model.objectives.ttft_p90_ms / 1000 / OBJECTIVE_MARGIN
    else:
        p90_s = 0.35 + base.input_tokens * 1.5e-4
    asked_ttft = p90_s / float(np.quantile(unit, 0.9))
    standard_ttft = asked_ttft * max(2.0, ratio**1.25) if optimized else asked_ttft
    duration = unit * asked_ttft + output / base.otps
    settled = uncached + output * model.quotas.burndown
    held = settled + np.maximum(uncached + max_tokens - settled, 0.0) * np.minimum(duration, 60.0) / 60.0
    mean_duration = float(duration.mean())
    standard_duration = float((unit * standard_ttft + output / standard_otps).mean())
    return Profile(
        asks_optimized=optimized,
        otps=(standard_otps, base.otps),
        ttft_s=(standard_ttft, asked_ttft),
        mean_duration_s=(standard_duration, mean_duration),
        input_tokens=base.input_tokens,
        prefix_tokens=prefix,
        output_tokens=base.output_tokens,
        max_tokens=max_tokens,
        burndown=model.quotas.burndown,
        ttft_p90_ms=p90_s * 1000,
        latency_p90_ms=float(np.quantile(duration, 0.9)) * 1000,
        charge_tokens=float(held.mean()),
        charge_deviation=float(np.sqrt((held**2).mean())),
        long_request_tokens=LONG_REQUEST_TOKENS
        if optimized and any("llama3-1-405b" in model_id for model_id in model.model_ids)
        else None,
        client_error_rate=min(1e-3, (1 - success) / 4),
        server_error_rate=1e-4,
        attempts=max(model.sdk_max_attempts, 1),
    )


def fit_quotas(model: MonitoredModel, requests_per_minute: float) -> MonitoredModel:
    """Return the model with quotas that fit a traffic: twice the mean use, and six deviations of a minute.

    A benchmark that varies traffic synthesises its alarms from this model: quotas far above or below what a workload needs
    would say more about the example than about the alarms.
    """
    profile = profile_for(model)

    def fitted(mean: float, deviation: float) -> float:
        tokens = 2 * requests_per_minute * mean + 6 * math.sqrt(requests_per_minute) * deviation
        return float(math.ceil(tokens / 1000) * 1000)

    tokens = fitted(profile.charge_tokens, profile.charge_deviation)
    quotas = replace(
        model.quotas,
        tpm=tokens,
        rpm=float(math.ceil(2 * requests_per_minute + 6 * math.sqrt(requests_per_minute))),
        optimized_tpm=tokens if profile.asks_optimized else model.quotas.optimized_tpm,
    )
    return replace(model, requests_per_minute=requests_per_minute, quotas=quotas)


def _unit_sample(
    input_tokens: float, output_tokens: float, max_tokens: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = stream(0, "calibration")
    uncached = lognormal_tokens(rng, mean=input_tokens, sigma=INPUT_SIGMA, size=_SAMPLE)
    output = np.minimum(lognormal_tokens(rng, mean=output_tokens, sigma=OUTPUT_SIGMA, size=_SAMPLE), max_tokens)
    return unit_ttft(rng, relative_prompt=uncached / input_tokens, load=np.ones(1)), uncached, output


def lognormal_tokens(rng: np.random.Generator, *, mean: float, sigma: float, size: int) -> np.ndarray:
    """Draw token counts with a mean: float64, whole numbers of at least 1, shape (size,)."""
    tokens: np.ndarray = np.exp(rng.standard_normal(size, dtype=np.float32) * np.float32(sigma)).astype(np.float64)
    tokens *= mean * math.exp(-sigma * sigma / 2)
    return np.asarray(np.maximum(np.rint(tokens), 1.0))


def unit_ttft(rng: np.random.Generator, *, relative_prompt: np.ndarray, load: np.ndarray) -> np.ndarray:
    """Draw times to first token whose mean is 1 at mean prompt and load 1; shape of `relative_prompt`.

    Args:
        rng: Stream of the draws.
        relative_prompt: Tokens to prefill over their healthy mean.
        load: Load of the service, 1 on average; queueing grows with its fourth power.
    """
    size = relative_prompt.shape[0]
    jitter = np.exp(rng.standard_normal(size, dtype=np.float32) * np.float32(_TTFT_SIGMA))
    waiting = rng.standard_exponential(size, dtype=np.float32)
    unit: np.ndarray = (_BASE + _PREFILL * relative_prompt) * jitter
    unit *= load
    unit += _NETWORK + _QUEUE * waiting * load**4
    return unit
