"""Which alarms does a model get, as far as its configuration tells?

The rules of `alarms.causes` and `alarms.ladder` in short, from plain values, so that `validate` need not build alarms; a test
compares them with the alarms that are built. Slugs and severities repeat `alarms/policy.toml` for the same reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from alarms.naming import CAUSES, SYMPTOMS

if TYPE_CHECKING:
    from monitoring.config.merge import Effective

__all__ = ["HELPERS", "LEAN", "OPT_IN", "SEVERITIES", "SLUGS", "STREAMED", "absent_alarms", "told_as"]

# What a configuration may change. `decode-rate-standard` and `fallback-chronic` are alarms with numbers of their own.
SLUGS = (*CAUSES, "decode-rate-standard", *SYMPTOMS, "fallback-chronic")
# What only holds back actions follows from another alarm: slug -> the one to change.
HELPERS = {
    "explained": "slow-decode",
    "already-paged": "fallback",
    "fallback-recent": "fallback",
    "throttled-held": "throttled",
    "decode-rate-held": "decode-rate",
    "objective-held": "request-shape",
    "shape-known": "request-shape",
}
SEVERITIES = {
    "throttled": "page",
    "throttled-by-reservation": "note",
    "fallback": "page",
    "fallback-share": "ticket",
    "fallback-and-throttling": "ticket",
    "slow-decode": "page",
    "request-shape": "ticket",
    "service-errors": "page",
    "caller-errors": "ticket",
    "blind": "ticket",
    "tier-overflow": "ticket",
    "no-traffic": "ticket",
    "decode-rate-standard": "ticket",
}
OPT_IN = frozenset(("answer-length", "cache-hit", "no-traffic"))
LEAN = frozenset(
    (
        "throttled",
        "fallback",
        "fallback-share",
        "slow-decode",
        "decode-rate",
        "service-errors",
        "caller-errors",
        "blind",
    )
)
# Share of streamed calls from which the decode rate is judged.
STREAMED = 0.2
_OF_FALLBACK = (
    "fallback",
    "fallback-share",
    "fallback-chronic",
    "fallback-and-throttling",
    "blind",
    "decode-rate-standard",
)


def absent_alarms(values: Effective, *, lean: bool, route: str) -> dict[str, str]:
    """Return why a model has no alarm of a slug: `{"cache-hit": "callers do not use prompt caching"}`; without what is off.

    Args:
        values: Values in force.
        lean: Whether the account has the lean profile.
        route: Evidence route in the Region.
    """
    why: dict[str, str] = {}
    if values.get("latency") != "optimized":
        why |= dict.fromkeys(_OF_FALLBACK, "callers do not ask for optimized latency")
    elif route == "none":
        why |= dict.fromkeys(_OF_FALLBACK, "evidence route none tells no served mode")
    elif values.get("baselines", "standard_otps") is None:
        why["decode-rate-standard"] = "baselines: standard_otps is not known"
    share = values.get("streaming_share")
    if share < STREAMED:
        why |= dict.fromkeys(("slow-decode", "decode-rate"), f"only {100 * share:g} % of the calls stream")
        why.setdefault("decode-rate-standard", why["decode-rate"])
    ttft = values.get("objectives", "ttft_p90_ms")
    latency = values.get("objectives", "latency_p90_ms")
    if share == 0:
        why["ttft-objective"] = "no call streams (streaming_share 0)"
    elif ttft is None:
        why["ttft-objective"] = "there is no objectives: ttft_p90_ms"
    if latency is None:
        why["latency-objective"] = "there is no objectives: latency_p90_ms"
    if {"ttft-objective", "latency-objective"} <= set(why):
        why["request-shape"] = "the model has no objective"
        if share < STREAMED:
            why.setdefault("fallback", "neither a decode rate nor an objective tells whether users feel it")
    if not values.get("prompt_caching"):
        why["cache-hit"] = "callers do not use prompt caching"
    elif not values.get("baselines", "cache_hit_rate"):
        why["cache-hit"] = "there is no baselines: cache_hit_rate"
    if not values.get("reserved_tier"):
        why["tier-overflow"] = "callers do not ask for the reserved tier"
    why |= _without_quota(values)
    why["caller-errors"] = "it is an alarm of the account, not of a model"
    if lean:
        if share < STREAMED:
            why.setdefault("fallback", "in profile lean only the decode rate tells whether users feel it")
        why |= {slug: "profile lean leaves it out" for slug in SLUGS if slug not in LEAN}
    return why


def _without_quota(values: Effective) -> dict[str, str]:
    tpm, rpm = values.get("quotas", "tpm"), values.get("quotas", "rpm")
    if values.get("latency") == "optimized" and None in {tpm, values.get("quotas", "optimized_tpm")}:
        return dict.fromkeys(
            ("quota-use", "throttled-by-reservation"), "not both of quotas: tpm and optimized_tpm are given"
        )
    why = {"throttled-by-reservation": "there is no quotas: tpm"} if tpm is None else {}
    return {**why, "quota-use": "there is no quotas: tpm or rpm"} if tpm is None and rpm is None else why


def told_as(values: Effective, *, lean: bool, route: str) -> dict[str, str]:
    """Return the severity of every cause that the model gets, in force: `{"throttled": "page"}`."""
    absent = absent_alarms(values, lean=lean, route=route)
    told: dict[str, str] = {}
    for slug in SLUGS:
        if slug in absent or values.get("alarms", slug, "off") or (slug in OPT_IN and not _asked(values, slug)):
            continue
        default = "ticket" if lean and slug == "slow-decode" else SEVERITIES.get(slug)
        severity = values.get("alarms", slug, "severity") or default
        if severity is not None:
            told[slug] = severity
    return told


def _asked(values: Effective, slug: str) -> bool:
    return any(key[:2] == ("alarms", slug) for key in values.values)
