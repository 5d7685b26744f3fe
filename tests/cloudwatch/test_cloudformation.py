"""How values look in a template."""

from dataclasses import replace

import pytest

from cloudwatch.alarm import Comparison, CompositeAlarm, LowSampleCount, MetricAlarm, MissingData, Suppressor
from cloudwatch.cloudformation import (
    alarm_properties,
    alarm_resource,
    dashboard_properties,
    metric_filter_properties,
)
from cloudwatch.metric import ExpressionQuery, Metric, MetricQuery
from cloudwatch.metric_filter import MetricFilter

THROTTLES = MetricQuery(
    id="m1",
    metric=Metric(namespace="AWS/Bedrock", name="InvocationThrottles", dimensions=(("ModelId", "a.b-v1:0"),)),
    stat="Sum",
    period_s=60,
    return_data=True,
)
ALARM = MetricAlarm(
    name="llm-prod-assistant-throttled",
    queries=(THROTTLES,),
    comparison=Comparison.GREATER_OR_EQUAL,
    threshold=5.0,
    evaluation_periods=10,
    datapoints_to_alarm=2,
    treat_missing_data=MissingData.NOT_BREACHING,
    alarm_actions=("arn:aws:sns:us-east-1:111122223333:page",),
)


def test_one_metric_takes_the_plain_form() -> None:
    """An alarm over one metric of its own account has no Metrics list, and whole numbers have no point."""
    assert alarm_properties(ALARM) == {
        "AlarmName": "llm-prod-assistant-throttled",
        "Namespace": "AWS/Bedrock",
        "MetricName": "InvocationThrottles",
        "Dimensions": [{"Name": "ModelId", "Value": "a.b-v1:0"}],
        "Statistic": "Sum",
        "Period": 60,
        "EvaluationPeriods": 10,
        "DatapointsToAlarm": 2,
        "ComparisonOperator": "GreaterThanOrEqualToThreshold",
        "Threshold": 5,
        "TreatMissingData": "notBreaching",
        "AlarmActions": ["arn:aws:sns:us-east-1:111122223333:page"],
    }
    assert isinstance(alarm_properties(ALARM)["Threshold"], int)


def test_a_fraction_stays_a_fraction() -> None:
    """A threshold of 0.5 is written as 0.5."""
    assert alarm_properties(replace(ALARM, threshold=0.5))["Threshold"] == 0.5


@pytest.mark.parametrize("stat", ["p90", "TC(2000:)", "tm99"])
def test_percentiles_and_counts_are_extended_statistics(stat: str) -> None:
    """Only the five simple statistics go into property Statistic."""
    properties = alarm_properties(
        replace(ALARM, queries=(replace(THROTTLES, stat=stat),), low_sample_count=LowSampleCount.IGNORE)
    )
    assert properties["ExtendedStatistic"] == stat
    assert "Statistic" not in properties
    assert properties["EvaluateLowSampleCountPercentile"] == "ignore"


def test_a_metric_of_another_account_needs_the_metrics_list() -> None:
    """The plain form has no AccountId, so the queries are listed."""
    metric = replace(THROTTLES.metric, account_id="444455556666")
    properties = alarm_properties(replace(ALARM, queries=(replace(THROTTLES, metric=metric),)))
    assert "Namespace" not in properties
    assert properties["Metrics"] == [
        {
            "Id": "m1",
            "AccountId": "444455556666",
            "MetricStat": {
                "Metric": {
                    "Namespace": "AWS/Bedrock",
                    "MetricName": "InvocationThrottles",
                    "Dimensions": [{"Name": "ModelId", "Value": "a.b-v1:0"}],
                },
                "Period": 60,
                "Stat": "Sum",
            },
            "ReturnData": True,
        }
    ]


def test_metric_math_lists_metrics_and_expressions() -> None:
    """Expressions stand in the list with the metrics they read, in the order of the value."""
    share = ExpressionQuery(id="share", expression="100*t/SUM([t,i])", label="% throttled", return_data=True)
    queries = (
        share,
        replace(THROTTLES, id="t", return_data=False),
        replace(THROTTLES, id="i", return_data=False, unit="Count"),
    )
    metrics = alarm_properties(replace(ALARM, queries=queries))["Metrics"]
    assert [entry["Id"] for entry in metrics] == ["share", "t", "i"]
    assert metrics[0] == {
        "Id": "share",
        "Expression": "100*t/SUM([t,i])",
        "Label": "% throttled",
        "ReturnData": True,
    }
    assert metrics[2]["MetricStat"]["Unit"] == "Count"


def test_keys_stand_in_a_stable_order() -> None:
    """Two renderings list the same keys in the same order, the name first."""
    resource = alarm_resource(ALARM, depends_on=("B", "A"))
    assert list(resource) == ["Type", "Properties", "DependsOn"]
    assert resource["DependsOn"] == ["A", "B"]
    assert next(iter(resource["Properties"])) == "AlarmName"
    assert "DependsOn" not in alarm_resource(ALARM)


def test_composite_with_suppressor() -> None:
    """A composite writes its rule and the three suppressor properties."""
    composite = CompositeAlarm(
        name="slow",
        rule='ALARM("a") AND NOT ALARM("b")',
        suppressor=Suppressor(alarm="b", wait_s=300, extension_s=900),
        description="d",
        actions_enabled=False,
        tags=(("z", "1"), ("a", "2")),
    )
    assert alarm_resource(composite) == {
        "Type": "AWS::CloudWatch::CompositeAlarm",
        "Properties": {
            "AlarmName": "slow",
            "AlarmDescription": "d",
            "AlarmRule": 'ALARM("a") AND NOT ALARM("b")',
            "ActionsSuppressor": "b",
            "ActionsSuppressorWaitPeriod": 300,
            "ActionsSuppressorExtensionPeriod": 900,
            "ActionsEnabled": False,
            "Tags": [{"Key": "a", "Value": "2"}, {"Key": "z", "Value": "1"}],
        },
    }


def test_wall_clock_window_and_warm_up() -> None:
    """The two settings of 2026 are written as their nested properties."""
    properties = alarm_properties(replace(ALARM, wall_clock_timezone="Europe/Berlin", warm_up_min=30))
    assert properties["EvaluationWindow"] == {"WallClockWindow": {"Timezone": "Europe/Berlin"}}
    assert properties["WarmUpConfiguration"] == {"WarmUpPeriodDurationInMinutes": 30}


def test_metric_filter() -> None:
    """A filter writes one transformation; a default of 0 is written, not taken for absent."""
    metric_filter = MetricFilter(
        name="standard", log_group="/g", pattern="{ $.a = 1 }", namespace="N", metric="M", default_value=0.0
    )
    assert metric_filter_properties(metric_filter) == {
        "FilterName": "standard",
        "LogGroupName": "/g",
        "FilterPattern": "{ $.a = 1 }",
        "MetricTransformations": [
            {"MetricName": "M", "MetricNamespace": "N", "MetricValue": "1", "DefaultValue": 0},
        ],
    }


def test_dashboard() -> None:
    """A dashboard is its name and its body text."""
    assert dashboard_properties("d", "{}") == {"DashboardName": "d", "DashboardBody": "{}"}
