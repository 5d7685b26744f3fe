"""CloudTrail's evidence: how late, how much is lost, what a record holds, and counts that equal the records."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from bedrock.simulator import Effect, Recording, TrailSettings, simulate
from bedrock.simulator.gate import Status
from bedrock.simulator.trail import delivery_of
from bedrock.trail_records import error_codes, is_runtime_call, latency_fields, unwrap, value_at
from tests.bedrock.simulator.models import OPTIMIZED, STANDARD, START_S, scenario

FALLBACK = (Effect.OPTIMIZED_QUOTA, 20, 120, 0.3)
THROTTLES = (Effect.RPM, 40, 60, 0.6)
PATH = "additionalEventData.performanceConfig.latency"


def records(recording: Recording) -> list[tuple[float, dict[str, object]]]:
    """Return all records with their delivery, without the EventBridge envelope."""
    return [(at, dict(unwrap(record))) for at, record in recording.trail_records()]


def delays(recording: Recording, settings: TrailSettings) -> np.ndarray:
    """Return the delay of every record, infinite where it never comes."""
    delivery = delivery_of(recording.scenario, recording.plan, recording.attempts, settings=settings)
    return np.asarray(delivery.at_s - recording.attempts.end_s)


@pytest.mark.parametrize("mean_s", [120.0, 300.0, 900.0])
def test_records_come_as_late_as_configured_and_a_few_never(mean_s: float) -> None:
    """Mean and loss are the settings'; calls of the same minutes come late together, some blocks far later."""
    recording = simulate(scenario(OPTIMIZED, minutes=6000, requests_per_minute=10))
    late = delays(recording, TrailSettings(mean_delay_s=mean_s, loss=0.03))
    came = late[np.isfinite(late)]
    assert came.mean() == pytest.approx(mean_s, rel=0.06)
    assert np.isinf(late).mean() == pytest.approx(0.03, rel=0.2)
    assert came.min() > 0
    assert np.quantile(came, 0.999) > 2.5 * mean_s
    block = (recording.attempts.end_s // 300).astype(int)
    between = np.array([came.mean() for came in np.split(late, np.flatnonzero(np.diff(block)) + 1) if len(came) > 20])
    assert between[np.isfinite(between)].std() > 0.15 * mean_s


def test_counts_by_minute_of_delivery_equal_the_records() -> None:
    """Evidence needs no record, and says what counting the records would say."""
    recording = simulate(scenario(OPTIMIZED, FALLBACK, THROTTLES), trail=TrailSettings(field_missing=0.05))
    counted: Counter[tuple[str, int]] = Counter()
    for at, record in records(recording):
        minute = int(at - START_S) // 60
        if minute >= 120:
            continue
        counted["records", minute] += 1
        if not is_runtime_call(record):
            continue
        if "errorCode" in record:
            counted["throttled" if str(record["errorCode"]).startswith("Throttl") else "failed", minute] += 1
        else:
            counted[str(value_at(record, PATH) or "unknown"), minute] += 1
    evidence = recording.evidence
    assert evidence is not None
    for name in ("optimized", "standard", "unknown", "throttled", "failed", "records"):
        column = getattr(evidence, name)
        assert column.tolist() == [counted[name, minute] for minute in range(120)], name
        assert column.sum() > 0, name
    parts = evidence.throttled_rpm + evidence.throttled_tpm + evidence.throttled_tpd
    assert np.array_equal(parts, evidence.throttled)


def test_the_three_classes_of_served_calls_add_up() -> None:
    """Optimized, standard and unknown are every successful record that came."""
    settings = TrailSettings(loss=0.0)
    recording = simulate(scenario(OPTIMIZED, FALLBACK), trail=settings)
    evidence = recording.evidence
    assert evidence is not None
    came = delays(recording, settings) + recording.attempts.end_s < 7200
    served = (recording.attempts.status <= Status.OPTIMIZED) & came
    assert (evidence.optimized + evidence.standard + evidence.unknown).sum() == served.sum()


def test_a_record_has_the_documented_shape() -> None:
    """Management event of the runtime, model as called, null response, served mode at the configured path."""
    recording = simulate(scenario(OPTIMIZED, minutes=10), trail=TrailSettings(field_missing=0.0))
    calls = [record for _, record in records(recording) if is_runtime_call(record)]
    assert len(calls) > 100
    for record in calls:
        assert record["eventSource"] == "bedrock.amazonaws.com"
        assert record["responseElements"] is None
        assert value_at(record, "requestParameters.modelId") in OPTIMIZED.model_ids
        assert record["eventCategory"] == "Management"
    assert latency_fields(calls)[0].path == PATH
    assert len({record["eventID"] for _, record in records(recording)}) == len(records(recording))
    assert json.loads(json.dumps(calls[0])) == calls[0]


def test_streamed_calls_leave_a_second_record_that_is_no_call() -> None:
    """AwsServiceEvent: no request parameters, the model only in the resource's ARN."""
    recording = simulate(scenario(OPTIMIZED, minutes=10), trail=TrailSettings())
    every = [record for _, record in records(recording)]
    second = [record for record in every if record["eventType"] == "AwsServiceEvent"]
    streamed = [r for r in every if r["eventName"] == "ConverseStream" and is_runtime_call(r) and "errorCode" not in r]
    assert Counter(r["requestID"] for r in second) == Counter(r["requestID"] for r in streamed)
    for record in second:
        assert record["requestParameters"] is None
        arn = str(record["resources"][0]["ARN"])  # type: ignore[index]
        assert arn.endswith(OPTIMIZED.model_ids)
    silent = simulate(scenario(OPTIMIZED, minutes=10), trail=TrailSettings(service_events=False))
    assert all(is_runtime_call(record) for _, record in records(silent))


@pytest.mark.parametrize(
    ("effect", "message"),
    [
        ((Effect.RPM, 0, 120, 0.5), "Too many requests,"),
        ((Effect.TPM, 0, 120, 0.5), "Too many tokens,"),
        ((Effect.TPD_LEFT, 0, 120, 5.0), "Too many tokens per day,"),
    ],
)
def test_a_throttle_names_its_quota(effect: tuple[Effect, int, int, float], message: str) -> None:
    """ErrorCode without the Exception suffix; the message tells RPM, TPM and TPD apart."""
    recording = simulate(scenario(STANDARD, effect, minutes=60), trail=TrailSettings())
    throttles = [record for _, record in records(recording) if record.get("errorCode") == "Throttling"]
    assert len(throttles) > 50
    assert all(str(record["errorMessage"]).startswith(message) for record in throttles)
    codes = error_codes(record for _, record in records(recording))
    assert not [code for code in codes if code.startswith("Throttl") and code.endswith("Exception")]


def test_the_served_latency_path_and_its_values_are_settings() -> None:
    """Nothing of the undocumented field is fixed."""
    settings = TrailSettings(
        served_latency_path="responseElements.mode", optimized_value="FAST", wrapped=False, field_missing=0.0
    )
    recording = simulate(scenario(OPTIMIZED, minutes=5), trail=settings)
    calls = [record for _, record in recording.trail_records() if is_runtime_call(record) and "errorCode" not in record]
    assert {value_at(record, "responseElements.mode") for record in calls} == {"FAST"}


def test_a_wrong_path_makes_every_record_unknown() -> None:
    """The field is there, elsewhere: counts see nothing, a look into the records finds it."""
    recording = simulate(scenario(OPTIMIZED, (Effect.TRAIL_PATH, 0, 120, 1.0)), trail=TrailSettings())
    evidence = recording.evidence
    assert evidence is not None
    assert evidence.optimized.sum() == evidence.standard.sum() == 0
    assert evidence.unknown.sum() > 1000
    assert latency_fields(record for _, record in records(recording))[0].path != PATH


def test_some_records_lack_the_field() -> None:
    """As many as configured; those of a model that is not asked optimized all do."""
    recording = simulate(scenario(OPTIMIZED), trail=TrailSettings(field_missing=0.2))
    evidence = recording.evidence
    assert evidence is not None
    assert evidence.unknown.sum() / (evidence.unknown + evidence.optimized).sum() == pytest.approx(0.2, abs=0.03)
    plain = simulate(scenario(STANDARD), trail=TrailSettings()).evidence
    shown = simulate(scenario(STANDARD), trail=TrailSettings(field_on_standard=True)).evidence
    assert plain is not None
    assert shown is not None
    assert plain.standard.sum() == 0
    assert shown.standard.sum() > 1000


def test_records_of_an_outage_are_lost_or_come_after_it() -> None:
    """Nothing comes while it lasts but what was under way; afterwards the rest comes at once."""
    settings = TrailSettings(mean_delay_s=60, loss=0.0, spike_probability=0.0)
    kept = simulate(scenario(STANDARD, (Effect.TRAIL_OUTAGE, 30, 60, 1e-9)), trail=settings).evidence
    lost = simulate(scenario(STANDARD, (Effect.TRAIL_OUTAGE, 30, 60, 1.0)), trail=settings).evidence
    plain = simulate(scenario(STANDARD), trail=settings).evidence
    assert kept is not None
    assert lost is not None
    assert plain is not None
    assert kept.records[38:60].sum() == lost.records[38:60].sum() == 0
    assert kept.records.sum() == pytest.approx(plain.records.sum(), rel=0.02)
    assert lost.records.sum() < 0.8 * plain.records.sum()
    assert kept.records[60:66].sum() > 20 * 30


def test_another_trail_sees_the_same_calls() -> None:
    """The calls are simulated once; the evidence of another delay costs no new simulation."""
    happening = scenario(OPTIMIZED, FALLBACK)
    recording = simulate(happening, trail=TrailSettings())
    slow = TrailSettings(mean_delay_s=900)
    again = recording.with_trail(slow).evidence
    direct = simulate(happening, trail=slow).evidence
    assert again is not None
    assert direct is not None
    assert np.array_equal(again.standard, direct.standard)
    assert recording.evidence is not None
    assert again.standard[:30].sum() < recording.evidence.standard[:30].sum()


def test_evidence_becomes_the_metric_that_a_filter_would_write() -> None:
    """Counts by delivery; default 0 in minutes with records and no match; no point where no record came."""
    recording = simulate(
        scenario(OPTIMIZED, (Effect.TRAIL_OUTAGE, 0, 40, 1.0)), trail=TrailSettings(loss=0.0, mean_delay_s=60)
    )
    evidence = recording.evidence
    assert evidence is not None
    zeros = evidence.samples(evidence.throttled)
    assert zeros.sums.sum() == evidence.throttled.sum()
    assert len(zeros) == (evidence.records > 0).sum() < 120
    served = evidence.samples(evidence.optimized)
    assert served.sums.sum() == evidence.optimized.sum()
    assert (served.available_at == served.timestamps + 60).all()
    only = evidence.samples(evidence.throttled, default_zero=False)
    assert len(only) == (evidence.throttled > 0).sum()


def test_the_invocation_log_joins_the_trail_and_holds_no_body() -> None:
    """One record for each attempt, joined by the request id; tokens, and never a prompt."""
    recording = simulate(scenario(STANDARD, THROTTLES), trail=TrailSettings(loss=0.0))
    log = [record for _, record in recording.invocation_log()]
    assert len(log) == len(recording.attempts.call)
    assert {record["requestId"] for record in log} == {
        record["requestID"] for _, record in records(recording) if is_runtime_call(record)
    }
    assert not {"messages", "system", "content", "text"} & set(re.findall(r"\w+", json.dumps(log)))
    served = [record for record in log if "errorCode" not in record]
    assert {value_at(record, "output.outputBodyJson.performanceConfig.latency") for record in served} == {"standard"}
    assert sum(record.get("errorCode") == "Throttling" for record in log) > 0


def test_trail_settings_refuse_nonsense() -> None:
    """A probability above 1 or a negative delay is a mistake."""
    for wrong in ({"loss": 1.5}, {"mean_delay_s": -1.0}, {"spike_factor": 0.5}):
        with pytest.raises(ValueError, match="Trail"):
            replace(TrailSettings(), **wrong)
