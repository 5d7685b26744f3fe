"""`alive` end to end over HTTP: a healthy watch, and one thing after the other that dies quietly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from monitoring.cli import main
from tests.monitoring.live.deployed import deployed_answers, planned
from tests.monitoring.live.fake_aws import ACCOUNT, REGION, FakeAws, Refused, moment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("_restored")
NOW = 1_795_953_600


@pytest.fixture
def config(tmp_path: Path, fake: FakeAws, monkeypatch: pytest.MonkeyPatch) -> str:
    """A configuration, deployed as it is."""
    path = tmp_path / "monitoring.yaml"
    fake.answers |= deployed_answers(planned(path), now_s=NOW)
    monkeypatch.setattr("monitoring.cli.alive.now_s", lambda: NOW)
    return str(path)


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run `alive`; return exit code, stdout on one line, and stderr."""
    with pytest.raises(SystemExit) as left:
        main.run(["alive", *arguments])
    out, err = capsys.readouterr()
    return int(str(left.value.code)), " ".join(out.split()), err


def test_a_healthy_watch_is_zero(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Everything is there, calls and evidence come; quietly, nothing is printed."""
    code, out, _ = run(config, capsys=capsys)
    assert (code, "WRONG" in out) == (0, False)
    assert "0 unknown, 0 wrong" in out
    assert run(config, "--quiet", "--strict", capsys=capsys)[:2] == (0, "")


def _alarm_gone(fake: FakeAws) -> None:
    known = fake.answers["cloudwatch.DescribeAlarms"]
    fake.answers["cloudwatch.DescribeAlarms"] = lambda asked: {
        kind: [row for row in rows if not row["AlarmName"].endswith("-throttled")]
        for kind, rows in known(asked).items()
    }


def _change(fake: FakeAws, **changes: Any) -> None:
    known = fake.answers["cloudwatch.DescribeAlarms"]
    fake.answers["cloudwatch.DescribeAlarms"] = lambda asked: {
        kind: [row | changes for row in rows] for kind, rows in known(asked).items()
    }


def _silent(fake: FakeAws, *, hours: float | None) -> None:
    """Evidence that stopped so many hours ago, or never came; calls go on."""
    known = fake.answers["cloudwatch.GetMetricData"]

    def answer(asked: dict[str, Any]) -> dict[str, Any]:
        found = known(asked)
        for query, result in zip(asked["MetricDataQueries"], found["MetricDataResults"], strict=True):
            if query["MetricStat"]["Metric"]["Namespace"] != "AWS/Bedrock":
                result["Timestamps"] = [] if hours is None else [moment(NOW - hours * 3600)]
                result["Values"] = [1.0] * len(result["Timestamps"])
        return dict(found)

    fake.answers["cloudwatch.GetMetricData"] = answer


def _subscription(fake: FakeAws, arn: str) -> None:
    fake.answers["sns.ListSubscriptionsByTopic"]["Subscriptions"][0]["SubscriptionArn"] = arn


FAULTS: dict[str, tuple[Callable[[FakeAws], object], str]] = {
    "an alarm was deleted": (_alarm_gone, "are not there: llm-prod-chat-throttled"),
    "actions are off": (lambda fake: _change(fake, ActionsEnabled=False), "call nobody, their actions are off"),
    "actions were edited": (lambda fake: _change(fake, AlarmActions=[]), "call other targets than configured"),
    "the rule is disabled": (
        lambda fake: fake.answers.update({"events.DescribeRule": {"State": "DISABLED"}}),
        "it is DISABLED",
    ),
    "the rule is gone": (
        lambda fake: fake.answers.update({"events.DescribeRule": Refused("ResourceNotFoundException")}),
        "it is not there Deploy the account stack",
    ),
    "the key is disabled": (
        lambda fake: fake.answers.update({"kms.DescribeKey": {"KeyMetadata": {"KeyId": "k", "KeyState": "Disabled"}}}),
        "KMS key: it is Disabled",
    ),
    "nobody confirmed": (lambda fake: _subscription(fake, "PendingConfirmation"), "nobody receives it, 1 wait"),
    "the topic is gone": (
        lambda fake: fake.answers.update({"sns.ListSubscriptionsByTopic": Refused("NotFoundException", status=404)}),
        "topic llm-prod-page: it is not there",
    ),
    "the trail stopped": (
        lambda fake: fake.answers.update({"cloudtrail.GetTrailStatus": {"IsLogging": False}}),
        "none logs management events",
    ),
    "the filters are gone": (
        lambda fake: fake.answers.update({"logs.DescribeMetricFilters": {"metricFilters": []}}),
        "is not there, or has no filter",
    ),
    "a filter was edited": (
        lambda fake: fake.answers["logs.DescribeMetricFilters"]["metricFilters"][0].update(filterPattern="x"),
        "1 have another pattern",
    ),
    "evidence never came": (lambda fake: _silent(fake, hours=None), "no evidence came"),
    "evidence stopped": (lambda fake: _silent(fake, hours=6), "it stopped 5.9 hours before the last calls"),
}


@pytest.mark.parametrize("fault", list(FAULTS))
def test_what_dies_quietly_is_found(config: str, fake: FakeAws, fault: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each fault alone is exit code 1 and named with a remedy."""
    break_it, said = FAULTS[fault]
    break_it(fake)
    code, out, _ = run(config, "--quiet", capsys=capsys)
    assert (code, said in out) == (1, True), out


def test_a_muted_page_is_told_and_does_not_fail(config: str, fake: FakeAws, capsys: pytest.CaptureFixture[str]) -> None:
    """Muting may be meant: it is unknown, and wrong only with --strict."""
    arn = f"arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm-mute-rule:night"
    fake.answers["cloudwatch.ListAlarmMuteRules"] = {
        "AlarmMuteRuleSummaries": [{"AlarmMuteRuleArn": arn, "Status": "ACTIVE"}]
    }
    fake.answers["cloudwatch.GetAlarmMuteRule"] = {
        "Name": "night",
        "MuteTargets": {"AlarmNames": ["llm-prod-chat-throttled"]},
    }
    code, out, _ = run(config, "--quiet", capsys=capsys)
    assert (code, "1 alarms are muted now: llm-prod-chat-throttled" in out) == (0, True), out
    assert run(config, "--quiet", "--strict", capsys=capsys)[0] == 1


def test_one_denied_call_costs_only_its_checks(config: str, fake: FakeAws, capsys: pytest.CaptureFixture[str]) -> None:
    """Without kms:DescribeKey the rest is checked, and the loss is said."""
    fake.answers["kms.DescribeKey"] = Refused("AccessDeniedException")
    code, out, _ = run(config, capsys=capsys)
    assert code == 0
    assert "kms:DescribeKey) failed: AccessDeniedException" in out
    assert "all 1" in out or "are there" in out


def test_nothing_permitted_is_two(config: str, fake: FakeAws, capsys: pytest.CaptureFixture[str]) -> None:
    """When every call is denied the answer is not `alive`."""
    fake.answers = {"sts.GetCallerIdentity": fake.answers["sts.GetCallerIdentity"]}
    assert run(config, capsys=capsys)[0] == 2


@pytest.mark.parametrize("fault", ["throttle", "500", "cut"])
def test_passing_faults_are_not_seen(
    config: str, fake: FakeAws, capsys: pytest.CaptureFixture[str], fault: str
) -> None:
    """A call that is throttled, fails or is cut off once is asked again."""
    fake.faults["*"] = [fault] * 2
    assert run(config, "--quiet", "--strict", capsys=capsys)[:2] == (0, "")
