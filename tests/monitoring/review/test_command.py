"""`bedrock-monitor review` from the outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from monitoring.cli.main import run
from tests.monitoring.sample_config import write_config

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = """\
organisation:
  name: Acme
accounts:
  prod:
    id: "111122223333"
    regions: [us-east-1]
    models:
      assistant:
        ids: [us.amazon.nova-pro-v1:0]
        requests_per_minute: 5
"""


@pytest.fixture
def config(tmp_path: Path) -> str:
    """A configuration with one quiet model."""
    return str(write_config(tmp_path / "monitoring.yaml", text=CONFIG))


def command(*arguments: str) -> int:
    """Run the command line; return its exit code."""
    with pytest.raises(SystemExit) as left:
        run(list(arguments))
    return int(left.value.code or 0)


def test_a_simulated_week_is_written(config: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two files, their names on stdout, the week in one sentence on stderr; the same seed writes the same files."""
    texts = []
    for folder in ("one", "two"):
        arguments = ("--week", "2026-W48", "--simulate", "--seed", "4", "--out", str(tmp_path / folder))
        assert command("review", config, *arguments) == 0
        out, told = capsys.readouterr()
        names = [path.rsplit("/", 1)[-1] for path in out.split()]
        assert names == ["review-prod-us-east-1-2026-W48.html", "review-prod-us-east-1-2026-W48.md"]
        assert "requests to one model" in told
        texts.append([(tmp_path / folder / name).read_text() for name in names])
    assert texts[0] == texts[1]


def test_a_recording_is_reviewed_for_what_it_holds(
    config: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An incident of some hours: exit code 1, and the page says which part of the week it holds."""
    folder = str(tmp_path / "recording")
    assert command("simulate", "throttled-tpm", config, "--model", "assistant", "--out", folder) == 0
    capsys.readouterr()
    arguments = ("review", config, "--recording", folder, "--out", str(tmp_path / "out"))
    assert command(*arguments, "--week", "2026-W45") == 1
    told = capsys.readouterr().err
    assert "only part of the week" in told
    assert "nothing to compare with" in told
    assert command(*arguments, "--week", "2026-W20") == 2
    assert "holds nothing of 2026-W20" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(("--week", "last", "--simulate"), "no ISO week", id="no week"),
        pytest.param(("--timezone", "Berlin", "--simulate"), "time zone", id="no zone"),
        pytest.param(("--recording", "x", "--simulate"), "exclude each other", id="two sources"),
        pytest.param(("--simulate", "--publish"), "--publish", id="publishing a simulation"),
        pytest.param(("--recording", "nowhere"), "is no recording", id="no recording"),
        pytest.param(("--account", "other", "--simulate"), "other", id="no such account"),
    ],
)
def test_a_wrong_call_is_one_clear_line(
    config: str, arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2 and a message, never a traceback."""
    assert command("review", config, *arguments) == 2
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
    assert command("review", config, "--week", "2026-W20") == 2
    assert "Sign in" in capsys.readouterr().err
