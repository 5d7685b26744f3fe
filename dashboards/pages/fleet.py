"""How are all models of the account doing? A table with one line for each, the account's totals, and what nobody configured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alarms.alarm_set import Role
from alarms.naming import FLEET, WEEKLY, dashboard_name
from bedrock.metrics import NAMESPACE, BedrockMetric, account_metric
from bedrock.models import OPTIMIZED_SUFFIX, LatencyMode
from cloudwatch import limits
from cloudwatch.alarm import MetricAlarm
from cloudwatch.dashboard.content_rules import METRICS_PER_WIDGET
from cloudwatch.dashboard.values import DashboardBody
from dashboards import palette
from dashboards.alarm_lines import alarm_graphs
from dashboards.layout import Block, flow, spread
from dashboards.page import Dashboard
from dashboards.quantities import CACHE_METRICS, Quantities, share_of
from dashboards.rows import Sheet
from dashboards.sections.headline import fallback_share
from dashboards.sections.identity import link, promises
from dashboards.subject import EVIDENCE_PERIOD_S, Subject
from dashboards.widgets import alarm_status, dashboard_link, graph, heading, stacked, table, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from alarms.alarm_set import AlarmEntry, AlarmSet
    from alarms.naming import Site
    from bedrock.evidence_plan import EvidencePlan
    from bedrock.models import MonitoredModel
    from cloudwatch.dashboard.values import MetricWidget, Summary

__all__ = ["fleet_page", "known_ids", "subjects_of", "unlisted_search"]

PERIOD_S = 300
_ALL_IDS = f'{{{NAMESPACE},ModelId}} MetricName="{BedrockMetric.INVOCATIONS}"'


def fleet_page(
    models: Sequence[tuple[MonitoredModel, AlarmSet]],
    *,
    site: Site,
    alarms: AlarmSet,
    evidence: EvidencePlan,
    cache_metrics: tuple[str, str] = CACHE_METRICS,
) -> Dashboard:
    """Return the page over all models of an account in a Region.

    Args:
        models: Every model with its alarms, in configuration order.
        site: Where they are watched.
        alarms: Account-wide alarms.
        evidence: How calls were served and throttled.
        cache_metrics: Names of the cache read and cache write metrics in AWS/Bedrock.
    """
    subjects = subjects_of(models, site=site, evidence=evidence, cache_metrics=cache_metrics)
    causes = [entry.alarm.name for entry in _causes((*(entries for _, entries in models), alarms))]
    blocks = [
        *_links(subjects, site=site),
        *spread(list(alarm_status(causes, site=site, title="Causes of every model")), per_line=1, height=6),
        heading("Models", "newest value in the label, then the time range"),
        *spread(
            [widget for make in _TABLES for widget in make(subjects, site.region)],
            per_line=4,
            height=_table_height(subjects),
        ),
        heading("Account", "every ModelId, listed or not"),
        *spread([*_totals(site.region), *_account_alarms(alarms, site.region)], per_line=3),
        heading("Not in the configuration"),
        *_unlisted(subjects, site.region),
    ]
    return Dashboard(
        name=dashboard_name(site, FLEET),
        body=DashboardBody(widgets=flow(blocks), start="-PT3H", period_override="inherit"),
    )


def subjects_of(
    models: Sequence[tuple[MonitoredModel, AlarmSet]],
    *,
    site: Site,
    evidence: EvidencePlan,
    cache_metrics: tuple[str, str],
) -> tuple[Subject, ...]:
    """Return what the sections ask for each model."""
    return tuple(
        Subject(
            model=model,
            site=site,
            alarms=alarms,
            evidence=evidence,
            quantities=Quantities(model=model, cache_metrics=cache_metrics),
        )
        for model, alarms in models
    )


def _causes(sets: Sequence[AlarmSet]) -> Iterator[AlarmEntry]:
    return (entry for alarms in sets for entry in alarms if entry.role is Role.CAUSE)


def _links(subjects: Sequence[Subject], *, site: Site) -> tuple[Block, ...]:
    lines = [
        f"| {link(subject.model.title, dashboard_link(site, dashboard_name(site, subject.model.key)))} "
        f"| {len(subject.model.series_ids)} | {'optimized' if subject.model.latency is LatencyMode.OPTIMIZED else 'standard'} "
        f"| {promises(subject.model) or 'nothing'} |"
        for subject in subjects
    ]
    weekly = link("Weekly review", dashboard_link(site, dashboard_name(site, WEEKLY)))
    body = "\n".join(["| Model | ModelIds | Asked for | Promised |", "|---|---|---|---|", *lines])
    head = f"# Bedrock models · {site.alias} · {site.region}\n\n{weekly}\n\n"
    return (Block(content=text(head + body + "\n"), width=24, height=3 + -(-len(lines) // 2), new_line=True),)


def _table_height(subjects: Sequence[Subject]) -> int:
    return min(3 + -(-2 * len(subjects) // 3), 20)  # a grid unit is about 50 px, a line of a table about 33 px


def _by_model(
    subjects: Sequence[Subject],
    region: str,
    *,
    title: str,
    summary: tuple[Summary, ...],
    expression: Callable[[Subject, Sheet], str | None],
) -> list[MetricWidget]:
    """Return a table with a line for each model, in as many widgets as the limit of 500 rows asks for."""
    sheets: list[Sheet] = [Sheet()]
    for subject in subjects:
        trial = Sheet()
        if expression(subject, trial) is None:
            continue
        if len(sheets[-1].rows()) + len(trial.rows()) + 1 > METRICS_PER_WIDGET:
            sheets.append(Sheet())
        drawn = expression(subject, sheets[-1])
        assert drawn is not None
        sheets[-1].draw(drawn, label=f"{subject.model.title}  ${{LAST}}")
    return [
        table(
            sheet.rows(),
            region=region,
            title=title if len(sheets) == 1 else f"{title} ({index} of {len(sheets)})",
            summary=summary,
            period_s=PERIOD_S,
        )
        for index, sheet in enumerate(sheets, start=1)
        if sheet.rows()
    ]


def _requests(subjects: Sequence[Subject], region: str) -> list[MetricWidget]:
    return _by_model(
        subjects,
        region,
        title="Requests per minute",
        summary=("MIN", "MAX"),
        expression=lambda subject, sheet: f"{subject.quantities.calls(sheet)}/{PERIOD_S // 60}",
    )


def _ttft(subjects: Sequence[Subject], region: str) -> list[MetricWidget]:
    def expression(subject: Subject, sheet: Sheet) -> str | None:
        if not subject.model.streams:
            return None
        return sheet.worst(subject.quantities.series(BedrockMetric.TTFT), stat="p90")

    title = "TTFT p90 of 5 min, worst ModelId (ms)"
    return _by_model(subjects, region, title=title, summary=("MIN", "MAX"), expression=expression)


def _otps(subjects: Sequence[Subject], region: str) -> list[MetricWidget]:
    return _by_model(
        subjects,
        region,
        title="OTPS (output tokens/s)",
        summary=("MIN", "MAX"),
        expression=lambda subject, sheet: subject.quantities.otps(sheet) if subject.model.streams else None,
    )


def _throttled(subjects: Sequence[Subject], region: str) -> list[MetricWidget]:
    return _by_model(
        subjects,
        region,
        title="Throttled (% of attempts)",
        summary=("MAX",),
        expression=lambda subject, sheet: subject.quantities.throttle_rate(sheet),
    )


def _fallback(subjects: Sequence[Subject], region: str) -> list[MetricWidget]:
    def expression(subject: Subject, sheet: Sheet) -> str | None:
        if subject.model.latency is not LatencyMode.OPTIMIZED or not subject.sees_fallback:
            return None
        return fallback_share(subject, sheet)

    assert PERIOD_S == EVIDENCE_PERIOD_S
    return _by_model(subjects, region, title="Fallback (% served standard)", summary=("MAX",), expression=expression)


def _errors(subjects: Sequence[Subject], region: str) -> list[MetricWidget]:
    return _by_model(
        subjects,
        region,
        title="Service errors (% of calls)",
        summary=("MAX",),
        expression=lambda subject, sheet: subject.quantities.error_rate(sheet, name=BedrockMetric.SERVER_ERRORS),
    )


def _cost(subjects: Sequence[Subject], region: str) -> list[MetricWidget]:
    return _by_model(
        subjects,
        region,
        title="Cost (USD per hour)",
        summary=("MIN", "MAX"),
        expression=lambda subject, sheet: subject.quantities.cost(sheet, scale=3600 / PERIOD_S),
    )


_TABLES = (_requests, _throttled, _ttft, _otps, _fallback, _errors, _cost)


def _totals(region: str) -> list[MetricWidget]:
    calls, throttles = account_metric(BedrockMetric.INVOCATIONS), account_metric(BedrockMetric.THROTTLES)
    sheet = Sheet()
    sheet.plot(calls, stat="Sum", label="requests", color=palette.REQUESTS)
    sheet.plot(throttles, stat="Sum", label="throttled", color=palette.THROTTLES)
    attempts = graph(
        sheet, region=region, title="Requests and throttles (per 5 min)", left="per 5 min", period_s=PERIOD_S
    )
    sheet = Sheet()
    everything = sheet.total((throttles, calls))
    sheet.draw(
        share_of(sheet.total((throttles,)), everything), label="throttled, % of attempts", color=palette.THROTTLES
    )
    for name, words, color in (
        (BedrockMetric.SERVER_ERRORS, "5xx, % of calls", palette.SERVER_ERRORS),
        (BedrockMetric.CLIENT_ERRORS, "4xx, % of calls", palette.CLIENT_ERRORS),
    ):
        errors = account_metric(name)
        sheet.draw(share_of(sheet.total((errors,)), sheet.total((errors, calls))), label=words, color=color)
    rates = graph(sheet, region=region, title="Throttled and failed (%)", left="%", period_s=PERIOD_S)
    sheet = Sheet()
    for name, words, color in (
        (BedrockMetric.INPUT_TOKENS, "uncached input", palette.UNCACHED_INPUT),
        (BedrockMetric.OUTPUT_TOKENS, "output", palette.OUTPUT_TOKENS),
    ):
        sheet.plot(account_metric(name), stat="Sum", label=words, color=color)
    tokens = stacked(sheet, region=region, title="Tokens (per 5 min)", left="tokens per 5 min", period_s=PERIOD_S)
    return [attempts, rates, tokens]


def _account_alarms(alarms: AlarmSet, region: str) -> list[MetricWidget]:
    return [
        graph
        for entry in alarms
        if isinstance(entry.alarm, MetricAlarm)
        for graph in alarm_graphs([entry], region=region, color=palette.CLIENT_ERRORS)
    ]


def known_ids(model: MonitoredModel) -> tuple[str, ...]:
    """Return the ModelId values that are this model, its `+latency-optimized` series too where it has them."""
    optimized = [name + OPTIMIZED_SUFFIX for name in model.model_ids] if model.latency is LatencyMode.OPTIMIZED else []
    return tuple(dict.fromkeys([*model.series_ids, *optimized]))


def unlisted_search(ids: Sequence[str]) -> str | None:
    """Return the search for ModelId values other than these, or None where it would pass 1,024 characters."""
    excluded = " OR ".join(f'"{name}"' for name in sorted(set(ids)))
    search = f"{_ALL_IDS} NOT ModelId=({excluded})" if excluded else _ALL_IDS
    safe = not any(set(name) & {'"', "'", "\\"} for name in ids)
    return search if safe and len(search) <= limits.SEARCH_LENGTH else None


def _unlisted(subjects: Sequence[Subject], region: str) -> tuple[Block, ...]:
    ids = [name for subject in subjects for name in known_ids(subject.model)]
    search = unlisted_search(ids)
    sheet = Sheet()
    if search is None:
        note = (
            f"The {len(set(ids))} configured ModelId values do not fit into a search of 1,024 characters. So the graph shows the 20 "
            "busiest ModelId values of the account, **configured or not**, and the number beside it the requests of all that are "
            "not configured: the account's total without the configured ones."
        )
        found = f"SORT(SEARCH('{_ALL_IDS}', 'Sum', {PERIOD_S}), SUM, DESC, 20)"
        title = "Requests by ModelId, busiest 20 (per 5 min)"
    else:
        note = (
            "ModelId values that send traffic and stand in no model of the configuration: a new alias, another team, a batch job. "
            "A search shows at most 100 of them, active in the last two weeks."
        )
        found = f"SEARCH('{search}', 'Sum', {PERIOD_S})"
        title = "Requests by ModelId outside the configuration (per 5 min)"
    sheet.draw(found, label="")
    listed = graph(sheet, region=region, title=title, left="per 5 min", period_s=PERIOD_S)
    blocks = [Block(content=text(note), width=24, height=2, new_line=True)]
    if ids and sum(len(subject.model.series_ids) for subject in subjects) < METRICS_PER_WIDGET - 2:
        sheet = Sheet()
        total = sheet.total((account_metric(BedrockMetric.INVOCATIONS),))
        known = sheet.total(
            [metric for subject in subjects for metric in subject.quantities.series(BedrockMetric.INVOCATIONS)]
        )
        sheet.draw(f"100*({total}-{known})/{total}", label="outside, % of requests", color=palette.SERVED_UNKNOWN)
        share = graph(
            sheet,
            region=region,
            title="Outside the configuration (% of requests)",
            left="%",
            period_s=PERIOD_S,
            top=100,
        )
        return (*blocks, *spread([listed, share], per_line=2))
    return (*blocks, *spread([listed], per_line=2))
