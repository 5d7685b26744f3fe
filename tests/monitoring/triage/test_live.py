"""The live triage: what is asked, what is lost alone, and that no body is ever kept."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from bedrock.evidence import EvidenceRoute
from cloudwatch.alarm import AlarmState, MetricAlarm
from monitoring.live.session import Connection
from monitoring.live.triage import gather_snapshot
from monitoring.plan import plan
from monitoring.triage.render import as_text
from monitoring.triage.report import triage
from tests.monitoring.review.test_live import Scripted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.plan import Plan

NOW_S = 1_793_610_120
FALLBACK = ("fallback-share", "decode-rate", "fallback", "slow-decode")


def states(planned: Plan, *firing: str) -> Any:
    """An answer to DescribeAlarms in which some slugs are in ALARM."""
    slugs = {entry.alarm.name: entry.slug for entry in (*planned.models[0].alarms, *planned.alarms)}

    def answer(AlarmNames: list[str], **_: object) -> Iterator[Any]:  # noqa: N803
        rows = [
            {
                "AlarmName": name,
                "StateValue": "ALARM" if slugs[name] in firing else "OK",
                "StateReason": "because",
                "StateTransitionedTimestamp": datetime.fromtimestamp(NOW_S - 600, tz=UTC),
            }
            for name in AlarmNames
        ]
        yield {"MetricAlarms": rows[:1]}
        yield {"CompositeAlarms": rows[1:]}

    return answer


def data(MetricDataQueries: list[Any], EndTime: datetime, **_: object) -> Iterator[Any]:  # noqa: N803
    """A point of each query in the last five minutes: 30 calls at 45 tokens a second."""
    values = {
        ("Invocations", "Sum"): 30.0,
        ("OutputTokenCount", "Sum"): 9000.0,
        ("InvocationLatency", "Sum"): 230_000.0,
        ("TimeToFirstToken", "Sum"): 30_000.0,
        ("InvocationLatency", "p90"): 8000.0,
    }
    at = EndTime.timestamp() - 300
    results = []
    for query in MetricDataQueries:
        name, stat = query["MetricStat"]["Metric"]["MetricName"], query["MetricStat"]["Stat"]
        value = values.get((name, stat), 30.0 if stat == "SampleCount" else None)
        if name.endswith("served-standard"):
            value = 25.0
        points = [] if value is None else [value]
        times = [datetime.fromtimestamp(at, tz=UTC)] * len(points)
        results.append({"Id": query["Id"], "Timestamps": times, "Values": points, "StatusCode": "Complete"})
    yield {"MetricDataResults": results}


def records(logGroupName: str, filterPattern: str, **_: object) -> Iterator[Any]:  # noqa: N803
    """One standard-served call with a body that must not be kept."""
    assert logGroupName
    if "standard" in filterPattern and "unknown" not in filterPattern:
        detail = {
            "eventTime": "2026-11-02T08:59:00Z",
            "eventName": "Converse",
            "eventType": "AwsApiCall",
            "requestParameters": {"modelId": "us.amazon.nova-pro-v1:0", "messages": "SECRET"},
            "userIdentity": {"arn": "arn:aws:sts::111122223333:assumed-role/checkout/x", "accessKeyId": "SECRET"},
            "additionalEventData": {"performanceConfig": {"latency": "standard"}},
            "input": {"inputBodyJson": {"prompt": "SECRET"}},
        }
        event = {"eventId": "1", "ingestionTime": 1_793_609_940_000, "message": json.dumps({"detail": detail})}
        yield {"events": [event, event, {"eventId": "2", "message": "broken"}]}


def history(**_: object) -> Iterator[Any]:
    """No change."""
    yield {"AlarmHistoryItems": []}


def everything(planned: Plan) -> dict[str, Any]:
    """Answers to every question."""
    return {
        "describe_alarms": states(planned, *FALLBACK),
        "describe_alarm_history": history,
        "get_metric_data": data,
        "filter_log_events": records,
    }


@pytest.fixture(autouse=True)
def _no_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients are made, and never used."""
    monkeypatch.setattr(Scripted, "client", lambda *_, **__: None)


