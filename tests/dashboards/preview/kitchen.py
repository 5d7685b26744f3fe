"""A body that uses everything a body can say, and a day of series made by hand to draw it from."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from cloudwatch.alarm import Comparison, CompositeAlarm, MetricAlarm, MissingData
from cloudwatch.dashboard.reader import read_body
from cloudwatch.metric import Metric, MetricQuery
from cloudwatch.series import Samples
from cloudwatch.store import MetricStore
from cloudwatch.timeline import run_timeline
from dashboards.preview.source import LogEvents, PreviewData
from dashboards.preview.timespan import Span

if TYPE_CHECKING:
    from cloudwatch.dashboard.values import DashboardBody

REGION, ACCOUNT = "us-east-1", "111122223333"
START_S = 1_793_577_600  # a midnight, UTC
MINUTES = 1440
SPAN = Span(start_s=START_S, end_s=START_S + 60 * MINUTES)
ARN = f"arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:"
MODELS = ("nova-pro", "sonnet", "haiku")


def metric(name: str, model: str, *, placed: bool = True) -> Metric:
    """Return a series of AWS/Bedrock; without a place it is what alarms read."""
    found = Metric(namespace="AWS/Bedrock", name=name, dimensions=(("ModelId", model),))
    return replace(found, region=REGION, account_id=ACCOUNT) if placed else found


def series() -> list[tuple[Metric, Samples]]:
    """Return calls, latencies and, from 08:00 to 09:00, throttles of three models."""
    rng = np.random.default_rng(1)
    minute = np.arange(MINUTES)
    times = START_S + 60 * minute
    pairs: list[tuple[Metric, Samples]] = []
    for place, model in enumerate(MODELS):
        calls = 20 * (place + 1) + minute % 30
        ones = np.ones(MINUTES)
        pairs.append(
            (
                metric("Invocations", model),
                Samples.of_sets(times, counts=calls.astype(float), sums=calls.astype(float), minima=ones, maxima=ones),
            )
        )
        latency = np.round(rng.lognormal(np.log(900 * (place + 1)), 0.2, MINUTES))
        latency[480:540] *= 4
        pairs.append((metric("InvocationLatency", model), Samples.of_values(times, latency)))
        pairs.append((metric("InvocationThrottles", model), Samples.of_values(times[480:540], np.full(60, 25.0))))
    return pairs


def alarms() -> tuple[MetricAlarm | CompositeAlarm, ...]:
    """Return a throttle alarm with an action, a latency alarm without, and a composite over both."""

    def one(name: str, metric_name: str, *, stat: str, threshold: float, actions: tuple[str, ...] = ()) -> MetricAlarm:
        query = MetricQuery(
            id="m", metric=metric(metric_name, "nova-pro", placed=False), stat=stat, period_s=60, return_data=True
        )
        return MetricAlarm(
            name=name,
            queries=(query,),
            comparison=Comparison.GREATER,
            threshold=threshold,
            evaluation_periods=5,
            datapoints_to_alarm=3,
            treat_missing_data=MissingData.NOT_BREACHING,
            alarm_actions=actions,
        )

    throttled = one(
        "app-throttled",
        "InvocationThrottles",
        stat="Sum",
        threshold=20,
        actions=(f"arn:aws:sns:{REGION}:{ACCOUNT}:on",),
    )
    slow = one("app-slow", "InvocationLatency", stat="p90", threshold=2500)
    return throttled, slow, CompositeAlarm(name="app-any", rule='ALARM("app-throttled") OR ALARM("app-slow")')


@cache
def data() -> PreviewData:
    """Return the day with its alarm states and fifty log events."""
    pairs = series()
    bare = MetricStore.of((replace(found, region=None, account_id=None), source) for found, source in pairs)
    timeline = run_timeline(alarms(), store=bare, start=SPAN.start_s, end=SPAN.end_s)
    events = [{"status": 500 + index % 3, "caller": f"role/{index % 4}"} for index in range(50)]
    return PreviewData(
        store=MetricStore.of(pairs),
        span=SPAN,
        home=(ACCOUNT, REGION),
        timeline=timeline,
        kinds={"app-throttled": "page"},
        logs={"/app": LogEvents(records=events, arrived_s=[START_S + 600 * index for index in range(50)])},
        about="A day made by hand.",
    )


def row(name: str, model: str = "nova-pro", **options: Any) -> list[Any]:
    """Return a metric row."""
    return ["AWS/Bedrock", name, "ModelId", model, options]


def widget(kind: str, x: int, y: int, *, width: int = 6, height: int = 6, **properties: Any) -> dict[str, Any]:
    """Return a widget as JSON."""
    return {"type": kind, "x": x, "y": y, "width": width, "height": height, "properties": properties}


def graph(x: int, y: int, *metrics: list[Any], **properties: Any) -> dict[str, Any]:
    """Return a metric widget as JSON."""
    size = {name: properties.pop(name) for name in ("width", "height") if name in properties}
    given = {"region": REGION, "period": 300, "metrics": list(metrics)} | properties
    return widget("metric", x, y, **size, **given)


CALLS = [row("Invocations", model, stat="Sum", label=model) for model in MODELS]
LINES = {
    "horizontal": [
        {"value": 2500, "label": "slow: > 2500 ms", "color": "#cc3311", "fill": "above"},
        [{"value": 500, "label": "low"}, {"value": 1200, "label": "high"}],
    ],
    "vertical": [
        {"value": "2026-11-02T03:00:00Z", "label": "deploy", "color": "#7a4fa3", "fill": "after"},
        [{"value": "2026-11-02T10:00:00Z", "label": "freeze"}, {"value": "2026-11-02T12:00:00Z", "label": "end"}],
    ],
}
VIEWS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("lines", graph(0, 5, row("InvocationLatency", stat="p90", label="p90 [max ${MAX}]"), width=12, annotations=LINES)),
    ("stacked", graph(12, 5, *CALLS, width=12, stacked=True, legend={"position": "right"})),
    (
        "two axes",
        graph(
            0,
            11,
            row("Invocations", stat="Sum", label="calls"),
            row("InvocationLatency", stat="p90", label="p90", yAxis="right"),
            yAxis={"left": {"label": "Count", "min": 0}, "right": {"label": "ms", "min": 0}},
            width=12,
        ),
    ),
    ("throttles", graph(12, 11, row("InvocationThrottles", stat="Sum"), period=60)),
    ("alarm", widget("metric", 18, 11, region=REGION, annotations={"alarms": [f"{ARN}app-slow"]})),
    ("number", graph(0, 17, row("InvocationLatency", stat="p90"), view="singleValue", sparkline=True, height=4)),
    ("numbers", graph(6, 17, *CALLS, view="singleValue", sparkline=True, height=4)),
    ("whole", graph(12, 17, CALLS[0], view="singleValue", setPeriodToTimeRange=True, height=4)),
    (
        "gauge",
        graph(
            18,
            17,
            row("InvocationLatency", stat="p90"),
            view="gauge",
            height=4,
            yAxis={"left": {"min": 0, "max": 2000}},
            annotations={"horizontal": [{"value": 1500, "fill": "above"}]},
        ),
    ),
    ("bar", graph(0, 21, *CALLS, view="bar", width=8)),
    ("pie", graph(8, 21, *CALLS, view="pie", width=8)),
    (
        "summary table",
        graph(
            16,
            21,
            *CALLS,
            view="table",
            width=8,
            table={"summaryColumns": ["MIN", "MAX", "AVG", "SUM"], "showTimeSeriesData": False, "stickySummary": True},
        ),
    ),
    ("table", graph(0, 27, *CALLS, view="table", period=3600, width=12)),
    ("vertical table", graph(12, 27, *CALLS, view="table", period=3600, width=12, table={"layout": "vertical"})),
    (
        "search",
        graph(
            0,
            33,
            [
                {
                    "expression": "SEARCH('{AWS/Bedrock,ModelId} MetricName=\"Invocations\"','Sum',300)",
                    "id": "e1",
                    "label": "${PROP('Dim.ModelId')}",
                }
            ],
            [{"expression": "SUM(e1)", "id": "e2", "label": "all"}],
            width=12,
        ),
    ),
    (
        "log",
        widget(
            "log",
            12,
            33,
            width=12,
            region=REGION,
            title="log",
            query="SOURCE '/app' | filter status >= 501 | stats count(*) as calls by caller | sort calls desc, caller",
        ),
    ),
    (
        "alarms",
        widget("alarm", 0, 39, title="alarms", alarms=[ARN + name for name in ("app-throttled", "app-any", "gone")]),
    ),
    ("text", widget("text", 6, 39, markdown="# Words\n\n[a page](https://wiki.example.com)")),
    (
        "explorer",
        widget(
            "explorer",
            12,
            39,
            title="explorer",
            metrics=[{"metricName": "CPUUtilization", "resourceType": "AWS::EC2::Instance", "stat": "Average"}],
            labels=[{"key": "team", "value": "ai"}],
        ),
    ),
    ("custom", widget("custom", 18, 39, title="custom", endpoint="arn:aws:lambda:us-east-1:111122223333:function:x")),
    ("chart", widget("chart", 0, 45, title="chart", data={"queries": [{"query": "up"}]})),
)
VARIABLE = {
    "type": "property",
    "property": "ModelId",
    "inputType": "select",
    "id": "model",
    "label": "Model",
    "values": [{"value": model} for model in MODELS],
    "defaultValue": "nova-pro",
}


def body(*widgets: dict[str, Any], **top: Any) -> DashboardBody:
    """Return a body of these widgets."""
    read, problems = read_body({"widgets": list(widgets)} | top)
    assert not problems, problems
    return read


def everything() -> DashboardBody:
    """Return a body with every view; each widget's title is its name in `VIEWS`."""
    widgets = []
    for name, each in VIEWS:
        titled = dict(each["properties"]) if each["type"] == "text" else each["properties"] | {"title": name}
        widgets.append(each | {"properties": titled})
    return body(*widgets, periodOverride="inherit")
