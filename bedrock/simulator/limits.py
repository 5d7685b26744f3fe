"""Which quotas hold in each minute, and how do clients and the service treat a call that fails?

A quota is the configured one, or what an effect leaves of it: a fraction of the demand that the schedule plans. A quota
of which a quarter of the demand or more is left never falls under one large request, else it would be an outage.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bedrock.simulator.scenario import Effect, Scenario

if TYPE_CHECKING:
    from bedrock.simulator.service import CallPlan

__all__ = ["Limits", "limits_of"]

_DAY_MINUTES = 1440
_A_REMAINDER = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Minute by minute, float64 of shape (minutes,) unless said otherwise; infinite where there is no quota.

    Attributes:
        tpm: Tokens that calls served standard may hold in any 60 seconds.
        optimized_tpm: The same for calls served optimized; 0 serves everything standard.
        rpm: Requests admitted in any 60 seconds, in both modes.
        day: Tokens of the day's count.
        day_count: Which count a minute belongs to, int64: a new number starts from nothing.
        server_errors: Probability of a 5xx per attempt.
        attempts: Attempts of a client, int64.
        backoff: Times the pause between attempts.
    """

    tpm: np.ndarray
    optimized_tpm: np.ndarray
    rpm: np.ndarray
    day: np.ndarray
    day_count: np.ndarray
    server_errors: np.ndarray
    attempts: np.ndarray
    backoff: np.ndarray


def limits_of(scenario: Scenario, plan: CallPlan) -> Limits:
    """Return what holds in each minute of a scenario."""
    quotas, profile, minutes = scenario.model.quotas, plan.profile, scenario.minutes
    planned = plan.arrivals.planned
    demand = planned * profile.charge_tokens
    request = float(np.quantile(plan.reserved, 0.99)) if plan.count else 0.0

    def limit(configured: float | None, effect: Effect, wanted: np.ndarray, least: float) -> np.ndarray:
        values = np.full(minutes, np.inf if configured is None else float(configured))
        left = scenario.effect(effect)
        if left is None:
            return values
        held = np.isfinite(left)
        floor = least * (left[held] >= _A_REMAINDER)
        values[held] = np.minimum(values[held], np.maximum(left[held] * wanted[held], floor))
        return values

    day, day_count = _day(scenario, demand)
    attempts = scenario.effect(Effect.ATTEMPTS)
    backoff = scenario.effect(Effect.BACKOFF)
    errors = scenario.effect(Effect.SERVER_ERRORS)
    return Limits(
        tpm=limit(quotas.tpm, Effect.TPM, demand, request),
        optimized_tpm=limit(quotas.optimized_tpm, Effect.OPTIMIZED_QUOTA, demand, request),
        rpm=limit(quotas.rpm, Effect.RPM, planned, 1.0),
        day=day,
        day_count=day_count,
        server_errors=profile.server_error_rate + (np.zeros(minutes) if errors is None else errors),
        attempts=np.rint(profile.attempts * (np.ones(minutes) if attempts is None else attempts)).astype(np.int64),
        backoff=np.ones(minutes) if backoff is None else backoff,
    )


def _day(scenario: Scenario, demand: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Daily tokens start anew at midnight UTC; while others have used up the day, a count of its own holds the rest."""
    minute = scenario.start_s // 60 + np.arange(scenario.minutes)
    count = 2 * (minute // _DAY_MINUTES - minute[0] // _DAY_MINUTES)
    configured = scenario.model.quotas.tpd
    day = np.full(scenario.minutes, np.inf if configured is None else float(configured))
    left = scenario.effect(Effect.TPD_LEFT)
    if left is not None:
        held = np.isfinite(left)
        day[held] = np.minimum(day[held], left[held] * demand[held])
        count[held] += 1
    return day, count
