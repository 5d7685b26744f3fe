"""When are which alarms muted? Alarm mute rules and their windows.

A schedule is `cron(minute hour day-of-month month day-of-week)` or `at(yyyy-MM-ddThh:mm)`, in a time zone; each of its times
opens a window of the rule's duration (UG, Alarm mute rules; API, PutAlarmMuteRule). Fields take `* , - /`, days also `?`,
`L` (last day of the month, `FRIL` or `5L` the last Friday) and `SUN#4` (the fourth Sunday). Days of the week count from 0 =
Sunday; 7 is Sunday too. Where both day fields are given either opens a window, as in other five-field schedules; AWS does
not say. A time that the clocks skip is taken as after the gap, one that comes twice as the first.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

from cloudwatch import limits
from cloudwatch.evaluation_window import zone_for
from cloudwatch.problems import InvalidValueError, TextSyntaxError

__all__ = ["MuteRule", "Schedule", "duration_s", "mute_windows", "parse_schedule"]

_TARGETS = 100
_LONGEST_S = 15 * 86_400
_MONTH_NUMBERS: Final = {
    name: number
    for number, name in enumerate(
        ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"), start=1
    )
}
_DAY_NUMBERS: Final = {name: number for number, name in enumerate(("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"))}
_DURATION = re.compile(r"P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,7})S)?)?\Z")
_AT = re.compile(r"at\((\d{4}-\d\d-\d\dT\d\d:\d\d)(?::\d\d)?\)\Z")
_CRON = re.compile(r"cron\(\s*(.*?)\s*\)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When windows open, in local time.

    Attributes:
        once: The single time of `at(...)`, or None.
        minutes: 0 to 59.
        hours: 0 to 23.
        days: Days of the month; None for any.
        last_day_offsets: Days before the last of the month that count: {0} for `L`.
        months: 1 to 12.
        weekdays: 0 = Sunday to 6; None for any.
        weekday_ordinals: Pairs of weekday and ordinal in the month, 0 for the last.
    """

    once: datetime | None = None
    minutes: frozenset[int] = frozenset()
    hours: frozenset[int] = frozenset()
    days: frozenset[int] | None = None
    last_day_offsets: frozenset[int] = frozenset()
    months: frozenset[int] = frozenset()
    weekdays: frozenset[int] | None = None
    weekday_ordinals: frozenset[tuple[int, int]] = frozenset()

    def opens_on(self, day: date) -> bool:
        """Return whether a window opens on a local day."""
        if self.once is not None:
            return self.once.date() == day
        if day.month not in self.months:
            return False
        by_month, by_week = self._by_month(day), self._by_week(day)
        if self.days is None:
            return by_week
        return by_month if self.weekdays is None else by_month or by_week

    def _by_month(self, day: date) -> bool:
        last = calendar.monthrange(day.year, day.month)[1]
        return self.days is None or day.day in self.days or last - day.day in self.last_day_offsets

    def _by_week(self, day: date) -> bool:
        weekday = day.isoweekday() % 7
        last = calendar.monthrange(day.year, day.month)[1]
        ordinals = {(weekday, (day.day + 6) // 7)} | ({(weekday, 0)} if day.day + 7 > last else set())
        return self.weekdays is None or weekday in self.weekdays or bool(ordinals & self.weekday_ordinals)


@dataclass(frozen=True, slots=True, kw_only=True)
class MuteRule:
    """An alarm mute rule.

    Attributes:
        name: Name of the rule.
        expression: `cron(...)` or `at(...)`.
        duration: ISO 8601, PT1M to P15D.
        alarms: Names of the alarms it mutes, at most 100.
        timezone: IANA name or offset.
        start_s: No window opens before, seconds since 1970; None for no limit.
        expire_s: No window opens at or after, and an open one ends there; None for no limit.

    Raises:
        InvalidValueError: PutAlarmMuteRule would refuse it.
    """

    name: str
    expression: str
    duration: str
    alarms: tuple[str, ...]
    timezone: str = "UTC"
    start_s: int | None = None
    expire_s: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.name) <= limits.ALARM_NAME_LENGTH:
            raise InvalidValueError(f"Mute rule name has {len(self.name)} characters, CloudWatch takes 1 to 255")
        if len(self.alarms) > _TARGETS:
            raise InvalidValueError(f"{self.name}: {len(self.alarms)} alarms, a mute rule takes {_TARGETS}")
        parse_schedule(self.expression)
        duration_s(self.duration)
        zone_for(self.timezone)
        if self.start_s is not None and self.expire_s is not None and self.expire_s <= self.start_s:
            raise InvalidValueError(f"{self.name}: it expires before it starts")


def mute_windows(rule: MuteRule, *, start_s: int, end_s: int) -> tuple[tuple[int, int], ...]:
    """Return the windows of a rule that reach into `start_s` to `end_s`: half-open, in order, uncut, maybe overlapping."""
    schedule, length, zone = parse_schedule(rule.expression), duration_s(rule.duration), zone_for(rule.timezone)
    found: list[tuple[int, int]] = []
    day = datetime.fromtimestamp(start_s - length, tz=UTC).date() - timedelta(days=1)
    last = datetime.fromtimestamp(end_s, tz=UTC).date() + timedelta(days=1)
    while day <= last:
        if schedule.opens_on(day):
            found += [(opens, opens + length) for opens in _times_of(schedule, day, zone=zone)]
        day += timedelta(days=1)
    limit = rule.expire_s
    return tuple(
        (opens, closes if limit is None else min(closes, limit))
        for opens, closes in sorted(set(found))
        if (rule.start_s is None or opens >= rule.start_s)
        and (limit is None or opens < limit)
        and opens < end_s
        and closes > start_s
    )


def duration_s(text: str) -> int:
    """Return the seconds of a duration such as `PT6H` or `P2DT12H`.

    Raises:
        InvalidValueError: It is no ISO 8601 duration of one minute to fifteen days.
    """
    matched = _DURATION.match(text)
    numbers = [int(part or 0) for part in matched.groups()] if matched else []
    if matched is None or text.endswith(("P", "T")):
        raise InvalidValueError(f"Duration {text[:40]!r}: an ISO 8601 duration such as PT30M or P2DT12H")
    total = sum(number * unit for number, unit in zip(numbers, (604_800, 86_400, 3600, 60, 1), strict=True))
    if not 60 <= total <= _LONGEST_S:
        raise InvalidValueError(f"Duration {text!r}: a mute window lasts PT1M to P15D")
    return total


def parse_schedule(text: str) -> Schedule:
    """Return the schedule of `cron(...)` or `at(...)`.

    Raises:
        TextSyntaxError: It is neither, or a field is out of range.
    """
    once = _AT.match(text)
    if once:
        try:
            return Schedule(once=datetime.fromisoformat(once.group(1)))  # local: the rule brings the zone
        except ValueError as error:
            raise TextSyntaxError(f"No such time: {error}", text=text, start=3, end=len(text) - 1) from None
    cron = _CRON.match(text)
    if not cron:
        raise TextSyntaxError(
            "A schedule is cron(minute hour day-of-month month day-of-week) or at(yyyy-MM-ddThh:mm)", text=text, start=0
        )
    fields = [(found.group(), cron.start(1) + found.start()) for found in re.finditer(r"\S+", cron.group(1))]
    if len(fields) != 5:
        raise TextSyntaxError(
            f"cron() takes 5 fields, here are {len(fields)}", text=text, start=cron.start(1), end=cron.end(1)
        )
    minute, hour, day, month, weekday = (_Field(text, at=at, written=written) for written, at in fields)
    days, offsets = day.days_of_month()
    weekdays, ordinals = weekday.days_of_week()
    return Schedule(
        minutes=minute.numbers(0, 59),
        hours=hour.numbers(0, 23),
        days=days,
        last_day_offsets=offsets,
        months=month.numbers(1, 12, names=_MONTH_NUMBERS),
        weekdays=weekdays,
        weekday_ordinals=ordinals,
    )


class _Field:
    """One field of a schedule, and where it stands in the text."""

    def __init__(self, text: str, *, at: int, written: str) -> None:
        self.text, self.at, self.written = text, at, written.upper()

    def error(self, message: str) -> TextSyntaxError:
        return TextSyntaxError(
            f"{self.written!r}: {message}", text=self.text, start=self.at, end=self.at + len(self.written)
        )

    def numbers(self, low: int, high: int, *, names: dict[str, int] | None = None) -> frozenset[int]:
        return frozenset(
            number for part in self.written.split(",") for number in self.range_of(part, low, high=high, names=names)
        )

    def range_of(self, part: str, low: int, *, high: int, names: dict[str, int] | None = None) -> range:
        body, slash, step = part.partition("/")
        if slash and not (step.isascii() and step.isdigit() and 1 <= int(step[:4]) <= 999):
            raise self.error("a step is a number of 1 or more")
        first, dash, final = body.partition("-")
        if first == "*" and not dash:
            start, stop = low, high
        else:
            start = self.number(first, low, high=high, names=names)
            stop = self.number(final, low, high=high, names=names) if dash else (high if slash else start)
        if stop < start:
            raise self.error("a range runs upwards")
        return range(start, stop + 1, int(step) if slash else 1)

    def number(self, word: str, low: int, *, high: int, names: dict[str, int] | None) -> int:
        if names and word in names:
            return names[word]
        if not (word.isascii() and word.isdigit() and len(word) <= 4 and low <= int(word) <= high):
            raise self.error(f"expected {low} to {high}{' or a name' if names else ''}")
        return int(word)

    def days_of_month(self) -> tuple[frozenset[int] | None, frozenset[int]]:
        if self.written in {"*", "?"}:
            return None, frozenset()
        days: set[int] = set()
        offsets: set[int] = set()
        for part in self.written.split(","):
            if part == "L":
                offsets.add(0)
            elif part.startswith("L-"):
                offsets.add(self.number(part[2:], 1, high=30, names=None))
            else:
                days.update(self.range_of(part, 1, high=31))
        return frozenset(days), frozenset(offsets)

    def days_of_week(self) -> tuple[frozenset[int] | None, frozenset[tuple[int, int]]]:
        if self.written in {"*", "?"}:
            return None, frozenset()
        days: set[int] = set()
        ordinals: set[tuple[int, int]] = set()
        for part in self.written.split(","):
            name, hash_sign, ordinal = part.partition("#")
            if hash_sign:
                ordinals.add((self.weekday(name), self.number(ordinal, 1, high=5, names=None)))
            elif part == "L":
                days.add(6)
            elif part.endswith("L"):
                ordinals.add((self.weekday(part[:-1]), 0))
            else:
                days.update(number % 7 for number in self.week_range(part))
        return frozenset(days), frozenset(ordinals)

    def weekday(self, word: str) -> int:
        return self.number(word, 0, high=7, names=_DAY_NUMBERS) % 7

    def week_range(self, part: str) -> range:
        body, slash, step = part.partition("/")
        first, dash, final = body.partition("-")
        if dash and final in {"SUN", "0"}:  # MON-SUN
            body = f"{first}-7"
        elif dash and self.weekday(final) < self.weekday(first) and final in _DAY_NUMBERS:  # FRI-MON
            start = self.weekday(first)
            return range(start, self.weekday(final) + 8)
        elif body == "*":
            body = "0-6"
        return self.range_of(f"{body}{slash}{step}", 0, high=7, names=_DAY_NUMBERS)


def _times_of(schedule: Schedule, day: date, *, zone: tzinfo) -> list[int]:
    if schedule.once is not None:
        return [int(schedule.once.replace(tzinfo=zone).timestamp())]
    return [
        int(datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone).timestamp())
        for hour in sorted(schedule.hours)
        for minute in sorted(schedule.minutes)
    ]
