"""The demo: the example in two incidents, and an index that leads to the pages."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from dashboards.preview import assets
from monitoring.demo import SCENES, main

EXAMPLE = Path(__file__).parents[2] / "examples" / "acme" / "monitoring.yaml"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the demo once."""
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assets, "library", lambda: ("", ""))
        assert main(["--config", str(EXAMPLE), "--out", str(folder)]) == 0
    return folder


def page_data(file: Path) -> dict[str, Any]:
    """Return what a page's script reads."""
    found = re.search(
        r'<script type="application/json" id="data">(.*?)</script>', file.read_text(encoding="utf-8"), re.DOTALL
    )
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_the_index_leads_to_every_page(demo: Path) -> None:
    """Four pages, the weekly review and the index, and every link is a file that is there."""
    links = re.findall(r'class="card" href="([^"]+)"', (demo / "index.html").read_text(encoding="utf-8"))
    pages = [f"{scene.key}-{kind}.html" for scene in SCENES for kind in ("model", "fleet")]
    assert links == [*pages, "review-prod-assistant-us-east-1-2026-W45.html"]
    assert all((demo / link).is_file() for link in links)


def test_a_card_shows_its_page_and_what_went_off(demo: Path) -> None:
    """Each card has a picture with lines, and a strip that names the alarm that notified; the styles of attributes are not needed."""
    index = (demo / "index.html").read_text(encoding="utf-8")
    cards = re.findall(r'<a class="card".*?</a>', index, re.DOTALL)
    assert len(cards) == 5
    for card, alarm in zip(cards, ["assistant-fallback"] * 2 + ["contract-review-throttled"] * 2, strict=False):
        assert card.count("<polyline") > 5
        assert f">{alarm}</text>" in card
        assert 'class="mark"' in card
    assert "2 notifications." in cards[0]
    assert "1 notification." in cards[2]
    assert "For a meeting of five minutes." in cards[4]
    assert "style=" not in "".join(cards)


def test_the_review_is_that_of_the_week(demo: Path) -> None:
    """The file is the page that `review --simulate` writes, and each page of the incidents links it."""
    name = "review-prod-assistant-us-east-1-2026-W45.html"
    assert "2 to 8 November 2026" in (demo / name).read_text(encoding="utf-8")
    assert f'href="{name}"' in (demo / "fallback-model.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("scene", "slug"), [("fallback", "assistant-fallback"), ("throttling", "contract-review-throttled")]
)
def test_each_incident_pages_with_its_own_cause(demo: Path, scene: str, slug: str) -> None:
    """The page that was sent is that of the cause which was simulated, and no other page is."""
    data = page_data(demo / f"{scene}-model.html")
    paged = [
        alarm["name"]
        for alarm in data["alarms"]
        if alarm["kind"] == "page" and any(letter == "A" for _, letter, _ in alarm["sent"])
    ]
    assert [name.removeprefix("llm-prod-assistant-") for name in paged] == [slug]


def test_the_log_table_counts_the_calls_that_were_served_standard(demo: Path) -> None:
    """The model page's log query runs over the simulated records."""
    data = page_data(demo / "fallback-model.html")
    (log,) = [spec for spec in data["specs"] if spec["kind"] == "log"]
    assert "why" not in log
    calls = [int(row[log["columns"].index("calls")]) for row in log["cells"]]
    assert sum(calls) > 1000


def test_a_wrong_configuration_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A message, not a traceback."""
    assert main(["--config", str(tmp_path / "none.yaml"), "--out", str(tmp_path / "o")]) == 2
    assert "none.yaml" in unescape(capsys.readouterr().err)