def gather(planned: Plan, **answers: Any) -> Any:
    """A snapshot from scripted answers."""
    return gather_snapshot(Scripted(**answers), plan=planned, model=planned.models[0], now_s=NOW_S)


def test_a_fallback_is_recognised_from_the_account(planned: Plan) -> None:
    """States, numbers and callers together; the percentile of five-minute points is named for what it is."""
    found = triage(gather(planned, **everything(planned)))
    assert found.cause == "fallback"
    assert found.missing == ()
    numbers = {number.slug: number for number in found.numbers}
    assert numbers["decode-rate"].value == "45 tokens/s"
    assert numbers["decode-rate"].off
    assert "median of five-minute p90s" in numbers["latency-objective"].label
    assert found.affected is not None
    assert [(each.role, each.standard) for each in found.affected.callers] == [("role/checkout", 1)]
    assert found.affected.newest_s == datetime(2026, 11, 2, 8, 59, tzinfo=UTC).timestamp()


def test_no_body_and_no_key_is_kept(planned: Plan) -> None:
    """Of a record only what names caller, model, Region, error and served mode comes along."""
    seen = gather(planned, **everything(planned))
    assert seen.calls
    assert "SECRET" not in repr(seen)


@pytest.mark.parametrize(
    ("operation", "lost"),
    [
        ("describe_alarms", "states of the alarms"),
        ("describe_alarm_history", "history of the alarms"),
        ("get_metric_data", "metrics"),
        ("filter_log_events", "callers"),
    ],
)
@pytest.mark.parametrize("code", ["AccessDenied", "ThrottlingException", "InternalFailure", "ExpiredTokenException"])
def test_each_question_may_fail_alone(planned: Plan, operation: str, lost: str, code: str) -> None:
    """The rest is still told, and what is lost is said with AWS's own reason, in 80 columns."""
    found = triage(gather(planned, **everything(planned) | {operation: code}))
    assert found.cause == "fallback"
    assert len(found.missing) == 1
    assert found.missing[0].startswith(lost)
    assert code in found.missing[0]
    text = as_text(found)
    assert text.index("Not seen") < text.index("It is not")
    assert all(len(line) <= 80 for line in text.splitlines() if "https://" not in line)


def test_everything_denied_claims_nothing(planned: Plan) -> None:
    """Four reasons, and no verdict."""
    found = triage(gather(planned))
    assert found.cause is None
    assert len(found.missing) == 4
    assert "Nothing can be said" in found.sentence


def test_alarms_that_are_not_deployed_are_named(planned: Plan) -> None:
    """An account without these alarms does not look healthy."""
    found = triage(gather(planned, **everything(planned) | {"describe_alarms": lambda **_: iter([{}])}))
    assert any("is this configuration deployed" in each for each in found.missing)


def test_without_evidence_the_callers_are_missing_and_said(planned: Plan) -> None:
    """Route none keeps no records."""
    evidence = replace(planned.deployment.evidence, route=EvidenceRoute.NONE)
    bare = plan(replace(planned.deployment, evidence=evidence))
    found = triage(gather(bare, **everything(bare)))
    assert found.affected is None
    assert found.missing == ("callers: evidence route none keeps no records",)


def test_the_calls_are_those_of_the_service_model(planned: Plan, aws: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a server over HTTP: an alarm in ALARM is seen, and what the server does not know is said."""
    monkeypatch.undo()
    monkeypatch.setenv("AWS_ENDPOINT_URL", aws)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    client = boto3.client("cloudwatch", region_name="us-east-1", endpoint_url=aws)
    entry = planned.models[0].alarms.get("service-errors")
    assert entry is not None
    assert isinstance(entry.alarm, MetricAlarm)
    client.put_metric_alarm(
        AlarmName=entry.alarm.name,
        Namespace="n",
        MetricName="m",
        Statistic="Sum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=1.0,
        ComparisonOperator="GreaterThanThreshold",
    )
    client.set_alarm_state(AlarmName=entry.alarm.name, StateValue="ALARM", StateReason="a test")
    connection = Connection(region="us-east-1")
    seen = gather_snapshot(connection, plan=planned, model=planned.models[0], now_s=NOW_S)
    assert seen.states is not None
    assert seen.states[entry.alarm.name].state is AlarmState.ALARM
    assert triage(seen).cause == "service-errors"
