"""`record` end to end over HTTP: what is asked, what is kept, and that an interrupted run loses and repeats nothing."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from cloudwatch.series import GivenStatistic, Samples
from monitoring.cli import main
from monitoring.dataset import read_dataset
from tests.monitoring.live.deployed import deployed_answers, planned
from tests.monitoring.live.fake_aws import REGION, FakeAws, Refused, moment

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("_restored")

NOW = 1_795_953_600  # 2026-11-29T12:00:00Z
CONFIG = f"""\
organisation: {{name: Acme}}
accounts:
  prod:
    id: "111122223333"
    regions: [{REGION}]
    notifications: {{page: {{create: {{emails: [oncall@example.com]}}}}}}
    models:
      chat:
        ids: [us.amazon.nova-pro-v1:0]
        latency: optimized
        objectives: {{ttft_p90_ms: 900}}
"""
SECRET = "the quick brown fox"


def points(parameters: dict[str, Any]) -> dict[str, Any]:
    """Answer one point a period: the hour of the day, so that a shifted answer would be seen."""
    start, end = (int(float(parameters[name])) for name in ("StartTime", "EndTime"))
    results = []
    for query in parameters["MetricDataQueries"]:
        period, stat = query["MetricStat"]["Period"], query["MetricStat"]["Stat"]
        times = list(range(start, end, period))
        value = {"SampleCount": 2.0, "Sum": 2.0, "Minimum": 1.0, "Maximum": 1.0}.get(stat, 700.0)
        results.append(
            {
                "Id": query["Id"],
                "Label": "",
                "Timestamps": [moment(at) for at in times],
                "Values": [value] * len(times),
                "StatusCode": "Complete",
            }
        )
    return {"MetricDataResults": results[::-1], "Messages": []}


def history(parameters: dict[str, Any]) -> dict[str, Any]:
    """Answer one alarm that fired an hour ago, on the second page."""
    if not parameters["AlarmName"].endswith("chat-throttled"):
        return {"AlarmHistoryItems": []}
    if "NextToken" not in parameters:
        return {"AlarmHistoryItems": [], "NextToken": "more"}
    item = {
        "AlarmName": parameters["AlarmName"],
        "AlarmType": "CompositeAlarm",
        "Timestamp": moment(NOW - 3600),
        "HistoryItemType": "StateUpdate",
        "HistorySummary": "Alarm updated from OK to ALARM",
        "HistoryData": json.dumps({"newState": {"stateValue": "ALARM"}, "oldState": {"stateValue": "OK"}}),
    }
    return {"AlarmHistoryItems": [item]}


def logged(parameters: dict[str, Any]) -> dict[str, Any]:
    """Answer one event that holds what must never be kept."""
    record = {
        "detail-type": "AWS API Call via CloudTrail",
        "detail": {
            "eventTime": "2026-11-29T10:00:00Z",
            "eventName": "Converse",
            "requestID": "r1",
            "errorMessage": SECRET,
            "requestParameters": {
                "modelId": "us.amazon.nova-pro-v1:0",
                "messages": [{"text": SECRET}],
                "system": SECRET,
            },
            "additionalEventData": {"performanceConfig": {"latency": "standard"}, "prompt": SECRET},
        },
    }
    event = {
        "eventId": "1",
        "timestamp": (NOW - 7000) * 1000,
        "ingestionTime": (NOW - 6900) * 1000,
        "message": json.dumps(record),
    }
    return {"events": [event]}


@pytest.fixture(autouse=True)
def _answers(fake: FakeAws, monkeypatch: pytest.MonkeyPatch) -> None:
    fake.answers |= {
        "cloudwatch.GetMetricData": points,
        "cloudwatch.DescribeAlarms": {"MetricAlarms": [{"AlarmName": "llm-prod-chat-throttled-1", "StateValue": "OK"}]},
        "cloudwatch.DescribeAlarmHistory": history,
        "logs.FilterLogEvents": logged,
    }
    monkeypatch.setattr("monitoring.cli.record.now_s", lambda: NOW)


@pytest.fixture
def config(tmp_path: Path) -> str:
    """A configuration of one model."""
    path = tmp_path / "monitoring.yaml"
    path.write_text(CONFIG)
    return str(path)


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run `record`; return exit code and stderr."""
    with pytest.raises(SystemExit) as left:
        main.run(["record", *arguments])
    return int(str(left.value.code)), capsys.readouterr().err


def asked(fake: FakeAws) -> Counter[tuple[Any, ...]]:
    """How often each point of each series was asked for."""
    found: Counter[tuple[Any, ...]] = Counter()
    for parameters in fake.asked("cloudwatch.GetMetricData"):
        start, end = int(float(parameters["StartTime"])), int(float(parameters["EndTime"]))
        for query in parameters["MetricDataQueries"]:
            stat = query["MetricStat"]
            key = (stat["Metric"]["MetricName"], str(stat["Metric"]["Dimensions"]), stat["Stat"], stat["Period"])
            found.update((*key, at) for at in range(start, end, stat["Period"]))
    return found


