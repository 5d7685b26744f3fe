"""Which model is this, what was promised, and is anything wrong now?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from alarms.naming import FLEET, WEEKLY, dashboard_name
from bedrock.models import LatencyMode
from dashboards.layout import Block
from dashboards.widgets import alarm_status, dashboard_link, markdown_safe, text

if TYPE_CHECKING:
    from bedrock.models import MonitoredModel
    from dashboards.subject import Subject

__all__ = ["identity", "link", "number", "promises"]

ROW_CHARACTERS = 200  # of a row of the card at its width, by the height of a row of its table
SYMPTOMS_A_LINE = 5  # boxes that the alarm widget draws over the whole width


def identity(subject: Subject) -> tuple[Block, ...]:
    """Return the card of the model, with the status of its causes beside it and that of its symptoms below."""
    model = subject.model
    names = [entry.alarm.name for entry in subject.causes]
    height = max(
        4 + -(-len(model.series_ids) // 2) + -(-len(_not_watched(subject)) // ROW_CHARACTERS),
        2 + -(-len(names) // 2),  # the alarm widget draws two boxes a line at this width
    )
    card = _card(subject)
    status = alarm_status(names, site=subject.site, title="Causes")
    symptoms = _symptoms(subject)
    if not status:
        return (Block(content=text(card), width=24, height=height, new_line=True), *symptoms)
    return (
        Block(content=text(card), width=15, height=height, new_line=True),
        *(Block(content=widget, width=9, height=height) for widget in status),
        *symptoms,
    )


def _symptoms(subject: Subject) -> tuple[Block, ...]:
    names = [entry.alarm.name for entry in subject.symptoms]
    height = 2 + -(-len(names) // SYMPTOMS_A_LINE)
    return tuple(
        Block(content=widget, width=24, height=height, new_line=True)
        for widget in alarm_status(names, site=subject.site, title="Symptoms: call nobody, runbooks ask for them")
    )


def _not_watched(subject: Subject) -> str:
    """Return what is not watched and why, one reason for all that share it."""
    by_reason: dict[str, list[str]] = {}
    for one in subject.alarms.omitted:
        by_reason.setdefault(one.reason, []).append(one.slug)
    return "; ".join(f"{', '.join(slugs)}: {markdown_safe(reason)}" for reason, slugs in by_reason.items())


def _card(subject: Subject) -> str:
    model, site = subject.model, subject.site
    pages = [
        link(word, dashboard_link(site, dashboard_name(site, page)))
        for word, page in (("Fleet", FLEET), ("Weekly review", WEEKLY))
    ]
    rows = [
        ("ModelId", " ".join(f"`{name}`" for name in model.series_ids)),
        ("Asked for", "latency-optimized inference" if model.latency is LatencyMode.OPTIMIZED else "standard latency"),
        ("Promised", promises(model) or "nothing"),
        ("A good day", _baselines(model)),
        ("Quotas", _quotas(model) or "not known"),
        (
            "Go to",
            " · ".join([*(link(label, url) for label, url in model.links if url.startswith("https://")), *pages]),
        ),
    ]
    if subject.alarms.omitted:
        rows.append(("Not watched", _not_watched(subject)))
    table = "\n".join(f"| **{name}** | {words} |" for name, words in rows)
    return f"# {markdown_safe(model.title)} · {site.alias} · {site.region}\n\n| | |\n|---|---|\n{table}\n"


def promises(model: MonitoredModel) -> str:
    """Return the objectives in words, empty where nothing was promised."""
    goals = model.objectives
    parts = [
        f"{name} ≤ {number(value)} ms"
        for name, value in (
            ("TTFT p90", goals.ttft_p90_ms),
            ("TTFT p99", goals.ttft_p99_ms),
            ("latency p90", goals.latency_p90_ms),
        )
        if value is not None
    ]
    if goals.success_rate is not None:
        parts.append(f"{number(100 * goals.success_rate)} % of calls succeed")
    return ", ".join(parts)


def _baselines(model: MonitoredModel) -> str:
    base = model.baselines
    parts = []
    if model.streams:
        parts.append(f"{number(base.otps)} output tokens/s")
        if model.latency is LatencyMode.OPTIMIZED and base.standard_otps:
            parts.append(f"{number(base.standard_otps)} when served standard")
    parts.append(f"{number(base.output_tokens)} output and {number(base.input_tokens)} {_input_words(model)} a call")
    if model.prompt_caching:
        parts.append(f"cache hit rate {number(100 * base.cache_hit_rate)} %")
    return ", ".join(parts)


def _input_words(model: MonitoredModel) -> str:
    return "input tokens to process (uncached and cache writes)" if model.prompt_caching else "input tokens"


def _quotas(model: MonitoredModel) -> str:
    quotas = model.quotas
    parts = [
        f"{number(value)} {unit}"
        for value, unit in (
            (quotas.tpm, "tokens/min"),
            (quotas.optimized_tpm if model.latency is LatencyMode.OPTIMIZED else None, "tokens/min optimized"),
            (quotas.rpm, "requests/min"),
            (quotas.tpd, "tokens/day"),
        )
        if value is not None
    ]
    if parts and quotas.burndown != 1:
        parts.append(f"an output token counts {number(quotas.burndown)} times")
    if parts and quotas.max_tokens is not None:
        parts.append(f"callers send max_tokens {number(quotas.max_tokens)}")
    return ", ".join(parts)


def number(value: float) -> str:
    """Return a number for reading: thousands apart, no more than one decimal."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def link(label: str, url: str) -> str:
    """Return a Markdown link that nothing in the address can break out of."""
    address = url.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
    return f"[{markdown_safe(label)}]({address})"
