"""What is known of one model at one moment? States, history, metrics and records, and what could not be seen."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from cloudwatch.store import MetricStore

if TYPE_CHECKING:
    from collections.abc import Mapping

    from alarms.alarm_set import AlarmEntry
    from cloudwatch.alarm import AlarmState
    from monitoring.plan import ModelPlan, Plan
    from monitoring.review.alarm_week import Change

__all__ = ["AlarmNow", "SeenCall", "Snapshot", "known_by"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmNow:
    """State of an alarm: since when (seconds, or None where that is not known), and the reason that it shows."""

    state: AlarmState
    since_s: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenCall:
    """One record of a call: when it arrived in the log group, seconds, and the record without any wrapping."""

    arrived_s: float
    record: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One moment.

    Attributes:
        at_s: The moment, epoch seconds.
        plan: What is deployed in the account and Region.
        model: The model in question.
        focus: The alarm that somebody was called for, or None.
        states: State by alarm name; None where they could not be read.
        changes: Changes of the model's alarms over some hours, in order of time; None where they could not be read.
        store: Metrics of the last hours as they could be read then; None where they could not.
        calls: Records of the last half hour; None where there is no evidence or it could not be read.
        missing: What could not be seen and why, one sentence each.
    """

    at_s: int
    plan: Plan
    model: ModelPlan
    focus: AlarmEntry | None = None
    states: Mapping[str, AlarmNow] | None = None
    changes: tuple[Change, ...] | None = None
    store: MetricStore | None = None
    calls: tuple[SeenCall, ...] | None = None
    missing: tuple[str, ...] = ()

    @property
    def entries(self) -> tuple[AlarmEntry, ...]:
        """Alarms of the model, then the account-wide ones."""
        return (*self.model.alarms, *self.plan.alarms)


def known_by(store: MetricStore, at_s: int) -> MetricStore:
    """Return what could be read of a store at a moment: later and late data are left out."""
    found = {}
    for metric, sources in store.sources.items():
        kept = []
        for source in sources:
            seen = source.available_at <= at_s
            names = {field.name for field in fields(source)} - {"stat", "period_s"}
            kept.append(replace(source, **{name: getattr(source, name)[seen] for name in names}))
        if any(len(source.timestamps) for source in kept):
            found[metric] = tuple(kept)
    return MetricStore(sources=found)
