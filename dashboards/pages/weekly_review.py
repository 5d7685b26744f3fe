"""How was the week? Seven days in the order in which a review meeting reads.

Are users served well, did it change, why, quota and capacity, cost, alarm noise; inside each question every model on its own
line. A percentile is always taken of all calls of its hour or day, never averaged from shorter ones: CloudWatch computes it again
over the longer period. What must show a burst of one minute (throttles, quota) is drawn a minute at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from alarms.alarm_set import Role
from alarms.naming import FLEET, WEEKLY, dashboard_name
from bedrock.metrics import BedrockMetric
from bedrock.models import LatencyMode
from cloudwatch.dashboard.validate import METRICS_PER_DASHBOARD, WIDGETS
from cloudwatch.dashboard.values import DashboardBody, MetricWidget
from dashboards import palette
from dashboards.layout import Block, flow, line
from dashboards.page import Dashboard
from dashboards.pages.fleet import subjects_of
from dashboards.quantities import CACHE_METRICS, HIT_RATE_DEFINITION
from dashboards.rows import Sheet
from dashboards.sections.capacity import quota_lines
from dashboards.sections.headline import fallback_share
from dashboards.sections.identity import link
from dashboards.sections.latency import percentile_graphs
from dashboards.widgets import (
    alarm_status,
    baseline_line,
    dashboard_link,
    graph,
    heading,
    objective_line,
    stacked,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from alarms.alarm_set import AlarmSet
    from alarms.naming import Site
    from bedrock.evidence_plan import EvidencePlan
    from bedrock.models import MonitoredModel
    from dashboards.subject import Subject

__all__ = ["QUESTIONS", "weekly_pages"]

HOUR_S = 3600
DAY_S = 86_400
_FRAME_WIDGETS = 20  # headings, links and alarm status of a page
_NO_BURSTS = baseline_line(0, label="baseline: none")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    title: str
    note: str
    answer: Callable[[Subject], tuple[Block, ...]]


def weekly_pages(
    models: Sequence[tuple[MonitoredModel, AlarmSet]],
    *,
    site: Site,
    alarms: AlarmSet,
    evidence: EvidencePlan,
    cache_metrics: tuple[str, str] = CACHE_METRICS,
) -> tuple[Dashboard, ...]:
    """Return the weekly review: one page, or as many as the limits of a dashboard ask for, models in order.

    Args:
        models: Every model with its alarms, in configuration order.
        site: Where they are watched.
        alarms: Account-wide alarms.
        evidence: How calls were served and throttled.
        cache_metrics: Names of the cache read and cache write metrics in AWS/Bedrock.
    """
    parts = _parts(subjects_of(models, site=site, evidence=evidence, cache_metrics=cache_metrics))
    names = [dashboard_name(site, WEEKLY if index == 1 else f"{WEEKLY}-{index}") for index in range(1, len(parts) + 1)]
    return tuple(
        Dashboard(
            name=name,
            body=DashboardBody(
                widgets=flow(_page(part, site=site, alarms=alarms, names=names)),
                start="-P7D",
                period_override="inherit",
            ),
        )
        for name, part in zip(names, parts, strict=True)
    )


def _parts(subjects: Sequence[Subject]) -> list[list[Subject]]:
    """Split the models so that a page stays under the limits of widgets and metric rows."""
    parts: list[list[Subject]] = [[]]
    widgets = rows = 0
    for subject in subjects:
        blocks = [block for question in QUESTIONS for block in question.answer(subject)]
        more_rows = sum(len(b.content.metrics) for b in blocks if isinstance(b.content, MetricWidget))
        full = widgets + len(blocks) > WIDGETS - _FRAME_WIDGETS or rows + more_rows > METRICS_PER_DASHBOARD
        if parts[-1] and full:
            parts.append([])
            widgets = rows = 0
        parts[-1].append(subject)
        widgets, rows = widgets + len(blocks), rows + more_rows
    return parts


def _page(subjects: Sequence[Subject], *, site: Site, alarms: AlarmSet, names: Sequence[str]) -> list[Block]:
    pages = [link("Fleet", dashboard_link(site, dashboard_name(site, FLEET)))]
    if len(names) > 1:
        pages += [link(f"Part {index}", dashboard_link(site, name)) for index, name in enumerate(names, start=1)]
    head = (
        f"# The week of {site.alias} · {site.region}\n\n{' · '.join(pages)}\n\n"
        "Days and hours are UTC. A percentile is of all calls of its hour or day. Grey lines are the baseline of the "
        "configuration, purple ones a promise."
    )
    blocks = [Block(content=text(head), width=24, height=4, new_line=True)]
    for question in QUESTIONS:
        answers = [block for subject in subjects for block in question.answer(subject)]
        if answers:
            blocks += [heading(question.title, question.note), *answers]
    causes = [
        entry.alarm.name
        for entries in (*(subject.alarms for subject in subjects), alarms)
        for entry in entries
        if entry.role is Role.CAUSE
    ]
    status = alarm_status(causes, site=site, title="Causes, newest change first", newest_first=True)
    if status:
        blocks.append(heading("Alarm noise", "who was called, and was it right? Open an alarm for its history"))
        blocks += [Block(content=content, width=24, height=8, new_line=True) for content in status]
    return blocks


def _name(subject: Subject) -> str:
    return " ".join(subject.model.title.split())


def _served_well(subject: Subject) -> tuple[Block, ...]:
    model, quantities, goals = subject.model, subject.quantities, subject.model.objectives
    name, color, metric, objectives = (
        ("TTFT", palette.TTFT, BedrockMetric.TTFT, {"p90": goals.ttft_p90_ms, "p99": goals.ttft_p99_ms})
        if model.streams
        else ("Latency", palette.LATENCY, BedrockMetric.LATENCY, {"p90": goals.latency_p90_ms})
    )
    series = quantities.series(metric)
    hourly = percentile_graphs(
        series,
        region=subject.region,
        name=f"{_name(subject)}: {name}",
        color=color,
        objectives=objectives,
        period_s=HOUR_S,
        of=" of an hour's calls",
    )
    sheet = Sheet()
    for index, one in enumerate(series):
        shade = color if len(series) == 1 else palette.ALIASES[index % len(palette.ALIASES)]
        sheet.plot(one, stat="p90", label=one.dimension("ModelId") or name, color=shade)
    goal = objectives["p90"]
    daily = graph(
        sheet,
        region=subject.region,
        title=f"{name} p90 of a day's calls (ms)",
        left="ms",
        lines=[] if goal is None else [objective_line(goal, label="objective p90")],
        period_s=DAY_S,
    )
    sheet = Sheet()
    sheet.draw(
        quantities.error_rate(sheet, name=BedrockMetric.SERVER_ERRORS),
        label="5xx, % of calls",
        color=palette.SERVER_ERRORS,
    )
    promised = goals.success_rate
    failed = graph(
        sheet,
        region=subject.region,
        title="Service errors (% of an hour's calls)",
        left="% of calls",
        lines=[] if promised is None else [objective_line(round(100 - 100 * promised, 6), label="promised at most")],
        period_s=HOUR_S,
    )
    return (*(line(*hourly) if len(hourly) > 1 else ()), *line(*(hourly if len(hourly) == 1 else ()), daily, failed))


def _changed(subject: Subject) -> tuple[Block, ...]:
    model, quantities, base = subject.model, subject.quantities, subject.model.baselines
    rate = None
    if model.streams:
        sheet = Sheet()
        sheet.draw(quantities.otps(sheet), label="OTPS", color=palette.OTPS)
        rate = graph(
            sheet,
            region=subject.region,
            title=f"{_name(subject)}: hourly OTPS (tokens/s, sum of tokens / sum of decode time)",
            left="output tokens/s",
            lines=[baseline_line(base.otps, label="baseline")],
            period_s=HOUR_S,
        )
    sheet = Sheet()
    sheet.draw(quantities.output_per_call(sheet), label="output", color=palette.OUTPUT_TOKENS)
    sheet.draw(
        quantities.input_per_call(sheet), label=quantities.input_words, color=palette.UNCACHED_INPUT, y_axis="right"
    )
    shape = graph(
        sheet,
        region=subject.region,
        title=f"{'' if rate else _name(subject) + ': '}Tokens per request, hourly mean",
        left="output tokens",
        right="input tokens",
        lines=[
            baseline_line(base.output_tokens, label="baseline output"),
            baseline_line(base.input_tokens, label="baseline input", right=True),
        ],
        period_s=HOUR_S,
    )
    return line(rate, shape)


def _why(subject: Subject) -> tuple[Block, ...]:
    model, quantities = subject.model, subject.quantities
    fallback = hit = None
    if model.latency is LatencyMode.OPTIMIZED and subject.sees_fallback:
        sheet = Sheet()
        sheet.draw(fallback_share(subject, sheet), label="served standard, %", color=palette.SERVED_STANDARD)
        fallback = graph(
            sheet,
            region=subject.region,
            title=f"{_name(subject)}: fallback (% of an hour's calls)",
            left="% of calls",
            lines=[_NO_BURSTS],
            period_s=HOUR_S,
        )
    if model.prompt_caching:
        sheet = Sheet()
        sheet.draw(quantities.cache_hit_rate(sheet), label="hit rate, %", color=palette.CACHE_READ)
        hit = graph(
            sheet,
            region=subject.region,
            title=f"Hourly cache hit rate (%) = {HIT_RATE_DEFINITION}",
            left="% of prompt tokens",
            lines=[baseline_line(100 * model.baselines.cache_hit_rate, label="baseline")],
            period_s=HOUR_S,
            top=100,
        )
    sheet = Sheet()
    sheet.draw(quantities.throttle_rate(sheet), label="throttled, % of attempts", color=palette.THROTTLES)
    throttled = graph(
        sheet,
        region=subject.region,
        title=f"{'' if fallback else _name(subject) + ': '}Throttled (% of an hour's attempts)",
        left="% of attempts",
        lines=[_NO_BURSTS],
        period_s=HOUR_S,
    )
    return line(fallback, throttled, hit)


def _capacity(subject: Subject) -> tuple[Block, ...]:
    quantities, quotas = subject.quantities, subject.model.quotas
    quota = quantities.token_quota
    sheet = Sheet()
    sheet.draw(quantities.quota_usage(sheet), label="counted (estimate by Bedrock)", color=palette.QUOTA_USE)
    tokens = graph(
        sheet,
        region=subject.region,
        title=f"{_name(subject)}: quota tokens a minute against TPM",
        left="tokens per minute",
        lines=() if quota is None else quota_lines(quota[1], name=quota[0]),
        period_s=60,
    )
    sheet = Sheet()
    sheet.draw(quantities.calls(sheet), label="requests", color=palette.REQUESTS)
    sheet.draw(quantities.throttles(sheet), label="throttled", color=palette.THROTTLES)
    requests = graph(
        sheet,
        region=subject.region,
        title="Requests and throttles a minute",
        left="per minute",
        lines=quota_lines(quotas.rpm, name="RPM quota"),
        period_s=60,
    )
    daily = None
    if quotas.tpd is not None:
        sheet = Sheet()
        sheet.draw(quantities.quota_usage(sheet), label="counted (estimate by Bedrock)", color=palette.QUOTA_USE)
        daily = graph(
            sheet,
            region=subject.region,
            title="Quota tokens a day against TPD",
            left="tokens per day",
            lines=quota_lines(quotas.tpd, name="TPD quota"),
            period_s=DAY_S,
        )
    return line(tokens, requests, daily)


def _cost(subject: Subject) -> tuple[Block, ...]:
    quantities = subject.quantities
    sheet = Sheet()
    parts = [
        ("output", quantities.series(BedrockMetric.OUTPUT_TOKENS), palette.OUTPUT_TOKENS),
        ("uncached input", quantities.series(BedrockMetric.INPUT_TOKENS), palette.UNCACHED_INPUT),
    ]
    if subject.model.prompt_caching:
        parts += [
            ("cache read", quantities.cache_read, palette.CACHE_READ),
            ("cache write", quantities.cache_write, palette.CACHE_WRITE),
        ]
    for words, series, color in parts:
        sheet.draw(sheet.total(series), label=words, color=color)
    title = f"{_name(subject)}: tokens a day"
    tokens = stacked(sheet, region=subject.region, title=title, left="tokens per day", period_s=DAY_S)
    sheet = Sheet()
    cost = quantities.cost(sheet)
    if cost is None:
        return line(tokens)
    sheet.draw(cost, label="cost", color=palette.COST)
    sheet.draw("TIME_SERIES(AVG(e1))", label="mean of the week", color=palette.BASELINE)
    dollars = graph(
        sheet,
        region=subject.region,
        title="Cost a day (USD, tokens at configured prices)",
        left="USD per day",
        period_s=DAY_S,
    )
    return line(tokens, dollars)


QUESTIONS = (
    _Question(
        title="Are users served well?", note="percentiles and failures against what was promised", answer=_served_well
    ),
    _Question(title="Did it change?", note="speed and shape against the baseline", answer=_changed),
    _Question(title="Why?", note="fallback, throttling, cache", answer=_why),
    _Question(title="Quota and capacity", note="each minute, so that a short burst shows", answer=_capacity),
    _Question(title="Cost", note="tokens and dollars a day", answer=_cost),
)
