"""A browser for the tests that need one. Without one they are skipped, each with a reason that names what did not run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dashboards.preview import assets
from dashboards.preview.page import PageSource, render_page
from monitoring.preview.picture import find_browser
from tests.dashboards.preview import kitchen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from cloudwatch.dashboard.values import DashboardBody
    from dashboards.preview.source import PreviewData

SENTINEL = "/* no library */"


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages be made where npm was not run: what is in them is tested, not how it is drawn."""
    monkeypatch.setattr(assets, "library", lambda: (SENTINEL, SENTINEL))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Start one browser for the session."""
    found = find_browser()
    if found is None:
        pytest.skip(
            "NOT RUN: drawing, hovering, zooming, hostile bodies - no Chrome or Chromium is installed (or set CHROME)"
        )
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(found),
            args=["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"],
        )
        yield browser
        browser.close()


class Opened:
    """A page in the browser, with everything that it said and asked for."""

    def __init__(self, page: Any, file: Path) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.said.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: self.asked.append(request.url))
        self.address = file.as_uri()

    def widget(self, name: str) -> Any:
        """Return the widget with a title."""
        return self.page.locator(f'section.widget[aria-label="{name}"]')

    def settled(self) -> None:
        """Hold that nothing was said and nothing but the file was asked for."""
        assert self.said == []
        assert [url for url in self.asked if not url.startswith(self.address)] == []


@pytest.fixture
def open_page(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Return a function that makes a page of a body and opens it."""
    contexts = []

    def opened(
        body: DashboardBody,
        *,
        data: PreviewData | None = None,
        width: int = 1280,
        fragment: str = "#whole",
        **words: Any,
    ) -> Opened:
        source = PageSource(title=words.pop("title", "page"), body=body, data=data or kitchen.data(), **words)
        file = tmp_path / "page.html"
        file.write_text(render_page(source).html, encoding="utf-8")
        context = chromium.new_context(viewport={"width": width, "height": 900}, offline=False)
        contexts.append(context)
        found = Opened(context.new_page(), file)
        found.page.goto(found.address + fragment)
        found.page.wait_for_function("document.documentElement.dataset.ready")
        return found

    yield opened
    for context in contexts:
        context.close()
