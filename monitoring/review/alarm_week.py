"""Who was called this week, was it worth it, and how fast was it over?

From the history of alarms: changes of state and actions that ran. A page is an action of a page-severity cause that ran on entry into
ALARM. It is noise where it cleared itself within ten minutes, before anybody could have helped, or where it repeats a page of the same
alarm within the hour: one incident, two calls. Time to recover runs from the change into ALARM to the next change out of it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from alarms.alarm_set import Role, Severity
from cloudwatch.alarm import AlarmState

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from alarms.alarm_set import AlarmEntry
    from cloudwatch.timeline import Timeline
    from monitoring.review.week import Week

__all__ = [
    "AlarmHistory",
    "AlarmLine",
    "AlarmWeek",
    "Called",
    "Change",
    "HistoryItem",
    "history_from_items",
    "history_of",
    "review_alarms",
]

SELF_CLEARED_S = 600
REPEATED_S = 3600
_ONE_RUN_S = 60


class Change(NamedTuple):
    """An alarm entered a state, second since 1970."""

    at_s: int
    alarm: str
    state: AlarmState


class Called(NamedTuple):
    """Actions of an alarm ran for a state."""

    at_s: int
    alarm: str
    state: AlarmState


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmHistory:
    """What alarms did.

    Attributes:
        changes: In order of time.
        calls: Actions that ran, in order of time.
        source: Where it is from, in words: `history of the alarms`, `replayed over the recording`.
    """

    changes: tuple[Change, ...]
    calls: tuple[Called, ...]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmLine:
    """One cause in one week.

    Attributes:
        entry: The alarm.
        fired: How often it went into ALARM.
        called: Seconds at which its actions ran for ALARM.
        noise: How many of these were noise.
        recover_s: Median time to recover, or None where it never did.
        in_alarm_s: Time in ALARM within the week.
        still: Whether it was in ALARM at the end.
    """

    entry: AlarmEntry
    fired: int
    called: tuple[int, ...]
    noise: int
    recover_s: float | None
    in_alarm_s: int
    still: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmWeek:
    """The causes of an account in a week: those that fired, busiest first, and the names of those that did not."""

    lines: tuple[AlarmLine, ...]
    silent: tuple[str, ...]
    source: str

    @property
    def pages(self) -> int:
        """How often somebody was paged."""
        return sum(len(line.called) for line in self.lines if line.entry.severity is Severity.PAGE)

    @property
    def noise(self) -> int:
        """How many of these pages were noise."""
        return sum(line.noise for line in self.lines if line.entry.severity is Severity.PAGE)


class HistoryItem(NamedTuple):
    """An item of DescribeAlarmHistory: second, alarm, type, summary, and its data parsed, or None."""

    at_s: int
    alarm: str
    kind: str
    summary: str
    data: Any


def history_from_items(items: Iterable[HistoryItem], *, names: Iterable[str], source: str) -> AlarmHistory:
    """Return what alarms did from their own history; items of other alarms, and ones that say nothing, are left out.

    An action counts for the state that the alarm had then; several topics of one alarm are one call.
    """
    wanted = set(names)
    changes: list[Change] = []
    ran: list[tuple[int, str]] = []
    for item in items:
        if item.alarm not in wanted:
            continue
        if item.kind == "Action" and "Successfully executed" in item.summary:
            ran.append((item.at_s, item.alarm))
        elif item.kind == "StateUpdate":
            state = _new_state(item.data)
            if state is not None:
                changes.append(Change(item.at_s, item.alarm, state))
    changes.sort()
    by_alarm: dict[str, list[Change]] = defaultdict(list)
    for change in changes:
        by_alarm[change.alarm].append(change)
    calls = {
        Called(at_s, name, before[-1].state)
        for at_s, name in ran
        if (before := [change for change in by_alarm[name] if change.at_s <= at_s])
    }
    return AlarmHistory(changes=tuple(changes), calls=_once(sorted(calls)), source=source)


def history_of(timeline: Timeline) -> AlarmHistory:
    """Return what alarms would have done over a recording."""
    return AlarmHistory(
        changes=tuple(Change(change.at_s, change.alarm, change.state) for change in timeline.changes),
        calls=tuple(Called(ran.at_s, ran.alarm, ran.state) for ran in timeline.notifications),
        source="replayed over the recorded metrics",
    )


def review_alarms(entries: Iterable[AlarmEntry], *, history: AlarmHistory, week: Week) -> AlarmWeek:
    """Return the week of every cause."""
    changes: dict[str, list[Change]] = defaultdict(list)
    for change in history.changes:
        if change.at_s < week.end_s:
            changes[change.alarm].append(change)
    calls: dict[str, list[int]] = defaultdict(list)
    for call in history.calls:
        if call.state is AlarmState.ALARM and week.start_s <= call.at_s < week.end_s:
            calls[call.alarm].append(call.at_s)
    lines: list[AlarmLine] = []
    silent: list[str] = []
    for entry in entries:
        if entry.role is not Role.CAUSE:
            continue
        line = _line(entry, changes=changes[entry.alarm.name], called=calls[entry.alarm.name], week=week)
        if line.fired or line.called or line.in_alarm_s:
            lines.append(line)
        else:
            silent.append(entry.alarm.name)
    order = [Severity.PAGE, Severity.TICKET, Severity.NOTE, None]
    lines.sort(key=lambda line: (order.index(line.entry.severity), -len(line.called), -line.fired))
    return AlarmWeek(lines=tuple(lines), silent=tuple(silent), source=history.source)


def _line(entry: AlarmEntry, *, changes: Sequence[Change], called: Sequence[int], week: Week) -> AlarmLine:
    stretches: list[tuple[int, int | None]] = []
    since: int | None = None
    for change in changes:
        if change.state is AlarmState.ALARM and since is None:
            since = change.at_s
        elif change.state is not AlarmState.ALARM and since is not None:
            stretches.append((since, change.at_s))
            since = None
    if since is not None:
        stretches.append((since, None))
    inside = [(start, end) for start, end in stretches if end is None or end > week.start_s]
    recovered = [end - start for start, end in inside if end is not None and start >= week.start_s]
    return AlarmLine(
        entry=entry,
        fired=sum(start >= week.start_s for start, _ in inside),
        called=tuple(called),
        noise=sum(_is_noise(at, called=called, stretches=inside) for at in called),
        recover_s=median(recovered) if recovered else None,
        in_alarm_s=sum((end or week.end_s) - max(start, week.start_s) for start, end in inside),
        still=bool(inside) and inside[-1][1] is None,
    )


def _is_noise(at: int, *, called: Sequence[int], stretches: Sequence[tuple[int, int | None]]) -> bool:
    if any(0 < at - other <= REPEATED_S for other in called):
        return True
    own = [end for start, end in stretches if start <= at and (end is None or end >= at)]
    return bool(own) and own[-1] is not None and own[-1] - at <= SELF_CLEARED_S


def _new_state(data: Any) -> AlarmState | None:
    try:
        return AlarmState(data["newState"]["stateValue"])
    except (ValueError, KeyError, TypeError):
        return None


def _once(calls: Sequence[Called]) -> tuple[Called, ...]:
    kept: list[Called] = []
    for call in calls:
        same = [each for each in kept if (each.alarm, each.state) == (call.alarm, call.state)]
        if not same or call.at_s - same[-1].at_s >= _ONE_RUN_S:
            kept.append(call)
    return tuple(kept)
