"""`verify-evidence --active` over HTTP: what is sent, what is never read, and what the records tell."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from bedrock.evidence import EvidenceRoute
from bedrock.models import LatencyMode
from monitoring.active_check import Call, PlannedCall, check_active
from monitoring.cli import main
from monitoring.drift import Finding, Status
from monitoring.plan import plan
from tests.monitoring.live.deployed import MODEL_ID, deployed_answers, planned
from tests.monitoring.live.fake_aws import ACCOUNT, REGION, FakeAws, Refused, moment
from tests.monitoring.sample_plans import deployment, model

if TYPE_CHECKING:
    from pathlib import Path

    from monitoring.deployment import Deployment

pytestmark = pytest.mark.usefixtures("_restored")
NOW = 1_795_953_600
ANSWER = "the quick brown fox"


@pytest.fixture
def world(tmp_path: Path, fake: FakeAws) -> dict[str, Any]:
    """A deployed configuration, and records as configured; tests change `at`, the place of the served mode."""
    path = tmp_path / "monitoring.yaml"
    settings: dict[str, Any] = {"config": str(path), "at": ("additionalEventData", "performanceConfig", "latency")}
    fake.answers |= deployed_answers(planned(path), now_s=NOW)

    def lookup(asked: dict[str, Any]) -> dict[str, Any]:
        name = asked["LookupAttributes"][0]["AttributeValue"]
        found = []
        for call in fake.calls:
            if call.operation != name or "StartTime" not in asked or settings.get("late"):
                continue
            record: dict[str, Any] = {
                "eventSource": "bedrock.amazonaws.com",
                "eventName": name,
                "eventType": "AwsApiCall",
                "eventID": f"e-{call.request_id}",
                "requestID": call.request_id,
                "awsRegion": REGION,
                "requestParameters": {"modelId": call.parameters["modelId"]},
            }
            if call.parameters["modelId"] == MODEL_ID:
                at: dict[str, Any] = record
                for part in settings["at"][:-1]:
                    at = at.setdefault(part, {})
                at[settings["at"][-1]] = "optimized"
            else:
                record["errorCode"] = "ValidationException"
            found.append(
                {"EventId": record["eventID"], "EventTime": moment(NOW), "CloudTrailEvent": json.dumps(record)}
            )
        return {"Events": found}

    def converse(asked: dict[str, Any]) -> dict[str, Any]:
        if asked["modelId"] != MODEL_ID:
            raise Refused("ValidationException", "The provided model identifier is invalid.")
        return {
            "output": {"message": {"role": "assistant", "content": [{"text": ANSWER}]}},
            "stopReason": "end_turn",
            "usage": {"inputTokens": 5, "outputTokens": 1, "totalTokens": 6},
            "metrics": {"latencyMs": 300},
            "performanceConfig": {"latency": "optimized"},
        }

    metadata = {
        "usage": {"inputTokens": 5, "outputTokens": 1, "totalTokens": 6},
        "metrics": {"latencyMs": 300},
        "performanceConfig": {"latency": "optimized"},
    }
    delta = {"contentBlockIndex": 0, "delta": {"text": ANSWER}}
    fake.answers |= {
        "cloudtrail.LookupEvents": lookup,
        "logs.FilterLogEvents": {"events": []},
        "cloudwatch.ListMetrics": {"Metrics": []},
        "bedrock-runtime.Converse": converse,
        "bedrock-runtime.ConverseStream": {"stream": [("contentBlockDelta", delta), ("metadata", metadata)]},
    }
    return settings


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, dict[str, Any]], str]:
    """Run it; return exit code, findings by check, and everything that was printed."""
    with pytest.raises(SystemExit) as left:
        main.run(["verify-evidence", *arguments, "--active", "--yes", "--wait", "0", "--format", "json"])
    out, err = capsys.readouterr()
    findings = json.loads(out)["findings"] if out else []
    return int(str(left.value.code)), {row["check"]: row for row in findings}, out + err


def test_three_short_calls_are_made_and_told(
    world: dict[str, Any], fake: FakeAws, capsys: pytest.CaptureFixture[str]
) -> None:
    """One call, one streaming call, one that fails; a fixed sentence, 16 tokens; the cost is shown before."""
    _, _, printed = run(world["config"], capsys=capsys)
    sent = [call for call in fake.calls if call.service == "bedrock-runtime"]
    assert [call.operation for call in sent] == ["Converse", "ConverseStream", "Converse"]
    assert [call.parameters["modelId"] == MODEL_ID for call in sent] == [True, True, False]
    assert sent[0].parameters["performanceConfig"] == {"latency": "optimized"}
    assert {json.dumps(call.parameters["messages"]) for call in sent} == {
        '[{"role": "user", "content": [{"text": "Reply with OK."}]}]'
    }
    assert {call.parameters["inferenceConfig"]["maxTokens"] for call in sent} == {16}
    assert "These calls cost at most $0.00" in printed


def test_records_as_configured_are_ok(world: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """Path, spelling of the id and filters are confirmed, and no word of an answer is printed."""
    _, found, printed = run(world["config"], capsys=capsys)
    for check in (
        "answer of Converse",
        "served latency of Converse",
        "served latency of ConverseStream",
        "modelId in CloudTrail",
        "error code",
        "filters for Converse",
    ):
        assert found[check]["status"] == "ok", found[check]
    assert ANSWER not in printed


def test_another_path_comes_with_its_line(world: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """Where the served mode stands elsewhere, the line to change is printed, and no filter matches."""
    world["at"] = ("additionalEventData", "served", "latencyMode")
    code, found, _ = run(world["config"], capsys=capsys)
    assert code == 1
    assert found["served latency of Converse"]["lines"] == [
        "evidence:",
        "  served_latency_path: additionalEventData.served.latencyMode",
    ]


def test_no_record_is_unknown(world: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """A record that does not come within the wait is not a wrong configuration."""
    world["late"] = True
    _, found, _ = run(world["config"], capsys=capsys)
    assert found["record of Converse"]["status"] == "unknown"
    assert "served latency of Converse" not in found


def test_nothing_is_called_without_a_yes(
    world: dict[str, Any], fake: FakeAws, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Asked and not answered with yes: no call is made."""
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    with pytest.raises(SystemExit) as left:
        main.run(["verify-evidence", world["config"], "--active"])
    assert left.value.code == 130
    assert not [call for call in fake.calls if call.service == "bedrock-runtime"]


