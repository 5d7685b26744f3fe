"""Would the checkers of AWS and others take the example's templates? Each checker is shown a planted fault, too."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cloudwatch.problems import ProblemsError
from monitoring.config import load_deployments
from monitoring.plan import plans
from monitoring.synthesis.node import use_packaged_node
from monitoring.synthesis.run import synthesise
from tests.gates.cfn_lint import findings
from tests.gates.cfn_lint import main as cfn_lint
from tests.monitoring.assemblies import differences, refused_bodies, synthesised, templates
from tests.monitoring.sample_plans import site_plan

pytestmark = pytest.mark.synth

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "acme" / "monitoring.yaml"
SITE_STACK = "BedrockMonitor-prod-assistant-us-east-1"
FORBIDDEN = {"AWS::Lambda::Function", "AWS::CloudFormation::CustomResource", "AWS::Serverless::Function"}


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example as a cloud assembly, made once with the CDK's template validation on."""
    folder = tmp_path_factory.mktemp("example")
    return synthesised(plans(load_deployments(str(EXAMPLE))), folder=folder, check_templates=True)


def spoilt(template: dict[str, Any], kind: str, **properties: Any) -> dict[str, Any]:
    """Return a template with other properties on the first resource of a type."""
    copy: dict[str, Any] = json.loads(json.dumps(template))
    resource = next(resource for resource in copy["Resources"].values() if resource["Type"] == kind)
    resource["Properties"] |= properties
    return copy


def test_cfn_lint_finds_nothing(example: Path) -> None:
    """Every stack of the example, each with the resource types of its own Region."""
    assert cfn_lint([str(example)]) == 0


def test_cfn_lint_sees_what_a_region_does_not_have(example: Path, tmp_path: Path) -> None:
    """The same template in China: the Region is read from the name, and a resource type that is missing there is a finding."""
    template = templates(example)[SITE_STACK]
    template["Resources"]["Chat"] = {
        "Type": "AWS::Chatbot::SlackChannelConfiguration",
        "Properties": {
            "ConfigurationName": "acme-oncall",
            "IamRoleArn": "arn:aws:iam::111122223333:role/chat",
            "SlackChannelId": "C0123ABCDEF",
            "SlackWorkspaceId": "T0123ABCDEF",
        },
    }
    for region, code in (("us-east-1", 0), ("cn-north-1", 1)):
        (tmp_path / region).mkdir()
        (tmp_path / region / f"Planted-{region}.template.json").write_text(json.dumps(template))
        assert cfn_lint([str(tmp_path / region)]) == code


def test_cfn_lint_sees_a_planted_fault(example: Path, tmp_path: Path) -> None:
    """An operator that does not exist and an attribute that does not exist are findings."""
    template = templates(example)[f"{SITE_STACK}-assistant"]
    path = tmp_path / "planted.template.json"
    path.write_text(json.dumps(spoilt(template, "AWS::CloudWatch::Alarm", ComparisonOperator="GreaterThan")))
    assert "GreaterThan" in findings([path])


def test_the_cdk_finds_nothing(example: Path) -> None:
    """CDK's own template validation, on as in a deployment, reports nothing."""
    assert validation_rows(example) == []


def test_the_cdk_sees_a_planted_fault(tmp_path: Path) -> None:
    """An operator that does not exist is reported: the validation really ran (CDK_VALIDATION=false would turn it off)."""
    use_packaged_node()
    from aws_cdk import CfnResource, Stack

    from monitoring.stack import deployment_app

    app = deployment_app(plans=[site_plan()], outdir=str(tmp_path), check_templates=True)
    stack = next(construct for construct in app.node.find_all() if isinstance(construct, Stack))
    CfnResource(
        stack,
        "Planted",
        type="AWS::CloudWatch::Alarm",
        properties={"ComparisonOperator": "GreaterThan", "EvaluationPeriods": 1},
    )
    app.synth()
    assert validation_rows(tmp_path) != []


