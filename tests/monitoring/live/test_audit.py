"""`audit` end to end over HTTP: lint on what lives in an account, and what only its metrics can tell."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from monitoring.cli import main
from tests.monitoring.live.answers import account_answers
from tests.monitoring.live.fake_aws import ACCOUNT, REGION, FakeAws, Refused, moment

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("_restored")
NOW = 1_795_953_600
NOVA = "us.amazon.nova-pro-v1:0"
TOPIC = f"arn:aws:sns:{REGION}:{ACCOUNT}:oncall"


def alarm(
    name: str, metric: str, *, state: str = "OK", model: str = NOVA, days: float = 0.1, **more: Any
) -> dict[str, Any]:
    """A plain alarm as DescribeAlarms has it."""
    return {
        "AlarmName": name,
        "AlarmArn": f"arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:{name}",
        "AlarmDescription": "Runbook: https://wiki.example/runbook",
        "ActionsEnabled": True,
        "AlarmActions": [TOPIC],
        "OKActions": [],
        "InsufficientDataActions": [],
        "StateValue": state,
        "StateUpdatedTimestamp": moment(NOW - days * 86400),
        "Namespace": "AWS/Bedrock",
        "MetricName": metric,
        "Dimensions": [{"Name": "ModelId", "Value": model}],
        "Statistic": "Sum",
        "Period": 60,
        "EvaluationPeriods": 5,
        "DatapointsToAlarm": 3,
        "Threshold": 10.0,
        "ComparisonOperator": "GreaterThanThreshold",
        "TreatMissingData": "notBreaching",
    } | more


def published(name: str, model: str = NOVA) -> dict[str, Any]:
    """A series as ListMetrics has it."""
    return {"Namespace": "AWS/Bedrock", "MetricName": name, "Dimensions": [{"Name": "ModelId", "Value": model}]}


SERIES = [
    published("Invocations"),
    published("InvocationThrottles"),
    published("CacheReadInputTokenCount"),
    published("Invocations", "amazon.nova-lite-v1:0"),
]


@pytest.fixture(autouse=True)
def _answers(fake: FakeAws, monkeypatch: pytest.MonkeyPatch) -> None:
    def listed(asked: dict[str, Any]) -> dict[str, Any]:
        wanted = [each for each in SERIES if asked.get("MetricName") in {None, each["MetricName"]}]
        first = wanted[: len(wanted) // 2] if "NextToken" not in asked else wanted[len(wanted) // 2 :]
        return {"Metrics": first} | ({} if "NextToken" in asked else {"NextToken": "more"})

    fake.answers |= {
        "cloudwatch.DescribeAlarms": {"MetricAlarms": [alarm("fine", "InvocationThrottles")], "CompositeAlarms": []},
        "cloudwatch.DescribeAlarmHistory": {"AlarmHistoryItems": []},
        "cloudwatch.ListMetrics": listed,
        "cloudwatch.ListDashboards": {"DashboardEntries": []},
        "cloudwatch.GetMetricData": lambda asked: {
            "MetricDataResults": [
                {"Id": query["Id"], "Label": "", "Timestamps": [], "Values": [], "StatusCode": "Complete"}
                for query in asked["MetricDataQueries"]
            ],
            "Messages": [],
        },
        "logs.DescribeMetricFilters": {"metricFilters": []},
    }
    monkeypatch.setattr("monitoring.cli.audit.now_s", lambda: NOW)
    monkeypatch.chdir("/")


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, list[dict[str, Any]]], str]:
    """Run `audit`; return exit code, findings by check, and stderr."""
    with pytest.raises(SystemExit) as left:
        main.run(["audit", "--region", REGION, "--format", "json", *arguments])
    out, err = capsys.readouterr()
    found: dict[str, list[dict[str, Any]]] = {}
    for row in json.loads(out)["findings"] if out else ():
        found.setdefault(row["check"], []).append(row)
    return int(str(left.value.code)), found, err


def live(found: dict[str, list[dict[str, Any]]]) -> dict[str, str]:
    """Messages of the live checks."""
    return {name: rows[0]["message"] for name, rows in found.items() if name.startswith("live-")}


def test_a_model_that_nobody_watches_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """The one alarm is fine; the other model with traffic has none."""
    code, found, err = run(capsys=capsys)
    assert code == 0
    assert list(live(found)) == ["live-unwatched-model"]
    assert "in 1 subject" in err


def test_alarms_that_cannot_fire(fake: FakeAws, capsys: pytest.CaptureFixture[str]) -> None:
    """OK without data, another metric name, and days of INSUFFICIENT_DATA; each at its place in the answer."""
    fake.answers["cloudwatch.DescribeAlarms"]["MetricAlarms"] += [
        alarm("cache", "CacheReadInputTokens"),
        alarm("stuck", "InvocationThrottles", model="none", state="INSUFFICIENT_DATA", days=9),
    ]
    code, found, _ = run(capsys=capsys)
    messages = live(found)
    assert code == 1
    assert "it cannot fire" in messages["live-ok-without-data"]
    assert "the account publishes CacheReadInputTokenCount" in messages["live-other-series"]
    assert "for 9 days" in messages["live-insufficient-data"]
    row = found["live-ok-without-data"][0]
    assert row["file"] == f"{ACCOUNT}/{REGION}/alarms"
    assert row["line"] > 20


def test_lint_runs_on_the_account(fake: FakeAws, capsys: pytest.CaptureFixture[str]) -> None:
    """An expression that cannot be read is found as in a file, and a broken dashboard body too."""
    broken = alarm("broken", "Invocations")
    for key in ("Namespace", "MetricName", "Dimensions", "Statistic", "Period"):
        del broken[key]
    broken["Metrics"] = [{"Id": "e1", "Expression": "m1/(", "ReturnData": True}]
    fake.answers["cloudwatch.DescribeAlarms"]["MetricAlarms"].append(broken)
    fake.answers["cloudwatch.ListDashboards"] = {"DashboardEntries": [{"DashboardName": "main"}]}
    fake.answers["cloudwatch.GetDashboard"] = {
        "DashboardName": "main",
        "DashboardBody": json.dumps({"widgets": [{"type": "nothing"}]}),
    }
    code, found, _ = run(capsys=capsys)
    files = {row["file"] for rows in found.values() for row in rows}
    assert code == 1
    assert {f"{ACCOUNT}/{REGION}/alarms", f"{ACCOUNT}/{REGION}/dashboards/main"} <= files


def test_noise_and_silent_log_groups(fake: FakeAws, capsys: pytest.CaptureFixture[str]) -> None:
    """Six firings in a week, and a filter on a log group that receives nothing."""
    item = {
        "AlarmName": "fine",
        "Timestamp": moment(NOW - 1000),
        "HistoryItemType": "StateUpdate",
        "HistorySummary": "Alarm updated from OK to ALARM",
    }
    fake.answers["cloudwatch.DescribeAlarmHistory"] = {"AlarmHistoryItems": [item] * 6}
    fake.answers["logs.DescribeMetricFilters"] = {
        "metricFilters": [
            {
                "filterName": "errors",
                "filterPattern": "ERROR",
                "logGroupName": "/app",
                "metricTransformations": [{"metricName": "E", "metricNamespace": "App", "metricValue": "1"}],
            }
        ]
    }
    _, found, _ = run(capsys=capsys)
    assert "fired 6 times" in live(found)["live-noisy-alarm"]
    assert "/app received nothing" in live(found)["live-silent-log-group"]
    _, found, _ = run("--fired", "6", capsys=capsys)
    assert "live-noisy-alarm" not in found


def test_the_configuration_says_what_has_drifted_and_what_is_off(
    tmp_path: Path, fake: FakeAws, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a file drift is a finding; a live check can be switched off in it."""
    known = dict(fake.answers)
    fake.answers |= account_answers()
    fake.answers["cloudwatch.DescribeAlarms"] = known["cloudwatch.DescribeAlarms"]
    path = tmp_path / "monitoring.yaml"
    path.write_text(
        f"""\
organisation: {{name: Acme}}
accounts:
  prod:
    id: "{ACCOUNT}"
    regions: [{REGION}]
    models:
      chat:
        ids: [{NOVA}]
        quotas: {{tpm: 5}}
"""
    )
    _, found, _ = run(str(path), capsys=capsys)
    assert any("800000 tokens per minute" in row["message"] for row in found["live-drift"])


