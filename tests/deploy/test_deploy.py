"""What lives in an account after a deployment: are these our values, and is nothing else touched?

Alarms and composites go through a local CloudFormation that really creates them, dashboards through another that creates those;
neither creates metric filters, which are asserted on templates elsewhere.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from alarms.naming import stack_name
from cloudwatch.dashboard.render import to_json
from cloudwatch.readers.describe_alarms import read_describe_alarms
from monitoring.config import load_deployments
from monitoring.plan import plans
from tests.deploy.environment import ensure_environment
from tests.deploy.localstack import local_cloud
from tests.monitoring.assemblies import synthesised, template_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cloudwatch.alarm import Alarm
    from monitoring.deployment import Deployment
    from monitoring.plan import Plan
    from tests.deploy.localstack import LocalCloud

pytestmark = pytest.mark.deploy

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "acme" / "monitoring.yaml"


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCloud]:
    """A local cloud; where there is no Python 3.11 the test says so and does not run."""
    python = ensure_environment()
    if python is None:
        pytest.skip("THE DEPLOYMENT TESTS DID NOT RUN: the local CloudFormation needs Python 3.11")
    with local_cloud(python=python, folder=tmp_path_factory.mktemp("cloud")) as running:
        yield running


@pytest.fixture(scope="module")
def example() -> tuple[Deployment, ...]:
    """The deployments of the example."""
    return load_deployments(str(EXAMPLE))


def where(plan: Plan) -> dict[str, str]:
    """Return account and Region of a plan, as the client takes them."""
    return {"account": plan.deployment.site.account_id, "region": plan.deployment.site.region}


def stacks_of(plan: Plan) -> list[str]:
    """Return the names of a plan's stacks in the order of deployment."""
    site = plan.deployment.site
    return [stack_name(site), *(stack_name(site, model=model.model.key) for model in plan.models)]


def values_of(plan: Plan) -> dict[str, Alarm]:
    """Return every alarm of a plan by name."""
    sets = (plan.alarms, *(model.alarms for model in plan.models))
    return {entry.alarm.name: entry.alarm for entries in sets for entry in entries}


def living(cloud: LocalCloud, plan: Plan) -> dict[str, Alarm]:
    """Return every alarm that the API of the account and Region shows, read by the product's own reader."""
    read = read_describe_alarms(cloud.call("alarms", **where(plan)))
    assert read.problems == ()
    return {alarm.name: alarm for alarm in (*read.alarms, *read.composites)}


def deploy(cloud: LocalCloud, made: Sequence[Plan], *, texts: dict[str, bytes], deployed: dict[str, bytes]) -> set[str]:
    """Deploy every stack whose template is not the one deployed, account first, as `cdk deploy` does; return their names."""
    written = set()
    for plan in made:
        for name in stacks_of(plan):
            if deployed.get(name) == texts[name]:
                continue
            answer = cloud.call("deploy", **where(plan), name=name, template=texts[name].decode())
            assert answer.get("status") in {"CREATE_COMPLETE", "UPDATE_COMPLETE"}, answer
            written.add(name)
    return written


def written_at(cloud: LocalCloud, plan: Plan) -> dict[str, str]:
    """Return when the definition of each alarm was last written."""
    answer = cloud.call("alarms", **where(plan))
    return {
        alarm["AlarmName"]: alarm["AlarmConfigurationUpdatedTimestamp"]
        for kind in ("MetricAlarms", "CompositeAlarms")
        for alarm in answer[kind]
    }


def prepare(cloud: LocalCloud, made: Sequence[Plan]) -> None:
    """Give each account and Region what is there before a first deployment: bootstrap version and secrets."""
    for plan in made:
        cloud.call("bootstrap", **where(plan), qualifier=plan.deployment.bootstrap_qualifier or "hnb659fds")
        for topic in plan.notify.topics:
            for target in topic.https:
                url = "https://pager.example/hook"
                value = json.dumps({target.json_key: url}) if target.json_key else url
                cloud.call("secret", **where(plan), name=target.secret_arn, value=value)