def test_a_finding_of_the_cdk_stops_the_synthesis(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The CDK calls its findings warnings and ends well; ours is refused with rule and place, and nothing is written."""
    use_packaged_node()
    from aws_cdk import App, CfnResource, Stack

    import monitoring.stack

    made = monitoring.stack.deployment_app

    def planted(**arguments: Any) -> App:
        app = made(**arguments)
        stack = next(construct for construct in app.node.find_all() if isinstance(construct, Stack))
        CfnResource(stack, "Planted", type="AWS::CloudWatch::Alarm", properties={"EvaluationPeriods": 1})
        return app

    monkeypatch.setattr(monitoring.stack, "deployment_app", planted)
    out = tmp_path / "cdk.out"
    with pytest.raises(ProblemsError) as refused:
        synthesise([site_plan()], out=out, check_templates=True)
    assert {problem.code for problem in refused.value.problems} == {"template-validation"}
    assert str(refused.value.problems[0].place) == "BedrockMonitor-prod-us-east-1/Planted"
    assert list(tmp_path.iterdir()) == []
    synthesise([site_plan()], out=out)
    assert (out / "manifest.json").is_file()


def validation_rows(folder: Path) -> list[Any]:
    """Return the findings in the report that a synthesis leaves."""
    report = json.loads((folder / "validation-report.json").read_text())
    return [violation for plugin in report["pluginReports"] for violation in plugin.get("violations", [plugin])]


def test_the_rule_pack_finds_nothing_in_the_example(tmp_path: Path) -> None:
    """cdk-nag AwsSolutions over every stack of the example."""
    use_packaged_node()
    from cdk_nag import AwsSolutionsChecks

    from monitoring.stack import deployment_app

    made = plans(load_deployments(str(EXAMPLE)))
    app = deployment_app(plans=made, outdir=str(tmp_path), check_templates=False)
    assert [violation.rule_name for violation in AwsSolutionsChecks().validate_scope(app).violations] == []


def test_values_of_the_example_come_back(example: Path) -> None:
    """Values, template, values is the identity over all templates, and every body would be taken."""
    assert differences(plans(load_deployments(str(EXAMPLE))), folder=example) == []
    assert refused_bodies(example) == []


def deployed_code(template: dict[str, Any]) -> set[str]:
    """Return the types of resources that run code: Lambda functions and custom resources."""
    kinds = {resource["Type"] for resource in template["Resources"].values()}
    return {kind for kind in kinds if kind in FORBIDDEN or kind.startswith("Custom::")}


def test_no_code_and_no_assets_are_deployed(example: Path) -> None:
    """No Lambda function, no custom resource, no file asset besides the templates themselves."""
    assert {name: found for name, template in templates(example).items() if (found := deployed_code(template))} == {}
    for path in example.glob("*.assets.json"):
        sources = [asset["source"]["path"] for asset in json.loads(path.read_text())["files"].values()]
        assert sources == [path.name.replace(".assets.json", ".template.json")]


def test_a_planted_function_is_seen(tmp_path: Path) -> None:
    """The CDK's own log group target brings a custom resource with a Lambda function: the gate names both."""
    use_packaged_node()
    from aws_cdk import App, Stack
    from aws_cdk import aws_events as events
    from aws_cdk import aws_events_targets as targets
    from aws_cdk import aws_logs as logs

    app = App(outdir=str(tmp_path), analytics_reporting=False, builtin_cloud_formation_validation=False)
    stack = Stack(app, "Planted")
    pattern = events.EventPattern(source=["aws.bedrock"])
    events.Rule(
        stack, "Rule", event_pattern=pattern, targets=[targets.CloudWatchLogGroup(logs.LogGroup(stack, "Group"))]
    )
    app.synth()
    assert deployed_code(templates(tmp_path)["Planted"]) == {
        "AWS::Lambda::Function",
        "Custom::CloudwatchLogResourcePolicy",
    }


def test_the_script_says_how_it_is_called() -> None:
    """Without a folder: usage, exit code 2."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.gates.cfn_lint"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr[:5]) == (2, "usage")
