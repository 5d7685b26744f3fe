"""`discover` end to end over HTTP: a file from nothing, the same file again, and what is said when AWS moves or refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from monitoring.cli import main
from monitoring.config import load_deployments
from tests.monitoring.live.answers import NOVA, PROFILE, TRAFFIC, account_answers, metric_data
from tests.monitoring.live.fake_aws import REGION, FakeAws, Refused

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("_restored")


@pytest.fixture(autouse=True)
def _answers(fake: FakeAws) -> None:
    fake.answers |= account_answers()


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run `discover`; return exit code, stdout and stderr."""
    with pytest.raises(SystemExit) as left:
        main.run(["discover", *arguments])
    out, err = capsys.readouterr()
    return int(str(left.value.code)), out, err


def test_a_file_from_nothing_deploys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The proposed file is valid: ids grouped, profile resolved, quotas of the right scope, baselines as measured."""
    file = tmp_path / "monitoring.yaml"
    code, _, _ = run(str(file), "--region", REGION, capsys=capsys)
    assert code == 0
    (deployment,) = load_deployments(file)
    assert (deployment.site.alias, deployment.site.region) == ("acme-prod", REGION)
    nova, search = deployment.models
    assert (nova.model_ids, nova.quotas.tpm, nova.quotas.rpm) == ((NOVA,), 800_000, 200)
    assert (nova.baselines.otps, nova.baselines.output_tokens) == (100, 350)  # 350 tokens in 4000 - 500 ms
    assert (nova.objectives.ttft_p90_ms, nova.requests_per_minute) == (940, 20)  # 1.5 x 500 ms and a quarter
    assert (search.key, search.model_ids, search.quotas.tpm) == ("claude-haiku-4-5", (PROFILE,), None)
    assert search.cloudtrail_ids[0].endswith(f"application-inference-profile/{PROFILE}")


def test_every_value_says_where_it_comes_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each number of a model carries a comment with its source."""
    file = tmp_path / "monitoring.yaml"
    run(str(file), "--region", REGION, capsys=capsys)
    lines = [line for line in file.read_text().splitlines() if ": " in line and line.split(": ")[1][:1].isdigit()]
    assert len(lines) >= 10
    assert [line for line in lines if " # " not in line] == []


def test_again_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A second run over the same account writes the same bytes, and the check says that the file fits."""
    file = tmp_path / "monitoring.yaml"
    run(str(file), "--region", REGION, capsys=capsys)
    before = file.read_bytes()
    code, _, err = run(str(file), "--region", REGION, capsys=capsys)
    assert (code, file.read_bytes()) == (0, before)
    assert "nothing to add" in err
    assert run(str(file), "--region", REGION, "--check", capsys=capsys)[0] == 0


EDITED = f"""\
# ours
organisation:
  name: Acme
accounts:
  prod: # the real one
    id: "111122223333"
    regions: [{REGION}]
    evidence: {{route: none}}
    models:
      chat:
        # two ids one day
        ids: [{NOVA}]
        quotas:
          tpm: 5000 # asked for more
"""


def test_edits_and_comments_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What people wrote is still there, what is new is added, and a quota that differs is told and not touched."""
    file = tmp_path / "monitoring.yaml"
    file.write_text(EDITED)
    code, out, _ = run(str(file), "--region", REGION, capsys=capsys)
    text = file.read_text()
    assert code == 0
    for line in (
        "# ours",
        "  prod: # the real one",
        "        # two ids one day",
        "          tpm: 5000 # asked for more",
    ):
        assert line in text.splitlines()
    (deployment,) = load_deployments(file)
    chat, added = deployment.models
    assert (chat.key, chat.quotas.tpm, chat.quotas.rpm, chat.baselines.otps) == ("chat", 5000, 200, 100)
    assert chat.objectives.ttft_p90_ms is None
    assert added.model_ids == (PROFILE,)
    assert "the account has 800000 tokens per minute; 5000 is configured" in out


def test_check_fails_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --check the file stays as it is, and the exit code is 1."""
    file = tmp_path / "monitoring.yaml"
    file.write_text(EDITED)
    code, out, err = run(str(file), "--region", REGION, "--check", capsys=capsys)
    assert (code, file.read_text()) == (1, EDITED)
    assert "does not fit the account" in err
    assert PROFILE in out


def test_a_new_id_joins_its_model(tmp_path: Path, fake: FakeAws, capsys: pytest.CaptureFixture[str]) -> None:
    """A second id of a foundation model that is watched already is added to that model's ids."""
    file = tmp_path / "monitoring.yaml"
    file.write_text(EDITED)
    other = NOVA.replace("us.", "")
    fake.answers["cloudwatch.ListMetrics"]["Metrics"] += [
        {"Namespace": "AWS/Bedrock", "MetricName": "Invocations", "Dimensions": [{"Name": "ModelId", "Value": other}]}
    ]
    fake.answers["cloudwatch.GetMetricData"] = lambda asked: metric_data(asked, TRAFFIC | {other: TRAFFIC[NOVA]})
    run(str(file), "--region", REGION, capsys=capsys)
    (deployment,) = load_deployments(file)
    assert deployment.models[0].model_ids == (NOVA, other)


