"""Which stretch of time does a page show? `start` and `end` of a body, held against the time that the data covers.

A body says `-PT3H`, `-P7D`, `-P3M` (relative to now) or ISO 8601 ("Dashboard body structure and syntax", start and end). There is
no now on a preview. The page of a recording opens on all of it, because its last three hours are no more interesting than its first;
elsewhere a relative start counts back from the end of the data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from cloudwatch.problems import InvalidValueError

__all__ = ["PRESETS", "Span", "parse_moment", "parse_relative", "shown_span"]

_RELATIVE = re.compile(
    r"-?P(?:(?P<months>\d+)M)?(?:(?P<weeks>\d+)W)?(?:(?P<days>\d+)D)?(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?)?\Z"
)
_SECONDS = {"months": 30 * 86_400, "weeks": 7 * 86_400, "days": 86_400, "hours": 3600, "minutes": 60}

PRESETS = {"1h": 3600, "3h": 10_800, "12h": 43_200, "1d": 86_400, "3d": 259_200, "1w": 604_800}
"""Lengths that the time-range picker offers, seconds; they end where the data ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """From `start_s` up to and without `end_s`, seconds since 1970."""

    start_s: int
    end_s: int

    def __post_init__(self) -> None:
        if self.end_s <= self.start_s:
            raise InvalidValueError(f"A time range ends after it starts, not from {self.start_s} to {self.end_s}")

    @property
    def length_s(self) -> int:
        """Seconds."""
        return self.end_s - self.start_s


def parse_relative(text: str) -> int | None:
    """Return the seconds of `-PT3H`, `-P7D` or `-P3M` (a month is 30 days), or None where it is no such text."""
    found = _RELATIVE.match(text)
    if found is None:
        return None
    seconds = sum(int(number) * _SECONDS[name] for name, number in found.groupdict().items() if number)
    return seconds or None


def parse_moment(text: str) -> int | None:
    """Return the second of an ISO 8601 time (UTC where it has no zone), or None where it is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def shown_span(start: str | None, end: str | None, *, data: Span, counts_back: bool = True) -> tuple[Span, str]:
    """Return what a page or a widget shows first, within the data, and a sentence where that is not what the body asks for.

    Args:
        start: `start` of the body or widget; None shows everything.
        end: Its `end`.
        data: The time that there is data for.
        counts_back: Whether the end of the data stands for now, so that a relative start means something; without it
            such a start shows everything.
    """
    if start is None:
        return data, ""
    until = data.end_s if end is None else parse_moment(end)
    if until is None:
        return data, f"The end {end!r} is no ISO 8601 time; the whole data is shown."
    relative = parse_relative(start)
    since = parse_moment(start) if relative is None else until - relative
    if since is None:
        return data, f"The start {start!r} is no time; the whole data is shown."
    if relative is not None and not counts_back:
        return data, ""
    first, last = max(since, data.start_s), min(until, data.end_s)
    if last - first < 60:
        return data, f"There is no data from {start} to {end or 'now'}; the whole data is shown."
    if relative is None and (since < data.start_s or until > data.end_s):
        return Span(start_s=first, end_s=last), "The data covers a part of the range that the body asks for."
    return Span(start_s=first, end_s=last), ""
