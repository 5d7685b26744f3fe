"""What a page is told about each widget: series from the engine, and a reason where there are none."""

from __future__ import annotations

import base64
import json
import random
import zlib
from dataclasses import replace
from html import unescape
from typing import Any

import numpy as np
import pytest

from cloudwatch.dashboard.reader import read_body
from cloudwatch.dashboard.values import MetricWidget
from cloudwatch.metric import MetricQuery
from cloudwatch.store import MetricStore
from dashboards.preview.encoding import Chunks
from dashboards.preview.page import PageSource, render_page, safe_json
from dashboards.preview.placement import Box, boxes_of
from dashboards.preview.series import Evaluator
from dashboards.preview.source import PreviewData
from dashboards.preview.specs import Specs
from dashboards.preview.variables import MAX_CHOICES, body_for, choices_of
from tests.dashboards.preview import kitchen


def spec_of(widget: dict[str, Any]) -> dict[str, Any]:
    """Return what the page is told about a widget."""
    (one,) = kitchen.body(widget).widgets
    specs = Specs(kitchen.data(), evaluator=Evaluator(kitchen.data()), chunks=Chunks())
    return specs.spec(one.content)


def evaluated(*rows: list[Any], **properties: Any) -> Any:
    """Return the series of a metric widget."""
    content = kitchen.body(kitchen.graph(0, 0, *rows, **properties)).widgets[0].content
    assert isinstance(content, MetricWidget)
    return Evaluator(kitchen.data()).series(content, span=kitchen.SPAN)


def test_a_row_is_the_statistic_of_the_store() -> None:
    """Values, start and period are those of the query over the whole data."""
    found = evaluated(kitchen.row("InvocationLatency", stat="p90"))
    (drawn,) = found.drawn
    query = MetricQuery(id="m", metric=kitchen.metric("InvocationLatency", "nova-pro"), stat="p90", period_s=300)
    starts = kitchen.START_S + 300 * np.arange(288)
    np.testing.assert_array_equal(drawn.values, kitchen.data().store.column(query, starts=starts))
    assert (drawn.start_s, drawn.period_s, drawn.unit) == (kitchen.START_S, 300, "ms")


def test_rows_keep_their_own_period_and_hidden_rows_feed_expressions() -> None:
    """A row's period wins over the widget's; a hidden row is computed and not drawn."""
    found = evaluated(
        kitchen.row("Invocations", stat="Sum", period=60),
        kitchen.row("Invocations", "haiku", stat="Sum", id="h", visible=False),
        [{"expression": "h*2", "id": "double"}],
    )
    assert [(drawn.period_s, len(drawn.values)) for drawn in found.drawn] == [(60, 1440), (300, 288)]
    hidden = evaluated(kitchen.row("Invocations", "haiku", stat="Sum")).drawn[0].values
    np.testing.assert_allclose(found.drawn[1].values, 2 * hidden)


def test_a_widget_of_another_region_has_no_data() -> None:
    """Series are read where the widget says: nothing is borrowed from home."""
    found = evaluated(kitchen.row("Invocations", stat="Sum"), region="eu-west-1")
    assert np.isnan(found.drawn[0].values).all()


def test_series_without_a_place_are_those_of_home() -> None:
    """A recording that does not say its Region answers widgets of home and no others."""
    data = replace(
        kitchen.data(), store=MetricStore.of((PreviewData.bare(found), source) for found, source in kitchen.series())
    )
    content = kitchen.body(
        kitchen.graph(0, 0, kitchen.row("Invocations"), kitchen.row("Invocations", region="eu-west-1"))
    )
    widget = content.widgets[0].content
    assert isinstance(widget, MetricWidget)
    here, elsewhere = Evaluator(data).series(widget, span=kitchen.SPAN).drawn
    assert np.isfinite(here.values).all()
    assert np.isnan(elsewhere.values).all()


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ([{"expression": "m1/(", "id": "e1"}], "e1: "),
        ([{"expression": "ANOMALY_DETECTION_BAND(m1)", "id": "b"}], "only AWS can compute ANOMALY_DETECTION_BAND(m1)"),
        ([{"expression": "m1+fast", "id": "e1"}], "its metrics have the periods 60 s, 300 s"),
        ([{"expression": "unknown*2", "id": "e1"}], "unknown"),
        (["AWS/Bedrock", "Invocations", {"period": 7}], "Row 3: Period 7 s"),
    ],
)
def test_a_row_that_cannot_be_computed_says_why_and_the_others_are_drawn(row: list[Any], told: str) -> None:
    """One wrong row costs one row."""
    found = evaluated(
        kitchen.row("Invocations", stat="Sum", id="m1"),
        kitchen.row("Invocations", stat="Sum", id="fast", period=60, visible=False),
        row,
    )
    assert len(found.drawn) == 1
    assert any(told in note for note in found.notes), found.notes


