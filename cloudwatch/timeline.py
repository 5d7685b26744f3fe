"""What would have happened? Alarms over a stretch of time: their states, what made them change, and who was called when.

All alarms are created at `start_s` in INSUFFICIENT_DATA; the first evaluation is that of the minute after. Metric alarms are
evaluated first, then composites, each after its children, in the same minute. An evaluation at T sees what was available by
T. Actions run only on a change of state, held back by suppressors and mute rules. The result is the same for the same input.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloudwatch.alarm import AlarmState, CompositeAlarm, MetricAlarm
from cloudwatch.alarm_points import AlarmReader, reader_for
from cloudwatch.alarm_rule import children, parse_rule, referenced_name
from cloudwatch.alarm_window import Window, window_at
from cloudwatch.composites import evaluation_order, rule_truth
from cloudwatch.metric_timeline import Track, evaluation_times, metric_track
from cloudwatch.mute_rules import MuteRule, mute_windows
from cloudwatch.problems import InvalidValueError, TextSyntaxError
from cloudwatch.state_reasons import CREATION, composite_reason
from cloudwatch.state_series import INSUFFICIENT, STATES
from cloudwatch.suppression import ActionLog, Why, run_actions
from cloudwatch.switches import DEFAULT_SWITCHES, Switches

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from cloudwatch.alarm import Alarm
    from cloudwatch.alarm_rule import Rule
    from cloudwatch.series import GivenStatistic
    from cloudwatch.store import MetricStore

__all__ = ["Notification", "StateChange", "Timeline", "Why", "Window", "rerun_timeline", "run_timeline"]


_LATEST_S = 253_370_764_800  # the year 9999, in which the calendar of local days ends


class StateChange(NamedTuple):
    """One change of state, second and alarm name."""

    at_s: int
    alarm: str
    previous: AlarmState
    state: AlarmState


class Notification(NamedTuple):
    """The actions of one state, run once: ARNs in the order of the alarm."""

    at_s: int
    alarm: str
    state: AlarmState
    actions: tuple[str, ...]
    why: Why


@dataclass(frozen=True, kw_only=True, eq=False)
class Timeline:
    """What happened, from `start_s` to `end_s`, both included.

    Attributes:
        start_s: When the alarms were created, seconds.
        end_s: The last evaluation.
        tick_s: Distance of two entries of `codes`: 60, or 10 if an alarm has a period under a minute.
        alarms: The alarms by name, composites after their children.
        codes: For each alarm its state code (`state_series`) at `start_s + k * tick_s`, after the evaluation then.
        readers: Metric alarms made ready, by name.
        store: The samples.
        mute_rules: The mute rules.
        switches: The open choices it was run under.
        supplied: Series that only AWS could compute.
    """

    start_s: int
    end_s: int
    tick_s: int
    alarms: Mapping[str, Alarm]
    codes: Mapping[str, NDArray[np.uint8]]
    readers: Mapping[str, AlarmReader]
    store: MetricStore
    mute_rules: tuple[MuteRule, ...]
    switches: Switches
    supplied: Mapping[str, tuple[GivenStatistic, ...]]

    @cached_property
    def changes(self) -> tuple[StateChange, ...]:
        """Every change of state in order of time, then of evaluation."""
        ticks = [_change_ticks(codes) for codes in self.codes.values()]
        if not ticks:
            return ()
        names = np.repeat(np.arange(len(ticks)), [len(each) for each in ticks])
        before = np.concatenate([codes[at - 1] for codes, at in zip(self.codes.values(), ticks, strict=True)])
        after = np.concatenate([codes[at] for codes, at in zip(self.codes.values(), ticks, strict=True)])
        every = np.concatenate(ticks)
        order = np.argsort(every, kind="stable")  # alarms are in the order of evaluation already
        by_place = list(self.codes)
        return tuple(
            map(
                StateChange,
                self._seconds(every[order]),
                [by_place[place] for place in names[order].tolist()],
                [STATES[code] for code in before[order].tolist()],
                [STATES[code] for code in after[order].tolist()],
            )
        )

    @cached_property
    def notifications(self) -> tuple[Notification, ...]:
        """Every action that ran, in order of time, then of evaluation."""
        found: list[tuple[int, int, Notification]] = []
        for place, (name, alarm) in enumerate(self.alarms.items()):
            actions = _actions(alarm)
            if not actions:
                continue
            found += [
                (at, place, Notification(at, name, state, actions[state], why))
                for at, state, why in self._runs_of(name)
                if state in actions
            ]
        found.sort(key=itemgetter(0, 1))
        return tuple(notification for *_, notification in found)

    def state_at(self, alarm: str, at_s: int) -> AlarmState:
        """Return the state of an alarm after the evaluation of a second, or the last one before.

        Raises:
            InvalidValueError: There is no such alarm, or the second lies outside the timeline.
        """
        return STATES[int(self._codes_of(alarm)[self._tick(at_s)])]

    def action_log(self, alarm: str) -> ActionLog:
        """Return the runs of an alarm's actions and what held them back, whether or not it has actions for each state."""
        definition = self.alarms[alarm]
        suppressor = definition.suppressor if isinstance(definition, CompositeAlarm) else None
        return run_actions(
            self._changes_of(alarm),
            until_s=self.end_s,
            suppressor=None if suppressor is None else self._changes_of(referenced_name(suppressor.alarm)),
            wait_s=suppressor.wait_s if suppressor else 0,
            extension_s=suppressor.extension_s if suppressor else 0,
            muted=self._muted(alarm),
        )

    def window(self, alarm: str, at_s: int) -> Window | None:
        """Return what the newest evaluation of a metric alarm up to a second saw; None before the first.

        Raises:
            InvalidValueError: There is no such metric alarm, or the second lies outside the timeline.
        """
        reader = self.readers.get(alarm)
        if reader is None:
            raise InvalidValueError(f"{alarm!r} is no metric alarm of this timeline")
        times = evaluation_times(reader, start_s=self.start_s, end_s=at_s)
        self._tick(at_s)
        if not len(times):
            return None
        at = int(times[-1])
        previous = self.state_at(alarm, max(self.start_s, at - self.tick_s))
        return window_at(reader, store=self.store, at_s=at, previous=previous)

    def reason_at(self, alarm: str, at_s: int) -> str:
        """Return the StateReason that an alarm shows at a second: that of its last change."""
        codes = self._codes_of(alarm)
        changed = _change_ticks(codes[: self._tick(at_s) + 1])
        if not len(changed):
            return CREATION
        tick = int(changed[-1])
        second = self.start_s + tick * self.tick_s
        if isinstance(self.alarms[alarm], MetricAlarm):
            window = self.window(alarm, second)
            return CREATION if window is None else window.reason
        triggers = self.triggers_at(alarm, second)
        return composite_reason(triggers[0], state=self.state_at(triggers[0], second), at_s=second) if triggers else ""

    def triggers_at(self, alarm: str, at_s: int) -> tuple[str, ...]:
        """Return the children of a composite that changed at the second at which it changed last, up to `at_s`."""
        definition = self.alarms[alarm]
        changed = _change_ticks(self._codes_of(alarm)[: self._tick(at_s) + 1])
        if not isinstance(definition, CompositeAlarm) or not len(changed):
            return ()
        tick = int(changed[-1])
        names = [referenced_name(child) for child in children(parse_rule(definition.rule))]
        return tuple(name for name in names if self.codes[name][tick] != self.codes[name][tick - 1])

    def _runs_of(self, alarm: str) -> list[tuple[int, AlarmState, Why]]:
        definition = self.alarms[alarm]
        if self._muted(alarm) or (isinstance(definition, CompositeAlarm) and definition.suppressor is not None):
            return [(run.at_s, run.state, run.why) for run in self.action_log(alarm).runs]
        return [(at, state, Why.CHANGE) for at, state in self._changes_of(alarm)]

    def _muted(self, alarm: str) -> list[tuple[int, int]]:
        return [
            window
            for rule in self.mute_rules
            if alarm in rule.alarms
            for window in mute_windows(rule, start_s=self.start_s, end_s=self.end_s)
        ]

    def _codes_of(self, alarm: str) -> NDArray[np.uint8]:
        if alarm not in self.codes:
            raise InvalidValueError(f"There is no alarm {alarm!r}; there are {', '.join(self.codes)}")
        return self.codes[alarm]

    def _changes_of(self, alarm: str) -> list[tuple[int, AlarmState]]:
        codes = self._codes_of(alarm)
        at = _change_ticks(codes)
        return [(second, STATES[code]) for second, code in zip(self._seconds(at), codes[at].tolist(), strict=True)]

    def _seconds(self, ticks: NDArray[np.int64]) -> list[int]:
        seconds: list[int] = (self.start_s + ticks * self.tick_s).tolist()
        return seconds

    def _tick(self, at_s: int) -> int:
        if not self.start_s <= at_s <= self.end_s:
            raise InvalidValueError(f"Second {at_s} lies outside the timeline, {self.start_s} to {self.end_s}")
        return (at_s - self.start_s) // self.tick_s


