"""The same fault is found in every kind of document, at the place where that kind writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from monitoring.lint.run import lint
from tests.monitoring.lint.documents import TODAY, alarm, found, plan, template

ROOT = Path(__file__).parents[3]
TERRAFORM_ALARM: dict[str, Any] = {
    "alarm_name": "prod-throttled",
    "alarm_description": "https://runbooks.example.com/throttled",
    "comparison_operator": "GreaterThanThreshold",
    "datapoints_to_alarm": 2,
    "dimensions": {"ModelId": "us.amazon.nova-pro-v1:0"},
    "evaluation_periods": 3,
    "metric_name": "InvocationThrottles",
    "namespace": "AWS/Bedrock",
    "period": 60,
    "statistic": "Sum",
    "threshold": 5,
    "treat_missing_data": "notBreaching",
    "alarm_actions": ["arn:aws:sns:us-east-1:111122223333:prod-chat"],
    "metric_query": [],
    "threshold_metric_id": "",
    "ok_actions": None,
    "unit": None,
    "extended_statistic": None,
}
METRIC_ALARM = "aws_cloudwatch_metric_alarm"


def test_a_right_alarm_of_a_plan_is_left_alone() -> None:
    """Null, empty text and empty list are what is not set."""
    assert found(plan(METRIC_ALARM, TERRAFORM_ALARM)) == []


@pytest.mark.parametrize(
    ("changes", "check", "end"),
    [
        ({"period": 90}, "invalid-period", "/values/period"),
        ({"dimensions": {"ModelId": "undefined"}}, "model-id", "/values/dimensions/ModelId"),
        ({"metric_name": "InvocationThrottle"}, "unknown-metric", "/values/metric_name"),
        ({"treat_missing_data": "breaching"}, "breaching-on-idle", "/values/treat_missing_data"),
    ],
)
def test_a_fault_of_a_plan_stands_at_its_attribute(changes: dict[str, Any], check: str, end: str) -> None:
    """Paths are those of the plan, in Terraform's spelling and through nested modules."""
    (one,) = [one for one in found(plan(METRIC_ALARM, {**TERRAFORM_ALARM, **changes})) if one.check == check]
    assert one.path == f"/planned_values/root_module/child_modules/0/resources/0{end}"
    assert one.line > 1


def test_what_a_plan_knows_after_apply_is_not_absent() -> None:
    """An alarm with a topic of the same plan has an action."""
    values = {**TERRAFORM_ALARM, "alarm_actions": None}
    assert [one.check for one in found(plan(METRIC_ALARM, values))] == ["no-actions"]
    assert found(plan(METRIC_ALARM, values, unknown={"alarm_actions": True})) == []
    assert found(plan(METRIC_ALARM, values, unknown={"alarm_actions": [True]})) == []


def test_queries_of_a_plan_are_entries() -> None:
    """Blocks of metric_query are read, and an expression in one is pointed into."""
    values = {
        **TERRAFORM_ALARM,
        "metric_name": None,
        "namespace": None,
        "statistic": None,
        "dimensions": None,
        "period": 0,
        "metric_query": [
            {"id": "rate", "expression": "thr / / req", "return_data": True, "metric": [], "label": "", "period": 0},
            {
                "id": "thr",
                "return_data": None,
                "expression": "",
                "metric": [
                    {
                        "namespace": "AWS/Bedrock",
                        "metric_name": "InvocationThrottles",
                        "period": 90,
                        "stat": "Sum",
                        "dimensions": {"ModelId": "us.amazon.nova-pro-v1:0"},
                        "unit": "",
                    }
                ],
            },
        ],
    }
    document = json.dumps(plan(METRIC_ALARM, values), indent=1)
    by_check = {one.check: one for one in found(document)}
    assert set(by_check) == {"expression-syntax", "invalid-period"}
    assert by_check["invalid-period"].path.endswith("/metric_query/1/metric/0/period")
    syntax = by_check["expression-syntax"]
    assert document.splitlines()[syntax.line - 1][syntax.column - 1 :].startswith("/ req")


def test_filters_and_dashboards_of_a_state() -> None:
    """`terraform show -json` of a state holds `values` instead of planned values."""
    body = json.dumps(
        {"widgets": [{"type": "metric", "properties": {"metrics": [], "view": "timeseries", "region": "us-east-1"}}]}
    )
    resources = [
        {
            "address": "aws_cloudwatch_log_metric_filter.f",
            "mode": "managed",
            "type": "aws_cloudwatch_log_metric_filter",
            "values": {
                "name": "f",
                "pattern": '{ $.a == "b" }',
                "log_group_name": "g",
                "metric_transformation": [
                    {"name": "n", "namespace": "s", "value": "1", "default_value": "0", "dimensions": {"a": "$.a"}}
                ],
            },
        },
        {
            "address": "aws_cloudwatch_dashboard.d",
            "mode": "managed",
            "type": "aws_cloudwatch_dashboard",
            "values": {"dashboard_name": "d", "dashboard_body": body},
        },
    ]
    state = {"format_version": "1.0", "terraform_version": "1.9.0", "values": {"root_module": {"resources": resources}}}
    by_check = {one.check: one for one in found(state)}
    assert set(by_check) == {"filter-pattern-syntax", "filter-default-with-dimensions", "dashboard-schema"}
    assert by_check["filter-default-with-dimensions"].path.endswith("/metric_transformation/0/default_value")
    assert by_check["dashboard-schema"].path.endswith("/values/dashboard_body/widgets/0/properties/view")


