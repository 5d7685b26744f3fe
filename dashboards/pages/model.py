"""What does an on-call engineer see of one model? Its page, from "what is it" down to "whose calls".

The order is the order of questions at night: is something wrong, how bad, where does the time go, is it slower or only chattier,
is it a quota, was it served as asked, and then the causes behind. A section that does not apply to the model is absent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from alarms.naming import dashboard_name
from cloudwatch.alarm import MetricAlarm
from cloudwatch.dashboard.values import DashboardBody
from dashboards import palette
from dashboards.alarm_lines import alarm_graphs, shows_alarm
from dashboards.layout import flow, spread
from dashboards.page import Dashboard
from dashboards.quantities import CACHE_METRICS, Quantities
from dashboards.sections.calls import troubled_calls
from dashboards.sections.capacity import served_mode, service_tier, throttling
from dashboards.sections.headline import headline
from dashboards.sections.identity import identity
from dashboards.sections.latency import anatomy, slower_or_chattier
from dashboards.sections.tokens import errors, prompt_cache, token_use
from dashboards.subject import Subject
from dashboards.widgets import heading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from alarms.alarm_set import AlarmSet
    from alarms.naming import Site
    from bedrock.evidence_plan import EvidencePlan
    from bedrock.models import MonitoredModel
    from dashboards.layout import Block

__all__ = ["SECTIONS", "model_page"]

SECTIONS: tuple[Callable[[Subject], tuple[Block, ...]], ...] = (
    identity,
    headline,
    anatomy,
    slower_or_chattier,
    throttling,
    served_mode,
    prompt_cache,
    token_use,
    errors,
    service_tier,
)


def model_page(
    model: MonitoredModel,
    *,
    site: Site,
    alarms: AlarmSet,
    evidence: EvidencePlan,
    cache_metrics: tuple[str, str] = CACHE_METRICS,
) -> Dashboard:
    """Return the page of a model; it depends on that model, its alarms and its evidence alone.

    Args:
        model: The model.
        site: Where it is watched.
        alarms: The alarms of the model.
        evidence: How calls were served and throttled.
        cache_metrics: Names of the cache read and cache write metrics in AWS/Bedrock.
    """
    subject = Subject(
        model=model,
        site=site,
        alarms=alarms,
        evidence=evidence,
        quantities=Quantities(model=model, cache_metrics=cache_metrics),
    )
    blocks = [block for section in SECTIONS for block in section(subject)]
    blocks += _not_yet_drawn(subject, blocks)
    blocks += troubled_calls(subject)
    return Dashboard(
        name=dashboard_name(site, model.key),
        body=DashboardBody(widgets=flow(blocks), start="-PT3H", period_override="inherit"),
    )


def _not_yet_drawn(subject: Subject, blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return graphs of metric alarms that no section draws: an alarm of a new slug is never without a graph."""
    left = [
        entry
        for entry in subject.alarms
        if isinstance(entry.alarm, MetricAlarm) and not any(shows_alarm(block.content, entry) for block in blocks)
    ]
    graphs = [
        graph for entry in left for graph in alarm_graphs([entry], region=subject.region, color=palette.SERVED_UNKNOWN)
    ]
    return (heading("Other alarms"), *spread(graphs, per_line=3)) if graphs else ()
