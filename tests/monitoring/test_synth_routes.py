"""Does every evidence route, and every partition of AWS, give templates that AWS would take?"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from bedrock.event_rules import ALL_MANAGEMENT_EVENTS
from cloudwatch.problems import ProblemsError
from monitoring.config import load_deployments
from monitoring.plan import plans
from monitoring.plan_limits import limit_problems
from monitoring.synthesis.node import use_packaged_node
from tests.gates.cfn_lint import findings
from tests.monitoring.assemblies import differences, refused_bodies, synthesised, templates
from tests.monitoring.sample_config import write_config
from tests.monitoring.sample_plans import SITE, deployment, site_plan

if TYPE_CHECKING:
    from pathlib import Path

    from monitoring.plan import Plan

CONFIG = """\
organisation:
  name: Acme
  defaults:
    notifications:
      page:
        create:
          emails: [oncall@acme.example]
          https: [{secret: pager-url, json_key: url}]
      ticket: {create: {emails: [team@acme.example]}}
models:
  assistant: {ids: [us.amazon.nova-pro-v1:0], latency: optimized}
accounts:
  bus:
    id: "111122223331"
    regions: [us-east-1]
    evidence: {absent_means: standard, log_group: /aws/events/acme-calls}
    kms_key: arn:aws:kms:us-east-1:111122223331:key/11111111-2222-3333-4444-555555555555
    log_resource_policy: false
  counters:
    id: "111122223332"
    regions: [us-east-1]
    evidence: {route: rule-counters}
  trail:
    id: "111122223333"
    regions: [us-east-1]
    evidence: {route: trail, log_group: management-events, trail_home_region: us-east-1}
  log:
    id: "111122223334"
    regions: [us-east-1]
    evidence: {route: invocation_log, log_group: bedrock-invocations}
  blindfold:
    id: "111122223335"
    regions: [us-east-1]
    evidence: {route: none}
  government:
    id: "111122223336"
    regions: [us-gov-west-1]
    permissions_boundary: acme-boundary
    models: {chat: {ids: [us-gov.anthropic.claude-3-5-sonnet-20240620-v1:0], prompt_caching: true}}
  china:
    id: "111122223337"
    regions: [cn-north-1]
    models: {chat: {ids: [amazon.nova-lite-v1:0]}}
"""
CHAT = "[{name: acme-oncall, workspace_id: T0123ABCDEF, channel_id: C0123ABCDEF}]"
PARTITIONS = {"government": "us-gov-west-1", "china": "cn-north-1"}


def made(folder: Path, *, text: str = CONFIG) -> tuple[Plan, ...]:
    """Return the plans of a configuration that has every route and partition."""
    return plans(load_deployments(str(write_config(folder / "monitoring.yaml", text=text))))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of it as one cloud assembly."""
    here = tmp_path_factory.mktemp("routes")
    return synthesised(made(here), folder=here / "out")


