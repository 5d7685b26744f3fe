"""`bedrock-monitor triage` from the outside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from monitoring.cli.main import run
from tests.monitoring.sample_config import write_config

if TYPE_CHECKING:
    from pathlib import Path

ALARM = "llm-prod-summaries-throttled"


def command(*arguments: str) -> int:
    """Run the command line; return its exit code."""
    with pytest.raises(SystemExit) as left:
        run(list(arguments))
    return int(left.value.code or 0)


@pytest.fixture
def config(tmp_path: Path) -> str:
    """A configuration with two models, one of them in two Regions."""
    return str(write_config(tmp_path / "monitoring.yaml"))


def test_a_recording_is_triaged_at_a_moment(config: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At its end the throttling is on: exit code 1; at its start nothing is: exit code 0. Three forms."""
    folder = str(tmp_path / "recording")
    assert command("simulate", "throttled-tpm", config, "--model", "summaries", "--out", folder) == 0
    truth = json.loads((tmp_path / "recording" / "truth.json").read_text())
    capsys.readouterr()

    def at(second: float) -> str:
        from datetime import UTC, datetime

        return datetime.fromtimestamp(second, tz=UTC).isoformat()

    late, early = at(truth["onset_s"] + 1200), at(truth["onset_s"] - 300)
    assert command("triage", ALARM, config, "--recording", folder, "--at", late, "--format", "json") == 1
    assert json.loads(capsys.readouterr().out)["cause"] == "throttled"
    assert command("triage", "--model", "summaries", config, "--recording", folder, "--at", early) == 0
    assert "No cause of" in capsys.readouterr().out
    assert command("triage", ALARM, config, "--recording", folder, "--at", late, "--format", "markdown") == 1
    assert "**Evidence**" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param((), "name the alarm", id="nothing named"),
        pytest.param(("--model", "assistant", "FILE"), "several places", id="a model in two Regions"),
        pytest.param(("--model", "assistent", "FILE"), "Did you mean assistant", id="a typing error in the model"),
        pytest.param(
            ("llm-prod-summaries-throtled", "FILE"), f"Did you mean {ALARM}", id="a typing error in the alarm"
        ),
        pytest.param((ALARM, "FILE", "--model", "summaries"), "not both", id="alarm and model"),
        pytest.param((ALARM, "FILE", "--at", "2026-11-02T09:00Z"), "--at goes with", id="a moment of the present"),
        pytest.param((ALARM, "FILE", "--recording", "nowhere"), "is no recording", id="no recording"),
    ],
)
def test_a_wrong_call_is_one_clear_line(
    config: str, arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2 and a message, never a traceback."""
    given = tuple(config if each == "FILE" else each for each in arguments)
    assert command("triage", *given) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "Traceback" not in told


def test_without_credentials_there_is_one_problem(
    config: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The answer says how to sign in."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    assert command("triage", ALARM, config) == 2
    assert "Sign in" in capsys.readouterr().err