def test_one_denied_call_costs_only_its_checks(fake: FakeAws, capsys: pytest.CaptureFixture[str]) -> None:
    """Without ListMetrics no alarm is accused of having no data; the loss is said."""
    fake.answers["cloudwatch.ListMetrics"] = Refused("AccessDeniedException")
    fake.answers["cloudwatch.DescribeAlarms"]["MetricAlarms"].append(alarm("cache", "CacheReadInputTokens"))
    code, found, err = run(capsys=capsys)
    assert live(found) == {}
    assert "ListMetrics failed: AccessDeniedException" in err
    assert code in {0, 1}


def test_nothing_permitted_is_two(fake: FakeAws, capsys: pytest.CaptureFixture[str]) -> None:
    """When nothing can be read, nothing found does not look like nothing wrong."""
    fake.answers = {"sts.GetCallerIdentity": fake.answers["sts.GetCallerIdentity"]}
    assert run(capsys=capsys)[0] == 2


@pytest.mark.parametrize("fault", ["throttle", "500", "cut"])
def test_passing_faults_are_not_seen(fake: FakeAws, fault: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The same findings, whatever passes."""
    before = run(capsys=capsys)[1]
    fake.faults["*"] = [fault] * 2
    assert run(capsys=capsys)[1] == before


def test_a_live_check_can_be_switched_off(tmp_path: Path, fake: FakeAws, capsys: pytest.CaptureFixture[str]) -> None:
    """The section lint of a configuration names live checks too, and lint itself takes it."""
    path = tmp_path / "monitoring.yaml"
    path.write_text(
        "organisation: {name: Acme}\nlint: {checks: {live-unwatched-model: {off: true}}}\n"
        'accounts: {prod: {id: "444455556666", regions: [us-east-1], models: {m: {ids: [amazon.nova-pro-v1:0]}}}}\n'
    )
    code, found, err = run(str(path), capsys=capsys)
    assert (code, live(found)) == (0, {})
    assert "is not about account" in err
    with pytest.raises(SystemExit) as left:
        main.run(["lint", str(path), "--config", str(path)])
    assert left.value.code == 0
