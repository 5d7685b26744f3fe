"""The metrics of an account's evidence, counted without records, are what its filters make of the records."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bedrock.evidence import AbsentMeans, EvidenceRoute, EvidenceSettings, ServedAs, ThrottleKind
from bedrock.evidence_plan import EvidencePlan, plan_evidence
from bedrock.models import Baselines, MonitoredModel
from bedrock.simulator import Effect, Recording, TrailSettings, evidence_series, simulate, to_store
from cloudwatch.metric import Metric, MetricQuery
from cloudwatch.metric_filter_events import filter_events
from tests.bedrock.simulator.models import OPTIMIZED, STANDARD, START_S, scenario

LLAMA = replace(
    OPTIMIZED,
    key="llama-405b",
    model_ids=("us.meta.llama3-1-405b-instruct-v1:0",),
    baselines=Baselines(otps=60, standard_otps=30, output_tokens=400, input_tokens=9500),
    prompt_caching=False,
)
TROUBLE = (
    (Effect.OPTIMIZED_QUOTA, 20, 70, 0.3),
    (Effect.RPM, 40, 60, 0.6),
    (Effect.TPD_LEFT, 70, 80, 2.0),
    (Effect.TPM, 80, 100, 0.4),
    (Effect.OPTIMIZED_QUOTA, 80, 100, 0.0),
    (Effect.CLIENT_ERRORS, 0, 120, 0.05),
)


def evidence_of(model: MonitoredModel, settings: EvidenceSettings) -> EvidencePlan:
    """Plan the evidence of an account with two models."""
    return plan_evidence(
        (model, replace(STANDARD, key="other", model_ids=("other-model",))),
        settings=settings,
        region="us-east-1",
        namespace="Test",
        log_group="/aws/events/test",
        rule_prefix="llm-test",
    )


def filtered(recording: Recording, plan: EvidencePlan) -> dict[Metric, list[float]]:
    """Send the records through the filters of a plan; return sums by minute."""
    route = plan.settings.route
    sent = recording.invocation_log() if route is EvidenceRoute.INVOCATION_LOG else recording.trail_records()
    inside = [(int(at), record) for at, record in sent if at < START_S + 7200]
    sums: dict[Metric, np.ndarray] = {}
    for metric_filter in plan.filters:
        output = filter_events(
            metric_filter, events=[record for _, record in inside], event_times_s=[at for at, _ in inside]
        )
        for metric, samples in output.samples:
            minute = (samples.timestamps - START_S) // 60
            sums[metric] = sums.get(metric, np.zeros(120)) + np.bincount(minute, weights=samples.sums, minlength=120)
    return {metric: column.tolist() for metric, column in sums.items()}


ROUTES = {
    "eventbridge": EvidenceSettings(),
    "absent means standard": EvidenceSettings(absent_means=AbsentMeans.STANDARD),
    "other values": EvidenceSettings(optimized_value="FAST", standard_value="SLOW", served_latency_path="a.b"),
    "trail": EvidenceSettings(route=EvidenceRoute.TRAIL, log_group="trail", trail_home_region="us-east-1"),
    "invocation log": EvidenceSettings(route=EvidenceRoute.INVOCATION_LOG, log_group="invocations"),
}


@pytest.mark.parametrize("model", [OPTIMIZED, LLAMA, STANDARD], ids=["nova", "llama", "standard"])
@pytest.mark.parametrize("name", ROUTES)
def test_counting_equals_filtering(name: str, model: MonitoredModel) -> None:
    """Every series of the plan, minute by minute, on every route, for every class and kind."""
    settings = ROUTES[name]
    plan = evidence_of(model, settings)
    trail = TrailSettings(
        mean_delay_s=400,
        field_missing=0.05,
        wrapped=settings.route is EvidenceRoute.EVENTBRIDGE,
        served_latency_path="x" if settings.route is EvidenceRoute.INVOCATION_LOG else settings.latency_path,
        optimized_value=settings.optimized_value,
        standard_value=settings.standard_value,
    )
    recording = simulate(scenario(model, *TROUBLE), trail=trail)
    counted = {
        metric: np.bincount((s.timestamps - START_S) // 60, weights=s.sums, minlength=120).tolist()
        for metric, s in evidence_series(recording, plan).items()
    }
    assert counted == filtered(recording, plan)
    classes = 0 if model is STANDARD else 2 if settings.absent_means is AbsentMeans.STANDARD else 3
    if name == "invocation log":
        classes = min(classes, 2)
    assert sum(bool(counted.get(metric)) for one in ServedAs for metric in plan.served(model, one)) >= classes
    assert any(metric in counted for kind in ThrottleKind for metric in plan.throttled(model, kind))


def test_a_plan_that_looks_elsewhere_sees_nothing_served() -> None:
    """The records hold the field at another path than configured: every call is unknown."""
    recording = simulate(scenario(OPTIMIZED), trail=TrailSettings(served_latency_path="additionalEventData.mode"))
    plan = evidence_of(OPTIMIZED, EvidenceSettings())
    found = evidence_series(recording, plan)
    assert plan.served(OPTIMIZED, ServedAs.UNKNOWN)[0] in found
    assert plan.served(OPTIMIZED, ServedAs.OPTIMIZED)[0] not in found


def test_rule_counters_count_the_same_calls() -> None:
    """The counters of EventBridge rules are other metrics with the same numbers."""
    recording = simulate(scenario(OPTIMIZED, *TROUBLE), trail=TrailSettings())
    filters = evidence_of(OPTIMIZED, EvidenceSettings())
    rules = evidence_of(OPTIMIZED, EvidenceSettings(route=EvidenceRoute.RULE_COUNTERS))
    for served in (ServedAs.OPTIMIZED, ServedAs.STANDARD):
        one = evidence_series(recording, filters)[filters.served(OPTIMIZED, served)[0]]
        other = evidence_series(recording, rules)[rules.served(OPTIMIZED, served)[0]]
        assert one.sums.tolist() == other.sums.tolist()


def test_no_evidence_without_a_route_or_a_trail() -> None:
    """Nothing is invented."""
    silent = simulate(scenario(OPTIMIZED, minutes=30))
    assert evidence_series(silent, evidence_of(OPTIMIZED, EvidenceSettings())) == {}
    spoken = simulate(scenario(OPTIMIZED, minutes=30), trail=TrailSettings())
    assert evidence_series(spoken, evidence_of(OPTIMIZED, EvidenceSettings(route=EvidenceRoute.NONE))) == {}
    assert evidence_series(silent, evidence_of(OPTIMIZED, EvidenceSettings()), trail=TrailSettings()) != {}


def test_a_store_answers_for_metrics_and_evidence() -> None:
    """`to_store` holds what an engine reads: attempts from AWS/Bedrock, served classes from the trail."""
    recording = simulate(scenario(OPTIMIZED, *TROUBLE), trail=TrailSettings())
    plan = evidence_of(OPTIMIZED, EvidenceSettings())
    store = to_store(recording, evidence=evidence_series(recording, plan))
    starts = START_S + 60 * np.arange(120)
    (standard,) = plan.served(OPTIMIZED, ServedAs.STANDARD)
    query = MetricQuery(id="m", metric=standard, stat="Sum", period_s=60)
    assert recording.evidence is not None
    assert np.nansum(store.column(query, starts=starts)) == recording.evidence.standard.sum()
    early = store.column(query, starts=starts, as_of=np.full(120, START_S + 25 * 60))
    assert np.isnan(early[25:]).all()
