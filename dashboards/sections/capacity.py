"""Is the model throttled, by which quota, and how near is the next one? How were calls served?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedrock.evidence import ServedAs, ThrottleKind
from bedrock.metrics import BedrockMetric, tier_metric
from bedrock.models import LatencyMode
from cloudwatch.dashboard.values import HorizontalAnnotation
from dashboards import palette
from dashboards.layout import Block, spread
from dashboards.rows import Sheet
from dashboards.sections.headline import fallback_share
from dashboards.subject import EVIDENCE_PERIOD_S
from dashboards.widgets import graph, heading, stacked, text

if TYPE_CHECKING:
    from cloudwatch.dashboard.values import MetricWidget
    from dashboards.subject import Subject

__all__ = ["quota_lines", "served_mode", "service_tier", "throttling"]

NEAR_QUOTA = 0.8
NO_EVIDENCE = (
    "**How calls were served is not watched here.** Callers ask for latency-optimized inference, and no route of evidence that "
    "tells optimized from standard is configured: a fallback to standard cannot be seen."
)
_KIND_WORDS = {
    ThrottleKind.REQUESTS: ("requests per minute", palette.REQUESTS),
    ThrottleKind.TOKENS: ("tokens per minute", palette.THROTTLES),
    ThrottleKind.TOKENS_PER_DAY: ("tokens per day", palette.OUTPUT_TOKENS),
    ThrottleKind.OTHER: ("quota not named", palette.SERVED_UNKNOWN),
}
_SERVED_WORDS = {
    ServedAs.OPTIMIZED: ("optimized", palette.SERVED_OPTIMIZED),
    ServedAs.STANDARD: ("standard (fallback)", palette.SERVED_STANDARD),
    ServedAs.STANDARD_BY_DESIGN: ("standard by design (long request)", palette.CACHE_WRITE),
    ServedAs.UNKNOWN: ("not said", palette.SERVED_UNKNOWN),
}
_RESERVED, _OVERFLOW = "reserved", "default"  # literal values unverified on AWS


def throttling(subject: Subject) -> tuple[Block, ...]:
    """Return the throttle rate, what was throttled, and the use of quotas a minute."""
    quantities, region = subject.quantities, subject.region
    rate = subject.alarm_graphs("throttled", color=palette.THROTTLES)
    if not rate:
        sheet = Sheet()
        sheet.draw(quantities.throttle_rate(sheet), label="throttled, % of attempts", color=palette.THROTTLES)
        rate = (graph(sheet, region=region, title="Throttled attempts (% of attempts)", left="% of attempts"),)
    sheet = Sheet()
    sheet.draw(quantities.attempts(sheet), label="attempts", color=palette.REQUESTS)
    sheet.draw(quantities.throttles(sheet), label="throttled", color=palette.THROTTLES)
    attempts = graph(
        sheet,
        region=region,
        title="Attempts and throttles (per minute); each SDK retry is an attempt",
        left="per minute",
        lines=quota_lines(subject.model.quotas.rpm, name="RPM quota"),
    )
    graphs = [*rate, attempts, *_by_kind(subject), *_token_quota(subject)]
    graphs += subject.alarm_graphs("quota-use", color=palette.QUOTA_USE)
    return (
        heading("Throttling and quota", "throttled far below the quota: max_tokens reserves it"),
        *spread(graphs, per_line=3),
    )


def quota_lines(quota: float | None, *, name: str) -> tuple[HorizontalAnnotation, ...]:
    """Return lines at 80 % and 100 % of a quota, in the quota's own unit."""
    if quota is None:
        return ()
    return (
        HorizontalAnnotation(value=quota, label=name, color=palette.ALARM_LINE),
        HorizontalAnnotation(value=NEAR_QUOTA * quota, label=f"80 % of {name}", color=palette.BASELINE),
    )


