"""Was it deep enough to matter, and when? Computed from the calls as users saw them, never from metrics.

Users' time to first token counts from the moment they call: waiting for a free connection, throttles, pauses and earlier
attempts included. An objective is outside for 15 minutes when it is outside over the whole 15 minutes (with at least
five bad calls) and in each third of them (with at least two): a burst of a few minutes never is, an incident is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bedrock.simulator.gate import Status

if TYPE_CHECKING:
    from bedrock.simulator.attempts import Attempts
    from bedrock.simulator.gate import Outcome
    from bedrock.simulator.scenario import Scenario
    from bedrock.simulator.service import CallPlan

__all__ = ["DEEP_MINUTES", "Truth", "truth_of"]

DEEP_MINUTES = 15
_FEWEST_BAD = 5
_FEWEST_BAD_IN_THIRD = 2
_SLOW_SHARE = 0.1  # a p90 is outside its objective when more than a tenth of the calls are


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What really happened. Times are seconds since 1970; None where it did not.

    Attributes:
        name: Name of the incident.
        onset_s: When it began.
        end_s: When it ended.
        deep_at_s: End of the first 15 minutes in which users' objectives were outside.
        broken: Which objective that was: `ttft`, `success` or `latency`; empty where none was.
        page: The cause that must page: of several possible ones, the one that came first. None where nobody may be woken.
        pages: Every cause that may stand for it.
        tickets: Causes that may follow as tickets or notes.
    """

    name: str
    onset_s: int | None
    end_s: int | None
    deep_at_s: int | None
    broken: str
    page: str | None
    pages: tuple[str, ...]
    tickets: tuple[str, ...]

    @property
    def deep(self) -> bool:
        """Whether users' objectives were outside for 15 minutes."""
        return self.deep_at_s is not None


def truth_of(scenario: Scenario, plan: CallPlan, outcome: Outcome, attempts: Attempts) -> Truth:
    """Return what really happened in a simulation."""
    deep_at, broken = _deep(scenario, plan, outcome)
    label = scenario.label
    page = label.pages[0] if label.pages else None
    if len(label.pages) > 1:
        moments = {slug: _came(slug, scenario, attempts) for slug in label.pages}
        page = min(label.pages, key=lambda slug: moments[slug])

    def at(minute: int | None) -> int | None:
        return None if minute is None else scenario.start_s + 60 * minute

    return Truth(
        name=scenario.name,
        onset_s=at(scenario.onset_minute),
        end_s=at(scenario.end_minute),
        deep_at_s=at(deep_at),
        broken=broken,
        page=page,
        pages=label.pages,
        tickets=label.tickets,
    )


def _deep(scenario: Scenario, plan: CallPlan, outcome: Outcome) -> tuple[int | None, str]:
    """Return the minute after the first bad 15 minutes, and which objective it was."""
    minutes, minute, objectives = scenario.minutes, plan.arrivals.minute, scenario.objectives
    served = outcome.status <= Status.OPTIMIZED
    waited = outcome.start_s - plan.arrivals.time_s
    found: list[tuple[int, str]] = []

    def judge(name: str, bad: np.ndarray, among: np.ndarray | None, share: float) -> None:
        happened = np.bincount(minute[bad], minlength=minutes)
        calls = np.bincount(minute if among is None else minute[among], minlength=minutes)
        first = _first_outside(happened, calls, share=share)
        if first is not None:
            found.append((first, name))

    if objectives.success_rate is not None:
        judge("success", ~served, None, 1 - objectives.success_rate)
    if objectives.ttft_p90_ms is not None:
        mode = outcome.status == Status.OPTIMIZED
        ttft = waited + np.where(mode, plan.ttft_s[1], plan.ttft_s[0])
        streamed = served & plan.streams
        judge("ttft", streamed & (ttft * 1000 > objectives.ttft_p90_ms), streamed, _SLOW_SHARE)
    if objectives.latency_p90_ms is not None:
        whole = outcome.end_s - plan.arrivals.time_s
        judge("latency", served & (whole * 1000 > objectives.latency_p90_ms), served, _SLOW_SHARE)
    return min(found, default=(None, ""), key=lambda item: item[0])


def _first_outside(bad: np.ndarray, calls: np.ndarray, *, share: float) -> int | None:
    third = DEEP_MINUTES // 3
    if bad.shape[0] < DEEP_MINUTES:
        return None

    def summed(values: np.ndarray, length: int) -> np.ndarray:
        total = np.concatenate([[0], np.cumsum(values)])
        return np.asarray(total[length:] - total[:-length])

    all_bad = summed(bad, DEEP_MINUTES)
    outside = (all_bad >= _FEWEST_BAD) & (all_bad > share * summed(calls, DEEP_MINUTES))
    bad_in_third = summed(bad, third)
    in_third = (bad_in_third >= _FEWEST_BAD_IN_THIRD) & (bad_in_third > share * summed(calls, third))
    for part in range(3):
        outside &= in_third[part * third : part * third + outside.shape[0]]
    at = np.flatnonzero(outside)
    return int(at[0]) + DEEP_MINUTES if at.size else None


def _came(slug: str, scenario: Scenario, attempts: Attempts) -> int:
    """The minute in which a cause first showed in what the service did: 5 % throttled, 25 % served standard."""
    minute = np.minimum((attempts.start_s / 60).astype(np.int64), scenario.minutes - 1)

    def per_minute(picked: np.ndarray) -> np.ndarray:
        return np.convolve(np.bincount(minute[picked], minlength=scenario.minutes), np.ones(3))[: scenario.minutes]

    match slug:
        case "throttled":
            bad, share = attempts.status >= Status.THROTTLED_RPM, 0.05
            among = np.ones(bad.shape[0], dtype=bool)
        case "fallback":
            bad, share = attempts.status == Status.STANDARD, 0.25
            among = attempts.status <= Status.OPTIMIZED
        case _:
            return scenario.onset_minute or 0
    shown = (per_minute(bad) >= 3) & (per_minute(bad) >= share * per_minute(among))
    shown[: scenario.onset_minute or 0] = False
    at = np.flatnonzero(shown)
    return int(at[0]) if at.size else scenario.minutes
