"""What do all verdicts say together? Shares, counts and delays with their intervals."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from monitoring.quality.cases import Family
from monitoring.quality.score import Outcome, Verdict, verdict_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from monitoring.quality.world import Observation

__all__ = ["MINUTES_A_WEEK", "Healthy", "Scored", "Summary", "healthy", "line", "scored", "summary"]

MINUTES_A_WEEK = 10_080


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """An observation with its verdict."""

    observation: Observation
    verdict: Verdict

    @property
    def deep(self) -> bool:
        """Whether it was deep, and somebody must be woken."""
        return self.observation.truth.deep and bool(self.observation.truth.pages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Healthy:
    """Healthy weeks together.

    Attributes:
        weeks: Model-weeks.
        pages: Pages in them.
        tickets: Tickets and notes in them.
        by_cause: Pages by cause.
    """

    weeks: float
    pages: int
    tickets: int
    by_cause: tuple[tuple[str, int], ...]

    @property
    def per_week(self) -> float:
        """False pages per model-week."""
        return self.pages / self.weeks if self.weeks else math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Some incidents together; all of them must page.

    Attributes:
        incidents: How many.
        right, again, wrong, missed: How many by outcome.
        confused: Fallback told as throttling, or throttling as fallback.
        detection_s: Seconds from onset to the right page, of those that came.
        clear_s: Seconds from the end until the alarm was over.
        flaps: Times an alarm went off again inside an incident.
    """

    incidents: int
    right: int
    again: int
    wrong: int
    missed: int
    confused: int
    detection_s: tuple[float, ...]
    clear_s: tuple[float, ...]
    flaps: int

    def share(self, hits: int) -> float:
        """Return a fraction of the incidents; not a number without incidents."""
        return hits / self.incidents if self.incidents else math.nan

    def detection(self, quantile: float) -> float:
        """Return a quantile of the detection delay in seconds; not a number where nothing was detected."""
        return float(np.quantile(self.detection_s, quantile)) if self.detection_s else math.nan

    def clear(self, quantile: float) -> float:
        """Return a quantile of the time to clear in seconds; not a number where nothing was detected."""
        return float(np.quantile(self.clear_s, quantile)) if self.clear_s else math.nan


def scored(observations: Iterable[Observation], watch: str) -> tuple[Scored, ...]:
    """Return the verdicts on one set of alarms."""
    return tuple(Scored(observation=each, verdict=verdict_for(each, watch)) for each in observations)


def summary(items: Iterable[Scored]) -> Summary:
    """Return some incidents together."""
    verdicts = [item.verdict for item in items]
    outcomes = Counter(verdict.outcome for verdict in verdicts)
    return Summary(
        incidents=len(verdicts),
        right=outcomes[Outcome.RIGHT],
        again=outcomes[Outcome.AGAIN],
        wrong=outcomes[Outcome.WRONG],
        missed=outcomes[Outcome.MISSED],
        confused=sum(verdict.confused for verdict in verdicts),
        detection_s=tuple(float(each.detection_s) for each in verdicts if each.detection_s is not None),
        clear_s=tuple(float(each.clear_s) for each in verdicts if each.clear_s is not None),
        flaps=sum(verdict.flaps for verdict in verdicts),
    )


def healthy(weeks: Sequence[Observation], watch: str) -> Healthy:
    """Return what was told in weeks in which nothing happened."""
    causes = Counter(page.cause for week in weeks for page in week.told[watch].pages)
    return Healthy(
        weeks=sum(week.minutes for week in weeks) / MINUTES_A_WEEK,
        pages=sum(causes.values()),
        tickets=sum(len(week.told[watch].tickets) for week in weeks),
        by_cause=tuple(causes.most_common()),
    )


def line(items: Sequence[Scored], weeks: Sequence[Observation], *, watch: str) -> dict[str, object]:
    """Return the figures of one set of alarms as a JSON object."""
    deep = [item for item in items if item.deep]
    total, calm = summary(deep), healthy(weeks, watch)
    detection: dict[str, int] = {}
    for family in Family:
        delays = summary(item for item in deep if item.observation.family is family)
        if delays.detection_s:
            detection[SLUGS[family]] = round(delays.detection(0.5))
    return {
        "incidents": total.incidents,
        "healthy_weeks": round(calm.weeks),
        "correct_single_page": round(total.share(total.right), 4),
        "fallback_throttle_confused": total.confused,
        "missed": round(total.share(total.missed), 4),
        "false_pages_per_model_week": round(calm.per_week, 4),
        "detection_median_s": detection,
    }


SLUGS: dict[Family, str] = {
    Family.FALLBACK: "fallback",
    Family.THROTTLED: "throttled",
    Family.BOTH: "both",
    Family.SLOW: "slow-decode",
    Family.UNSEEN: "slow-decode-without-evidence",
    Family.ERRORS: "service-errors",
}
