"""docs/evidence.md: the patterns are those that are deployed, and every route and setting is explained."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from bedrock.evidence import EvidenceRoute, EvidenceSettings
from tests.bedrock.evidence_page import PAGE, evidence, fresh


def test_the_patterns_are_fresh() -> None:
    """`python -m tests.bedrock.evidence_page` writes them, so that a record can be compared with what is deployed."""
    text = PAGE.read_text(encoding="utf-8")
    assert text == fresh(text)
    shown = evidence(EvidenceRoute.EVENTBRIDGE).filters[0].pattern
    assert shown in text


@pytest.mark.parametrize("route", EvidenceRoute)
def test_every_route_has_its_row(route: EvidenceRoute) -> None:
    """Whoever chooses finds what each route needs."""
    assert re.search(rf"^\| `{route}`.* \|", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)


@pytest.mark.parametrize("setting", [field.name for field in fields(EvidenceSettings)])
def test_every_setting_is_explained(setting: str) -> None:
    """A setting that no document explains is not found when the field stands elsewhere."""
    assert f"`{setting}`" in PAGE.read_text(encoding="utf-8")


def test_checks_that_the_page_names_exist() -> None:
    """What stands in italics in a table is what verify-evidence prints."""
    named = re.findall(r"^\|[^|]*\| \*([^|]*)\*", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    checks = {name for cell in named for name in re.split(r"\*[^*]*\*", cell)}
    folder = PAGE.parents[1] / "monitoring"
    source = "".join((folder / file).read_text(encoding="utf-8") for file in ("drift.py", "evidence_check.py"))
    assert len(checks) >= 8
    assert {name for name in checks if f'"{name}"' not in source} == set()
