"""What PutDashboard would refuse: one good body, and one thing broken in each case."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from cloudwatch.dashboard.validate import refusal, validate_body
from cloudwatch.dashboard.values import DashboardBody, TextWidget, Widget
from cloudwatch.problems import ProblemSeverity

ALARM = "arn:aws:cloudwatch:us-east-1:111122223333:alarm:slow"
GOOD: dict[str, Any] = {
    "start": "-PT8H",
    "periodOverride": "inherit",
    "variables": [
        {
            "type": "property",
            "property": "ModelId",
            "inputType": "select",
            "id": "model",
            "label": "Model",
            "values": [{"value": "a", "label": "A"}],
            "defaultValue": "a",
            "visible": True,
        }
    ],
    "widgets": [
        {
            "type": "metric",
            "x": 0,
            "y": 0,
            "width": 12,
            "height": 6,
            "properties": {
                "region": "us-east-1",
                "title": "Calls",
                "view": "timeSeries",
                "period": 60,
                "stat": "Sum",
                "timezone": "+0130",
                "legend": {"position": "bottom"},
                "yAxis": {"left": {"min": 0, "max": 10, "label": "calls", "showUnits": False}},
                "metrics": [
                    ["AWS/Bedrock", "Invocations", "ModelId", "a", {"id": "m1", "color": "#0072b2", "visible": False}],
                    [{"expression": "m1/60", "id": "e1", "label": "per second"}],
                ],
                "annotations": {"horizontal": [{"value": 5, "color": "#d55e00", "fill": "above"}]},
            },
        },
        {
            "type": "text",
            "x": 12,
            "y": 0,
            "width": 12,
            "height": 6,
            "properties": {"markdown": "# Hi", "background": "transparent"},
        },
        {
            "type": "log",
            "properties": {"region": "us-east-1", "query": "SOURCE 'g' | fields @message", "view": "table"},
        },
        {"type": "alarm", "properties": {"alarms": [ALARM], "sortBy": "stateUpdatedTimestamp", "states": ["ALARM"]}},
        {
            "type": "explorer",
            "properties": {
                "metrics": [{"metricName": "CPU", "resourceType": "AWS::EC2::Instance", "stat": "Average"}],
                "labels": [{"key": "team", "value": "chat"}],
                "aggregateBy": {"key": "team", "func": "AVG"},
                "widgetOptions": {"legend": {"position": "bottom"}, "view": "timeSeries", "widgetsPerRow": 2},
            },
        },
        {
            "type": "custom",
            "properties": {
                "endpoint": "arn:aws:lambda:us-east-1:111122223333:function:f",
                "params": {"a": [1]},
                "updateOn": {"refresh": True},
            },
        },
        {"type": "chart", "properties": {"data": {"queries": []}}},
        {"type": "metric", "properties": {"annotations": {"alarms": [ALARM]}, "title": "Slow"}},
    ],
}


def test_the_good_body_is_good() -> None:
    """Every widget type and most properties, without an error or a warning."""
    assert validate_body(GOOD, "llm-prod_1") == ()
    assert refusal(()) is None


REMOVED = object()
BROKEN = [
    ("widgets are missing", "/widgets", REMOVED, "", "Should have required property 'widgets'"),
    ("widgets are an object", "/widgets", {}, "/widgets", "Should be array"),
    ("a start without -P", "/start", "yesterday", "/start", "Invalid start time"),
    ("a start of nothing", "/start", "-PT", "/start", "Invalid start time"),
    (
        "an end after a relative start",
        "/end",
        "2026-11-02T00:00:00Z",
        "/start",
        "With an end, start has to be an absolute time",
    ),
    (
        "a period override of our own",
        "/periodOverride",
        "no",
        "/periodOverride",
        "Should be equal to one of the allowed values",
    ),
    (
        "a type nobody knows",
        "/widgets/1/type",
        "graph",
        "/widgets/1/type",
        "Should be equal to one of the allowed values",
    ),
    ("a type is missing", "/widgets/1/type", REMOVED, "/widgets/1", "Should have required property 'type'"),
    (
        "properties are missing",
        "/widgets/1/properties",
        REMOVED,
        "/widgets/1",
        "Should have required property 'properties'",
    ),
    ("x without y", "/widgets/0/y", REMOVED, "/widgets/0", "Should have property y when property x is present"),
    ("x outside the grid", "/widgets/0/x", 24, "/widgets/0/x", "Should be <= 23"),
    ("a negative y", "/widgets/0/y", -1, "/widgets/0/y", "Should be >= 0"),
    ("no width", "/widgets/0/width", 0, "/widgets/0/width", "Should be >= 1"),
    ("a height over a thousand", "/widgets/0/height", 1001, "/widgets/0/height", "Should be <= 1000"),
    ("half a column", "/widgets/0/width", 1.5, "/widgets/0/width", "Should be integer"),
    (
        "a graph without Region",
        "/widgets/0/properties/region",
        REMOVED,
        "/widgets/0/properties",
        "The metric widget should have specified a region and a data source or an alarm annotation",
    ),
    (
        "a period that is no minute",
        "/widgets/0/properties/period",
        90,
        "/widgets/0/properties/period",
        "Should be multiple of 60",
    ),
    (
        "a view nobody knows",
        "/widgets/0/properties/view",
        "heatmap",
        "/widgets/0/properties/view",
        "Should be equal to one of the allowed values",
    ),
    (
        "a timezone by name",
        "/widgets/0/properties/timezone",
        "UTC",
        "/widgets/0/properties/timezone",
        "Should match pattern '^[+-][0-9]{4}$'",
    ),
    (
        "a named line colour",
        "/widgets/0/properties/annotations/horizontal/0/color",
        "red",
        "/widgets/0/properties/annotations/horizontal/0/color",
        "Should match pattern '^#[0-9A-Fa-f]{6}$'",
    ),
    (
        "a line without a value",
        "/widgets/0/properties/annotations/horizontal/0/value",
        REMOVED,
        "/widgets/0/properties/annotations/horizontal/0",
        "Should have required property 'value'",
    ),
    (
        "a band of three",
        "/widgets/0/properties/annotations/horizontal/0",
        [{"value": 1}] * 3,
        "/widgets/0/properties/annotations/horizontal/0",
        "Should NOT have more than 2 items",
    ),
    (
        "a named metric colour",
        "/widgets/0/properties/metrics/0/4/color",
        "red",
        "/widgets/0/properties/metrics/0",
        "Should NOT have more than 4 items",
    ),
    (
        "an id in capitals",
        "/widgets/0/properties/metrics/0/4/id",
        "M1",
        "/widgets/0/properties/metrics/0/4/id",
        'Invalid metric id "M1"',
    ),
    (
        "an id twice",
        "/widgets/0/properties/metrics/1/0/id",
        "m1",
        "/widgets/0/properties/metrics/1/0/id",
        'The metric id "m1" is used more than once',
    ),
    (
        "a row period of 7 s",
        "/widgets/0/properties/metrics/0/4/period",
        7,
        "/widgets/0/properties/metrics/0/4/period",
        "Should be multiple of 60",
    ),
    (
        "an empty expression",
        "/widgets/0/properties/metrics/1/0/expression",
        " ",
        "/widgets/0/properties/metrics/1/0/expression",
        "Should NOT be shorter than 1 characters",
    ),
    (
        "a search that is too long",
        "/widgets/0/properties/metrics/1/0/expression",
        f"SEARCH('{'a' * 1025}', 'Sum')",
        "/widgets/0/properties/metrics/1/0/expression",
        "The search has 1025 characters, CloudWatch takes 1024",
    ),
    (
        "markdown is missing",
        "/widgets/1/properties/markdown",
        REMOVED,
        "/widgets/1/properties",
        "Should have required property 'markdown'",
    ),
    (
        "a blue background",
        "/widgets/1/properties/background",
        "blue",
        "/widgets/1/properties/background",
        "Should be equal to one of the allowed values",
    ),
    (
        "a query is missing",
        "/widgets/2/properties/query",
        REMOVED,
        "/widgets/2/properties",
        "Should have required property 'query'",
    ),
    (
        "a log widget as a gauge",
        "/widgets/2/properties/view",
        "gauge",
        "/widgets/2/properties/view",
        "Should be equal to one of the allowed values",
    ),
    (
        "no alarm",
        "/widgets/3/properties/alarms",
        [],
        "/widgets/3/properties/alarms",
        "Should NOT have less than 1 items",
    ),
    (
        "an alarm by name",
        "/widgets/3/properties/alarms/0",
        "slow",
        "/widgets/3/properties/alarms/0",
        "Should be an alarm ARN",
    ),
    (
        "a state nobody knows",
        "/widgets/3/properties/states/0",
        "RED",
        "/widgets/3/properties/states/0",
        "Should be equal to one of the allowed values",
    ),
    (
        "no explorer metric",
        "/widgets/4/properties/metrics",
        [],
        "/widgets/4/properties/metrics",
        "Should NOT have less than 1 items",
    ),
    (
        "a median over resources",
        "/widgets/4/properties/aggregateBy/func",
        "P50",
        "/widgets/4/properties/aggregateBy/func",
        "Should be equal to one of the allowed values",
    ),
    (
        "a custom widget without a function",
        "/widgets/5/properties/endpoint",
        REMOVED,
        "/widgets/5/properties",
        "Should have required property 'endpoint'",
    ),
    (
        "two alarms in a graph",
        "/widgets/7/properties/annotations/alarms",
        [ALARM, ALARM],
        "/widgets/7/properties/annotations/alarms",
        "Should NOT have more than 1 items",
    ),
    (
        "an alarm and a line",
        "/widgets/7/properties/annotations/horizontal",
        [],
        "/widgets/7/properties/annotations/alarms",
        "An alarm annotation cannot be used together with horizontal",
    ),
    (
        "a variable without what it changes",
        "/variables/0/property",
        REMOVED,
        "/variables/0",
        "Should have required property 'property'",
    ),
    (
        "a variable id with a space",
        "/variables/0/id",
        "a b",
        "/variables/0/id",
        "Should match pattern '^[0-9A-Za-z-_]+$'",
    ),
    (
        "a variable label of 31",
        "/variables/0/label",
        "x" * 31,
        "/variables/0/label",
        "Should NOT be longer than 30 characters",
    ),
    (
        "a select without choices",
        "/variables/0/values",
        REMOVED,
        "/variables/0",
        "Should have required property 'values'",
    ),
    ("no choice", "/variables/0/values", [], "/variables/0/values", "Should NOT have less than 1 items"),
    (
        "a choice of 256 characters",
        "/variables/0/values/0/value",
        "x" * 256,
        "/variables/0/values/0/value",
        "Should NOT be longer than 255 characters",
    ),
    (
        "the first of no search",
        "/variables/0/defaultValue",
        "__FIRST",
        "/variables/0/defaultValue",
        '"__FIRST" needs a search',
    ),
    (
        "a search for nothing",
        "/variables/0/search",
        "{AWS/Bedrock,ModelId}",
        "/variables/0",
        "Should have property populateFrom when property search is present",
    ),
]


def broken(pointer: str, value: Any) -> dict[str, Any]:
    """Return the good body with one thing changed or removed."""
    body = copy.deepcopy(GOOD)
    node: Any = body
    *way, last = pointer.split("/")[1:]
    for key in way:
        node = node[int(key)] if isinstance(node, list) else node[key]
    if isinstance(node, list):
        node[int(last)] = value
    elif value is REMOVED:
        del node[last]
    else:
        node[last] = value
    return body


@pytest.mark.parametrize(
    ("pointer", "value", "path", "message"), [pytest.param(*case[1:], id=case[0]) for case in BROKEN]
)
def test_one_broken_thing_is_one_error_at_its_place(pointer: str, value: Any, path: str, message: str) -> None:
    """Each fault gives exactly the error named, at the JSON pointer named."""
    errors = [
        (problem.place.path, problem.message)
        for problem in validate_body(broken(pointer, value))
        if problem.severity is ProblemSeverity.ERROR
    ]
    assert errors == [(path, message)]


def places(node: Any, path: str = "") -> list[str]:
    """Return the pointer of everything inside a document."""
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [place for key, value in inner for place in (f"{path}/{key}", *places(value, f"{path}/{key}"))]


JUNK = [None, True, 0, -1, 1.5, 10**400, float("nan"), "", "x", [], [[]], [{}], {}, {"a": 1}, ["N", "M"], [None, None]]


@pytest.mark.parametrize("junk", JUNK, ids=[repr(junk)[:12] for junk in JUNK])
def test_no_junk_anywhere_breaks_the_validator(junk: Any) -> None:
    """Whatever stands at any place of the good body, problems come back and nothing is raised."""
    for place in places(GOOD):
        for problem in validate_body(broken(place, junk)):
            assert problem.place.path.startswith("/") or problem.place.path == ""


def test_a_graph_of_nothing_is_refused_in_the_words_of_cloudwatch() -> None:
    """A metric widget without metrics and alarm gives the three errors that CloudWatch gives."""
    problems = validate_body({"widgets": [{"type": "metric", "properties": {"region": "us-east-1"}}]})
    assert [(problem.place.path, problem.message) for problem in problems] == [
        ("/widgets/0/properties", "Should have required property 'metrics'"),
        (
            "/widgets/0/properties",
            "The metric widget should have specified a region and a data source or an alarm annotation",
        ),
        ("/widgets/0/properties", "Should have required property 'annotations'"),
    ]


def test_flattened_metrics_are_refused_item_by_item() -> None:
    """One list of texts instead of a list of rows: two errors for each text, as CloudWatch gives."""
    problems = validate_body(
        {"widgets": [{"type": "metric", "properties": {"region": "r", "metrics": ["AWS/Bedrock", "Invocations"]}}]}
    )
    assert [problem.place.path.rsplit("/", 1)[1] for problem in problems] == ["0", "0", "1", "1"]
    assert problems[0].message == "Should be array"
    assert problems[1].message.startswith('Field "metrics" has to be an array of array of strings')


def test_a_gauge_needs_its_ends() -> None:
    """A gauge without yAxis.left.min and max is refused, with both it is taken."""
    gauge = broken("/widgets/0/properties/view", "gauge")
    assert not [p for p in validate_body(gauge) if p.severity is ProblemSeverity.ERROR]
    del gauge["widgets"][0]["properties"]["yAxis"]["left"]["max"]
    assert [p.message for p in validate_body(gauge)] == ["Should have required property 'max'"]


def test_one_insights_query_at_most() -> None:
    """Two Metrics Insights queries in one metrics array are refused, one is not."""
    body = broken("/widgets/0/properties/metrics/1", [{"expression": "SELECT SUM(x) FROM y"}])
    assert validate_body(body) == ()
    body["widgets"][0]["properties"]["metrics"].append([{"expression": "SELECT SUM(z) FROM y"}])
    assert [problem.place.path for problem in validate_body(body)] == ["/widgets/0/properties/metrics"]


WARNED = [
    ("a sparkline on a graph", "/widgets/0/properties/sparkline", True, ["no-effect"]),
    (
        "a stacked table",
        "/widgets/0/properties",
        GOOD["widgets"][0]["properties"] | {"view": "table", "stacked": True},
        ["no-effect"],
    ),
    ("table options on a graph", "/widgets/0/properties/table", {"layout": "vertical"}, ["no-effect"]),
    (
        "a sparkline of one point",
        "/widgets/0/properties",
        GOOD["widgets"][0]["properties"] | {"view": "singleValue", "sparkline": True, "setPeriodToTimeRange": True},
        ["sparkline-without-points"],
    ),
    ("an axis upside down", "/widgets/0/properties/yAxis/left/max", -1, ["empty-axis-range"]),
    (
        "an expression over an id that no row has",
        "/widgets/0/properties/metrics/1/0/expression",
        "IF(m1 > 0, m2, e1) + SUM(METRICS('m9'))",
        ["unknown-metric-id"],
    ),
    ("a widget over another", "/widgets/1/x", 6, ["widgets-overlap"]),
    ("a widget past the edge", "/widgets/1/x", 13, ["outside-grid"]),
    ("a log query of no group", "/widgets/2/properties/query", "fields @message", ["log-query-without-source"]),
    ("a property nobody knows", "/widgets/0/properties/colour", "red", ["unknown-dashboard-property"]),
]


@pytest.mark.parametrize(("pointer", "value", "codes"), [pytest.param(*case[1:], id=case[0]) for case in WARNED])
def test_what_is_legal_and_odd_is_a_warning(pointer: str, value: Any, codes: list[str]) -> None:
    """Lint never refuses: AWS takes these bodies."""
    problems = validate_body(broken(pointer, value))
    assert [problem.code for problem in problems] == codes
    assert all(problem.severity is ProblemSeverity.WARNING for problem in problems)
    assert refusal(problems) is None


def test_many_metric_rows_are_a_warning() -> None:
    """The cap of 2,500 metrics is on no current AWS page, so it only warns."""
    graph = {"type": "metric", "properties": {"region": "r", "metrics": [["N", "M"]] * 500}}
    assert validate_body({"widgets": [graph] * 5}) == ()
    assert [p.code for p in validate_body({"widgets": [graph] * 5 + [GOOD["widgets"][0]]})] == ["many-metrics"]


def test_a_long_name_is_refused() -> None:
    """256 characters are one too many."""
    assert validate_body({"widgets": []}, "a" * 255) == ()
    answer = refusal(validate_body({"widgets": []}, "a" * 256))
    assert answer is not None
    assert answer[0] == "InvalidParameterValue"


def test_the_answer_lists_paths_as_cloudwatch_does() -> None:
    """The refusal of a body is one text with a count and a list of dataPath and message."""
    answer = refusal(validate_body(broken("/start", "x")))
    assert answer is not None
    code, message = answer
    assert code == "InvalidParameterInput"
    head, _, listed = message.partition("\n")
    assert head == "The dashboard body is invalid, there are 1 validation errors:"
    assert json.loads(listed) == [{"dataPath": "/start", "message": "Invalid start time"}]


def test_a_value_is_validated_as_what_it_renders_to() -> None:
    """A body value needs no detour over JSON."""
    too_wide = DashboardBody(widgets=(Widget(content=TextWidget(markdown="x"), width=25),))
    assert [problem.place.path for problem in validate_body(too_wide)] == ["/widgets/0/width"]
