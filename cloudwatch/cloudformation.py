"""How does a value look in a CloudFormation template?

Properties of AWS::CloudWatch::Alarm, AWS::CloudWatch::CompositeAlarm, AWS::CloudWatch::Dashboard and
AWS::Logs::MetricFilter (CloudFormation template reference), as plain JSON values: keys in a fixed order, whole numbers
without a decimal point, AWS's own defaults left out. `cloudwatch.readers.cloudformation` reads them back into the same
values.

One thing is not written: `Metric.region`, because an alarm reads in its own Region.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from cloudwatch.alarm import Alarm, CompositeAlarm, MetricAlarm
from cloudwatch.metric import ExpressionQuery, MetricQuery

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloudwatch.metric import Query
    from cloudwatch.metric_filter import MetricFilter

__all__ = [
    "ALARM_TYPE",
    "COMPOSITE_TYPE",
    "DASHBOARD_TYPE",
    "METRIC_FILTER_TYPE",
    "PLAIN_QUERY_ID",
    "SIMPLE_STATISTICS",
    "alarm_properties",
    "alarm_resource",
    "dashboard_properties",
    "metric_filter_properties",
]

ALARM_TYPE = "AWS::CloudWatch::Alarm"
COMPOSITE_TYPE = "AWS::CloudWatch::CompositeAlarm"
DASHBOARD_TYPE = "AWS::CloudWatch::Dashboard"
METRIC_FILTER_TYPE = "AWS::Logs::MetricFilter"

PLAIN_QUERY_ID = "m1"
"""Id of the one query of an alarm in the plain form, which has no room for an id."""

SIMPLE_STATISTICS = frozenset({"Average", "Maximum", "Minimum", "SampleCount", "Sum"})
"""What property Statistic takes; every other statistic goes into ExtendedStatistic."""

_EXACT = 2.0**53  # above it a float no longer tells neighbouring whole numbers apart


def alarm_properties(alarm: Alarm) -> dict[str, Any]:
    """Return the Properties of an alarm or composite alarm.

    An alarm over one metric takes the plain form (Namespace, MetricName, Statistic, Period) where that form can say
    everything: query id `PLAIN_QUERY_ID`, no label, no foreign account. Otherwise it lists its queries under Metrics.
    """
    match alarm:
        case MetricAlarm():
            return _metric_alarm(alarm)
        case CompositeAlarm():
            return _composite(alarm)
        case _:
            assert_never(alarm)


def alarm_resource(alarm: Alarm, *, depends_on: Sequence[str] = ()) -> dict[str, Any]:
    """Return the whole resource: Type, Properties and, where given, DependsOn (logical ids, sorted)."""
    resource: dict[str, Any] = {
        "Type": ALARM_TYPE if isinstance(alarm, MetricAlarm) else COMPOSITE_TYPE,
        "Properties": alarm_properties(alarm),
    }
    if depends_on:
        resource["DependsOn"] = sorted(depends_on)
    return resource


def metric_filter_properties(metric_filter: MetricFilter) -> dict[str, Any]:
    """Return the Properties of a metric filter, with its one transformation."""
    transformation: dict[str, Any] = {
        "MetricName": metric_filter.metric,
        "MetricNamespace": metric_filter.namespace,
        "MetricValue": metric_filter.value,
    }
    if metric_filter.default_value is not None:
        transformation["DefaultValue"] = _number(metric_filter.default_value)
    if metric_filter.dimensions:
        transformation["Dimensions"] = [{"Key": key, "Value": value} for key, value in metric_filter.dimensions]
    if metric_filter.unit is not None:
        transformation["Unit"] = metric_filter.unit
    return {
        "FilterName": metric_filter.name,
        "LogGroupName": metric_filter.log_group,
        "FilterPattern": metric_filter.pattern,
        "MetricTransformations": [transformation],
    }


def dashboard_properties(name: str, body_json: str) -> dict[str, Any]:
    """Return the Properties of a dashboard whose body is already JSON text."""
    return {"DashboardName": name, "DashboardBody": body_json}


def _metric_alarm(alarm: MetricAlarm) -> dict[str, Any]:
    properties = _identity(alarm)
    only = alarm.queries[0]
    if len(alarm.queries) == 1 and isinstance(only, MetricQuery) and _fits_plain_form(only):
        properties |= _plain(only)
    else:
        properties["Metrics"] = [_query(query) for query in alarm.queries]
    properties |= {
        "EvaluationPeriods": alarm.evaluation_periods,
        "DatapointsToAlarm": alarm.datapoints_to_alarm,
        "ComparisonOperator": alarm.comparison.value,
    }
    if alarm.threshold is not None:
        properties["Threshold"] = _number(alarm.threshold)
    if alarm.threshold_metric_id is not None:
        properties["ThresholdMetricId"] = alarm.threshold_metric_id
    properties["TreatMissingData"] = alarm.treat_missing_data.value
    if alarm.low_sample_count is not None:
        properties["EvaluateLowSampleCountPercentile"] = alarm.low_sample_count.value
    if alarm.wall_clock_timezone is not None:
        properties["EvaluationWindow"] = {"WallClockWindow": {"Timezone": alarm.wall_clock_timezone}}
    if alarm.warm_up_min is not None:
        properties["WarmUpConfiguration"] = {"WarmUpPeriodDurationInMinutes": alarm.warm_up_min}
    return properties | _actions(alarm)


def _composite(alarm: CompositeAlarm) -> dict[str, Any]:
    properties = _identity(alarm) | {"AlarmRule": alarm.rule}
    if alarm.suppressor is not None:
        properties |= {
            "ActionsSuppressor": alarm.suppressor.alarm,
            "ActionsSuppressorWaitPeriod": alarm.suppressor.wait_s,
            "ActionsSuppressorExtensionPeriod": alarm.suppressor.extension_s,
        }
    return properties | _actions(alarm)


def _identity(alarm: Alarm) -> dict[str, Any]:
    properties: dict[str, Any] = {"AlarmName": alarm.name}
    if alarm.description:
        properties["AlarmDescription"] = alarm.description
    return properties


def _actions(alarm: Alarm) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    if not alarm.actions_enabled:
        properties["ActionsEnabled"] = False
    if alarm.alarm_actions:
        properties["AlarmActions"] = list(alarm.alarm_actions)
    if alarm.ok_actions:
        properties["OKActions"] = list(alarm.ok_actions)
    if alarm.insufficient_data_actions:
        properties["InsufficientDataActions"] = list(alarm.insufficient_data_actions)
    if alarm.tags:
        properties["Tags"] = [{"Key": key, "Value": value} for key, value in alarm.tags]
    return properties


def _fits_plain_form(query: MetricQuery) -> bool:
    return query.id == PLAIN_QUERY_ID and query.label is None and query.metric.account_id is None


def _plain(query: MetricQuery) -> dict[str, Any]:
    properties: dict[str, Any] = {"Namespace": query.metric.namespace, "MetricName": query.metric.name}
    if query.metric.dimensions:
        properties["Dimensions"] = _dimensions(query)
    properties["Statistic" if query.stat in SIMPLE_STATISTICS else "ExtendedStatistic"] = query.stat
    properties["Period"] = query.period_s
    if query.unit is not None:
        properties["Unit"] = query.unit
    return properties


def _query(query: Query) -> dict[str, Any]:
    entry: dict[str, Any] = {"Id": query.id}
    match query:
        case MetricQuery():
            if query.metric.account_id is not None:
                entry["AccountId"] = query.metric.account_id
            metric: dict[str, Any] = {"Namespace": query.metric.namespace, "MetricName": query.metric.name}
            if query.metric.dimensions:
                metric["Dimensions"] = _dimensions(query)
            stat: dict[str, Any] = {"Metric": metric, "Period": query.period_s, "Stat": query.stat}
            if query.unit is not None:
                stat["Unit"] = query.unit
            entry["MetricStat"] = stat
        case ExpressionQuery():
            entry["Expression"] = query.expression
            if query.period_s is not None:
                entry["Period"] = query.period_s
        case _:
            assert_never(query)
    if query.label is not None:
        entry["Label"] = query.label
    entry["ReturnData"] = query.return_data
    return entry


def _dimensions(query: MetricQuery) -> list[dict[str, str]]:
    return [{"Name": name, "Value": value} for name, value in query.metric.dimensions]


def _number(value: float) -> float:
    return int(value) if abs(value) < _EXACT and float(value).is_integer() else value
