"""What can a dashboard say? A dashboard body as values.

One dataclass for each structure of "Dashboard body structure and syntax" (CloudWatch API reference), plus the properties that
the CDK emits and CloudWatch takes. A field at its default (None or empty) is absent from the JSON, and AWS's own default
applies. Values hold the shape and not the limits: a foreign body that breaks a limit can still be read, drawn and compared, and
`cloudwatch.dashboard.validate` is the one place that says what PutDashboard would refuse.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from cloudwatch.metric import Metric

__all__ = [
    "AlarmWidget",
    "Annotations",
    "AxisSide",
    "Content",
    "CustomWidget",
    "DashboardBody",
    "ExplorerAggregate",
    "ExplorerLabel",
    "ExplorerMetric",
    "ExplorerOptions",
    "ExplorerWidget",
    "ExpressionRow",
    "HorizontalAnnotation",
    "HorizontalBand",
    "LogWidget",
    "MetricRow",
    "MetricWidget",
    "OpaqueWidget",
    "Row",
    "TableOptions",
    "TextWidget",
    "UpdateOn",
    "Variable",
    "VariableValue",
    "VerticalAnnotation",
    "VerticalBand",
    "View",
    "Widget",
    "YAxes",
    "YAxis",
]

AxisSide = Literal["left", "right"]
View = Literal["timeSeries", "singleValue", "gauge", "bar", "pie", "table"]
LogView = Literal["table", "timeSeries", "bar", "pie"]
LegendPosition = Literal["right", "bottom", "hidden"]
HorizontalFill = Literal["above", "below", "none"]
VerticalFill = Literal["before", "after", "none"]
Summary = Literal["MIN", "MAX", "SUM", "AVG"]
Aggregate = Literal["AVG", "MIN", "MAX", "STDDEV", "SUM"]
AlarmSort = Literal["default", "stateUpdatedTimestamp", "timestamp"]
StateName = Literal["OK", "ALARM", "INSUFFICIENT_DATA"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRow:
    """One metric in a metric widget.

    Attributes:
        metric: What is drawn; its Region and account become the row's own.
        id: Name for expressions of the same widget.
        label: Legend text, may hold `${LAST}`-style values.
        color: `#rrggbb`.
        stat: Statistic, or None for the widget's.
        period_s: Seconds, or None for the widget's.
        y_axis: Axis it is drawn on.
        visible: False hides it and keeps it for expressions.
    """

    metric: Metric
    id: str | None = None
    label: str | None = None
    color: str | None = None
    stat: str | None = None
    period_s: int | None = None
    y_axis: AxisSide | None = None
    visible: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressionRow:
    """A metric math, SEARCH or Metrics Insights expression in a metric widget; see `MetricRow`."""

    expression: str
    id: str | None = None
    label: str | None = None
    color: str | None = None
    stat: str | None = None
    period_s: int | None = None
    y_axis: AxisSide | None = None
    visible: bool | None = None
    region: str | None = None
    account_id: str | None = None


Row = MetricRow | ExpressionRow


@dataclass(frozen=True, slots=True, kw_only=True)
class HorizontalAnnotation:
    """A line at a value. `fill` shades above or below it."""

    value: float
    label: str | None = None
    color: str | None = None
    fill: HorizontalFill | None = None
    visible: bool | None = None
    y_axis: AxisSide | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HorizontalBand:
    """A band between two values, written as a pair."""

    first: HorizontalAnnotation
    second: HorizontalAnnotation


@dataclass(frozen=True, slots=True, kw_only=True)
class VerticalAnnotation:
    """A line at a time. `at` is ISO 8601; `fill` shades before or after it."""

    at: str
    label: str | None = None
    color: str | None = None
    fill: VerticalFill | None = None
    visible: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerticalBand:
    """A band between two times, written as a pair."""

    first: VerticalAnnotation
    second: VerticalAnnotation


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotations:
    """Lines over a graph, or (alone) the ARN of one alarm whose metric and threshold are drawn."""

    horizontal: tuple[HorizontalAnnotation | HorizontalBand, ...] = ()
    vertical: tuple[VerticalAnnotation | VerticalBand, ...] = ()
    alarms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class YAxis:
    """One y axis. `show_units` False drops the unit next to the label."""

    label: str | None = None
    min: float | None = None
    max: float | None = None
    show_units: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class YAxes:
    """The two y axes of a widget."""

    left: YAxis | None = None
    right: YAxis | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOptions:
    """How view `table` is laid out."""

    layout: Literal["horizontal", "vertical"] | None = None
    sticky_summary: bool | None = None
    show_time_series_data: bool | None = None
    summary_columns: tuple[Summary, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricWidget:
    """A graph, number, gauge or table of metrics, or of one alarm through `annotations.alarms`.

    Attributes:
        region: Region of the metrics; required by AWS, None only in a foreign body that lacks it.
        metrics: Up to 500 rows; empty when an alarm is drawn.
        account_id: Account of the metrics in a monitoring account.
        period_s: Seconds, a multiple of 60; AWS's default is 300.
        stat: Statistic of rows without their own; AWS's default is Average.
        view: AWS's default is `timeSeries`.
        stacked: Stack the lines of a time series.
        sparkline: Line under the number of a `singleValue`.
        legend_position, live_data, timezone (`+0130`), title, y_axis, table, annotations: As AWS names them.
        pie_labels: `labels.visible` of a pie.
        set_period_to_time_range, full_precision, start, end: Emitted by the CDK.
    """

    region: str | None = None
    metrics: tuple[Row, ...] = ()
    title: str | None = None
    view: View | None = None
    stat: str | None = None
    period_s: int | None = None
    account_id: str | None = None
    stacked: bool | None = None
    sparkline: bool | None = None
    legend_position: LegendPosition | None = None
    live_data: bool | None = None
    timezone: str | None = None
    y_axis: YAxes = field(default_factory=YAxes)
    table: TableOptions = field(default_factory=TableOptions)
    annotations: Annotations = field(default_factory=Annotations)
    pie_labels: bool | None = None
    set_period_to_time_range: bool | None = None
    full_precision: bool | None = None
    start: str | None = None
    end: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextWidget:
    """Markdown."""

    markdown: str
    background: Literal["solid", "transparent"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogWidget:
    """A CloudWatch Logs Insights query, `SOURCE 'group' | fields ...`."""

    query: str
    region: str | None = None
    title: str | None = None
    view: LogView | None = None
    stacked: bool | None = None
    account_id: str | None = None
    query_language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmWidget:
    """The states of up to 100 alarms, named by ARN; `states` shows only alarms in these states."""

    alarms: tuple[str, ...]
    title: str | None = None
    sort_by: AlarmSort | None = None
    states: tuple[StateName, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplorerMetric:
    """A metric of a resource type in an explorer widget."""

    metric_name: str
    resource_type: str
    stat: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplorerLabel:
    """A tag that resources of an explorer widget carry."""

    key: str
    value: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplorerAggregate:
    """How an explorer widget joins metrics: by tag key, with a function."""

    key: str
    func: Aggregate


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplorerOptions:
    """How the graphs of an explorer widget look."""

    legend_position: LegendPosition | None = None
    view: View | None = None
    stacked: bool | None = None
    rows_per_page: int | None = None
    widgets_per_row: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplorerWidget:
    """Metrics of every resource that carries a tag."""

    metrics: tuple[ExplorerMetric, ...]
    labels: tuple[ExplorerLabel, ...] = ()
    aggregate_by: ExplorerAggregate | None = None
    split_by: str | None = None
    title: str | None = None
    period_s: int | None = None
    region: str | None = None
    account_id: str | None = None
    options: ExplorerOptions = field(default_factory=ExplorerOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateOn:
    """What makes a custom widget call its function again."""

    refresh: bool | None = None
    resize: bool | None = None
    time_range: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomWidget:
    """What a Lambda function returns. `params_json` is the JSON that the function gets, or None."""

    endpoint: str
    title: str | None = None
    params_json: str | None = None
    update_on: UpdateOn = field(default_factory=UpdateOn)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpaqueWidget:
    """A widget kept as it is: `chart` (PromQL and SQL), and types this package does not know.

    Attributes:
        type: The type as written.
        properties_json: Its properties, compact JSON with sorted keys.
    """

    type: str
    properties_json: str = "{}"


Content = MetricWidget | TextWidget | LogWidget | AlarmWidget | ExplorerWidget | CustomWidget | OpaqueWidget


@dataclass(frozen=True, slots=True, kw_only=True)
class Widget:
    """A widget on the grid of 24 columns. x and y come together; without them CloudWatch flows the widget in."""

    content: Content
    x: int | None = None
    y: int | None = None
    width: int = 6
    height: int = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableValue:
    """One choice of a variable."""

    value: str
    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A control at the top that changes a property, or replaces a pattern, in every widget.

    Attributes:
        id: Up to 32 of `0-9A-Za-z-_`.
        type: `property` or `pattern`.
        property: Name of the property (`region`, `ModelId`) of type `property`.
        pattern: Text that is replaced, of type `pattern`.
        input_type: `input`, `select` or `radio`.
        label: Up to 30 characters.
        default_value: A value, or `__FIRST` with a search.
        visible: Whether it is shown.
        search: Search expression that fills the choices, up to 2,048 characters.
        populate_from: The dimension or property whose values the search offers.
        values: Fixed choices, 1 to 500.
    """

    id: str
    type: Literal["property", "pattern"]
    input_type: Literal["input", "select", "radio"]
    property: str | None = None
    pattern: str | None = None
    label: str | None = None
    default_value: str | None = None
    visible: bool | None = None
    search: str | None = None
    populate_from: str | None = None
    values: tuple[VariableValue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DashboardBody:
    """A whole body.

    Attributes:
        widgets: In drawing order.
        variables: Controls at the top.
        start: Relative (`-P7D`, `-PT8H`) or ISO 8601.
        end: ISO 8601; needs `start`.
        period_override: `auto` or `inherit`.
    """

    widgets: tuple[Widget, ...] = ()
    variables: tuple[Variable, ...] = ()
    start: str | None = None
    end: str | None = None
    period_override: Literal["auto", "inherit"] | None = None
