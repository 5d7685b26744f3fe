"""Are key, topics, role and log resources as a security review wants them, and does a rule pack see each of them?"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from alarms.alarm_set import Severity
from monitoring.deployment import Notification
from monitoring.synthesis.node import use_packaged_node
from tests.monitoring.sample_plans import SITE, deployment, site_plan

if TYPE_CHECKING:
    from pathlib import Path

    from monitoring.plan import Plan

pytestmark = pytest.mark.synth

TOPICS = {"Notify/PageTopic", "Notify/TicketTopic", "Notify/NoteTopic"}


def resources(plan: Plan, folder: Path) -> dict[str, dict[str, Any]]:
    """Return the resources of the account's stack by logical id."""
    use_packaged_node()
    from monitoring.stack import deployment_app

    deployment_app(plans=(plan,), outdir=str(folder), check_templates=False).synth()
    template = json.loads((folder / "BedrockMonitor-prod-us-east-1.template.json").read_text())
    found: dict[str, dict[str, Any]] = template["Resources"]
    return found


def of_type(found: dict[str, dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """Return the properties of every resource of a type."""
    return [resource["Properties"] for resource in found.values() if resource["Type"] == kind]


def rows(plan: Plan, *, folder: Path, faults: bool = False) -> dict[str, set[str]]:
    """Return what cdk-nag's AwsSolutions pack finds: paths by rule, with every protection taken away or not."""
    use_packaged_node()
    from aws_cdk import aws_iam as iam
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_sns as sns
    from cdk_nag import AwsSolutionsChecks

    from monitoring.stack import deployment_app

    app = deployment_app(plans=(plan,), outdir=str(folder), check_templates=False)
    for construct in app.node.find_all() if faults else ():
        if isinstance(construct, kms.CfnKey):
            construct.enable_key_rotation = False
        elif isinstance(construct, sns.CfnTopic):
            construct.kms_master_key_id = None
        elif isinstance(construct, sns.CfnTopicPolicy):
            construct.policy_document = {"Version": "2012-10-17", "Statement": []}
        elif isinstance(construct, iam.CfnRole):
            construct.managed_policy_arns = ["arn:aws:iam::aws:policy/AdministratorAccess"]
    stack = "BedrockMonitor-prod-us-east-1/"
    return {
        violation.rule_name: {
            (resource.construct_path or "").removeprefix(stack) for resource in violation.violating_resources
        }
        for violation in AwsSolutionsChecks().validate_scope(app).violations
    }


def test_the_rule_pack_finds_nothing(tmp_path: Path) -> None:
    """cdk-nag AwsSolutions is clean; the one wildcard is acknowledged with its reason."""
    assert rows(site_plan(), folder=tmp_path) == {}


def test_the_rule_pack_sees_every_key_topic_and_role(tmp_path: Path) -> None:
    """With rotation, encryption and TLS taken away, each key, topic and role has its row: typed constructs are seen."""
    found = rows(site_plan(), folder=tmp_path, faults=True)
    assert found["AwsSolutions-KMS5"] == {"Notify/Key"}
    assert found["AwsSolutions-SNS3"] == TOPICS
    assert any(rule.startswith("AwsSolutions-IAM4") for rule in found)


def test_the_key_lets_in_alarms_events_and_logs_of_this_account_only(tmp_path: Path) -> None:
    """Each service may use the key, and only for this account or its own log group."""
    (key,) = of_type(resources(site_plan(), tmp_path), "AWS::KMS::Key")
    statements = {statement["Sid"]: statement for statement in key["KeyPolicy"]["Statement"]}
    assert key["EnableKeyRotation"] is True
    assert statements["Alarms"]["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    assert statements["Events"]["Principal"] == {"Service": "events.amazonaws.com"}
    assert statements["Logs"]["Principal"] == {"Service": "logs.us-east-1.amazonaws.com"}
    assert all(
        "kms:Decrypt" in str(statements[sid]["Action"]) and statements[sid].get("Condition")
        for sid in ("Alarms", "Events", "Logs")
    )
    assert statements["Account"]["Principal"] == {"AWS": "arn:aws:iam::111122223333:root"}


def test_topics_take_messages_from_alarms_of_this_account_over_tls(tmp_path: Path) -> None:
    """Every topic is encrypted with the key and has a policy with both statements."""
    found = resources(site_plan(), tmp_path)
    topics, policies = of_type(found, "AWS::SNS::Topic"), of_type(found, "AWS::SNS::TopicPolicy")
    assert {topic["TopicName"] for topic in topics} == {"llm-prod-page", "llm-prod-ticket", "llm-prod-note"}
    assert all("Fn::GetAtt" in topic["KmsMasterKeyId"] for topic in topics)
    assert len(policies) == len(topics)
    for policy in policies:
        allow, deny = policy["PolicyDocument"]["Statement"]
        assert allow["Condition"] == {"StringEquals": {"aws:SourceAccount": SITE.account_id}}
        assert (deny["Effect"], deny["Condition"]) == ("Deny", {"Bool": {"aws:SecureTransport": "false"}})


def test_the_address_of_a_pager_is_never_in_the_template(tmp_path: Path) -> None:
    """An HTTPS endpoint is a reference that CloudFormation resolves from Secrets Manager."""
    subscriptions = of_type(resources(site_plan(), tmp_path), "AWS::SNS::Subscription")
    endpoints = {subscription["Protocol"]: subscription["Endpoint"] for subscription in subscriptions}
    assert endpoints["https"] == "{{resolve:secretsmanager:bedrock/pager:SecretString:url}}"
    assert endpoints["email"].endswith("@example.com")


def test_the_rule_sees_read_only_calls_and_writes_without_custom_code(tmp_path: Path) -> None:
    """The rule is in the state that sees all management events; a plain resource policy lets it write; no Lambda, no asset."""
    found = resources(site_plan(), tmp_path)
    (rule,) = of_type(found, "AWS::Events::Rule")
    assert rule["State"] == "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS"
    (policy,) = of_type(found, "AWS::Logs::ResourcePolicy")
    statements = {statement["Sid"]: statement for statement in json.loads(policy["PolicyDocument"])["Statement"]}
    assert statements["Records"]["Condition"] == {
        "ArnLike": {"aws:SourceArn": "arn:aws:events:us-east-1:111122223333:rule/llm-prod-*"}
    }
    assert rule["Targets"][0]["Arn"] + ":*" in statements["Records"]["Resource"]
    assert not {resource["Type"] for resource in found.values()} & {
        "AWS::Lambda::Function",
        "Custom::CloudwatchLogResourcePolicy",
    }
    assets = json.loads((tmp_path / "BedrockMonitor-prod-us-east-1.assets.json").read_text())
    assert {asset["source"]["path"] for asset in assets["files"].values()} == {
        "BedrockMonitor-prod-us-east-1.template.json"
    }


def test_log_group_and_key_say_what_happens_to_them(tmp_path: Path) -> None:
    """Both have a deletion policy; the log group has a retention and is encrypted."""
    found = resources(site_plan(), tmp_path)
    kept = {
        resource["Type"]: resource
        for resource in found.values()
        if resource["Type"] in {"AWS::Logs::LogGroup", "AWS::KMS::Key"}
    }
    assert all(resource["DeletionPolicy"] == "Delete" for resource in kept.values())
    assert kept["AWS::KMS::Key"]["Properties"]["PendingWindowInDays"] == 30
    group = kept["AWS::Logs::LogGroup"]["Properties"]
    assert group["RetentionInDays"] == 30
    assert "KmsKeyId" in group


def test_what_exists_already_is_used_and_not_made_again(tmp_path: Path) -> None:
    """Existing key, topics, log group and resource policy leave only rule and filters to create."""
    plain = deployment()
    reused = replace(
        plain,
        notifications=(
            Notification(severity=Severity.PAGE, topic_arns=("arn:aws:sns:us-east-1:111122223333:oncall",)),
        ),
        kms_key_arn="arn:aws:kms:us-east-1:111122223333:key/1111",
        log_resource_policy=False,
        evidence=replace(plain.evidence, log_group="/aws/events/ours"),
    )
    kinds = {resource["Type"] for resource in resources(site_plan(reused), tmp_path).values()}
    assert kinds == {"AWS::Events::Rule", "AWS::Logs::MetricFilter", "AWS::CloudWatch::Dashboard"}


def test_an_existing_key_encrypts_the_topics(tmp_path: Path) -> None:
    """With a key of the account no key is made and every topic names it."""
    arn = "arn:aws:kms:us-east-1:111122223333:key/1111"
    found = resources(site_plan(deployment(kms_key_arn=arn)), tmp_path)
    assert of_type(found, "AWS::KMS::Key") == []
    assert {topic["KmsMasterKeyId"] for topic in of_type(found, "AWS::SNS::Topic")} == {arn}


def test_the_role_carries_the_permissions_boundary(tmp_path: Path) -> None:
    """Every role that is created has the boundary of the account."""
    found = resources(site_plan(deployment(permissions_boundary="org-boundary")), tmp_path)
    roles = of_type(found, "AWS::IAM::Role")
    assert [role["PermissionsBoundary"] for role in roles] == ["arn:aws:iam::111122223333:policy/org-boundary"]


def test_a_channel_is_configured_once_for_all_regions_of_an_account(tmp_path: Path) -> None:
    """The first Region holds the chat configuration and reads the topics of both; the second holds none."""
    first = deployment()
    second = replace(first, site=replace(SITE, region="eu-west-1"))
    account = (first, second)
    (chat,) = of_type(resources(site_plan(first, account=account), tmp_path), "AWS::Chatbot::SlackChannelConfiguration")
    assert chat["SnsTopicArns"] == [
        "arn:aws:sns:us-east-1:111122223333:llm-prod-page",
        "arn:aws:sns:eu-west-1:111122223333:llm-prod-page",
    ]
    assert site_plan(second, account=account).notify.chats == ()
    assert site_plan(first, account=account).after_stacks == ("BedrockMonitor-prod-eu-west-1",)
