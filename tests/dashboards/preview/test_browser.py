"""Does a page work in a real browser? Every view draws, hovering shows what the engine computed, nothing leaves the page."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import Image

from cloudwatch.dashboard.reader import read_body
from cloudwatch.metric import MetricQuery
from cloudwatch.series import Samples
from cloudwatch.store import MetricStore
from tests.dashboards.preview import kitchen

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.browser

# View, the part of it that is drawn, and how many pixels of it have a colour at least.
DRAWN = [
    ("lines", "canvas", 500),
    ("stacked", "canvas", 3000),
    ("two axes", "canvas", 500),
    ("throttles", "canvas", 10),
    ("alarm", "canvas", 300),
    ("search", "canvas", 500),
    ("number", ".spark", 100),
    ("numbers", ".spark >> nth=2", 50),
    ("gauge", "svg", 300),
    ("bar", ".bars", 2000),
    ("pie", "svg", 5000),
]
WORDS = ["whole", "summary table", "table", "vertical table", "log", "alarms", "explorer", "custom", "chart"]


def ink(locator: Any) -> tuple[int, int]:
    """Return how many pixels of a picture are not its background, and how many of them have a colour."""
    pixels = np.asarray(Image.open(io.BytesIO(locator.screenshot())).convert("RGB")).astype(int)
    colours, counts = np.unique(pixels.reshape(-1, 3), axis=0, return_counts=True)
    other = np.abs(pixels - colours[counts.argmax()]).sum(axis=2) > 60
    coloured = other & (pixels.max(axis=2) - pixels.min(axis=2) > 40)
    return int(other.sum()), int(coloured.sum())


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_view_draws(open_page: Callable[..., Any], theme: str) -> None:
    """Each view leaves pixels of its own in both themes, says nothing on the console and asks the network for nothing."""
    opened = open_page(kitchen.everything(), fragment=f"#whole&theme={theme}")
    for name, part, least in DRAWN:
        _, coloured = ink(opened.widget(name).locator(part).first)
        assert coloured > least, name
    for name in WORDS:
        total, _ = ink(opened.widget(name).locator(".inside"))
        assert total > 100, name
    opened.settled()


def test_hover_shows_what_the_engine_computed(open_page: Callable[..., Any]) -> None:
    """The value beside the cross-hair is the statistic of the store for that slot, with its unit."""
    opened = open_page(kitchen.everything())
    plot = opened.widget("lines").locator(".u-over")
    plot.hover(position={"x": plot.bounding_box()["width"] * 0.5, "y": 40})
    tip = opened.widget("lines").locator(".tip")
    tip.wait_for(state="visible")
    when = re.match(r"(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d) UTC", tip.locator(".when").first.inner_text())
    assert when is not None
    second = kitchen.START_S + 3600 * int(when[4]) + 60 * int(when[5])
    query = MetricQuery(id="m", metric=kitchen.metric("InvocationLatency", "nova-pro"), stat="p90", period_s=300)
    (value,) = kitchen.data().store.column(query, starts=np.array([second]))
    text = tip.locator("b").first.inner_text()
    number, unit = text.split(" ", 1)
    assert float(number.replace(",", "")) == pytest.approx(value, rel=1e-4)
    assert unit == "ms"


def test_the_cross_hair_is_shared(open_page: Callable[..., Any]) -> None:
    """Hovering one graph moves the line in another; only the hovered one shows values."""
    opened = open_page(kitchen.everything())
    plot = opened.widget("lines").locator(".u-over")
    plot.hover(position={"x": 200, "y": 40})
    other = opened.widget("two axes")
    moved = other.locator(".u-cursor-x").evaluate("line => getComputedStyle(line).transform")
    assert moved not in {"none", "matrix(1, 0, 0, 1, 0, 0)"}
    assert other.locator(".tip").is_hidden()


def drag(opened: Any, name: str, *, start: float, end: float) -> None:
    """Drag across a graph, from one share of its width to another."""
    box = opened.widget(name).locator(".u-over").bounding_box()
    y = box["y"] + box["height"] / 2
    opened.page.mouse.move(box["x"] + box["width"] * start, y)
    opened.page.mouse.down()
    opened.page.mouse.move(box["x"] + box["width"] * (start + end) / 2, y)
    opened.page.mouse.move(box["x"] + box["width"] * end, y)
    opened.page.mouse.up()


def test_dragging_zooms_every_widget_and_a_double_click_resets(open_page: Callable[..., Any]) -> None:
    """The chosen range counts for tables and numbers too, and All takes it back."""
    opened = open_page(kitchen.everything())
    table = opened.widget("summary table").locator("tbody tr").first.locator("td")
    before = table.all_inner_texts()
    assert float(before[3].replace(",", "")) == 20 * 1440 + sum(minute % 30 for minute in range(1440))
    drag(opened, "lines", start=0.25, end=0.5)
    after = table.all_inner_texts()
    assert float(after[3].replace(",", "")) == pytest.approx(float(before[3].replace(",", "")) / 4, rel=0.05)
    pressed = opened.page.locator('.ranges button[aria-pressed="true"]')
    assert pressed.count() == 0
    opened.widget("lines").locator(".u-over").dblclick(position={"x": 50, "y": 50})
    assert table.all_inner_texts() == before
    assert pressed.inner_text() == "All"
    opened.settled()


def test_the_picker_shows_the_end_of_the_data(open_page: Callable[..., Any]) -> None:
    """1h is the last hour, and an own range can be typed."""
    opened = open_page(kitchen.everything())
    opened.page.get_by_role("button", name="1h", exact=True).click()
    summary = opened.widget("summary table").locator("tbody tr").first.locator("td")
    assert float(summary.nth(3).inner_text().replace(",", "")) == 60 * 20 + 2 * sum(range(30))
    opened.page.locator('[name="from"]').fill("2026-11-02T06:00")
    opened.page.locator('[name="to"]').fill("2026-11-02T08:00")
    opened.page.get_by_role("button", name="Show", exact=True).click()
    assert float(summary.nth(3).inner_text().replace(",", "")) == 120 * 20 + 4 * sum(range(30))


def test_a_whole_range_number_is_the_statistic_over_the_range(open_page: Callable[..., Any]) -> None:
    """With setPeriodToTimeRange the number sums the day, and the last hour after choosing it."""
    opened = open_page(kitchen.everything())
    number = opened.widget("whole").locator(".number")
    day = 20 * 1440 + sum(minute % 30 for minute in range(1440))
    assert number.get_attribute("title").split()[0].replace(",", "") == str(day)
    opened.page.get_by_role("button", name="1h", exact=True).click()
    assert number.get_attribute("title").split()[0].replace(",", "") == str(60 * 20 + 2 * sum(range(30)))


def test_labels_follow_the_range(open_page: Callable[..., Any]) -> None:
    """${MAX} in a legend is the largest value of the range that is shown."""
    opened = open_page(kitchen.everything())
    legend = opened.widget("lines").locator(".legend .words")
    over_day = legend.inner_text()
    opened.page.get_by_role("button", name="1h", exact=True).click()
    assert over_day != legend.inner_text()
    assert legend.inner_text().startswith("p90 [max ")


def test_a_variable_changes_what_is_drawn(open_page: Callable[..., Any]) -> None:
    """Choosing another model redraws every widget that names one, from data prepared beforehand."""
    opened = open_page(
        kitchen.body(
            kitchen.graph(0, 0, kitchen.row("Invocations", stat="Sum"), view="singleValue", title="calls"),
            variables=[kitchen.VARIABLE],
        )
    )
    value = opened.widget("calls").locator(".number")
    first = value.get_attribute("title")
    opened.page.locator(".controls select").select_option("haiku")
    assert opened.widget("calls").locator(".number").get_attribute("title") != first
    opened.settled()


def test_alarm_states_stand_at_the_top_and_under_their_graph(open_page: Callable[..., Any]) -> None:
    """The alarm that notified has a lane with a mark, its graph has a strip, and the alarm widget lists what is not defined."""
    opened = open_page(kitchen.everything())
    lane = opened.page.locator(".timeline .lane", has_text="throttled")
    assert "1 notification" in opened.page.locator(".timeline .lane.head").inner_text()
    assert lane.locator(".run.ALARM").count() == 1
    assert lane.locator(".sent").count() >= 1
    assert opened.widget("throttles").locator(".strips .run.ALARM").count() == 1
    assert "08:0" in lane.locator(".strip").get_attribute("aria-label")
    assert opened.widget("alarms").locator(".alarm-tile.unknown").inner_text().startswith("gone")


def test_a_graph_can_be_read_as_a_table_and_by_keys(open_page: Callable[..., Any]) -> None:
    """The toggle shows the values newest first; arrow keys say the value of a slot to a screen reader."""
    opened = open_page(kitchen.everything())
    graph = opened.widget("lines")
    graph.locator(".plot").focus()
    opened.page.keyboard.press("End")
    said = opened.page.locator("#live").inner_text()
    assert re.match(r"2026-11-02 23:55: p90 \[max .*\] [\d,.]+ ms", said)
    graph.get_by_role("button", name="Show the values as a table").click()
    rows = graph.locator("tbody tr")
    assert rows.first.locator("th").inner_text() == "2026-11-02 23:55"
    assert rows.count() == 288
    graph.get_by_role("button", name="Show the graph").click()
    assert graph.locator("canvas").count() == 1
    opened.settled()


def test_every_control_has_a_name(open_page: Callable[..., Any]) -> None:
    """Buttons, inputs and graphs carry words for those who do not see them."""
    opened = open_page(kitchen.everything())
    nameless = opened.page.evaluate(
        """() => [...document.querySelectorAll('button, input, select, [role="img"], .plot, section')]
            .filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.closest('label')))
            .map((one) => one.outerHTML.slice(0, 120))"""
    )
    assert nameless == []


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_window(open_page: Callable[..., Any], width: int) -> None:
    """Neither on a phone nor on a small laptop does the page scroll sideways."""
    opened = open_page(kitchen.everything(), width=width)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.settled()


def test_widgets_are_drawn_when_they_come_into_sight(open_page: Callable[..., Any]) -> None:
    """Of 500 widgets a few are drawn at first, and one far below once it is scrolled to."""
    widgets = [
        kitchen.graph(6 * (index % 4), 6 * (index // 4), kitchen.CALLS[index % 3], title=f"w{index}")
        for index in range(500)
    ]
    opened = open_page(kitchen.body(*widgets), fragment="")
    opened.page.wait_for_function("document.querySelectorAll('canvas').length > 3")
    assert opened.page.locator("section.widget").count() == 500
    assert opened.page.locator("canvas").count() < 60
    opened.widget("w499").scroll_into_view_if_needed()
    opened.widget("w499").locator("canvas").wait_for()
    assert ink(opened.widget("w499").locator(".plot"))[1] > 60
    opened.settled()


BREAKOUT = (
    '</script><script>window.hacked=1;alert("x")</script><img src=x onerror="window.hacked=1"><svg onload=alert(2)>'
)
STYLE = '<style>body{display:none}</style><link rel=stylesheet href="https://evil.example/x.css"><base href="https://evil.example/">'


def hostile() -> Any:
    """Return a body whose every text tries to run something or to load something."""
    bad = BREAKOUT + STYLE
    return kitchen.body(
        kitchen.graph(
            0,
            0,
            kitchen.row("Invocations", label=bad + "${MAX}"),
            title=bad,
            annotations={"horizontal": [{"value": 3, "label": bad}]},
        ),
        kitchen.graph(6, 0, kitchen.row("Invocations", label=bad), title=bad, view="singleValue"),
        kitchen.graph(
            12,
            0,
            kitchen.row("Invocations", label=bad),
            kitchen.row("Invocations", "haiku", label=bad),
            title=bad,
            view="pie",
        ),
        kitchen.graph(18, 0, kitchen.row("Invocations", label=bad), title=bad, view="bar"),
        kitchen.graph(0, 6, kitchen.row("Invocations", label=bad), title=bad, view="table"),
        kitchen.graph(6, 6, [{"expression": f"m1/( {bad}", "id": "e1"}], title=bad),
        kitchen.widget(
            "text",
            12,
            6,
            markdown=f"{bad}\n\n[js](javascript:window.hacked=1) [data](data:text/html,<script>window.hacked=1</script>) "
            "![p](https://evil.example/p.png) [ok](https://good.example/?a=1&b=2) <https://auto.example> "
            '[t](https://good.example "x\\" onmouseover=\\"window.hacked=1")\n\n| a |\n|:-:|\n| <img src=x onerror=alert(1)> |',
        ),
        kitchen.widget(
            "log",
            18,
            6,
            region="us-east-1",
            title=bad,
            query=f"SOURCE '/app' | fields '{'<img src=x onerror=alert(1)>'}' as x, caller",
        ),
        kitchen.widget("log", 0, 12, region="us-east-1", title=bad, query=bad),
        kitchen.widget("alarm", 6, 12, title=bad, alarms=[f"arn:aws:cloudwatch:us-east-1:111122223333:alarm:{bad}"]),
        kitchen.widget("custom", 12, 12, title=bad, endpoint=bad, params={bad: bad}),
        kitchen.widget("chart", 18, 12, title=bad, data=bad),
        variables=[
            {
                "type": "pattern",
                "pattern": "zzz",
                "inputType": "select",
                "id": "v",
                "label": "<b>x</b>",
                "values": [{"value": bad[:200], "label": bad[:200]}, {"value": "b"}],
            }
        ],
    )


def test_hostile_bodies_do_nothing(open_page: Callable[..., Any]) -> None:
    """No script of a body runs, no element of it appears, no link but http(s) is there, nothing is asked of the network."""
    opened = open_page(hostile(), title=BREAKOUT, problems=[BREAKOUT], links=[(BREAKOUT, "x.html", BREAKOUT)])
    page = opened.page
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img, main script, main style, main link, main iframe, base, h1 *, .tip img").count() == 0
    assert page.evaluate("getComputedStyle(document.body).display") != "none"
    links = page.eval_on_selector_all(
        "main a", "found => found.map((one) => [one.getAttribute('href'), one.rel, one.target])"
    )
    assert {href.split(":")[0] for href, _, _ in links} == {"https"}
    assert all("noopener" in rel and target == "_blank" for _, rel, target in links)
    on = page.evaluate(
        "[...document.querySelectorAll('main *')].flatMap((one) => one.getAttributeNames()).filter((name) => name.startsWith('on'))"
    )
    assert on == []
    opened.settled()


def test_the_policy_stops_what_would_get_through(open_page: Callable[..., Any]) -> None:
    """Even a script or a request that is put into the page does nothing: the policy allows its own scripts alone."""
    opened = open_page(kitchen.body(kitchen.widget("text", 0, 0, markdown="x")))
    opened.page.evaluate(
        """async () => {
            const script = document.createElement('script');
            script.textContent = 'window.hacked = 1';
            document.body.append(script);
            await fetch('https://evil.example/').catch(() => 0);
        }"""
    )
    assert opened.page.evaluate("window.hacked") is None
    assert not [url for url in opened.asked if "evil" in url]
    assert len([line for line in opened.said if "Content Security Policy" in line]) >= 2


def test_the_head_of_the_alarms_says_what_the_range_hides(open_page: Callable[..., Any]) -> None:
    """The throttle alarm notified at 08:02; the last hour holds none of it, and says that there is one."""
    opened = open_page(kitchen.everything())
    head = opened.page.locator(".timeline .head p")
    assert head.inner_text() == "1 notification: 08:03 throttled"
    opened.page.get_by_role("button", name="1h", exact=True).click()
    assert head.inner_text() == "none in this range; 1 in the whole recording"


@pytest.mark.parametrize("width", [1280, 390])
def test_labels_of_annotations_keep_clear_of_lines_and_of_each_other(open_page: Callable[..., Any], width: int) -> None:
    """Four lines close together, one at the top edge, and two moments: every label is inside, and none covers another or a line."""
    lines = [
        {"value": value, "label": words}
        for value, words in [(118, "baseline OTPS"), (112, "baseline output tokens per request"), (94, "20 % slower")]
    ]
    lines += [{"value": 130, "label": "the most that a quota allows"}]
    moments = [{"value": f"2026-11-02T{hour}:00:00Z", "label": f"change at {hour}"} for hour in ("10", "11")]
    graph = kitchen.graph(
        0,
        0,
        kitchen.row("Invocations", stat="Maximum"),
        title="lined",
        width=12,
        annotations={"horizontal": lines, "vertical": moments},
        yAxis={"left": {"min": 0, "max": 130}},
    )
    body, _ = read_body({"widgets": [graph]})
    opened = open_page(body, width=width)
    placed = json.loads(opened.widget("lined").locator(".uplot").get_attribute("data-labels"))
    labels, plot = placed["labels"], placed["plot"]
    assert len(labels) == 6
    for at, one in enumerate(labels):
        assert plot["left"] <= one["x"]
        assert one["x"] + one["width"] <= plot["right"]
        assert plot["top"] <= one["y"]
        assert one["y"] + one["height"] <= plot["bottom"]
        assert not any(one["y"] < line < one["y"] + one["height"] for line in placed["levels"]), one["words"]
        for other in labels[:at]:
            apart = (
                one["x"] + one["width"] <= other["x"]
                or other["x"] + other["width"] <= one["x"]
                or one["y"] + one["height"] <= other["y"]
                or other["y"] + other["height"] <= one["y"]
            )
            assert apart, (one["words"], other["words"])
    opened.settled()


def test_a_range_without_points_says_so(open_page: Callable[..., Any]) -> None:
    """Throttles were counted from 08:00 to 09:00: the last hour has none, and the graph is not just blank."""
    opened = open_page(kitchen.everything())
    told = opened.widget("throttles").locator(".bare")
    assert told.is_hidden()
    opened.page.get_by_role("button", name="1h", exact=True).click()
    assert told.inner_text() == "No point in this range"


def test_two_points_beside_each_other_are_seen(open_page: Callable[..., Any]) -> None:
    """A line between two minutes of a day is a pixel long; the points are drawn as dots, so there is ink."""
    values = np.full(2, 5.0)
    times = kitchen.START_S + 43_200 + 60 * np.arange(2)
    pair = (kitchen.metric("InvocationServerErrors", "nova-pro"), Samples.of_values(times, values))
    data = replace(kitchen.data(), store=MetricStore.of([*kitchen.series(), pair]))
    graph = kitchen.graph(0, 0, kitchen.row("InvocationServerErrors", stat="Sum"), title="rare", period=60)
    body, _ = read_body({"widgets": [graph]})
    opened = open_page(body, data=data)
    _, coloured = ink(opened.widget("rare").locator("canvas").first)
    assert coloured > 8


def test_a_state_from_another_day_has_its_date(open_page: Callable[..., Any]) -> None:
    """The throttle alarm was OK again on the second; seen from the midnight after, the tile says the day."""
    opened = open_page(kitchen.everything())
    tile = opened.widget("alarms").locator(".alarm-tile", has_text="throttled").locator("small")
    assert re.fullmatch(r"OK since 11/02 09:\d\d", tile.inner_text())
