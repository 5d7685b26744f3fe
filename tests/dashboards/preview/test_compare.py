"""What changed between two bodies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dashboards.preview.compare import differences, render_comparison
from dashboards.preview.page import PageSource
from tests.dashboards.preview import kitchen

OLD = kitchen.body(
    kitchen.graph(0, 0, kitchen.CALLS[0], title="stays"),
    kitchen.graph(6, 0, kitchen.CALLS[1], title="changes", period=60),
    kitchen.graph(12, 0, kitchen.CALLS[2], title="goes"),
    kitchen.widget("text", 0, 6, markdown="# Words\nold"),
)
NEW = kitchen.body(
    kitchen.graph(0, 0, kitchen.CALLS[0], title="stays"),
    kitchen.graph(6, 0, kitchen.CALLS[1], title="changes", period=300),
    kitchen.graph(18, 0, kitchen.CALLS[2], title="comes"),
    kitchen.widget("text", 0, 6, markdown="# Words\nnew"),
)


def test_widgets_are_added_removed_and_changed() -> None:
    """Widgets are known by kind and title; a change names its JSON paths with both values."""
    found = {one.title: one for one in differences(OLD, NEW)}
    assert {title: one.verdict for title, one in found.items()} == {
        "changes": "changed",
        "goes": "removed",
        "comes": "added",
        "Words": "changed",
    }
    assert found["changes"].paths == (("/properties/period", "60", "300"),)
    assert found["goes"].after is None
    assert found["comes"].before is None


def test_the_same_body_differs_in_nothing_whatever_the_order() -> None:
    """Order alone is no change: a widget's place is its x and y."""
    assert differences(OLD, OLD) == ()
    assert differences(OLD, replace(OLD, widgets=OLD.widgets[::-1])) == ()


def test_a_widget_that_moved_is_a_change() -> None:
    """Its place is compared too."""
    moved = replace(OLD, widgets=(replace(OLD.widgets[0], x=18), *OLD.widgets[1:]))
    (one,) = differences(OLD, moved)
    assert one.paths == (("/x", "0", "18"),)


@pytest.mark.usefixtures("no_library")
def test_a_comparison_draws_both_sides() -> None:
    """The page holds each side that is there, says what is not, counts, and opens on what the newer body asks for."""
    before, after = (
        PageSource(title="page", body=body, data=kitchen.data()) for body in (OLD, replace(NEW, start="-PT3H"))
    )
    page = render_comparison(before, after)
    assert page.widgets == 4
    assert f'"shown":[{kitchen.SPAN.end_s - 10_800},{kitchen.SPAN.end_s}]' in page.html
    assert page.html.count("not there") == 2
    assert "1 added, 1 removed, 2 changed, 1 the same" in page.html
    assert "/start: (absent) became -PT3H." in page.html