def of_type(template: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Return the properties of every resource of a type."""
    return [resource["Properties"] for resource in template["Resources"].values() if resource["Type"] == kind]


def site(folder: Path, alias: str) -> dict[str, Any]:
    """Return the template of an account's stack."""
    region = PARTITIONS.get(alias, "us-east-1")
    found: dict[str, Any] = templates(folder)[f"BedrockMonitor-{alias}-{region}"]
    return found


@pytest.mark.synth
def test_values_of_every_route_and_partition_come_back(folder: Path, tmp_path: Path) -> None:
    """Values, template, values is the identity whatever the route, and every body would be taken."""
    assert differences(made(tmp_path), folder=folder) == []
    assert refused_bodies(folder) == []


@pytest.mark.synth
@pytest.mark.parametrize("region", ["us-east-1", *PARTITIONS.values()])
def test_cfn_lint_finds_nothing_in_the_schemas_of_the_region(folder: Path, region: str) -> None:
    """Resource types differ by Region, so each template is checked with those of its own."""
    chosen = sorted(folder.glob(f"*-{region}*.template.json"))
    assert len(chosen) == (10 if region == "us-east-1" else 2)
    assert findings(chosen, region=region) == ""


@pytest.mark.synth
def test_the_rule_pack_finds_nothing_on_any_route_or_partition(tmp_path: Path) -> None:
    """cdk-nag AwsSolutions over all of it; that it sees keys and topics is shown in test_synth_security."""
    use_packaged_node()
    from cdk_nag import AwsSolutionsChecks

    from monitoring.stack import deployment_app

    app = deployment_app(plans=made(tmp_path), outdir=str(tmp_path / "out"), check_templates=False)
    assert [violation.rule_name for violation in AwsSolutionsChecks().validate_scope(app).violations] == []


@pytest.mark.synth
def test_counting_rules_have_a_target_only_where_records_are_read(folder: Path) -> None:
    """Optimized and unknown calls are counted and not logged; standard and throttled ones are logged, shrunk."""
    rules = {rule["Name"]: rule for rule in of_type(site(folder, "counters"), "AWS::Events::Rule")}
    logged = {name.removeprefix("llm-counters-") for name, rule in rules.items() if rule.get("Targets")}
    assert len(rules) == 4
    assert logged == {"throttled", "assistant-standard"}
    assert {rule["State"] for rule in rules.values()} == {ALL_MANAGEMENT_EVENTS}
    assert all("InputTransformer" in target for rule in rules.values() for target in rule.get("Targets", ()))


@pytest.mark.synth
@pytest.mark.parametrize(("alias", "group"), [("trail", "management-events"), ("log", "bedrock-invocations")])
def test_a_log_group_that_exists_is_read_and_not_made(folder: Path, alias: str, group: str) -> None:
    """Metric filters on the account's own log group, and no rule, log group or resource policy of ours."""
    template = site(folder, alias)
    assert {each["LogGroupName"] for each in of_type(template, "AWS::Logs::MetricFilter")} == {group}
    kinds = {resource["Type"] for resource in template["Resources"].values()}
    assert not kinds & {"AWS::Events::Rule", "AWS::Logs::LogGroup", "AWS::Logs::ResourcePolicy"}


@pytest.mark.synth
def test_without_evidence_nothing_reads_it(folder: Path) -> None:
    """Route none makes no filter and no rule, and no alarm or page of the model names a series of ours."""
    kinds = {resource["Type"] for resource in site(folder, "blindfold")["Resources"].values()}
    assert not kinds & {"AWS::Events::Rule", "AWS::Logs::LogGroup", "AWS::Logs::MetricFilter"}
    named = {name: "BedrockMonitor/llm-" in json.dumps(found["Resources"]) for name, found in templates(folder).items()}
    assert not named["BedrockMonitor-blindfold-us-east-1-assistant"]
    assert named["BedrockMonitor-trail-us-east-1-assistant"]


@pytest.mark.synth
def test_existing_resources_are_named_and_none_is_made(folder: Path) -> None:
    """A key, a log group and a resource policy that exist: the rule writes there, topics use the key."""
    template = site(folder, "bus")
    (rule,) = of_type(template, "AWS::Events::Rule")
    assert rule["Targets"][0]["Arn"] == "arn:aws:logs:us-east-1:111122223331:log-group:/aws/events/acme-calls"
    assert {topic["KmsMasterKeyId"] for topic in of_type(template, "AWS::SNS::Topic")} == {
        "arn:aws:kms:us-east-1:111122223331:key/11111111-2222-3333-4444-555555555555"
    }
    kinds = {resource["Type"] for resource in template["Resources"].values()}
    assert not kinds & {"AWS::KMS::Key", "AWS::Logs::LogGroup", "AWS::Logs::ResourcePolicy"}


@pytest.mark.synth
@pytest.mark.parametrize(
    ("alias", "partition", "console", "logs"),
    [
        ("government", "aws-us-gov", "https://console.amazonaws-us-gov.com/", "logs.us-gov-west-1.amazonaws.com"),
        ("china", "aws-cn", "https://console.amazonaws.cn/", "logs.cn-north-1.amazonaws.com.cn"),
    ],
)
def test_arns_and_links_are_those_of_the_partition(
    folder: Path, alias: str, partition: str, console: str, logs: str
) -> None:
    """No ARN of another partition and no link to another console, in alarms, pages, topics and policies."""
    region = PARTITIONS[alias]
    texts = [path.read_text() for path in sorted(folder.glob(f"*-{alias}-{region}*.template.json"))]
    assert {found for text in texts for found in re.findall(r"arn:(aws[a-z-]*):", text)} == {partition}
    links = {found for text in texts for found in re.findall(r"https://[^/\s]*(?:console|amazon)[^/\s]*/", text)}
    assert links == {console}
    (key,) = of_type(site(folder, alias), "AWS::KMS::Key")
    assert {"Service": logs} in [statement["Principal"] for statement in key["KeyPolicy"]["Statement"]]


@pytest.mark.parametrize(("region", "partition"), [("us-gov-west-1", "aws-us-gov"), ("cn-north-1", "aws-cn")])
def test_chat_outside_the_commercial_regions_is_refused(region: str, partition: str) -> None:
    """CloudFormation has no such resource there: deployments made in Python are told so before minutes are lost."""
    plain = deployment()
    there = replace(plain, site=replace(SITE, region=region, partition=partition))
    (problem,) = limit_problems([site_plan(there)])
    assert (problem.code, str(problem.place)) == ("no-chat-here", "accounts.prod.notifications")
    assert region in problem.message
    assert limit_problems([site_plan(plain)]) == ()


@pytest.mark.parametrize("alias", PARTITIONS)
def test_chat_outside_the_commercial_regions_is_refused_in_the_file(tmp_path: Path, alias: str) -> None:
    """`validate` says it with the line."""
    chat = f"notifications: {{page: {{create: {{emails: [a@acme.example], chat: {CHAT}}}}}}}"
    text = CONFIG.replace(f"regions: [{PARTITIONS[alias]}]", f"regions: [{PARTITIONS[alias]}]\n    {chat}")
    with pytest.raises(ProblemsError) as refused:
        made(tmp_path, text=text)
    assert [problem.code for problem in refused.value.problems] == ["no-chat-here"]
