"""What does each call ask for, and how long would it take? Every draw of a scenario, before quotas and queues decide.

Times are drawn for both modes, so that a call that falls back keeps its prompt, its answer and its luck. The speed of the
service depends on a slow exogenous load (the service is shared) and, a little, on the planned traffic of the minute, never
on single calls: that is what lets a quiet hour be computed at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bedrock.simulator.draws import stream
from bedrock.simulator.profile import (
    CACHE_RELIABILITY,
    DECODE_SIGMA,
    INPUT_SIGMA,
    OUTPUT_SIGMA,
    Profile,
    lognormal_tokens,
    profile_for,
    unit_ttft,
)
from bedrock.simulator.scenario import Effect, Scenario
from bedrock.simulator.traffic import Arrivals, arrivals

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ERROR_S", "CallPlan", "ServiceSettings", "plan_calls"]

ERROR_S = 0.08
"""Seconds until a refused call (4xx, throttle) comes back."""

_CACHE_TTL_S = 300.0
_LOAD_KNOT_MINUTES = 15
_LOAD_SIGMA = 0.04
_OWN_LOAD = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """What AWS leaves open about the service.

    Attributes:
        reserve_cache_reads: Whether the reservation at the start holds cache reads until settlement.
        client_concurrency: Calls that clients keep in flight at most; None sizes it from the traffic.
    """

    reserve_cache_reads: bool = False
    client_concurrency: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPlan:
    """Every call of a scenario as it would be served if nothing held it up. Arrays have shape (calls,).

    Attributes:
        arrivals: When the calls come.
        profile: Healthy behaviour of the model.
        alias: Index into the model's ModelIds.
        streams: Whether the call streams.
        uncached, cache_read, cache_write, output: Tokens, float64 whole numbers.
        max_tokens: max_tokens that the call sends.
        reserved: Quota tokens taken at the start.
        settled: Quota tokens used at the end.
        ttft_s: Seconds to the first token: served standard, served optimized. One array twice on a standard model.
        duration_s: Seconds to the last token, the same way.
        optimizable: Whether the call may be served optimized: asked for, and not too long for it.
        client_error: Whether the call is refused with a 4xx.
        error_luck: Uniform (0 to 1): a 5xx where it is under the probability of the minute.
        retry_luck: Uniform (0 to 1) from which the pauses of a client's retries are made.
        overflow: Whether a reserved-tier call is served by the default tier, or None without reserved tier.
        concurrency: Calls that clients keep in flight at most.
    """

    arrivals: Arrivals
    profile: Profile
    alias: np.ndarray
    streams: np.ndarray
    uncached: np.ndarray
    cache_read: np.ndarray
    cache_write: np.ndarray
    output: np.ndarray
    max_tokens: np.ndarray
    reserved: np.ndarray
    settled: np.ndarray
    ttft_s: tuple[np.ndarray, np.ndarray]
    duration_s: tuple[np.ndarray, np.ndarray]
    optimizable: np.ndarray
    client_error: np.ndarray
    error_luck: np.ndarray
    retry_luck: np.ndarray
    overflow: np.ndarray | None
    concurrency: int

    @property
    def count(self) -> int:
        """Number of calls."""
        return int(self.arrivals.time_s.shape[0])


def plan_calls(scenario: Scenario, *, settings: ServiceSettings) -> CallPlan:
    """Draw every call of a scenario."""
    model, seed = scenario.model, scenario.seed
    profile = profile_for(model)
    came = arrivals(scenario)
    size, minute = int(came.time_s.shape[0]), came.minute

    def at_arrival(effect: Effect) -> np.ndarray | None:
        values = scenario.effect(effect)
        return None if values is None else values[minute]

    uncached = lognormal_tokens(stream(seed, "input"), mean=profile.input_tokens, sigma=INPUT_SIGMA, size=size)
    uncached = _scaled_tokens(uncached, at_arrival(Effect.INPUT))
    limit = _scaled_tokens(np.full(size, float(profile.max_tokens)), at_arrival(Effect.MAX_TOKENS))
    output = lognormal_tokens(stream(seed, "output"), mean=profile.output_tokens, sigma=OUTPUT_SIGMA, size=size)
    output = np.minimum(_scaled_tokens(output, at_arrival(Effect.OUTPUT)), limit)
    cache_read, cache_write = _cache(scenario, profile, came, at_arrival(Effect.CACHE))

    load = _load(scenario, came)[minute]
    relative = (uncached + cache_write) / profile.input_tokens
    unit = unit_ttft(stream(seed, "ttft"), relative_prompt=relative, load=load)
    unit = _times(unit, at_arrival(Effect.TTFT))
    wait = at_arrival(Effect.WAIT)
    if wait is not None:
        unit += wait
    jitter = stream(seed, "decode").standard_normal(size, dtype=np.float32) * np.float32(DECODE_SIGMA)
    decode = output * np.exp(jitter) * load
    slower = at_arrival(Effect.DECODE)
    if slower is not None:
        decode /= slower
    ttft_standard = unit * profile.ttft_s[0]
    duration_standard = ttft_standard + decode / profile.otps[0]
    ttft_optimized, duration_optimized = ttft_standard, duration_standard
    if profile.asks_optimized:
        ttft_optimized = unit * profile.ttft_s[1]
        duration_optimized = ttft_optimized + decode / profile.otps[1]

    errors = at_arrival(Effect.CLIENT_ERRORS)
    client_rate = profile.client_error_rate if errors is None else profile.client_error_rate + errors
    streaming = at_arrival(Effect.STREAMING)
    share = model.streaming_share if streaming is None else model.streaming_share * streaming
    optimizable = np.full(size, profile.asks_optimized)
    if profile.long_request_tokens is not None:
        optimizable &= uncached + cache_read + cache_write + output <= profile.long_request_tokens
    overflow = at_arrival(Effect.OVERFLOW)
    prompt = uncached + cache_write + (cache_read if settings.reserve_cache_reads else 0.0)
    return CallPlan(
        arrivals=came,
        profile=profile,
        alias=_aliases(scenario, size),
        streams=stream(seed, "streaming").random(size, dtype=np.float32) < share,
        uncached=uncached,
        cache_read=cache_read,
        cache_write=cache_write,
        output=output,
        max_tokens=limit,
        reserved=prompt + limit,  # as bedrock.quotas.reserved_tokens and consumed_tokens, over arrays
        settled=np.rint(uncached + cache_write + output * profile.burndown),
        ttft_s=(ttft_standard, ttft_optimized),
        duration_s=(duration_standard, duration_optimized),
        optimizable=optimizable,
        client_error=stream(seed, "client-errors").random(size, dtype=np.float32) < client_rate,
        error_luck=stream(seed, "server-errors").random(size),
        retry_luck=stream(seed, "retries").random(size, dtype=np.float32),
        overflow=_overflow(scenario, size, overflow),
        concurrency=settings.client_concurrency or _concurrency(scenario, profile),
    )


def _scaled_tokens(tokens: np.ndarray, factor: np.ndarray | None) -> np.ndarray:
    return tokens if factor is None else np.maximum(np.rint(tokens * factor), 1.0)


def _times(values: np.ndarray, factor: np.ndarray | None) -> np.ndarray:
    return values if factor is None else values * factor


def _load(scenario: Scenario, came: Arrivals) -> np.ndarray:
    """Load of the service in each minute, 1 on average: a slow walk of its own, and a little of the planned traffic."""
    knots = scenario.minutes // _LOAD_KNOT_MINUTES + 2
    walk = stream(scenario.seed, "load").standard_normal(knots) * _LOAD_SIGMA
    minute = np.arange(scenario.minutes)
    exogenous = np.interp(minute, np.arange(knots) * _LOAD_KNOT_MINUTES, walk)
    own = np.clip(came.planned / scenario.requests_per_minute, 0.0, 3.0) - 1.0
    return np.asarray(np.exp(exogenous + _OWN_LOAD * own))


def _concurrency(scenario: Scenario, profile: Profile) -> int:
    running = scenario.requests_per_minute / 60 * profile.mean_duration_s[0]
    return 20 + round(16 * running + scenario.requests_per_minute / 2)


def _aliases(scenario: Scenario, size: int) -> np.ndarray:
    count = len(scenario.model.model_ids)
    if count == 1:
        return np.zeros(size, dtype=np.int8)
    shares: Sequence[float] = scenario.traffic.alias_shares[:count]
    weights = np.array([*shares, *[0.0] * (count - len(shares))]) if sum(shares) > 0 else np.ones(count)
    edges = np.cumsum(weights / weights.sum())[:-1]
    return np.searchsorted(edges, stream(scenario.seed, "aliases").random(size), side="right").astype(np.int8)


def _overflow(scenario: Scenario, size: int, probability: np.ndarray | None) -> np.ndarray | None:
    if not scenario.model.reserved_tier:
        return None
    if probability is None:
        return np.zeros(size, dtype=bool)
    return np.asarray(stream(scenario.seed, "overflow").random(size) < probability)


def _cache(
    scenario: Scenario, profile: Profile, came: Arrivals, factor: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Read and written prefix tokens: a prefix is found if it was used within its time to live, and with some luck."""
    size = int(came.time_s.shape[0])
    nothing = np.zeros(size)
    if profile.prefix_tokens == 0:
        return nothing, nothing
    in_lifetime = scenario.requests_per_minute * _CACHE_TTL_S / 60
    prefixes = int(np.clip(in_lifetime / 200, 1, 50))
    rng = stream(scenario.seed, "cache")
    which = rng.integers(0, prefixes, size=size, dtype=np.int8)
    luck = rng.random(size, dtype=np.float32)
    order = np.argsort(which, kind="stable")
    gap = np.full(size, np.inf)
    same = which[order][1:] == which[order][:-1]
    gap[order[1:]] = np.where(same, np.diff(came.time_s[order]), np.inf)
    hit = (gap < _CACHE_TTL_S) & (luck < (CACHE_RELIABILITY if factor is None else CACHE_RELIABILITY * factor))
    return np.where(hit, float(profile.prefix_tokens), 0.0), np.where(hit, 0.0, float(profile.prefix_tokens))
