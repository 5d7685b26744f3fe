"""A first configuration: right as it stands, with a schema that editors find, and never over an existing file."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from monitoring.cli.init import init
from monitoring.config import load_configuration
from monitoring.config.starting_file import PACKAGED_SCHEMA, schema_path_for

ROOT = Path(__file__).parents[3]


def test_what_is_written_is_right_and_leads_to_the_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file has no problem, its first line names a schema that is there, and the message says what to do next."""
    file = tmp_path / "monitoring.yaml"
    init(file)
    assert load_configuration(file).problems == ()
    first = file.read_text(encoding="utf-8").splitlines()[0]
    assert Path(first.removeprefix("# yaml-language-server: $schema=")) == PACKAGED_SCHEMA.resolve()
    assert f"bedrock-monitor validate {file}" in capsys.readouterr().err


def test_the_commented_lines_are_right_too(tmp_path: Path) -> None:
    """Who takes the # away from every key gets a file without an error."""
    file = tmp_path / "monitoring.yaml"
    init(file)
    text = (
        file.read_text(encoding="utf-8")
        .replace("        # ", "        ")
        .replace("        streaming_share: 0 ", "        # ")
    )
    file.write_text(text, encoding="utf-8")
    assert load_configuration(file).problems == ()
    assert all(f"        {key}:" in text for key in ("latency", "requests_per_minute", "objectives", "baselines"))


def test_an_existing_file_is_not_touched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, and every byte as it was."""
    file = tmp_path / "monitoring.yaml"
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(typer.Exit) as left:
        init(file)
    assert left.value.exit_code == 2
    assert file.read_text(encoding="utf-8") == "mine"
    assert "exists already" in capsys.readouterr().err
    with pytest.raises(typer.Exit):
        init(tmp_path / "missing" / "monitoring.yaml")
    assert "cannot be written: No such file or directory" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (ROOT / "monitoring.yaml", "monitoring/config/monitoring.schema.json"),
        (ROOT / "examples/acme/other.yaml", "../../monitoring/config/monitoring.schema.json"),
        (Path("/elsewhere/monitoring.yaml"), PACKAGED_SCHEMA.resolve().as_posix()),
    ],
)
def test_the_schema_is_named_as_seen_from_the_file(file: Path, expected: str) -> None:
    """Relative inside the project, so that it can be committed; absolute elsewhere."""
    assert schema_path_for(file) == expected


def test_an_installation_names_its_own_schema(tmp_path: Path) -> None:
    """From a package folder the path is absolute, even for a file beside it."""
    schema = tmp_path / "lib/site-packages/monitoring/config/monitoring.schema.json"
    schema.parent.mkdir(parents=True)
    schema.write_text("{}", encoding="utf-8")
    assert schema_path_for(tmp_path / "lib/site-packages/monitoring.yaml", schema=schema) == schema.resolve().as_posix()


def test_the_command_writes_here_by_default(tmp_path: Path) -> None:
    """`bedrock-monitor init` and then `bedrock-monitor validate` is all it takes."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("BEDROCK_MONITOR_CONFIG", None)
    for command in ("init", "validate"):
        done = subprocess.run(
            [sys.executable, "-m", "monitoring", command],
            cwd=tmp_path,
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        assert "monitoring.yaml" in done.stderr
