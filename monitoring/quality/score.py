"""Was it told right? One verdict for each incident: the right cause on exactly one page, or what went wrong."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from monitoring.quality.cases import Family

if TYPE_CHECKING:
    from monitoring.quality.watch import Told
    from monitoring.quality.world import Observation

__all__ = ["Outcome", "Verdict", "verdict_for"]


class Outcome(StrEnum):
    """What became of an incident. Pages before its onset count as pages of it: they are not excused."""

    RIGHT = "right"  # exactly one page, of a right cause; or none where nobody may be woken
    AGAIN = "again"  # the first page was right, and others followed
    WRONG = "wrong"  # the first page was of another cause, or came where nobody may be woken
    MISSED = "missed"  # nobody was woken


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How one set of alarms did in one incident.

    Attributes:
        outcome: See `Outcome`.
        first: Cause of the first page, or None.
        causes: Causes of all pages in order.
        confused: A page said throttled in a fallback, or fallback where calls were only throttled.
        detection_s: From onset to the first page of a right cause, or None.
        clear_s: From the end of the incident until the cause that paged left ALARM, 0 if before; None if it never did.
        flaps: How often the cause that paged went into ALARM again before the incident's end.
        noted: Whether a right ticket came (of a right page's cause, where none is allowed).
        first_seen: Whether the first page was the cause that came first, where several were right.
    """

    outcome: Outcome
    first: str | None
    causes: tuple[str, ...]
    confused: bool
    detection_s: int | None
    clear_s: int | None
    flaps: int
    noted: bool
    first_seen: bool


def verdict_for(observation: Observation, watch: str) -> Verdict:
    """Return how a set of alarms did in an incident."""
    truth, told = observation.truth, observation.told[watch]
    onset, end = truth.onset_s or 0, truth.end_s or 0
    causes = tuple(page.cause for page in told.pages)
    first = told.pages[0] if told.pages else None
    right = next((page for page in told.pages if page.cause in truth.pages and page.at_s >= onset), None)
    others = {Family.FALLBACK: "throttled", Family.UNSEEN: "throttled", Family.THROTTLED: "fallback"}
    return Verdict(
        outcome=_outcome(truth.pages, told=told, onset=onset),
        first=first.cause if first else None,
        causes=causes,
        confused=others.get(observation.family) in causes,
        detection_s=right.at_s - onset if right else None,
        clear_s=_clear(told, cause=right.cause, end=end) if right else None,
        flaps=_flaps(told, cause=right.cause, onset=onset, end=end) if right else 0,
        noted=any(ticket.cause in truth.tickets and ticket.at_s >= onset for ticket in told.tickets),
        first_seen=first is not None and first.cause == truth.page,
    )


def _outcome(pages: tuple[str, ...], *, told: Told, onset: int) -> Outcome:
    if not told.pages:
        return Outcome.MISSED if pages else Outcome.RIGHT
    if told.pages[0].cause not in pages or told.pages[0].at_s < onset:
        return Outcome.WRONG
    return Outcome.RIGHT if len(told.pages) == 1 else Outcome.AGAIN


def _clear(told: Told, *, cause: str, end: int) -> int | None:
    """From the end of the incident until the alarm is over that was on then, or started before and ended before."""
    spans = [span for span in told.spans.get(cause, ()) if span[0] <= end]
    return max(max(stop for _, stop in spans) - end, 0) if spans else None


def _flaps(told: Told, *, cause: str, onset: int, end: int) -> int:
    return max(sum(onset <= start < end for start, _ in told.spans.get(cause, ())) - 1, 0)
