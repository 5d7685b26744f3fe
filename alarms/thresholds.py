"""Which thresholds follow from the model itself? Objectives, baselines, quotas and the attempts of its clients.

A client that makes three attempts shows its user one throttle in p^3 calls: 20 % of attempts throttled are 0.8 % of calls
failed. The page threshold stands at half the share of attempts that would use up the model's error budget, at least 5 %.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bedrock.quotas import consumed_tokens, reserved_tokens

if TYPE_CHECKING:
    from bedrock.models import MonitoredModel

__all__ = [
    "LEAST_ERRORS",
    "LEAST_THROTTLED",
    "MOST_ERRORS",
    "MOST_THROTTLED",
    "SLOW_SHARE",
    "error_budget",
    "evidence_wait_s",
    "may_reserve_too_much",
    "server_error_threshold",
    "standard_decode_threshold",
    "throttle_threshold",
]

DEFAULT_SUCCESS_RATE = 0.99
LEAST_THROTTLED, MOST_THROTTLED = 5.0, 50.0  # per cent of attempts
LEAST_ERRORS, MOST_ERRORS = 2.0, 10.0  # per cent of calls
SLOW_SHARE = 0.8  # of a baseline: below it a model is slow (Bedrock User Guide, output tokens per second)


def error_budget(model: MonitoredModel) -> float:
    """Return the fraction (0 to 1) of calls that may fail."""
    promised = model.objectives.success_rate
    return 1 - (DEFAULT_SUCCESS_RATE if promised is None else promised)


def throttle_threshold(model: MonitoredModel) -> float:
    """Return per cent of attempts throttled that page."""
    half = 50 * math.pow(max(error_budget(model), 0.0), 1 / max(model.sdk_max_attempts, 1))
    return round(min(max(half, LEAST_THROTTLED), MOST_THROTTLED), 1)


def server_error_threshold(model: MonitoredModel) -> float:
    """Return per cent of calls answered 5xx that page: five times the error budget, 2 to 10 %."""
    return round(min(max(500 * error_budget(model), LEAST_ERRORS), MOST_ERRORS), 1)


def standard_decode_threshold(model: MonitoredModel) -> float | None:
    """Return per cent below the optimized baseline that is slow even for a call served standard, or None."""
    standard = model.baselines.standard_otps
    if standard is None:
        return None
    return round(100 * (1 - SLOW_SHARE * standard / model.baselines.otps), 1)


def may_reserve_too_much(model: MonitoredModel) -> bool:
    """Tell whether an ordinary call reserves more at its start than it uses: only then can reservations fill a quota.

    True where max_tokens is not configured: unset in a call, it reserves the model's maximum.
    """
    maximum, base = model.quotas.max_tokens, model.baselines
    if maximum is None:
        return True
    reserved = reserved_tokens(input_tokens=base.input_tokens, max_tokens=maximum)
    used = consumed_tokens(
        input_tokens=base.input_tokens, output_tokens=base.output_tokens, burndown=model.quotas.burndown
    )
    return reserved > used


def evidence_wait_s(expected_delay_s: int) -> int:
    """Return how long a slow model waits for late evidence before it pages, seconds.

    5 minutes of delay: 480; 10: 900; 15: 1200. More delay, more wait: the tail of CloudTrail grows with its mean.
    """
    if expected_delay_s <= 300:
        return 480
    if expected_delay_s <= 600:
        return 900
    return max(1200, -(-(expected_delay_s + 300) // 60) * 60)
