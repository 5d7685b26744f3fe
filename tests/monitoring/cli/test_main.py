"""The command line as a user meets it: exit codes, streams, messages, and what is not imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from monitoring.cli import main

ROOT = Path(__file__).parents[3]
EXAMPLE = str(ROOT / "examples/acme/monitoring.yaml")
BAD = ROOT / "tests/monitoring/config/bad"


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run the command line in this process; return exit code, stdout and stderr."""
    with pytest.raises(SystemExit) as left:
        main.run(arguments)
    out, err = capsys.readouterr()
    return int(str(left.value.code)), out, err


@pytest.fixture(autouse=True)
def _restored() -> object:
    """`run` sets two process-wide switches; put them back."""
    import gc

    before, threshold = dict(os.environ), gc.get_threshold()
    yield
    gc.set_threshold(*threshold)
    os.environ.clear()
    os.environ.update(before)


def test_a_right_file_is_zero_and_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The example is fine: nothing on stdout, a summary on stderr."""
    code, out, err = run("validate", EXAMPLE, capsys=capsys)
    assert (code, out) == (0, "")
    assert err == f"{EXAMPLE}: no problems; 7 models in 3 accounts and Regions.\n"


def test_a_wrong_file_is_one_and_shows_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Errors are data on stdout, the count is a message on stderr."""
    file = str(BAD / "latency-is-misspelt.yaml")
    code, out, err = run("validate", file, capsys=capsys)
    assert code == 1
    assert f"{file}:14:18: error: " in out
    assert "^^^^^^^^^\n  Did you mean 'optimized'?" in out
    assert err == f"{file}: 1 error.\n"


