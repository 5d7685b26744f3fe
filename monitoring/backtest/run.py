"""How often would each alarm have fired and called somebody, when, for how long, and against what really fired?

All alarms of an account and Region run over the recording as CloudWatch would run them. An alarm that cannot be computed from
it (an anomaly band, a percentile nobody recorded) is left out together with the composites over it, and said. What really
fired is the alarm history in the recording; a firing is the same one when the two lie within ten minutes of each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from alarms.alarm_set import Severity
from cloudwatch.alarm import AlarmState, CompositeAlarm, MetricAlarm
from cloudwatch.alarm_points import reader_for, sources_of
from cloudwatch.alarm_rule import children, parse_rule, referenced_name
from cloudwatch.problems import InvalidValueError
from cloudwatch.series import GivenStatistic
from cloudwatch.stat import Plain, parse_stat
from cloudwatch.switches import DEFAULT_SWITCHES
from cloudwatch.timeline import run_timeline

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from alarms.alarm_set import AlarmEntry
    from cloudwatch.alarm import Alarm
    from cloudwatch.store import MetricStore
    from cloudwatch.timeline import Timeline

__all__ = ["Backtest", "Firing", "Row", "backtest", "firings", "history_of", "referred", "runnable"]

SAME_S = 600
_WEEK_S = 7 * 86_400

Firing = tuple[int, int]
"""From and to, epoch seconds; one that was still on at the end ends there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One alarm.

    Attributes:
        entry: The alarm.
        firings: When it would have been in ALARM.
        calls: When its ALARM action would have run.
        real: When it really was in ALARM, or None where the recording does not know.
        matched: Firings that are in both.
        has_data: Whether the recording holds anything that it reads.
        skipped: Why it was left out, or "".
    """

    entry: AlarmEntry
    firings: tuple[Firing, ...] = ()
    calls: tuple[int, ...] = ()
    real: tuple[Firing, ...] | None = None
    matched: int = 0
    has_data: bool = True
    skipped: str = ""

    @property
    def minutes(self) -> float:
        """Minutes in ALARM."""
        return sum(end - start for start, end in self.firings) / 60

    @property
    def pages(self) -> int:
        """How often it would have woken somebody."""
        return len(self.calls) if self.entry.severity is Severity.PAGE else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Backtest:
    """All alarms of an account and Region over a recording.

    Attributes:
        start_s, end_s: What was run.
        rows: In the order of the alarms.
        notes: What limits the answer, one sentence each.
    """

    start_s: int
    end_s: int
    rows: tuple[Row, ...]
    notes: tuple[str, ...]

    @property
    def weeks(self) -> float:
        """Length."""
        return (self.end_s - self.start_s) / _WEEK_S

    @property
    def pages(self) -> int:
        """How often somebody would have been woken."""
        return sum(row.pages for row in self.rows)


def backtest(
    entries: Iterable[AlarmEntry],
    *,
    store: MetricStore,
    start_s: int,
    end_s: int,
    history: Mapping[str, Sequence[Firing]] | None = None,
) -> Backtest:
    """Run alarms over a recording.

    Args:
        entries: The alarms; children of composites among them.
        store: What was recorded.
        start_s: From, a whole minute, epoch seconds.
        end_s: To, a whole minute.
        history: What really fired, by alarm name (`history_of`), or None where nobody recorded it.
    """
    known = list(entries)
    kept, skipped = runnable(known, store=store, start_s=start_s)
    timeline = run_timeline([entry.alarm for entry in kept], store=store, start=start_s, end=end_s) if kept else None
    calls = _calls(timeline)
    rows = []
    for entry in known:
        name = entry.alarm.name
        if timeline is None or name in skipped:
            rows.append(Row(entry=entry, skipped=skipped.get(name, "nothing can be run")))
            continue
        found = firings(timeline, name)
        real = None if history is None else tuple(history.get(name, ()))
        rows.append(
            Row(
                entry=entry,
                firings=found,
                calls=tuple(calls.get(name, ())),
                real=real,
                matched=sum(any(_same(one, other) for other in real or ()) for one in found),
                has_data=_has_data(entry.alarm, store),
            )
        )
    return Backtest(start_s=start_s, end_s=end_s, rows=tuple(rows), notes=tuple(_notes(known, store)))


def runnable(
    entries: Sequence[AlarmEntry], *, store: MetricStore, start_s: int
) -> tuple[list[AlarmEntry], dict[str, str]]:
    """Return the alarms that can be computed from a recording, and for the others why not, by name."""
    skipped: dict[str, str] = {}
    present = {entry.alarm.name for entry in entries}
    for entry in entries:
        if isinstance(entry.alarm, MetricAlarm):
            try:
                reader = reader_for(entry.alarm, switches=DEFAULT_SWITCHES)
                starts = start_s + entry.alarm.period_s * np.arange(2, dtype=np.int64)
                reader.points(store, starts=starts)
            except InvalidValueError as error:
                skipped[entry.alarm.name] = str(error).removeprefix(f"{entry.alarm.name}: ")
    again = True
    while again:
        again = False
        for entry in entries:
            alarm = entry.alarm
            if isinstance(alarm, CompositeAlarm) and alarm.name not in skipped:
                missing = [name for name in referred(alarm) if name in skipped or name not in present]
                if missing:
                    skipped[alarm.name] = f"it needs {missing[0]}, which was left out"
                    again = True
    return [entry for entry in entries if entry.alarm.name not in skipped], skipped


def referred(alarm: CompositeAlarm) -> tuple[str, ...]:
    """Return the names of the alarms that a composite reads, its suppressor included."""
    names = [referenced_name(child) for child in children(parse_rule(alarm.rule))]
    if alarm.suppressor is not None:
        names.append(referenced_name(alarm.suppressor.alarm))
    return tuple(dict.fromkeys(names))


def firings(timeline: Timeline, alarm: str) -> tuple[Firing, ...]:
    """Return when an alarm was in ALARM."""
    codes = timeline.codes[alarm] == 1
    edges = np.flatnonzero(np.diff(codes.astype(np.int8), prepend=0, append=0))
    seconds = (timeline.start_s + edges * timeline.tick_s).tolist()
    return tuple((start, min(end, timeline.end_s)) for start, end in zip(seconds[::2], seconds[1::2], strict=True))


def history_of(records: Iterable[tuple[int, Mapping[str, Any]]], *, end_s: int) -> dict[str, list[Firing]]:
    """Return what really fired, by alarm name.

    Args:
        records: Second and item of the alarm history, as recorded (docs/recording.md).
        end_s: Where a firing ends that was still on.
    """
    found: dict[str, list[Firing]] = {}
    since: dict[str, int] = {}
    for at, item in sorted(records, key=lambda pair: pair[0]):
        if item.get("type") != "StateUpdate":
            continue
        name = str(item.get("alarm"))
        state = ((item.get("data") or {}).get("newState") or {}).get("stateValue")
        if state == AlarmState.ALARM:
            since.setdefault(name, at)
        elif state is not None and name in since:
            found.setdefault(name, []).append((since.pop(name), at))
    for name, at in since.items():
        found.setdefault(name, []).append((at, max(at, end_s)))
    return found


def _calls(timeline: Timeline | None) -> dict[str, list[int]]:
    calls: dict[str, list[int]] = {}
    for notification in timeline.notifications if timeline is not None else ():
        if notification.state is AlarmState.ALARM:
            calls.setdefault(notification.alarm, []).append(notification.at_s)
    return calls


def _same(one: Firing, other: Firing) -> bool:
    return one[0] - SAME_S <= other[1] and other[0] <= one[1] + SAME_S


def _has_data(alarm: Alarm, store: MetricStore) -> bool:
    if not isinstance(alarm, MetricAlarm):
        return True
    return any(sources_of(store, query.metric) for query in alarm.metrics)


def _notes(entries: Iterable[AlarmEntry], store: MetricStore) -> list[str]:
    percentiles = 0
    for entry in entries:
        if not isinstance(entry.alarm, MetricAlarm):
            continue
        percentiles += any(
            not isinstance(parse_stat(query.stat), Plain)
            and query.period_s > 60
            and any(isinstance(source, GivenStatistic) for source in sources_of(store, query.metric))
            for query in entry.alarm.metrics
        )
    if not percentiles:
        return []
    told = (
        f"{percentiles} alarms read percentiles over more than a minute, of which AWS gives points on a fixed grid: "
        "CloudWatch slides over every minute, so they may fire some minutes apart."
    )
    return [told]