def run_timeline(
    alarms: Sequence[Alarm],
    *,
    store: MetricStore,
    start: int,
    end: int,
    switches: Switches = DEFAULT_SWITCHES,
    mute_rules: Iterable[MuteRule] = (),
    supplied: Mapping[str, tuple[GivenStatistic, ...]] | None = None,
) -> Timeline:
    """Return what would have happened.

    Args:
        alarms: Metric alarms and composites, in any order; a composite's children and suppressor are among them.
        store: The samples, with the time at which each was available.
        start: When the alarms are created: whole minutes, seconds since 1970.
        end: The last evaluation: whole minutes, after `start`.
        switches: The open choices.
        mute_rules: Alarm mute rules; those that name no alarm of these have no effect.
        supplied: Series that only AWS could compute, by printed expression or query id: one, or lower and upper of a band.

    Raises:
        InvalidValueError: Times are no whole minutes or lie outside the years 1970 to 9998, a name occurs twice, an expression
            or a rule is wrong, an alarm that a composite names is missing, composites form a circle, or a statistic cannot be
            derived.
    """
    if start % 60 or end % 60 or end <= start:
        raise InvalidValueError(f"A timeline runs over whole minutes, not from {start} to {end}")
    if start < 0 or end > _LATEST_S:
        raise InvalidValueError(f"A timeline lies in the years 1970 to 9998, not from {start} to {end}")
    return _run(
        alarms,
        store=store,
        span=(start, end),
        switches=switches,
        mute_rules=tuple(mute_rules),
        supplied=supplied or {},
        known=None,
    )


