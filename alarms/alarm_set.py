"""Which alarms does a model or an account get, and what is each for?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cloudwatch.alarm import Alarm

__all__ = ["AlarmEntry", "AlarmSet", "Omission", "Profile", "Role", "Severity"]


class Severity(StrEnum):
    """Who hears of a cause: a page wakes somebody, a ticket is worked on in the day, a note is kept."""

    PAGE = "page"
    TICKET = "ticket"
    NOTE = "note"


class Role(StrEnum):
    """A symptom has no action of its own; a cause is what people are told."""

    SYMPTOM = "symptom"
    CAUSE = "cause"


class Profile(StrEnum):
    """How much is watched: everything, or the least that tells fallback from throttling."""

    DEFAULT = "default"
    LEAN = "lean"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmEntry:
    """One alarm with what it is for.

    Attributes:
        slug: Fixed slug, for example `throttled`; of a metric alarm under a composite of its name `throttled-1`, of an
            alias group's own symptom in a ladder `decode-rate-2`.
        role: Symptom or cause.
        severity: Of a cause; None of a symptom.
        alarm: The alarm itself.
        model: Key of the model, None for account-wide alarms.
        unit: What the alarm's value and threshold are, in words: `% of calls`, `% slower than baseline`.
        title: A few words for tables and widget titles.
    """

    slug: str
    role: Role
    alarm: Alarm
    title: str
    severity: Severity | None = None
    model: str | None = None
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Omission:
    """An alarm that a model does not get, and why: what is not watched is said, never silently left out."""

    slug: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmSet:
    """The alarms of one model, or the account-wide ones.

    Attributes:
        entries: Children before the composites over them, suppressors before what they suppress.
        omitted: Alarms that do not apply or are off, each with the reason.
    """

    entries: tuple[AlarmEntry, ...]
    omitted: tuple[Omission, ...] = ()

    def __iter__(self) -> Iterator[AlarmEntry]:
        return iter(self.entries)

    def get(self, slug: str) -> AlarmEntry | None:
        """Return the entry with that slug, or None where it is off or does not apply."""
        return next((entry for entry in self.entries if entry.slug == slug), None)
