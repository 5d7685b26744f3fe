"""Where does a review get its week from? A recording, or a simulated fortnight in which something happens to every model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bedrock.metrics import BedrockMetric, invocation_metric
from bedrock.models import LatencyMode
from bedrock.simulator import Detail, TelemetrySettings, draw, evidence_series, simulate
from bedrock.simulator.scenario import Effect, Window
from cloudwatch.metric_filter_events import filter_events
from cloudwatch.problems import InvalidValueError
from cloudwatch.series import GivenStatistic
from cloudwatch.stat import Plain
from cloudwatch.store import MetricStore
from cloudwatch.timeline import run_timeline
from monitoring.backtest.run import runnable
from monitoring.recording.sources import ALARM_HISTORY
from monitoring.review.alarm_week import AlarmHistory, HistoryItem, history_from_items, history_of
from monitoring.review.report import Known
from monitoring.simulation import find_incident, trail_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bedrock.models import MonitoredModel
    from cloudwatch.metric import Metric
    from cloudwatch.series import SampleSource
    from monitoring.dataset import Dataset
    from monitoring.plan import Plan
    from monitoring.review.week import Week

__all__ = ["Fortnight", "recorded_fortnight", "recorded_store", "replayed", "simulated_fortnight"]

_CALLS_PER_MINUTE = 30.0
_TOLD = 3
_MINUTE_S, _COARSE_S = 60, 300
_FEW_ROWS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Fortnight:
    """Two weeks: what is known of each, what alarms did, and what could not be seen.

    Attributes:
        this: The week.
        last: The week before, or None.
        history: What alarms did, or None.
        missing: What could not be seen, one sentence each.
        source: Where it is from, in words.
    """

    this: Known
    last: Known | None
    history: AlarmHistory | None
    missing: tuple[str, ...]
    source: str


def recorded_store(dataset: Dataset, plan: Plan) -> MetricStore:
    """Return the metrics of a recording, with the evidence that the metric filters of the plan make of its log events."""
    site = plan.deployment.site
    home = (site.account_id, site.region)
    return MetricStore.of(_recorded(dataset, plan, home=home if home in dataset.places else None))


def recorded_fortnight(dataset: Dataset, *, plan: Plan, weeks: tuple[Week, Week]) -> Fortnight:
    """Return a week and the one before it from a recording; alarms are replayed over it.

    Raises:
        InvalidValueError: The recording holds nothing of the week.
    """
    week, before = weeks
    if dataset.end_s <= week.start_s or dataset.start_s >= week.end_s:
        first, last = (week.local(at, "%Y-%m-%d %H:%M") for at in (dataset.start_s, dataset.end_s))
        raise InvalidValueError(f"The recording runs from {first} to {last} and holds nothing of {week.name}")
    missing = []
    if dataset.start_s > week.start_s or dataset.end_s < week.end_s:
        first, last = (
            week.local(at, "%a %-d %b %H:%M")
            for at in (max(dataset.start_s, week.start_s), min(dataset.end_s, week.end_s))
        )
        missing.append(f"The recording holds only part of the week: {first} to {last}.")
    store = recorded_store(dataset, plan)
    known = Known(store=store, minutes=_has_minutes(store, plan, week=week))
    if not known.minutes:
        missing.append("The recording does not hold single minutes of the week, so bursts and peaks are not shown.")
    has_before = dataset.start_s <= before.start_s
    if not has_before:
        missing.append(f"The recording does not hold {before.name}, so there is nothing to compare with.")
    history = _recorded_history(dataset, plan)
    lost: tuple[str, ...] = ()
    if history is None:
        start_s = max(dataset.start_s, before.start_s)
        history, lost = replayed(store, plan=plan, start_s=start_s, end_s=min(dataset.end_s, week.end_s))
    return Fortnight(
        this=known,
        last=known if has_before else None,
        history=history,
        missing=(*missing, *lost),
        source=f"a recording ({dataset.about.get('title') or dataset.about.get('source') or 'no title'})",
    )


def simulated_fortnight(plan: Plan, *, weeks: tuple[Week, Week], seed: int) -> Fortnight:
    """Return two simulated weeks: office hours, and something different in the second week of each model."""
    week, before = weeks
    pairs: list[tuple[Metric, SampleSource]] = []
    for index, each in enumerate(plan.models):
        pairs += _simulated(each.model, plan=plan, index=index, weeks=weeks, seed=seed)
    store = MetricStore.of(pairs)
    history, lost = replayed(store, plan=plan, start_s=before.start_s, end_s=week.end_s)
    known = Known(store=store)
    return Fortnight(this=known, last=known, history=history, missing=lost, source=f"a simulation (seed {seed})")


def replayed(
    store: MetricStore, *, plan: Plan, start_s: int, end_s: int
) -> tuple[AlarmHistory | None, tuple[str, ...]]:
    """Return what the alarms of a plan would have done, and which could not be replayed and why, one sentence each."""
    entries = [*plan.alarms, *(entry for each in plan.models for entry in each.alarms)]
    start, end = start_s - start_s % 60, end_s - end_s % 60
    kept, skipped = runnable(entries, store=store, start_s=start)
    lost = tuple(f"Alarm {name} cannot be replayed: {why}." for name, why in list(skipped.items())[:_TOLD])
    if len(skipped) > _TOLD:
        lost = (*lost, f"{len(skipped) - _TOLD} more alarms cannot be replayed.")
    if not kept or end <= start:
        return None, lost
    return history_of(run_timeline([entry.alarm for entry in kept], store=store, start=start, end=end)), lost


def _recorded_history(dataset: Dataset, plan: Plan) -> AlarmHistory | None:
    """Return what really happened, where the recording holds it."""
    if not any(key.startswith("history ") for key in dataset.about.get("covered", {})):
        return None
    items = [
        HistoryItem(
            at_s=event.event_s,
            alarm=str(event.event.get("alarm", "")),
            kind=str(event.event.get("type", "")),
            summary=str(event.event.get("summary", "")),
            data=event.event.get("data"),
        )
        for log in dataset.logs
        if log.log_group == ALARM_HISTORY
        for event in log
    ]
    names = [entry.alarm.name for entry in (*plan.alarms, *(entry for each in plan.models for entry in each.alarms))]
    return history_from_items(items, names=names, source="history of the alarms, as recorded")


def _has_minutes(store: MetricStore, plan: Plan, *, week: Week) -> bool:
    """Tell whether calls are known by the minute: CloudWatch keeps minutes for 15 days, then only coarser rows."""
    for each in plan.models:
        for model_id in each.model.series_ids:
            for source in store.sources.get(invocation_metric(model_id, BedrockMetric.INVOCATIONS), ()):
                if isinstance(source, GivenStatistic):
                    if source.period_s > _MINUTE_S and isinstance(source.stat, Plain):
                        return False
                    continue
                inside = source.timestamps[(source.timestamps >= week.start_s) & (source.timestamps < week.end_s)]
                if len(inside) > _FEW_ROWS and not np.any(inside % _COARSE_S):
                    return False
    return True


def _recorded(
    dataset: Dataset, plan: Plan, *, home: tuple[str | None, str | None] | None
) -> Iterator[tuple[Metric, SampleSource]]:
    filters = plan.evidence.filters
    known = set()
    for metric, source in dataset.sources(home):
        known.add((metric.namespace, metric.name))
        yield metric, source
    for log in dataset.logs:
        for each in filters:
            if each.log_group == log.log_group and (each.namespace, each.metric) not in known:
                yield from filter_events(
                    each,
                    events=log.records,
                    event_times_s=log.event_times_s,
                    ingestion_times_s=log.ingestion_times_s,
                ).samples


def _simulated(
    model: MonitoredModel, *, plan: Plan, index: int, weeks: tuple[Week, Week], seed: int
) -> Iterator[tuple[Metric, SampleSource]]:
    week, before = weeks
    deployment = plan.deployment
    calm = draw(
        find_incident("diurnal"),
        model,
        seed=seed,
        requests_per_minute=min(model.requests_per_minute or _CALLS_PER_MINUTE, _CALLS_PER_MINUTE),
        start_s=before.start_s,
    )
    offset = (week.start_s - before.start_s) // 60
    scenario = replace(
        calm,
        seed=seed + index,
        minutes=(week.end_s - before.start_s) // 60,
        windows=tuple(
            Window(effect=effect, start_minute=offset + start, end_minute=offset + end, value=value)
            for effect, start, end, value in _story(model, index=index, minutes=(week.end_s - week.start_s) // 60)
        ),
    )
    recording = simulate(
        scenario,
        detail=Detail.REQUESTS,
        trail=trail_of(deployment),
        telemetry=TelemetrySettings(cache_metrics=deployment.cache_metrics),
    )
    yield from recording.series.items()
    yield from evidence_series(recording, plan.evidence).items()


def _story(model: MonitoredModel, *, index: int, minutes: int) -> Sequence[tuple[Effect, int, int, float]]:
    """Return what happens to a model: effect, first minute, minute after the last, value."""
    hour, day = 60, 1440
    night = 4 * day + 3 * hour + 12
    burst = ((Effect.TRAFFIC, night, night + 1, 5.0), (Effect.RPM, night, night + 1, 0.5))
    if model.latency is LatencyMode.OPTIMIZED:
        start = 2 * day + 13 * hour
        return ((Effect.OPTIMIZED_QUOTA, start, start + 3 * hour, 0.3), *burst)
    if model.prompt_caching:
        return ((Effect.CACHE, 3 * day + 9 * hour, minutes, 0.4), *burst)
    if index % 2:
        return ((Effect.OUTPUT, day + 10 * hour, minutes, 1.8),)
    return ((Effect.DECODE, 3 * day, 4 * day, 0.75), *burst)
