"""Documents name what exists: nothing is missing from a list that a reader relies on, nothing is invented."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from cloudwatch.switches import Switches
from monitoring.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])


def test_every_open_choice_has_a_row_with_its_default() -> None:
    """docs/open-choices.md lists each switch once, with the default that the engine has."""
    text = (ROOT / "docs" / "open-choices.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| `(\w+)` \|", text, flags=re.MULTILINE))
    assert rows == {field.name: str(getattr(Switches(), field.name)) for field in fields(Switches)}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    """Every relative link points at a file that is there."""
    text = document.read_text(encoding="utf-8")
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)
    assert [target for target in targets if not (document.parent / target).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_in_documents_exist(document: Path) -> None:
    """Every `bedrock-monitor COMMAND` that a document shows is a command."""
    text = document.read_text(encoding="utf-8")
    named = set(
        re.findall(
            r"bedrock-monitor ([a-z][a-z-]+)", "\n".join(re.findall(r"`[^`]+`|```.*?```", text, flags=re.DOTALL))
        )
    )
    assert named - set(COMMANDS) - {"test"} == set()


def test_readme_names_every_command() -> None:
    """A command that the README does not mention is not found by anybody."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [command for command in COMMANDS if f"bedrock-monitor {command}" not in text] == []
