"""How does evidence look in the CDK? Log group, rules and resource policy typed, metric filters raw.

EventBridge writes to a log group through a resource policy of CloudWatch Logs (EventBridge User Guide, Permissions for
Amazon CloudWatch Logs). The CDK's own target makes that policy with a custom resource, a Lambda function and an asset; the
resource type AWS::Logs::ResourcePolicy needs none of them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aws_cdk import CfnResource, RemovalPolicy
from aws_cdk import aws_events as events
from aws_cdk import aws_logs as logs
from constructs import Construct

from alarms.naming import log_policy_name, logical_id, rule_prefix
from cloudwatch.cloudformation import METRIC_FILTER_TYPE, metric_filter_properties

if TYPE_CHECKING:
    from alarms.naming import Site
    from bedrock.event_rules import EventRule, LogTarget
    from bedrock.evidence_plan import EvidenceLogGroup, EvidencePlan

__all__ = ["Evidence"]

_WRITERS = ("events.amazonaws.com", "delivery.logs.amazonaws.com")


class Evidence(Construct):
    """Everything that carries evidence in one account and Region.

    Args:
        scope: Where it goes.
        id: Id in that scope.
        plan: What to create.
        site: Account and Region.
        key_arn: Key that encrypts a log group that is created, or None.
        resource_policy: False where the account already lets EventBridge write to the log group.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 - the CDK's own name
        *,
        plan: EvidencePlan,
        site: Site,
        key_arn: str | None,
        resource_policy: bool,
    ) -> None:
        super().__init__(scope, id)
        created = {
            group.name: _log_group(self, group=group, key_arn=key_arn) for group in plan.log_groups if group.create
        }
        for rule in plan.rules:
            _rule(self, rule=rule, site=site, created=created)
        writing = tuple(rule for rule in plan.rules if rule.targets)
        if writing and resource_policy:
            _policy(self, rules=writing, site=site)
        for metric_filter in plan.filters:
            resource = CfnResource(
                self,
                logical_id("filter", metric_filter.name),
                type=METRIC_FILTER_TYPE,
                properties=metric_filter_properties(metric_filter),
            )
            if metric_filter.log_group in created:
                resource.add_resource_dependency(created[metric_filter.log_group])


def _log_group(scope: Construct, *, group: EvidenceLogGroup, key_arn: str | None) -> logs.CfnLogGroup:
    """Records are copies of what the trail keeps: the log group goes with the stack."""
    resource = logs.CfnLogGroup(
        scope, "LogGroup", log_group_name=group.name, retention_in_days=group.retention_days, kms_key_id=key_arn
    )
    resource.apply_removal_policy(RemovalPolicy.DESTROY)
    return resource


def _rule(scope: Construct, *, rule: EventRule, site: Site, created: dict[str, logs.CfnLogGroup]) -> None:
    resource = events.CfnRule(
        scope,
        logical_id("rule", rule.name),
        name=rule.name,
        description=rule.description,
        state=rule.state,
        event_pattern=rule.event_pattern,
        targets=[_target(target, site=site) for target in rule.targets] or None,
    )
    for target in rule.targets:
        if target.log_group in created:
            resource.add_resource_dependency(created[target.log_group])


def _target(target: LogTarget, *, site: Site) -> events.CfnRule.TargetProperty:
    transformer = target.transformer
    return events.CfnRule.TargetProperty(
        id="Records",
        arn=_log_group_arn(target.log_group, site=site),
        input_transformer=events.CfnRule.InputTransformerProperty(
            input_paths_map=dict(transformer.paths), input_template=transformer.template
        )
        if transformer
        else None,
    )


def _policy(scope: Construct, *, rules: tuple[EventRule, ...], site: Site) -> None:
    groups = sorted({target.log_group for rule in rules for target in rule.targets})
    arns = [f"{_log_group_arn(group, site=site)}:*" for group in groups]
    source = f"arn:{site.partition}:events:{site.region}:{site.account_id}:rule/{rule_prefix(site)}-*"
    statements: list[dict[str, Any]] = [
        {
            "Sid": "Streams",
            "Effect": "Allow",
            "Principal": {"Service": list(_WRITERS)},
            "Action": "logs:CreateLogStream",
            "Resource": arns,
        },
        {
            "Sid": "Records",
            "Effect": "Allow",
            "Principal": {"Service": list(_WRITERS)},
            "Action": "logs:PutLogEvents",
            "Resource": arns,
            "Condition": {"ArnLike": {"aws:SourceArn": source}},
        },
    ]
    logs.CfnResourcePolicy(
        scope,
        "WritePolicy",
        policy_name=log_policy_name(site),
        policy_document=json.dumps({"Version": "2012-10-17", "Statement": statements}, separators=(",", ":")),
    )


def _log_group_arn(name: str, *, site: Site) -> str:
    return f"arn:{site.partition}:logs:{site.region}:{site.account_id}:log-group:{name}"
