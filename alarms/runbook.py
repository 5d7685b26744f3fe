"""What does a person need to know at three in the morning? Runbooks and alarm descriptions from one template a cause.

A template in `runbooks/` extends `base.md.j2` and fills its blocks. The block `brief` is the alarm's description: CloudWatch
takes 1,024 characters, so links that do not fit are left out, the page of the model last. What a benchmark measured for a
cause is read from `runbooks/measured.toml`, where it is present.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2

from alarms.alarm_set import AlarmEntry, Role, Severity
from alarms.links import alarm_link, evidence_query, insights_link, page_link, quotas_link
from alarms.naming import FLEET
from alarms.policy import base_slug, override_for, policy_for
from cloudwatch import limits
from cloudwatch.alarm import Alarm, CompositeAlarm, MetricAlarm

if TYPE_CHECKING:
    from alarms.assembly import Describe
    from alarms.naming import Site
    from bedrock.evidence_plan import EvidencePlan
    from bedrock.models import MonitoredModel

__all__ = ["describer", "description", "runbook"]

_RUNBOOKS = Path(__file__).with_name("runbooks")


def runbook(entry: AlarmEntry, *, model: MonitoredModel | None, site: Site, evidence: EvidencePlan) -> str:
    """Return the runbook of an alarm as Markdown.

    Args:
        entry: The alarm.
        model: Its model, None of an account-wide alarm.
        site: Account and Region.
        evidence: What tells how calls are served; gives the query.
    """
    values = _values(entry.slug, alarm=entry.alarm, severity=entry.severity, model=model, site=site, evidence=evidence)
    text = _template(entry.slug).render(values)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def description(
    slug: str,
    *,
    alarm: Alarm,
    role: Role,
    severity: Severity | None,
    model: MonitoredModel | None,
    site: Site,
    evidence: EvidencePlan,
) -> str:
    """Return the description of an alarm: at most 1,024 characters."""
    values = _values(slug, alarm=alarm, severity=severity, model=model, site=site, evidence=evidence)
    if role is Role.SYMPTOM:
        policy = policy_for(slug)
        unit = f", in {policy.unit}" if policy.unit else ""
        subject = f" of {model.title} ({model.key})" if model else ""
        return f"{policy.title}{subject}{unit}. Calls nobody by itself: other alarms read it.\nPage: {values['page']}"
    template = _template(slug)
    brief = "".join(template.blocks["brief"](template.new_context(values)))
    lines = [line.strip() for line in brief.strip().splitlines() if line.strip()]
    text = "\n".join([*lines, f"Page: {values['page']}"])
    while len(text) > limits.ALARM_DESCRIPTION_LENGTH and len(lines) > 1:
        lines = _shorter(lines)
        text = "\n".join([*lines, f"Page: {values['page']}"])
    return text[: limits.ALARM_DESCRIPTION_LENGTH]


def describer(*, site: Site, model: MonitoredModel | None, evidence: EvidencePlan) -> Describe:
    """Return what writes the descriptions of a model's alarms."""

    def describe(slug: str, *, alarm: Alarm, role: Role, severity: Severity | None) -> str:
        return description(slug, alarm=alarm, role=role, severity=severity, model=model, site=site, evidence=evidence)

    return describe


def _shorter(lines: list[str]) -> list[str]:
    """Drop links first, then the last line."""
    linked = next((place for place in range(len(lines) - 1, -1, -1) if "https://" in lines[place]), None)
    if linked is None:
        return lines[:-1]
    bare = re.sub(r":? ?https://\S+", "", lines[linked]).strip()
    return [*lines[:linked], *([bare] if bare else []), *lines[linked + 1 :]]


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_RUNBOOKS),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - Markdown and plain text for CloudWatch, never HTML
    )
    environment.filters["n"] = _number
    return environment


def _template(slug: str) -> jinja2.Template:
    base = base_slug(slug)
    name = base if (_RUNBOOKS / f"{base}.md.j2").exists() else "symptom"
    return _environment().get_template(f"{name}.md.j2")


@cache
def _measured() -> dict[str, str]:
    path = _RUNBOOKS / "measured.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _values(
    slug: str,
    *,
    alarm: Alarm,
    severity: Severity | None,
    model: MonitoredModel | None,
    site: Site,
    evidence: EvidencePlan,
) -> dict[str, Any]:
    policy = policy_for(slug)
    query = evidence_query(model, evidence) if model else None
    group = evidence.log_group
    return {
        "slug": base_slug(slug),
        "title": policy.title,
        "unit": policy.unit,
        "alarm": alarm,
        "rule": alarm.rule if isinstance(alarm, CompositeAlarm) else _policy_text(alarm, policy.unit),
        "suppressor": alarm.suppressor if isinstance(alarm, CompositeAlarm) else None,
        "held_back": isinstance(alarm, CompositeAlarm),
        "threshold": _threshold(slug, alarm=alarm, model=model),
        "severity": severity,
        "model": model,
        "site": site,
        "evidence": evidence,
        "sees_fallback": model is not None and evidence.sees_fallback(model),
        "wait_min": alarm.suppressor.wait_s // 60 if isinstance(alarm, CompositeAlarm) and alarm.suppressor else 0,
        "delay_min": evidence.settings.expected_delay_s // 60,
        "page": page_link(site, model.key if model else FLEET),
        "alarm_link": alarm_link(site, alarm.name),
        "quotas": quotas_link(site),
        "query": query,
        "insights": insights_link(site, log_group=group, query=query) if group and query else None,
        "measured": _measured().get(base_slug(slug)),
    }


def _threshold(slug: str, *, alarm: Alarm, model: MonitoredModel | None) -> float | None:
    """Return what the alarm compares with, or for a composite what its measure compares with."""
    if isinstance(alarm, MetricAlarm):
        return alarm.threshold
    measure = {"slow-decode": "decode-rate", "fallback": "fallback-share"}.get(base_slug(slug))
    if measure is None or model is None:
        return None
    asked = override_for(model, measure).threshold
    return policy_for(measure).threshold if asked is None else asked


def _policy_text(alarm: MetricAlarm, unit: str) -> str:
    sign = {"GreaterThanThreshold": "over", "LessThanThreshold": "under"}.get(alarm.comparison, "at least")
    period = f"{alarm.period_s // 60} min" if alarm.period_s >= 120 else f"{alarm.period_s} s"
    return (
        f"{sign} {_number(alarm.threshold or 0)} {unit} in {alarm.datapoints_to_alarm} of "
        f"{alarm.evaluation_periods} periods of {period}"
    )


def _number(value: float | None) -> str:
    """Return a number for people: 2M, 450k, 90, 0.5; `unknown` for None."""
    if value is None:
        return "unknown"
    for size, letter in ((1_000_000, "M"), (10_000, "k")):
        if abs(value) >= size:
            scaled = value / (1_000_000 if letter == "M" else 1_000)
            return f"{scaled:.2f}".rstrip("0").rstrip(".") + letter
    return f"{value:.2f}".rstrip("0").rstrip(".")
