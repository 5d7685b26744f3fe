"""Where does each widget stand? x and y of the body; what has none flows in like on CloudWatch's grid of 24 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloudwatch.dashboard.values import Widget

__all__ = ["COLUMNS", "Box", "boxes_of"]

COLUMNS = 24
_MAX_HEIGHT = 1000


class Box(NamedTuple):
    """A place on the grid, in columns and rows counted from 0."""

    x: int
    y: int
    width: int
    height: int


def boxes_of(widgets: Sequence[Widget]) -> list[Box]:
    """Return the place of each widget: sizes are held within the grid, widgets without a place follow under the others."""
    boxes: list[Box | None] = []
    for widget in widgets:
        width = max(1, min(widget.width, COLUMNS))
        height = max(1, min(widget.height, _MAX_HEIGHT))
        if widget.x is None or widget.y is None:
            boxes.append(None)
        else:
            boxes.append(Box(max(0, min(widget.x, COLUMNS - width)), max(0, widget.y), width, height))
    x, below = 0, max((box.y + box.height for box in boxes if box), default=0)
    y = below
    placed: list[Box] = []
    for widget, box in zip(widgets, boxes, strict=True):
        if box is not None:
            placed.append(box)
            continue
        width = max(1, min(widget.width, COLUMNS))
        height = max(1, min(widget.height, _MAX_HEIGHT))
        if x + width > COLUMNS:
            x, y = 0, below
        placed.append(Box(x, y, width, height))
        x += width
        below = max(below, y + height)
    return _dense(placed)


def _dense(boxes: list[Box]) -> list[Box]:
    """Take out rows that hold no widget, so that a widget at row 100,000 does not make a page that nobody can scroll."""
    shift = {}
    gone, reach = 0, 0
    starts = sorted(boxes, key=lambda box: box.y)
    for box in starts:
        if box.y > reach:
            gone += box.y - reach
        shift[box.y] = gone
        reach = max(reach, box.y + box.height)
    return [box._replace(y=box.y - shift[box.y]) for box in boxes]
