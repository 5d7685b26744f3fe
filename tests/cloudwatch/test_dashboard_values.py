"""Values of a dashboard body: writing and reading are one table, and foreign bodies are kept as far as they can be read."""

from __future__ import annotations

import json
import string
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloudwatch.dashboard import values
from cloudwatch.dashboard.queries import widget_queries
from cloudwatch.dashboard.reader import read_body
from cloudwatch.dashboard.render import render, to_json
from cloudwatch.dashboard.values import (
    AlarmWidget,
    Annotations,
    CustomWidget,
    DashboardBody,
    ExplorerAggregate,
    ExplorerLabel,
    ExplorerMetric,
    ExplorerOptions,
    ExplorerWidget,
    ExpressionRow,
    HorizontalAnnotation,
    HorizontalBand,
    LogWidget,
    MetricRow,
    MetricWidget,
    OpaqueWidget,
    TableOptions,
    TextWidget,
    UpdateOn,
    Variable,
    VariableValue,
    VerticalAnnotation,
    VerticalBand,
    Widget,
    YAxes,
    YAxis,
)
from cloudwatch.metric import ExpressionQuery, Metric, MetricQuery

TEXT = st.text(max_size=12)
NAME = st.text(alphabet=string.ascii_letters + string.digits + " .:/+-", min_size=1, max_size=10)
FLAG = st.none() | st.booleans()
NUMBER = st.floats(allow_nan=False, allow_infinity=False)
COLOR = st.none() | st.sampled_from(["#d55e00", "#0072B2"])
SIDE = st.none() | st.sampled_from(get_args(values.AxisSide))
PERIOD = st.none() | st.integers(1, 10_000)


def one_of(literal: Any) -> st.SearchStrategy[Any]:
    """Return None or one of the literal's strings."""
    return st.none() | st.sampled_from(get_args(literal))


