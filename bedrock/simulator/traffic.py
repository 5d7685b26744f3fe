"""When do calls arrive? A Poisson process whose rate follows the day, the week, bursts and batches.

The planned rate is what a schedule would say; the actual one adds minute-to-minute unsteadiness, bursts and the effects of
the scenario. Batches (one user's job that sends many calls at once) come on top of it, within twenty seconds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bedrock.simulator.draws import stream
from bedrock.simulator.scenario import Effect, Scenario

__all__ = ["Arrivals", "arrivals", "planned_rate"]

_PEAK_HOUR = 14.0
_DAY_S = 86_400
_MONDAY_OFFSET_S = 3 * _DAY_S  # 1 January 1970 was a Thursday
_BATCH_SPREAD_S = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrivals:
    """Calls as users make them.

    Attributes:
        time_s: Seconds since the start of the scenario, ascending, float64 of shape (calls,).
        minute: Minute of arrival, int64 of shape (calls,).
        planned: Planned calls of each minute, effects on traffic included, float64 of shape (minutes,).
    """

    time_s: np.ndarray
    minute: np.ndarray
    planned: np.ndarray


def planned_rate(scenario: Scenario) -> np.ndarray:
    """Return the planned calls of each minute on a good day, float64 of shape (minutes,)."""
    shape = scenario.traffic
    second = scenario.start_s + 60.0 * np.arange(scenario.minutes)
    hour = (second % _DAY_S) / 3600
    daily = 0.5 + 0.5 * np.cos((hour - _PEAK_HOUR) * (2 * math.pi / 24))
    rate = shape.trough + (1 - shape.trough) * np.minimum(daily * 1.3, 1.0)
    weekday = ((second + _MONDAY_OFFSET_S) // _DAY_S) % 7
    return np.asarray(scenario.requests_per_minute * rate * np.where(weekday >= 5, shape.weekend, 1.0))


def arrivals(scenario: Scenario) -> Arrivals:
    """Draw the arrivals of a scenario."""
    shape, minutes = scenario.traffic, scenario.minutes
    planned = planned_rate(scenario)
    traffic = scenario.effect(Effect.TRAFFIC)
    if traffic is not None:
        planned = planned * traffic
    actual = planned.copy()
    if shape.noise > 0:
        noise = stream(scenario.seed, "traffic-noise").standard_normal(minutes)
        actual *= np.exp(shape.noise * noise - shape.noise**2 / 2)
    _add_bursts(actual, scenario)
    counts = stream(scenario.seed, "arrival-counts").poisson(actual)
    minute = np.repeat(np.arange(minutes), counts)
    time_s = (minute + stream(scenario.seed, "arrivals").random(minute.shape[0])) * 60.0
    batches = _batches(scenario, planned)
    if batches.size:
        time_s = np.concatenate([time_s, batches])
    time_s.sort()
    return Arrivals(time_s=time_s, minute=(time_s / 60.0).astype(np.int64), planned=planned)


def _add_bursts(rate: np.ndarray, scenario: Scenario) -> None:
    shape = scenario.traffic
    if shape.bursts_per_day <= 0:
        return
    rng = stream(scenario.seed, "bursts")
    for start in _moments(rng, per_day=shape.bursts_per_day, minutes=scenario.minutes):
        length = int(rng.integers(shape.burst_minutes[0], shape.burst_minutes[1] + 1))
        rate[start : start + length] *= rng.uniform(*shape.burst_factor)


def _batches(scenario: Scenario, planned: np.ndarray) -> np.ndarray:
    shape = scenario.traffic
    if shape.fan_outs_per_day <= 0:
        return np.empty(0)
    rng = stream(scenario.seed, "fan-outs")
    found = []
    for start in _moments(rng, per_day=shape.fan_outs_per_day, minutes=scenario.minutes):
        size = round(rng.uniform(*shape.fan_out_calls) * scenario.requests_per_minute)
        offsets = rng.random(size) * _BATCH_SPREAD_S
        if planned[start] > 0:
            found.append(start * 60.0 + offsets)
    return np.concatenate(found) if found else np.empty(0)


def _moments(rng: np.random.Generator, *, per_day: float, minutes: int) -> np.ndarray:
    count = int(rng.poisson(per_day * minutes / 1440))
    return np.asarray(rng.integers(0, minutes, size=count))
