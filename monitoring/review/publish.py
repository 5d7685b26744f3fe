"""How does a review stay? The weekly pages of one week, with absolute times and the findings as text on top.

A frozen page still draws from CloudWatch: its points of one minute are gone after 15 days and of five minutes after 63 (CloudWatch
User Guide, Metrics retention); the text stays. It is a page of its own, so no deployment ever changes it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from alarms.naming import FLEET, WEEKLY, dashboard_name
from cloudwatch.dashboard.values import Widget
from dashboards.page import Dashboard
from dashboards.widgets import markdown_safe, text

if TYPE_CHECKING:
    from monitoring.review.report import Review

__all__ = ["frozen_pages"]

_WORDS = {0: "quiet", 1: "good", 2: "note", 3: "**watch**", 4: "**act**"}
_SHOWN = 20


def frozen_pages(review: Review) -> tuple[Dashboard, ...]:
    """Return the pages of the week, named `...-weekly-2026-W48`; the first has the findings on top."""
    site = review.plan.deployment.site
    live = [page for word, page in review.plan.pages if word.startswith(WEEKLY)]
    live = live or [page for word, page in review.plan.pages if word == FLEET]
    findings = _findings(review)
    height = min(30, 4 + len(review.sentences[:_SHOWN]) + len(review.missing))
    frozen = []
    for number, page in enumerate(live, start=1):
        word = f"{WEEKLY}-{review.week.name}" + ("" if number == 1 else f"-{number}")
        down = height if number == 1 else 0
        moved = tuple(replace(widget, y=None if widget.y is None else widget.y + down) for widget in page.body.widgets)
        top = (Widget(content=text(findings), x=0, y=0, width=24, height=height),) if down else ()
        body = replace(
            page.body,
            widgets=(*top, *moved),
            start=_utc(review.week.start_s),
            end=_utc(review.week.end_s),
        )
        frozen.append(Dashboard(name=dashboard_name(site, word), body=body))
    return tuple(frozen)


def _findings(review: Review) -> str:
    rows = [f"* {_WORDS[each.tone]} {each.model}: {markdown_safe(each.text)}" for each in review.sentences[:_SHOWN]]
    more = len(review.sentences) - _SHOWN
    if more > 0:
        rows.append(f"* and {more} more")
    unseen = [f"*Not seen: {markdown_safe(each)}*" for each in review.missing]
    return "\n".join(
        [f"# Week {review.week.name}, {review.week.span}", "", markdown_safe(review.headline), "", *rows, "", *unseen]
    ).strip()


def _utc(at_s: int) -> str:
    return datetime.fromtimestamp(at_s, tz=UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