def test_a_day_is_recorded_whole(
    tmp_path: Path, config: str, fake: FakeAws, capsys: pytest.CaptureFixture[str]
) -> None:
    """Counts become samples of each minute, metrics with percentiles become points, all in place and time."""
    code, _ = run(config, "--out", str(tmp_path / "rec"), "--days", "1", capsys=capsys)
    dataset = read_dataset(tmp_path / "rec")
    assert code == 0
    assert dataset.places == {("111122223333", REGION)}
    by_name = {
        (metric.name, getattr(source, "stat", None), getattr(source, "period_s", 60)): source
        for metric, source in dataset.series
    }
    calls = next(source for metric, source in dataset.series if metric.name == "Invocations")
    assert isinstance(calls, Samples)
    expected = np.arange(NOW - 86400 + 60, NOW - 600, 60)
    assert np.array_equal(calls.timestamps, expected)
    assert set(calls.sums.tolist()) == {2.0}
    ttft = [source for metric, source in dataset.series if metric.name == "TimeToFirstToken"]
    assert all(isinstance(source, GivenStatistic) for source in ttft)
    assert {(str(source.stat), source.period_s) for source in ttft if isinstance(source, GivenStatistic)} != set()
    assert len(by_name) >= 10
    assert not (tmp_path / "rec.parts").exists()


