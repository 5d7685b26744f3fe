"""Widgets never overlap and never leave the grid, whatever is put on a page."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cloudwatch.dashboard.validate import validate_body
from cloudwatch.dashboard.values import DashboardBody, TextWidget
from dashboards.layout import Block, flow, line, spread

BLOCK = st.builds(
    Block,
    content=st.just(TextWidget(markdown="x")),
    width=st.integers(1, 24),
    height=st.integers(1, 12),
    new_line=st.booleans(),
)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(blocks=st.lists(BLOCK, max_size=25))
def test_widgets_never_overlap(blocks: list[Block]) -> None:
    """The validator, which has its own idea of overlaps and of the grid, finds nothing."""
    widgets = flow(blocks)
    assert validate_body(DashboardBody(widgets=widgets)) == ()
    assert [(widget.width, widget.height) for widget in widgets] == [(block.width, block.height) for block in blocks]


@settings(max_examples=40, deadline=None, derandomize=True)
@given(blocks=st.lists(BLOCK, min_size=1, max_size=10), more=BLOCK)
def test_a_new_widget_moves_nothing_before_it(blocks: list[Block], more: Block) -> None:
    """Adding at the end leaves every place as it was."""
    assert flow([*blocks, more])[: len(blocks)] == flow(blocks)


def test_a_line_fills_the_grid() -> None:
    """Five widgets share 24 columns without a gap; what is absent leaves no hole."""
    blocks = line(*[TextWidget(markdown=str(number)) for number in range(5)], None)
    assert [block.width for block in blocks] == [5, 5, 5, 5, 4]
    assert line(None) == ()


def test_lines_are_as_even_as_they_can_be() -> None:
    """Seven widgets at no more than four a line stand four and three, not four, then three narrow ones with a gap."""
    contents = [TextWidget(markdown=str(number)) for number in range(7)]
    widgets = flow(spread(contents, per_line=4, height=3))
    assert [widget.y for widget in widgets] == [0, 0, 0, 0, 3, 3, 3]
    assert [widget.width for widget in widgets] == [6, 6, 6, 6, 8, 8, 8]
    assert spread([], per_line=4) == ()
