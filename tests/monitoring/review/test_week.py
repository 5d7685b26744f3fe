"""Weeks: ISO numbers, time zones, and the hours that clocks skip or repeat."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from cloudwatch.problems import InvalidValueError
from monitoring.review.week import parse_week, week_before


def second(text: str) -> int:
    """A time in UTC."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def test_a_week_starts_on_monday_at_local_midnight() -> None:
    """In Tokyo that is Sunday afternoon in UTC."""
    week = parse_week("2026-W48", zone="Asia/Tokyo")
    assert week.start_s == second("2026-11-22T15:00:00")
    assert week.end_s - week.start_s == 7 * 86_400
    assert [day.label for day in week.days][:2] == ["Mon 23 Nov", "Tue 24 Nov"]
    assert week.span == "23 to 29 November 2026"


@pytest.mark.parametrize(
    ("name", "hours", "sunday"),
    [pytest.param("2026-W13", 167, 23, id="clocks go forward"), pytest.param("2026-W43", 169, 25, id="clocks go back")],
)
def test_clocks_that_change_make_a_week_longer_or_shorter(name: str, hours: int, sunday: int) -> None:
    """In Berlin the last Sunday of March has 23 hours, that of October 25; the week ends at local midnight."""
    week = parse_week(name, zone="Europe/Berlin")
    assert len(week.hours) == hours
    assert (week.days[-1].end_s - week.days[-1].start_s) // 3600 == sunday
    assert week.local(week.end_s) == "Mon 00:00"


@pytest.mark.parametrize(("name", "before"), [("2027-W01", "2026-W53"), ("2026-W01", "2025-W52")])
def test_the_week_before_may_be_of_another_year(name: str, before: str) -> None:
    """Years have 52 or 53 weeks; the two weeks touch."""
    week = parse_week(name)
    last = week_before(week)
    assert (last.name, last.end_s) == (before, week.start_s)


@pytest.mark.parametrize("text", ["2025-W53", "2026-W00", "W48", "2026-48", "2026-W4", "2026-W48x"])
def test_what_is_no_week_is_refused(text: str) -> None:
    """With the text in the message, or that there is no such week."""
    with pytest.raises(InvalidValueError, match="week"):
        parse_week(text)


def test_an_unknown_zone_is_refused() -> None:
    """A typing error in the zone is named."""
    with pytest.raises(InvalidValueError, match="Europe/Berlln"):
        parse_week("2026-W48", zone="Europe/Berlln")
