"""Where does a widget go? Lines of widgets on the grid of 24 columns.

Widgets flow from left to right; one that does not fit starts a new line under the tallest widget of the line before. So nothing
overlaps, and adding a widget moves only what comes after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cloudwatch.dashboard.validate import COLUMNS
from cloudwatch.dashboard.values import Widget

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cloudwatch.dashboard.values import Content

__all__ = ["Block", "flow", "line", "spread"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A widget without a place.

    Attributes:
        content: What is drawn.
        width: Columns, 1 to 24.
        height: Grid units, 1 to 1,000.
        new_line: Start a new line even where the widget would fit.
    """

    content: Content
    width: int
    height: int
    new_line: bool = False


def line(*contents: Content | None, height: int = 6) -> tuple[Block, ...]:
    """Return blocks that share one whole line; None is left out, and columns that remain go to the first ones."""
    present = [content for content in contents if content is not None]
    if not present:
        return ()
    width, rest = divmod(COLUMNS, len(present))
    return tuple(
        Block(content=content, width=width + (index < rest), height=height, new_line=index == 0)
        for index, content in enumerate(present)
    )


def spread(contents: Sequence[Content], *, per_line: int, height: int = 6) -> tuple[Block, ...]:
    """Return blocks in as few lines of at most `per_line` as possible, the lines as even as they can be."""
    if not contents:
        return ()
    lines = -(-len(contents) // per_line)
    size, longer = divmod(len(contents), lines)
    blocks: list[Block] = []
    start = 0
    for index in range(lines):
        end = start + size + (index < longer)
        blocks.extend(line(*contents[start:end], height=height))
        start = end
    return tuple(blocks)


def flow(blocks: Iterable[Block], *, top: int = 0) -> tuple[Widget, ...]:
    """Return the blocks placed, the first at column 0 and row `top`."""
    widgets: list[Widget] = []
    x, y, below = 0, top, top
    for block in blocks:
        if block.new_line or x + block.width > COLUMNS:
            x, y = 0, below
        widgets.append(Widget(content=block.content, x=x, y=y, width=block.width, height=block.height))
        x += block.width
        below = max(below, y + block.height)
    return tuple(widgets)
