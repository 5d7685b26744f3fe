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
    """Four pages and the index, and every link is a file that is there."""
    links = re.findall(r'class="card" href="([^"]+)"', (demo / "index.html").read_text(encoding="utf-8"))
    assert sorted(links) == sorted(f"{scene.key}-{kind}.html" for scene in SCENES for kind in ("model", "fleet"))
    assert all((demo / link).is_file() for link in links)


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
