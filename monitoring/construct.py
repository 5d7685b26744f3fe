"""How does somebody with a CDK application of their own get this monitoring? As one construct.

    from bedrock_monitor import BedrockMonitoring     # also where the application has a folder called monitoring/

    BedrockMonitoring(app, "Bedrock", config="monitoring.yaml")                       # a stack for each model
    BedrockMonitoring(stack, "Bedrock", config="monitoring.yaml", account="prod")     # into your stack

Under an App or Stage it adds the stacks that `bedrock-monitor synth` makes. Under a Stack it puts one account and Region into
that stack, within CloudFormation's 500 resources and 1 MB.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import Stack, Token
from constructs import Construct

from cloudwatch.problems import InvalidValueError, Problem, ProblemsError
from monitoring.config import load_deployments
from monitoring.plan import plan
from monitoring.plan_limits import limit_problems
from monitoring.stack import add_stacks, fill_model, fill_site

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from monitoring.deployment import Deployment
    from monitoring.plan import Plan

__all__ = ["BedrockMonitoring"]


class BedrockMonitoring(Construct):
    """Everything a configuration describes, in an application that already exists.

    Attributes:
        plans: What was built, one for each account and Region.
        stacks: The stacks that were added by name; empty inside a stack.

    Args:
        scope: App, Stage or Stack.
        id: Id in that scope.
        config: A monitoring.yaml; this or `deployments`.
        deployments: Deployments made in Python; this or `config`.
        account: Alias of the only account wanted; default all, or inside a stack the stack's own.
        region: The only Region wanted; default all, or inside a stack the stack's own.

    Raises:
        ProblemsError: The configuration is wrong, nothing in it fits, or a limit of AWS is passed.
    """

    plans: tuple[Plan, ...]
    stacks: dict[str, Stack]

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 - the CDK's own name
        *,
        config: str | os.PathLike[str] | None = None,
        deployments: Sequence[Deployment] | None = None,
        account: str | None = None,
        region: str | None = None,
    ) -> None:
        super().__init__(scope, id)
        if (config is None) == (deployments is None):
            raise _error("give BedrockMonitoring either config or deployments")
        known = tuple(deployments) if deployments is not None else load_deployments(str(config))
        around = next((node for node in reversed(self.node.scopes) if Stack.is_stack(node)), None)
        self.stacks = {}
        if isinstance(around, Stack):
            chosen = _only(_matching(known, account=account, region=region, stack=around))
            self.plans = _planned((chosen,), known=known)
            _refuse(self.plans, one_stack=True)
            fill_site(self, plan=self.plans[0])
            for model in self.plans[0].models:
                fill_model(Construct(self, model.model.key), plan=model)
        else:
            self.plans = _planned(_matching(known, account=account, region=region, stack=None), known=known)
            _refuse(self.plans, one_stack=False)
            self.stacks = add_stacks(self, plans=self.plans)


def _matching(
    known: Sequence[Deployment], *, account: str | None, region: str | None, stack: Stack | None
) -> tuple[Deployment, ...]:
    account_id = region_of_stack = None
    if stack is not None:
        account_id = None if Token.is_unresolved(stack.account) else stack.account
        region_of_stack = None if Token.is_unresolved(stack.region) else stack.region
    found = tuple(
        deployment
        for deployment in known
        if account in {None, deployment.site.alias}
        and region in {None, deployment.site.region}
        and account_id in {None, deployment.site.account_id}
        and region_of_stack in {None, deployment.site.region}
    )
    if not found:
        have = ", ".join(f"{each.site.alias} ({each.site.account_id}) in {each.site.region}" for each in known)
        asked = f"account {account or account_id or 'any'}, Region {region or region_of_stack or 'any'}"
        raise _error(f"no deployment fits {asked}; the configuration has: {have}")
    return found


def _planned(chosen: tuple[Deployment, ...], *, known: Sequence[Deployment]) -> tuple[Plan, ...]:
    """Return the plans of the deployments chosen, each among all Regions of its account, also those not chosen."""
    regions = {
        each.site.account_id: [other for other in known if other.site.account_id == each.site.account_id]
        for each in chosen
    }
    try:
        return tuple(plan(each, account=regions[each.site.account_id]) for each in chosen)
    except InvalidValueError as error:
        raise _error(str(error)) from None


def _only(found: tuple[Deployment, ...]) -> Deployment:
    if len(found) > 1:
        names = ", ".join(f"{each.site.alias} in {each.site.region}" for each in found)
        raise _error(f"a stack takes one account and Region, these fit: {names}; say account= and region=")
    return found[0]


def _refuse(made: tuple[Plan, ...], *, one_stack: bool) -> None:
    problems = limit_problems(made, one_stack=one_stack)
    if problems:
        raise ProblemsError(problems)


def _error(message: str) -> ProblemsError:
    return ProblemsError([Problem(code="bedrock-monitoring", message=message)])
