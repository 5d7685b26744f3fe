"""How a connection fails: one clear sentence for every way in which AWS or the network can."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from monitoring.live.session import AwsError, Connection
from tests.monitoring.live.fake_aws import ACCOUNT, REGION, FakeAws, Refused, use

if TYPE_CHECKING:
    from collections.abc import Callable

METRIC = {"Namespace": "AWS/Bedrock", "MetricName": "Invocations", "Dimensions": [{"Name": "ModelId", "Value": "m"}]}


def metrics(connection: Connection) -> list[object]:
    """Ask for one page of metrics."""
    return [page["Metrics"] for page in connection.pages("cloudwatch", "list_metrics", Namespace="AWS/Bedrock")]


def test_the_account_is_asked_once(fake: FakeAws) -> None:
    """Who we are is asked for the first time only."""
    connection = Connection(region=REGION)
    assert (connection.account_id, connection.account_id) == (ACCOUNT, ACCOUNT)
    assert len(fake.asked("sts.GetCallerIdentity")) == 1


def test_a_role_is_assumed_and_used(fake: FakeAws) -> None:
    """With a role, calls are made with its credentials."""
    fake.answers["sts.AssumeRole"] = {
        "Credentials": {
            "AccessKeyId": "ASIAIOSFODNN7EXAMPLE",
            "SecretAccessKey": "s",
            "SessionToken": "t",
            "Expiration": datetime(2026, 11, 2, tzinfo=UTC),
        }
    }
    assert Connection(region=REGION, role_arn=f"arn:aws:iam::{ACCOUNT}:role/reader").account_id == ACCOUNT
    assert fake.asked("sts.AssumeRole")[0]["RoleSessionName"] == "bedrock-monitor"


@pytest.mark.parametrize("fault", ["throttle", "500", "slow", "cut"])
def test_a_passing_fault_is_not_seen(fake: FakeAws, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    """One throttled, failed, slow or broken answer is asked for again."""
    use(fake.url, monkeypatch, read_timeout=0.3)
    fake.answers["cloudwatch.ListMetrics"] = {"Metrics": [METRIC]}
    fake.faults["cloudwatch.ListMetrics"] = [fault]
    assert metrics(Connection(region=REGION)) == [[METRIC]]


@pytest.mark.parametrize(
    ("fault", "code"),
    [("throttle", "aws-throttled"), ("500", "aws-error"), ("slow", "aws-unreachable"), ("garbled", "aws-garbled")],
)
def test_a_lasting_fault_is_one_sentence(fake: FakeAws, monkeypatch: pytest.MonkeyPatch, fault: str, code: str) -> None:
    """A fault that does not pass is told with what was being done."""
    use(fake.url, monkeypatch, read_timeout=0.2)
    fake.answers["cloudwatch.ListMetrics"] = {"Metrics": [METRIC]}
    fake.faults["cloudwatch.ListMetrics"] = [fault] * 20
    with pytest.raises(AwsError) as failure:
        metrics(Connection(region=REGION))
    problem = failure.value.problem
    assert problem.code == code
    assert problem.message.startswith("cloudwatch:ListMetrics failed: ")
    assert "\n" not in str(problem)


@pytest.mark.parametrize(
    ("refused", "code", "denied"),
    [
        ("AccessDeniedException", "aws-denied", True),
        ("ExpiredTokenException", "aws-expired", False),
        ("SignatureDoesNotMatch", "aws-clock", False),
        ("RequestTimeTooSkewed", "aws-clock", False),
    ],
)
def test_a_refusal_says_what_to_do(fake: FakeAws, refused: str, code: str, *, denied: bool) -> None:
    """Missing permission, expired credentials and a wrong clock are told apart, each with a remedy."""
    fake.answers["cloudwatch.ListMetrics"] = Refused(refused, "no", status=403)
    with pytest.raises(AwsError) as failure:
        metrics(Connection(region=REGION))
    assert (failure.value.problem.code, failure.value.denied) == (code, denied)
    assert failure.value.problem.hint


def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")


def _no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")


@pytest.mark.parametrize(
    ("change", "code"), [(_no_network, "aws-unreachable"), (_no_credentials, "aws-no-credentials")]
)
def test_nobody_there(
    fake: FakeAws, monkeypatch: pytest.MonkeyPatch, change: Callable[[pytest.MonkeyPatch], None], code: str
) -> None:
    """No network and no credentials are said as such."""
    change(monkeypatch)
    with pytest.raises(AwsError) as failure:
        _ = Connection(region=REGION).account_id
    assert failure.value.problem.code == code
