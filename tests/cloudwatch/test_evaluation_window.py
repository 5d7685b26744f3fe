"""When alarms evaluate and which slots they see: intervals, wall clocks, zones, warm-up."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from cloudwatch.evaluation_window import (
    cut_off,
    evaluation_interval_s,
    insights_periods,
    is_due,
    sliding_starts,
    wall_clock_slots,
    warm_up_end,
    zone_for,
)
from cloudwatch.problems import InvalidValueError


def _at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def _slots(at: str, *, period_s: int, slots: int, zone: str) -> list[str]:
    tz = ZoneInfo(zone)
    return [
        " ".join(f"{datetime.fromtimestamp(edge, tz=UTC).astimezone(tz):%a %d %H:%M}" for edge in slot)
        for slot in wall_clock_slots(_at(at), period_s=period_s, slots=slots, zone=tz)
    ]


def test_the_interval_depends_on_period_and_total_window() -> None:
    """High resolution every 10 s, up to a day every minute, beyond a day hourly at three past."""
    assert [evaluation_interval_s(*case[:1], n=case[1]) for case in [(10, 3), (60, 1440), (3600, 24), (3600, 25)]] == [
        10,
        60,
        60,
        3600,
    ]
    assert [is_due(_at(f"2026-11-02T10:{minute}"), period_s=86_400, n=2) for minute in ("00", "03", "04")] == [
        False,
        True,
        False,
    ]


def test_a_multi_day_window_ends_at_the_top_of_the_hour() -> None:
    """At 11:03 the newest day ends at 11:00."""
    at = _at("2026-11-02T11:03")
    assert cut_off(at, period_s=86_400, n=2) == _at("2026-11-02T11:00")
    assert sliding_starts(at, period_s=86_400, n=2, slots=2) == (_at("2026-10-31T11:00"), _at("2026-11-01T11:00"))


def test_wall_clock_days_follow_daylight_saving() -> None:
    """The local day of the change has 25 hours, the slots stay without gap."""
    slots = wall_clock_slots(_at("2026-10-27T12:00"), period_s=86_400, slots=3, zone=ZoneInfo("Europe/Berlin"))
    assert [(end - start) // 3600 for start, end in slots] == [24, 25, 24]
    assert all(before[1] == after[0] for before, after in itertools.pairwise(slots))
    assert slots[-1][1] == _at("2026-10-26T23:00")


def test_wall_clock_slots_are_completed_ones() -> None:
    """At 14:07 the newest full hour is 13 to 14; a full hour counts from its very end."""
    assert _slots("2026-11-04T14:07", period_s=3600, slots=2, zone="UTC") == [
        "Wed 04 12:00 Wed 04 13:00",
        "Wed 04 13:00 Wed 04 14:00",
    ]
    assert _slots("2026-11-04T14:07", period_s=300, slots=2, zone="UTC") == [
        "Wed 04 13:55 Wed 04 14:00",
        "Wed 04 14:00 Wed 04 14:05",
    ]
    assert _slots("2026-11-04T14:00", period_s=3600, slots=1, zone="UTC") == ["Wed 04 13:00 Wed 04 14:00"]
    assert _slots("2026-11-04T14:07", period_s=604_800, slots=1, zone="Asia/Kolkata") == ["Mon 26 00:00 Mon 02 00:00"]
    assert _slots("2026-11-04T14:07", period_s=3600, slots=1, zone="Asia/Kolkata") == ["Wed 04 18:00 Wed 04 19:00"]


def test_wall_clock_hours_come_twice_when_clocks_go_back() -> None:
    """02:00 to 03:00 happens twice, and both are slots of an hour."""
    slots = wall_clock_slots(_at("2026-10-25T02:00"), period_s=3600, slots=3, zone=ZoneInfo("Europe/Berlin"))
    assert [end - start for start, end in slots] == [3600, 3600, 3600]


@pytest.mark.parametrize(
    ("text", "hours"), [("+05:30", 5.5), ("UTC+05:30", 5.5), ("GMT-08:00", -8.0), ("+00:05", 1 / 12), ("UTC", 0.0)]
)
def test_offsets_are_zones(text: str, hours: float) -> None:
    """With and without UTC or GMT before them."""
    assert zone_for(text).utcoffset(datetime(2026, 1, 1, tzinfo=UTC)) == timedelta(hours=hours)


@pytest.mark.parametrize("text", ["+01:03", "+25:00", "Mars/Olympus", "", "../etc/passwd", "+5:30", "UTC+5"])
def test_other_texts_are_no_zones(text: str) -> None:
    """Steps of five minutes, known names, nothing else."""
    with pytest.raises(InvalidValueError):
        zone_for(text)


def test_metrics_insights_reads_three_hours() -> None:
    """By wall clock the running period takes one of them."""
    assert (insights_periods(3600, wall_clock=False), insights_periods(3600, wall_clock=True)) == (3, 2)


@pytest.mark.parametrize(
    ("first", "length", "only", "end"),
    [
        ("10:04", None, False, "10:19"),
        ("10:04", 600, False, "10:10"),
        ("10:04", 3600, True, "11:00"),
        (None, 3600, False, "11:00"),
        ("09:00", None, False, "10:15"),
    ],
)
def test_warm_up_ends_with_data_or_with_its_length(first: str | None, length: int | None, only: bool, end: str) -> None:
    """As soon as N periods are there, unless the whole warm-up is asked for; data from before creation do not shorten it."""
    got = warm_up_end(
        _at("2026-11-02T10:00"),
        first_data_s=None if first is None else _at(f"2026-11-02T{first}"),
        period_s=300,
        n=3,
        warm_up_s=length,
        only_after_warm_up=only,
    )
    assert got == _at(f"2026-11-02T{end}")
