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

from alarms.alarm_set import AlarmEntry, Profile, Role, Severity
from alarms.links import alarm_link, evidence_query, insights_link, page_link, quotas_link
from alarms.naming import FLEET
from alarms.policy import base_slug, override_for, policy_for
from alarms.wording import amounts, number, origin, subject_words
from bedrock.quotas import consumed_tokens, reserved_tokens
from cloudwatch import limits
from cloudwatch.alarm import Alarm, CompositeAlarm, MetricAlarm

if TYPE_CHECKING:
    from alarms.assembly import Describe
    from alarms.naming import Site
    from bedrock.evidence_plan import EvidencePlan
    from bedrock.models import MonitoredModel

__all__ = ["describer", "description", "runbook"]

_FIRST_TO_GO = ("The threshold ", "Goes off: ")
_RUNBOOKS = Path(__file__).with_name("runbooks")


def runbook(
    entry: AlarmEntry,
    *,
    model: MonitoredModel | None,
    site: Site,
    evidence: EvidencePlan,
    profile: Profile = Profile.DEFAULT,
) -> str:
    """Return the runbook of an alarm as Markdown.

    Args:
        entry: The alarm.
        model: Its model, None of an account-wide alarm.
        site: Account and Region.
        evidence: What tells how calls are served; gives the query.
        profile: How much is watched: in the lean one all models share a page.
    """
    values = _values(
        entry.slug,
        alarm=entry.alarm,
        severity=entry.severity,
        model=model,
        site=site,
        evidence=evidence,
        profile=profile,
    )
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
    profile: Profile = Profile.DEFAULT,
) -> str:
    """Return the description of an alarm: at most 1,024 characters."""
    values = _values(slug, alarm=alarm, severity=severity, model=model, site=site, evidence=evidence, profile=profile)
    if role is Role.SYMPTOM:
        title = policy_for(slug).title
        compared = "".join(f" Goes off: {words}." for words in values["amounts"])
        purpose = "Calls nobody by itself." if compared else "Calls nobody: other alarms read it."
        named = "" if title.lower() in compared else f" {title}."
        return f"{values['subject']}.{named}{compared} {purpose}\nPage: {values['page']}"
    template = _template(slug)
    brief = "".join(template.blocks["brief"](template.new_context(values)))
    lines = [line.strip() for line in brief.strip().splitlines() if line.strip()]
    text = "\n".join([*lines, f"Page: {values['page']}"])
    while len(text) > limits.ALARM_DESCRIPTION_LENGTH and len(lines) > 1:
        lines = _shorter(lines)
        text = "\n".join([*lines, f"Page: {values['page']}"])
    return text[: limits.ALARM_DESCRIPTION_LENGTH]


def describer(
    *, site: Site, model: MonitoredModel | None, evidence: EvidencePlan, profile: Profile = Profile.DEFAULT
) -> Describe:
    """Return what writes the descriptions of a model's alarms."""

    def describe(slug: str, *, alarm: Alarm, role: Role, severity: Severity | None) -> str:
        return description(
            slug,
            alarm=alarm,
            role=role,
            severity=severity,
            model=model,
            site=site,
            evidence=evidence,
            profile=profile,
        )

    return describe


def _shorter(lines: list[str]) -> list[str]:
    """Drop links first, then where the threshold comes from, then the threshold, then the last line."""
    linked = next((place for place in range(len(lines) - 1, -1, -1) if "https://" in lines[place]), None)
    if linked is None:
        told = (place for word in _FIRST_TO_GO for place, line in enumerate(lines) if line.startswith(word))
        gone = next(told, len(lines) - 1)
        return lines[:gone] + lines[gone + 1 :]
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
    environment.filters["n"] = number
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
    profile: Profile,
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
        "rule_is_composite": isinstance(alarm, CompositeAlarm),
        "held_back": isinstance(alarm, CompositeAlarm) and alarm.suppressor is not None,
        "subject": subject_words(site, model),
        "amounts": amounts(slug, alarm=alarm, model=model, evidence=evidence),
        "origin": origin(slug, model=model),
        "calls_place": _calls_place(model, evidence=evidence, profile=profile),
        "quota_percent": _quota_percent(model),
        "threshold": _threshold(slug, alarm=alarm, model=model),
        "severity": severity,
        "model": model,
        "site": site,
        "evidence": evidence,
        "sees_fallback": model is not None and evidence.sees_fallback(model),
        "wait_min": alarm.suppressor.wait_s // 60 if isinstance(alarm, CompositeAlarm) and alarm.suppressor else 0,
        "delay_min": evidence.settings.expected_delay_s // 60,
        "reserved": _reserved(model),
        "used": _used(model),
        "page": page_link(site, model.key if model and profile is Profile.DEFAULT else FLEET),
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
        f"{sign} {number(alarm.threshold or 0)} {unit} in {alarm.datapoints_to_alarm} of "
        f"{alarm.evaluation_periods} periods of {period}"
    )


def _calls_place(model: MonitoredModel | None, *, evidence: EvidencePlan, profile: Profile) -> str:
    """Return where the messages and the callers of refused or fallen-back calls stand."""
    if model is None or evidence.log_group is None:
        return "CloudTrail event history (event source bedrock.amazonaws.com)"
    if profile is Profile.LEAN:
        return f"log group {evidence.log_group} (by errorMessage and userIdentity.arn)"
    return 'the table "Whose calls?" at the end of the page'


def _quota_percent(model: MonitoredModel | None) -> float:
    """Return per cent of the quota from which it counts as used up."""
    asked = None if model is None else override_for(model, "quota-use").threshold
    return (policy_for("quota-use").threshold or 0) if asked is None else asked


def _reserved(model: MonitoredModel | None) -> float | None:
    """Return the tokens that an ordinary call reserves when it starts; None where max_tokens is not configured."""
    if model is None or model.quotas.max_tokens is None:
        return None
    return reserved_tokens(input_tokens=model.baselines.input_tokens, max_tokens=model.quotas.max_tokens)


def _used(model: MonitoredModel | None) -> float | None:
    """Return the tokens that an ordinary call takes from the quota once it has ended."""
    if model is None:
        return None
    base = model.baselines
    return consumed_tokens(
        input_tokens=base.input_tokens, output_tokens=base.output_tokens, burndown=model.quotas.burndown
    )
