"""How does the weekly review stand among the pages of the demo? A simulated week as a file, and its card for the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from cloudwatch.alarm import AlarmState
from dashboards.preview.cards import Card, Lane, alarm_strip, polyline, shared_prefix
from dashboards.preview.timespan import Span
from monitoring.review.render import as_html
from monitoring.review.report import build_review
from monitoring.review.sources import simulated_fortnight
from monitoring.review.week import parse_week, week_before

if TYPE_CHECKING:
    from monitoring.plan import Plan
    from monitoring.review.alarm_week import AlarmHistory
    from monitoring.review.report import Review

__all__ = ["review_file_name", "simulated_review_page"]

_TILES = 4


def review_file_name(plan: Plan, *, week: str) -> str:
    """Return the name that `bedrock-monitor review` gives the file."""
    site = plan.deployment.site
    return f"review-{site.alias}-{site.region}-{week}.html"


def simulated_review_page(plan: Plan, *, week: str, seed: int = 0) -> tuple[str, Card]:
    """Return the review of a simulated week as HTML, and its card.

    Args:
        plan: What is deployed in an account and Region.
        week: ISO week, `2026-W45`.
        seed: Seed.
    """
    chosen = parse_week(week)
    weeks = (chosen, week_before(chosen))
    found = simulated_fortnight(plan, weeks=weeks, seed=seed)
    review = build_review(
        plan,
        weeks=weeks,
        this=found.this,
        last=found.last,
        history=found.history,
        missing=found.missing,
        source=found.source,
    )
    span = Span(start_s=chosen.start_s, end_s=chosen.end_s)
    lanes = [] if found.history is None else _lanes(review, found.history, span=span)
    card = Card(
        title=f"Weekly review: {chosen.span}",
        address=review_file_name(plan, week=week),
        told=f"For a meeting of five minutes. {review.headline} Simulated.",
        picture=_picture(review),
        strip=alarm_strip(lanes, span=span, clock="%a %-d %b"),
    )
    return as_html(review), card


def _lanes(review: Review, history: AlarmHistory, *, span: Span) -> list[Lane]:
    """Return the causes that fired in the week, those that called somebody first."""
    lanes = []
    plan = review.plan
    entries = [*plan.alarms, *(entry for model in plan.models for entry in model.alarms)]
    prefix = shared_prefix([entry.alarm.name for entry in entries])
    for line in review.alarms.lines if review.alarms else ():
        name = line.entry.alarm.name
        changes = [change for change in history.changes if change.alarm == name]
        ends = [change.at_s for change in changes[1:]] + [span.end_s]
        off = tuple(
            (change.at_s, end)
            for change, end in zip(changes, ends, strict=True)
            if change.state is AlarmState.ALARM and end > span.start_s
        )
        lanes.append(
            Lane(name=name.removeprefix(prefix), kind=str(line.entry.severity or ""), alarm=off, sent=line.called)
        )
    return sorted(lanes, key=lambda lane: (not lane.sent, lane.kind != "page"))


def _picture(review: Review) -> Markup:
    """Return the review in small: the headline, a tile with the week's requests for each model, and what to talk about."""
    parts = [
        '<rect class="words" x="20" y="12" width="92" height="6"/>',
        '<rect class="words" x="20" y="23" width="150" height="2.5"/>',
    ]
    for index, each in enumerate(review.models[:_TILES]):
        x = 20 + index * 51
        parts.append(f'<rect class="box" x="{x}" y="34" width="47" height="44" rx="2"/>')
        parts.append(f'<rect class="words" x="{x + 4}" y="39" width="22" height="2.5"/>')
        parts.append(polyline(each.week.hourly["calls"], box=(x + 4, 46, 39, 14), color="#2a6f97"))
        parts += [f'<rect class="words" x="{x + 4}" y="{65 + 4 * row}" width="39" height="1.5"/>' for row in range(3)]
    parts.append('<rect class="box" x="20" y="92" width="200" height="82" rx="2"/>')
    for row in range(8):
        tone = "off" if row == 0 else "words"
        parts.append(f'<rect class="{tone}" x="26" y="{98 + 9 * row}" width="14" height="4" rx="2"/>')
        parts.append(f'<rect class="words" x="45" y="{99 + 9 * row}" width="{165 - 17 * (row % 3)}" height="2"/>')
    return Markup(f'<svg class="page-picture" viewBox="0 0 240 180" aria-hidden="true">{"".join(parts)}</svg>')  # noqa: S704 - numbers
