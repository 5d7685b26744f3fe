"""How does a plan become CloudFormation? One stack for each account and Region, one more for each model in it.

A model never moves between stacks and no stack nears a limit. Model stacks refer to topics by ARNs that are known before the
topics exist, so there are no cross-stack exports; a model stack only waits for the stack of its account and Region.

Templates must not depend on who starts the synthesis (this process, `python app.py`, the CDK command line), so everything
that the command line could set and that would change a template is pinned here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import App, DefaultStackSynthesizer, Environment, Stack

from alarms.construct import add_alarms
from alarms.naming import stack_name
from dashboards.construct import add_pages
from monitoring.evidence.construct import Evidence
from monitoring.notify.construct import Notifications

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from constructs import Construct

    from monitoring.deployment import Deployment
    from monitoring.plan import ModelPlan, Plan

__all__ = ["PINNED_CONTEXT", "ModelStack", "SiteStack", "add_stacks", "deployment_app", "fill_model", "fill_site"]

PINNED_CONTEXT = {
    "aws:cdk:enable-path-metadata": False,
    "aws:cdk:enable-asset-metadata": False,
    "aws:cdk:version-reporting": False,
    "aws:cdk:disable-logicalId-metadata": True,
    "aws:cdk:disable-creation-stack-traces": True,
    "@aws-cdk/core:enableAdditionalMetadataCollection": False,
    "@aws-cdk/core:suppressTemplateIndentation": False,
}


class SiteStack(Stack):
    """Topics, key, evidence, account-wide alarms, fleet and weekly pages of one account in one Region.

    Args:
        scope: App or stage.
        id: Construct id, the stack's name.
        plan: What goes in.
    """

    def __init__(self, scope: Construct, id: str, *, plan: Plan) -> None:  # noqa: A002 - the CDK's own name
        deployment = plan.deployment
        super().__init__(
            scope,
            id,
            stack_name=id,
            description=f"Bedrock monitoring of {deployment.site.alias} in {deployment.site.region}: "
            "notifications, evidence, fleet and weekly pages",
            env=_environment(deployment),
            synthesizer=_synthesizer(deployment),
            tags=dict(deployment.tags),
            termination_protection=False,
        )
        fill_site(self, plan=plan)


class ModelStack(Stack):
    """Alarms and page of one model.

    Args:
        scope: App or stage.
        id: Construct id, the stack's name.
        plan: What goes in.
        deployment: Where.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 - the CDK's own name
        *,
        plan: ModelPlan,
        deployment: Deployment,
    ) -> None:
        super().__init__(
            scope,
            id,
            stack_name=id,
            description=f"Bedrock monitoring of {deployment.site.alias} in {deployment.site.region}: "
            f"model {plan.model.key}",
            env=_environment(deployment),
            synthesizer=_synthesizer(deployment),
            tags=dict(deployment.tags),
            termination_protection=False,
        )
        fill_model(self, plan=plan)


def fill_site(scope: Construct, *, plan: Plan) -> None:
    """Put everything of an account and Region that belongs to no single model into a scope."""
    notifications = Notifications(
        scope,
        "Notify",
        plan=plan.notify,
        site=plan.deployment.site,
        permissions_boundary=plan.deployment.permissions_boundary,
    )
    Evidence(
        scope,
        "Evidence",
        plan=plan.evidence,
        site=plan.deployment.site,
        key_arn=notifications.key_arn,
        resource_policy=plan.deployment.log_resource_policy,
    )
    add_alarms(scope, entries=plan.alarms)
    add_pages(scope, pages=dict(plan.pages))


def fill_model(scope: Construct, *, plan: ModelPlan) -> None:
    """Put everything of one model into a scope."""
    add_alarms(scope, entries=plan.alarms)
    if plan.page is not None:
        add_pages(scope, pages={"model": plan.page})


def add_stacks(
    scope: Construct, *, plans: Iterable[Plan], report: Callable[[str], None] | None = None
) -> dict[str, Stack]:
    """Add the stacks of every plan and return them by name, in order.

    Args:
        scope: App or stage.
        plans: One for each account and Region.
        report: Called with the name of each stack when it is in the tree.
    """
    stacks: dict[str, Stack] = {}
    plans = tuple(plans)
    for plan in plans:
        site = plan.deployment.site
        name = stack_name(site)
        stacks[name] = site_stack = SiteStack(scope, name, plan=plan)
        if report:
            report(name)
        for model in plan.models:
            name = stack_name(site, model=model.model.key)
            stacks[name] = ModelStack(scope, name, plan=model, deployment=plan.deployment)
            stacks[name].add_stack_dependency(site_stack)
            if report:
                report(name)
    for plan in plans:
        for name in plan.after_stacks:
            if name in stacks:
                stacks[stack_name(plan.deployment.site)].add_stack_dependency(stacks[name])
    return stacks


def deployment_app(
    *,
    plans: Iterable[Plan],
    outdir: str | None = None,
    check_templates: bool = True,
    report: Callable[[str], None] | None = None,
) -> App:
    """Return an app with every stack in it, ready for `synth()`.

    Args:
        plans: One for each account and Region.
        outdir: Folder of the cloud assembly; None leaves it to the CDK (CDK_OUTDIR, else a temporary folder).
        check_templates: Let the CDK validate every template (5 to 10 s).
        report: Called with the name of each stack when it is in the tree.
    """
    app = App(
        outdir=outdir,
        auto_synth=False,
        analytics_reporting=False,
        stack_traces=False,
        tree_metadata=False,
        builtin_cloud_formation_validation=check_templates,
        post_cli_context=PINNED_CONTEXT,
    )
    add_stacks(app, plans=plans, report=report)
    return app


def _environment(deployment: Deployment) -> Environment:
    return Environment(account=deployment.site.account_id, region=deployment.site.region)


def _synthesizer(deployment: Deployment) -> DefaultStackSynthesizer | None:
    """Return the synthesizer of an account with a bootstrap of its own; None takes the CDK's default."""
    qualifier = deployment.bootstrap_qualifier
    return None if qualifier is None else DefaultStackSynthesizer(qualifier=qualifier)
