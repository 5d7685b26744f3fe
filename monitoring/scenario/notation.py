"""How is a series written in one line?

    values := item (space item)*
    item   := '_' [count] | number [step] [count]
    step   := ('+' | '-') number
    count  := 'x' integer

`120x30` is 30 points of 120; `60+2x10` is the 10 points 60, 62 ... 78; `_x5` is five gaps; a lone `7` or `_` is one point
or gap. Every count is exact: promtool's own notation yields one point more than its count says.
"""

from __future__ import annotations

import math
import re

from cloudwatch.problems import TextSyntaxError

__all__ = ["MAX_POINTS", "expand"]

MAX_POINTS = 1_000_000

_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_ITEM = re.compile(
    rf"(?:(?P<gap>_)|(?P<value>{_NUMBER})(?P<step>[+-](?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)?)(?:x(?P<count>\d+))?\Z"
)


def expand(text: str) -> list[float]:
    """Return the points of a series, NaN for a gap.

    Args:
        text: The notation above.

    Raises:
        TextSyntaxError: An item is not of the notation, a step has no count, a count is 0, a number is not finite, or
            there are more than a million points.
    """
    points: list[float] = []
    for found in re.finditer(r"\S+", text):
        points += _item(text, start=found.start(), end=found.end(), room=MAX_POINTS - len(points))
    if not points:
        raise TextSyntaxError("no point is given", text=text, start=0, hint="Write for example 120x30 or 1 2 _ 4.")
    return points


def _item(text: str, *, start: int, end: int, room: int) -> list[float]:
    item = text[start:end]
    match = _ITEM.match(item)
    if match is None:
        raise TextSyntaxError(
            f"{item[:40]!r} is not a point",
            text=text,
            start=start,
            end=end,
            hint="Write a number, _ for a gap, 120x30 for 30 equal points, 60+2x10 for 10 rising ones, _x5 for 5 gaps.",
        )
    digits = match["count"]
    if match["step"] and digits is None:
        raise TextSyntaxError(
            f"{item!r} has a step but no count", text=text, start=start, end=end, hint=f"Write {item}x10 for 10 points."
        )
    count = 1 if digits is None else int(digits) if len(digits) < 9 else MAX_POINTS + 1
    if count == 0:
        raise TextSyntaxError(f"{item!r} is no point at all", text=text, start=start, end=end, hint="Leave it out.")
    if count > room:
        raise TextSyntaxError(f"more than {MAX_POINTS:,} points", text=text, start=start, end=end)
    if match["gap"]:
        return [math.nan] * count
    first, step = float(match["value"]), float(match["step"] or 0)
    points = [first + step * index for index in range(count)]
    if not all(map(math.isfinite, (points[0], points[-1]))):
        raise TextSyntaxError(f"{item!r} is not a finite number", text=text, start=start, end=end)
    return points
