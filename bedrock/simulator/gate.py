"""Who is admitted, in which mode, who is throttled, who tries again? One call after the other, where calls hinder each other.

Rules (Bedrock User Guide, How tokens are counted; latency-optimized inference):

* A client keeps at most `concurrency` calls in flight, pauses included; more wait in order.
* A 4xx comes back at once and touches no quota.
* A quota holds over the last 60 seconds: a call counts from its start for 60 s, with its reservation while it runs and
  with its settled tokens after. RPM counts admitted requests of both modes. The day's count runs until it starts anew.
* A call that may be served optimized is, if the optimized quota has room; else it is served standard, if that quota has
  room; else it is throttled. A throttle names the first exhausted quota of RPM, TPM, TPD.
* A throttle or a 5xx is tried again after `min(20, 2^n) x uniform` seconds until the client's attempts are used up.

AWS documents neither the shape of the window nor the order of the checks: unverified on AWS.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from bedrock.simulator.service import ERROR_S

if TYPE_CHECKING:
    from bedrock.simulator.limits import Limits
    from bedrock.simulator.service import CallPlan

__all__ = ["WINDOW_S", "Gate", "Outcome", "Status", "luck_of_attempt"]

WINDOW_S = 60.0
_LONGEST_PAUSE_S = 20.0
_GOLDEN = 0.6180339887498949
_END = -1


class Status(IntEnum):
    """How an attempt ended."""

    STANDARD = 0
    OPTIMIZED = 1
    CLIENT_ERROR = 2
    SERVER_ERROR = 3
    THROTTLED_RPM = 4
    THROTTLED_TPM = 5
    THROTTLED_TPD = 6


class Outcome:
    """What became of the calls: every call's last attempt, and the attempts that failed before it.

    Attributes:
        status: `Status` of each call's last attempt, uint8 of shape (calls,).
        start_s: When the last attempt was sent, float64 of shape (calls,).
        end_s: When it ended.
        earlier: Attempts that were tried again: call index, sent at, ended at, status.
    """

    __slots__ = ("earlier", "end_s", "start_s", "status")

    def __init__(self, plan: CallPlan, limits: Limits) -> None:
        optimized = plan.optimizable & (limits.optimized_tpm > 0)[plan.arrivals.minute]
        self.status = np.where(plan.client_error, Status.CLIENT_ERROR, optimized).astype(np.uint8)
        self.start_s = plan.arrivals.time_s.copy()
        duration = np.where(optimized, plan.duration_s[1], plan.duration_s[0])
        self.end_s = self.start_s + np.where(plan.client_error, ERROR_S, duration)
        self.earlier: list[tuple[int, float, float, int]] = []


def luck_of_attempt(luck: float, attempt: int) -> float:
    """Return the uniform number of a later attempt (1, 2, ...), made from that of the first."""
    return (luck * 7919.0 ** (1 + (attempt - 1) % 3) + _GOLDEN * ((attempt - 1) // 3)) % 1.0


class _Hold:
    """What one admitted call holds of the quotas."""

    __slots__ = ("amount", "count", "expired", "optimized", "start")

    def __init__(self, *, start: float, amount: float, optimized: bool, count: int) -> None:
        self.start = start
        self.amount = amount
        self.optimized = optimized
        self.count = count
        self.expired = False


class Gate:
    """The scalar rules over a stretch of time, entered with the state that undisturbed calls have left.

    Args:
        plan: Every call.
        limits: What holds in each minute.
        outcome: Undisturbed outcomes; corrected in place for every call that fares otherwise.
    """

    def __init__(self, plan: CallPlan, limits: Limits, outcome: Outcome) -> None:
        self._plan = plan
        self._outcome = outcome
        self._last = limits.tpm.shape[0] - 1
        self._tpm = limits.tpm.tolist()
        self._optimized_tpm = limits.optimized_tpm.tolist()
        self._rpm = limits.rpm.tolist()
        self._day = limits.day.tolist()
        self._day_count = limits.day_count.tolist()
        self._count_end_s = _count_ends(limits) if np.isfinite(limits.day).any() else None
        self._errors = limits.server_errors.tolist()
        self._attempts = limits.attempts.tolist()
        self._backoff = limits.backoff.tolist()
        self._longest_s = float(max(plan.duration_s[0].max(), plan.duration_s[1].max())) if plan.count else 0.0
        self.clean_after_s = -math.inf
        self.next_call = 0

    @property
    def idle(self) -> bool:
        """Whether nothing waits: no call behind the concurrency cap, no pause before another attempt."""
        return not self._waiting and self._pausing == 0

    def enter(self, at_s: float) -> None:
        """Take over at a time before which every call of the last window was undisturbed."""
        plan, outcome = self._plan, self._outcome
        time_s = plan.arrivals.time_s
        self._window: deque[_Hold] = deque()
        self._events: list[tuple[float, int, int, int, _Hold | None]] = []
        self._waiting: deque[int] = deque()
        self._sequence = 0
        self._used = [0.0, 0.0]
        self._running = 0
        self._pausing = 0
        self.clean_after_s = -math.inf
        self.next_call = int(np.searchsorted(time_s, at_s))
        minute = min(int(at_s // WINDOW_S), self._last)
        self._current_count = self._day_count[minute]
        self._day_used = self._used_of_day(at_s)
        first = int(np.searchsorted(time_s, at_s - max(WINDOW_S, self._longest_s)))
        for call in range(first, self.next_call):
            start, end, status = float(outcome.start_s[call]), float(outcome.end_s[call]), int(outcome.status[call])
            if status > Status.OPTIMIZED:
                if status == Status.CLIENT_ERROR and end > at_s:
                    self._running += 1
                    self._push(end, call, _END, None)
                continue
            count = self._day_count[min(int(start // WINDOW_S), self._last)]
            hold = _Hold(start=start, amount=0.0, optimized=status == Status.OPTIMIZED, count=count)
            hold.amount = float(plan.settled[call] if end <= at_s else plan.reserved[call])
            hold.expired = start <= at_s - WINDOW_S
            if not hold.expired:
                self._window.append(hold)
                self._used[hold.optimized] += hold.amount
            if end > at_s:
                self._running += 1
                self._push(end, call, _END, hold)

    def run(self, until_s: float) -> None:
        """Go through every event before a time."""
        plan, events = self._plan, self._events
        stop = int(np.searchsorted(plan.arrivals.time_s, until_s))
        offset = self.next_call
        times = plan.arrivals.time_s[offset:stop].tolist()
        pointer, count, concurrency = 0, len(times), plan.concurrency
        self._load(offset, stop)
        while True:
            if events and (pointer >= count or events[0][0] <= times[pointer]):
                if events[0][0] >= until_s:
                    break
                now, _, call, attempt, hold = heapq.heappop(events)
                if attempt == _END:
                    if hold is not None:
                        self._settle(call, hold)
                    if self._waiting:
                        self._attempt(self._waiting.popleft(), 0, now)
                    else:
                        self._running -= 1
                else:
                    self._pausing -= 1
                    self._attempt(call, attempt, now)
            elif pointer < count:
                call, now = offset + pointer, times[pointer]
                pointer += 1
                if self._running >= concurrency:
                    self._waiting.append(call)
                else:
                    self._running += 1
                    self._attempt(call, 0, now)
            else:
                break
        self.next_call = stop

    def _load(self, offset: int, stop: int) -> None:
        plan, part = self._plan, slice(offset, stop)
        self._offset = offset
        self._arrived = plan.arrivals.time_s[part].tolist()
        self._refused = plan.client_error[part].tolist()
        self._optimizable = plan.optimizable[part].tolist()
        self._reserved = plan.reserved[part].tolist()
        self._duration = (plan.duration_s[0][part].tolist(), plan.duration_s[1][part].tolist())
        self._planned = self._outcome.status[part].tolist()
        self._luck = plan.error_luck[part].tolist()

    def _push(self, at_s: float, call: int, attempt: int, hold: _Hold | None) -> None:
        self._sequence += 1
        heapq.heappush(self._events, (at_s, self._sequence, call, attempt, hold))

    def _used_of_day(self, at_s: float) -> float:
        """Tokens counted since the day's count began, of calls sent before a time."""
        if not any(math.isfinite(limit) for limit in self._day):
            return 0.0
        plan, outcome, minute = self._plan, self._outcome, min(int(at_s // WINDOW_S), self._last)
        begin = minute
        while begin > 0 and self._day_count[begin - 1] == self._current_count:
            begin -= 1
        low = int(np.searchsorted(plan.arrivals.time_s, begin * WINDOW_S - 600.0))
        part = slice(low, self.next_call)
        sent = (outcome.start_s[part] >= begin * WINDOW_S) & (outcome.start_s[part] < at_s)
        served = sent & (outcome.status[part] <= Status.OPTIMIZED)
        held = np.where(outcome.end_s[part] <= at_s, plan.settled[part], plan.reserved[part])
        return float(held[served].sum())

    def _settle(self, call: int, hold: _Hold) -> None:
        settled = float(self._plan.settled[call])
        change = settled - hold.amount
        hold.amount = settled
        if not hold.expired:
            self._used[hold.optimized] += change
        if hold.count == self._current_count:
            self._day_used += change

    def _attempt(self, call: int, attempt: int, now: float) -> None:
        at = call - self._offset
        if at >= 0:
            refused, optimizable = self._refused[at], self._optimizable[at]
            reserved, luck, planned = self._reserved[at], self._luck[at], self._planned[at]
            arrived = self._arrived[at]
        else:
            plan = self._plan
            refused, optimizable = bool(plan.client_error[call]), bool(plan.optimizable[call])
            reserved, luck, planned = float(plan.reserved[call]), float(plan.error_luck[call]), -1
            arrived = -1.0
        if refused:
            self._push(now + ERROR_S, call, _END, None)
            if now != arrived:
                self._finish(call, now, now + ERROR_S, Status.CLIENT_ERROR)
            return
        window, used = self._window, self._used
        oldest = now - WINDOW_S
        while window and window[0].start <= oldest:
            hold = window.popleft()
            hold.expired = True
            used[hold.optimized] -= hold.amount
        minute = min(int(now // WINDOW_S), self._last)
        if self._day_count[minute] != self._current_count:
            self._current_count = self._day_count[minute]
            self._day_used = 0.0
        optimized = optimizable and used[1] + reserved <= self._optimized_tpm[minute]
        if len(window) + 1 > self._rpm[minute]:
            self._fail(call, attempt, now=now, end=now + ERROR_S, status=Status.THROTTLED_RPM, minute=minute)
        elif not optimized and used[0] + reserved > self._tpm[minute]:
            self._fail(call, attempt, now=now, end=now + ERROR_S, status=Status.THROTTLED_TPM, minute=minute)
        elif self._day_used + reserved > self._day[minute]:
            self._fail(call, attempt, now=now, end=now + ERROR_S, status=Status.THROTTLED_TPD, minute=minute)
        else:
            chance = luck if attempt == 0 else luck_of_attempt(luck, attempt)
            hold = _Hold(start=now, amount=reserved, optimized=optimized, count=self._current_count)
            window.append(hold)
            used[optimized] += reserved
            self._day_used += reserved
            if chance < self._errors[minute]:
                end = now + 0.5 * float(self._plan.ttft_s[optimized][call])
                self._fail(call, attempt, now=now, end=end, status=Status.SERVER_ERROR, minute=minute)
                self._release(hold)
                return
            duration = self._duration[optimized][at] if at >= 0 else float(self._plan.duration_s[optimized][call])
            self._push(now + duration, call, _END, hold)
            if attempt or now != arrived or optimized != planned:
                self._finish(call, now, now + duration, Status.OPTIMIZED if optimized else Status.STANDARD)

    def _release(self, hold: _Hold) -> None:
        """A failed call gives its tokens back and still counts as a request."""
        self._used[hold.optimized] -= hold.amount
        self._day_used -= hold.amount
        hold.amount = 0.0

    def _fail(self, call: int, attempt: int, *, now: float, end: float, status: Status, minute: int) -> None:
        if attempt + 1 < self._attempts[minute]:
            uniform = (float(self._plan.retry_luck[call]) + attempt * _GOLDEN) % 1.0
            pause = min(_LONGEST_PAUSE_S, 2.0**attempt) * uniform * self._backoff[minute]
            self._outcome.earlier.append((call, now, end, int(status)))
            self._pausing += 1
            self._push(end + pause, call, attempt + 1, None)
            self._disturbed(call, now, end)
        else:
            self._push(end, call, _END, None)
            self._finish(call, now, end, status)

    def _finish(self, call: int, start: float, end: float, status: Status) -> None:
        self._disturbed(call, start, end)
        if self._count_end_s is not None and status <= Status.OPTIMIZED:
            planned = min(int(self._plan.arrivals.time_s[call] // WINDOW_S), self._last)
            minute = min(int(start // WINDOW_S), self._last)
            if self._day_count[planned] != self._day_count[minute]:  # the plan counts it elsewhere
                self.clean_after_s = max(self.clean_after_s, self._count_end_s[minute])
        outcome = self._outcome
        outcome.start_s[call] = start
        outcome.end_s[call] = end
        outcome.status[call] = status

    def _disturbed(self, call: int, start: float, end: float) -> None:
        """Until when this call makes the state differ from what the plan says."""
        planned = float(self._plan.arrivals.time_s[call]) + self._longest_s
        self.clean_after_s = max(self.clean_after_s, start + WINDOW_S, end, planned)


def _count_ends(limits: Limits) -> list[float]:
    """Return for each minute the second in which the day's count that holds there ends."""
    count = limits.day_count
    change = np.append(np.flatnonzero(count[1:] != count[:-1]) + 1, count.shape[0])
    ends = np.append(change[:-1] * WINDOW_S, np.inf)
    return [float(end) for end in ends[np.searchsorted(change, np.arange(count.shape[0]), side="right")]]