def test_search_draws_a_line_for_each_metric_with_its_own_label() -> None:
    """Properties of the metric that was found are in the label."""
    spec = spec_of(dict(kitchen.VIEWS)["search"])
    assert [row["label"] for row in spec["rows"]] == [["nova-pro"], ["sonnet"], ["haiku"], ["all"]]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("explorer", "An explorer draws the resources that carry a tag"),
        ("custom", "runs nobody's code"),
        ("chart", "neither is evaluated here"),
    ],
)
def test_what_cannot_be_drawn_says_why(name: str, why: str) -> None:
    """A placeholder has a reason and the facts of the widget."""
    spec = spec_of(dict(kitchen.VIEWS)[name])
    assert why in spec["why"]
    assert spec["facts"]


@pytest.mark.parametrize(
    ("widget", "why"),
    [
        (kitchen.graph(0, 0, ["AWS/Bedrock", "Nothing"]), "No point in this range: nothing was published"),
        (
            kitchen.graph(
                0,
                0,
                [{"expression": "IF(m>1000000,m)", "id": "e"}],
                kitchen.row("Invocations", id="m", stat="Sum", visible=False),
            ),
            "No point in this range: the expression has none, or fewer calls than it asks for.",
        ),
        (
            kitchen.graph(
                0, 0, [{"expression": "SEARCH('{AWS/Bedrock,ModelId} MetricName=\"None\"', 'Sum')", "id": "e"}]
            ),
            "The search finds no metric in this data.",
        ),
        (kitchen.graph(0, 0), "The widget names no metric."),
        (kitchen.graph(0, 0, kitchen.row("Invocations", visible=False)), "No row is visible."),
        (kitchen.graph(0, 0, [{"expression": "1+", "id": "e"}]), "No row can be computed."),
        (kitchen.graph(0, 0, kitchen.row("Invocations"), view="gauge"), "A gauge needs yAxis.left.min"),
        (
            kitchen.widget("metric", 0, 0, region="us-east-1", annotations={"alarms": [kitchen.ARN + "gone"]}),
            "does not define the alarm gone",
        ),
        (
            kitchen.widget("metric", 0, 0, region="us-east-1", annotations={"alarms": [kitchen.ARN + "app-any"]}),
            "is a composite alarm",
        ),
        (
            kitchen.widget("log", 0, 0, region="us-east-1", query="SOURCE '/none' | fields a"),
            "holds no events of log group /none",
        ),
        (
            kitchen.widget("log", 0, 0, region="us-east-1", query="SELECT 1", queryLanguage="SQL"),
            "Queries in SQL are not run here",
        ),
    ],
)
def test_an_empty_box_has_a_reason(widget: dict[str, Any], why: str) -> None:
    """Whatever is not drawn is explained in its box."""
    assert why in spec_of(widget)["why"]


def test_an_alarm_widget_draws_the_metric_and_the_threshold() -> None:
    """`annotations.alarms` alone gives the line, the threshold and the strip of the alarm."""
    spec = spec_of(dict(kitchen.VIEWS)["alarm"])
    assert spec["title"] == "app-slow"
    assert [line["v"] for line in spec["lines"]] == [2500]
    assert spec["alarms"] == ["app-slow"]
    assert len(spec["rows"]) == 1


