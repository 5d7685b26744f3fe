"""How does a model join dashboards that cdk-monitoring-constructs already builds? As one segment of their facade.

    facade.add_segment(BedrockSegment(facade, plan=model_plan))

Widgets land in the facade's detail, summary and alarm dashboards. Alarms take the facade's naming prefix; symptoms get no
action, causes get the facade's own alarm action strategy with their severity as the disambiguator, so that
`disambiguator_action={"page": ...}` routes by severity. Rules and references follow the new names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jsii
from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cw
from cdk_monitoring_constructs import Monitoring, MonitoringScope, NoopAlarmActionStrategy

from alarms.alarm_set import Role
from cloudwatch.alarm import CompositeAlarm, LowSampleCount, MetricAlarm
from cloudwatch.alarm_rule import children, parse_rule
from cloudwatch.dashboard.render import render
from cloudwatch.metric import ExpressionQuery, MetricQuery
from cloudwatch.problems import InvalidValueError
from cloudwatch.rule_nodes import referenced_name
from monitoring.segment.names import renamed_references, renamed_rule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from alarms.alarm_set import AlarmEntry, AlarmSet
    from cloudwatch.dashboard.values import DashboardBody
    from cloudwatch.metric import Query
    from monitoring.plan import ModelPlan

__all__ = ["BedrockSegment"]

_SUMMARY_KINDS = ("alarm",)


class _RenderedWidget(cw.ConcreteWidget):
    """A widget whose JSON is already decided; the CDK only places it."""

    def __init__(self, rendered: dict[str, Any]) -> None:
        super().__init__(rendered["width"], rendered["height"])
        self._rendered = rendered
        self._place = (0.0, 0.0)

    @jsii.member(jsii_name="position")
    def position(self, x: float, y: float) -> None:
        """Remember where the dashboard puts it."""
        self._place = (x, y)

    @jsii.member(jsii_name="toJson")
    def to_json(self) -> list[Any]:
        """Return the one widget at its place."""
        x, y = self._place
        return [self._rendered | {"x": x, "y": y}]


class BedrockSegment(Monitoring):
    """Alarms and widgets of one model inside a `MonitoringFacade`.

    Args:
        scope: The facade.
        plan: The model, as `monitoring.plan.plan` gives it.
        name_prefix: Part of alarm names after the facade's own prefix; default the model's key.
    """

    def __init__(self, scope: MonitoringScope, *, plan: ModelPlan, name_prefix: str | None = None) -> None:
        super().__init__(scope)
        self._factory = self.create_alarm_factory(name_prefix or plan.model.key)
        self._names: dict[str, str] = {}
        self._made: dict[str, cw.AlarmBase] = {}
        self._add_alarms(plan.alarms)
        self._rendered = _widgets(plan.page.body, names=self._names) if plan.page else []

    @jsii.member(jsii_name="widgets")
    def widgets(self) -> list[cw.IWidget]:
        """Return every widget of the model's page, for the detail dashboard."""
        return [_RenderedWidget(widget) for widget in self._rendered]

    @jsii.member(jsii_name="summaryWidgets")
    def summary_widgets(self) -> list[cw.IWidget]:
        """Return the status of the model's causes, for the summary dashboard."""
        return [_RenderedWidget(widget) for widget in self._rendered if widget["type"] in _SUMMARY_KINDS]

    @jsii.member(jsii_name="alarmWidgets")
    def alarm_widgets(self) -> list[cw.IWidget]:
        """Return one status widget with every alarm of the model, for the alarm dashboard."""
        alarms = list(self._made.values())
        return [cw.AlarmStatusWidget(alarms=alarms, width=24, height=4)] if alarms else []

    def _add_alarms(self, entries: AlarmSet) -> None:
        for entry in entries:
            self._names[entry.alarm.name] = self._name(entry)
            if isinstance(entry.alarm, MetricAlarm):
                self._made[entry.alarm.name] = self._add_metric_alarm(entry, entry.alarm)
            else:
                self._made[entry.alarm.name] = self._add_composite(entry, entry.alarm)

    def _name(self, entry: AlarmEntry) -> str:
        naming = self._factory._alarm_naming_strategy  # noqa: SLF001 - what the library calls protected is for subclasses
        return naming.get_name(alarm_name_suffix=entry.slug, disambiguator=entry.severity)

    def _add_metric_alarm(self, entry: AlarmEntry, alarm: MetricAlarm) -> cw.AlarmBase:
        if alarm.threshold is None:
            raise InvalidValueError(f"{alarm.name}: a facade takes alarms with a number as threshold, not a band")
        added = self._factory.add_alarm(
            _metric(alarm.queries, alarm.returned),
            alarm_name_suffix=entry.slug,
            disambiguator=entry.severity,
            alarm_description=alarm.description,
            threshold=alarm.threshold,
            comparison_operator=cw.ComparisonOperator[_OPERATORS[alarm.comparison.value]],
            evaluation_periods=alarm.evaluation_periods,
            datapoints_to_alarm=alarm.datapoints_to_alarm,
            treat_missing_data=cw.TreatMissingData[_MISSING[alarm.treat_missing_data.value]],
            evaluate_low_sample_count_percentile=alarm.low_sample_count is not LowSampleCount.IGNORE,
            action_override=NoopAlarmActionStrategy() if entry.role is Role.SYMPTOM else None,
        )
        return added.alarm

    def _add_composite(self, entry: AlarmEntry, alarm: CompositeAlarm) -> cw.AlarmBase:
        factory = self._factory
        suppressor = alarm.suppressor
        composite = cw.CompositeAlarm(
            factory._alarm_scope,  # noqa: SLF001 - as above
            self._names[alarm.name],
            composite_alarm_name=self._names[alarm.name],
            alarm_description=alarm.description,
            alarm_rule=cw.AlarmRule.from_string(renamed_rule(alarm.rule, names=self._names)),
            actions_enabled=factory._determine_actions_enabled(None, entry.severity),  # noqa: SLF001 - as above
            actions_suppressor=self._made.get(referenced_name(suppressor.alarm)) if suppressor else None,
            actions_suppressor_wait_period=Duration.seconds(suppressor.wait_s) if suppressor else None,
            actions_suppressor_extension_period=Duration.seconds(suppressor.extension_s) if suppressor else None,
        )
        for child in children(parse_rule(alarm.rule)):
            if referenced_name(child) in self._made:
                composite.node.add_dependency(self._made[referenced_name(child)])
        if entry.role is Role.CAUSE:
            action = factory._determine_action(entry.severity)  # noqa: SLF001 - as above
            action.add_alarm_actions(
                alarm=composite, action=action, disambiguator=entry.severity, custom_tags=[], custom_params={}
            )
        return composite


