"""docs/iam.md allows what each command asks, and nothing that it does not: seen at the wire."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from monitoring.cli import main
from tests.monitoring.live.answers import account_answers
from tests.monitoring.live.deployed import deployed_answers, planned
from tests.monitoring.live.fake_aws import ACCOUNT, REGION, FakeAws

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.usefixtures("_restored")
NOW = 1_795_953_600
PAGE = Path(__file__).resolve().parents[3] / "docs" / "iam.md"
PREFIXES = {"service-quotas": "servicequotas", "bedrock-runtime": "bedrock"}
OPERATIONS = {"Converse": "InvokeModel", "ConverseStream": "InvokeModelWithResponseStream"}


def policies() -> dict[str, frozenset[str]]:
    """Command -> actions of its policy."""
    text = PAGE.read_text(encoding="utf-8")
    found = {}
    for name, body in re.findall(r"^## (.+?)\n.*?```json\n(.*?)```", text, flags=re.MULTILINE | re.DOTALL):
        policy = json.loads(body)
        assert policy["Version"] == "2012-10-17"
        found[name] = frozenset(action for each in policy["Statement"] for action in each["Action"])
    return found


def _nothing(_fake: FakeAws) -> None:
    """The answers are fine as they are."""


def _filters(fake: FakeAws) -> None:
    """Something for every call of `audit`: a dashboard and a log group."""
    fake.answers["cloudwatch.ListDashboards"] = {"DashboardEntries": [{"DashboardName": "main"}]}
    fake.answers["cloudwatch.GetDashboard"] = {"DashboardName": "main", "DashboardBody": '{"widgets": []}'}


def _mute(fake: FakeAws) -> None:
    arn = f"arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm-mute-rule:night"
    fake.answers["cloudwatch.ListAlarmMuteRules"] = {"AlarmMuteRuleSummaries": [{"AlarmMuteRuleArn": arn}]}
    fake.answers["cloudwatch.GetAlarmMuteRule"] = {"Name": "night"}


CASES: dict[str, tuple[list[str], Callable[[FakeAws], None]]] = {
    "discover": (["discover", "NEW", "--region", REGION, "--dry-run"], _nothing),
    "record": (["record", "CONFIG", "--out", "OUT", "--days", "1"], _nothing),
    "audit": (["audit", "--region", REGION], _filters),
    "alive": (["alive", "CONFIG"], _mute),
    "verify-evidence": (["verify-evidence", "CONFIG"], _nothing),
    "verify-evidence --active": (
        ["verify-evidence", "CONFIG", "--active", "--yes", "--wait", "0"],
        _nothing,
    ),
    "fire-drill": (["fire-drill", "CONFIG", "--severity", "page", "--yes"], _nothing),
}


@pytest.mark.parametrize("name", list(CASES))
def test_a_policy_is_what_the_command_asks(
    name: str, tmp_path: Path, fake: FakeAws, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The actions of the policy are those of the requests, no more and no less."""
    path = tmp_path / "monitoring.yaml"
    made = planned(path)
    fake.answers |= account_answers() | deployed_answers(made, now_s=NOW)
    fake.answers |= {
        "cloudwatch.DescribeAlarmHistory": {"AlarmHistoryItems": []},
        "cloudwatch.ListDashboards": {"DashboardEntries": []},
        "cloudwatch.SetAlarmState": {},
        "logs.FilterLogEvents": {"events": []},
        "cloudtrail.LookupEvents": {"Events": []},
        "bedrock-runtime.Converse": {
            "output": {"message": {"role": "assistant", "content": [{"text": "OK"}]}},
            "stopReason": "end_turn",
            "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
            "metrics": {"latencyMs": 1},
        },
        "bedrock-runtime.ConverseStream": {"stream": []},
    }
    arguments, prepare = CASES[name]
    prepare(fake)
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setattr("monitoring.cli.fire_drill._wait", lambda _: None)
    monkeypatch.chdir(tmp_path)
    given = {"NEW": str(tmp_path / "new.yaml"), "CONFIG": str(path), "OUT": str(tmp_path / "rec")}
    if name == "audit":
        path.unlink()
    with pytest.raises(SystemExit):
        main.run([given.get(each, each) for each in arguments])
    asked = {
        f"{PREFIXES.get(call.service, call.service)}:{OPERATIONS.get(call.operation, call.operation)}"
        for call in fake.calls
        if call.service != "sts"
    }
    assert asked == policies()[name]


def test_every_command_of_the_page_exists() -> None:
    """Each heading is a command, perhaps with an option."""
    assert {name.split()[0] for name in policies()} <= set(main.COMMANDS)
