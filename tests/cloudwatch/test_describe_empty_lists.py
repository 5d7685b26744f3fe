"""Does an answer of DescribeAlarms read back although it says empty lists of everything?"""

from __future__ import annotations

from typing import Any

from cloudwatch.readers.describe_alarms import read_describe_alarms


def answer(**changes: Any) -> dict[str, Any]:
    """Return an answer with one alarm on metric math, as the API words it."""
    metric = {"Namespace": "AWS/Bedrock", "MetricName": "Invocations", "Dimensions": []}
    alarm = {
        "AlarmName": "share",
        "Dimensions": [],
        "OKActions": [],
        "EvaluationPeriods": 5,
        "DatapointsToAlarm": 3,
        "Threshold": 20.0,
        "ComparisonOperator": "GreaterThanThreshold",
        "Metrics": [
            {"Id": "m1", "MetricStat": {"Metric": metric, "Period": 60, "Stat": "Sum"}, "ReturnData": False},
            {"Id": "e1", "Expression": "m1 * 2", "ReturnData": True},
        ],
    }
    return {"MetricAlarms": [alarm | changes]}


def test_an_empty_list_of_dimensions_next_to_metrics_says_nothing() -> None:
    """The API gives `Dimensions: []` of every alarm; only real dimensions contradict Metrics."""
    read = read_describe_alarms(answer())
    assert read.problems == ()
    assert [alarm.name for alarm in read.alarms] == ["share"]


def test_dimensions_next_to_metrics_stay_a_contradiction() -> None:
    """A dimension with a name is reported."""
    read = read_describe_alarms(answer(Dimensions=[{"Name": "ModelId", "Value": "m"}]))
    assert any("exclude each other" in problem.message for problem in read.problems)
