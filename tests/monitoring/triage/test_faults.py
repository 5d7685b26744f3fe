"""`triage` and `review` against an AWS that throttles, fails, is slow, cuts answers off and orders pages as it likes."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from monitoring.cli.main import run
from tests.monitoring.live.conftest import _restored, fake
from tests.monitoring.live.fake_aws import FakeAws, Refused, moment
from tests.monitoring.sample_config import write_config

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["_restored", "fake"]

pytestmark = pytest.mark.usefixtures("_restored")

CONFIG = """\
organisation:
  name: Acme
accounts:
  prod:
    id: "111122223333"
    regions: [us-east-1]
    notifications:
      page:
        create:
          emails: [oncall@example.com]
    models:
      summaries:
        ids: [us.amazon.nova-lite-v1:0]
"""
ALARM = "llm-prod-summaries-throttled"
OPERATIONS = (
    "cloudwatch.DescribeAlarms",
    "cloudwatch.DescribeAlarmHistory",
    "cloudwatch.GetMetricData",
    "logs.FilterLogEvents",
)


def _states(parameters: dict[str, Any]) -> dict[str, Any]:
    rows = [
        {"AlarmName": name, "StateValue": "ALARM" if name == ALARM else "OK", "StateUpdatedTimestamp": moment(1.79e9)}
        for name in parameters["AlarmNames"]
    ]
    return {"MetricAlarms": rows}


def _data(parameters: dict[str, Any]) -> dict[str, Any]:
    """Two pages, the newer points first, each page newest first."""
    end = float(parameters["EndTime"])
    second = parameters.get("NextToken") == "more"
    times = [end - 1200, end - 900] if second else [end - 600, end - 300]
    results = []
    for query in parameters["MetricDataQueries"]:
        metric = query["MetricStat"]
        name, period = metric["Metric"]["MetricName"], metric["Period"]
        value = {"Invocations": 80.0, "InvocationThrottles": 20.0, "OutputTokenCount": 24_000.0}.get(name, 100.0)
        aligned = sorted({at - at % period for at in times}, reverse=True)
        results.append(
            {
                "Id": query["Id"],
                "Label": "x",
                "Timestamps": [moment(at) for at in aligned],
                "Values": [value] * len(aligned),
                "StatusCode": "Complete" if second else "PartialData",
            }
        )
    return {"MetricDataResults": results, **({} if second else {"NextToken": "more"})}


def _history(parameters: dict[str, Any]) -> dict[str, Any]:
    """Two pages in the wrong order: over first, then on."""
    if parameters.get("HistoryItemType") == "Action":
        return {"AlarmHistoryItems": []}
    start = float(parameters["StartDate"])
    second = parameters.get("NextToken") == "more"
    data = json.dumps({"newState": {"stateValue": "ALARM" if second else "OK"}})
    item = {
        "AlarmName": ALARM,
        "Timestamp": moment(start + (3600 if second else 7200)),
        "HistoryItemType": "StateUpdate",
        "HistoryData": data,
    }
    return {"AlarmHistoryItems": [item], **({} if second else {"NextToken": "more"})}


def _events(parameters: dict[str, Any]) -> dict[str, Any]:
    record = {
        "detail": {
            "eventTime": datetime.now(tz=UTC).isoformat(),
            "eventName": "Converse",
            "eventType": "AwsApiCall",
            "errorCode": "ThrottlingException",
            "requestParameters": {"modelId": "us.amazon.nova-lite-v1:0"},
            "userIdentity": {"arn": "arn:aws:sts::111122223333:assumed-role/batch/x"},
        }
    }
    at = int(parameters["endTime"])
    return {"events": [{"eventId": "1", "timestamp": at, "ingestionTime": at, "message": json.dumps(record)}]}


@pytest.fixture
def config(tmp_path: Path, fake: FakeAws) -> str:
    """A configuration, and an AWS in which its model is throttled."""
    fake.answers |= {
        "cloudwatch.DescribeAlarms": _states,
        "cloudwatch.DescribeAlarmHistory": _history,
        "cloudwatch.GetMetricData": _data,
        "logs.FilterLogEvents": _events,
    }
    return str(write_config(tmp_path / "monitoring.yaml", text=CONFIG))


def command(*arguments: str) -> int:
    """Run the command line; return its exit code."""
    with pytest.raises(SystemExit) as left:
        run(list(arguments))
    return int(left.value.code or 0)


def triaged(config: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What triage says, as JSON."""
    assert command("triage", ALARM, config, "--format", "json") in {0, 1}
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_pages_in_any_order_give_one_answer(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Points and history of several pages, newest first, are put in order; the caller is named."""
    found = triaged(config, capsys)
    assert found["cause"] == "throttled"
    assert found["missing"] == []
    assert [change[2] for change in found["changes"]] == ["OK", "ALARM"]
    assert found["affected"]["callers"][0]["role"] == "role/batch"
    throttled = next(number for number in found["numbers"] if number["slug"] == "throttled")
    assert throttled["value"] == "20 %"


@pytest.mark.parametrize("fault", ["throttle", "500", "cut"])
def test_passing_faults_are_not_seen(
    config: str, fake: FakeAws, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two of them under every question: the same answer."""
    for name in OPERATIONS:
        fake.faults[name] = [fault] * 2
    found = triaged(config, capsys)
    assert (found["cause"], found["missing"]) == ("throttled", [])
    assert not any(fake.faults.values())


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("fault", ["throttle", "500", "cut"])
def test_a_fault_that_lasts_costs_its_own_part(
    config: str, fake: FakeAws, operation: str, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The verdict stands on what is left, and one line says what is missing."""
    fake.faults[operation] = [fault] * 50
    found = triaged(config, capsys)
    assert len(found["missing"]) == 1
    assert found["cause"] == "throttled"
    assert found["sure"] is (operation != "cloudwatch.DescribeAlarms")


@pytest.mark.parametrize("code", ["ExpiredToken", "InvalidClientTokenId", "RequestTimeTooSkewed"])
def test_credentials_that_are_not_accepted_are_one_line(
    config: str, fake: FakeAws, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing else is asked, and nothing is printed as an answer."""
    fake.answers["sts.GetCallerIdentity"] = Refused(code, status=403)
    assert command("triage", ALARM, config) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert code in said.err
    assert {call.operation for call in fake.calls} == {"GetCallerIdentity"}


def test_ctrl_c_is_one_line(config: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """No traceback, the exit code that shells use."""

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("monitoring.live.triage.gather_snapshot", stopped)
    assert command("triage", ALARM, config) == 130
    assert capsys.readouterr().err.strip() == "bedrock-monitor: stopped."


def _last_week() -> str:
    year, week, _ = (datetime.now(tz=UTC) - timedelta(days=7)).isocalendar()
    return f"{year}-W{week:02d}"


@pytest.mark.parametrize(
    ("faults", "exit_code", "lost"),
    [
        pytest.param({}, 0, [], id="none"),
        pytest.param({name: ["throttle", "500"] for name in OPERATIONS}, 0, [], id="passing"),
        pytest.param({"cloudwatch.DescribeAlarmHistory": ["500"] * 50}, 1, ["history of the alarms"], id="history"),
        pytest.param({"servicequotas.ListServiceQuotas": ["500"] * 50}, 1, ["quotas"], id="quotas"),
    ],
)
def test_a_review_is_written_under_faults(  # noqa: PLR0917
    config: str,
    fake: FakeAws,
    tmp_path: Path,
    faults: dict[str, list[str]],
    exit_code: int,
    lost: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Passing faults are not seen; what is lost is said on the page and on stderr, and the rest is written."""
    fake.answers["service-quotas.ListServiceQuotas"] = fake.answers["servicequotas.ListServiceQuotas"] = {"Quotas": []}
    for name, planted in faults.items():
        fake.faults[name] = list(planted)
        fake.faults[name.replace("servicequotas", "service-quotas")] = list(planted)
    out = tmp_path / "out"
    code = command("review", config, "--week", _last_week(), "--out", str(out))
    said = capsys.readouterr()
    assert code == exit_code, said.err
    page = next(out.glob("*.html")).read_text()
    missing = [line for line in said.err.splitlines() if line.startswith("not seen")]
    assert len(missing) == len(lost)
    for line, name in zip(missing, lost, strict=True):
        assert name in line
        assert name in page


def test_publish_says_what_it_writes_and_asks(
    config: str, fake: FakeAws, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a yes nothing is written; with --yes one dashboard is, named after the week."""
    fake.answers["service-quotas.ListServiceQuotas"] = fake.answers["servicequotas.ListServiceQuotas"] = {"Quotas": []}
    fake.answers["cloudwatch.PutDashboard"] = {"DashboardValidationMessages": []}
    arguments = ("review", config, "--week", _last_week(), "--out", str(tmp_path / "out"), "--publish")
    answers: list[bool] = [False]
    confirm: Callable[..., bool] = lambda *_, **__: answers[0]  # noqa: E731
    monkeypatch.setattr("typer.confirm", confirm)
    assert command(*arguments) == 0
    name = f"llm-prod-us-east-1-weekly-{_last_week()}"
    assert f"Writes dashboard {name}" in capsys.readouterr().err
    assert fake.asked("cloudwatch.PutDashboard") == []
    assert command(*arguments, "--yes") == 0
    assert [each["DashboardName"] for each in fake.asked("cloudwatch.PutDashboard")] == [name]
    fake.answers["cloudwatch.PutDashboard"] = Refused("AccessDenied", status=403)
    assert command(*arguments, "--yes") == 2
    assert "PutDashboard" in capsys.readouterr().err


def test_only_what_the_documentation_names_is_called(
    config: str, fake: FakeAws, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The permissions in docs/triage.md and docs/review.md are enough, and all are used."""
    triaged(config, capsys)
    root = Path(__file__).resolve().parents[3]
    asked = {f"{call.service}:{call.operation}" for call in fake.calls if call.service != "sts"}
    text = (root / "docs" / "triage.md").read_text()
    assert asked == {
        "cloudwatch:DescribeAlarms",
        "cloudwatch:DescribeAlarmHistory",
        "cloudwatch:GetMetricData",
        "logs:FilterLogEvents",
    }
    assert all(f"`{each}`" in text for each in asked)
    fake.calls.clear()
    command("review", config, "--week", _last_week(), "--out", str(tmp_path / "out"))
    text = (root / "docs" / "review.md").read_text().replace("servicequotas:", "service-quotas:")
    asked = {f"{call.service}:{call.operation}" for call in fake.calls if call.service != "sts"}
    assert {"cloudwatch:GetMetricData", "cloudwatch:DescribeAlarmHistory"} <= asked
    assert all(f"`{each}`" in text for each in asked)