def test_a_denied_call_costs_its_own_part(tmp_path: Path, fake: FakeAws, capsys: pytest.CaptureFixture[str]) -> None:
    """Without permission for quotas the rest is proposed, and the missing permission is named."""
    fake.answers["service-quotas.ListServiceQuotas"] = Refused("AccessDeniedException", "no", status=400)
    file = tmp_path / "monitoring.yaml"
    code, out, _ = run(str(file), "--region", REGION, capsys=capsys)
    (deployment,) = load_deployments(file)
    assert (code, deployment.models[0].quotas.tpm) == (0, None)
    assert "ListServiceQuotas failed: AccessDeniedException" in out


@pytest.mark.parametrize("fault", ["throttle", "500", "cut"])
def test_passing_faults_change_nothing(
    tmp_path: Path, fake: FakeAws, capsys: pytest.CaptureFixture[str], fault: str
) -> None:
    """Faults that pass are not seen in the file."""
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    run(str(first), "--region", REGION, capsys=capsys)
    fake.faults["*"] = [fault] * 2
    fake.faults["cloudwatch.GetMetricData"] = [fault] * 2
    assert run(str(second), "--region", REGION, capsys=capsys)[0] == 0
    assert second.read_text() == first.read_text()


def test_expired_credentials_are_one_line(tmp_path: Path, fake: FakeAws, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is written, and what to do is said."""
    fake.answers["sts.GetCallerIdentity"] = Refused("ExpiredToken", "expired", status=403)
    file = tmp_path / "monitoring.yaml"
    code, out, err = run(str(file), "--region", REGION, capsys=capsys)
    assert (code, out, file.exists()) == (2, "", False)
    assert "Sign in again" in err


def test_a_wrong_file_is_not_touched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file with errors is told and left alone."""
    file = tmp_path / "monitoring.yaml"
    file.write_text("organisation: {nam: x}\n")
    assert run(str(file), "--region", REGION, capsys=capsys)[0] == 2
    assert file.read_text() == "organisation: {nam: x}\n"


def test_the_report_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A machine reads what was compared and what would be added."""
    file = tmp_path / "monitoring.yaml"
    file.write_text(EDITED)
    _, out, _ = run(str(file), "--region", REGION, "--check", "--format", "json", capsys=capsys)
    (row,) = json.loads(out)
    wrong = {finding["check"] for finding in row["findings"] if finding["status"] == "wrong"}
    assert {"quota tpm of chat", "quota rpm of chat", "ModelId values", "baseline otps of chat"} >= wrong
    assert "quota tpm of chat" in wrong


SHARED = f"""\
organisation: {{name: Acme}}
models:
  chat:
    ids: [{NOVA}]
accounts:
  prod:
    id: "111122223333"
    regions: [{REGION}]
  other:
    id: "444455556666"
    regions: [{REGION}]
"""


def test_values_of_one_account_do_not_reach_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A model that several accounts share gets no quota of one of them, and stays in both."""
    file = tmp_path / "monitoring.yaml"
    file.write_text(SHARED)
    code, out, _ = run(str(file), "--region", REGION, capsys=capsys)
    prod, other = load_deployments(file)
    assert code == 0
    assert [model.key for model in prod.models] == ["chat", "claude-haiku-4-5"]
    assert [model.key for model in other.models] == ["chat"]
    assert (prod.models[0].quotas.tpm, other.models[0].quotas.tpm) == (None, None)
    assert "shared by several accounts" in out


def test_another_region_extends_nothing_by_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A second Region is added with the models seen there; its quotas stay its own; a third run changes nothing."""
    file = tmp_path / "monitoring.yaml"
    file.write_text(EDITED)
    run(str(file), "--region", "us-west-2", capsys=capsys)
    east, west = load_deployments(file)
    assert [(each.site.region, [model.key for model in each.models]) for each in (east, west)] == [
        (REGION, ["chat"]),
        ("us-west-2", ["chat", "claude-haiku-4-5"]),
    ]
    assert (east.models[0].quotas.tpm, west.models[0].quotas.tpm) == (5000, 800_000)
    before = file.read_bytes()
    run(str(file), "--region", "us-west-2", capsys=capsys)
    assert file.read_bytes() == before


def test_line_ends_and_byte_order_mark_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file from another system keeps its form."""
    file = tmp_path / "monitoring.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + EDITED.replace("\n", "\r\n").encode())
    run(str(file), "--region", REGION, capsys=capsys)
    raw = file.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf# ours\r\n")
    assert raw.count(b"\n") == raw.count(b"\r\n")
    assert len(load_deployments(file)[0].models) == 2
