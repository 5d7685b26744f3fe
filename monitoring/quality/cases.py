"""Which incidents and weeks are run? A fixed mixture over the library, dealt to the models that each entry fits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from bedrock.simulator import Kind, load_incidents, unmet_needs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bedrock.models import MonitoredModel
    from bedrock.simulator import Incident

__all__ = ["FAMILIES", "Case", "Family", "family_of", "incident_cases", "week_cases"]


class Family(StrEnum):
    """Rows of the confusion matrix: what really happened."""

    FALLBACK = "fallback"
    THROTTLED = "throttled"
    BOTH = "fallback and throttled"
    SLOW = "model slower"
    UNSEEN = "fallback without evidence"
    ERRORS = "server errors"
    LOOK_ALIKE = "look-alikes"


# Parts of the incidents. Look-alikes wake nobody: what they ask of alarms is silence.
_PARTS: dict[Family, float] = {
    Family.FALLBACK: 0.25,
    Family.THROTTLED: 0.25,
    Family.BOTH: 0.13,
    Family.SLOW: 0.09,
    Family.UNSEEN: 0.06,
    Family.ERRORS: 0.06,
    Family.LOOK_ALIKE: 0.16,
}
_SEEDS_APART = 1_000_000

FAMILIES: tuple[Family, ...] = tuple(Family)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One entry of the library that happens to one model.

    Attributes:
        incident: Name of the entry.
        model: Key of the model.
        seed: Seed of the draw.
    """

    incident: str
    model: str
    seed: int


def family_of(incident: Incident) -> Family:
    """Return the row of an incident, from its label."""
    pages = incident.label.pages
    if len(pages) > 1:
        return Family.BOTH
    if not pages:
        return Family.LOOK_ALIKE
    if pages == ("slow-decode",):
        return Family.UNSEEN if "blind" in incident.label.tickets else Family.SLOW
    return Family(pages[0]) if pages[0] in {"fallback", "throttled"} else Family.ERRORS


def incident_cases(models: Sequence[MonitoredModel], *, count: int, seed: int) -> tuple[Case, ...]:
    """Return `count` incidents (rounded up by family): fixed parts for families, equal ones for their entries and models."""
    cases: list[Case] = []
    for family, part in _PARTS.items():
        entries = [
            (incident, fitting)
            for incident in load_incidents()
            if incident.kind is Kind.INCIDENT
            and family_of(incident) is family
            and (fitting := [model for model in models if not unmet_needs(incident, model)])
        ]
        for number in range(round(part * count) if entries else 0):
            incident, fitting = entries[number % len(entries)]
            model = fitting[number // len(entries) % len(fitting)]
            cases.append(Case(incident=incident.name, model=model.key, seed=seed * _SEEDS_APART + number))
    return tuple(cases)


def week_cases(models: Sequence[MonitoredModel], *, count: int, seed: int) -> tuple[Case, ...]:
    """Return `count` healthy weeks, dealt to the library's entries and to the models in turn."""
    entries = [
        (incident, fitting)
        for incident in load_incidents()
        if incident.kind is Kind.WEEK and (fitting := [model for model in models if not unmet_needs(incident, model)])
    ]
    return tuple(
        Case(
            incident=entries[number % len(entries)][0].name,
            model=(fitting := entries[number % len(entries)][1])[number // len(entries) % len(fitting)].key,
            seed=seed * _SEEDS_APART + number,
        )
        for number in range(count)
    )
