"""`bedrock-monitor simulate`: from a configuration to a recording on disk."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bedrock.evidence import EvidenceRoute, EvidenceSettings
from bedrock.simulator import Detail, load_incidents
from bedrock.trail_records import is_runtime_call, unwrap
from cloudwatch.metric_filter_events import filter_events
from cloudwatch.problems import InvalidValueError
from cloudwatch.series import Samples
from monitoring.cli.main import run
from monitoring.config import load_deployments
from monitoring.dataset import read_dataset
from monitoring.simulation import (
    dataset_of,
    events_of,
    evidence_plan_of,
    find_deployment,
    find_incident,
    simulate_incident,
)

if TYPE_CHECKING:
    from pathlib import Path

CONFIGURATION = """
organisation:
  name: Example
accounts:
  prod:
    id: "111122223333"
    regions: [us-east-1, us-west-2]
    models:
      assistant:
        ids: [us.amazon.nova-pro-v1:0]
        latency: optimized
        requests_per_minute: 30
        baselines: {otps: 120, standard_otps: 75, output_tokens: 300, input_tokens: 1500}
  test:
    id: "444455556666"
    regions: [us-east-1]
    models:
      router:
        ids: [us.amazon.nova-lite-v1:0]
        requests_per_minute: 5
        baselines: {otps: 60, output_tokens: 100, input_tokens: 500}
"""


@pytest.fixture
def configuration(tmp_path: Path) -> Path:
    """Write a configuration with one model in two Regions and one in one."""
    path = tmp_path / "monitoring.yaml"
    path.write_text(CONFIGURATION, encoding="utf-8")
    return path


def called(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Run the command; return exit code, stdout, stderr."""
    with pytest.raises(SystemExit) as leaving:
        run(["simulate", *map(str, arguments)])
    said = capsys.readouterr()
    assert isinstance(leaving.value.code, int)
    return leaving.value.code, said.out, said.err