def test_a_call_that_is_not_permitted_is_one_line(
    world: dict[str, Any], fake: FakeAws, capsys: pytest.CaptureFixture[str]
) -> None:
    """Missing permission to invoke is said with what to do."""
    fake.answers["bedrock-runtime.Converse"] = Refused("AccessDeniedException", "no", status=403)
    code, _, printed = run(world["config"], capsys=capsys)
    assert code == 2
    assert "docs/iam.md" in printed


def test_the_right_account_is_needed(world: dict[str, Any], fake: FakeAws, capsys: pytest.CaptureFixture[str]) -> None:
    """Credentials of another account make no call."""
    fake.answers["sts.GetCallerIdentity"] |= {"Account": "444455556666"}
    assert run(world["config"], capsys=capsys)[0] == 2
    assert not [call for call in fake.calls if call.service == "bedrock-runtime"]
    assert ACCOUNT in fake.answers["sts.GetCallerIdentity"]["Arn"]


def active(deployment: Deployment) -> dict[str, Finding]:
    """Return what one call that was served standard shows, by check; its record holds no served latency mode."""
    model_id = deployment.models[0].trail_ids[0]
    record = {"eventType": "AwsApiCall", "eventName": "Converse", "requestParameters": {"modelId": model_id}}
    call = Call(
        planned=PlannedCall(operation="Converse", model_id=model_id), request_id="r", at_s=0.0, served="standard"
    )
    filters = plan(deployment).evidence.filters
    found = check_active(deployment, calls=[call], records={"r": [(60.0, record)]}, filters=filters, waited_s=60)
    return {finding.check: finding for finding in found}


@pytest.mark.parametrize(
    ("latency", "changes", "judged"),
    [
        (LatencyMode.OPTIMIZED, {}, {"served latency of Converse", "filters for Converse"}),
        (LatencyMode.OPTIMIZED, {"route": EvidenceRoute.RULE_COUNTERS}, {"served latency of Converse"}),
        (LatencyMode.OPTIMIZED, {"route": EvidenceRoute.INVOCATION_LOG, "log_group": "calls"}, set()),
        (LatencyMode.STANDARD, {}, set()),
    ],
    ids=["filters", "rules count", "the invocation log is read", "nobody asks for optimized"],
)
def test_only_what_the_route_reads_is_judged(latency: LatencyMode, changes: dict[str, Any], judged: set[str]) -> None:
    """A record without the field is wrong only where CloudTrail is read for it, and a filter is missed only where there is one."""
    plain = deployment(models=(model(latency=latency),))
    found = active(replace(plain, evidence=replace(plain.evidence, **changes)))
    assert {check for check, finding in found.items() if finding.status is Status.WRONG} == judged
