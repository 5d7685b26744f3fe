"""Does one `add_segment` put a model into a facade: widgets in its dashboards, alarms under its names and actions?"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from alarms.alarm_set import Role
from cloudwatch.alarm import CompositeAlarm, MetricAlarm
from cloudwatch.alarm_rule import children, parse_rule
from cloudwatch.dashboard.render import render
from monitoring.config import load_deployments
from monitoring.plan import plans
from monitoring.segment.names import renamed_references, renamed_rule
from monitoring.synthesis.node import use_packaged_node
from tests.monitoring.assemblies import templates
from tests.monitoring.sample_config import write_config

if TYPE_CHECKING:
    from monitoring.plan import ModelPlan


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[ModelPlan, dict[str, Any]]:
    """A facade with a prefix and an action of its own, one segment added."""
    folder = tmp_path_factory.mktemp("facade")
    plan = plans(load_deployments(str(write_config(folder / "acme.yaml"))))[0].models[0]
    use_packaged_node()
    import cdk_monitoring_constructs as cmc
    from aws_cdk import App, Environment, Stack
    from aws_cdk import aws_sns as sns

    from monitoring.segment.construct import BedrockSegment

    app = App(outdir=str(folder / "out"), analytics_reporting=False)
    stack = Stack(app, "Theirs", env=Environment(account="111122223333", region="us-east-1"))
    topic = sns.Topic.from_topic_arn(stack, "Topic", "arn:aws:sns:us-east-1:111122223333:theirs")
    facade = cmc.MonitoringFacade(
        stack,
        "Facade",
        alarm_factory_defaults=cmc.AlarmFactoryDefaults(
            alarm_name_prefix="Theirs",
            actions_enabled=True,
            action=cmc.SnsAlarmActionStrategy(on_alarm_topic=topic),
        ),
        dashboard_factory=cmc.DefaultDashboardFactory(
            stack, "Pages", dashboard_name_prefix="theirs", create_summary_dashboard=True, create_alarm_dashboard=True
        ),
    )
    facade.add_segment(BedrockSegment(facade, plan=plan))
    app.synth()
    (template,) = templates(folder / "out").values()
    return plan, template["Resources"]


def alarms_of(resources: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the properties of alarms and composites by name."""
    return {
        resource["Properties"]["AlarmName"]: resource["Properties"]
        for resource in resources.values()
        if resource["Type"] in {"AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm"}
    }


