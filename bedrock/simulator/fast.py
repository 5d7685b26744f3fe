"""Where do calls hinder each other? Only there are they gone through one by one.

Time is cut into steps of ten seconds. For each step an upper bound of every quota's use and of the calls in flight is
computed from the undisturbed plan: the settled tokens of the last seven steps, plus what running calls hold beyond it. A
step whose bounds keep within the limits, and in which no first attempt meets a 5xx, cannot disturb anyone: its outcome is
the plan. From the first other step on, `gate.Gate` takes over, and gives back when no call that fared otherwise is still
running, waiting, pausing or inside the quota's window. The result is the same as that of the gate over everything
(`everything=True`), to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bedrock.simulator.gate import WINDOW_S, Gate, Outcome, Status

if TYPE_CHECKING:
    from bedrock.simulator.limits import Limits
    from bedrock.simulator.service import CallPlan

__all__ = ["STEP_S", "decide", "steps_in_doubt"]

STEP_S = 10.0
_STEPS_PER_MINUTE = 6
_STEPS_PER_WINDOW = int(WINDOW_S // STEP_S) + 1


def decide(plan: CallPlan, limits: Limits, *, everything: bool = False) -> Outcome:
    """Return what became of every call.

    Args:
        plan: Every call.
        limits: What holds in each minute.
        everything: Go through every call one by one, as a reference.
    """
    outcome = Outcome(plan, limits)
    if plan.count == 0:
        return outcome
    gate = Gate(plan, limits, outcome)
    doubt = (
        np.ones(limits.tpm.shape[0] * _STEPS_PER_MINUTE, bool) if everything else steps_in_doubt(plan, limits, outcome)
    )
    steps = doubt.shape[0]
    suspects = np.flatnonzero(doubt)
    calm = np.flatnonzero(~doubt)
    step = 0
    while True:
        found = int(np.searchsorted(suspects, step))
        if found == suspects.shape[0]:
            return outcome
        step = int(suspects[found])
        gate.enter(step * STEP_S)
        while True:
            after = int(np.searchsorted(calm, step))
            if after == calm.shape[0]:
                gate.run(np.inf)
                return outcome
            step = int(calm[after])
            gate.run(step * STEP_S)
            if gate.idle and gate.clean_after_s <= step * STEP_S:
                break
            step = min(step + 1, steps)


def steps_in_doubt(plan: CallPlan, limits: Limits, outcome: Outcome) -> np.ndarray:
    """Return which steps of ten seconds may disturb a call: bool of shape (6 x minutes,).

    Args:
        plan: Every call.
        limits: What holds in each minute.
        outcome: The undisturbed outcome.
    """
    steps = limits.tpm.shape[0] * _STEPS_PER_MINUTE
    begin = (outcome.start_s / STEP_S).astype(np.int64)
    end = np.minimum((outcome.end_s / STEP_S).astype(np.int64), steps)
    served = outcome.status <= Status.OPTIMIZED

    def running(weights: np.ndarray | None) -> np.ndarray:
        """Weights of the calls that run at some time of each step, an upper bound."""
        came = np.cumsum(np.bincount(begin, weights=weights, minlength=steps)[:steps])
        gone = np.cumsum(np.bincount(end, weights=weights, minlength=steps)[:steps])
        came[1:] -= gone[:-1]
        return came

    def window(weights: np.ndarray | None) -> np.ndarray:
        """Weights of the calls that began in this step or the six before it."""
        total = np.cumsum(np.bincount(begin, weights=weights, minlength=steps)[:steps])
        late = total.copy()
        late[_STEPS_PER_WINDOW:] -= total[:-_STEPS_PER_WINDOW]
        return late

    doubt = running(None) > plan.concurrency
    failing = plan.error_luck < limits.server_errors[plan.arrivals.minute]
    doubt[begin[failing]] = True
    beyond = np.maximum(plan.reserved - plan.settled, 0.0)
    for mode, limit in ((Status.STANDARD, limits.tpm), (Status.OPTIMIZED, limits.optimized_tpm)):
        if np.isfinite(limit).any():
            mine = outcome.status == mode
            bound = window(np.where(mine, plan.settled, 0.0)) + running(np.where(mine, beyond, 0.0))
            doubt |= bound > np.repeat(limit, _STEPS_PER_MINUTE)
    if np.isfinite(limits.rpm).any():
        doubt |= window(served.astype(np.float64)) > np.repeat(limits.rpm, _STEPS_PER_MINUTE)
    if np.isfinite(limits.day).any():
        total = np.cumsum(np.bincount(begin, weights=np.where(served, plan.settled, 0.0), minlength=steps)[:steps])
        count = np.repeat(limits.day_count, _STEPS_PER_MINUTE)
        starts = np.flatnonzero(np.concatenate([[True], count[1:] != count[:-1]]))
        before = np.where(starts > 0, total[starts - 1], 0.0)
        lengths = np.diff(np.append(starts, steps))
        used = total - np.repeat(before, lengths) + running(np.where(served, beyond, 0.0))
        doubt |= used > np.repeat(limits.day, _STEPS_PER_MINUTE)
    return np.asarray(doubt)