def test_a_composite_of_a_plan_has_its_suppressor() -> None:
    """The block actions_suppressor is three properties."""
    values = {
        "alarm_name": "page",
        "alarm_description": "https://runbooks.example.com",
        "alarm_rule": 'ALARM("page")',
        "alarm_actions": ["arn:aws:sns:us-east-1:111122223333:chat"],
        "actions_suppressor": [{"alarm": "night", "extension_period": 10, "wait_period": 20}],
    }
    assert {one.check for one in found(plan("aws_cloudwatch_composite_alarm", values))} == {"composite-cycle"}


def test_answers_of_the_cli() -> None:
    """describe-alarms, describe-metric-filters and get-dashboard, with their states and times beside."""
    arn = "arn:aws:cloudwatch:us-west-2:111122223333:alarm:prod-throttled"
    answer = {
        "MetricAlarms": [
            {**alarm(Period=90), "AlarmArn": arn, "StateValue": "OK", "StateReason": "Threshold", "OKActions": []}
        ],
        "CompositeAlarms": [],
        "metricFilters": [
            {
                "filterName": "f",
                "filterPattern": "{ $.a == 1 }",
                "logGroupName": "g",
                "metricTransformations": [{"metricName": "n", "metricNamespace": "AWS/x", "metricValue": "1"}],
                "creationTime": 1,
            }
        ],
        "DashboardName": "d",
        "DashboardBody": '{"widgets": [{"type": "metric", "properties": {}}]}',
    }
    by_check = {one.check: one.path for one in found(answer)}
    assert by_check == {
        "invalid-period": "/MetricAlarms/0/Period",
        "action-other-region": "/MetricAlarms/0/AlarmActions/0",
        "filter-pattern-syntax": "/metricFilters/0/filterPattern",
        "filter-limits": "/metricFilters/0/metricTransformations/0/metricNamespace",
        "dashboard-schema": by_check["dashboard-schema"],
    }
    assert by_check["dashboard-schema"].startswith("/DashboardBody/widgets/0/properties")


def test_a_bare_body_is_a_dashboard() -> None:
    """Places are those of the file itself, inside expressions too."""
    rows = [
        [{"expression": "m1 +* 2", "id": "e1"}],
        ["AWS/Bedrock", "Invocations", "ModelId", "a.b-v1:0", {"id": "m1"}],
    ]
    text = json.dumps(
        {"widgets": [{"type": "metric", "properties": {"metrics": rows, "region": "us-east-1"}}]}, indent=2
    )
    (one,) = found(text)
    assert (one.check, one.path) == ("expression-syntax", "/widgets/0/properties/metrics/0/0/expression")
    assert text.splitlines()[one.line - 1][one.column - 1 : one.end_column - 1] == "*"


def test_our_own_configuration_has_no_bug() -> None:
    """What the generator writes passes its own checks; each finding stands at the model it is about."""
    report = lint([str(ROOT / "examples/acme/monitoring.yaml")], today=TODAY)
    assert report.subjects > 50
    assert [one for one in report.findings if one.severity == "bug"] == []


def test_a_cloud_assembly_is_its_templates(tmp_path: Path) -> None:
    """In cdk.out the templates are read, of nested assemblies too, and nothing else."""
    (tmp_path / "assembly-prod").mkdir()
    (tmp_path / "manifest.json").write_text("{}", encoding="utf-8")
    (tmp_path / "tree.json").write_text("{}", encoding="utf-8")
    (tmp_path / "a.template.json").write_text(json.dumps(template(A=alarm(Period=90))), encoding="utf-8")
    nested = tmp_path / "assembly-prod/b.template.json"
    nested.write_text(json.dumps(template(B=alarm(EvaluationPeriods=2000))), encoding="utf-8")
    report = lint([str(tmp_path)], today=TODAY)
    assert [one.check for one in report.findings] == ["invalid-period", "window-too-long"]


def test_in_a_folder_other_files_are_passed_over(tmp_path: Path) -> None:
    """A package.json is no fault; given by name it is one."""
    (tmp_path / "package.json").write_text('{"name": "x"}', encoding="utf-8")
    assert lint([str(tmp_path)], today=TODAY).findings == ()
    (one,) = lint([str(tmp_path / "package.json")], today=TODAY).findings
    assert one.check == "unreadable-file"
    assert "terraform show -json" in one.message


def test_open_values_are_never_guessed() -> None:
    """Parameters without default, attributes and imports fire no check."""
    hole = {"Ref": "Open"}
    document = template(
        A=alarm(
            Period=hole,
            EvaluationPeriods={"Fn::ImportValue": "n"},
            Threshold={"Fn::GetAtt": ["Other", "Value"]},
            MetricName={"Fn::Sub": "${Open}"},
            Namespace=hole,
            AlarmActions=hole,
            TreatMissingData=hole,
            Dimensions=[{"Name": "ModelId", "Value": {"Fn::Sub": "${Open}-v1"}}],
        )
    )
    document["Parameters"] = {"Open": {"Type": "String"}}
    assert found(document) == []


def test_the_branch_of_a_condition_is_the_place() -> None:
    """Fn::If is followed to the branch that was read, and entries without value do not shift positions."""
    document = template(
        A=alarm(
            Dimensions=[
                {"Ref": "AWS::NoValue"},
                {"Fn::If": ["Never", {"Name": "X", "Value": "y"}, {"Name": "ModelId", "Value": "undefined"}]},
            ]
        )
    )
    document["Conditions"] = {"Never": {"Fn::Equals": ["a", "b"]}}
    (one,) = found(document)
    assert one.path == "/Resources/A/Properties/Dimensions/1/Fn::If/2/Value"