def bodies_of(resources: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the bodies of dashboards by name, with a letter for each reference."""
    out = {}
    for resource in resources.values():
        if resource["Type"] == "AWS::CloudWatch::Dashboard":
            body = resource["Properties"]["DashboardBody"]
            parts = [body] if isinstance(body, str) else body["Fn::Join"][1]
            text = "".join(part if isinstance(part, str) else "r" for part in parts)
            out[resource["Properties"]["DashboardName"]] = json.loads(text)
    return out


def name_in_facade(slug: str, severity: str | None) -> str:
    """Return what the facade calls an alarm."""
    return "-".join(part for part in ("Theirs", "assistant", slug, severity) if part)


@pytest.mark.synth
def test_every_alarm_is_there_under_the_facades_names(built: tuple[ModelPlan, dict[str, Any]]) -> None:
    """Prefix of the facade, key of the model, slug, severity: nothing keeps our own names."""
    plan, resources = built
    expected = {name_in_facade(entry.slug, entry.severity) for entry in plan.alarms}
    assert set(alarms_of(resources)) == expected


@pytest.mark.synth
def test_symptoms_call_nobody_and_causes_take_the_facades_action(built: tuple[ModelPlan, dict[str, Any]]) -> None:
    """The facade's topic is on causes only; our own topics are nowhere."""
    plan, resources = built
    found = alarms_of(resources)
    for entry in plan.alarms:
        actions = found[name_in_facade(entry.slug, entry.severity)].get("AlarmActions", [])
        assert actions == (["arn:aws:sns:us-east-1:111122223333:theirs"] if entry.role is Role.CAUSE else [])


@pytest.mark.synth
def test_policies_and_expressions_stay_ours(built: tuple[ModelPlan, dict[str, Any]]) -> None:
    """N, M, threshold, missing data and the returned expression of every metric alarm are the value's."""
    plan, resources = built
    found = alarms_of(resources)
    for entry in plan.alarms:
        if not isinstance(entry.alarm, MetricAlarm):
            continue
        made = found[name_in_facade(entry.slug, entry.severity)]
        alarm = entry.alarm
        assert (made["EvaluationPeriods"], made["DatapointsToAlarm"]) == (
            alarm.evaluation_periods,
            alarm.datapoints_to_alarm,
        )
        assert (made["Threshold"], made["ComparisonOperator"]) == (alarm.threshold, alarm.comparison.value)
        assert made["TreatMissingData"] == alarm.treat_missing_data.value
        if "Metrics" in made:
            returned = next(query for query in made["Metrics"] if query.get("ReturnData", True))
            assert returned.get("Expression") == getattr(alarm.returned, "expression", None)
            metrics = [query["MetricStat"] for query in made["Metrics"] if "MetricStat" in query]
            assert sorted((metric["Metric"]["MetricName"], metric["Stat"]) for metric in metrics) == sorted(
                (query.metric.name, query.stat) for query in alarm.metrics
            )


@pytest.mark.synth
def test_composites_follow_the_new_names_and_wait_for_their_children(
    built: tuple[ModelPlan, dict[str, Any]],
) -> None:
    """A rule names only alarms that exist here, and CloudFormation creates them first."""
    plan, resources = built
    names = set(alarms_of(resources))
    composites = [r for r in resources.values() if r["Type"] == "AWS::CloudWatch::CompositeAlarm"]
    assert len(composites) == sum(isinstance(entry.alarm, CompositeAlarm) for entry in plan.alarms)
    for resource in composites:
        referred = children(parse_rule(resource["Properties"]["AlarmRule"]))
        assert set(referred) <= names
        waits = {resources[name]["Properties"].get("AlarmName") for name in resource["DependsOn"]}
        assert set(referred) <= waits


@pytest.mark.synth
def test_widgets_land_in_the_facades_dashboards(built: tuple[ModelPlan, dict[str, Any]]) -> None:
    """The detail dashboard holds every widget of the page; summary and alarm dashboards hold the alarms' states."""
    plan, resources = built
    bodies = bodies_of(resources)
    assert plan.page is not None
    page = render(plan.page.body)["widgets"]
    assert len(bodies["theirs"]["widgets"]) == len(page)
    assert [widget["type"] for widget in bodies["theirs"]["widgets"]] == [widget["type"] for widget in page]
    assert {widget["type"] for widget in bodies["theirs-Summary"]["widgets"]} == {"alarm"}
    assert {widget["type"] for widget in bodies["theirs-Alarms"]["widgets"]} == {"alarm"}
    text = json.dumps(bodies["theirs"])
    named = set(re.findall(r":alarm:([A-Za-z0-9-]+)", text))
    assert named
    assert named <= set(alarms_of(resources))


def test_a_rule_is_renamed_everywhere_in_it() -> None:
    """Every kind of condition follows, ARNs and unknown names stay meaningful."""
    rule = 'AT_LEAST(1, ALARM, ("a", "b")) AND (OK("a") OR NOT ALARM("other"))'
    assert renamed_rule(rule, names={"a": "x-a", "b": "x-b"}) == (
        'AT_LEAST(1, ALARM, ("x-a", "x-b")) AND (OK("x-a") OR NOT ALARM("other"))'
    )


def test_references_inside_widgets_are_renamed() -> None:
    """An ARN anywhere in a widget names the renamed alarm; other texts stay."""
    arn = "arn:aws:cloudwatch:us-east-1:111122223333:alarm:"
    assert renamed_references({"alarms": [f"{arn}a", f"{arn}z"], "title": "alarm:a"}, names={"a": "b"}) == {
        "alarms": [f"{arn}b", f"{arn}z"],
        "title": "alarm:a",
    }