def test_a_deployment_lives_as_planned_and_an_update_touches_nothing_else(
    cloud: LocalCloud, example: tuple[Deployment, ...], tmp_path: Path
) -> None:
    """Deploy the example, read everything back; remove a model and change another; read back again.

    This local CloudFormation answers UPDATE_COMPLETE for a changed alarm and leaves the old one, so the stack of the changed
    model is deleted and made anew.
    """
    made = plans(example)
    prepare(cloud, made)
    texts = template_bytes(synthesised(made, folder=tmp_path / "first"))
    assert deploy(cloud, made, texts=texts, deployed={}) == set(texts)
    for plan in made:
        assert unequal(living(cloud, plan), values_of(plan)) == {}
    before = [written_at(cloud, plan) for plan in made]

    first, *others = example
    gone, moved, *rest = first.models
    changed = replace(moved, title=f"{moved.title} (new)")
    updated = plans((replace(first, models=(changed, *rest)), *others))
    removed = {stack_name(first.site, model=model.key) for model in (gone, moved)}
    for name in sorted(removed):
        cloud.call("delete", **where(made[0]), name=name)
    deployed = {name: text for name, text in texts.items() if name not in removed}
    texts = template_bytes(synthesised(updated, folder=tmp_path / "second"))
    written = deploy(cloud, updated, texts=texts, deployed=deployed)

    assert written == {stack_name(first.site), stack_name(first.site, model=moved.key)}
    for plan, times in zip(updated, before, strict=True):
        assert unequal(living(cloud, plan), values_of(plan)) == {}
        mine = {entry.alarm.name for entry in updated[0].models[0].alarms} if plan is updated[0] else set()
        assert [
            name for name, time in written_at(cloud, plan).items() if name not in mine and times[name] != time
        ] == []


def unequal(found: dict[str, Alarm], wanted: dict[str, Alarm]) -> dict[str, tuple[Alarm | None, Alarm | None]]:
    """Return what lives and what was wanted, by name, where they differ."""
    return {
        name: (found.get(name), wanted.get(name))
        for name in found.keys() | wanted.keys()
        if found.get(name) != wanted.get(name)
    }


def test_a_difference_would_be_seen(cloud: LocalCloud, example: tuple[Deployment, ...]) -> None:
    """The comparison is not vacuous: what lives is not equal to a plan with one model less."""
    made = plans(example)
    last = made[-1]
    assert living(cloud, last) != {}
    assert set(unequal(living(cloud, last), values_of(plans((replace(example[-1], models=()),))[0]))) >= {
        entry.alarm.name for model in last.models for entry in model.alarms
    }


def test_dashboards_live_with_the_bodies_of_the_plan(example: tuple[Deployment, ...], tmp_path: Path) -> None:
    """A CloudFormation that creates dashboards gives back each body as it was planned."""
    import boto3
    from moto import mock_aws

    made = plans(example)
    texts = {name: json.loads(text) for name, text in template_bytes(synthesised(made, folder=tmp_path)).items()}
    with mock_aws():
        session: dict[str, Any] = {"aws_access_key_id": "local", "aws_secret_access_key": "local"}
        for plan in made:
            region = plan.deployment.site.region
            cloudformation = boto3.client("cloudformation", region_name=region, **session)
            cloudwatch = boto3.client("cloudwatch", region_name=region, **session)
            for name in stacks_of(plan):
                template = only_dashboards(texts[name])
                if template["Resources"]:
                    cloudformation.create_stack(StackName=name, TemplateBody=json.dumps(template))
            pages = {page.name: to_json(page.body) for _, page in plan.pages}
            pages |= {model.page.name: to_json(model.page.body) for model in plan.models if model.page}
            found = {
                name: cloudwatch.get_dashboard(DashboardName=name)["DashboardBody"]
                for entry in cloudwatch.list_dashboards()["DashboardEntries"]
                if (name := entry["DashboardName"]).find(region) >= 0
            }
            assert {name: json.loads(body) for name, body in found.items()} == {
                name: json.loads(body) for name, body in pages.items()
            }


def only_dashboards(template: dict[str, Any]) -> dict[str, Any]:
    """Return a template with its dashboards alone: this cloud does not know every other kind."""
    kept = {
        name: resource
        for name, resource in template["Resources"].items()
        if resource["Type"] == "AWS::CloudWatch::Dashboard"
    }
    return {"Resources": kept}