def test_a_file_that_is_no_yaml_shows_its_line_too(capsys: pytest.CaptureFixture[str]) -> None:
    """The guilty line and a caret are shown although nothing could be parsed."""
    code, out, _ = run("validate", str(BAD / "tab-after-a-colon.yaml"), capsys=capsys)
    assert code == 1
    assert "  2 |   name: Acme\n    |        ^" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ("validate", "/no/such/file.yaml"),
        ("validate", "--account", "prod-assistant"),
        ("validate", EXAMPLE, "--explain", "asistant"),
        ("validate", EXAMPLE, "--format", "xml"),
        ("validate", EXAMPLE, "second"),
        ("validat",),
        ("validate", "--nonsense"),
    ],
)
def test_a_wrong_call_is_two_and_no_traceback(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """How the command was called is exit code 2, in a few lines."""
    code, out, err = run(*arguments, capsys=capsys)
    assert code == 2
    assert "Traceback" not in out + err
    assert len((out + err).splitlines()) <= 4


def test_the_file_comes_from_the_argument_then_the_environment_then_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """FILE wins over BEDROCK_MONITOR_CONFIG, which wins over ./monitoring.yaml."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BEDROCK_MONITOR_CONFIG", raising=False)
    assert run("validate", capsys=capsys)[2].startswith("monitoring.yaml: 1 error")
    (tmp_path / "monitoring.yaml").write_text(Path(EXAMPLE).read_text(encoding="utf-8"), encoding="utf-8")
    assert run("validate", capsys=capsys)[0] == 0
    monkeypatch.setenv("BEDROCK_MONITOR_CONFIG", "other.yaml")
    assert run("validate", capsys=capsys)[2].startswith("other.yaml: ")
    assert run("validate", EXAMPLE, capsys=capsys)[0] == 0


def test_json_is_one_object_with_places(capsys: pytest.CaptureFixture[str]) -> None:
    """A program reads code, severity, message, hint and place of each problem."""
    _, out, _ = run("validate", str(BAD / "latency-is-misspelt.yaml"), "--format", "json", capsys=capsys)
    (problem,) = json.loads(out)["problems"]
    assert (problem["code"], problem["line"], problem["column"]) == ("wrong-value", 14, 18)
    assert problem["path"] == "accounts.prod.models.chat.latency"
    assert json.loads(run("validate", EXAMPLE, "--format", "json", capsys=capsys)[1]) == {"problems": []}


def test_junit_has_a_failure_for_each_error(capsys: pytest.CaptureFixture[str]) -> None:
    """A build server shows one failed case for each error and one passed case for a right file."""
    _, out, _ = run(
        "validate", str(BAD / "two-unknown-keys-and-a-wrong-value.yaml"), "--format", "junit", capsys=capsys
    )
    suite = ET.fromstring(out)
    assert (suite.get("failures"), len(suite.findall("testcase/failure"))) == ("3", 3)
    suite = ET.fromstring(run("validate", EXAMPLE, "--format", "junit", capsys=capsys)[1])
    assert (suite.get("failures"), len(suite.findall("testcase"))) == ("0", 1)


def test_explain_prints_the_table_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    """--explain is data; --account and --region narrow it."""
    code, out, _ = run("validate", EXAMPLE, "--explain", "assistant", "--region", "us-west-2", capsys=capsys)
    assert code == 0
    assert out.startswith("assistant in prod-assistant us-west-2\n")
    assert "us-east-1" not in out
    _, out, _ = run("validate", EXAMPLE, "--explain", "router", "--format", "json", capsys=capsys)
    assert {"account", "region", "key", "value", "origin"} == set(json.loads(out)["values"][0])


def test_explain_of_a_wrong_file_shows_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    """There are no effective values of a file with errors."""
    code, out, _ = run("validate", str(BAD / "duplicate-key.yaml"), "--explain", "chat", capsys=capsys)
    assert code == 1
    assert "duplicate-key" in out


def test_an_unexpected_error_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A fault of ours is one line with exit code 2; --debug shows where."""
    monkeypatch.setitem(main.COMMANDS, "broken", ("tests.monitoring.cli.broken:broken", "Fails."))
    code, out, err = run("broken", capsys=capsys)
    assert (code, out) == (2, "")
    hint = "Run 'bedrock-monitor --debug ...' and report the traceback."
    assert err == f"bedrock-monitor: unexpected error: RuntimeError: two lines. {hint}\n"
    code, _, err = run("--debug", "broken", capsys=capsys)
    assert code == 2
    assert "Traceback" in err


@pytest.mark.parametrize(("name", "code", "said"), [("stopped", 130, "bedrock-monitor: stopped.\n"), ("gone", 0, "")])
def test_stopping_is_no_error(
    name: str, code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C is one line with the shell's code for it; a reader that went away (`| head`) is nothing at all."""
    monkeypatch.setitem(main.COMMANDS, name, (f"tests.monitoring.cli.broken:{name}", "Stops."))
    monkeypatch.setattr(main.os, "dup2", lambda *_: None)
    left, out, err = run(name, capsys=capsys)
    assert (left, out, err.lstrip("\n")) == (code, "", said)


def test_every_command_in_the_table_can_be_loaded(capsys: pytest.CaptureFixture[str]) -> None:
    """Each line of the table names a function, and --help lists each command without importing it."""
    code, out, _ = run("--help", capsys=capsys)
    assert code == 0
    for name, (target, help_line) in main.COMMANDS.items():
        assert name in out
        assert ":" in target
        assert help_line.endswith(".")


def test_validate_starts_neither_node_nor_numpy_nor_boto3() -> None:
    """`validate` in a fresh process imports nothing slow, and rich only for --explain."""
    script = (
        "import sys; from monitoring.cli.main import run\n"
        "try: run(['validate', sys.argv[1]])\n"
        "finally: print([name for name in ('aws_cdk', 'jsii', 'constructs', 'numpy', 'boto3', 'botocore', 'jinja2', 'rich')"
        " if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script, EXAMPLE], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_python_m_monitoring_is_the_same_program() -> None:
    """`python -m monitoring --version` answers."""
    done = subprocess.run(
        [sys.executable, "-m", "monitoring", "--version"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("bedrock-monitor ")