def rerun_timeline(timeline: Timeline, *, switches: Switches, affected: Collection[str]) -> Timeline:
    """Return the same timeline under other switches.

    Args:
        timeline: What was run.
        switches: The other open choices.
        affected: Names of the metric alarms that these may change; the others keep their states. Composites follow.

    Raises:
        InvalidValueError: As `run_timeline`.
    """
    return _run(
        tuple(timeline.alarms.values()),
        store=timeline.store,
        span=(timeline.start_s, timeline.end_s),
        switches=switches,
        mute_rules=timeline.mute_rules,
        supplied=timeline.supplied,
        known={name: codes for name, codes in timeline.codes.items() if name not in affected},
    )


def _run(
    alarms: Sequence[Alarm],
    *,
    store: MetricStore,
    span: tuple[int, int],
    switches: Switches,
    mute_rules: tuple[MuteRule, ...],
    supplied: Mapping[str, tuple[GivenStatistic, ...]],
    known: Mapping[str, NDArray[np.uint8]] | None,
) -> Timeline:
    start, end = span
    metric_alarms = [alarm for alarm in alarms if isinstance(alarm, MetricAlarm)]
    composites = [alarm for alarm in alarms if isinstance(alarm, CompositeAlarm)]
    parsed = _checked_rules(alarms, composites=composites, switches=switches)
    tick_s = 10 if any(alarm.period_s < 60 for alarm in metric_alarms) else 60
    ticks = (end - start) // tick_s
    codes: dict[str, NDArray[np.uint8]] = {}
    readers: dict[str, AlarmReader] = {}
    for alarm in metric_alarms:
        reader = readers[alarm.name] = reader_for(alarm, switches=switches, supplied=supplied)
        if known is not None and alarm.name in known:
            codes[alarm.name] = known[alarm.name]
            continue
        track = metric_track(reader, store=store, start_s=start, end_s=end)
        codes[alarm.name] = _on_ticks(track, start_s=start, tick_s=tick_s, ticks=ticks)
    ordered = evaluation_order(composites)
    for composite in ordered:
        truth = rule_truth(parsed[composite.name], codes, length=ticks + 1, rounding=switches.at_least_rounding)
        own = truth.astype(np.uint8)  # True is ALARM, False is OK
        own[0] = INSUFFICIENT
        codes[composite.name] = own
    return Timeline(
        start_s=start,
        end_s=end,
        tick_s=tick_s,
        alarms={**{alarm.name: alarm for alarm in metric_alarms}, **{alarm.name: alarm for alarm in ordered}},
        codes=codes,
        readers=readers,
        store=store,
        mute_rules=mute_rules,
        switches=switches,
        supplied=supplied,
    )