def _by_kind(subject: Subject) -> tuple[MetricWidget, ...]:
    sheet = Sheet()
    drawn = 0
    for kind, (words, color) in _KIND_WORDS.items():
        series = subject.evidence.throttled(subject.model, kind)
        if series:
            sheet.draw(sheet.total(series), label=words, color=color)
            drawn += 1
    if not drawn:
        return ()
    title = "Throttled calls by the quota named (per 5 min, minutes late)"
    return (stacked(sheet, region=subject.region, title=title, left="per 5 min", period_s=EVIDENCE_PERIOD_S),)


def _token_quota(subject: Subject) -> tuple[MetricWidget, ...]:
    quantities = subject.quantities
    sheet = Sheet()
    sheet.draw(quantities.quota_usage(sheet), label="counted (estimate by Bedrock)", color=palette.QUOTA_USE)
    reservation = quantities.reservation(sheet)
    if reservation is not None:
        sheet.draw(reservation, label="reserved at start (input + max_tokens)", color=palette.RESERVATION)
    quota = quantities.token_quota
    lines = () if quota is None else quota_lines(quota[1], name=quota[0])
    return (
        graph(
            sheet,
            region=subject.region,
            title="Quota tokens (per minute) against TPM",
            left="tokens per minute",
            lines=lines,
            period_s=60,
        ),
    )


def served_mode(subject: Subject) -> tuple[Block, ...]:
    """Return how calls were served, only where callers ask for latency-optimized inference."""
    model = subject.model
    if model.latency is not LatencyMode.OPTIMIZED:
        return ()
    title = heading("Served latency mode", "from CloudTrail, 5 to 15 minutes late")
    if not subject.sees_fallback:
        return (title, Block(content=text(NO_EVIDENCE), width=24, height=2, new_line=True))
    sheet = Sheet()
    for served, (words, color) in _SERVED_WORDS.items():
        series = subject.evidence.served(model, served)
        if series:
            sheet.draw(sheet.total(series), label=words, color=color)
    modes = stacked(
        sheet,
        region=subject.region,
        title="Calls by how they were served (per 5 min)",
        left="calls per 5 min",
        period_s=EVIDENCE_PERIOD_S,
    )
    share = subject.alarm_graphs("fallback-share", "fallback-chronic", color=palette.SERVED_STANDARD)
    if not share:
        sheet = Sheet()
        sheet.draw(fallback_share(subject, sheet), label="served standard, %", color=palette.SERVED_STANDARD)
        share = (
            graph(
                sheet,
                region=subject.region,
                title="Fallback share (% of calls, 300 s)",
                left="% of calls",
                period_s=EVIDENCE_PERIOD_S,
                top=100,
            ),
        )
    coverage = subject.alarm_graphs("blind", color=palette.SERVED_UNKNOWN)
    return (title, *spread([modes, *share, *coverage], per_line=3))


def service_tier(subject: Subject) -> tuple[Block, ...]:
    """Return how calls that asked for the reserved tier were served, only where callers use it."""
    model = subject.model
    if not model.reserved_tier:
        return ()
    sheet = Sheet()
    for served, color in ((_RESERVED, palette.SERVED_OPTIMIZED), (_OVERFLOW, palette.SERVED_STANDARD)):
        series = [
            tier_metric(name, name=BedrockMetric.TPM_USAGE, asked=_RESERVED, served=served) for name in model.series_ids
        ]
        sheet.draw(sheet.total(series, stat="SampleCount"), label=f"asked reserved, served {served}", color=color)
    tiers = stacked(
        sheet,
        region=subject.region,
        title="Calls asking for the reserved tier (per 5 min)",
        left="calls per 5 min",
        period_s=300,
    )
    overflow = subject.alarm_graphs("tier-overflow", color=palette.SERVED_STANDARD)
    return (
        heading("Service tier", "names of tiers in the dimensions are unverified on AWS"),
        *spread([tiers, *overflow], per_line=2),
    )
