"""The plumbing against somebody else's server: requests that moto understands, pages, and calls that it does not have."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import boto3
import pytest

from monitoring.cli import main

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("_restored", "aws")
REGION = "us-east-1"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    from botocore.config import Config

    from monitoring.live import session

    monkeypatch.setattr(session, "_config", lambda: Config(retries={"mode": "standard", "max_attempts": 1}))


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run the command line; return exit code, stdout and stderr."""
    with pytest.raises(SystemExit) as left:
        main.run(arguments)
    out, err = capsys.readouterr()
    return int(str(left.value.code)), out, err


def test_alarms_and_dashboards_of_moto_are_audited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """More alarms than a page holds are read; what moto does not have is said and costs only itself."""
    monkeypatch.chdir(tmp_path)
    client = boto3.client("cloudwatch", region_name=REGION)
    for number in range(120):
        client.put_metric_alarm(
            AlarmName=f"alarm-{number}",
            Namespace="AWS/Bedrock",
            MetricName="InvocationThrottles",
            Dimensions=[{"Name": "ModelId", "Value": "m"}],
            Statistic="Sum",
            Period=60,
            EvaluationPeriods=3,
            Threshold=1,
            ComparisonOperator="GreaterThanThreshold",
        )
    client.put_dashboard(DashboardName="main", DashboardBody=json.dumps({"widgets": []}))
    code, out, err = run("audit", "--region", REGION, "--format", "json", capsys=capsys)
    rows = json.loads(out)["findings"]
    assert {row["message"].split()[0] for row in rows} != set()
    assert len({row["line"] for row in rows if row["file"].endswith("/alarms")}) >= 120
    assert "121 subjects" in err
    assert "DescribeAlarmHistory" in err
    assert code in {0, 1}


def test_an_empty_account_is_proposed_as_such(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No traffic, no model; the account and what could not be asked are told."""
    file = tmp_path / "monitoring.yaml"
    boto3.client("sns", region_name=REGION).create_topic(Name="oncall")
    code, out, _ = run("discover", str(file), "--region", REGION, capsys=capsys)
    assert code == 0
    assert "oncall could be the target of a severity" in out
    assert "accounts" in file.read_text()
