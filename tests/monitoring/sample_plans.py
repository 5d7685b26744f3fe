"""Small plans made by hand: what the constructs are tested with, whatever alarms and pages the product decides on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from alarms.alarm_set import AlarmEntry, AlarmSet, Profile, Role, Severity
from alarms.naming import (
    FLEET,
    Site,
    alarm_name,
    dashboard_name,
    log_group_name,
    metric_namespace,
    rule_prefix,
    topic_arn,
)
from bedrock.evidence import EvidenceSettings
from bedrock.evidence_plan import plan_evidence
from bedrock.models import Baselines, LatencyMode, MonitoredModel
from cloudwatch.alarm import Comparison, CompositeAlarm, MetricAlarm, MissingData, Suppressor
from cloudwatch.dashboard.values import AlarmWidget, DashboardBody, MetricRow, MetricWidget, TextWidget, Widget
from cloudwatch.metric import ExpressionQuery, Metric, MetricQuery
from monitoring.deployment import ChatTarget, Deployment, HttpsTarget, Notification
from monitoring.notify.plan import notify_plan
from monitoring.plan import ModelPlan, Plan

__all__ = ["SITE", "deployment", "model", "model_plan", "site_plan"]

SITE = Site(prefix="llm", alias="prod", account_id="111122223333", region="us-east-1")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    name: str
    body: DashboardBody


def model(key: str = "nova-pro", **changes: Any) -> MonitoredModel:
    """Return a latency-optimized model."""
    plain = MonitoredModel(
        key=key,
        title=f"Model {key}",
        model_ids=(f"us.amazon.{key}-v1:0",),
        baselines=Baselines(otps=90.0, output_tokens=300.0, input_tokens=2000.0),
        latency=LatencyMode.OPTIMIZED,
    )
    return replace(plain, **changes)


def deployment(*, models: tuple[MonitoredModel, ...] = (), **changes: Any) -> Deployment:
    """Return an account that creates a topic for each severity, with every kind of subscriber."""
    plain = Deployment(
        site=SITE,
        organisation="acme",
        models=models or (model(),),
        evidence=EvidenceSettings(),
        profile=Profile.DEFAULT,
        notifications=(
            Notification(
                severity=Severity.PAGE,
                emails=("oncall@example.com",),
                https=(HttpsTarget(secret_arn="bedrock/pager", json_key="url"),),
                chat=(ChatTarget(name="acme-oncall", workspace_id="T0123ABCDEF", channel_id="C0123ABCDEF"),),
            ),
            Notification(severity=Severity.TICKET, emails=("team@example.com",)),
            Notification(severity=Severity.NOTE),
        ),
        tags=(("team", "llm"),),
    )
    return replace(plain, **changes)


def _query(name: str, *, query_id: str, model_id: str, stat: str = "Sum") -> MetricQuery:
    metric = Metric(namespace="AWS/Bedrock", name=name, dimensions=(("ModelId", model_id),))
    return MetricQuery(id=query_id, metric=metric, stat=stat, period_s=60)


def alarm_set(site: Site, watched: MonitoredModel) -> AlarmSet:
    """Return a symptom, a paged metric alarm and a composite held back by the symptom."""
    model_id = watched.model_ids[0]
    topics = (topic_arn(site, Severity.PAGE),)
    fallback = MetricAlarm(
        name=alarm_name(site, model=watched.key, slug="fallback"),
        queries=(
            _query("Invocations", query_id="m1", model_id=model_id),
            _query("InvocationThrottles", query_id="m2", model_id=model_id),
            ExpressionQuery(id="e1", expression="100 * m2 / (m1 + m2)", return_data=True, label="share"),
        ),
        comparison=Comparison.GREATER,
        threshold=20,
        evaluation_periods=5,
        datapoints_to_alarm=3,
        treat_missing_data=MissingData.NOT_BREACHING,
        description="Served standard although optimized was asked.",
        alarm_actions=topics,
        ok_actions=topics,
    )
    decode = MetricAlarm(
        name=alarm_name(site, model=watched.key, slug="decode-rate"),
        queries=(replace(_query("TimeToFirstToken", query_id="m1", model_id=model_id, stat="p90"), return_data=True),),
        comparison=Comparison.GREATER_OR_EQUAL,
        threshold=2500.5,
        evaluation_periods=5,
        datapoints_to_alarm=4,
    )
    slow = CompositeAlarm(
        name=alarm_name(site, model=watched.key, slug="slow-decode"),
        rule=f'ALARM("{decode.name}") AND NOT ALARM("{fallback.name}")',
        suppressor=Suppressor(alarm=fallback.name, wait_s=300, extension_s=120),
        alarm_actions=topics,
    )
    return AlarmSet(
        entries=(
            AlarmEntry(
                slug="fallback",
                role=Role.CAUSE,
                severity=Severity.PAGE,
                alarm=fallback,
                title="Fallback",
                model=watched.key,
                unit="% of calls",
            ),
            AlarmEntry(slug="decode-rate", role=Role.SYMPTOM, alarm=decode, title="Decode", model=watched.key),
            AlarmEntry(
                slug="slow-decode", role=Role.CAUSE, severity=Severity.PAGE, alarm=slow, title="Slow", model=watched.key
            ),
        )
    )


def model_plan(site: Site, watched: MonitoredModel) -> ModelPlan:
    """Return alarms and a page of three widgets."""
    alarms = alarm_set(site, watched)
    arns = tuple(
        f"arn:{site.partition}:cloudwatch:{site.region}:{site.account_id}:alarm:{entry.alarm.name}" for entry in alarms
    )
    row = MetricRow(metric=_query("Invocations", query_id="m1", model_id=watched.model_ids[0]).metric)
    body = DashboardBody(
        widgets=(
            Widget(content=TextWidget(markdown=f"# {watched.title}"), x=0, y=0, width=24, height=2),
            Widget(content=AlarmWidget(alarms=arns, title="Causes"), x=0, y=2, width=24, height=3),
            Widget(
                content=MetricWidget(region=site.region, metrics=(row,), title="Calls"), x=0, y=5, width=12, height=6
            ),
        )
    )
    return ModelPlan(model=watched, alarms=alarms, page=_Page(name=dashboard_name(site, watched.key), body=body))


def site_plan(deployed: Deployment | None = None, *, account: tuple[Deployment, ...] = ()) -> Plan:
    """Return the plan of one account and Region, evidence and notifications as the product plans them."""
    deployed = deployed or deployment()
    site = deployed.site
    evidence = plan_evidence(
        deployed.models,
        settings=deployed.evidence,
        region=site.region,
        namespace=metric_namespace(site),
        log_group=log_group_name(site),
        rule_prefix=rule_prefix(site),
    )
    fleet = _Page(
        name=dashboard_name(site, FLEET),
        body=DashboardBody(widgets=(Widget(content=TextWidget(markdown="# Fleet"), x=0, y=0, width=24, height=2),)),
    )
    created = [group.name for group in evidence.log_groups if group.create]
    return Plan(
        deployment=deployed,
        evidence=evidence,
        notify=notify_plan(deployed, account=account, encrypted_log_group=created[0] if created else None),
        alarms=AlarmSet(entries=()),
        pages=((FLEET, fleet),),
        models=tuple(model_plan(site, watched) for watched in deployed.models),
    )
