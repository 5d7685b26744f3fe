"""What must the role be allowed that deploys a configuration into an account?

The IAM policy of the CloudFormation execution role, from what the account's deployments hold: names and account as configured, and
no statement for what is not deployed. Made from the resource types in the templates; unverified on AWS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from alarms.naming import rule_prefix, topic_name
from bedrock.evidence import EvidenceRoute

if TYPE_CHECKING:
    from collections.abc import Sequence

    from monitoring.deployment import Deployment

__all__ = ["deploy_policy"]

_RULE_START = 50  # a longer name of a rule ends in a hash (bedrock.event_rules.rule_name)
_ALARMS = (
    "cloudwatch:DeleteAlarms cloudwatch:DeleteDashboards cloudwatch:DescribeAlarms cloudwatch:GetDashboard "
    "cloudwatch:ListTagsForResource cloudwatch:PutCompositeAlarm cloudwatch:PutDashboard cloudwatch:PutMetricAlarm "
    "cloudwatch:TagResource cloudwatch:UntagResource"
)
_RULES = (
    "events:DeleteRule events:DescribeRule events:ListTargetsByRule events:PutRule events:PutTargets "
    "events:RemoveTargets events:TagResource events:UntagResource"
)
_LOGS = (
    "logs:AssociateKmsKey logs:CreateLogGroup logs:DeleteLogGroup logs:DeleteMetricFilter logs:DeleteResourcePolicy "
    "logs:DescribeLogGroups logs:DescribeMetricFilters logs:DescribeResourcePolicies logs:ListTagsForResource "
    "logs:PutMetricFilter logs:PutResourcePolicy logs:PutRetentionPolicy logs:TagResource logs:UntagResource"
)
_TOPICS = (
    "sns:CreateTopic sns:DeleteTopic sns:GetSubscriptionAttributes sns:GetTopicAttributes sns:ListSubscriptionsByTopic "
    "sns:ListTagsForResource sns:SetTopicAttributes sns:Subscribe sns:TagResource sns:Unsubscribe sns:UntagResource"
)
_KEY = (
    "kms:CreateAlias kms:CreateGrant kms:CreateKey kms:DeleteAlias kms:DescribeKey kms:EnableKeyRotation kms:GetKeyPolicy "
    "kms:GetKeyRotationStatus kms:ListResourceTags kms:PutKeyPolicy kms:ScheduleKeyDeletion kms:TagResource kms:UntagResource "
    "kms:UpdateAlias kms:UpdateKeyDescription"
)
_CHAT = (
    "chatbot:CreateSlackChannelConfiguration chatbot:DeleteSlackChannelConfiguration "
    "chatbot:DescribeSlackChannelConfigurations chatbot:UpdateSlackChannelConfiguration "
    "iam:CreateRole iam:DeleteRole iam:DeleteRolePolicy iam:GetRole iam:GetRolePolicy iam:PassRole "
    "iam:PutRolePermissionsBoundary iam:PutRolePolicy iam:TagRole iam:UntagRole iam:UpdateAssumeRolePolicy"
)


def deploy_policy(deployments: Sequence[Deployment]) -> dict[str, Any]:
    """Return the policy document for one account, from its deployments in all Regions (at least one).

    Alarms, dashboards and keys cannot be named before they exist in every call that is made, so their resource is `*`.
    """
    site = deployments[0].site
    created = [target for each in deployments for target in each.notifications if target.creates_topic]
    routes = {each.evidence.route for each in deployments}
    arn = f"arn:{site.partition}"
    statements = [_allowed("AlarmsAndPages", _ALARMS, "*")]
    if routes & {EvidenceRoute.EVENTBRIDGE, EvidenceRoute.RULE_COUNTERS}:
        rules = sorted(
            {f"{arn}:events:*:{site.account_id}:rule/{rule_prefix(each.site)[:_RULE_START]}*" for each in deployments}
        )
        statements.append(_allowed("Rules", _RULES, rules))
    if routes - {EvidenceRoute.NONE}:
        statements.append(_allowed("Evidence", _LOGS, "*"))
    if created:
        topics = sorted(
            {
                f"{arn}:sns:*:{site.account_id}:{topic_name(each.site, target.severity.value)}"
                for each in deployments
                for target in each.notifications
                if target.creates_topic
            }
        )
        statements.append(_allowed("Notifications", _TOPICS, topics))
    if any(each.kms_key_arn is None and _encrypts(each) for each in deployments):
        statements.append(_allowed("Key", _KEY, "*"))
    if any(target.chat for target in created):
        statements.append(_allowed("Chat", _CHAT, "*"))
    if secrets := sorted({subscriber.secret_arn for target in created for subscriber in target.https}):
        named = [
            secret if secret.startswith("arn:") else f"{arn}:secretsmanager:*:{site.account_id}:secret:{secret}-*"
            for secret in secrets
        ]
        statements.append(_allowed("HttpsSubscribers", "secretsmanager:GetSecretValue", named))
    bootstrap = f"{arn}:ssm:*:{site.account_id}:parameter/cdk-bootstrap/*"
    statements.append(_allowed("Bootstrap", "ssm:GetParameters", bootstrap))
    return {"Version": "2012-10-17", "Statement": statements}


def _encrypts(deployment: Deployment) -> bool:
    """Whether a topic or log group is created, for which a key is."""
    evidence = deployment.evidence
    group = evidence.route is not EvidenceRoute.NONE and evidence.log_group is None
    return group or any(target.creates_topic for target in deployment.notifications)


def _allowed(sid: str, actions: str, resource: str | list[str]) -> dict[str, Any]:
    return {"Sid": sid, "Effect": "Allow", "Action": actions.split(), "Resource": resource}
