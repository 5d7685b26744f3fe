"""Mute rules: when windows open and close, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloudwatch.mute_rules import MuteRule, duration_s, mute_windows, parse_schedule
from cloudwatch.problems import InvalidValueError, TextSyntaxError


def _at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def _windows(
    expression: str, *, start: str, end: str, duration: str = "PT1H", zone: str = "UTC", expire: str | None = None
) -> list[str]:
    rule = MuteRule(
        name="r",
        expression=expression,
        duration=duration,
        alarms=("a",),
        timezone=zone,
        expire_s=None if expire is None else _at(expire),
    )
    return [
        " ".join(datetime.fromtimestamp(edge, tz=UTC).strftime("%a %m-%d %H:%M") for edge in window)
        for window in mute_windows(rule, start_s=_at(start), end_s=_at(end))
    ]


@pytest.mark.parametrize(
    ("expression", "opens"),
    [
        ("cron(0 9 * * SUN#4)", ["Sun 11-22 09:00"]),
        ("cron(0 9 * * 0#4)", ["Sun 11-22 09:00"]),
        ("cron(0 9 * * FRIL)", ["Fri 11-27 09:00"]),
        ("cron(0 9 * * MONL)", ["Mon 11-30 09:00"]),
        ("cron(0 9 L * ?)", ["Mon 11-30 09:00"]),
        ("cron(0 9 L-1 * ?)", ["Sun 11-29 09:00"]),
        ("cron(30 22 1,15 NOV *)", ["Sun 11-01 22:30", "Sun 11-15 22:30"]),
        ("cron(0 0/12 3 * ?)", ["Tue 11-03 00:00", "Tue 11-03 12:00"]),
        ("cron(*/30 4 3 11 ?)", ["Tue 11-03 04:00", "Tue 11-03 04:30"]),
        ("cron(0 1 28-29 * *)", ["Sat 11-28 01:00", "Sun 11-29 01:00"]),
        ("cron(0 9 30 * MON#1)", ["Mon 11-02 09:00", "Mon 11-30 09:00"]),
        ("cron(0 0 31 * *)", []),
        ("at(2026-11-05T14:00)", ["Thu 11-05 14:00"]),
    ],
)
def test_a_schedule_opens_windows(expression: str, opens: list[str]) -> None:
    """Every field and special character over one month."""
    windows = _windows(expression, start="2026-11-01", end="2026-12-01")
    assert [window[:15] for window in windows] == opens


@pytest.mark.parametrize(
    ("field", "days"),
    [
        ("MON-FRI", "Mon Tue Wed Thu Fri"),
        ("SAT,SUN", "Sat Sun"),
        ("FRI-MON", "Mon Fri Sat Sun"),
        ("5-7", "Fri Sat Sun"),
    ],
)
def test_days_of_the_week_have_names_and_numbers(field: str, days: str) -> None:
    """Names, ranges over the weekend, and 7 for Sunday."""
    windows = _windows(f"cron(0 0 ? * {field})", start="2026-11-02", end="2026-11-09")
    assert " ".join(window[:3] for window in windows) == days


def test_a_window_that_began_before_still_counts() -> None:
    """A weekend that began on Friday mutes on Sunday; one that ended does not."""
    weekend = {"expression": "cron(0 18 * * FRI)", "duration": "P2DT12H"}
    assert _windows(**weekend, start="2026-11-08", end="2026-11-09") == ["Fri 11-06 18:00 Mon 11-09 06:00"]
    assert _windows(**weekend, start="2026-11-09T06:00", end="2026-11-10") == []


def test_a_rule_ends_when_it_expires() -> None:
    """No window opens after, and an open one is cut."""
    assert _windows("cron(0 * * * *)", start="2026-11-01", end="2026-11-02", expire="2026-11-01T01:30") == [
        "Sun 11-01 00:00 Sun 11-01 01:00",
        "Sun 11-01 01:00 Sun 11-01 01:30",
    ]
    assert _windows("cron(0 * * * *)", start="2026-11-01", end="2026-11-02", expire="2026-11-01T01:00") == [
        "Sun 11-01 00:00 Sun 11-01 01:00"
    ]


def test_local_time_follows_daylight_saving() -> None:
    """01:00 in Berlin is 23:00 UTC in summer and 00:00 UTC in winter; 02:30 in the night that skips it is 03:30."""
    windows = _windows("cron(0 1 * * ?)", start="2026-10-24", end="2026-10-26T12:00", zone="Europe/Berlin")
    assert [window[:15] for window in windows] == ["Sat 10-24 23:00", "Mon 10-26 00:00"]
    skipped = _windows("cron(30 2 29 3 ?)", start="2026-03-29", end="2026-03-30", zone="Europe/Berlin")
    assert [window[:15] for window in skipped] == ["Sun 03-29 01:30"]


@pytest.mark.parametrize(
    "expression",
    [
        "cron(0 1 * *)",
        "cron(60 1 * * *)",
        "cron(0 24 * * *)",
        "cron(0 1 0 * *)",
        "cron(0 1 * 13 *)",
        "cron(0 1 * * SUN#6)",
        "cron(0 1 * * FUN)",
        "cron(5-1 1 * * *)",
        "cron(*/0 1 * * *)",
        "cron(0 1 15W * *)",
        "rate(1 day)",
        "at(2026-02-30T00:00)",
        "at(tomorrow)",
    ],
)
def test_a_wrong_schedule_is_refused(expression: str) -> None:
    """What is out of range or unknown never becomes a rule that mutes nothing."""
    with pytest.raises(TextSyntaxError):
        parse_schedule(expression)


@given(st.one_of(st.text(max_size=30), st.text("0123456789*,-/?L#SUNMOx ", max_size=20).map("cron({})".format)))
@settings(max_examples=300, derandomize=True)
def test_arbitrary_text_is_a_schedule_or_a_syntax_error(text: str) -> None:
    """The only error is ours, with a place inside the text."""
    try:
        parse_schedule(text)
    except TextSyntaxError as error:
        assert 0 <= error.start <= error.end <= len(text)


@pytest.mark.parametrize(
    ("text", "seconds"), [("PT1M", 60), ("P15D", 1_296_000), ("P2DT12H", 216_000), ("P1W", 604_800)]
)
def test_durations_are_iso_8601(text: str, seconds: int) -> None:
    """One minute to fifteen days."""
    assert duration_s(text) == seconds


@pytest.mark.parametrize("text", ["P16D", "PT59S", "P", "PT", "1H", "P1DT", "PT1H ", "P1M"])
def test_a_wrong_duration_is_refused(text: str) -> None:
    """Beyond the limits, or no duration."""
    with pytest.raises(InvalidValueError):
        duration_s(text)


def test_a_rule_mutes_at_most_100_alarms() -> None:
    """One more is refused."""
    names = tuple(f"a{number}" for number in range(101))
    MuteRule(name="r", expression="cron(0 1 * * *)", duration="PT1H", alarms=names[:100])
    with pytest.raises(InvalidValueError, match="101 alarms"):
        MuteRule(name="r", expression="cron(0 1 * * *)", duration="PT1H", alarms=names)
