"""Would AWS take it? Limits of CloudFormation, CloudWatch Logs and EventBridge, checked on the plan with numbers.

Limits of a single value are checked when the value is born; here are those of what stands together: a stack, a log group, an
account in its partition. Sizes count what the CDK writes (JSON, indented by one space).
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from alarms.naming import stack_name
from cloudwatch import limits
from cloudwatch.cloudformation import alarm_resource, dashboard_properties, metric_filter_properties
from cloudwatch.dashboard.render import to_json
from cloudwatch.problems import Place, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from alarms.alarm_set import AlarmSet
    from bedrock.event_rules import EventRule
    from dashboards.page import Dashboard
    from monitoring.plan import Plan

__all__ = ["StackSize", "limit_problems", "stack_sizes"]

_FRAME_BYTES = 2_000  # description, bootstrap parameter and rule
# Typed resources, each a little above the largest that is written.
_KEY_BYTES, _ALIAS_BYTES, _TOPIC_BYTES, _TOPIC_POLICY_BYTES, _SUBSCRIBER_BYTES = 3_000, 400, 600, 1_500, 500
_CHAT_BYTES, _ROLE_BYTES, _LOG_GROUP_BYTES, _RESOURCE_POLICY_BYTES, _RULE_BYTES = 1_500, 1_500, 600, 1_500, 1_500
_RESOURCE_OVERHEAD_BYTES = 160  # logical id, type, dependencies


@dataclass(frozen=True, slots=True, kw_only=True)
class StackSize:
    """How large one stack is.

    Attributes:
        stack: Its name.
        resources: Number of resources.
        template_bytes: Size of the template, never below what is written.
    """

    stack: str
    resources: int
    template_bytes: int


def stack_sizes(plans: Iterable[Plan]) -> tuple[StackSize, ...]:
    """Return the size of every stack, in the order of the plans."""
    sizes: list[StackSize] = []
    for plan in plans:
        site = plan.deployment.site
        sizes.append(_size(stack_name(site), raw=_site_resources(plan), typed=_typed(plan)))
        sizes += [
            _size(
                stack_name(site, model=model.model.key),
                raw=[*_alarms(model.alarms), *([_page(model.page)] if model.page else [])],
                typed=[],
            )
            for model in plan.models
        ]
    return tuple(sizes)


def limit_problems(plans: Iterable[Plan], *, one_stack: bool = False) -> tuple[Problem, ...]:
    """Return every limit that a plan passes.

    Args:
        plans: The plans.
        one_stack: Whether each plan goes into a single stack, as in an application that has its own.
    """
    plans = tuple(plans)
    found: list[Problem] = []
    for plan in plans:
        sizes = stack_sizes([plan])
        if one_stack:
            sizes = (
                StackSize(
                    stack=sizes[0].stack,
                    resources=sum(size.resources for size in sizes),
                    template_bytes=sum(size.template_bytes for size in sizes),
                ),
            )
        for size in sizes:
            found += _stack_problems(size, one_stack=one_stack)
        found += _filter_problems(plan)
        found += _chat_problems(plan)
    found += _duplicates(plans)
    return tuple(found)


def _stack_problems(size: StackSize, *, one_stack: bool) -> Iterator[Problem]:
    hint = (
        "Give BedrockMonitoring an App or Stage as its scope: it then makes a stack for each model."
        if one_stack
        else "Turn alarms off, or use profile lean."
    )
    if size.resources > limits.STACK_RESOURCES:
        yield Problem(
            code="stack-resources",
            message=f"{size.stack} has {size.resources} resources, CloudFormation takes {limits.STACK_RESOURCES} in a stack.",
            hint=hint,
            place=Place(path=size.stack),
        )
    if size.template_bytes > limits.TEMPLATE_BYTES:
        yield Problem(
            code="template-bytes",
            message=f"the template of {size.stack} has about {size.template_bytes:,} bytes, CloudFormation takes "
            f"{limits.TEMPLATE_BYTES:,}.",
            hint=hint,
            place=Place(path=size.stack),
        )


def _filter_problems(plan: Plan) -> Iterator[Problem]:
    for group, count in Counter(metric_filter.log_group for metric_filter in plan.evidence.filters).items():
        if count > limits.FILTERS_PER_LOG_GROUP:
            yield Problem(
                code="filters-per-log-group",
                message=f"log group {group} would have {count} metric filters, CloudWatch Logs takes "
                f"{limits.FILTERS_PER_LOG_GROUP}.",
                hint="Use evidence route rule-counters.",
                place=Place(path=stack_name(plan.deployment.site)),
            )


def _chat_problems(plan: Plan) -> Iterator[Problem]:
    """Outside the commercial Regions CloudFormation has no AWS::Chatbot::SlackChannelConfiguration."""
    site = plan.deployment.site
    if plan.notify.chats and site.partition != "aws":
        names = ", ".join(chat.name for chat in plan.notify.chats)
        yield Problem(
            code="no-chat-here",
            message=f"{site.alias} asks for the chat configuration {names}; CloudFormation has none in {site.region} "
            f"({site.partition}).",
            hint="Use e-mail, HTTPS by secret or an existing topic in this account.",
            place=Place(path=f"accounts.{site.alias}.notifications"),
        )


def _duplicates(plans: Iterable[Plan]) -> Iterator[Problem]:
    alarms: Counter[tuple[str, str, str]] = Counter()
    pages: Counter[tuple[str, str]] = Counter()
    for plan in plans:
        site = plan.deployment.site
        for entries in (plan.alarms, *(model.alarms for model in plan.models)):
            alarms.update((site.account_id, site.region, entry.alarm.name) for entry in entries)
        pages.update((site.account_id, page.name) for _, page in plan.pages)
        pages.update((site.account_id, model.page.name) for model in plan.models if model.page)
    for (account, region, name), count in alarms.items():
        if count > 1:
            yield Problem(
                code="alarm-name-twice",
                message=f"alarm {name} would exist {count} times in {account} {region}.",
                hint="Rename a model or an account alias.",
            )
    for (account, name), count in pages.items():
        if count > 1:
            yield Problem(
                code="dashboard-name-twice",
                message=f"dashboard {name} would exist {count} times in {account}; dashboards are global in an account.",
                hint="Rename a model or an account alias.",
            )


def _size(stack: str, *, raw: list[dict[str, Any]], typed: list[int]) -> StackSize:
    written = sum(len(json.dumps(resource, indent=1)) + _RESOURCE_OVERHEAD_BYTES for resource in raw)
    # a resource stands three levels deep, so each of its lines is indented by two more spaces
    written += sum(2 * json.dumps(resource, indent=1).count("\n") for resource in raw)
    return StackSize(
        stack=stack,
        resources=len(raw) + len(typed),
        template_bytes=_FRAME_BYTES + written + sum(typed),
    )


def _site_resources(plan: Plan) -> list[dict[str, Any]]:
    return [
        *_alarms(plan.alarms),
        *(_page(page) for _, page in plan.pages),
        *(metric_filter_properties(metric_filter) for metric_filter in plan.evidence.filters),
    ]


def _typed(plan: Plan) -> list[int]:
    """Return the size of each typed resource."""
    notify, evidence = plan.notify, plan.evidence
    writes = plan.deployment.log_resource_policy and any(rule.targets for rule in evidence.rules)
    chats = [
        *(_CHAT_BYTES + 200 * len(chat.topic_arns) for chat in notify.chats),
        *([_ROLE_BYTES] if notify.chats else []),
    ]
    return [
        *([_KEY_BYTES, _ALIAS_BYTES] if notify.key else []),
        *(size for _ in notify.topics for size in (_TOPIC_BYTES, _TOPIC_POLICY_BYTES)),
        *(_SUBSCRIBER_BYTES for topic in notify.topics for _ in (*topic.emails, *topic.https)),
        *chats,
        *(_LOG_GROUP_BYTES for group in evidence.log_groups if group.create),
        *(_rule_bytes(rule) for rule in evidence.rules),
        *([_RESOURCE_POLICY_BYTES] if writes else []),
    ]


def _rule_bytes(rule: EventRule) -> int:
    transformed = sum(len(str(target.transformer)) for target in rule.targets if target.transformer)
    return _RULE_BYTES + 2 * len(rule.pattern) + 2 * transformed


def _alarms(entries: AlarmSet) -> list[dict[str, Any]]:
    return [alarm_resource(entry.alarm) for entry in entries]


def _page(page: Dashboard) -> dict[str, Any]:
    return dashboard_properties(page.name, to_json(page.body))
