"""Alarms as documents to open: one file for each family, every alarm of it in words.

`make golden` rewrites them; what changes in an alarm is then seen in review.
"""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING

from alarms.alarm_set import Profile, Role
from alarms.causes import site_alarms
from bedrock.models import AlarmOverride
from cloudwatch.alarm import CompositeAlarm, MetricAlarm
from cloudwatch.metric import ExpressionQuery, MetricQuery
from tests.alarms.samples import OK_TARGETS, OPTIMIZED, SITE, STANDARD, TARGETS, alarms_of, aliased, evidence_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alarms.alarm_set import AlarmEntry, AlarmSet
    from cloudwatch.metric import Query

__all__ = ["FAMILIES", "described", "documents", "family_of", "samples"]

# Longest beginning of the slug wins.
FAMILIES = {
    "throttled": "throttling",
    "quota-use": "throttling",
    "fallback": "fallback",
    "already-paged": "fallback",
    "slow-decode": "speed",
    "decode-rate": "speed",
    "explained": "speed",
    "ttft-objective": "objectives",
    "latency-objective": "objectives",
    "request-shape": "objectives",
    "shape-known": "objectives",
    "objective-held": "objectives",
    "prefill-size": "objectives",
    "answer-length": "objectives",
    "cache-hit": "objectives",
    "service-errors": "errors",
    "caller-errors": "errors",
    "blind": "evidence",
    "tier-overflow": "tier",
    "no-traffic": "traffic",
}
_ON = AlarmOverride(off=False)
_FULL = {"answer-length": _ON, "cache-hit": _ON, "no-traffic": _ON}


def family_of(slug: str) -> str | None:
    """Return the family of a slug, or None where no family knows it."""
    names = [name for name in FAMILIES if slug == name or slug.startswith(f"{name}-")]
    return FAMILIES[max(names, key=len)] if names else None


def samples() -> dict[str, AlarmSet]:
    """Return alarm sets by a few words: everything that there is, once where it is simple and once where it is not."""
    full = replace(STANDARD, prompt_caching=True, reserved_tier=True, overrides=tuple(_FULL.items()))
    full = replace(full, baselines=replace(full.baselines, cache_hit_rate=0.7))
    models = (OPTIMIZED, full)
    account = site_alarms(models, site=SITE, evidence=evidence_for(*models), targets=TARGETS, ok_targets=OK_TARGETS)
    return {
        "a model whose callers ask for optimized latency": alarms_of(OPTIMIZED),
        "a standard model with every alarm on": alarms_of(full),
        "the account": account,
    }


def documents() -> dict[str, str]:
    """Return every document by the name of its file, without ending."""
    found: dict[str, list[str]] = {}
    for words, alarms in samples().items():
        headed: set[str] = set()
        for entry in alarms:
            family = family_of(entry.slug) or "unknown"
            lines = found.setdefault(family, [])
            if family not in headed:
                headed.add(family)
                lines.append(f"{'=' * 100}\n{words[:1].upper()}{words[1:]}\n{'=' * 100}\n")
            lines.append(described(entry))
    found["lean"] = [described(entry) for entry in alarms_of(OPTIMIZED, profile=Profile.LEAN)]
    twelve = alarms_of(aliased(STANDARD, 12))
    split = ("throttled", "decode-rate", "shape-known")
    found["ladder"] = [described(entry) for entry in twelve if entry.slug.startswith(split)]
    return {name: "\n".join(lines) for name, lines in found.items()}


def described(entry: AlarmEntry) -> str:
    """Return one alarm in words."""
    role = "symptom" if entry.role is Role.SYMPTOM else f"cause, {entry.severity}"
    lines = [f"{entry.slug} ({role}): {entry.title}", f"  name  {entry.alarm.name}"]
    lines += (
        _composite(entry.alarm) if isinstance(entry.alarm, CompositeAlarm) else _metric(entry.alarm, unit=entry.unit)
    )
    for word, actions in (("ALARM", entry.alarm.alarm_actions), ("OK", entry.alarm.ok_actions)):
        lines.extend(f"  on {word}  {action}" for action in actions)
    lines.append("  says")
    lines += textwrap.indent(entry.alarm.description or "", "    | ", lambda _: True).rstrip("\n").split("\n")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _composite(alarm: CompositeAlarm) -> Iterator[str]:
    yield from (f"  rule  {alarm.rule}",)
    if alarm.suppressor:
        held = alarm.suppressor
        yield f"  held back by  {held.alarm}, waits {held.wait_s} s, extends {held.extension_s} s"


def _metric(alarm: MetricAlarm, *, unit: str) -> Iterator[str]:
    for query in alarm.queries:
        yield f"  {'=>' if query.return_data else '  '} {query.id} = {_query(query)}"
    yield (
        f"  goes off  {alarm.comparison.value} {alarm.threshold} ({unit}), "
        f"{alarm.datapoints_to_alarm} of {alarm.evaluation_periods}; missing data {alarm.treat_missing_data.value}"
    )


def _query(query: Query) -> str:
    if isinstance(query, ExpressionQuery):
        return query.expression
    assert isinstance(query, MetricQuery)
    where = ", ".join(f"{name} {value}" for name, value in query.metric.dimensions)
    return f"{query.metric.namespace} {query.metric.name} [{where}], {query.stat} of {query.period_s} s"
