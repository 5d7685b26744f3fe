"""docs/pages.md describes the pages that exist."""

from __future__ import annotations

import re
from pathlib import Path

from dashboards.pages.weekly_review import QUESTIONS, weekly_pages
from tests.dashboards.samples import SITE, account_alarms, alarms_of, evidence_of, headings, optimized
from tests.dashboards.test_model_page import body_of

ROOT = Path(__file__).resolve().parents[2]
DOC = (ROOT / "docs" / "pages.md").read_text(encoding="utf-8")


def test_the_sections_of_a_model_page_stand_in_the_document_in_order() -> None:
    """The table names every section, once and in the order of the page."""
    rows = re.findall(r"^\| ([^|]+) \|", DOC, flags=re.MULTILINE)
    assert [row for row in rows if row[0].isupper()] == headings(body_of(optimized(reserved_tier=True)))


def test_the_questions_of_the_week_stand_in_the_document_in_order() -> None:
    """Every question, ended by its mark or a full stop."""
    model = optimized()
    pairs = [(model, alarms_of(model))]
    (page,) = weekly_pages(pairs, site=SITE, alarms=account_alarms(), evidence=evidence_of(model))
    said = " ".join(title if title.endswith("?") else f"{title}." for title in headings(page.body))
    assert said in " ".join(DOC.split())
    assert len(headings(page.body)) == len(QUESTIONS) + 1


def test_links_of_the_document_exist() -> None:
    """Every decision that the document points to is there."""
    targets = re.findall(r"\]\((adr/[^)]+)\)", DOC)
    assert targets
    assert all((ROOT / "docs" / target).is_file() for target in targets)
