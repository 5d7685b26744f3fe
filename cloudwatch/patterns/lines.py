"""Which fields does a line have, and which of them are those of a space-delimited pattern?

Fields are separated by white space; text between double quotes or between brackets is one field without them (Logs User
Guide, Filter pattern syntax, space-delimited log events). The page's example `[w1=ERROR, w2]` takes lines of any length whose
first word is ERROR, so the last field of a pattern takes the rest of the line; where an ellipsis stands, it takes the rest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cloudwatch.patterns.nodes import AnyFields, SpaceField, SpacePattern

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["line_fields", "line_reader"]

_START = re.compile(r"\S")
_WORD = re.compile(r"\S+")
_CLOSING = {'"': '"', "[": "]"}


def line_fields(line: str, *, most: int | None = None) -> list[tuple[str, int]]:
    """Return the fields of a line with the offset where each starts.

    Args:
        line: One log message.
        most: Stop after so many fields; None reads all.
    """
    found: list[tuple[str, int]] = []
    closings: dict[str, int] = {}  # next place of each closing character, so that a search is never done twice
    at = 0
    while (most is None or len(found) < most) and (start := _START.search(line, at)):
        at = start.start()
        closing = _CLOSING.get(line[at])
        if closing is not None:
            end = closings.get(closing, at)
            if end <= at:
                end = line.find(closing, at + 1)
                end = closings[closing] = len(line) if end < 0 else end
            if end < len(line) and (end + 1 == len(line) or line[end + 1].isspace()):
                found.append((line[at + 1 : end], at))
                at = end + 1
                continue
        word = _WORD.match(line, at)
        assert word is not None
        found.append((word[0], at))
        at = word.end()
    return found


def line_reader(pattern: SpacePattern) -> Callable[[str], list[str] | None]:
    """Return a function from a line to the values of the named fields in order, or None when it has too few."""
    fields = pattern.fields
    named = sum(isinstance(field, SpaceField) for field in fields)
    if named == len(fields):

        def read_all(line: str) -> list[str] | None:
            found = line_fields(line, most=named + 1)
            if len(found) < named:
                return None
            values = [value for value, _ in found[:named]]
            if len(found) > named:
                values[-1] = line[found[named - 1][1] :].rstrip()
            return values

        return read_all

    before = fields.index(AnyFields())
    after = named - before

    def read_ends(line: str) -> list[str] | None:
        found = [value for value, _ in line_fields(line, most=before if after == 0 else None)]
        if len(found) < named:
            return None
        return found[:before] + (found[-after:] if after else [])

    return read_ends
