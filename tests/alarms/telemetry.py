"""What a model would publish, minute by minute: numbers written by hand, no service behind them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bedrock.metrics import BedrockMetric, invocation_metric, tier_metric
from cloudwatch.metric import Metric
from cloudwatch.series import Samples
from cloudwatch.store import MetricStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bedrock.evidence_plan import EvidencePlan
    from bedrock.models import MonitoredModel

EPOCH = 1_790_000_400 - 1_790_000_400 % 3600
Rows = dict[Metric, list[tuple[int, float, float]]]  # second, value, count


@dataclass(frozen=True, slots=True, kw_only=True)
class Minute:
    """One minute of one ModelId value, per call where not said otherwise; None is not published."""

    calls: int = 100
    throttles: int | None = None
    server_errors: int | None = None
    latency_ms: float = 4500
    ttft_ms: float | None = 1000
    streamed: int | None = None  # calls with a TTFT, default all
    output_tokens: float = 300
    input_tokens: float = 1200
    cache_read: float | None = None
    cache_write: float | None = None
    quota_tokens: float | None = 1500
    served_optimized: int | None = 100
    served_standard: int | None = None
    reserved_kept: int | None = None
    reserved_spilled: int | None = None


HEALTHY = Minute()


def rows_of(model: MonitoredModel, *, evidence: EvidencePlan, minutes: Mapping[int, Minute]) -> Rows:
    """Return the data of a model: `minutes` by second, each for every ModelId value; evidence once."""
    rows: Rows = {}

    def put(metric: Metric, at: int, value: float | None, count: float = 1) -> None:
        if value is not None and count > 0:
            rows.setdefault(metric, []).append((at, value, count))

    for at, one in minutes.items():
        for model_id in model.series_ids:
            values = {
                BedrockMetric.INVOCATIONS: (1, one.calls),
                BedrockMetric.THROTTLES: (1, one.throttles or 0),
                BedrockMetric.SERVER_ERRORS: (1, one.server_errors or 0),
                BedrockMetric.LATENCY: (one.latency_ms, one.calls),
                BedrockMetric.TTFT: (one.ttft_ms, one.calls if one.streamed is None else one.streamed),
                BedrockMetric.OUTPUT_TOKENS: (one.output_tokens, one.calls),
                BedrockMetric.INPUT_TOKENS: (one.input_tokens, one.calls),
                BedrockMetric.CACHE_READ: (one.cache_read, one.calls),
                BedrockMetric.CACHE_WRITE: (one.cache_write, one.calls),
                BedrockMetric.TPM_USAGE: (one.quota_tokens, one.calls),
            }
            for name, (value, count) in values.items():
                put(invocation_metric(model_id, name), at, value, count)
            for served, tier_calls in (("reserved", one.reserved_kept), ("default", one.reserved_spilled)):
                metric = tier_metric(model_id, name=BedrockMetric.TPM_USAGE, asked="reserved", served=served)
                put(metric, at, 1500, tier_calls or 0)
        for metric in evidence.served(model, "optimized"):
            put(metric, at, 1, one.served_optimized or 0)
        for metric in evidence.served(model, "standard"):
            put(metric, at, 1, one.served_standard or 0)
    return rows


def store_of(rows: Rows, *, delay_s: Mapping[str, int] | None = None) -> MetricStore:
    """Return a store; `delay_s` by namespace says how long after its minute a datum can be read."""
    late = delay_s or {}
    return MetricStore.of(
        (
            metric,
            Samples.of_values(
                [at for at, _, _ in found],
                [value for _, value, _ in found],
                counts=[count for _, _, count in found],
                available_at=[at + late.get(metric.namespace, 0) for at, _, _ in found],
            ),
        )
        for metric, found in rows.items()
    )


def span(start_min: int, end_min: int, minute: Minute = HEALTHY) -> dict[int, Minute]:
    """Return the same minute from one minute after the epoch of the tests to another, the end excluded."""
    return {EPOCH + 60 * place: minute for place in range(start_min, end_min)}


def without(rows: Rows, metrics: Iterable[Metric]) -> Rows:
    """Return the data without these metrics."""
    gone = set(metrics)
    return {metric: found for metric, found in rows.items() if metric not in gone}


def changed(**fields: object) -> Minute:
    """Return the healthy minute with changes."""
    return replace(HEALTHY, **fields)  # type: ignore[arg-type]