def _checked_rules(
    alarms: Sequence[Alarm], *, composites: Sequence[CompositeAlarm], switches: Switches
) -> dict[str, Rule]:
    names = [alarm.name for alarm in alarms]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidValueError(f"The alarm {twice!r} occurs twice")
    known = set(names)
    parsed: dict[str, Rule] = {}
    for composite in composites:
        try:
            rule = parse_rule(composite.rule, precedence=switches.composite_precedence)
        except TextSyntaxError as error:
            message = f"{composite.name}: {error.message}"
            raise TextSyntaxError(message, text=error.text, start=error.start, end=error.end, hint=error.hint) from None
        referred = [*children(rule), *([composite.suppressor.alarm] if composite.suppressor else [])]
        missing = [name for name in referred if referenced_name(name) not in known]
        if missing:
            raise InvalidValueError(f"{composite.name} refers to alarms that are not given: {', '.join(missing)}")
        parsed[composite.name] = rule
    return parsed


def _on_ticks(track: Track, *, start_s: int, tick_s: int, ticks: int) -> NDArray[np.uint8]:
    """Return the state at every tick: that of the newest evaluation, before the first INSUFFICIENT_DATA."""
    states = np.concatenate((np.array([INSUFFICIENT], dtype=np.uint8), track.states))
    if len(track.times) == ticks:  # evaluated at every tick
        return states
    moments = start_s + tick_s * np.arange(ticks + 1, dtype=np.int64)
    return states[np.searchsorted(track.times, moments, side="right")]


def _change_ticks(codes: NDArray[np.uint8]) -> NDArray[np.int64]:
    return np.flatnonzero(codes[1:] != codes[:-1]) + 1


def _actions(alarm: Alarm) -> dict[AlarmState, tuple[str, ...]]:
    if not alarm.actions_enabled:
        return {}
    actions = {
        AlarmState.OK: alarm.ok_actions,
        AlarmState.ALARM: alarm.alarm_actions,
        AlarmState.INSUFFICIENT_DATA: alarm.insufficient_data_actions,
    }
    return {state: arns for state, arns in actions.items() if arns}