def test_alarms_stand_under_the_graphs_that_draw_them() -> None:
    """A graph of the alarm's metric and statistic has its strip; another statistic, or a line elsewhere, has none."""
    own = kitchen.graph(0, 0, kitchen.row("InvocationThrottles", stat="Sum"))
    other = kitchen.graph(0, 0, kitchen.row("InvocationThrottles", stat="Average"))
    elsewhere = kitchen.graph(
        0, 0, kitchen.row("InvocationThrottles", stat="Sum"), annotations={"horizontal": [{"value": 3}]}
    )
    assert [spec_of(each)["alarms"] for each in (own, other, elsewhere)] == [["app-throttled"], [], []]


def test_annotations_keep_bands_fills_and_times() -> None:
    """A band is one entry with two values; invisible ones are left out."""
    hidden = kitchen.LINES | {"horizontal": [*kitchen.LINES["horizontal"], {"value": 9, "visible": False}]}
    spec = spec_of(kitchen.graph(0, 0, kitchen.row("Invocations"), annotations=hidden))
    assert [(line["v"], line.get("v2"), line["fill"]) for line in spec["lines"]] == [
        (2500, None, "above"),
        (500, 1200, "none"),
    ]
    assert [
        (time["t"] - kitchen.START_S, time.get("t2", kitchen.START_S) - kitchen.START_S) for time in spec["times"]
    ] == [(10_800, 0), (36_000, 43_200)]


def test_a_whole_range_number_is_prepared_for_each_range_of_the_picker() -> None:
    """The range is one period under setPeriodToTimeRange: the sum of the day and of its last hour."""
    (row,) = spec_of(dict(kitchen.VIEWS)["whole"])["rows"]
    assert row["whole"]["all"] == 20 * 1440 + sum(minute % 30 for minute in range(1440))
    assert row["whole"]["1h"] == 20 * 60 + 2 * sum(range(30))
    assert set(row["whole"]) == {"all", "1h", "3h", "12h"}


@pytest.mark.parametrize("scale", [1.0, 1e300])
def test_packed_series_come_back_as_they_were(scale: float) -> None:
    """Undoing deflate and the order of bytes gives the numbers with seven digits, gaps included; large ones keep all."""
    values = scale * np.array([1.5, np.nan, -3.25, 1e6, 0.1])
    chunks = Chunks()
    at = chunks.add(np.zeros(3))
    at = chunks.add(values)
    raw = zlib.decompress(base64.b64decode(chunks.texts()[at["c"]]), wbits=-15)
    part = np.frombuffer(raw[at["o"] : at["o"] + at["n"] * at["w"]], dtype=np.uint8).reshape(at["w"], at["n"]).T
    kind = "<f4" if at["w"] == 4 else "<f8"
    np.testing.assert_allclose(np.ascontiguousarray(part).view(kind).ravel(), values, rtol=1e-7)
    assert chunks.add(values.copy()) == at


def test_widgets_without_a_place_flow_and_empty_rows_are_taken_out() -> None:
    """Boxes stay on the grid of 24 columns, whatever a foreign body says."""
    body = kitchen.body(
        kitchen.widget("text", 0, 0, width=12, markdown="a"), kitchen.widget("text", 20, 9000, width=12, markdown="b")
    )
    loose = replace(body.widgets[0], x=None, y=None, width=99)
    boxes = boxes_of([*body.widgets, loose, loose])
    assert boxes == [Box(0, 0, 12, 6), Box(12, 6, 12, 6), Box(0, 12, 24, 6), Box(0, 18, 24, 6)]


def test_a_property_variable_replaces_dimensions_and_properties() -> None:
    """The ModelId of every row changes; another dimension and the title do not."""
    body = kitchen.body(kitchen.graph(0, 0, kitchen.row("Invocations"), title="ModelId"), variables=[kitchen.VARIABLE])
    choices = choices_of(body, data=kitchen.data())
    changed = body_for(body, choices, (2,)).widgets[0].content
    assert isinstance(changed, MetricWidget)
    assert [row.metric.dimension("ModelId") for row in changed.metrics if hasattr(row, "metric")] == ["haiku"]
    assert changed.title == "ModelId"


