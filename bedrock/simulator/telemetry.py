"""What would CloudWatch hold in AWS/Bedrock? One value for each call, or values and counts for each minute.

Rules (Bedrock User Guide, Runtime metrics): values are stamped with the minute in which the call ended and can be read one
to two minutes later; TimeToFirstToken exists for streamed successes only; a throttle is neither an invocation nor an error;
a metric of which nothing happened is absent, not 0; EstimatedTPMQuotaUsage is the settled use, without the reservation.

By the minute, values are put on a logarithmic grid (2 % wide by default): one value with its count for each cell, the mean
of the values in it. Sums, averages and counts are those of the requests; percentiles are within a cell.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from bedrock.models import OPTIMIZED_SUFFIX, OptimizedSeries
from bedrock.simulator.draws import stream
from bedrock.simulator.gate import Status
from bedrock.simulator.scenario import Effect
from cloudwatch.metric import Metric
from cloudwatch.series import Samples

if TYPE_CHECKING:
    from bedrock.simulator.attempts import Attempts
    from bedrock.simulator.scenario import Scenario
    from bedrock.simulator.service import CallPlan

__all__ = ["Detail", "InvocationsCount", "TelemetrySettings", "on_grid", "series_of"]

NAMESPACE = "AWS/Bedrock"


class Detail(StrEnum):
    """How fine the series are: a value for each call, or values and counts for each minute."""

    REQUESTS = "requests"
    MINUTES = "minutes"


class InvocationsCount(StrEnum):
    """The two documented meanings of Invocations: requests accepted for processing, or successful ones only."""

    ACCEPTED = "accepted"
    SUCCESSES = "successes"


@dataclass(frozen=True, slots=True, kw_only=True)
class TelemetrySettings:
    """What differs between accounts or is not documented.

    Attributes:
        invocations: What Invocations counts.
        cache_metrics: Names of the cache read and cache write metrics.
        optimized_series: Whether calls served optimized publish under `<id>+latency-optimized`: INCLUDE, there and not under
            the plain id; EXCLUDE, there too, as a repeat; None follows the model: INCLUDE where it adds them up, else no
            such series.
        account_series: Whether the series without dimensions exist, the account's total: here of the one model.
        tiers: Whether ServiceTier/ResolvedServiceTier series exist; they do where the model asks for the reserved tier.
        grid: Relative width of the grid of a minute's values.
        region: Region of the metrics, or None.
        account_id: Account of the metrics, or None.
    """

    invocations: InvocationsCount = InvocationsCount.ACCEPTED
    cache_metrics: tuple[str, str] = ("CacheReadInputTokenCount", "CacheWriteInputTokenCount")
    optimized_series: OptimizedSeries | None = None
    account_series: bool = True
    tiers: bool = True
    grid: float = 0.02
    region: str | None = None
    account_id: str | None = None


def series_of(
    scenario: Scenario, plan: CallPlan, attempts: Attempts, *, detail: Detail, settings: TelemetrySettings
) -> dict[Metric, Samples]:
    """Return every series of AWS/Bedrock that a simulation publishes."""
    builder = _Builder(scenario, detail=detail, settings=settings)
    model = scenario.model
    minute = (attempts.end_s / 60.0).astype(np.int64)
    inside = minute < scenario.minutes
    served = (attempts.status <= Status.OPTIMIZED) & inside
    groups = _groups(scenario, plan, attempts, settings)
    for model_id, mine in groups:
        here = () if model_id is None else (("ModelId", model_id),)
        of_status = {
            "InvocationClientErrors": attempts.status == Status.CLIENT_ERROR,
            "InvocationServerErrors": attempts.status == Status.SERVER_ERROR,
            "InvocationThrottles": attempts.status >= Status.THROTTLED_RPM,
        }
        for name, happened in of_status.items():
            builder.count(name, here, minute[_both(happened & inside, mine)])
        accepted = attempts.status < Status.THROTTLED_RPM
        counted = accepted & inside if settings.invocations is InvocationsCount.ACCEPTED else served
        builder.count("Invocations", here, minute[_both(counted, mine)])
        picked = np.flatnonzero(_both(served, mine))
        call, when, mode = attempts.call[picked], minute[picked], attempts.status[picked]
        latency = (attempts.end_s[picked] - attempts.start_s[picked]) * 1000
        builder.values("InvocationLatency", here, when, latency)
        ttft = np.where(mode == Status.OPTIMIZED, plan.ttft_s[1][call], plan.ttft_s[0][call]) * 1000
        streams = plan.streams[call]
        builder.values("TimeToFirstToken", here, when[streams], ttft[streams])
        builder.values("InputTokenCount", here, when, plan.uncached[call])
        builder.values("OutputTokenCount", here, when, plan.output[call])
        if model.prompt_caching:
            for name, tokens in zip(settings.cache_metrics, (plan.cache_read, plan.cache_write), strict=True):
                some = tokens[call] > 0
                builder.values(name, here, when[some], tokens[call][some])
        builder.values("EstimatedTPMQuotaUsage", here, when, plan.settled[call])
        if plan.overflow is not None and settings.tiers and model_id is not None:
            for resolved, tier in (("reserved", ~plan.overflow[call]), ("default", plan.overflow[call])):
                tiered = (*here, ("ServiceTier", "reserved"), ("ResolvedServiceTier", resolved))
                builder.values("EstimatedTPMQuotaUsage", tiered, when[tier], plan.settled[call][tier])
                builder.values("TimeToFirstToken", tiered, when[tier & streams], ttft[tier & streams])
    if settings.account_series and len(groups) == 1:
        for metric, samples in tuple(builder.series.items()):
            if len(metric.dimensions) == 1:
                builder.series[replace(metric, dimensions=())] = samples
    return builder.series


def on_grid(values: np.ndarray, *, width: float) -> np.ndarray:
    """Return the index of the grid cell of each value: int64, same shape. 0 holds everything up to 1."""
    cells: np.ndarray = np.rint(np.log(np.maximum(values, 1.0)) * (1 / np.log1p(width))).astype(np.int64)
    return cells


def _both(first: np.ndarray, second: np.ndarray | None) -> np.ndarray:
    return first if second is None else first & second


def _groups(
    scenario: Scenario, plan: CallPlan, attempts: Attempts, settings: TelemetrySettings
) -> list[tuple[str | None, np.ndarray | None]]:
    """ModelId values with the attempts that publish under them; None stands for the account, and for all attempts."""
    model = scenario.model
    own = model.optimized_series is OptimizedSeries.INCLUDE
    publishes = plan.profile.asks_optimized and (own or settings.optimized_series is not None)
    if settings.optimized_series is not None:
        own = settings.optimized_series is OptimizedSeries.INCLUDE
    if len(model.model_ids) == 1 and not publishes:
        return [(model.model_ids[0], None)]
    alias = plan.alias[attempts.call]
    groups: list[tuple[str | None, np.ndarray | None]] = [(None, None)] if settings.account_series else []
    optimized = attempts.status == Status.OPTIMIZED
    for index, model_id in enumerate(model.model_ids):
        mine = alias == index
        groups.append((model_id, mine & ~optimized if publishes and own else mine))
        if publishes:
            groups.append((model_id + OPTIMIZED_SUFFIX, mine & optimized))
    return groups


class _Builder:
    """Collects series in the asked detail."""

    def __init__(self, scenario: Scenario, *, detail: Detail, settings: TelemetrySettings) -> None:
        self.series: dict[Metric, Samples] = {}
        self._minutes = scenario.minutes
        self._detail = detail
        self._settings = settings
        start = scenario.start_s + 60 * np.arange(scenario.minutes, dtype=np.int64)
        late = stream(scenario.seed, "metric-delay").integers(30, 91, size=scenario.minutes)
        added = scenario.effect(Effect.METRIC_DELAY)
        if added is not None:
            late = late + added.astype(np.int64)
        self._start = start
        self._available = start + 60 + late

    def count(self, name: str, dimensions: tuple[tuple[str, str], ...], minute: np.ndarray) -> None:
        """Add a metric whose every value is 1."""
        if minute.size == 0:
            return
        per_minute = np.bincount(minute, minlength=self._minutes)
        at = np.flatnonzero(per_minute)
        number = per_minute[at].astype(np.float64)
        self._add(name, dimensions, minute=at, values=np.ones(at.shape[0]), counts=number)

    def values(
        self, name: str, dimensions: tuple[tuple[str, str], ...], minute: np.ndarray, values: np.ndarray
    ) -> None:
        """Add a metric with a value for each call."""
        if minute.size == 0:
            return
        if self._detail is Detail.REQUESTS:
            order = np.argsort(minute, kind="stable")
            exact = np.rint(values[order])
            self._add(name, dimensions, minute=minute[order], values=exact, counts=np.ones(order.shape[0]))
            return
        width = self._settings.grid
        values = np.rint(values)
        cell = on_grid(values, width=width)
        low = int(cell.min())
        cells = int(cell.max()) - low + 1
        key = minute * cells
        key += cell - low
        if self._minutes * cells <= 4 * key.shape[0] + 200_000:
            counts = np.bincount(key)
            found = np.flatnonzero(counts)
            number, total = counts[found], np.bincount(key, weights=values)[found]
        else:
            found, inverse, number = np.unique(key, return_inverse=True, return_counts=True)
            total = np.bincount(inverse, weights=values)
        at = found // cells
        self._add(name, dimensions, minute=at, values=total / number, counts=number.astype(np.float64))

    def _add(
        self,
        name: str,
        dimensions: tuple[tuple[str, str], ...],
        *,
        minute: np.ndarray,
        values: np.ndarray,
        counts: np.ndarray,
    ) -> None:
        metric = Metric(
            namespace=NAMESPACE,
            name=name,
            dimensions=dimensions,
            region=self._settings.region,
            account_id=self._settings.account_id,
        )
        self.series[metric] = Samples.of_values(
            self._start[minute], values, counts=counts, available_at=self._available[minute]
        )
