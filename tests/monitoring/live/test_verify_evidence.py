"""verify-evidence: what an account shows against what the configuration says, and the lines to change."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from botocore.stub import ANY, Stubber

from bedrock.evidence import EvidenceRoute
from bedrock.models import LatencyMode
from cloudwatch.metric import Metric
from monitoring.config import load_deployments
from monitoring.evidence_check import Finding, LogEvent, Observed, Status, check_evidence
from monitoring.evidence_report import as_json, as_junit, as_text
from monitoring.live.session import AwsError, Connection
from monitoring.live.verify_evidence import TRAIL_PATTERN, gather_evidence
from monitoring.plan import plan

if TYPE_CHECKING:
    from monitoring.deployment import Deployment

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "acme" / "monitoring.yaml"
NOW = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def deployment() -> Deployment:
    """An account and Region of the example that has an optimized model."""
    return next(
        each
        for each in load_deployments(EXAMPLE)
        if any(model.latency is LatencyMode.OPTIMIZED for model in each.models)
    )


def model_id(deployment: Deployment) -> str:
    """A ModelId of the optimized model as CloudTrail sees it."""
    return next(model.trail_ids[0] for model in deployment.models if model.latency is LatencyMode.OPTIMIZED)


def call(
    model: str, *, served: str | None = "optimized", path: str = "performanceConfig", **more: Any
) -> dict[str, Any]:
    """A CloudTrail record of a call."""
    extra = {} if served is None else {"additionalEventData": {path: {"latency": served}}}
    return {
        "eventSource": "bedrock.amazonaws.com",
        "eventName": "Converse",
        "eventType": "AwsApiCall",
        "eventTime": "2026-11-02T08:50:00Z",
        "requestParameters": {"modelId": model},
        **extra,
        **more,
    }


def findings(deployment: Deployment, **observed: Any) -> dict[str, Finding]:
    """Findings by check."""
    evidence = plan(deployment).evidence
    report = check_evidence(deployment, filters=evidence.filters, observed=Observed(**observed))
    return {finding.check: finding for finding in report.findings}


def test_the_configured_path_is_confirmed(deployment: Deployment) -> None:
    """Records with the field where it is expected are ok, and the served modes are counted."""
    id_ = model_id(deployment)
    found = findings(deployment, history=(call(id_), call(id_, served="standard")))["served-latency path"]
    assert found.status is Status.OK
    assert "1 optimized, 1 standard" in found.saw


def test_another_path_is_found_and_written_as_configuration(deployment: Deployment) -> None:
    """The field stands elsewhere: the line to change names where."""
    found = findings(deployment, history=(call(model_id(deployment), path="latencyConfig"),))["served-latency path"]
    assert found.status is Status.WRONG
    assert found.lines == ("evidence:", "  served_latency_path: additionalEventData.latencyConfig.latency")


def test_no_field_at_all_is_wrong_and_no_call_is_unknown(deployment: Deployment) -> None:
    """Silence is told apart from absence."""
    id_ = model_id(deployment)
    assert findings(deployment, history=(call(id_, served=None),))["served-latency path"].status is Status.WRONG
    assert findings(deployment, history=())["served-latency path"].status is Status.UNKNOWN


def test_a_throttle_that_is_spelt_otherwise_is_found(deployment: Deployment) -> None:
    """An error code that speaks of throttling and does not match the pattern is wrong."""
    record = call(model_id(deployment), served=None, errorCode="ModelThrottledException")
    found = findings(deployment, history=(record,))["throttle error code"]
    assert found.status is Status.WRONG
    assert found.lines[-1] == "  throttle_error_code: ModelThrottledException"


def test_ids_of_no_model_are_named(deployment: Deployment) -> None:
    """A model that is called and not watched is named with its count."""
    found = findings(deployment, history=(call("us.somebody.else-v1:0"),) * 3)["ids in CloudTrail"]
    assert "us.somebody.else-v1:0 (3)" in found.saw


def test_late_records_ask_for_a_longer_wait(deployment: Deployment) -> None:
    """The measured delay becomes the configuration's expected delay."""
    events = tuple(
        LogEvent(ingestion_s=1000.0 + 700, event_s=1000.0, record={"detail": call(model_id(deployment))})
        for _ in range(20)
    )
    found = findings(deployment, log_events=events)
    assert found["CloudTrail delay"].lines == ("evidence:", "  expected_delay_s: 900")
    assert found["filters match"].status is Status.OK


def test_filters_that_match_nothing_are_wrong(deployment: Deployment) -> None:
    """Events that no filter of ours matches mean that the patterns miss the account's shape."""
    events = (LogEvent(ingestion_s=1000.0, record={"detail": {"eventName": "Other"}}),)
    assert findings(deployment, log_events=events)["filters match"].status is Status.WRONG