def some(item: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    """Return up to two items as a tuple."""
    return st.lists(item, max_size=2).map(tuple)


METRIC = st.builds(
    Metric,
    namespace=NAME.filter(lambda text: text not in {".", "..."}),
    name=NAME.filter(lambda text: text not in {".", "..."}),
    dimensions=st.dictionaries(
        NAME.filter(lambda t: t not in {".", "..."}), NAME.filter(lambda t: t not in {".", "..."}), max_size=2
    ).map(lambda pairs: tuple(pairs.items())),
    region=st.none() | st.just("eu-west-1"),
    account_id=st.none() | st.just("111122223333"),
)
SHARED: dict[str, Any] = {
    "id": st.none() | st.just("m1"),
    "label": st.none() | TEXT,
    "color": COLOR,
    "stat": st.none() | st.sampled_from(["Sum", "p90", "TC(2000:)"]),
    "period_s": PERIOD,
    "y_axis": SIDE,
    "visible": FLAG,
}
ROW = st.builds(MetricRow, metric=METRIC, **SHARED) | st.builds(
    ExpressionRow, expression=TEXT, region=st.none() | TEXT, account_id=st.none() | TEXT, **SHARED
)
LINE = st.builds(
    HorizontalAnnotation,
    value=NUMBER,
    label=st.none() | TEXT,
    color=COLOR,
    fill=one_of(values.HorizontalFill),
    visible=FLAG,
    y_axis=SIDE,
)
TIME = st.builds(
    VerticalAnnotation, at=TEXT, label=st.none() | TEXT, color=COLOR, fill=one_of(values.VerticalFill), visible=FLAG
)
AXIS = st.none() | st.builds(
    YAxis, label=st.none() | TEXT, min=st.none() | NUMBER, max=st.none() | NUMBER, show_units=FLAG
)
METRIC_WIDGET = st.builds(
    MetricWidget,
    region=st.none() | TEXT,
    metrics=some(ROW),
    title=st.none() | TEXT,
    view=one_of(values.View),
    stat=st.none() | TEXT,
    period_s=PERIOD,
    account_id=st.none() | TEXT,
    stacked=FLAG,
    sparkline=FLAG,
    legend_position=one_of(values.LegendPosition),
    live_data=FLAG,
    timezone=st.none() | TEXT,
    y_axis=st.builds(YAxes, left=AXIS, right=AXIS),
    table=st.builds(
        TableOptions,
        layout=st.none() | st.sampled_from(["horizontal", "vertical"]),
        sticky_summary=FLAG,
        show_time_series_data=FLAG,
        summary_columns=some(st.sampled_from(get_args(values.Summary))),
    ),
    annotations=st.builds(
        Annotations,
        horizontal=some(LINE | st.builds(HorizontalBand, first=LINE, second=LINE)),
        vertical=some(TIME | st.builds(VerticalBand, first=TIME, second=TIME)),
        alarms=some(TEXT),
    ),
    pie_labels=FLAG,
    set_period_to_time_range=FLAG,
    full_precision=FLAG,
    start=st.none() | TEXT,
    end=st.none() | TEXT,
)
JSON_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
JSON_TEXT = JSON_VALUE.map(lambda value: json.dumps(value, sort_keys=True, separators=(",", ":")))
CONTENT = st.one_of(
    METRIC_WIDGET,
    st.builds(TextWidget, markdown=TEXT, background=st.none() | st.sampled_from(["solid", "transparent"])),
    st.builds(
        LogWidget,
        query=TEXT,
        region=TEXT,
        title=st.none() | TEXT,
        view=one_of(values.LogView),
        stacked=FLAG,
        account_id=st.none() | TEXT,
        query_language=st.none() | TEXT,
    ),
    st.builds(
        AlarmWidget,
        alarms=some(TEXT),
        title=st.none() | TEXT,
        sort_by=one_of(values.AlarmSort),
        states=some(st.sampled_from(get_args(values.StateName))),
    ),
    st.builds(
        ExplorerWidget,
        metrics=some(st.builds(ExplorerMetric, metric_name=TEXT, resource_type=TEXT, stat=TEXT)),
        labels=some(st.builds(ExplorerLabel, key=TEXT, value=st.none() | TEXT)),
        aggregate_by=st.none()
        | st.builds(ExplorerAggregate, key=TEXT, func=st.sampled_from(get_args(values.Aggregate))),
        split_by=st.none() | TEXT,
        title=st.none() | TEXT,
        period_s=PERIOD,
        region=st.none() | TEXT,
        account_id=st.none() | TEXT,
        options=st.builds(
            ExplorerOptions,
            legend_position=one_of(values.LegendPosition),
            view=one_of(values.View),
            stacked=FLAG,
            rows_per_page=PERIOD,
            widgets_per_row=PERIOD,
        ),
    ),
    st.builds(
        CustomWidget,
        endpoint=TEXT,
        title=st.none() | TEXT,
        params_json=st.none() | JSON_TEXT,
        update_on=st.builds(UpdateOn, refresh=FLAG, resize=FLAG, time_range=FLAG),
    ),
    st.builds(OpaqueWidget, type=st.just("chart"), properties_json=JSON_TEXT),
)
BODIES = st.builds(
    DashboardBody,
    widgets=some(
        st.builds(
            Widget,
            content=CONTENT,
            x=st.none() | st.integers(0, 23),
            y=st.none() | st.integers(0, 50),
            width=st.integers(1, 24),
            height=st.integers(1, 1000),
        )
    ),
    variables=some(
        st.builds(
            Variable,
            id=TEXT,
            type=st.sampled_from(["property", "pattern"]),
            input_type=st.sampled_from(["input", "select", "radio"]),
            property=st.none() | TEXT,
            pattern=st.none() | TEXT,
            label=st.none() | TEXT,
            default_value=st.none() | TEXT,
            visible=FLAG,
            search=st.none() | TEXT,
            populate_from=st.none() | TEXT,
            values=some(st.builds(VariableValue, value=TEXT, label=st.none() | TEXT)),
        )
    ),
    start=st.none() | TEXT,
    end=st.none() | TEXT,
    period_override=st.none() | st.sampled_from(["auto", "inherit"]),
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(body=BODIES, shorten=st.booleans())
def test_writing_and_reading_a_body_gives_the_body(body: DashboardBody, shorten: bool) -> None:
    """Values -> JSON -> values is the identity, with and without repeated texts shortened."""
    assert read_body(to_json(body, shorten=shorten)) == (body, ())


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    junk=JSON_VALUE, at=st.sampled_from(["body", "widget", "properties", "metrics", "row", "annotations", "variable"])
)
def test_the_reader_never_raises(junk: Any, at: str) -> None:
    """Whatever JSON stands in a body, reading gives a body and problems."""
    graph = {"type": "metric", "properties": {"region": "us-east-1", "metrics": []}}
    body: Any = {
        "body": junk,
        "widget": {"widgets": [junk]},
        "properties": {"widgets": [graph | {"properties": junk}]},
        "metrics": {"widgets": [graph | {"properties": {"region": "r", "metrics": junk}}]},
        "row": {"widgets": [graph | {"properties": {"region": "r", "metrics": [junk, ["N", "M", junk]]}}]},
        "annotations": {"widgets": [graph | {"properties": {"annotations": junk, "legend": junk}}]},
        "variable": {"widgets": [], "variables": [junk]},
    }[at]
    read, _ = read_body(body)
    assert isinstance(read, DashboardBody)


def rows(*metrics: Any) -> tuple[tuple[Any, ...], list[str]]:
    """Read metric rows; return them and the paths with problems."""
    widget = {"type": "metric", "properties": {"region": "us-east-1", "metrics": list(metrics)}}
    body, problems = read_body({"widgets": [widget]})
    content = body.widgets[0].content
    assert isinstance(content, MetricWidget)
    prefix = "/widgets/0/properties/metrics"
    return content.metrics, [problem.place.path.removeprefix(prefix) for problem in problems]


def test_a_dot_repeats_the_text_above() -> None:
    """`"."` stands for the text at the same place of the metric row above, over expression rows in between."""
    read, problems = rows(
        ["AWS/Bedrock", "Invocations", "ModelId", "a"], [{"expression": "m1*2"}], [".", "InvocationThrottles", ".", "b"]
    )
    assert problems == []
    assert read[2].metric == Metric(namespace="AWS/Bedrock", name="InvocationThrottles", dimensions=(("ModelId", "b"),))


def test_three_dots_repeat_all_but_the_rest() -> None:
    """`"..."` stands for as many texts as the row above has more than this one."""
    read, problems = rows(["N", "M", "D", "a"], ["...", "b", {"stat": "p90"}], ["..."])
    assert problems == []
    assert [row.metric.dimension("D") for row in read] == ["a", "b", "b"]
    assert read[1].stat == "p90"


def test_repetition_in_the_first_row_is_a_problem() -> None:
    """There is nothing above the first row; the row is left out and the next one is read."""
    read, problems = rows([".", "M"], ["N", "M"])
    assert problems == ["/0/0"]
    assert [row.metric.name for row in read] == ["M"]


@pytest.mark.parametrize(
    ("row", "paths"),
    [
        pytest.param(["N", "M", "D"], ["/0"], id="a dimension without its value"),
        pytest.param(["N"], ["/0"], id="a namespace alone"),
        pytest.param(["N", "M", {"D": "v"}, "x"], ["/0/2"], id="an object between texts"),
        pytest.param(["N", "M", {"color": "red"}], ["/0"], id="a named colour"),
        pytest.param(["N", "M", {"D": "v"}], ["/0"], id="dimensions as an object"),
        pytest.param("N", ["/0", "/0"], id="a text instead of an array"),
        pytest.param(["N", "M", "D", ""], ["/0"], id="an empty dimension value"),
    ],
)
def test_a_broken_row_is_reported_where_it_is(row: Any, paths: list[str]) -> None:
    """Each broken row has a problem at its place and the good row beside it is kept."""
    read, problems = rows(row, ["Good", "M"])
    assert problems == paths
    assert read[-1].metric.namespace == "Good"


def test_what_can_be_read_of_a_broken_body_is_kept() -> None:
    """A wrong type drops the property, a wrong widget the widget, and the rest stays."""
    body, problems = read_body(
        {
            "start": 5,
            "widgets": [
                {
                    "type": "metric",
                    "properties": {"region": "us-east-1", "title": 1, "metrics": [["N", "M"]], "view": "x"},
                },
                {"type": "text", "properties": {}},
                {"type": "mystery", "properties": {"a": 1}},
                {"type": "text", "properties": {"markdown": "# Hello", "colour": "red"}},
            ],
        }
    )
    assert [problem.place.path for problem in problems] == [
        "/start",
        "/widgets/0/properties/title",
        "/widgets/0/properties/view",
        "/widgets/1/properties",
        "/widgets/2/type",
        "/widgets/3/properties/colour",
    ]
    assert [type(widget.content).__name__ for widget in body.widgets] == ["MetricWidget", "OpaqueWidget", "TextWidget"]
    assert problems[-1].code == "unknown-dashboard-property"


def test_what_is_no_json_is_one_problem() -> None:
    """Broken text gives an empty body and says that it is no JSON."""
    body, problems = read_body("{")
    assert body == DashboardBody()
    assert [problem.code for problem in problems] == ["invalid-json"]


def test_the_text_is_compact_and_repeats_nothing() -> None:
    """JSON for CloudWatch has no spaces, shortens rows with dots, and keeps whole numbers whole."""
    row = Metric(namespace="AWS/Bedrock", name="Invocations", dimensions=(("ModelId", "m"),))
    widget = MetricWidget(
        region="us-east-1",
        metrics=(MetricRow(metric=row), MetricRow(metric=row, stat="Sum")),
        annotations=Annotations(horizontal=(HorizontalAnnotation(value=5.0),)),
    )
    text = to_json(DashboardBody(widgets=(Widget(content=widget, x=0, y=0),)))
    assert text == (
        '{"widgets":[{"type":"metric","x":0,"y":0,"width":6,"height":6,"properties":{"region":"us-east-1","metrics":'
        '[["AWS/Bedrock","Invocations","ModelId","m"],[".",".",".",".",{"stat":"Sum"}]],"annotations":{"horizontal":'
        '[{"value":5}]}}}]}'
    )


def test_an_empty_body_still_has_widgets() -> None:
    """AWS requires the widgets array even when there is none."""
    assert render(DashboardBody()) == {"widgets": []}


def test_rows_become_queries_with_what_the_widget_says() -> None:
    """A row takes statistic, period and Region from the widget where it says none; an id is made up where there is none."""
    metric = Metric(namespace="N", name="M")
    widget = MetricWidget(
        region="eu-west-1",
        stat="Sum",
        period_s=60,
        metrics=(
            MetricRow(metric=metric, id="row2", visible=False),
            ExpressionRow(expression="row2*2", label="twice"),
            MetricRow(metric=Metric(namespace="N", name="M", region="us-east-1"), stat="p90", period_s=300),
        ),
    )
    first, second, third = widget_queries(widget)
    assert first == MetricQuery(
        id="row2", metric=Metric(namespace="N", name="M", region="eu-west-1"), stat="Sum", period_s=60
    )
    assert second == ExpressionQuery(id="row2_", expression="row2*2", label="twice", return_data=True, period_s=60)
    assert isinstance(third, MetricQuery)
    assert (third.stat, third.period_s, third.metric.region, third.return_data) == ("p90", 300, "us-east-1", True)


def test_a_bare_row_is_an_average_over_five_minutes() -> None:
    """AWS's defaults where neither row nor widget says anything."""
    (query,) = widget_queries(MetricWidget(metrics=(MetricRow(metric=Metric(namespace="N", name="M")),)))
    assert isinstance(query, MetricQuery)
    assert (query.stat, query.period_s) == ("Average", 300)
