"""Models, a site and alarm sets that the tests of alarms start from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from alarms.alarm_set import AlarmSet, Profile, Severity
from alarms.causes import model_alarms
from alarms.naming import Site, log_group_name, metric_namespace, rule_prefix
from bedrock.evidence import EvidenceRoute, EvidenceSettings
from bedrock.evidence_plan import EvidencePlan, plan_evidence
from bedrock.models import AlarmOverride, Baselines, LatencyMode, MonitoredModel, Objectives, Quotas

SITE = Site(prefix="llm", alias="prod", account_id="111122223333", region="us-east-1")
TARGETS: dict[Severity, tuple[str, ...]] = {
    severity: (f"arn:aws:sns:us-east-1:111122223333:llm-prod-{severity}",) for severity in Severity
}
OK_TARGETS: dict[Severity, tuple[str, ...]] = {
    severity: arns for severity, arns in TARGETS.items() if severity is not Severity.NOTE
}

STANDARD = MonitoredModel(
    key="sonnet",
    title="Claude Sonnet",
    model_ids=("us.anthropic.claude-sonnet-4-20250514-v1:0",),
    baselines=Baselines(otps=60, output_tokens=400, input_tokens=2000, standard_otps=None),
    requests_per_minute=100,
    objectives=Objectives(ttft_p90_ms=1500, latency_p90_ms=12_000),
    quotas=Quotas(tpm=2_000_000, rpm=400, max_tokens=6000, burndown=5),
)
OPTIMIZED = replace(
    STANDARD,
    key="nova",
    title="Amazon Nova Pro",
    model_ids=("us.amazon.nova-pro-v1:0",),
    latency=LatencyMode.OPTIMIZED,
    baselines=Baselines(otps=90, output_tokens=300, input_tokens=1200, standard_otps=55),
)


def evidence_for(
    *models: MonitoredModel, route: EvidenceRoute = EvidenceRoute.EVENTBRIDGE, **changes: Any
) -> EvidencePlan:
    """Return the evidence of a site that has these models."""
    return plan_evidence(
        models,
        settings=EvidenceSettings(route=route, **changes),
        region=SITE.region,
        namespace=metric_namespace(SITE),
        log_group=log_group_name(SITE),
        rule_prefix=rule_prefix(SITE),
    )


def alarms_of(
    model: MonitoredModel,
    *,
    profile: Profile = Profile.DEFAULT,
    evidence: EvidencePlan | None = None,
    site: Site = SITE,
) -> AlarmSet:
    """Return the alarms of a model with targets for every severity."""
    return model_alarms(
        model,
        site=site,
        evidence=evidence_for(model) if evidence is None else evidence,
        targets=TARGETS,
        ok_targets=OK_TARGETS,
        profile=profile,
    )


def aliased(model: MonitoredModel, count: int) -> MonitoredModel:
    """Return the model under that many ModelId values."""
    return replace(model, model_ids=tuple(f"{model.model_ids[0]}-{place}" for place in range(1, count + 1)))


def overridden(model: MonitoredModel, **changes: AlarmOverride) -> MonitoredModel:
    """Return the model with overrides; underscores stand for the hyphens of slugs."""
    return replace(model, overrides=tuple((slug.replace("_", "-"), change) for slug, change in changes.items()))
