"""When does an alarm change state, and who hears of it? The policy table.

`policy.toml` holds a row for each slug. A model's overrides (threshold, N, M, severity, off) are laid over the row here, and
the period is chosen here: the shortest cadence in which the trough of the model's traffic still holds enough calls. At ten
calls a minute an alarm that asks for 20 calls a minute would sleep through nearly every incident.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alarms.alarm_set import Severity
from cloudwatch.alarm import MissingData

if TYPE_CHECKING:
    from bedrock.models import AlarmOverride, MonitoredModel

__all__ = [
    "SLUGS",
    "Cadence",
    "Policy",
    "base_slug",
    "cadence_for",
    "override_for",
    "policies",
    "policy_for",
    "severity_for",
    "trough_per_minute",
    "waits",
    "wanted",
]

# Traffic at the trough as a share of the daytime traffic that a configuration states.
TROUGH_SHARE = 0.4
# Assumed where a configuration states none: too little for 60 s, so that a quiet model is not watched by a sleeping alarm.
UNSTATED_REQUESTS_PER_MINUTE = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cadence:
    """How often is looked: M of N periods."""

    period_s: int
    evaluation_periods: int
    datapoints_to_alarm: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """One row of the table; see `policy.toml`."""

    slug: str
    title: str
    unit: str
    severity: Severity | None
    threshold: float | None
    calls: float
    minimum: int
    events: int
    cadences: tuple[Cadence, ...]
    missing: MissingData
    opt_in: bool
    lean: bool


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("policy.toml").read_text(encoding="utf-8"))


@cache
def policies() -> dict[str, Policy]:
    """Return every row by slug, in the order of the file."""
    return {slug: _policy(slug, row) for slug, row in _data().items() if slug != "waits"}


def _policy(slug: str, row: dict[str, Any]) -> Policy:
    return Policy(
        slug=slug,
        title=row["title"],
        unit=row.get("unit", ""),
        severity=Severity(row["severity"]) if "severity" in row else None,
        threshold=row.get("threshold"),
        calls=row.get("calls", 0),
        minimum=row.get("minimum", 0),
        events=row.get("events", 0),
        cadences=tuple(
            Cadence(period_s=int(period), evaluation_periods=n, datapoints_to_alarm=m)
            for period, (n, m) in row.get("cadence", {}).items()
        ),
        missing=MissingData(row.get("missing", "notBreaching")),
        opt_in=row.get("opt_in", False),
        lean=row.get("lean", False),
    )


# Which cause a measure belongs to: an override of the cause's threshold, N or M is meant for it.
_MEASURES = {"decode-rate": "slow-decode", "fallback-share": "fallback", "fallback-chronic": "fallback-share"}
_OTHER_CADENCE = frozenset({"fallback-share"})  # a cause whose N and M are not those of what else measures it

SLUGS: tuple[str, ...] = tuple(policies())


def waits(name: str) -> int:
    """Return a suppressor's wait or extension in seconds."""
    return int(_data()["waits"][name])


def base_slug(slug: str) -> str:
    """Return the slug in the table of an alarm's slug: `decode-rate-2` is a `decode-rate`."""
    head, _, tail = slug.rpartition("-")
    return head if tail.isdigit() and head in policies() else slug


def policy_for(slug: str) -> Policy:
    """Return the row of a slug.

    Raises:
        KeyError: There is none.
    """
    return policies()[base_slug(slug)]


def trough_per_minute(model: MonitoredModel) -> float:
    """Return the calls a minute to plan for when traffic is low."""
    stated = model.requests_per_minute
    return TROUGH_SHARE * (UNSTATED_REQUESTS_PER_MINUTE if stated is None else stated)


def cadence_for(slug: str, *, per_minute: float, override: AlarmOverride | None = None) -> Cadence:
    """Return period, N and M of an alarm.

    Args:
        slug: In the table.
        per_minute: Calls a minute at the trough that the alarm can judge.
        override: N and M that the configuration asks for; N alone keeps M where it fits.
    """
    row = policy_for(slug)
    chosen = next(
        (cadence for cadence in row.cadences if per_minute * cadence.period_s / 60 >= row.calls), row.cadences[-1]
    )
    if override is None:
        return chosen
    n = override.evaluation_periods or chosen.evaluation_periods
    m = override.datapoints_to_alarm or min(chosen.datapoints_to_alarm, n)
    return Cadence(period_s=chosen.period_s, evaluation_periods=max(n, m), datapoints_to_alarm=m)


def wanted(model: MonitoredModel, slug: str) -> bool:
    """Tell whether the configuration wants an alarm: not off, and asked for where it is opt-in."""
    override = dict(model.overrides).get(slug)
    if override is None:
        return not policy_for(slug).opt_in
    return not override.off


def override_for(model: MonitoredModel, slug: str) -> AlarmOverride:
    """Return what the configuration changes on a measure: its own override, then that of the cause it measures."""
    own = model.override(slug)
    cause = _MEASURES.get(slug)
    if cause is None:
        return own
    of_cause = override_for(model, cause)
    return replace(
        own,
        threshold=of_cause.threshold if own.threshold is None else own.threshold,
        evaluation_periods=own.evaluation_periods
        or (of_cause.evaluation_periods if cause not in _OTHER_CADENCE else None),
        datapoints_to_alarm=own.datapoints_to_alarm
        or (of_cause.datapoints_to_alarm if cause not in _OTHER_CADENCE else None),
    )


def severity_for(model: MonitoredModel | None, slug: str) -> Severity | None:
    """Return who hears of it; None for a symptom that the configuration has not given a severity."""
    asked = model.override(slug).severity if model else None
    return Severity(asked) if asked else policy_for(slug).severity
