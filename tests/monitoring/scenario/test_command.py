"""`bedrock-monitor test` and `explain` as they are called: exit codes, what goes where, and what a slip is answered with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from monitoring.cli.main import app

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "scenarios"
QUICK = EXAMPLES / "a-few-wrong-requests.yaml"


def called(*arguments: str) -> Result:
    """What a command line gives."""
    return CliRunner().invoke(app, list(arguments))


def test_scenarios_that_hold_end_with_zero() -> None:
    """Each is a line on stdout, the sum is a line on stderr."""
    result = called("test", str(QUICK))
    assert result.exit_code == 0
    assert result.stdout.startswith("ok")
    assert result.stderr.strip() == "1 passed, 0 failed"


def test_a_scenario_that_does_not_hold_ends_with_one_and_a_broken_one_with_two(tmp_path: Path) -> None:
    """A folder is run as a whole; the broken file does not hide the others."""
    text = QUICK.read_text(encoding="utf-8").replace("../acme", str(EXAMPLES.parent / "acme"))
    (tmp_path / "wrong.yaml").write_text(text.replace("notified: []", "notified: [llm-prod-assistant-caller-errors]"))
    result = called("test", str(tmp_path))
    assert (result.exit_code, result.stderr.strip()) == (1, "0 passed, 1 failed")
    (tmp_path / "broken.yaml").write_text(text.replace("never:", "nevr:"))
    result = called("test", str(tmp_path), "--format", "json")
    assert result.exit_code == 2
    told = json.loads(result.stdout)
    assert ([row["passed"] for row in told["scenarios"]], len(told["broken"])) == ([False], 1)
    assert "Did you mean 'never'?" in result.stderr
    assert result.stderr.strip().endswith("0 passed, 1 failed, 1 cannot be run")


def test_explain_shows_one_evaluation() -> None:
    """Head, what is compared, what was seen, what follows."""
    result = called("explain", str(QUICK), "llm-prod-assistant-caller-errors", "--at", "+1h")
    assert result.exit_code == 0
    for part in ("(start + 1h)", "1. What is compared", "2. What the evaluation", "no point is missing", "state: OK"):
        assert part in result.stdout


@pytest.mark.parametrize(
    ("alarm", "at", "says"),
    [
        ("caller-errors", "+1h", "Write the whole name: llm-prod-assistant-caller-errors."),
        ("llm-prod-assistant-caller-error", "+1h", "Did you mean 'llm-prod-assistant-caller-errors'?"),
        ("llm-prod-assistant-caller-errors", "+9h", "lies after the end of the scenario, which lasts 3h"),
        ("llm-prod-assistant-caller-errors", "soon", "--at"),
    ],
)
def test_a_slip_is_answered_with_what_to_write(alarm: str, at: str, says: str) -> None:
    """A name in part, a typing error, a time past the end, no time at all."""
    result = called("explain", str(QUICK), alarm, "--at", at)
    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stdout == ""
