"""What happens when? A scenario: a model, its traffic, and windows in which something differs from a good day."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, assert_never

import numpy as np

from cloudwatch.problems import InvalidValueError

if TYPE_CHECKING:
    from bedrock.models import MonitoredModel, Objectives

__all__ = ["Effect", "Label", "Scenario", "TrafficShape", "Window"]


class Effect(StrEnum):
    """What a window changes. The unit of its value stands beside each name."""

    TRAFFIC = "traffic"  # times the arrivals
    OPTIMIZED_QUOTA = "optimized-quota"  # optimized TPM that is left, as a fraction of the demand
    TPM = "tpm"  # TPM that is left, as a fraction of the demand
    RPM = "rpm"  # RPM that is left, as a fraction of the demand
    TPD_LEFT = "tpd-left"  # tokens that are left for the day, in minutes of demand
    MAX_TOKENS = "max-tokens"  # times max_tokens
    DECODE = "decode"  # times the output tokens per second
    TTFT = "ttft"  # times the time to first token
    WAIT = "wait"  # added before the model starts, in healthy mean times to first token
    OUTPUT = "output"  # times the answer
    INPUT = "input"  # times the uncached prompt
    CACHE = "cache"  # times the probability of a cache hit
    SERVER_ERRORS = "server-errors"  # added probability of a 5xx per attempt
    CLIENT_ERRORS = "client-errors"  # added probability of a 4xx
    OVERFLOW = "overflow"  # probability that a reserved-tier call is served by the default tier
    ATTEMPTS = "attempts"  # times the attempts of a client
    BACKOFF = "backoff"  # times the pause between attempts
    STREAMING = "streaming"  # times the share of calls that stream
    TRAIL_OUTAGE = "trail-outage"  # probability that a record of the window is lost; the rest comes after its end
    TRAIL_PATH = "trail-path"  # fraction of records whose served-latency field lies elsewhere
    METRIC_DELAY = "metric-delay"  # seconds added until metrics can be read

    @property
    def multiplies(self) -> bool:
        """Whether overlapping windows multiply (neutral 1) or the larger one counts."""
        match self:
            case (
                Effect.TRAFFIC
                | Effect.MAX_TOKENS
                | Effect.DECODE
                | Effect.TTFT
                | Effect.OUTPUT
                | Effect.INPUT
                | Effect.CACHE
                | Effect.ATTEMPTS
                | Effect.BACKOFF
                | Effect.STREAMING
            ):
                return True
            case (
                Effect.OPTIMIZED_QUOTA
                | Effect.TPM
                | Effect.RPM
                | Effect.TPD_LEFT
                | Effect.WAIT
                | Effect.SERVER_ERRORS
                | Effect.CLIENT_ERRORS
                | Effect.OVERFLOW
                | Effect.TRAIL_OUTAGE
                | Effect.TRAIL_PATH
                | Effect.METRIC_DELAY
            ):
                return False
            case _:
                assert_never(self)

    @property
    def limits(self) -> bool:
        """Whether the value is a quota: without a window there is none, not a quota of 0."""
        return self in {Effect.OPTIMIZED_QUOTA, Effect.TPM, Effect.RPM, Effect.TPD_LEFT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One effect over whole minutes, counted from the start: `start_minute` up to and without `end_minute`."""

    effect: Effect
    start_minute: int
    end_minute: int
    value: float

    def __post_init__(self) -> None:
        if not 0 <= self.start_minute <= self.end_minute:
            raise InvalidValueError(f"Window of {self.effect}: minutes {self.start_minute} to {self.end_minute}")
        if self.value < 0:
            raise InvalidValueError(f"Window of {self.effect}: value {self.value} is negative")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficShape:
    """How arrivals vary on a good day.

    Attributes:
        trough: Traffic at night over traffic by day; 1 is flat.
        weekend: Traffic of Saturday and Sunday over a weekday's.
        noise: Standard deviation of the logarithm of a minute's rate: how unsteady traffic is.
        bursts_per_day: Mean number of bursts.
        burst_factor: Range of a burst's height, times the traffic.
        burst_minutes: Range of a burst's length.
        fan_outs_per_day: Mean number of batches sent at once.
        fan_out_calls: Range of a batch's size, in minutes of daytime traffic.
        alias_shares: Traffic share of each ModelId, in order; empty spreads it evenly.
    """

    trough: float = 1.0
    weekend: float = 1.0
    noise: float = 0.1
    bursts_per_day: float = 0.0
    burst_factor: tuple[float, float] = (2.0, 5.0)
    burst_minutes: tuple[int, int] = (1, 2)
    fan_outs_per_day: float = 0.0
    fan_out_calls: tuple[float, float] = (0.5, 1.5)
    alias_shares: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What people should be told of an incident. Slugs of causes.

    Attributes:
        pages: The cause that must page; several where whichever came first must; empty where nobody may be woken.
        tickets: Causes that may follow as tickets or notes, or in a page's place where there is none.
    """

    pages: tuple[str, ...] = ()
    tickets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One drawn incident or healthy week: everything a simulation needs.

    Attributes:
        name: Name of the incident.
        title: What it is, in a few words.
        model: The model, with the quotas and baselines that hold.
        seed: Seed of every draw.
        requests_per_minute: Daytime traffic, calls a minute.
        start_s: Start, seconds since 1970, a whole minute.
        minutes: Length.
        onset_minute: When the incident begins, or None for a healthy week.
        end_minute: When it ends, or None.
        traffic: How arrivals vary.
        windows: What differs from a good day.
        label: What people should be told.
        objectives: What users were promised; fixed with the incident.
    """

    name: str
    title: str
    model: MonitoredModel
    seed: int
    requests_per_minute: float
    start_s: int
    minutes: int
    onset_minute: int | None
    end_minute: int | None
    traffic: TrafficShape
    windows: tuple[Window, ...]
    label: Label
    objectives: Objectives

    def __post_init__(self) -> None:
        if self.start_s % 60:
            raise InvalidValueError(f"Scenario starts at {self.start_s}: not a whole minute")
        if self.minutes < 1:
            raise InvalidValueError(f"Scenario of {self.minutes} minutes")
        if self.requests_per_minute <= 0:
            raise InvalidValueError(f"Scenario with {self.requests_per_minute} requests per minute")

    def effect(self, effect: Effect) -> np.ndarray | None:
        """Return an effect minute by minute, float64 of shape (minutes,), or None where it never applies.

        Outside every window a multiplier is 1, a quota infinite, anything else 0.
        """
        windows = [window for window in self.windows if window.effect is effect]
        if not windows:
            return None
        neutral = 1.0 if effect.multiplies else np.inf if effect.limits else 0.0
        values = np.full(self.minutes, neutral)
        for window in windows:
            span = slice(window.start_minute, window.end_minute)
            if effect.multiplies:
                values[span] *= window.value
            elif effect.limits:
                values[span] = np.minimum(values[span], window.value)
            else:
                values[span] = np.maximum(values[span], window.value)
        return values
