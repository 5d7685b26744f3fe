"""What is drawn where nobody recorded anything? A healthy week from the simulator, and labelled waves for what it does not know.

Of a configuration every model is simulated as it is configured. Of any other input each ModelId that a widget names is: with the
catalogue's figures where it is recognised. The week ends on a Thursday at noon, UTC, so that the last three hours are busy ones.
Numbers of a wave mean nothing, and the page says so in the widget.
"""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bedrock.catalogue import catalogue
from bedrock.metrics import NAMESPACE, catalogue_metric
from bedrock.models import Baselines, MonitoredModel
from bedrock.simulator import Detail, TelemetrySettings, draw, evidence_series, load_incidents, simulate
from cloudwatch.dashboard.values import MetricRow, MetricWidget
from cloudwatch.series import Samples
from monitoring.preview.series import Drawable
from monitoring.simulation import simulate_incident

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bedrock.simulator import Incident, Recording
    from cloudwatch.metric import Metric
    from cloudwatch.series import SampleSource
    from monitoring.plan import Plan
    from monitoring.preview.inputs import PreviewPage

__all__ = ["placed_evidence", "recordings_of", "sample_data"]

_WEEK = "diurnal"
_FOREIGN_REQUESTS = 20.0
_MAX_MODELS = 12
_NOON_S = 1_793_880_000  # Thursday 5 November 2026, 12:00 UTC


def sample_data(pages: Sequence[PreviewPage]) -> Drawable:
    """Return a healthy week for pages of one environment."""
    environment = pages[0].environment
    account, region = environment.home
    week = next(incident for incident in load_incidents() if incident.name == _WEEK)
    wanted = list(dict.fromkeys(_metrics_of(pages)))
    series: list[tuple[Metric, SampleSource]] = []
    if environment.plan is not None:
        recordings = recordings_of(environment.plan, week, start_s=_NOON_S - 60 * week.minutes)
        for recording in recordings:
            series += recording.series.items()
            series += placed_evidence(recording, environment.plan)
        about = "Sample data: a simulated healthy week of every model, as it is configured."
    else:
        recordings = [_foreign(model_id, week, seed=place) for place, model_id in enumerate(_model_ids(wanted))]
        series += [pair for recording in recordings for pair in recording.series.items()]
        about = "Sample data: a simulated healthy week of the Bedrock models that the widgets name."
    minutes = recordings[0].scenario.minutes if recordings else week.minutes
    start_s = recordings[0].scenario.start_s if recordings else _NOON_S - 60 * minutes
    known = {_bare(metric) for metric, _ in series}
    counted = {(each.namespace, each.metric) for each in environment.filters}
    waves = [
        metric
        for metric in dict.fromkeys(map(_bare, wanted))
        if metric not in known and not _is_published(metric) and (metric.namespace, metric.name) not in counted
    ]
    series += [(metric, _wave(metric, start_s=start_s, minutes=minutes)) for metric in waves]
    if waves:
        about += (
            " 1 metric that the simulator does not know is a wave that means nothing."
            if len(waves) == 1
            else f" {len(waves)} metrics that the simulator does not know are waves that mean nothing."
        )
    placed = tuple(
        (replace(metric, region=metric.region or region, account_id=metric.account_id or account), source)
        if metric not in waves
        else (metric, source)
        for metric, source in series
    )
    return Drawable(
        series=placed,
        start_s=start_s,
        end_s=start_s + 60 * minutes,
        about=about,
        logs={},
        generic=frozenset(waves),
        has_now=True,
    )


def recordings_of(plan: Plan, incident: Incident, *, seed: int = 1, start_s: int | None = None) -> list[Recording]:
    """Return a simulation of every model of a plan, from a second since 1970 or when the incident begins by itself."""
    return [
        simulate_incident(
            incident,
            plan.deployment,
            model=each.model.key,
            seed=seed + place,
            start_s=start_s,
            detail=Detail.MINUTES,
        )
        for place, each in enumerate(plan.models)
    ]


def placed_evidence(recording: Recording, plan: Plan) -> list[tuple[Metric, Samples]]:
    """Return what the metric filters of a plan would count of a simulated trail, with account and Region."""
    site = plan.deployment.site
    return [
        (replace(metric, region=site.region, account_id=site.account_id), samples)
        for metric, samples in evidence_series(recording, plan.evidence).items()
    ]


def _metrics_of(pages: Iterable[PreviewPage]) -> Iterable[Metric]:
    for page in pages:
        for widget in page.body.widgets:
            if isinstance(widget.content, MetricWidget):
                yield from (row.metric for row in widget.content.metrics if isinstance(row, MetricRow))
        for alarm in page.environment.alarms:
            yield from (query.metric for query in getattr(alarm, "metrics", ()))


def _model_ids(metrics: Iterable[Metric]) -> list[str]:
    found = (metric.dimension("ModelId") for metric in metrics if metric.namespace == NAMESPACE)
    return [one for one in dict.fromkeys(found) if one is not None and "+" not in one][:_MAX_MODELS]


def _foreign(model_id: str, week: Incident, *, seed: int) -> Recording:
    entry = catalogue().find(model_id)
    model = MonitoredModel(
        key="sample",
        title=model_id,
        model_ids=(model_id,),
        baselines=Baselines(
            otps=entry.otps if entry else 60.0,
            output_tokens=entry.output_tokens if entry else 300.0,
            input_tokens=entry.input_tokens if entry else 1500.0,
        ),
        streaming_share=entry.streaming_share if entry else 1.0,
        prompt_caching=entry.prompt_caching if entry else False,
        requests_per_minute=_FOREIGN_REQUESTS,
    )
    scenario = draw(week, model, seed=seed, start_s=_NOON_S - 60 * week.minutes)
    return simulate(scenario, detail=Detail.MINUTES, telemetry=TelemetrySettings())


def _is_published(metric: Metric) -> bool:
    """Tell whether Bedrock publishes a metric, so that its absence in a healthy week means something: no throttles, say."""
    known = catalogue_metric(metric.namespace, metric.name)
    return metric.namespace == NAMESPACE and known is not None


def _bare(metric: Metric) -> Metric:
    return replace(metric, region=None, account_id=None)


def _wave(metric: Metric, *, start_s: int, minutes: int) -> Samples:
    """Return a day's wave with some noise, the same for the same metric."""
    seed = zlib.crc32(repr((metric.namespace, metric.name, metric.dimensions)).encode())
    rng = np.random.default_rng(seed)
    minute = np.arange(minutes)
    level = 10.0 ** rng.uniform(0.5, 3)
    day = 1 + 0.4 * np.sin(2 * np.pi * (minute / 1440 + rng.random()))
    values = np.maximum(level * day * (1 + 0.08 * rng.standard_normal(minutes)), 0)
    return Samples.of_values(start_s + 60 * minute, np.round(values, 3))