def test_filters_with_nothing_to_count_are_not_wrong(deployment: Deployment) -> None:
    """Healthy calls of models that nobody asks optimized match no filter, and that is as it should be; a throttle has to."""
    event = {"detail": call("amazon.nova-lite-v1:0", served=None)}
    quiet = findings(deployment, log_events=(LogEvent(ingestion_s=1.0, record=event),))["filters match"]
    assert quiet.status is Status.UNKNOWN
    assert "throttled" in quiet.saw
    odd = {"detail": call("amazon.nova-lite-v1:0", served=None, errorCode="ThrottlingException", eventType="Another")}
    assert (
        findings(deployment, log_events=(LogEvent(ingestion_s=1.0, record=odd),))["filters match"].status
        is Status.WRONG
    )


def logged(model: str, **output: Any) -> LogEvent:
    """An event of the model invocation log; the caller asked for optimized latency."""
    record = {
        "operation": "Converse",
        "modelId": model,
        "input": {"inputBodyJson": {"performanceConfig": {"latency": "optimized"}}},
        "output": {"outputBodyJson": output},
    }
    return LogEvent(ingestion_s=1.0, record=record)


def by_invocation_log(deployment: Deployment) -> Deployment:
    """The same account with the evidence of its invocation log."""
    settings = replace(deployment.evidence, route=EvidenceRoute.INVOCATION_LOG, log_group="bedrock-invocations")
    return replace(deployment, evidence=settings)


def test_the_invocation_log_is_compared_with_its_own_path(deployment: Deployment) -> None:
    """CloudTrail's path says nothing there: what stands in CloudTrail is not advised, and what was asked is not what was served."""
    there, id_ = by_invocation_log(deployment), model_id(deployment)
    fine = findings(
        there,
        history=(call(id_, path="elsewhere"),),
        log_events=(logged(id_, performanceConfig={"latency": "standard"}),),
    )
    assert fine["served-latency path"].status is Status.OK
    assert "output.outputBodyJson.performanceConfig.latency: 1 standard" in fine["served-latency path"].saw
    assert fine["filters match"].status is Status.OK
    moved = findings(there, log_events=(logged(id_, trace={"latency": "standard"}),))["served-latency path"]
    assert moved.lines == ("evidence:", "  served_latency_path: output.outputBodyJson.trace.latency")
    absent = findings(there, log_events=(logged(id_),))["served-latency path"]
    assert (absent.status, absent.lines) == (Status.WRONG, ())
    assert "invocation log" in absent.do


def test_counting_rules_leave_served_calls_to_no_filter(deployment: Deployment) -> None:
    """With rule-counters only throttles are filtered: a log of standard-served calls alone is no fault."""
    there = replace(deployment, evidence=replace(deployment.evidence, route=EvidenceRoute.RULE_COUNTERS))
    event = LogEvent(ingestion_s=1.0, record={"detail": call(model_id(deployment), served="standard")})
    assert findings(there, log_events=(event,))["filters match"].status is Status.UNKNOWN


def test_the_machinery_is_looked_at(deployment: Deployment) -> None:
    """A rule in another state, a disabled key and unconfirmed receivers are wrong."""
    found = findings(
        deployment,
        rule_states={"r": "ENABLED"},
        key_state="Disabled",
        pending_subscriptions={"arn:aws:sns:us-east-1:111122223333:page": 2},
    )
    assert {found[name].status for name in ("EventBridge rule", "KMS key", "subscriptions")} == {Status.WRONG}


def test_metric_names_and_ids_are_compared(deployment: Deployment) -> None:
    """Another spelling of the cache metrics and ModelIds of no model are found."""
    metrics = tuple(
        Metric(namespace="AWS/Bedrock", name=name, dimensions=(("ModelId", "stranger"),))
        for name in ("Invocations", "CacheReadInputTokens")
    )
    found = findings(deployment, metrics=metrics)
    assert "stranger" in found["ModelId values"].saw
    if any(model.prompt_caching for model in deployment.models):
        assert found["cache metric names"].lines[1] == "  read: CacheReadInputTokens"


def test_the_report_is_told_three_ways(deployment: Deployment) -> None:
    """Text of 80 columns, JSON and JUnit agree."""
    evidence = plan(deployment).evidence
    report = check_evidence(
        deployment, filters=evidence.filters, observed=Observed(history=(call("x" * 30),), problems=("denied",))
    )
    text = as_text(report)
    assert max(map(len, text.splitlines())) <= 80
    rows = json.loads(as_json(report))["findings"]
    suite = ET.fromstring(as_junit(report))
    assert len(rows) == len(suite) == len(report.findings)
    assert suite.get("failures") == str(sum(row["status"] == "wrong" for row in rows))


