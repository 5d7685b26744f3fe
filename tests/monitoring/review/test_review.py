"""The whole review: a simulated fortnight, told as a page and as Markdown."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from bedrock.models import Objectives, Prices, Quotas
from monitoring.plan import plan
from monitoring.review.render import as_html, as_markdown
from monitoring.review.report import Review, build_review
from monitoring.review.sources import simulated_fortnight
from monitoring.review.week import parse_week, week_before
from tests.monitoring.sample_plans import deployment, model

WEEK = parse_week("2026-W43", zone="Europe/Berlin")  # clocks go back in it


@pytest.fixture(scope="module")
def review() -> Review:
    """A fallback on Wednesday, with a title that wants escaping."""
    watched = model(
        title="<Nova> & | sons",
        requests_per_minute=20.0,
        objectives=Objectives(ttft_p90_ms=5000),
        quotas=Quotas(tpm=800_000, optimized_tpm=400_000, max_tokens=2000),
        prices=Prices(input=0.8, output=3.2),
    )
    weeks = (WEEK, week_before(WEEK))
    planned = plan(deployment(models=(watched,)))
    found = simulated_fortnight(planned, weeks=weeks, seed=3)
    return build_review(
        planned,
        weeks=weeks,
        this=found.this,
        last=found.last,
        history=found.history,
        quotas={"nova-pro": {"tpm": 600_000.0}},
        missing=("something",),
        source=found.source,
    )


def test_the_story_of_the_week_is_found(review: Review) -> None:
    """The fallback has its day, its share and its page; the night burst is told minute by minute."""
    one = review.models[0]
    assert one.before is not None
    assert one.week.fallback_share is not None
    assert one.week.fallback_share > 0.005
    assert any(day.name == "fallback_share" and day.label.startswith("Wed") for day in one.days)
    assert any(burst.kind == "throttled" and burst.minutes == 1 for burst in one.bursts)
    assert review.alarms is not None
    assert any(line.entry.slug == "fallback" and len(line.called) == 1 for line in review.alarms.lines)


def test_the_parts_of_the_week_fit_together(review: Review) -> None:
    """Days add up to the week, and hours do, over 169 hours."""
    one = review.models[0].week
    assert len(one.hourly["calls"]) == 169
    assert sum(day.calls for day in one.days) == pytest.approx(one.calls)
    assert sum(day.cost or 0 for day in one.days) == pytest.approx(one.cost)


def test_a_quota_that_drifted_comes_with_its_lines(review: Review) -> None:
    """The lines stand in both forms."""
    assert any(finding.setting == ("quotas", "tpm") for finding in review.drift)
    for text in (as_html(review), as_markdown(review)):
        assert "tpm: 600000 # was 800000" in text


class _Checker(HTMLParser):
    """Collects open tags and everything that would be loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in {"meta", "br"}:
            self.stack.append(tag)
        if tag in {"script", "link", "img", "iframe"}:
            self.loads.append(tag)
        self.loads += [f"{name}={value}" for name, value in attrs if name in {"src", "srcset", "data"}]

    def handle_endtag(self, tag: str) -> None:
        assert self.stack, tag
        assert self.stack.pop() == tag


def test_the_page_is_whole_and_loads_nothing(review: Review) -> None:
    """Every tag is closed, nothing is fetched, and what people wrote is escaped."""
    html = as_html(review)
    checker = _Checker()
    checker.feed(html)
    assert checker.stack == []
    assert checker.loads == []
    assert "url(" not in html
    assert "&lt;Nova&gt; &amp; | sons" in html
    assert "<Nova>" not in html


def test_no_number_is_printed_raw(review: Review) -> None:
    """No nan, None or long fraction reaches a reader."""
    html, markdown = as_html(review), as_markdown(review)
    assert "nan" not in "".join(re.findall(r"<svg.*?</svg>", html, flags=re.DOTALL)).lower()
    shown = re.sub(r"<svg.*?</svg>|<style>.*?</style>", "", html, flags=re.DOTALL)
    for text in (shown, markdown):
        assert not re.search(r"\bnan\b|\bNone\b|\d\.\d{5,}", text)


def test_tables_in_markdown_have_their_columns(review: Review) -> None:
    """Every row of a table has as many cells as its head."""
    rows = [line for line in as_markdown(review).splitlines() if line.startswith("|")]
    assert len(rows) > 15
    heads = {5, 7}
    assert {row.replace("\\|", "").count("|") - 1 for row in rows} <= heads


def test_what_was_not_seen_is_said_first(review: Review) -> None:
    """The missing parts stand above the findings."""
    for text in (as_html(review), as_markdown(review)):
        assert text.index("something") < text.index("What to talk about")
