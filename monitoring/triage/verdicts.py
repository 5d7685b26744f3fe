"""Which cause is it, given which symptoms are in ALARM? One table, the same as what the composites page.

A row holds when its symptoms are in ALARM; a paging row may be held back by another one, as the suppressor of its alarm does it. Rows
stand in the order in which they answer. Of fallback and throttling that hold together, the one that began first is the answer: a cause
that was paged is never taken back. Tests compare the table with the rules and suppressors of the alarms, for every combination of
symptoms; docs/triage.md shows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from alarms.alarm_set import Profile, Severity
from alarms.policy import base_slug, policy_for
from cloudwatch.alarm import AlarmState, MetricAlarm

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from alarms.alarm_set import AlarmEntry, AlarmSet

__all__ = ["FELT", "TABLE", "Row", "Verdict", "decide", "symptoms_of", "table_markdown"]

FELT = "felt"
"""Decode rate or time to first token are out of bounds; latency, on a model that has an alarm for neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One cause.

    Attributes:
        slug: The cause.
        all_of, any_of, none_of: Symptoms that must, of which one must, and that must not be in ALARM.
        held_by: Symptoms or causes that hold back its page.
        held_by_lean: The same in the lean profile.
        freed_by: Symptoms that let it page again in spite of `held_by`.
    """

    slug: str
    all_of: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()
    none_of: tuple[str, ...] = ()
    held_by: tuple[str, ...] = ()
    held_by_lean: tuple[str, ...] = ()
    freed_by: tuple[str, ...] = ()

    def holds(self, symptoms: Collection[str]) -> bool:
        """Tell whether its condition is met."""
        return (
            all(name in symptoms for name in self.all_of)
            and (not self.any_of or any(name in symptoms for name in self.any_of))
            and not any(name in symptoms for name in self.none_of)
        )

    @property
    def condition(self) -> str:
        """Its condition in words."""
        parts = [f"`{name}`" for name in self.all_of]
        if self.any_of:
            parts.append(" or ".join(f"`{name}`" for name in self.any_of))
        if self.none_of:
            parts.append("none of " + ", ".join(f"`{name}`" for name in self.none_of))
        return " and ".join(parts)


TABLE: tuple[Row, ...] = (
    Row(slug="fallback", all_of=("fallback-share", FELT), held_by_lean=("throttled",)),
    Row(slug="throttled", all_of=("throttled",), held_by=("fallback",), freed_by=("fallback-chronic",)),
    Row(slug="service-errors", all_of=("service-errors",)),
    Row(slug="slow-decode", all_of=("decode-rate",), held_by=("fallback-share", "throttled", "service-errors")),
    Row(slug="fallback-share", all_of=("fallback-share",)),
    Row(slug="decode-rate-standard", all_of=("decode-rate-standard",)),
    Row(
        slug="request-shape",
        any_of=("latency-objective", "ttft-objective"),
        none_of=("decode-rate", "fallback-share", "throttled"),
    ),
    Row(slug="tier-overflow", all_of=("tier-overflow",)),
    Row(slug="caller-errors", all_of=("caller-errors",)),
    Row(slug="no-traffic", all_of=("no-traffic",)),
    Row(slug="blind", all_of=("blind",)),
    Row(slug="throttled-by-reservation", all_of=("throttled",), none_of=("quota-use",)),
    Row(slug="fallback-and-throttling", all_of=("throttled", "fallback-share")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What it is.

    Attributes:
        cause: The answer, or None where no cause holds.
        causes: Every cause that holds, in the order of the table.
        pages: Those that page by themselves, were all symptoms to go into ALARM now.
        both: Whether fallback and throttling both hold: the answer is the one that began first.
    """

    cause: str | None
    causes: tuple[str, ...]
    pages: tuple[str, ...]
    both: bool = False


def symptoms_of(entries: Iterable[AlarmEntry], states: Mapping[str, AlarmState]) -> frozenset[str]:
    """Return the symptoms in ALARM: slugs of metric alarms without number, and `FELT`.

    Args:
        entries: Alarms of one model, and the account-wide ones where they are to count.
        states: State by name; an alarm that is not there is not in ALARM.
    """
    known: set[str] = set()
    firing: set[str] = set()
    for entry in entries:
        if not isinstance(entry.alarm, MetricAlarm):
            continue
        slug = base_slug(entry.slug)
        slug = "decode-rate" if slug == "slow-decode" else slug  # the lean profile has no composite over it
        known.add(slug)
        if states.get(entry.alarm.name) is AlarmState.ALARM:
            firing.add(slug)
    felt_by = {"decode-rate", "ttft-objective"} & known or {"latency-objective"}
    return frozenset(firing | ({FELT} if firing & felt_by else set()))


def decide(
    alarms: AlarmSet,
    symptoms: Collection[str],
    *,
    profile: Profile = Profile.DEFAULT,
    since: Mapping[str, int] | None = None,
) -> Verdict:
    """Return the verdict.

    Args:
        alarms: Alarms of the model (and account-wide ones): a cause without an alarm is not told.
        symptoms: What is in ALARM, see `symptoms_of`.
        profile: How much is watched.
        since: When causes went into ALARM, seconds: of two that hold, the earlier answers.
    """
    held = [row for row in TABLE if alarms.get(row.slug) is not None and row.holds(symptoms)]
    names = {row.slug for row in held}
    pages = [
        row.slug
        for row in held
        if (entry := alarms.get(row.slug)) is not None
        and entry.severity is Severity.PAGE
        and not _held_back(row, names | set(symptoms), profile=profile)
    ]
    began = since or {}
    rivals = {"fallback", "throttled"} <= names
    earlier = rivals and began.get("throttled", 0) < began.get("fallback", 0)
    if earlier:
        pages = ["throttled", *(slug for slug in pages if slug not in {"fallback", "throttled"})]
    answer = "throttled" if earlier else pages[0] if pages else next((row.slug for row in held), None)
    return Verdict(cause=answer, causes=tuple(row.slug for row in held), pages=tuple(pages), both=rivals)


def table_markdown() -> str:
    """Return the table as Markdown."""
    lines = ["| cause | severity | when in ALARM | its page is held back by |", "|---|---|---|---|"]
    for row in TABLE:
        held = ", ".join(f"`{name}`" for name in row.held_by)
        if row.held_by_lean:
            held += ("; " if held else "") + "lean: " + ", ".join(f"`{name}`" for name in row.held_by_lean)
        if row.freed_by:
            held += ", unless " + ", ".join(f"`{name}`" for name in row.freed_by)
        severity = policy_for(row.slug).severity
        lines.append(f"| `{row.slug}` | {severity or ''} | {row.condition} | {held} |")
    return "\n".join(lines)


def _held_back(row: Row, active: Collection[str], *, profile: Profile) -> bool:
    if any(name in active for name in row.freed_by):
        return False
    return any(name in active for name in (row.held_by_lean if profile is Profile.LEAN else row.held_by))