class _Stubbed(Connection):
    """A connection whose clients answer from scripts; every request is checked against the service model."""

    def __init__(self, answers: dict[str, list[tuple[Any, ...]]]) -> None:
        super().__init__(region="us-east-1")
        self.__dict__["account_id"] = "111122223333"
        self.__dict__["clients"] = {}
        self.__dict__["answers"] = answers

    def client(self, service: str, *, region: str | None = None) -> Any:
        clients = self.__dict__["clients"]
        if service not in clients:
            import boto3

            made = boto3.client(
                service, region_name=region or "us-east-1", aws_access_key_id="x", aws_secret_access_key="x"
            )
            stub = Stubber(made)
            for operation, answer, *asked in self.__dict__["answers"].get(service, ()):
                if isinstance(answer, str):
                    stub.add_client_error(operation, service_error_code=answer, service_message="no")
                else:
                    stub.add_response(operation, answer, *asked)
            stub.activate()
            clients[service] = made
        return clients[service]


def test_gathering_reads_every_source_and_survives_a_denied_one() -> None:
    """A denied call costs its own part and is said; bodies of prompts never come along."""
    record = {
        "eventTime": "2026-11-02T08:50:00Z",
        "input": {"inputBodyJson": {"secret": 1, "latency": "optimized"}, "inputTokenCount": 3},
        "output": {
            "outputBodyJson": {
                "performanceConfig": {"latency": "standard"},
                "output": {"message": {"text": "a secret", "latency": "a secret"}},
                "content": [{"latency": "standard"}],
            }
        },
    }
    events = {"Events": [{"CloudTrailEvent": json.dumps({"eventName": "Converse"})}, {"CloudTrailEvent": "broken"}]}
    connection = _Stubbed(
        {
            "cloudtrail": [("lookup_events", events), *[("lookup_events", {"Events": []})] * 3],
            "logs": [
                (
                    "filter_log_events",
                    {"events": [{"message": json.dumps(record), "timestamp": 1, "ingestionTime": 1793609460000}]},
                )
            ],
            "cloudwatch": [
                (
                    "list_metrics",
                    {"Metrics": [{"Namespace": "AWS/Bedrock", "MetricName": "Invocations", "Dimensions": []}]},
                )
            ],
            "events": [("describe_rule", "ResourceNotFoundException")],
            "kms": [("describe_key", "AccessDeniedException")],
            "sns": [
                (
                    "list_subscriptions_by_topic",
                    {"Subscriptions": [{"SubscriptionArn": "PendingConfirmation", "Protocol": "email"}]},
                )
            ],
        }
    )
    told: list[str] = []
    observed = gather_evidence(
        connection,
        now=NOW,
        log_group="g",
        rules=["r"],
        key="alias/k",
        topic_arns=["arn:aws:sns:us-east-1:111122223333:t"],
        progress=told.append,
    )
    assert observed.history is not None
    assert [dict(each) for each in observed.history] == [{"eventName": "Converse"}]
    assert observed.log_events is not None
    assert observed.log_events[0].record["input"] == {"inputTokenCount": 3}
    assert observed.log_events[0].record["output"] == {"outputBodyJson": {"performanceConfig": {"latency": "standard"}}}
    assert observed.rule_states == {"r": "absent"}
    assert observed.key_state is None
    assert any("DescribeKey" in text and "AccessDenied" in text for text in observed.problems)
    assert observed.pending_subscriptions == {"arn:aws:sns:us-east-1:111122223333:t": 1}
    assert len(told) == 6


def test_of_a_trail_only_bedrock_records_are_read() -> None:
    """Its log group holds every service's records, and the newest two hundred would hold none of ours."""
    wanted = {"logGroupName": "g", "filterPattern": TRAIL_PATTERN, "startTime": ANY, "endTime": ANY}
    none: dict[str, Any] = {"Metrics": []}
    connection = _Stubbed(
        {
            "cloudtrail": [("lookup_events", {"Events": []})] * 4,
            "logs": [("filter_log_events", {"events": []}, wanted)],
            "cloudwatch": [("list_metrics", none)],
        }
    )
    observed = gather_evidence(
        connection, now=NOW, log_group="g", rules=[], key=None, topic_arns=[], pattern=TRAIL_PATTERN
    )
    assert observed.problems == ()
    assert observed.log_events == ()


def test_no_credentials_are_one_clear_problem(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without credentials the answer is a sentence with what to do, and nothing else is asked."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(AwsError) as caught:
        gather_evidence(Connection(region="us-east-1"), now=NOW, log_group=None, rules=[], key=None, topic_arns=[])
    assert "--profile" in caught.value.problem.hint
