"""The week of the alarms: pages, noise, recovery, and what never fired."""

from __future__ import annotations

from cloudwatch.alarm import AlarmState
from monitoring.plan import plan
from monitoring.review.alarm_week import AlarmHistory, AlarmLine, AlarmWeek, Called, Change, review_alarms
from monitoring.review.week import parse_week
from tests.monitoring.sample_plans import deployment

WEEK = parse_week("2026-W48")
PAGED = "llm-prod-nova-pro-fallback"
SILENT = "llm-prod-nova-pro-throttled"


def review(*stretches: tuple[int, int | None], calls: tuple[int, ...]) -> AlarmWeek:
    """The alarms of a week in which one alarm was in ALARM; minutes from Monday midnight."""
    changes = []
    for start, end in stretches:
        changes.append(Change(WEEK.start_s + 60 * start, PAGED, AlarmState.ALARM))
        if end is not None:
            changes.append(Change(WEEK.start_s + 60 * end, PAGED, AlarmState.OK))
    called = tuple(Called(WEEK.start_s + 60 * at, PAGED, AlarmState.ALARM) for at in calls)
    planned = plan(deployment())
    entries = [*planned.alarms, *planned.models[0].alarms]
    return review_alarms(
        entries, history=AlarmHistory(changes=tuple(changes), calls=called, source="made up"), week=WEEK
    )


def line(found: AlarmWeek) -> AlarmLine:
    """The line of the one that fired."""
    return next(each for each in found.lines if each.entry.alarm.name == PAGED)


def test_a_page_that_lasts_is_no_noise() -> None:
    """Two hours in ALARM, one call, recovered after two hours; the others never fired."""
    found = review((100, 220), calls=(100,))
    one = line(found)
    assert (one.fired, len(one.called), one.noise, one.recover_s, one.still) == (1, 1, 0, 7200, False)
    assert (found.pages, found.noise) == (1, 0)
    assert SILENT in found.silent
    assert PAGED not in found.silent


def test_what_clears_itself_or_repeats_is_noise() -> None:
    """Nine minutes is noise, eleven is not; a second call within the hour is noise however long it lasts."""
    assert line(review((100, 109), calls=(100,))).noise == 1
    assert line(review((100, 111), calls=(100,))).noise == 0
    assert line(review((100, 120), (140, 300), calls=(100, 140))).noise == 1
    assert line(review((100, 120), (190, 300), calls=(100, 190))).noise == 0


def test_an_alarm_from_the_week_before_counts_only_in_this_week() -> None:
    """In ALARM since Sunday, over on Monday at 01:00: it did not fire this week, and was in ALARM for an hour."""
    one = line(review((-300, 60), calls=()))
    assert (one.fired, one.in_alarm_s, one.recover_s) == (0, 3600, None)


def test_an_alarm_that_does_not_end_is_said_to_be_still_on() -> None:
    """It lasts to the end of the week and has no time to recover."""
    one = line(review((7 * 1440 - 60, None), calls=(7 * 1440 - 60,)))
    assert (one.still, one.in_alarm_s, one.recover_s, one.noise) == (True, 3600, None, 0)
