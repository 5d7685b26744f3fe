"""Cards of an index: what the small pictures show, and that foreign names in them are text."""

from __future__ import annotations

import numpy as np
import pytest

from dashboards.preview.cards import Card, Lane, alarm_strip, lanes_of, page_picture, polyline, shared_prefix
from dashboards.preview.page import render_index
from tests.dashboards.preview import kitchen

pytestmark = pytest.mark.usefixtures("no_library")


def test_lanes_are_the_alarms_that_call_somebody() -> None:
    """The throttle alarm has an action and went off; what went off without one is not on the strip."""
    (lane,) = lanes_of(kitchen.data())
    assert (lane.name, lane.kind, len(lane.sent)) == ("throttled", "page", 1)
    assert all(start < end for start, end in lane.alarm)
    assert lane.alarm[0][0] == lane.sent[0]


def test_a_strip_draws_a_bar_and_a_mark_where_they_belong() -> None:
    """An alarm over the middle half of the time is half as wide as the lane, and begins at a quarter of it."""
    span = kitchen.SPAN
    quarter = span.length_s // 4
    lane = Lane(name="a", alarm=((span.start_s + quarter, span.end_s - quarter),), sent=(span.start_s + quarter,))
    strip = alarm_strip([lane], span=span)
    assert '<rect class="quiet" x="190" y="10" width="364" height="3"/>' in strip
    assert '<rect class="off" x="281.0" y="6" width="182.0"' in strip
    assert strip.count('class="mark"') == 1
    assert "00:00</text>" in strip


def test_more_lanes_than_fit_are_counted() -> None:
    """Seven alarms are five lanes and two more; none at all is no strip."""
    lanes = [Lane(name=f"a-{number}", alarm=((kitchen.START_S, kitchen.START_S + 60),)) for number in range(7)]
    strip = alarm_strip(lanes, span=kitchen.SPAN)
    assert strip.count('class="quiet"') == 5
    assert "and 2 more" in strip
    assert alarm_strip([], span=kitchen.SPAN) == ""


def test_foreign_names_are_text() -> None:
    """Neither the name of an alarm nor the title of a card can end the element that it stands in."""
    hostile = '"><script>x</script>'
    strip = alarm_strip([Lane(name=hostile, alarm=((kitchen.START_S, kitchen.START_S + 60),))], span=kitchen.SPAN)
    assert "<script>" not in strip
    html = render_index(
        title=hostile, cards=[Card(title=hostile, address="a.html", told=hostile, strip=strip)], lead=hostile
    )
    assert hostile not in html
    assert "&lt;script&gt;x" in html


def test_a_picture_draws_every_graph_of_the_upper_part() -> None:
    """Graphs have lines, the alarm widget has tiles, and what is below the picture is left out."""
    picture = page_picture(kitchen.everything(), data=kitchen.data())
    assert picture.count("<polyline") > 5
    assert 'style="' not in picture


def test_a_line_leaves_gaps_out_and_keeps_peaks() -> None:
    """The highest point of a block is drawn, nothing is drawn of a gap, and a series without a value is no line."""
    values = np.full(480, 1.0)
    values[100] = 10.0
    values[200:300] = np.nan
    line = polyline(values, box=(0.0, 0.0, 47.0, 10.0), color="#123456")
    assert " 10.0,0.0 " in line
    assert " 25.0," not in line
    assert polyline(np.full(10, np.nan), box=(0.0, 0.0, 1.0, 1.0), color="#123456") == ""


def test_a_shared_beginning_ends_at_a_hyphen() -> None:
    """Names lose what all of them begin with; a single one keeps all."""
    assert shared_prefix(["llm-prod-a", "llm-prod-b"]) == "llm-prod-"
    assert shared_prefix(["llm-prod", "other"]) == ""
    assert shared_prefix(["llm-prod-a"]) == ""
