"""`backtest` as a user meets it: a simulated incident in, what would have paged out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from monitoring.cli import main

EXAMPLE = str(Path(__file__).parents[3] / "examples/acme/monitoring.yaml")


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run the command line; return exit code, stdout and stderr."""
    with pytest.raises(SystemExit) as left:
        main.run(arguments)
    out, err = capsys.readouterr()
    return int(str(left.value.code)), out, err


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Ten calls a minute throttled by tokens per minute."""
    folder = str(tmp_path_factory.mktemp("backtest") / "rec")
    options = ("--model", "router", "--seed", "1", "--requests-per-minute", "30", "--detail", "minutes")
    with pytest.raises(SystemExit) as left:
        main.run(["simulate", "throttled-tpm", EXAMPLE, *options, "--out", folder])
    assert left.value.code == 0
    return folder


def test_the_incident_pages_once(recording: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The throttle alarm pages, nothing else does, and the exit code is 0."""
    code, out, _ = run("backtest", EXAMPLE, "--recording", recording, "--format", "json", capsys=capsys)
    (place,) = json.loads(out)
    assert (code, place["account"], place["pages"]) == (0, "prod-assistant", 1)
    assert [row["alarm"] for row in place["alarms"] if row["severity"] == "page" and row["calls"]] == [
        "llm-prod-assistant-router-throttled"
    ]


def test_a_grid_with_the_label_of_the_simulation(recording: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A setting that hears the incident is suggested; one that cannot is exit code 1."""
    grid = ("backtest", EXAMPLE, "--recording", recording, "--what-if", "router/throttled")
    code, out, _ = run(*grid, "--thresholds", "10", "--windows", "4/15", capsys=capsys)
    assert code == 0
    assert "1 labelled incidents" in out
    assert "misses no incident" in out
    assert run(*grid, "--thresholds", "99.9", "--windows", "10/10", capsys=capsys)[0] == 1


def test_another_configuration_is_compared(recording: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Switching the alarm off takes its page away, and the difference says so."""
    other = tmp_path / "monitoring.yaml"
    text = Path(EXAMPLE).read_text()
    other.write_text(text.replace("throttled: {threshold: 10, n: 15, m: 4}", "throttled: {threshold: 99.5}"))
    code, out, _ = run("backtest", EXAMPLE, "--recording", recording, "--against", str(other), capsys=capsys)
    assert code == 0
    assert "pages 1 before, 0 after" in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--thresholds", "5"), "go with --what-if"),
        (("--what-if", "router/nothing"), "there is no alarm"),
        (("--what-if", "router/throttled", "--windows", "three"), "--windows takes M/N"),
        (("--current",), "holds no alarm definitions"),
        (("--region", "eu-central-1"), "watches nothing of what was recorded"),
    ],
)
def test_wrong_calls_are_one_line(
    recording: str, options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2 and a sentence."""
    code, out, err = run("backtest", EXAMPLE, "--recording", recording, *options, capsys=capsys)
    assert (code, out) == (2, "")
    assert said in err
