"""How are all models doing, for the price of one page? A shared page whose ModelId is chosen at the top.

The variable changes the ModelId of every metric on the page. So no graph here carries a line that belongs to one model; what is
fixed to a model (fallback of a model that asks for optimized latency) is drawn from series without a ModelId.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alarms.alarm_set import Role
from alarms.naming import FLEET, dashboard_name
from bedrock.metrics import BedrockMetric
from bedrock.models import LatencyMode, OptimizedSeries
from cloudwatch.dashboard.validate import VARIABLE_TEXT_LENGTH, VARIABLE_VALUES
from cloudwatch.dashboard.values import DashboardBody, Variable, VariableValue
from dashboards import palette
from dashboards.layout import Block, flow, spread
from dashboards.page import Dashboard
from dashboards.pages.fleet import subjects_of
from dashboards.quantities import CACHE_METRICS, HIT_RATE_DEFINITION, Quantities
from dashboards.rows import Sheet
from dashboards.sections.headline import fallback_share
from dashboards.sections.identity import number
from dashboards.sections.latency import percentile_graphs
from dashboards.subject import EVIDENCE_PERIOD_S, Subject
from dashboards.widgets import alarm_status, graph, heading, markdown_safe, stacked, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alarms.alarm_set import AlarmSet
    from alarms.naming import Site
    from bedrock.evidence_plan import EvidencePlan
    from bedrock.models import MonitoredModel
    from cloudwatch.dashboard.values import MetricWidget

__all__ = ["lean_page"]


def lean_page(
    models: Sequence[tuple[MonitoredModel, AlarmSet]],
    *,
    site: Site,
    alarms: AlarmSet,
    evidence: EvidencePlan,
    cache_metrics: tuple[str, str] = CACHE_METRICS,
) -> Dashboard:
    """Return the one page of the lean profile; it takes the fleet page's name.

    Args:
        models: Every model with its alarms, in configuration order, at least one.
        site: Where they are watched.
        alarms: Account-wide alarms.
        evidence: How calls were served and throttled.
        cache_metrics: Names of the cache read and cache write metrics in AWS/Bedrock.
    """
    subjects = subjects_of(models, site=site, evidence=evidence, cache_metrics=cache_metrics)
    causes = [
        entry.alarm.name
        for entries in (*(entries for _, entries in models), alarms)
        for entry in entries
        if entry.role is Role.CAUSE
    ]
    blocks: list[Block] = [
        *_legend(subjects, site=site),
        *spread(list(alarm_status(causes, site=site, title="Causes of every model")), per_line=1, height=6),
    ]
    if models:
        blocks += _chosen(models[0][0], site=site, cache_metrics=cache_metrics)
    blocks += _fallback(subjects)
    return Dashboard(
        name=dashboard_name(site, FLEET),
        body=DashboardBody(
            widgets=flow(blocks),
            variables=_variable([model for model, _ in models]),
            start="-PT3H",
            period_override="inherit",
        ),
    )


def _variable(models: Sequence[MonitoredModel]) -> tuple[Variable, ...]:
    choices = [
        VariableValue(
            value=name,
            label=(model.title if len(model.series_ids) == 1 else f"{model.title}: {name}")[:VARIABLE_TEXT_LENGTH],
        )
        for model in models
        for name in model.series_ids
        if len(name) <= VARIABLE_TEXT_LENGTH
    ]
    if not choices:
        return ()
    listed = len(choices) <= VARIABLE_VALUES
    return (
        Variable(
            id="model",
            type="property",
            property="ModelId",
            input_type="select" if listed else "input",
            label="ModelId",
            default_value=choices[0].value,
            visible=True,
            values=tuple(choices) if listed else (),
        ),
    )


def _legend(subjects: Sequence[Subject], *, site: Site) -> tuple[Block, ...]:
    lines = [
        f"| {markdown_safe(subject.model.title)} "
        f"| {number(subject.model.baselines.otps) if subject.model.streams else 'does not stream'} "
        f"| {number(subject.model.baselines.output_tokens)} "
        f"| {number(subject.model.quotas.tpm) if subject.model.quotas.tpm else 'not known'} |"
        for subject in subjects
    ]
    head = (
        f"# Bedrock models · {site.alias} · {site.region}\n\n**Choose a ModelId above**: every graph under *The chosen ModelId* "
        "follows it. A good day:\n\n| Model | output tokens/s | output tokens a request | TPM quota |\n|---|---|---|---|\n"
    )
    body = head + "\n".join(lines) + "\n"
    return (Block(content=text(body), width=24, height=5 + len(lines), new_line=True),)


def _chosen(model: MonitoredModel, *, site: Site, cache_metrics: tuple[str, str]) -> tuple[Block, ...]:
    """Return graphs of the first series; the variable puts another ModelId in its place."""
    one = _single(model)
    quantities, region = Quantities(model=one, cache_metrics=cache_metrics), site.region
    graphs: list[MetricWidget] = []
    for name, metric, color in (
        ("TTFT (streamed calls)", BedrockMetric.TTFT, palette.TTFT),
        ("Latency", BedrockMetric.LATENCY, palette.LATENCY),
    ):
        graphs += percentile_graphs(quantities.series(metric), region=region, name=name, color=color, objectives={})
    sheet = Sheet()
    sheet.draw(quantities.otps(sheet), label="OTPS, output tokens/s", color=palette.OTPS)
    sheet.draw(
        quantities.output_per_call(sheet),
        label="output tokens per request",
        color=palette.OUTPUT_TOKENS,
        y_axis="right",
    )
    title = "OTPS (sum of tokens / sum of decode time) and output tokens per request"
    graphs.append(graph(sheet, region=region, title=title, left="output tokens/s", right="tokens per request"))
    sheet = Sheet()
    sheet.draw(quantities.streaming_share(sheet), label="calls that stream, %", color=palette.REQUESTS)
    title = "Streaming share (%): in OTPS the rest gets the mean TTFT of these"
    graphs.append(graph(sheet, region=region, title=title, left="% of calls", top=100))
    sheet = Sheet()
    sheet.draw(quantities.throttle_rate(sheet), label="throttled, % of attempts", color=palette.THROTTLES)
    errors = quantities.error_rate(sheet, name=BedrockMetric.SERVER_ERRORS)
    sheet.draw(errors, label="5xx, % of calls", color=palette.SERVER_ERRORS)
    graphs.append(graph(sheet, region=region, title="Throttled and failed (%)", left="%"))
    sheet = Sheet()
    sheet.draw(quantities.attempts(sheet), label="attempts", color=palette.REQUESTS)
    sheet.draw(quantities.throttles(sheet), label="throttled", color=palette.THROTTLES)
    graphs.append(graph(sheet, region=region, title="Attempts and throttles (per minute)", left="per minute"))
    sheet = Sheet()
    sheet.draw(quantities.quota_usage(sheet), label="counted (estimate by Bedrock)", color=palette.QUOTA_USE)
    graphs.append(graph(sheet, region=region, title="Quota tokens (per minute)", left="tokens per minute"))
    sheet = Sheet()
    sheet.draw(quantities.cache_hit_rate(sheet), label="hit rate, %", color=palette.CACHE_READ)
    title = f"Cache hit rate (%) = {HIT_RATE_DEFINITION}"
    graphs.append(graph(sheet, region=region, title=title, left="% of prompt tokens", period_s=300, top=100))
    sheet = Sheet()
    sheet.draw(quantities.output_tokens(sheet), label="output", color=palette.OUTPUT_TOKENS)
    sheet.draw(quantities.input_tokens(sheet), label="uncached input", color=palette.UNCACHED_INPUT)
    graphs.append(stacked(sheet, region=region, title="Tokens (per minute)", left="tokens per minute"))
    return (heading("The chosen ModelId"), *spread(graphs, per_line=3))


def _single(model: MonitoredModel) -> MonitoredModel:
    return replace(model, model_ids=model.series_ids[:1], optimized_series=OptimizedSeries.EXCLUDE)


def _fallback(subjects: Sequence[Subject]) -> tuple[Block, ...]:
    graphs: list[MetricWidget] = []
    for subject in subjects:
        if subject.model.latency is not LatencyMode.OPTIMIZED or not subject.sees_fallback:
            continue
        name = " ".join(subject.model.title.split())
        own = subject.alarm_graphs("fallback-share", title=f"{name}: fallback share", color=palette.SERVED_STANDARD)
        if not own:
            sheet = Sheet()
            sheet.draw(fallback_share(subject, sheet), label="served standard, %", color=palette.SERVED_STANDARD)
            title = f"{name}: fallback share (% served standard, 300 s)"
            own = (
                graph(
                    sheet, region=subject.region, title=title, left="% of calls", period_s=EVIDENCE_PERIOD_S, top=100
                ),
            )
        graphs += own
    if not graphs:
        return ()
    return (heading("Served standard though optimized was asked", "5 to 15 minutes late"), *spread(graphs, per_line=3))
