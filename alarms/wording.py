"""How much, for how long, and where does the number come from? Thresholds, numbers and places in words for people.

A person who is woken asks first how bad it is. So a text says what an alarm compares and for how many minutes, also where a
composite pages and only its symptoms compare anything, and a threshold that follows from the model says what it follows from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from alarms import speed, symptoms
from alarms.policy import base_slug, override_for, policy_for
from alarms.thresholds import LEAST_ERRORS, LEAST_THROTTLED, MOST_ERRORS, MOST_THROTTLED, SLOW_SHARE, error_budget
from bedrock.evidence import ServedAs
from cloudwatch.alarm import Comparison, MetricAlarm

if TYPE_CHECKING:
    from alarms.measures import Measure
    from alarms.naming import Site
    from bedrock.evidence_plan import EvidencePlan
    from bedrock.models import MonitoredModel
    from cloudwatch.alarm import Alarm

__all__ = ["amounts", "number", "origin", "subject_words"]

_SIGN = {
    Comparison.GREATER_OR_EQUAL: "at least",
    Comparison.GREATER: "over",
    Comparison.LESS: "under",
    Comparison.LESS_OR_EQUAL: "at most",
}


def number(value: float | None) -> str:
    """Return a number for people: 2M, 450k, 90, 0.5; `not configured` for None."""
    if value is None:
        return "not configured"
    for size, letter in ((1_000_000, "M"), (10_000, "k")):
        if abs(value) >= size:
            scaled = value / (1_000_000 if letter == "M" else 1_000)
            return f"{scaled:.2f}".rstrip("0").rstrip(".") + letter
    return f"{value:.2f}".rstrip("0").rstrip(".")


def subject_words(site: Site, model: MonitoredModel | None) -> str:
    """Return what it is about and where: `Shop helper (helper) in prod-shop, eu-central-1`."""
    name = f"{model.title} ({model.key})" if model else "Bedrock"
    return f"{name} in {site.alias}, {site.region}"


def amounts(slug: str, *, alarm: Alarm, model: MonitoredModel | None, evidence: EvidencePlan) -> tuple[str, ...]:
    """Return what is compared, once for each symptom: `at least 8.5 % of attempts throttled, in 4 of 20 minutes`.

    Empty for a composite that only holds back others.
    """
    if isinstance(alarm, MetricAlarm):
        words = _words(
            slug,
            threshold=alarm.threshold or 0,
            comparison=alarm.comparison,
            period_s=alarm.period_s,
            m=alarm.datapoints_to_alarm,
            n=alarm.evaluation_periods,
        )
        return (words,)
    measures = () if model is None else _measures(base_slug(slug), model=model, evidence=evidence)
    each = (
        _words(
            measure.slug,
            threshold=measure.threshold,
            comparison=measure.comparison,
            period_s=measure.cadence.period_s,
            m=measure.cadence.datapoints_to_alarm,
            n=measure.cadence.evaluation_periods,
        )
        for measure in measures
    )
    return tuple(dict.fromkeys(each))  # groups of ids compare with the same


def origin(slug: str, *, model: MonitoredModel | None) -> str:
    """Return where the threshold of a cause comes from, in a sentence; empty where it is the default of the table."""
    cause = base_slug(slug)
    if model is None or cause not in {"throttled", "service-errors", "decode-rate-standard"}:
        return ""
    if override_for(model, cause).threshold is not None:
        return "The threshold is as configured."
    if cause == "decode-rate-standard":
        return f"The threshold is {100 * SLOW_SHARE:g} % of the rate when served standard."
    budget = 100 * error_budget(model)
    if cause == "service-errors":
        made, least, most = f"5 times the error budget of {budget:.3g} %", LEAST_ERRORS, MOST_ERRORS
    else:
        tries = f"{model.sdk_max_attempts} attempts" if model.sdk_max_attempts != 1 else "one attempt"
        made = f"half of what uses up the error budget of {budget:.3g} % when clients make {tries}"
        least, most = LEAST_THROTTLED, MOST_THROTTLED
    return f"The threshold is {made}, between {least:g} and {most:g} %."


def _measures(cause: str, *, model: MonitoredModel, evidence: EvidencePlan) -> tuple[Measure, ...]:
    """Return what a composite's cause rests on."""
    match cause:
        case "throttled" | "throttled-by-reservation":
            return symptoms.throttled(model)
        case "fallback" | "fallback-share":
            return _share(model, evidence)
        case "fallback-and-throttling":
            return (*symptoms.throttled(model), *_share(model, evidence))
        case "slow-decode":
            return speed.decode_rate(model)
        case "request-shape":
            return (*speed.ttft_objective(model), *speed.latency_objective(model))
        case "service-errors":
            return symptoms.server_errors(model)
        case _:
            return ()


def _share(model: MonitoredModel, evidence: EvidencePlan) -> tuple[Measure, ...]:
    if not evidence.sees_fallback(model):
        return ()
    series = {name.value: evidence.served(model, name) for name in (ServedAs.OPTIMIZED, ServedAs.STANDARD)}
    return symptoms.fallback_share(model, optimized=series["optimized"], standard=series["standard"])


def _words(slug: str, *, threshold: float, comparison: Comparison | str, period_s: int, m: int, n: int) -> str:
    policy = policy_for(slug)
    what = f"{number(threshold)} {policy.unit}"
    if policy.unit == "ms":
        what = f"{number(threshold)} ms"
    sign = _SIGN[Comparison(comparison)]
    about = f"{policy.title.lower()} " if policy.unit in {"ms", "calls"} else ""
    return f"{about}{sign} {what}, {_times(period_s, m=m, n=n)}"


def _times(period_s: int, *, m: int, n: int) -> str:
    if period_s == 60:
        return f"in {m} of {n} minutes"
    length = f"{period_s // 60} minutes" if period_s < 3600 else f"{period_s // 3600} h"
    return f"in {m} of {n} periods of {length}"