def test_history_definitions_and_matches_are_events(
    tmp_path: Path, config: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Alarm history, alarm definitions and matched records stand among the events, and no word of a prompt."""
    run(config, "--out", str(tmp_path / "rec"), "--days", "1", capsys=capsys)
    logs = {log.log_group: log for log in read_dataset(tmp_path / "rec").logs}
    (item,) = logs["bedrock-monitor/alarm-history"].records
    assert (item["alarm"], item["data"]["newState"]["stateValue"]) == ("llm-prod-chat-throttled", "ALARM")
    (definition,) = logs["bedrock-monitor/alarm-definitions"].records
    assert definition["alarm"] == {"AlarmName": "llm-prod-chat-throttled-1"}
    (match,) = logs["/aws/events/llm-prod-bedrock-calls"].records
    assert match["detail"]["additionalEventData"] == {"performanceConfig": {"latency": "standard"}}
    assert all(SECRET.encode() not in path.read_bytes() for path in (tmp_path / "rec").iterdir())


def test_the_next_run_asks_only_for_what_is_new(
    tmp_path: Path, config: str, fake: FakeAws, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An hour later an hour is asked, and the recording is longer by an hour."""
    out = str(tmp_path / "rec")
    run(config, "--out", out, "--days", "1", capsys=capsys)
    monkeypatch.setattr("monitoring.cli.record.now_s", lambda: NOW + 3600)
    run(config, "--out", out, "--days", "1", capsys=capsys)
    assert set(asked(fake).values()) == {1}
    dataset = read_dataset(out)
    assert dataset.end_s == NOW + 3600 - 600
    calls = next(source for metric, source in dataset.series if metric.name == "Invocations")
    assert np.all(np.diff(calls.timestamps) == 60)
    assert len(next(log for log in dataset.logs if log.log_group.endswith("definitions")).records) == 1


def test_an_interrupted_run_loses_and_repeats_nothing(
    tmp_path: Path, config: str, fake: FakeAws, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C in the middle keeps the answers that were there; the next run asks for the rest alone."""
    out = str(tmp_path / "rec")
    count = 0

    def interrupted(parameters: dict[str, Any]) -> dict[str, Any]:
        nonlocal count
        count += 1
        if count == 3:
            raise Refused("ExpiredTokenException", "expired", status=400)
        return points(parameters)

    fake.answers["cloudwatch.GetMetricData"] = interrupted
    code, err = run(config, "--out", out, "--days", "3", capsys=capsys)
    assert code == 2
    assert "expired" in err
    refused = asked(fake)
    fake.answers["cloudwatch.GetMetricData"] = points
    assert run(config, "--out", out, "--days", "3", capsys=capsys)[0] == 0
    repeated = [key for key, number in asked(fake).items() if number > 1]
    assert 0 < len(repeated) < len(refused)  # the refused call itself, nothing else
    calls = next(source for metric, source in read_dataset(out).series if metric.name == "Invocations")
    assert np.array_equal(calls.timestamps, np.arange(NOW - 3 * 86400 + 60, NOW - 600, 60))


def test_ctrl_c_keeps_what_was_answered(
    tmp_path: Path, config: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The parts stay beside the recording, and the next run begins with them."""
    out = tmp_path / "rec"

    def stop(*_args: object, **_kwargs: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("monitoring.live.record.record_events", stop)
        code, err = run(config, "--out", str(out), "--days", "1", capsys=capsys)
    assert (code, out.exists()) == (130, False)
    assert err.endswith("stopped.\n")
    assert list((tmp_path / "rec.parts").glob("*.parquet"))
    code, err = run(config, "--out", str(out), "--days", "1", capsys=capsys)
    assert code == 0
    assert "0 metrics to ask" in err


def test_what_is_denied_is_said(tmp_path: Path, config: str, fake: FakeAws, capsys: pytest.CaptureFixture[str]) -> None:
    """Without permission for log events the rest is recorded, the loss is said, and the exit code is 1."""
    fake.answers["logs.FilterLogEvents"] = Refused("AccessDeniedException", "no")
    code, err = run(config, "--out", str(tmp_path / "rec"), "--days", "1", capsys=capsys)
    assert code == 1
    assert "FilterLogEvents failed: AccessDeniedException" in err
    assert any(log.log_group.endswith("history") for log in read_dataset(tmp_path / "rec").logs)


def test_a_partial_answer_is_asked_again(
    tmp_path: Path, config: str, fake: FakeAws, capsys: pytest.CaptureFixture[str]
) -> None:
    """A series that AWS answers with an internal error counts as not asked, and is had in the next run."""

    def broken(parameters: dict[str, Any]) -> dict[str, Any]:
        answer = points(parameters)
        for result in answer["MetricDataResults"]:
            result.update(StatusCode="InternalError", Timestamps=[], Values=[])
        return answer

    fake.answers["cloudwatch.GetMetricData"] = broken
    code, err = run(config, "--out", str(tmp_path / "rec"), "--days", "1", capsys=capsys)
    assert code == 1
    assert "AWS answered InternalError" in err
    fake.answers["cloudwatch.GetMetricData"] = points
    assert run(config, "--out", str(tmp_path / "rec"), "--days", "1", capsys=capsys)[0] == 0
    assert len(read_dataset(tmp_path / "rec").series) > 10


@pytest.mark.parametrize("fault", ["throttle", "500", "cut"])
def test_passing_faults_are_not_seen(
    tmp_path: Path, config: str, fake: FakeAws, capsys: pytest.CaptureFixture[str], fault: str
) -> None:
    """A recording under passing faults is the same recording."""
    run(config, "--out", str(tmp_path / "a"), "--days", "1", capsys=capsys)
    for name in ("cloudwatch.GetMetricData", "cloudwatch.DescribeAlarmHistory", "logs.FilterLogEvents"):
        fake.faults[name] = [fault] * 2
    assert run(config, "--out", str(tmp_path / "b"), "--days", "1", capsys=capsys)[0] == 0
    for name in ("series.parquet", "events.jsonl", "recording.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_credentials_of_another_account_record_nothing(
    tmp_path: Path, config: str, fake: FakeAws, capsys: pytest.CaptureFixture[str]
) -> None:
    """The account is checked before anything is asked."""
    fake.answers["sts.GetCallerIdentity"] = {
        "Account": "444455556666",
        "Arn": "arn:aws:iam::444455556666:user/u",
        "UserId": "u",
    }
    code, err = run(config, "--out", str(tmp_path / "rec"), "--days", "1", capsys=capsys)
    assert (code, fake.asked("cloudwatch.GetMetricData")) == (2, [])
    assert "these credentials are of account 444455556666" in err


def test_what_was_recorded_can_be_backtested(
    tmp_path: Path, config: str, fake: FakeAws, capsys: pytest.CaptureFixture[str]
) -> None:
    """The alarms of the file and the alarms as they were deployed do the same over the recording, history beside them."""
    fake.answers["cloudwatch.DescribeAlarms"] = deployed_answers(planned(tmp_path / "same.yaml"), now_s=NOW)[
        "cloudwatch.DescribeAlarms"
    ]
    run(config, "--out", str(tmp_path / "rec"), "--days", "1", capsys=capsys)
    found = []
    for more in ((), ("--current",)):
        with pytest.raises(SystemExit) as left:
            main.run(
                [
                    "backtest",
                    str(tmp_path / "same.yaml"),
                    "--recording",
                    str(tmp_path / "rec"),
                    "--format",
                    "json",
                    *more,
                ]
            )
        assert left.value.code == 0
        (place,) = json.loads(capsys.readouterr().out)
        found.append({row["alarm"]: row for row in place["alarms"]})
    assert found[0] == found[1]
    assert len(found[0]) > 8
    assert not [row["skipped"] for row in found[0].values() if row["skipped"]]
    assert found[0]["llm-prod-chat-throttled"]["real"] == [[NOW - 3600, NOW - 600]]


def test_a_simulation_is_not_continued(
    tmp_path: Path, config: str, fake: FakeAws, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was made up and what was measured never stand in one recording; nothing is asked and nothing is changed."""
    from monitoring.dataset import Dataset, write_dataset

    write_dataset(tmp_path / "rec", Dataset(start_s=0, end_s=60, series=(), about={"source": "simulation"}))
    before = (tmp_path / "rec" / "recording.json").read_bytes()
    code, err = run(config, "--out", str(tmp_path / "rec"), capsys=capsys)
    assert (code, fake.asked("cloudwatch.GetMetricData")) == (2, [])
    assert "is a recording of simulation" in err
    assert (tmp_path / "rec" / "recording.json").read_bytes() == before