_OPERATORS = {
    "GreaterThanOrEqualToThreshold": "GREATER_THAN_OR_EQUAL_TO_THRESHOLD",
    "GreaterThanThreshold": "GREATER_THAN_THRESHOLD",
    "LessThanThreshold": "LESS_THAN_THRESHOLD",
    "LessThanOrEqualToThreshold": "LESS_THAN_OR_EQUAL_TO_THRESHOLD",
    "LessThanLowerOrGreaterThanUpperThreshold": "LESS_THAN_LOWER_OR_GREATER_THAN_UPPER_THRESHOLD",
    "LessThanLowerThreshold": "LESS_THAN_LOWER_THRESHOLD",
    "GreaterThanUpperThreshold": "GREATER_THAN_UPPER_THRESHOLD",
}
_MISSING = {"missing": "MISSING", "ignore": "IGNORE", "breaching": "BREACHING", "notBreaching": "NOT_BREACHING"}


def _metric(queries: tuple[Query, ...], wanted: Query) -> cw.Metric | cw.MathExpression:
    """Return the CDK's own tree of metrics for the result of a flat list of queries."""
    if isinstance(wanted, MetricQuery):
        return _plain(wanted)
    return _math(queries, wanted)


def _plain(query: MetricQuery) -> cw.Metric:
    return cw.Metric(
        namespace=query.metric.namespace,
        metric_name=query.metric.name,
        dimensions_map=dict(query.metric.dimensions),
        account=query.metric.account_id,
        region=query.metric.region,
        statistic=query.stat,
        period=Duration.seconds(query.period_s),
        label=query.label,
    )


def _math(queries: tuple[Query, ...], wanted: ExpressionQuery) -> cw.MathExpression:
    period_s = next(query.period_s for query in queries if isinstance(query, MetricQuery))
    inputs: dict[str, cw.IMetric] = {
        query.id: _metric(queries, query)
        for query in queries
        if query is not wanted and _mentions(wanted.expression, query.id)
    }
    return cw.MathExpression(
        expression=wanted.expression, using_metrics=inputs, period=Duration.seconds(period_s), label=wanted.label
    )


def _mentions(expression: str, query_id: str) -> bool:
    words = "".join(letter if letter.isalnum() or letter == "_" else " " for letter in expression).split()
    return query_id in words


def _widgets(body: DashboardBody, *, names: Mapping[str, str]) -> list[dict[str, Any]]:
    rendered: list[dict[str, Any]] = renamed_references(render(body), names=names)["widgets"]
    return rendered
