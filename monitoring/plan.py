"""What exactly is deployed in an account and Region? Every value, before the CDK hears of any.

`plan` turns a deployment into alarms, pages, evidence and notifications; `plans` does so for a whole configuration, where a
chat configuration is shared by the Regions of an account. Nothing here imports the CDK: lint, cost, scenarios and the
constructs all start from the same plan.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, assert_never

from alarms.alarm_set import Profile
from alarms.causes import model_alarms, site_alarms
from alarms.naming import FLEET, WEEKLY, log_group_name, metric_namespace, rule_prefix, stack_name, topic_arn
from bedrock.evidence_plan import plan_evidence
from dashboards.pages.fleet import fleet_page
from dashboards.pages.lean import lean_page
from dashboards.pages.model import model_page
from dashboards.pages.weekly_review import weekly_pages
from monitoring.notify.plan import notify_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from alarms.alarm_set import AlarmSet, Severity
    from bedrock.evidence_plan import EvidencePlan
    from bedrock.models import MonitoredModel
    from dashboards.page import Dashboard
    from monitoring.deployment import Deployment
    from monitoring.notify.plan import NotifyPlan

    _Targets = Mapping[Severity, tuple[str, ...]]

__all__ = ["ModelPlan", "Plan", "plan", "plans"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPlan:
    """One model in one account and Region.

    Attributes:
        model: The model.
        alarms: Its alarms.
        page: Its page; None in the lean profile, where one page shows every model.
    """

    model: MonitoredModel
    alarms: AlarmSet
    page: Dashboard | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One account in one Region.

    Attributes:
        deployment: The configuration it comes from.
        evidence: Log group, rules and metric filters.
        notify: Key, topics, subscribers and chats.
        alarms: Account-wide alarms.
        pages: Pairs of word (`fleet`, `weekly`, `weekly-2`) and account-wide page, fleet first.
        models: In configuration order.
    """

    deployment: Deployment
    evidence: EvidencePlan
    notify: NotifyPlan
    alarms: AlarmSet
    pages: tuple[tuple[str, Dashboard], ...]
    models: tuple[ModelPlan, ...]

    @property
    def after_stacks(self) -> tuple[str, ...]:
        """Names of stacks in other Regions that have to exist before this one's chats can read their topics."""
        site = self.deployment.site
        return tuple(stack_name(replace(site, region=region)) for region in self.notify.chat_regions)


def plan(deployment: Deployment, *, account: Sequence[Deployment] = ()) -> Plan:
    """Return everything that is deployed in one account and Region.

    Args:
        deployment: The account and Region.
        account: All Regions of that account in configuration order; empty means this one alone.

    Raises:
        InvalidValueError: A value would be refused by AWS; the message says which and why.
    """
    site = deployment.site
    evidence = plan_evidence(
        deployment.models,
        settings=deployment.evidence,
        region=site.region,
        namespace=metric_namespace(site),
        log_group=log_group_name(site),
        rule_prefix=rule_prefix(site),
    )
    targets, ok_targets = _targets(deployment)
    alarms = site_alarms(deployment.models, site=site, evidence=evidence, targets=targets, ok_targets=ok_targets)
    models = tuple(
        _model_plan(model, deployment=deployment, evidence=evidence, targets=targets, ok_targets=ok_targets)
        for model in deployment.models
    )
    return Plan(
        deployment=deployment,
        evidence=evidence,
        notify=notify_plan(
            deployment,
            account=account,
            encrypted_log_group=next((group.name for group in evidence.log_groups if group.create), None),
        ),
        alarms=alarms,
        pages=_site_pages(models, deployment=deployment, evidence=evidence, alarms=alarms),
        models=models,
    )


def plans(deployments: Iterable[Deployment]) -> tuple[Plan, ...]:
    """Return the plans of a whole configuration, in its order.

    Raises:
        InvalidValueError: As `plan`.
    """
    known = tuple(deployments)
    return tuple(
        plan(
            deployment,
            account=[other for other in known if other.site.account_id == deployment.site.account_id],
        )
        for deployment in known
    )


def _targets(deployment: Deployment) -> tuple[_Targets, _Targets]:
    """Return what each severity calls on entry into ALARM and into OK."""
    arns = {
        target.severity: target.topic_arns or (topic_arn(deployment.site, target.severity),)
        for target in deployment.notifications
    }
    return arns, {target.severity: arns[target.severity] for target in deployment.notifications if target.ok_actions}


def _model_plan(
    model: MonitoredModel,
    *,
    deployment: Deployment,
    evidence: EvidencePlan,
    targets: _Targets,
    ok_targets: _Targets,
) -> ModelPlan:
    site = deployment.site
    alarms = model_alarms(
        model,
        site=site,
        evidence=evidence,
        targets=targets,
        ok_targets=ok_targets,
        profile=deployment.profile,
        cache_metrics=deployment.cache_metrics,
    )
    page = None
    if deployment.profile is Profile.DEFAULT:
        page = model_page(model, site=site, alarms=alarms, evidence=evidence, cache_metrics=deployment.cache_metrics)
    return ModelPlan(model=model, alarms=alarms, page=page)


def _site_pages(
    models: Sequence[ModelPlan], *, deployment: Deployment, evidence: EvidencePlan, alarms: AlarmSet
) -> tuple[tuple[str, Dashboard], ...]:
    """Return the account-wide pages: fleet and weekly review, or the one page of the lean profile."""
    watched = [(each.model, each.alarms) for each in models]
    site, cache_metrics = deployment.site, deployment.cache_metrics
    match deployment.profile:
        case Profile.LEAN:
            lean = lean_page(watched, site=site, alarms=alarms, evidence=evidence, cache_metrics=cache_metrics)
            return ((FLEET, lean),)
        case Profile.DEFAULT:
            fleet = fleet_page(watched, site=site, alarms=alarms, evidence=evidence, cache_metrics=cache_metrics)
            weekly = weekly_pages(watched, site=site, alarms=alarms, evidence=evidence, cache_metrics=cache_metrics)
            parts = (WEEKLY if number == 1 else f"{WEEKLY}-{number}" for number in count(1))
            return ((FLEET, fleet), *zip(parts, weekly, strict=False))
        case _:
            assert_never(deployment.profile)
