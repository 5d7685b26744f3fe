"""From when to when is week 2026-W48, here?

An ISO week runs from Monday to Sunday by the calendar of a time zone. Where clocks change in it, it has 167 or 169 hours and one of
its days 23 or 25: days are cut at local midnight, never every 24 hours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cloudwatch.problems import InvalidValueError

__all__ = ["Day", "Week", "parse_week", "week_before"]

_WEEK = re.compile(r"(\d{4})-?W(\d{2})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """One day: `Mon 23 Nov`, from its first second to the second after its last, since 1970."""

    label: str
    start_s: int
    end_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """One week in one time zone.

    Attributes:
        name: `2026-W48`.
        zone: IANA name of the time zone.
        days: Its seven days.
    """

    name: str
    zone: str
    days: tuple[Day, ...]

    @property
    def start_s(self) -> int:
        """First second, since 1970."""
        return self.days[0].start_s

    @property
    def end_s(self) -> int:
        """Second after the last."""
        return self.days[-1].end_s

    @property
    def hours(self) -> range:
        """First second of each hour."""
        return range(self.start_s, self.end_s, 3600)

    @property
    def minutes(self) -> range:
        """First second of each minute."""
        return range(self.start_s, self.end_s, 60)

    def local(self, at_s: float, pattern: str = "%a %H:%M") -> str:
        """Return a second as the clocks of the zone show it."""
        return datetime.fromtimestamp(at_s, tz=ZoneInfo(self.zone)).strftime(pattern)

    @property
    def span(self) -> str:
        """Its dates in words: `23 to 29 November 2026`."""
        first, last = (datetime.fromtimestamp(at, tz=ZoneInfo(self.zone)) for at in (self.start_s, self.end_s - 1))
        shown = "%-d %B" if first.year == last.year and first.month != last.month else "%-d"
        if first.year != last.year:
            shown = "%-d %B %Y"
        return f"{first.strftime(shown)} to {last.strftime('%-d %B %Y')}"


def parse_week(text: str, *, zone: str = "UTC") -> Week:
    """Return a week by its ISO name.

    Args:
        text: `2026-W48`.
        zone: IANA time zone whose Monday it starts with.

    Raises:
        InvalidValueError: There is no such week, or no such time zone.
    """
    match = _WEEK.fullmatch(text.strip())
    if match is None:
        raise InvalidValueError(f"--week {text!r} is no ISO week; write 2026-W48")
    try:
        monday = date.fromisocalendar(int(match[1]), int(match[2]), 1)
    except ValueError:
        raise InvalidValueError(f"There is no week {match[2]} in {match[1]}") from None
    return _week(monday, zone=zone)


def week_before(week: Week) -> Week:
    """Return the week before, in the same zone."""
    monday = datetime.fromtimestamp(week.start_s, tz=ZoneInfo(week.zone)).date()
    return _week(monday - timedelta(days=7), zone=week.zone)


def _week(monday: date, *, zone: str) -> Week:
    try:
        clock = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError):
        raise InvalidValueError(f"There is no time zone {zone!r}; write for example Europe/Berlin") from None
    year, number, _ = monday.isocalendar()
    midnights = [datetime.combine(monday + timedelta(days=day), time.min, tzinfo=clock) for day in range(8)]
    edges = [int(midnight.astimezone(UTC).timestamp()) for midnight in midnights]
    days = tuple(
        Day(label=midnight.strftime("%a %-d %b"), start_s=start, end_s=end)
        for midnight, start, end in zip(midnights, edges, edges[1:], strict=False)
    )
    return Week(name=f"{year}-W{number:02d}", zone=zone, days=days)
