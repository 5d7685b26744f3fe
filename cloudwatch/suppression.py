"""Which state changes of an alarm run its actions, and when? Actions suppressor and mute windows.

An action runs at the change, unless something holds it back; what is held back is one action, that of the current state.

* With a suppressor (UG, Composite alarm action suppression), a change waits for WaitPeriod. A further change restarts the
  wait. If the suppressor goes into ALARM before the wait ends, or is in ALARM already, the actions are suppressed. When it
  leaves ALARM, ExtensionPeriod runs, then the actions of the state at that time. A change within the extension discards it
  and starts a wait. Without a change there is nothing to run (AWS does not say whether leaving ALARM repeats old actions).
* In a mute window (UG, Alarm mute rules) actions are not run. At its end the muted action runs if the alarm is still in its
  state, or, where a suppressor holds actions at that time, is left to the suppressor: a mute rule wins while it lasts.

Events of one second count in this order: a wait or extension ends, the suppressor changes, the alarm changes, a mute window
ends. So a suppressor that goes into ALARM in the second in which the wait ends comes too late.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from cloudwatch.alarm import AlarmState

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["ActionLog", "ActionRun", "Hold", "HoldKind", "Why", "merged_windows", "run_actions"]


class Why(StrEnum):
    """What let an action run."""

    CHANGE = "own change"
    SUPPRESSION_ENDED = "suppression ended"
    MUTE_ENDED = "mute window ended"


class HoldKind(StrEnum):
    """What holds actions back."""

    WAIT = "WaitPeriod"
    SUPPRESSED = "suppressed by alarm"
    EXTENSION = "ExtensionPeriod"
    MUTED = "muted"


class Hold(NamedTuple):
    """A stretch of time in which an action was held back.

    Attributes:
        kind: By what.
        start_s: From, seconds.
        end_s: Until, or None if it lasts to the end of what is known.
        discarded: Whether it ended early, by a change of the alarm or of the suppressor.
    """

    kind: HoldKind
    start_s: int
    end_s: int | None
    discarded: bool


class ActionRun(NamedTuple):
    """The actions of one state, run once."""

    at_s: int
    state: AlarmState
    why: Why


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionLog:
    """Every run in order of time, and every hold in order of its end; one that does not end comes last."""

    runs: tuple[ActionRun, ...]
    holds: tuple[Hold, ...]


def merged_windows(windows: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return half-open windows in order, those that overlap or touch joined."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(windows):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def run_actions(
    changes: Sequence[tuple[int, AlarmState]],
    *,
    until_s: int,
    suppressor: Sequence[tuple[int, AlarmState]] | None = None,
    wait_s: int = 0,
    extension_s: int = 0,
    muted: Iterable[tuple[int, int]] = (),
) -> ActionLog:
    """Return what runs up to and including `until_s`.

    Args:
        changes: Changes of the alarm: second and new state, in order of time.
        until_s: The end of what is looked at.
        suppressor: Changes of the suppressor, or None without one. Before the first it is not in ALARM.
        wait_s: ActionsSuppressorWaitPeriod.
        extension_s: ActionsSuppressorExtensionPeriod.
        muted: Mute windows, half-open, in any order.
    """
    windows = merged_windows(muted)
    events: list[tuple[int, int, AlarmState | None]] = [(at, 1, state) for at, state in suppressor or ()]
    events += [(at, 2, state) for at, state in changes]
    events += [(end, 3, None) for _, end in windows]
    events.sort(key=itemgetter(0, 1))
    machine = _Machine(suppressed=suppressor is not None, wait_s=wait_s, extension_s=extension_s, windows=windows)
    for at, rank, state in events:
        if at > until_s:
            break
        machine.elapse(at)
        if state is None:
            machine.window_ends(at)
        elif rank == 1:
            machine.suppressor_changes(at, state)
        else:
            machine.alarm_changes(at, state)
    machine.elapse(until_s)
    machine.finish()
    return ActionLog(runs=tuple(machine.runs), holds=tuple(machine.holds))


@dataclass(slots=True)
class _Machine:
    suppressed: bool
    wait_s: int
    extension_s: int
    windows: Sequence[tuple[int, int]]
    state: AlarmState | None = None
    suppressor_in_alarm: bool = False
    kind: HoldKind | None = None  # what holds an action back now, since and until when
    since_s: int = 0
    until_s: int | None = None
    muted_state: AlarmState | None = None
    next_window: int = 0
    runs: list[ActionRun] = field(default_factory=list)
    holds: list[Hold] = field(default_factory=list)

    def elapse(self, at: int) -> None:
        if self.until_s is not None and self.until_s <= at:
            end = self.until_s
            why = Why.CHANGE if self.kind is HoldKind.WAIT else Why.SUPPRESSION_ENDED
            self.release(end, discarded=False)
            self.act(end, why)

    def alarm_changes(self, at: int, state: AlarmState) -> None:
        self.state = state
        self.muted_state = None
        if not self.suppressed:
            self.act(at, Why.CHANGE)
        elif self.suppressor_in_alarm:
            self.hold(HoldKind.SUPPRESSED, at)
        else:
            self.hold(HoldKind.WAIT, at, length=self.wait_s)

    def suppressor_changes(self, at: int, state: AlarmState) -> None:
        before, self.suppressor_in_alarm = self.suppressor_in_alarm, state is AlarmState.ALARM
        if self.suppressor_in_alarm and self.kind is not None:
            self.hold(HoldKind.SUPPRESSED, at)
        elif before and not self.suppressor_in_alarm and self.kind is HoldKind.SUPPRESSED:
            self.hold(HoldKind.EXTENSION, at, length=self.extension_s)

    def window_ends(self, at: int) -> None:
        muted, self.muted_state = self.muted_state, None
        if muted is None:  # nothing was muted, or the alarm changed since
            return
        if self.suppressor_in_alarm:
            self.hold(HoldKind.SUPPRESSED, at)
        else:
            self.runs.append(ActionRun(at_s=at, state=muted, why=Why.MUTE_ENDED))

    def act(self, at: int, why: Why) -> None:
        assert self.state is not None
        while self.next_window < len(self.windows) and self.windows[self.next_window][1] <= at:
            self.next_window += 1
        if self.next_window < len(self.windows) and self.windows[self.next_window][0] <= at:
            self.muted_state = self.state
            self.holds.append(
                Hold(kind=HoldKind.MUTED, start_s=at, end_s=self.windows[self.next_window][1], discarded=False)
            )
        else:
            self.muted_state = None
            self.runs.append(ActionRun(at_s=at, state=self.state, why=why))

    def hold(self, kind: HoldKind, at: int, *, length: int | None = None) -> None:
        if self.kind is kind is HoldKind.SUPPRESSED:
            return
        self.release(at, discarded=self.kind in {HoldKind.WAIT, HoldKind.EXTENSION})
        self.kind, self.since_s, self.until_s = kind, at, None if length is None else at + length
        self.elapse(at)

    def release(self, at: int, *, discarded: bool) -> None:
        if self.kind is not None:
            self.holds.append(Hold(kind=self.kind, start_s=self.since_s, end_s=at, discarded=discarded))
        self.kind = self.until_s = None

    def finish(self) -> None:
        if self.kind is not None:
            self.holds.append(Hold(kind=self.kind, start_s=self.since_s, end_s=self.until_s, discarded=False))
