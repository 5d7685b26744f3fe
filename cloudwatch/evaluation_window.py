"""When does an alarm evaluate, and which slots does it see then?

| period and window           | evaluated      | newest slot ends at     |
| --------------------------- | -------------- | ----------------------- |
| 10, 20 or 30 s              | every 10 s     | now                     |
| from 60 s, N periods <= 1 d | every minute   | the last full minute    |
| N periods > 1 day           | hourly, hh:03  | the top of the hour     |

A sliding window is anchored there, not on multiples of the period: at 12:16 three periods of 300 s start at 12:01, 12:06 and
12:11. A wall-clock window is made of whole hours, local days or ISO weeks instead, exactly N of them, and of completed ones
only. (UG, Alarm evaluation; Alarm limits; Evaluation windows; Alarm warm-up.) Times are seconds since 1970, UTC.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cloudwatch import limits
from cloudwatch.problems import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "WALL_CLOCK_PERIODS_S",
    "check_warm_up",
    "cut_off",
    "evaluation_interval_s",
    "evaluation_range",
    "insights_periods",
    "is_due",
    "on_grid",
    "sliding_starts",
    "wall_clock_slots",
    "warm_up_end",
    "zone_for",
]

WALL_CLOCK_PERIODS_S: Final = (60, 300, 3600, 86_400, 604_800)
_HOURLY_OFFSET_S = 180  # the guide's multi-day alarm evaluates at 10:03, 11:03, 12:03
_INSIGHTS_WINDOW_S = 10_800
_WARM_UP_MIN = 2880
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])([0-9]{2}):([0-9]{2})\Z")


def evaluation_interval_s(period_s: int, *, n: int) -> int:
    """Return how often an alarm with that period and EvaluationPeriods evaluates, seconds."""
    if period_s in limits.HIGH_RESOLUTION_PERIODS_S:
        return 10
    return 3600 if period_s * n > 86_400 else 60


def is_due(at_s: int, *, period_s: int, n: int) -> bool:
    """Return whether an evaluation takes place at that second (to which it is attributed; AWS runs it some 5 s later)."""
    interval = evaluation_interval_s(period_s, n=n)
    return at_s % interval == (_HOURLY_OFFSET_S if interval == 3600 else 0)


def cut_off(at_s: int, *, period_s: int, n: int) -> int:
    """Return where the newest slot of an evaluation ends."""
    return at_s - at_s % evaluation_interval_s(period_s, n=n)


def evaluation_range(n: int, *, extra: int, wall_clock: bool = False) -> int:
    """Return how many slots an evaluation retrieves: N and `extra` (`Switches.evaluation_range_extra`), or N by wall clock."""
    return n if wall_clock else n + extra


def sliding_starts(at_s: int, *, period_s: int, n: int, slots: int) -> tuple[int, ...]:
    """Return the starts of the newest `slots` slots that an evaluation sees, oldest first."""
    end = cut_off(at_s, period_s=period_s, n=n)
    return tuple(range(end - slots * period_s, end, period_s))


def on_grid(received: Iterable[int], *, at_s: int, period_s: int) -> tuple[int, ...]:
    """Return those timestamps that an evaluation takes from a connected data source; the others are dropped."""
    phase = (at_s - at_s % 60) % period_s
    return tuple(stamp for stamp in received if stamp % period_s == phase)


def wall_clock_slots(at_s: int, *, period_s: int, slots: int, zone: tzinfo) -> tuple[tuple[int, int], ...]:
    """Return start and end of the newest completed wall-clock slots, oldest first; a local day may have 23 or 25 hours.

    Raises:
        InvalidValueError: The period has no wall-clock slots.
    """
    if period_s not in WALL_CLOCK_PERIODS_S:
        raise InvalidValueError(
            f"Period {period_s} s: a wall-clock window takes {', '.join(map(str, WALL_CLOCK_PERIODS_S))}"
        )
    found: list[tuple[int, int]] = []
    end = _slot_start(at_s, period_s=period_s, zone=zone)
    for _ in range(slots):
        start = _slot_start(end - 1, period_s=period_s, zone=zone)
        found.append((start, end))
        end = start
    return tuple(reversed(found))


def zone_for(text: str) -> tzinfo:
    """Return the zone of an IANA name, or of `+05:30`, `UTC+05:30`, `GMT-08:00` in steps of five minutes.

    Raises:
        InvalidValueError: It is neither.
    """
    matched = _OFFSET.match(text)
    if matched:
        hours, minutes = int(matched.group(2)), int(matched.group(3))
        if minutes % 5 or minutes > 59 or hours * 60 + minutes > 18 * 60:
            raise InvalidValueError(f"Timezone {text!r}: an offset is at most 18:00, in steps of 5 minutes")
        offset = timedelta(hours=hours, minutes=minutes)
        return timezone(-offset if matched.group(1) == "-" else offset)
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidValueError(f"Timezone {text!r}: neither an IANA name nor an offset such as +05:30") from None


def insights_periods(period_s: int, *, wall_clock: bool) -> int:
    """Return the largest EvaluationPeriods of a Metrics Insights alarm: it reads the last three hours only.

    By wall clock the running period counts too, although it is not evaluated.
    """
    return _INSIGHTS_WINDOW_S // period_s - int(wall_clock)


def check_warm_up(minutes: int) -> None:
    """Raise InvalidValueError unless a warm-up period has 1 to 2,880 minutes."""
    if not 1 <= minutes <= _WARM_UP_MIN:
        raise InvalidValueError(f"WarmUpPeriod {minutes} minutes: CloudWatch takes 1 to {_WARM_UP_MIN}")


def warm_up_end(
    created_s: int,
    *,
    first_data_s: int | None,
    period_s: int,
    n: int,
    warm_up_s: int | None = None,
    only_after_warm_up: bool = False,
) -> int | None:
    """Return when evaluation begins: as soon as N periods of data are there, at the latest when the warm-up is over.

    Args:
        created_s: When the alarm was created.
        first_data_s: When its first datapoint starts, or None if none came.
        period_s: Period.
        n: EvaluationPeriods; M plays no part.
        warm_up_s: Length of the warm-up, or None if only the data end it.
        only_after_warm_up: Wait for the whole warm-up, whatever the data.

    Returns:
        The second, or None if neither data nor a warm-up length end it.
    """
    longest = None if warm_up_s is None else created_s + warm_up_s
    filled = None if first_data_s is None or only_after_warm_up else max(first_data_s, created_s) + period_s * n
    ends = [end for end in (longest, filled) if end is not None]
    return min(ends, default=None)


def _slot_start(at_s: int, *, period_s: int, zone: tzinfo) -> int:
    local = datetime.fromtimestamp(at_s, tz=UTC).astimezone(zone)
    if period_s >= 86_400:
        days = local.weekday() if period_s == 604_800 else 0
        midnight = datetime(local.year, local.month, local.day, tzinfo=zone) - timedelta(days=days)
        return int(midnight.timestamp())
    offset = local.utcoffset() or timedelta()
    return at_s - (at_s + int(offset.total_seconds())) % period_s
