"""How findings are shown, and the command line around them."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from monitoring.cli import main
from tests.monitoring.lint.documents import alarm, template

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _restored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> object:
    """Run in an empty folder; put back what `run` sets for the process."""
    before, threshold = dict(os.environ), gc.get_threshold()
    monkeypatch.delenv("BEDROCK_MONITOR_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    yield
    gc.set_threshold(*threshold)
    os.environ.clear()
    os.environ.update(before)


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run `lint`; return exit code, stdout and stderr."""
    with pytest.raises(SystemExit) as left:
        main.run(["lint", *arguments])
    out, err = capsys.readouterr()
    return int(str(left.value.code)), out, err


@pytest.fixture
def bad(tmp_path: Path) -> str:
    """A template with one bug and one matter of style."""
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(template(A=alarm(Period=90, AlarmDescription="x")), indent=2), encoding="utf-8")
    return "bad.json"


def test_text_has_place_line_carets_and_remedy(bad: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What a compiler shows; exit code 1 for a bug, the count on stderr."""
    code, out, err = run(bad, capsys=capsys)
    assert code == 1
    assert "bad.json:17:19: bug: prod-throttled: a period of 90 s does not exist" in out
    assert '  17 |         "Period": 90,\n     |                   ^^\n  Take 60.' in out
    assert err == "1 bug, 1 matter of style in 1 subject.\n"


def test_without_a_bug_the_exit_code_is_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Risks and style are told, and stop nobody."""
    (tmp_path / "style.json").write_text(json.dumps(template(A=alarm(AlarmDescription="x"))), encoding="utf-8")
    code, out, err = run("style.json", capsys=capsys)
    assert (code, err) == (0, "1 matter of style in 1 subject.\n")
    assert "[no-runbook]" in out


def test_json_is_exactly_what_is_promised(bad: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One object, one list, eight keys."""
    code, out, _ = run(bad, "--format", "json", capsys=capsys)
    assert code == 1
    document = json.loads(out)
    assert set(document) == {"findings"}
    keys = {"check", "severity", "file", "path", "line", "column", "message", "hint"}
    assert [set(one) for one in document["findings"]] == [keys, keys]
    assert document["findings"][1]["path"] == "/Resources/A/Properties/Period"


def test_sarif_names_rules_and_regions(bad: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Version 2.1.0, one run; every result refers to a rule that is listed."""
    _, out, _ = run(bad, "--format", "sarif", capsys=capsys)
    document = json.loads(out)
    (sarif,) = document["runs"]
    assert document["version"] == "2.1.0"
    assert {one["ruleId"] for one in sarif["results"]} == {rule["id"] for rule in sarif["tool"]["driver"]["rules"]}
    region = sarif["results"][1]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 17, "startColumn": 19, "endColumn": 21}
    assert [one["level"] for one in sarif["results"]] == ["note", "error"]


def test_junit_fails_for_bugs_only(bad: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A build server counts one failure of two tests."""
    _, out, _ = run(bad, "--format", "junit", capsys=capsys)
    suite = ET.fromstring(out)
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")


def test_called_wrongly_is_two(capsys: pytest.CaptureFixture[str]) -> None:
    """A file that is not there, and a base that is not."""
    code, _, err = run("nowhere.json", capsys=capsys)
    assert code == 2
    assert "nowhere.json: the file cannot be read: No such file or directory" in err
    assert run("nowhere.json", "--base", "nothing", capsys=capsys)[0] == 2


def test_the_section_of_the_configuration_is_read(bad: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """./monitoring.yaml is found by itself; a wrong section is exit code 2."""
    (tmp_path / "monitoring.yaml").write_text("lint: {checks: {invalid-period: {off: true}}}\n", encoding="utf-8")
    assert run(bad, capsys=capsys)[0] == 0
    (tmp_path / "monitoring.yaml").write_text("lint: {checks: {invalid-perod: {off: true}}}\n", encoding="utf-8")
    code, _, err = run(bad, capsys=capsys)
    assert code == 2
    assert "Did you mean 'invalid-period'?" in err


def test_lint_loads_neither_numpy_nor_cdk(bad: str) -> None:
    """The command is quick: no numpy, no jsii, no SDK."""
    script = (
        "import sys; from monitoring.cli import main\n"
        f"try: main.run(['lint', {bad!r}])\nexcept SystemExit: pass\n"
        "print([name for name in ('numpy', 'jsii', 'aws_cdk', 'boto3', 'botocore') if name in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.splitlines()[-1] == "[]"
