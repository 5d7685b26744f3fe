"""Do `bedrock-monitor synth`, `python app.py` and the CDK command line give the same bytes, and is a mistake said in words?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from alarms.alarm_set import Severity
from cloudwatch import limits
from cloudwatch.problems import ProblemsError
from monitoring.config import load_deployments
from monitoring.deployment import Notification
from monitoring.plan import plans
from monitoring.plan_limits import limit_problems, stack_sizes
from monitoring.synthesis.run import checked_plans
from monitoring.synthesis.summary import stack_lines
from tests.monitoring.assemblies import differences, refused_bodies, synthesised, template_bytes, templates
from tests.monitoring.sample_config import TEXT, write_config
from tests.monitoring.sample_plans import deployment, model, site_plan

ROOT = Path(__file__).resolve().parents[2]
COMMAND = "from monitoring.cli.main import run; run()"


def run(arguments: list[str], *, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder, with the template validation off and nothing said by this process's environment."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("CDK_", "BEDROCK_", "JSII_"))
    }
    environment |= {"PYTHONPATH": str(ROOT), "CDK_VALIDATION": "false"} | variables
    return subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.synth
def test_three_ways_give_the_same_templates(tmp_path: Path) -> None:
    """The command, app.py by hand, and app.py under the CDK's command line with all that it switches on."""
    config = write_config(tmp_path / "acme.yaml")
    command = run([sys.executable, "-c", COMMAND, "synth", str(config), "--out", "one"], folder=tmp_path)
    assert command.returncode == 0, command.stderr
    by_hand = run([sys.executable, str(ROOT / "app.py"), "-c", f"config={config}"], folder=tmp_path)
    assert by_hand.returncode == 0, by_hand.stderr
    context = {
        "config": str(config),
        "aws:cdk:enable-path-metadata": True,
        "aws:cdk:enable-asset-metadata": True,
        "aws:cdk:version-reporting": True,
        "aws:cdk:bundling-stacks": ["**"],
    }
    started = run(
        ["sh", "-c", json.loads((ROOT / "cdk.json").read_text())["app"]],
        folder=ROOT,
        CDK_OUTDIR=str(tmp_path / "three"),
        CDK_CONTEXT_JSON=json.dumps(context),
        VIRTUAL_ENV=sys.prefix,
    )
    assert started.returncode == 0, started.stderr
    one, two, three = (template_bytes(tmp_path / name) for name in ("one", "cdk.out", "three"))
    assert len(one) == 5
    assert one == two == three


@pytest.mark.synth
def test_the_summary_counts_what_the_templates_hold(tmp_path: Path) -> None:
    """The table's numbers are those of the templates."""
    made = plans(load_deployments(str(write_config(tmp_path / "acme.yaml"))))
    found = templates(synthesised(made, folder=tmp_path / "out"))
    for line in stack_lines(made):
        kinds = [resource["Type"] for resource in found[line.stack]["Resources"].values()]
        assert line.metric_alarms == kinds.count("AWS::CloudWatch::Alarm")
        assert line.composites == kinds.count("AWS::CloudWatch::CompositeAlarm")
        assert line.dashboards == kinds.count("AWS::CloudWatch::Dashboard")
        assert line.filters == kinds.count("AWS::Logs::MetricFilter")
        assert line.topics == kinds.count("AWS::SNS::Topic")


@pytest.mark.synth
def test_sizes_are_known_before_synthesis(tmp_path: Path) -> None:
    """The number of resources is exact; the size is never below the template's and at most 25 KB above it."""
    made = plans(load_deployments(str(write_config(tmp_path / "acme.yaml"))))
    folder = synthesised(made, folder=tmp_path / "out")
    written, parsed = template_bytes(folder), templates(folder)
    for size in stack_sizes(made):
        assert size.resources == len(parsed[size.stack]["Resources"])
        assert 0 <= size.template_bytes - len(written[size.stack]) <= 25_000


@pytest.mark.synth
def test_values_of_the_product_come_back_from_its_templates(tmp_path: Path) -> None:
    """Values, template, values: the identity, for everything that the small configuration makes."""
    made = plans(load_deployments(str(write_config(tmp_path / "acme.yaml"))))
    folder = synthesised(made, folder=tmp_path / "out")
    assert differences(made, folder=folder) == []
    assert refused_bodies(folder) == []


def test_a_plan_that_cloudformation_would_refuse_is_named_with_numbers() -> None:
    """Too many subscribers for one stack: the message says how many resources there are and how many are allowed."""
    many = tuple(f"engineer{number}@example.com" for number in range(limits.STACK_RESOURCES))
    crowded = deployment(notifications=(Notification(severity=Severity.PAGE, emails=many),))
    problems = limit_problems([site_plan(crowded)])
    assert [problem.code for problem in problems] == ["stack-resources"]
    assert f"has {limits.STACK_RESOURCES + 15} resources, CloudFormation takes 500" in problems[0].message


def test_one_stack_for_many_models_is_refused_by_size() -> None:
    """Inside a single stack the limit counts all models; the hint says how to get a stack for each."""
    models = tuple(model(f"m{number}") for number in range(30))
    plan = site_plan(deployment(models=models))
    assert limit_problems([plan], one_stack=True) == ()
    crowded = replace(plan, models=plan.models * 5)
    problems = [problem for problem in limit_problems([crowded], one_stack=True) if problem.code == "stack-resources"]
    assert len(problems) == 1
    assert "App or Stage" in problems[0].hint


def test_an_alarm_name_that_exists_twice_is_named() -> None:
    """The same account and Region twice would create every alarm twice."""
    problems = limit_problems([site_plan(), site_plan()])
    assert {problem.code for problem in problems} == {"alarm-name-twice", "dashboard-name-twice"}


def test_an_account_that_is_not_there_is_answered_with_those_that_are() -> None:
    """The message lists what the configuration has."""
    with pytest.raises(ProblemsError, match="prod in us-east-1"):
        checked_plans([deployment()], account="nope")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TEXT.replace('"111122223333"', '"1111"'), "twelve digits"),
        (TEXT.replace("regions: [us-east-1, eu-west-1]", "region: us-east-1"), "regions"),
        ("", "empty"),
    ],
    ids=["a wrong account id", "a misspelt key", "an empty file"],
)
def test_a_mistake_is_said_and_nothing_is_written(tmp_path: Path, text: str, words: str) -> None:
    """Exit code 2, the problem on stderr, no traceback, no folder."""
    config = write_config(tmp_path / "acme.yaml", text=text)
    done = run([sys.executable, "-c", COMMAND, "synth", str(config)], folder=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "cdk.out").exists()


def test_app_without_a_configuration_says_how_to_name_one(tmp_path: Path) -> None:
    """Neither -c config nor a file: one line, exit code 2."""
    done = run([sys.executable, str(ROOT / "app.py")], folder=tmp_path)
    assert done.returncode == 2
    assert "monitoring.yaml" in done.stderr
    assert "Traceback" not in done.stderr
