"""How is the model doing, at a glance? Tiles with the newest value and a sparkline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedrock.metrics import BedrockMetric
from bedrock.models import LatencyMode
from dashboards import palette
from dashboards.layout import spread
from dashboards.quantities import share_of
from dashboards.rows import Sheet
from dashboards.subject import EVIDENCE_PERIOD_S
from dashboards.widgets import tile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cloudwatch.dashboard.values import MetricWidget
    from dashboards.layout import Block
    from dashboards.subject import Subject

__all__ = ["fallback_share", "headline"]

TILE_PERIOD_S = EVIDENCE_PERIOD_S  # one of the tiles is evidence


def headline(subject: Subject) -> tuple[Block, ...]:
    """Return the tiles that apply to the model, over 5 minutes each."""
    return spread(list(_tiles(subject)), per_line=4, height=4)


def fallback_share(subject: Subject, sheet: Sheet) -> str:
    """Per cent of calls served standard, of calls whose record says how they were served."""
    optimized, standard = (subject.evidence.served(subject.model, mode) for mode in ("optimized", "standard"))
    return share_of(sheet.total(standard), sheet.total(optimized, standard))


def _tiles(subject: Subject) -> Iterator[MetricWidget]:
    model, quantities = subject.model, subject.quantities

    def one(title: str, expression: str | None, sheet: Sheet, color: str) -> MetricWidget:
        assert expression is not None
        sheet.draw(expression, label=title, color=color)
        return tile(sheet, region=subject.region, title=title, period_s=TILE_PERIOD_S)

    if model.streams:
        sheet = Sheet()
        series = quantities.series(BedrockMetric.TTFT)
        words = "TTFT p90, ms" if len(series) == 1 else "TTFT p90 of the worst ModelId, ms"
        yield one(words, sheet.worst(series, stat="p90"), sheet, palette.TTFT)
        sheet = Sheet()
        yield one("OTPS, output tokens/s", quantities.otps(sheet), sheet, palette.OTPS)
    else:
        sheet = Sheet()
        series = quantities.series(BedrockMetric.LATENCY)
        words = "Latency p90, ms" if len(series) == 1 else "Latency p90 of the worst ModelId, ms"
        yield one(words, sheet.worst(series, stat="p90"), sheet, palette.LATENCY)
    sheet = Sheet()
    yield one("Throttled, % of attempts", quantities.throttle_rate(sheet), sheet, palette.THROTTLES)
    if model.latency is LatencyMode.OPTIMIZED and subject.sees_fallback:
        sheet = Sheet()
        yield one("Fallback, % served standard", fallback_share(subject, sheet), sheet, palette.SERVED_STANDARD)
    if model.prompt_caching:
        sheet = Sheet()
        yield one("Cache hit rate, %", quantities.cache_hit_rate(sheet), sheet, palette.CACHE_READ)
    sheet = Sheet()
    yield one("Requests per minute", f"{quantities.calls(sheet)}/{TILE_PERIOD_S // 60}", sheet, palette.REQUESTS)
    sheet = Sheet()
    yield one("Output tokens per request", quantities.output_per_call(sheet), sheet, palette.OUTPUT_TOKENS)
    sheet = Sheet()
    cost = quantities.cost(sheet, scale=3600 / TILE_PERIOD_S)
    if cost is not None:
        yield one("Cost, USD per hour", cost, sheet, palette.COST)