def test_a_pattern_variable_replaces_text_everywhere() -> None:
    """The pattern is replaced in titles, dimensions and expressions."""
    variable = kitchen.VARIABLE | {"type": "pattern", "pattern": "nova-pro", "property": None}
    variable.pop("property")
    body = kitchen.body(
        kitchen.graph(0, 0, kitchen.row("Invocations"), title="calls of nova-pro"), variables=[variable]
    )
    changed = body_for(body, choices_of(body, data=kitchen.data()), (1,)).widgets[0].content
    assert isinstance(changed, MetricWidget)
    assert changed.title == "calls of sonnet"


def test_a_search_fills_the_choices_and_the_first_is_the_default() -> None:
    """`populateFrom` offers the values that the data holds, in order."""
    variable = {
        "type": "property",
        "property": "ModelId",
        "inputType": "select",
        "id": "m",
        "search": '{AWS/Bedrock,ModelId} MetricName="Invocations"',
        "populateFrom": "ModelId",
        "defaultValue": "__FIRST",
    }
    (control,) = choices_of(kitchen.body(variables=[variable]), data=kitchen.data()).controls
    assert [value for value, _ in control.options] == sorted(kitchen.MODELS)
    assert control.chosen == 0


def test_combinations_are_limited_and_the_default_is_kept() -> None:
    """What is not prepared is said with numbers."""
    values = [{"value": f"v{index}"} for index in range(100)]
    variable = kitchen.VARIABLE | {"values": values, "defaultValue": "v99"}
    choices = choices_of(kitchen.body(variables=[variable]), data=kitchen.data())
    (control,) = choices.controls
    assert len(choices.combinations) == MAX_CHOICES
    assert control.options[control.chosen][0] == "v99"
    assert f"{MAX_CHOICES} of 100 values" in choices.notes[0]


def test_json_cannot_end_its_script_element() -> None:
    """Markup characters are escapes, and the value is the same when read."""
    text = "</script><!--&\u2028"
    written = safe_json({"x": text})
    assert not set("<>&\u2028") & set(written)
    assert json.loads(written) == {"x": text}


@pytest.mark.usefixtures("no_library")
def test_a_page_is_the_same_for_the_same_input_and_names_no_address() -> None:
    """Two runs agree byte for byte, and the file refers to nothing outside itself."""
    source = PageSource(title="t", body=kitchen.everything(), data=kitchen.data())
    first = render_page(source)
    assert render_page(source).html == first.html
    assert "src=" not in first.html.split('id="data"')[0]
    assert "default-src 'none'" in unescape(first.html)
    assert first.widgets == len(kitchen.VIEWS)


JUNK: list[Any] = [
    None, True, -1, 0, 1e18, 10**12, 7, 3.5, "", "x", "${", "m1", "SEARCH('{AWS/Bedrock,ModelId}','p90',60)", "SEARCH('x')", [], {}, [[]], [{}],
    "2026-13-01", "\ud800", "TIME_SERIES(1)", "[m1,m1]", "LAMBDA('x')", "SELECT AVG(x) FROM y", 60, 604_800,
]  # fmt: skip


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every value in a JSON document."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [path, *(inner for key, child in children for inner in places(child, (*path, key)))]


@pytest.mark.usefixtures("no_library")
@pytest.mark.parametrize("seed", range(25))
def test_any_json_gives_a_page(seed: int) -> None:
    """Whatever stands in the place of a value, the page is made: a widget that cannot be read is a remark, not a traceback."""
    rng = random.Random(seed)
    whole = {"widgets": [each for _, each in kitchen.VIEWS], "variables": [kitchen.VARIABLE], "start": "-PT3H"}
    document = json.loads(json.dumps(whole))
    *path, last = rng.choice(places(document)[1:])
    node = document
    for key in path:
        node = node[key]
    node[last] = rng.choice(JUNK)
    body, _ = read_body(document)
    html = render_page(PageSource(title="t", body=body, data=kitchen.data())).html
    assert html.encode("utf-8").endswith(b"</html>")
