"""How are the fields of an alarm read?

AWS::CloudWatch::Alarm, PutMetricAlarm and DescribeAlarms spell the same fields in the same way (CloudFormation template
reference; CloudWatch API reference), and so do the composite ones; a template and an API answer are read by the same code.
What CloudWatch would refuse becomes a `Problem` at the field it is about.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, TypedDict

from cloudwatch.alarm import Comparison, CompositeAlarm, LowSampleCount, MetricAlarm, MissingData, Suppressor
from cloudwatch.alarm_rule import parse_rule
from cloudwatch.cloudformation import PLAIN_QUERY_ID, SIMPLE_STATISTICS
from cloudwatch.metric import ExpressionQuery, Metric, MetricQuery, Query
from cloudwatch.problems import InvalidValueError, ProblemSeverity, TextSyntaxError
from cloudwatch.readers.fields import shown
from cloudwatch.stat import parse_stat

if TYPE_CHECKING:
    from cloudwatch.readers.fields import Fields

__all__ = ["COMPOSITE_FIELDS", "METRIC_ALARM_FIELDS", "composite_alarm_from", "metric_alarm_from"]

_SHARED = frozenset(
    {
        "ActionsEnabled",
        "AlarmActions",
        "AlarmDescription",
        "AlarmName",
        "InsufficientDataActions",
        "OKActions",
        "Tags",
    }
)
_PLAIN = frozenset({"Dimensions", "ExtendedStatistic", "MetricName", "Namespace", "Period", "Statistic", "Unit"})

METRIC_ALARM_FIELDS = (
    _SHARED
    | _PLAIN
    | {
        "ActionConfiguration",
        "ComparisonOperator",
        "DatapointsToAlarm",
        "EvaluateLowSampleCountPercentile",
        "EvaluationCriteria",
        "EvaluationInterval",
        "EvaluationPeriods",
        "EvaluationWindow",
        "Metrics",
        "Threshold",
        "ThresholdMetricId",
        "TreatMissingData",
        "WarmUpConfiguration",
    }
)
"""Properties of AWS::CloudWatch::Alarm."""

COMPOSITE_FIELDS = _SHARED | {
    "ActionConfiguration",
    "ActionsSuppressor",
    "ActionsSuppressorExtensionPeriod",
    "ActionsSuppressorWaitPeriod",
    "AlarmRule",
}
"""Properties of AWS::CloudWatch::CompositeAlarm."""

_STATISTIC_HINT = "Percentiles (p0 to p100) and trimmed statistics go into ExtendedStatistic."

# What a refusal speaks of -> the property it is about, most telling words first.
_ABOUT = (
    ("AlarmDescription", "AlarmDescription", "Shorten the description."),
    ("AlarmName", "AlarmName", "Choose another name."),
    ("AlarmRule", "AlarmRule", "Split the rule over several composite alarms."),
    ("DatapointsToAlarm", "DatapointsToAlarm", "Make DatapointsToAlarm at most EvaluationPeriods."),
    ("periods of", "EvaluationPeriods", "Shorten the period or take fewer evaluation periods."),
    ("needs", "Threshold", "Give Threshold for a number, ThresholdMetricId for a band."),
    ("returns data", "Metrics", "Set ReturnData to true on exactly one entry, to false on the others."),
    ("share one period", "Metrics", "Give every metric the same Period."),
    ("metrics and", "Metrics", "Split the expression over several alarms."),
    ("tags", "Tags", "Remove tags."),
    ("actions for one state", "AlarmActions", "Send several notifications through one topic."),
    ("an id occurs", "Metrics", "Give every entry its own Id."),
    ("at least one metric", "Metrics", "Add an entry with MetricStat."),
    ("Namespace", "Namespace", "Write a namespace of 1 to 255 printable ASCII characters."),
    ("MetricName", "MetricName", "Write a name of 1 to 255 printable ASCII characters."),
    ("imension", "Dimensions", "Give at most 30 dimensions, each name once, none empty."),
    ("Period", "Period", "Take 10, 20, 30 or a multiple of 60 seconds."),
    ("Suppressor", "ActionsSuppressorWaitPeriod", "Give periods of 0 or more seconds."),
)


def metric_alarm_from(fields: Fields, *, name: str) -> MetricAlarm | None:
    """Read a metric alarm; None when it cannot be read, and `fields` has said why.

    Alarms on a PromQL query (EvaluationCriteria) or a Metrics Insights query are not a `MetricAlarm`: a warning says so.
    """
    if "EvaluationCriteria" in fields:
        _not_read(fields, "EvaluationCriteria", f"{name} is a PromQL alarm, which is not read")
        return None
    queries = _queries(fields)
    if queries and all(isinstance(query, ExpressionQuery) and _is_insights(query) for query in queries):
        _not_read(fields, "Metrics", f"{name} is an alarm on a Metrics Insights query, which is not read")
        return None
    comparison = fields.choice("ComparisonOperator", Comparison, required=True)
    periods = fields.whole("EvaluationPeriods", required=True)
    datapoints = fields.whole("DatapointsToAlarm")
    missing = fields.choice("TreatMissingData", MissingData) or MissingData.MISSING
    low_sample_count = fields.choice("EvaluateLowSampleCountPercentile", LowSampleCount)
    threshold, threshold_id = fields.number("Threshold"), fields.text("ThresholdMetricId")
    window = fields.inner("EvaluationWindow")
    timezone = window.inner("WallClockWindow").text("Timezone") or "UTC" if "WallClockWindow" in window else None
    warm_up_fields = fields.inner("WarmUpConfiguration")
    warm_up = warm_up_fields.whole("WarmUpPeriodDurationInMinutes")
    if warm_up_fields.flag("OnlyStartEvaluatingAfterWarmUpPeriodEnds", default=False):
        _not_read(warm_up_fields, "OnlyStartEvaluatingAfterWarmUpPeriodEnds", f"{name}: the whole warm-up is not kept")
    decisive = {
        "DatapointsToAlarm",
        "EvaluateLowSampleCountPercentile",
        "EvaluationWindow",
        "Threshold",
        "ThresholdMetricId",
        "TreatMissingData",
        "WarmUpConfiguration",
    }
    shared = _shared(fields)
    if (
        fields.failed
        or warm_up_fields.failed
        or decisive & fields.unknown
        or queries is None
        or comparison is None
        or periods is None
    ):
        return None
    try:
        return MetricAlarm(
            name=name,
            queries=queries,
            comparison=comparison,
            threshold=threshold,
            threshold_metric_id=threshold_id,
            evaluation_periods=periods,
            datapoints_to_alarm=periods if datapoints is None else datapoints,
            treat_missing_data=missing,
            low_sample_count=low_sample_count,
            wall_clock_timezone=timezone,
            warm_up_min=warm_up,
            **shared,
        )
    except InvalidValueError as refused:
        _refuse(fields, refused)
        return None


def composite_alarm_from(fields: Fields, *, name: str) -> CompositeAlarm | None:
    """Read a composite alarm; None when it cannot be read, and `fields` has said why."""
    rule = fields.text("AlarmRule", required=True)
    suppressor_name = fields.text("ActionsSuppressor")
    wait = fields.whole("ActionsSuppressorWaitPeriod", required=suppressor_name is not None)
    extension = fields.whole("ActionsSuppressorExtensionPeriod", required=suppressor_name is not None)
    shared = _shared(fields)
    unknown = {"ActionsSuppressor", "ActionsSuppressorWaitPeriod", "ActionsSuppressorExtensionPeriod"} & fields.unknown
    if fields.failed or unknown or rule is None:
        return None
    try:
        suppressor = None
        if suppressor_name is not None and wait is not None and extension is not None:
            suppressor = Suppressor(alarm=suppressor_name, wait_s=wait, extension_s=extension)
        composite = CompositeAlarm(name=name, rule=rule, suppressor=suppressor, **shared)
        parse_rule(rule)
    except TextSyntaxError as wrong:
        fields.problem("AlarmRule", f"{name}: {wrong}", hint=wrong.hint)
        return None
    except InvalidValueError as refused:
        _refuse(fields, refused)
        return None
    return composite


def _not_read(fields: Fields, name: str, message: str) -> None:
    fields.problem(name, message, code="alarm-not-read", severity=ProblemSeverity.WARNING)


def _is_insights(query: ExpressionQuery) -> bool:
    return query.expression.lstrip()[:6].upper() == "SELECT"


class _Shared(TypedDict):
    description: str
    actions_enabled: bool
    alarm_actions: tuple[str, ...]
    ok_actions: tuple[str, ...]
    insufficient_data_actions: tuple[str, ...]
    tags: tuple[tuple[str, str], ...]


def _shared(fields: Fields) -> _Shared:
    return {
        "description": fields.text("AlarmDescription") or "",
        "actions_enabled": fields.flag("ActionsEnabled", default=True),
        "alarm_actions": fields.texts("AlarmActions"),
        "ok_actions": fields.texts("OKActions"),
        "insufficient_data_actions": fields.texts("InsufficientDataActions"),
        "tags": fields.pairs("Tags", key="Key", value="Value"),
    }


def _queries(fields: Fields) -> tuple[Query, ...] | None:
    # DescribeAlarms says `Dimensions: []` of an alarm on metric math, too: an empty list says nothing
    plain = sorted(name for name in _PLAIN if name in fields and fields.values.get(name) != [])
    if "Metrics" in fields:
        if plain:
            fields.problem(
                plain[0],
                f"{plain[0]} and Metrics exclude each other",
                hint=f"Remove {plain[0]}, or Metrics.",
            )
        if "Metrics" in fields.unknown:
            return None
        queries = [_query(entry) for entry in fields.entries("Metrics")]
        if any(query is None for query in queries):
            fields.failed = True
        return tuple(query for query in queries if query is not None)
    query = _plain_query(fields)
    return None if query is None else (query,)


def _query(entry: Fields) -> Query | None:
    identifier = entry.text("Id", required=True)
    label, returned = entry.text("Label"), entry.flag("ReturnData", default=True)
    expression, period = entry.text("Expression"), entry.whole("Period")
    if (expression is None) == ("MetricStat" not in entry):
        entry.problem("", "An entry of Metrics has either MetricStat or Expression", hint="Remove one of them.")
    query: Query | None = None
    try:
        if expression is not None and identifier is not None:
            query = ExpressionQuery(
                id=identifier, expression=expression, return_data=returned, label=label, period_s=period
            )
        elif expression is None:
            query = _metric_stat(entry, identifier or "", label=label, returned=returned)
    except InvalidValueError as refused:
        entry.problem("", str(refused), hint="Correct this entry of Metrics.")
    return None if entry.failed else query


def _metric_stat(entry: Fields, identifier: str, *, label: str | None, returned: bool) -> MetricQuery | None:
    account = entry.text("AccountId")
    stat_fields = entry.inner("MetricStat")
    metric_fields = stat_fields.inner("Metric")
    namespace, name = metric_fields.text("Namespace", required=True), metric_fields.text("MetricName", required=True)
    dimensions = metric_fields.pairs("Dimensions", key="Name", value="Value")
    stat, period = stat_fields.text("Stat", required=True), stat_fields.whole("Period", required=True)
    unit = stat_fields.text("Unit")
    if stat is not None:
        _check_statistic(stat_fields, "Stat", stat)
    entry.failed |= stat_fields.failed or metric_fields.failed
    if entry.failed or namespace is None or name is None or stat is None or period is None:
        return None
    metric = Metric(namespace=namespace, name=name, dimensions=dimensions, account_id=account)
    return MetricQuery(
        id=identifier, metric=metric, stat=stat, period_s=period, return_data=returned, label=label, unit=unit
    )


def _plain_query(fields: Fields) -> MetricQuery | None:
    namespace, name = fields.text("Namespace", required=True), fields.text("MetricName", required=True)
    dimensions = fields.pairs("Dimensions", key="Name", value="Value")
    statistic, extended = fields.text("Statistic"), fields.text("ExtendedStatistic")
    period, unit = fields.whole("Period", required=True), fields.text("Unit")
    if statistic is not None and extended is not None:
        fields.problem("Statistic", "Statistic and ExtendedStatistic exclude each other", hint="Remove one of them.")
    elif statistic is None and extended is None and not {"Statistic", "ExtendedStatistic"} & fields.unknown:
        fields.problem("Statistic", "Statistic is missing", hint="Add Statistic or ExtendedStatistic.")
    elif statistic is not None and statistic not in SIMPLE_STATISTICS:
        _refuse_statistic(fields, "Statistic", statistic)
    elif extended is not None:
        _check_statistic(fields, "ExtendedStatistic", extended)
    stat = statistic or extended
    if fields.failed or _PLAIN & fields.unknown or namespace is None or name is None or stat is None or period is None:
        return None
    try:
        metric = Metric(namespace=namespace, name=name, dimensions=dimensions)
        return MetricQuery(id=PLAIN_QUERY_ID, metric=metric, stat=stat, period_s=period, return_data=True, unit=unit)
    except InvalidValueError as refused:
        _refuse(fields, refused)
        return None


def _check_statistic(fields: Fields, name: str, stat: str) -> None:
    try:
        parse_stat(stat)
    except TextSyntaxError as wrong:
        fields.problem(name, str(wrong), hint=wrong.hint or _STATISTIC_HINT)
    except InvalidValueError as wrong:
        fields.problem(name, str(wrong), hint=_STATISTIC_HINT)


def _refuse_statistic(fields: Fields, name: str, stat: str) -> None:
    close = get_close_matches(stat.title(), sorted(SIMPLE_STATISTICS), n=1)
    hint = f"Did you mean {close[0]}?" if close else _STATISTIC_HINT
    fields.problem(name, f"{name} {shown(stat)} is not a statistic that it takes", hint=hint)


def _refuse(fields: Fields, refused: InvalidValueError) -> None:
    message = str(refused)
    for words, name, hint in _ABOUT:
        if words in message:
            fields.problem(name, message, hint=hint, code="refused-by-cloudwatch")
            return
    fields.problem("", message, hint="Correct the value named.", code="refused-by-cloudwatch")