def test_a_recording_is_written_and_told(
    configuration: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Series and events of the model in its account and Region, with the truth beside them."""
    out = tmp_path / "recording"
    code, data, said = called(
        capsys, "optimized-quota-exhausted", configuration, "--model", "assistant", "--region", "us-west-2",
        "--seed", 3, "--out", out, "--start", "2026-11-02T09:00:00Z",
    )  # fmt: skip
    assert (code, data) == (0, "")
    assert "must page fallback" in said
    recording = read_dataset(out)
    assert recording.places == {("111122223333", "us-west-2")}
    assert recording.start_s == 1_793_610_000
    assert recording.about["incident"] == "optimized-quota-exhausted"
    assert recording.about["seed"] == 3
    assert recording.truth is not None
    assert recording.truth["page"] == "fallback"
    assert recording.truth["deep"] is True
    (log,) = recording.logs
    assert log.log_group == "/aws/events/llm-prod-bedrock-calls"
    assert (log.ingestion_times_s >= log.event_times_s).all()
    assert (np.diff(log.ingestion_times_s) >= 0).all()
    assert log.ingestion_times_s.max() < recording.end_s
    assert sum(is_runtime_call(unwrap(record)) for record in log.records) > 5000


def test_the_same_seed_writes_the_same_bytes(
    configuration: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A recording can be made again anywhere; another seed is another recording."""
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        code, _, _ = called(
            capsys, "throttled-rpm", configuration, "--model", "router", "--seed", seed, "--out", tmp_path / name
        )
        assert code == 0
    for file in ("series.parquet", "events.jsonl", "truth.json", "recording.json"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    assert (tmp_path / "a" / "events.jsonl").read_bytes() != (tmp_path / "c" / "events.jsonl").read_bytes()


def test_minutes_are_smaller_and_hold_the_same_sums(configuration: Path) -> None:
    """`--detail minutes` keeps counts and sums."""
    deployment = find_deployment(load_deployments(configuration), model="router")
    entry = find_incident("server-errors")
    fine, coarse = (
        simulate_incident(entry, deployment, model="router", detail=detail, requests_per_minute=300).series
        for detail in (Detail.REQUESTS, Detail.MINUTES)
    )
    assert fine.keys() == coarse.keys()
    for metric, samples in fine.items():
        assert coarse[metric].counts.sum() == samples.counts.sum()
        assert coarse[metric].sums.sum() == pytest.approx(samples.sums.sum())
    assert sum(map(len, coarse.values())) < 0.5 * sum(map(len, fine.values()))


def test_counters_of_rules_are_series_and_not_events(configuration: Path) -> None:
    """On that route the served classes come as AWS/Events MatchedEvents; on the others the filters make them."""
    (deployment,) = (one for one in load_deployments(configuration) if one.site.region == "us-west-2")
    recording = simulate_incident(find_incident("wrong-path"), deployment, model="assistant")
    plain = {metric.namespace for metric, _ in dataset_of(recording, deployment).series}
    rules = replace(deployment, evidence=EvidenceSettings(route=EvidenceRoute.RULE_COUNTERS))
    counted = dataset_of(recording, rules)
    assert plain == {"AWS/Bedrock"}
    assert {metric.namespace for metric, _ in counted.series} == {"AWS/Bedrock", "AWS/Events"}
    assert counted.places == {("111122223333", "us-west-2")}


def test_a_recording_without_events_holds_what_filters_would_make_of_them(
    configuration: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Small, and the same to alarms: the derived series equal those of the filters over the events."""
    call = ("optimized-quota-partly", configuration, "--model", "assistant", "--region", "us-east-1")
    assert called(capsys, *call, "--out", tmp_path / "with")[0] == 0
    assert called(capsys, *call, "--out", tmp_path / "without", "--no-events")[0] == 0
    small, full = read_dataset(tmp_path / "without"), read_dataset(tmp_path / "with")
    assert small.logs == ()
    (deployment,) = (
        one
        for one in load_deployments(configuration)
        if one.site.region == "us-east-1" and one.models[0].key == "assistant"
    )
    filters = {
        one.metric: one for one in evidence_plan_of(deployment).filters if one.metric == "assistant-served-standard"
    }
    (log,) = full.logs
    output = filter_events(
        filters["assistant-served-standard"],
        events=log.records,
        event_times_s=log.event_times_s,
        ingestion_times_s=log.ingestion_times_s,
    )
    (derived,) = (source for metric, source in small.series if metric.name == "assistant-served-standard")
    assert isinstance(derived, Samples)
    made = output.samples[0][1]
    assert derived.sums.sum() == made.sums.sum() > 100
    assert np.array_equal(np.repeat(derived.timestamps, derived.counts.astype(int)), made.timestamps)


def test_events_follow_the_route_of_the_evidence(configuration: Path) -> None:
    """No evidence, no events; on the route of the invocation log they stand in its log group."""
    (deployment,) = (one for one in load_deployments(configuration) if one.site.alias == "test")
    recording = simulate_incident(find_incident("steady"), deployment, model="router", requests_per_minute=0.5)
    assert not list(events_of(recording, replace(deployment, evidence=EvidenceSettings(route=EvidenceRoute.NONE))))
    log = EvidenceSettings(route=EvidenceRoute.INVOCATION_LOG, log_group="invocations")
    (name,) = {event.log_group for event in events_of(recording, replace(deployment, evidence=log))}
    assert name == "invocations"


def test_the_list_names_every_entry(capsys: pytest.CaptureFixture[str]) -> None:
    """As text a line each, as JSON an object each."""
    code, text, _ = called(capsys, "--list")
    assert code == 0
    assert [line.split()[0] for line in text.splitlines()] == [incident.name for incident in load_incidents()]
    code, data, _ = called(capsys, "--list", "--format", "json")
    rows = {row["name"]: row for row in json.loads(data)}
    assert rows["throttled-tpm"]["pages"] == ["throttled"]
    assert rows["steady"]["kind"] == "week"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["throttled-tpm", "--model", "router"], "missing --out"),
        (["throttled-tmp", "--model", "router", "--out", "x"], "did you mean throttled-tpm?"),
        (["throttled-tpm", "--model", "routr", "--out", "x"], "did you mean router?"),
        (["steady", "--model", "assistant", "--out", "x"], "say which with --account and --region"),
        (["steady", "--model", "router", "--account", "prod", "--out", "x"], "No model router in prod"),
        (["cache-lost", "--model", "router", "--out", "x"], "needs a model that is caching"),
        (["steady", "--model", "router", "--start", "noon", "--out", "x"], "is no time"),
        (["steady", "--model", "router", "--start", "2026-11-02T09:00:00", "--out", "x"], "no time zone"),
        (["steady", "--model", "router", "--start", "2026-11-02T09:00:30Z", "--out", "x"], "full minute"),
        (["steady", "--model", "router", "--out", "."], "holds no recording"),
    ],
)
def test_a_wrong_call_is_one_sentence_and_exit_code_2(
    arguments: list[str],
    message: str,
    configuration: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What was wrong, and what to write instead; nothing is written."""
    monkeypatch.chdir(configuration.parent)
    code, data, said = called(capsys, arguments[0], configuration, *arguments[1:])
    assert (code, data) == (2, "")
    assert message in said
    assert "Traceback" not in said
    assert sorted(path.name for path in configuration.parent.iterdir()) == ["monitoring.yaml"]


def test_a_wrong_configuration_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its problems, exit code 2."""
    path = tmp_path / "monitoring.yaml"
    path.write_text("organisation: x\nmodells: {}\n", encoding="utf-8")
    code, _, said = called(capsys, "steady", path, "--model", "m", "--out", tmp_path / "r")
    assert code == 2
    assert "modells" in said


def test_finding_says_what_there_is(configuration: Path) -> None:
    """A name that is like nothing lists what there is."""
    with pytest.raises(InvalidValueError, match="models: assistant, router"):
        find_deployment(load_deployments(configuration), model="zzz")
    with pytest.raises(InvalidValueError, match="--list"):
        find_incident("zzz")
