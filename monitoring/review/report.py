"""What does the meeting look at? One review as a value: findings first, then every model, alarms, drift and capacity.

Built from stores and histories alone; pages, Markdown and the frozen dashboard are printers of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from monitoring.drift import Seen, Status, decide_drift
from monitoring.review.alarm_week import review_alarms
from monitoring.review.bursts import find_bursts, notable_days
from monitoring.review.capacity import plan_capacity
from monitoring.review.decomposition import decompose
from monitoring.review.findings import Tone, findings_of, overall
from monitoring.review.lines import lines_for
from monitoring.review.readings import Readings
from monitoring.review.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bedrock.models import MonitoredModel
    from cloudwatch.store import MetricStore
    from monitoring.drift import Finding
    from monitoring.plan import Plan
    from monitoring.review.alarm_week import AlarmHistory, AlarmWeek
    from monitoring.review.bursts import Burst, NotableDay
    from monitoring.review.capacity import CapacityPlan
    from monitoring.review.decomposition import Decomposition
    from monitoring.review.findings import Sentence
    from monitoring.review.lines import Line
    from monitoring.review.summary import ModelWeek
    from monitoring.review.week import Week

__all__ = ["Known", "ModelReview", "Review", "build_review"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of a week.

    Attributes:
        store: Metrics.
        minutes: Whether single minutes are known.
    """

    store: MetricStore
    minutes: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReview:
    """One model: this week, the week before (None where nothing is known of it), and what follows."""

    model: MonitoredModel
    week: ModelWeek
    before: ModelWeek | None
    lines: tuple[Line, ...]
    why: Decomposition | None
    bursts: tuple[Burst, ...]
    days: tuple[NotableDay, ...]
    capacity: CapacityPlan | None
    sentences: tuple[Sentence, ...]
    tone: Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A week of one account and Region.

    Attributes:
        plan: What is deployed there.
        week, before: The week and the one before it.
        models: In configuration order.
        alarms: The week of the alarms, or None where their history is not known.
        drift: Settings that no longer fit.
        headline: The week in one sentence.
        sentences: What the meeting should know, worst first.
        missing: What could not be seen, one sentence each.
        source: Where the numbers are from, in words.
    """

    plan: Plan
    week: Week
    before: Week
    models: tuple[ModelReview, ...]
    alarms: AlarmWeek | None
    drift: tuple[Finding, ...]
    headline: str
    sentences: tuple[Sentence, ...]
    missing: tuple[str, ...]
    source: str


def build_review(
    plan: Plan,
    *,
    weeks: tuple[Week, Week],
    this: Known,
    last: Known | None,
    history: AlarmHistory | None,
    quotas: Mapping[str, Mapping[str, float]] | None = None,
    missing: tuple[str, ...] = (),
    source: str,
) -> Review:
    """Return the review of a week.

    Args:
        plan: What is deployed.
        weeks: The week, and the one before it.
        this: What is known of the week.
        last: What is known of the one before, or None.
        history: What alarms did, or None.
        quotas: Key of a model -> quota -> value in force, where they were asked for.
        missing: What could not be seen, one sentence each.
        source: Where the numbers are from, in words.
    """
    week, before = weeks
    models = tuple(_model(plan, model.model, week=week, before=before, this=this, last=last) for model in plan.models)
    entries = [*plan.alarms, *(entry for model in plan.models for entry in model.alarms)]
    alarms = None if history is None else review_alarms(entries, history=history, week=week)
    seen = Seen(
        measured={each.model.key: each.week for each in models},
        quotas=quotas or {},
        source=f"measured {week.name}",
    )
    drift = tuple(finding for finding in decide_drift(plan.deployment, seen=seen) if finding.status is not Status.OK)
    sentences = [sentence for each in models for sentence in each.sentences]
    sentences.sort(key=lambda sentence: -sentence.tone)
    return Review(
        plan=plan,
        week=week,
        before=before,
        models=models,
        alarms=alarms,
        drift=drift,
        headline=overall(models, alarms=alarms),
        sentences=tuple(sentences),
        missing=missing,
        source=source,
    )


def _model(
    plan: Plan, model: MonitoredModel, *, week: Week, before: Week, this: Known, last: Known | None
) -> ModelReview:
    def readings(known: Known) -> Readings:
        return Readings(
            store=known.store,
            model=model,
            evidence=plan.evidence,
            cache_metrics=plan.deployment.cache_metrics,
            minutes=known.minutes,
        )

    now = summarise(readings(this), week)
    then = summarise(readings(last), before) if last is not None else None
    if then is not None and not then.calls:
        then = None
    why = None
    if now.typical and then and then.typical and now.typical_of == then.typical_of:
        why = decompose(then.typical, now.typical)
    bursts, days = find_bursts(readings(this), week), notable_days(now, then)
    capacity = plan_capacity(model, week=now, before=then)
    sentences = findings_of(model, week=now, before=then, why=why, bursts=bursts, capacity=capacity, calendar=week)
    return ModelReview(
        model=model,
        week=now,
        before=then,
        lines=lines_for(model, week=now, before=then),
        why=why,
        bursts=bursts,
        days=days,
        capacity=capacity,
        sentences=sentences,
        tone=max((sentence.tone for sentence in sentences), default=Tone.QUIET),
    )
