"""How is a review told? A page that needs nothing but itself, and Markdown for a chat or a repository."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2

from alarms.links import page_link
from alarms.naming import WEEKLY
from bedrock.prices import price_source
from monitoring.review import svg
from monitoring.review.findings import burst_text
from monitoring.review.lines import amount, dollars, milliseconds, percent

if TYPE_CHECKING:
    from monitoring.review.bursts import NotableDay
    from monitoring.review.report import Review

__all__ = ["as_html", "as_markdown", "day_text", "duration"]

_TEMPLATES = Path(__file__).with_name("templates")
_SHOWN_BURSTS = 6
_DAY_TEXT = {
    "ttft_p90_ms": milliseconds,
    "latency_p90_ms": milliseconds,
    "otps": lambda value: f"{value:.0f} tokens/s",
    "calls": amount,
    "cost": dollars,
    "throttle_share": percent,
    "fallback_share": percent,
}


def as_html(review: Review) -> str:
    """Return the review as one HTML document without scripts, fonts or addresses to load from."""
    return _environment(html=True).get_template("review.html.j2").render(_values(review))


def as_markdown(review: Review) -> str:
    """Return the review as Markdown."""
    return _environment(html=False).get_template("review.md.j2").render(_values(review)).strip() + "\n"


def day_text(day: NotableDay) -> str:
    """Return one notable day in a few words."""
    text = _DAY_TEXT[day.name]
    return f"{day.label}: {day.what} {text(day.value)}, usually {text(day.usual)}"


def duration(seconds: float | None) -> str:
    """Return seconds for people: `45 s`, `12 min`, `3.3 h`."""
    if seconds is None:
        return ""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _values(review: Review) -> dict[str, Any]:
    site = review.plan.deployment.site
    return {
        "review": review,
        "site": site,
        "organisation": review.plan.deployment.organisation,
        "page": page_link(site, WEEKLY),
        "svg": svg,
        "price_source": price_source(),
        "burst_text": lambda burst: burst_text(burst, review.week),
        "day_text": day_text,
        "shown_bursts": _SHOWN_BURSTS,
        "day_names": [day.label.split()[0] for day in review.week.days],
    }


@cache
def _environment(*, html: bool) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=html,  # noqa: S701 - False only for Markdown
    )
    environment.filters |= {
        "ms": milliseconds,
        "percent": percent,
        "amount": amount,
        "dollars": dollars,
        "duration": duration,
        "cell": _cell,
    }
    return environment


def _cell(text: object) -> str:
    """Return text that keeps a Markdown table whole."""
    return " ".join(str(text).split()).replace("|", "\\|")
