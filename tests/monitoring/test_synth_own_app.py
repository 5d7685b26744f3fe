"""Can somebody with a CDK application of their own use the construct, even where their folders have our names?"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from cloudwatch.problems import ProblemsError
from monitoring.synthesis.node import use_packaged_node
from tests.monitoring.assemblies import synthesised, templates
from tests.monitoring.sample_config import write_config
from tests.monitoring.sample_plans import deployment, model

ROOT = Path(__file__).resolve().parents[2]

APP = """
import sys
import monitoring, dashboards, monitoring.plan
from bedrock_monitor import BedrockMonitoring
import aws_cdk as cdk

assert monitoring.OWNER == dashboards.OWNER == monitoring.plan.OWNER == "theirs"
app = cdk.App(outdir=sys.argv[1], analytics_reporting=False)
BedrockMonitoring(app, "Bedrock", config=sys.argv[2])
app.synth()
ours = {name for name in sys.modules if name.split(".")[0] in {"alarms", "bedrock", "cloudwatch"}}
assert ours == set(), ours
"""


def run_app(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run an application whose folder stands before ours, as Python puts it."""
    for package in ("monitoring", "dashboards"):
        (folder / package).mkdir()
        (folder / package / "__init__.py").write_text('OWNER = "theirs"\n')
    (folder / "monitoring" / "plan.py").write_text('OWNER = "theirs"\n')
    (folder / "theirs.py").write_text(APP)
    return subprocess.run(
        [sys.executable, str(folder / "theirs.py"), *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "CDK_VALIDATION": "false", "PATH": "/usr/bin:/bin", "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.synth
def test_an_app_with_its_own_monitoring_folder_gets_the_same_templates(tmp_path: Path) -> None:
    """Both `monitoring` packages live side by side, and the stacks equal those that the product itself makes."""
    config = write_config(tmp_path / "monitoring.yaml")
    done = run_app(tmp_path, str(tmp_path / "out"), str(config))
    assert done.returncode == 0, done.stderr
    from monitoring.config import load_deployments
    from monitoring.plan import plans

    ours = synthesised(plans(load_deployments(str(config))), folder=tmp_path / "ours")
    theirs = {name.removeprefix("Bedrock"): template for name, template in templates(tmp_path / "out").items()}
    expected = templates(ours)
    assert len(expected) > 1
    assert sorted(map(resources_of, theirs.values())) == sorted(map(resources_of, expected.values()))


def resources_of(template: dict[str, object]) -> str:
    """Return the resources of a template as text."""
    return str(template["Resources"])


@pytest.mark.synth
def test_inside_a_stack_everything_goes_into_it(tmp_path: Path) -> None:
    """One account and Region of the configuration lands in the stack that is there."""
    use_packaged_node()
    from aws_cdk import App, Environment, Stack

    from monitoring.construct import BedrockMonitoring

    app = App(outdir=str(tmp_path), analytics_reporting=False)
    stack = Stack(app, "Theirs", env=Environment(account="111122223333", region="us-east-1"))
    made = BedrockMonitoring(stack, "Bedrock", deployments=[deployment(models=(model("nova-pro"), model("haiku")))])
    app.synth()
    (template,) = templates(tmp_path).values()
    kinds = [resource["Type"] for resource in template["Resources"].values()]
    assert made.stacks == {}
    assert kinds.count("AWS::SNS::Topic") == 3
    assert kinds.count("AWS::CloudWatch::Alarm") == sum(
        type(entry.alarm).__name__ == "MetricAlarm" for plan in made.plans[0].models for entry in plan.alarms
    ) + sum(type(entry.alarm).__name__ == "MetricAlarm" for entry in made.plans[0].alarms)


@pytest.mark.synth
def test_a_channel_is_configured_once_over_stacks_of_one_account(tmp_path: Path) -> None:
    """A stack for each Region, each built by itself: the chat stands in the first Region's and reads the topics of both."""
    use_packaged_node()
    from aws_cdk import App, Environment, Stack

    from monitoring.construct import BedrockMonitoring

    first = deployment()
    both = [first, replace(first, site=replace(first.site, region="eu-west-1"))]
    app = App(outdir=str(tmp_path), analytics_reporting=False)
    for region in ("us-east-1", "eu-west-1"):
        stack = Stack(app, f"In-{region}", env=Environment(account="111122223333", region=region))
        BedrockMonitoring(stack, "Bedrock", deployments=both)
    app.synth()
    chats = {
        name: resource["Properties"]["SnsTopicArns"]
        for name, template in templates(tmp_path).items()
        for resource in template["Resources"].values()
        if resource["Type"] == "AWS::Chatbot::SlackChannelConfiguration"
    }
    assert chats == {
        "In-us-east-1": [f"arn:aws:sns:{each}:111122223333:llm-prod-page" for each in ("us-east-1", "eu-west-1")]
    }


@pytest.mark.synth
def test_a_value_that_aws_would_refuse_is_a_problem_in_an_app_too(tmp_path: Path) -> None:
    """More filters than a log group takes: the same words as on the command line."""
    use_packaged_node()
    from aws_cdk import App

    from monitoring.construct import BedrockMonitoring

    many = tuple(model(f"m{number}") for number in range(33))
    with pytest.raises(ProblemsError, match="103 metric filters"):
        BedrockMonitoring(App(outdir=str(tmp_path)), "Bedrock", deployments=[deployment(models=many)])


@pytest.mark.synth
def test_a_stack_elsewhere_is_told_what_the_configuration_has(tmp_path: Path) -> None:
    """A stack in an account or Region that is not described is an error with what there is."""
    use_packaged_node()
    from aws_cdk import App, Environment, Stack

    from monitoring.construct import BedrockMonitoring

    stack = Stack(
        App(outdir=str(tmp_path)), "Elsewhere", env=Environment(account="111122223333", region="ap-southeast-2")
    )
    with pytest.raises(
        ProblemsError, match=r"ap-southeast-2; the configuration has: prod \(111122223333\) in us-east-1"
    ):
        BedrockMonitoring(stack, "Bedrock", deployments=[deployment()])


@pytest.mark.synth
def test_config_and_deployments_together_are_refused(tmp_path: Path) -> None:
    """It would not be clear which one counts."""
    use_packaged_node()
    from aws_cdk import App

    from monitoring.construct import BedrockMonitoring

    with pytest.raises(ProblemsError, match="either config or deployments"):
        BedrockMonitoring(App(outdir=str(tmp_path)), "Bedrock")


def test_the_single_name_is_part_of_the_distribution() -> None:
    """The packages that are installed include it, next to the five."""
    import tomllib

    find = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]["find"]
    from fnmatch import fnmatch

    packages = ("bedrock_monitor", "alarms", "bedrock", "cloudwatch", "dashboards", "monitoring")
    assert [name for name in packages if not any(fnmatch(name, pattern) for pattern in find["include"])] == []
