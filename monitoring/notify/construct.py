"""How do key, topics, subscribers and chat look in the CDK? Typed constructs, so that rule packs see them.

Policies follow the Amazon SNS Developer Guide (Key management, permissions for event sources; Security best practices,
data in transit), the AWS KMS Developer Guide and the CloudWatch Logs User Guide (Encrypt log data). An alarm publishes as
the service cloudwatch.amazonaws.com, which the AWS-managed SNS key does not let in: hence a key of our own.
Whether CloudWatch sends aws:SourceAccount along when it uses the key is unverified on AWS; `fire-drill` shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aws_cdk import Acknowledgment, CfnResource, RemovalPolicy, Validations
from aws_cdk import aws_chatbot as chatbot
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from constructs import Construct

from alarms.naming import logical_id

if TYPE_CHECKING:
    from alarms.naming import Site
    from monitoring.deployment import HttpsTarget
    from monitoring.notify.plan import ChatPlan, KeyPlan, NotifyPlan, TopicPlan

__all__ = ["Notifications"]

_KEY_DELETION_DAYS = 30
_CHAT_ACTIONS = (
    "cloudwatch:DescribeAlarmHistory",
    "cloudwatch:DescribeAlarms",
    "cloudwatch:GetMetricData",
    "cloudwatch:GetMetricStatistics",
    "cloudwatch:ListMetrics",
)


class Notifications(Construct):
    """Key, topics, subscriptions and chat configurations of one account and Region.

    Attributes:
        key_arn: ARN of the key in use (created or existing), or None where nothing is encrypted.
        topics: The topics that were created.

    Args:
        scope: Where they go.
        id: Id in that scope.
        plan: What to create.
        site: Account and Region.
        permissions_boundary: Name of an IAM policy set on the chat role, or None.
    """

    key_arn: str | None
    topics: tuple[CfnResource, ...]

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002 - the CDK's own name
        *,
        plan: NotifyPlan,
        site: Site,
        permissions_boundary: str | None = None,
    ) -> None:
        super().__init__(scope, id)
        self.key_arn = _key(self, plan=plan.key, site=site).attr_arn if plan.key else plan.existing_key_arn
        self.topics = tuple(_topic(self, plan=topic, site=site, key_arn=self.key_arn) for topic in plan.topics)
        if plan.chats:
            role = _chat_role(self, site=site, permissions_boundary=permissions_boundary)
            for chat in plan.chats:
                configuration = _chat(self, plan=chat, site=site, role=role)
                for topic in self.topics:
                    configuration.add_resource_dependency(topic)


def _key(scope: Construct, *, plan: KeyPlan, site: Site) -> kms.CfnKey:
    key = kms.CfnKey(
        scope,
        "Key",
        description="Encrypts the notification topics and the evidence log group of bedrock-monitor",
        enable_key_rotation=True,
        pending_window_in_days=_KEY_DELETION_DAYS,
        key_policy=_key_policy(plan, site=site),
    )
    key.apply_removal_policy(RemovalPolicy.DESTROY)
    kms.CfnAlias(scope, "KeyAlias", alias_name=plan.alias, target_key_id=key.attr_arn)
    return key


def _key_policy(plan: KeyPlan, *, site: Site) -> dict[str, Any]:
    services = [
        {
            "Sid": sid,
            "Effect": "Allow",
            "Principal": {"Service": service},
            "Action": ["kms:Decrypt", "kms:GenerateDataKey*"],
            "Resource": "*",
            "Condition": {"StringEquals": {"aws:SourceAccount": site.account_id}},
        }
        for sid, service in (("Alarms", "cloudwatch.amazonaws.com"), ("Events", "events.amazonaws.com"))
    ]
    logs = [
        {
            "Sid": "Logs",
            "Effect": "Allow",
            "Principal": {"Service": f"logs.{site.region}.{_suffix(site)}"},
            "Action": ["kms:Decrypt*", "kms:DescribeKey", "kms:Encrypt*", "kms:GenerateDataKey*", "kms:ReEncrypt*"],
            "Resource": "*",
            "Condition": {
                "ArnEquals": {
                    "kms:EncryptionContext:aws:logs:arn": (
                        f"arn:{site.partition}:logs:{site.region}:{site.account_id}:log-group:{plan.log_group}"
                    )
                }
            },
        }
    ]
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "Account",
                "Effect": "Allow",
                "Principal": {"AWS": f"arn:{site.partition}:iam::{site.account_id}:root"},
                "Action": "kms:*",
                "Resource": "*",
            },
            *services,
            *(logs if plan.log_group else []),
        ],
    }


def _topic(scope: Construct, *, plan: TopicPlan, site: Site, key_arn: str | None) -> sns.CfnTopic:
    name = logical_id(plan.severity)
    topic = sns.CfnTopic(
        scope,
        f"{name}Topic",
        topic_name=plan.name,
        display_name=plan.display_name,
        kms_master_key_id=key_arn,
    )
    sns.CfnTopicPolicy(scope, f"{name}TopicPolicy", topics=[topic.ref], policy_document=_topic_policy(plan, site=site))
    for number, address in enumerate(plan.emails, start=1):
        sns.CfnSubscription(scope, f"{name}Email{number}", protocol="email", topic_arn=topic.ref, endpoint=address)
    for number, target in enumerate(plan.https, start=1):
        sns.CfnSubscription(
            scope, f"{name}Https{number}", protocol="https", topic_arn=topic.ref, endpoint=_secret_reference(target)
        )
    return topic


def _topic_policy(plan: TopicPlan, *, site: Site) -> dict[str, Any]:
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "AlarmsOfThisAccount",
                "Effect": "Allow",
                "Principal": {"Service": "cloudwatch.amazonaws.com"},
                "Action": "sns:Publish",
                "Resource": plan.arn,
                "Condition": {"StringEquals": {"aws:SourceAccount": site.account_id}},
            },
            {
                "Sid": "TlsOnly",
                "Effect": "Deny",
                "Principal": {"AWS": "*"},
                "Action": "sns:Publish",
                "Resource": plan.arn,
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            },
        ],
    }


def _secret_reference(target: HttpsTarget) -> str:
    """Return the dynamic reference that CloudFormation resolves: the URL is never in a template."""
    key = f":{target.json_key}" if target.json_key else ""
    return f"{{{{resolve:secretsmanager:{target.secret_arn}:SecretString{key}}}}}"


def _chat_role(scope: Construct, *, site: Site, permissions_boundary: str | None) -> iam.CfnRole:
    role = iam.CfnRole(
        scope,
        "ChatRole",
        description="What Amazon Q Developer in chat applications may read to draw an alarm",
        assume_role_policy_document={
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Allow",
                    "Principal": {"Service": "chatbot.amazonaws.com"},
                    "Action": "sts:AssumeRole",
                    "Condition": {"StringEquals": {"aws:SourceAccount": site.account_id}},
                }
            ],
        },
        policies=[
            iam.CfnRole.PolicyProperty(
                policy_name="ReadAlarms",
                policy_document={
                    "Version": "2012-10-17",
                    "Statement": [{"Effect": "Allow", "Action": list(_CHAT_ACTIONS), "Resource": "*"}],
                },
            )
        ],
        permissions_boundary=(
            f"arn:{site.partition}:iam::{site.account_id}:policy/{permissions_boundary}"
            if permissions_boundary
            else None
        ),
    )
    Validations.of(role).acknowledge(
        Acknowledgment(
            id="AwsSolutions-IAM5[Resource::*]",
            reason="CloudWatch's read actions for metrics and alarm history take no narrower resource than *",
        )
    )
    return role


def _chat(scope: Construct, *, plan: ChatPlan, site: Site, role: iam.CfnRole) -> chatbot.CfnSlackChannelConfiguration:
    return chatbot.CfnSlackChannelConfiguration(
        scope,
        logical_id("chat", plan.name),
        configuration_name=plan.name,
        slack_workspace_id=plan.workspace_id,
        slack_channel_id=plan.channel_id,
        sns_topic_arns=list(plan.topic_arns),
        iam_role_arn=role.attr_arn,
        guardrail_policies=[f"arn:{site.partition}:iam::aws:policy/CloudWatchReadOnlyAccess"],
        logging_level="ERROR",
        user_role_required=False,
    )


def _suffix(site: Site) -> str:
    return "amazonaws.com.cn" if site.partition == "aws-cn" else "amazonaws.com"
