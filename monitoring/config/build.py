"""What values does a checked configuration become?

One `Deployment` for each account and Region, made of the values that `monitoring.config.merge` found to be in force. Nothing is
decided here: what cannot be built was refused by `monitoring.config.checks`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from alarms.alarm_set import Profile, Severity
from alarms.naming import Site
from bedrock.evidence import AbsentMeans, EvidenceRoute, EvidenceSettings
from bedrock.models import (
    AlarmOverride,
    Baselines,
    LatencyMode,
    MonitoredModel,
    Objectives,
    OptimizedSeries,
    Prices,
    Quotas,
)
from monitoring.config.settings import account_settings, models_here, site_values
from monitoring.deployment import ChatTarget, Deployment, HttpsTarget, Notification

if TYPE_CHECKING:
    from monitoring.config.merge import Effective
    from monitoring.config.settings import ModelHere
    from monitoring.config.source import Source

__all__ = ["deployments_of"]


def _evidence(settings: Effective) -> EvidenceSettings:
    """Return the evidence settings among an account's settings."""
    given = settings.group("evidence")
    if "route" in given:
        given["route"] = EvidenceRoute(given["route"])
    if "absent_means" in given:
        given["absent_means"] = AbsentMeans(given["absent_means"])
    return EvidenceSettings(**given)


def deployments_of(source: Source) -> tuple[Deployment, ...]:
    """Return one deployment for each account and Region, in the order of the file."""
    return tuple(
        _deployment(source, alias, region)
        for alias, account in source.data["accounts"].items()
        for region in account["regions"]
    )


def _deployment(source: Source, alias: str, region: str) -> Deployment:
    site = Site(**site_values(source, alias=alias, region=region))
    settings = account_settings(source, alias=alias, region=region)
    cache = settings.group("cache_metrics")
    tags = {**(source.data["organisation"].get("tags") or {}), **(source.data["accounts"][alias].get("tags") or {})}
    policy = settings.get("log_resource_policy")
    return Deployment(
        site=site,
        organisation=source.data["organisation"]["name"],
        models=tuple(_model(here) for here in models_here(source, alias=alias, region=region)),
        evidence=_evidence(settings),
        notifications=tuple(
            target for severity in Severity if (target := _notification(settings, severity, region)) is not None
        ),
        profile=Profile(settings.get("profile", default="default")),
        tags=tuple((key, "" if value is None else value) for key, value in tags.items()),
        bootstrap_qualifier=settings.get("bootstrap_qualifier"),
        permissions_boundary=settings.get("permissions_boundary"),
        kms_key_arn=settings.get("kms_key"),
        log_resource_policy=True if policy is None else policy,
        cache_metrics=(
            cache.get("read", "CacheReadInputTokenCount"),
            cache.get("write", "CacheWriteInputTokenCount"),
        ),
    )


def _notification(settings: Effective, severity: Severity, region: str) -> Notification | None:
    target = {key[2:]: value for key, value in settings.values.items() if key[:2] == ("notifications", severity.value)}
    if not target or set(target) == {("ok_actions",)}:
        return None
    arns = tuple(arn for arn in target.get(("topics",), ()) if arn.split(":")[3] == region)
    return Notification(
        severity=severity,
        topic_arns=arns,
        emails=tuple(target.get(("create", "emails"), ())),
        https=tuple(
            HttpsTarget(secret_arn=item["secret"], json_key=item.get("json_key"))
            for item in target.get(("create", "https"), ())
        ),
        chat=tuple(ChatTarget(**item) for item in target.get(("create", "chat"), ())),
        ok_actions=target.get(("ok_actions",), True),
    )


def _model(here: ModelHere) -> MonitoredModel:
    values = here.effective
    baselines = {name: float(number) for name, number in values.group("baselines").items()}
    quotas: dict[str, Any] = {
        name: number if name == "max_tokens" else float(number) for name, number in values.group("quotas").items()
    }
    per_minute = values.get("requests_per_minute")
    return MonitoredModel(
        key=here.key,
        title=values.get("title", default=here.key),
        model_ids=tuple(values.get("ids")),
        cloudtrail_ids=tuple(values.get("cloudtrail_ids", default=())),
        latency=LatencyMode(values.get("latency")),
        optimized_series=OptimizedSeries(values.get("optimized_series")),
        streaming_share=float(values.get("streaming_share")),
        requests_per_minute=None if per_minute is None else float(per_minute),
        sdk_max_attempts=values.get("sdk_max_attempts"),
        reserved_tier=values.get("reserved_tier"),
        prompt_caching=values.get("prompt_caching"),
        objectives=Objectives(**{name: float(number) for name, number in values.group("objectives").items()}),
        baselines=Baselines(**baselines),
        quotas=Quotas(**quotas),
        prices=Prices(**{name: float(number) for name, number in values.group("prices").items()}),
        overrides=tuple(_overrides(values).items()),
        links=tuple(values.group("links").items()),
    )


def _overrides(values: Effective) -> dict[str, AlarmOverride]:
    changes: dict[str, dict[str, Any]] = {}
    names = {"n": "evaluation_periods", "m": "datapoints_to_alarm"}
    for key, value in values.values.items():
        if key[0] == "alarms":
            number = float(value) if key[2] == "threshold" else value
            changes.setdefault(key[1], {})[names.get(key[2], key[2])] = number
    return {slug: AlarmOverride(**change) for slug, change in changes.items()}
