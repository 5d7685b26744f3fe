"""Do stacks hold exactly the values of the plan, each in its own place, whoever starts the synthesis?"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.monitoring.assemblies import differences, refused_bodies, synthesised, template_bytes, templates
from tests.monitoring.sample_plans import SITE, deployment, model, site_plan

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.synth

MODELS = (model("nova-pro"), model("haiku"), model("titan"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cloud assembly of three models."""
    return synthesised([site_plan(deployment(models=MODELS))], folder=tmp_path_factory.mktemp("three"))


def test_a_stack_for_the_account_and_one_for_each_model(folder: Path) -> None:
    """Stacks are named by keys alone."""
    site = "BedrockMonitor-prod-us-east-1"
    assert set(template_bytes(folder)) == {site, f"{site}-nova-pro", f"{site}-haiku", f"{site}-titan"}


def test_values_come_back_from_the_templates_as_they_went_in(folder: Path) -> None:
    """Alarms, composites, pages and filters read from templates equal the plan's."""
    assert differences([site_plan(deployment(models=MODELS))], folder=folder) == []


def test_a_changed_value_is_seen_as_a_difference(folder: Path) -> None:
    """The comparison is not vacuous: another retention of the plan's threshold is reported by alarm name."""
    plan = site_plan(deployment(models=MODELS))
    first = plan.models[0]
    entry = first.alarms.entries[0]
    changed = replace(entry, alarm=replace(entry.alarm, description="another"))
    planted = replace(first, alarms=replace(first.alarms, entries=(changed, *first.alarms.entries[1:])))
    other = replace(plan, models=(planted, *plan.models[1:]))
    assert differences([other], folder=folder) == [
        "BedrockMonitor-prod-us-east-1-nova-pro: alarm llm-prod-nova-pro-fallback"
    ]


def test_every_body_would_be_taken(folder: Path) -> None:
    """The validator of dashboard bodies finds nothing; it does in a body that was spoilt."""
    assert refused_bodies(folder) == []


def test_a_spoilt_body_is_refused(folder: Path, tmp_path: Path) -> None:
    """A widget wider than the grid is found in the template."""
    name = "BedrockMonitor-prod-us-east-1-nova-pro.template.json"
    text = (folder / name).read_text().replace('\\"width\\":24', '\\"width\\":25', 1)
    (tmp_path / name).write_text(text)
    assert len(refused_bodies(tmp_path)) == 1


def test_a_composite_is_created_after_its_children_and_suppressor(folder: Path) -> None:
    """DependsOn names both alarms of the rule; metric alarms wait for nothing."""
    resources = templates(folder)["BedrockMonitor-prod-us-east-1-nova-pro"]["Resources"]
    by_name = {
        resource["Properties"].get("AlarmName"): (logical_id, resource.get("DependsOn"))
        for logical_id, resource in resources.items()
    }
    children = sorted(by_name[f"llm-prod-nova-pro-{slug}"][0] for slug in ("decode-rate", "fallback"))
    assert sorted(by_name["llm-prod-nova-pro-slow-decode"][1]) == children
    assert by_name["llm-prod-nova-pro-fallback"][1] is None


def test_models_wait_for_their_account_and_share_nothing_else(folder: Path) -> None:
    """A model stack depends on the account's stack; there are no exports and no imports."""
    artifacts = json.loads((folder / "manifest.json").read_text())["artifacts"]
    site = "BedrockMonitor-prod-us-east-1"
    assert site in artifacts[f"{site}-haiku"]["dependencies"]
    assert f"{site}-nova-pro" not in artifacts[f"{site}-haiku"]["dependencies"]
    assert not any(b"Fn::ImportValue" in text or b'"Outputs"' in text for text in template_bytes(folder).values())


def test_account_region_tags_and_protection_are_said(folder: Path) -> None:
    """Environment is concrete, tags go on the stack, termination protection is off."""
    stack = json.loads((folder / "manifest.json").read_text())["artifacts"]["BedrockMonitor-prod-us-east-1"]
    assert stack["environment"] == "aws://111122223333/us-east-1"
    assert stack["properties"]["tags"] == {"team": "llm"}
    assert stack["properties"]["terminationProtection"] is False


@pytest.mark.parametrize(
    "models",
    [MODELS[1:], (*MODELS, model("llama")), tuple(reversed(MODELS))],
    ids=["one removed", "one added", "reordered"],
)
def test_other_models_stacks_stay_byte_for_byte(folder: Path, tmp_path: Path, models: tuple) -> None:  # type: ignore[type-arg]
    """Removing, adding and reordering models changes no byte of any other model's template."""
    before = template_bytes(folder)
    after = template_bytes(synthesised([site_plan(deployment(models=models))], folder=tmp_path))
    shared = {name for name in before.keys() & after.keys() if name != "BedrockMonitor-prod-us-east-1"}
    assert len(shared) == min(3, len(models))
    assert {name for name in shared if before[name] != after[name]} == set()


def test_a_changed_model_changes_its_own_stack_only(folder: Path, tmp_path: Path) -> None:
    """The comparison of bytes sees a change, and only where it belongs."""
    changed = (replace(MODELS[0], title="Another"), *MODELS[1:])
    before = template_bytes(folder)
    after = template_bytes(synthesised([site_plan(deployment(models=changed))], folder=tmp_path))
    assert {name for name in before if before[name] != after[name]} == {"BedrockMonitor-prod-us-east-1-nova-pro"}


def test_the_same_model_in_two_regions_has_the_same_resources(tmp_path: Path) -> None:
    """A second Region makes stacks of its own and touches none of the first."""
    first = deployment()
    second = replace(first, site=replace(SITE, region="eu-west-1"))
    both = synthesised(
        [site_plan(first, account=(first, second)), site_plan(second, account=(first, second))], folder=tmp_path
    )
    found = templates(both)
    assert len(found) == 4
    assert set(found["BedrockMonitor-prod-us-east-1-nova-pro"]["Resources"]) == set(
        found["BedrockMonitor-prod-eu-west-1-nova-pro"]["Resources"]
    )
    artifacts = json.loads((both / "manifest.json").read_text())["artifacts"]
    assert "BedrockMonitor-prod-eu-west-1" in artifacts["BedrockMonitor-prod-us-east-1"]["dependencies"]


def test_a_bootstrap_qualifier_is_used(tmp_path: Path) -> None:
    """The qualifier of the account names the bootstrap parameter and roles."""
    found = templates(synthesised([site_plan(deployment(bootstrap_qualifier="acme1"))], folder=tmp_path))
    parameter = found["BedrockMonitor-prod-us-east-1"]["Parameters"]["BootstrapVersion"]
    assert parameter["Default"] == "/cdk-bootstrap/acme1/version"


def test_two_resources_of_one_logical_id_are_refused(tmp_path: Path) -> None:
    """Finished resources take part in the CDK's own check: nothing is overwritten silently."""
    from monitoring.synthesis.node import use_packaged_node

    use_packaged_node()
    from aws_cdk import App, Stack

    from alarms.raw.construct import RawResources

    stack = Stack(App(outdir=str(tmp_path)), "Twice")
    for name in ("First", "Second"):
        RawResources(stack, name, resources={"Same": {"Type": "AWS::CloudWatch::Dashboard", "Properties": {}}})
    with pytest.raises(RuntimeError, match="Same"):
        stack.node.root.synth()
