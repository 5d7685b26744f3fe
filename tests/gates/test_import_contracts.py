"""The import contracts catch what they are for: each is shown a planted fault in a copy of the tree."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("cloudwatch", "bedrock", "alarms", "dashboards", "monitoring", "bedrock_monitor")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the packages and the contracts."""
    folder = tmp_path_factory.mktemp("tree")
    for package in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__", "node_modules", "*.md", "*.j2", "*.html")
        shutil.copytree(ROOT / package, folder / package, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def verdict(folder: Path) -> str:
    """Return what the import linter prints for a tree."""
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [str(program), "--no-cache"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(folder)},
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("file", "statement", "contract"),
    [
        ("cloudwatch/limits.py", "import bedrock.models", "Imports only go down"),
        ("alarms/policy.py", "import aws_cdk", "The CDK is imported by constructs and stacks only"),
        ("monitoring/drill.py", "import boto3", "The AWS SDK is imported by the live edge only"),
        ("dashboards/layout.py", "import ruamel.yaml", "YAML is parsed in the product only"),
    ],
)
def test_a_planted_import_breaks_its_contract(copy: Path, file: str, statement: str, contract: str) -> None:
    """A single import on the wrong floor is reported under the contract it breaks, and only there."""
    path = copy / file
    original = path.read_text(encoding="utf-8")
    path.write_text(f"{original}\n{statement}\n", encoding="utf-8")
    try:
        said = verdict(copy)
    finally:
        path.write_text(original, encoding="utf-8")
    broken = [line.removesuffix(" BROKEN") for line in said.splitlines() if line.endswith(" BROKEN")]
    assert broken == [contract], said
