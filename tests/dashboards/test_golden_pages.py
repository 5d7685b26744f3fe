"""Pages as documents: open one, or paste it into the source view of a CloudWatch dashboard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dashboards.pages.fleet import fleet_page
from dashboards.pages.lean import lean_page
from dashboards.pages.model import model_page
from dashboards.pages.weekly_review import weekly_pages
from tests.dashboards.samples import SITE, account_alarms, alarms_of, evidence_of, optimized, pretty, silent, standard
from tests.golden import check_golden

if TYPE_CHECKING:
    from dashboards.page import Dashboard

FOLDER = Path(__file__).parent / "golden"


def pages() -> dict[str, Dashboard]:
    """Return the pages of a small account by the name of their file."""
    models = [optimized(), standard(aliases=2), silent()]
    evidence = evidence_of(*models)
    pairs = [(model, alarms_of(model, evidence=evidence)) for model in models]
    shared = {"site": SITE, "evidence": evidence}
    found = {
        f"model-{word}": model_page(model, alarms=alarms, **shared)
        for word, (model, alarms) in zip(("optimized", "two-ids", "non-streaming"), pairs, strict=True)
    }
    found["fleet"] = fleet_page(pairs, alarms=account_alarms(), **shared)
    (found["weekly"],) = weekly_pages(pairs, alarms=account_alarms(), **shared)
    found["lean"] = lean_page(pairs, alarms=account_alarms(), **shared)
    return found


PAGES = pages()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_the_document_in_the_folder(name: str, pytestconfig: pytest.Config) -> None:
    """What changes on a page is seen in review; `--rewrite-golden` writes it."""
    check_golden(FOLDER / f"{name}.json", pretty(PAGES[name]), config=pytestconfig)


def test_no_document_is_left_over() -> None:
    """Every file in the folder is a page."""
    assert {path.stem for path in FOLDER.iterdir()} == set(PAGES)
