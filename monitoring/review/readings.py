"""What does a store say about one model over any stretch of time?

Counts, tokens and times add up over the ModelId values of a model. A percentile is taken of all calls where their values are known;
where only points of percentiles are known, it is the median of those points and says so: percentiles are never averaged, and those
of several ModelId values never combined (docs/adr/0024).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bedrock.evidence import ServedAs
from bedrock.metrics import BedrockMetric, invocation_metric
from cloudwatch.metric import Metric, MetricQuery
from cloudwatch.problems import InvalidValueError
from cloudwatch.series import GivenStatistic, Samples, merge_samples
from cloudwatch.stat import parse_stat
from cloudwatch.statistics import aggregate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from bedrock.evidence_plan import EvidencePlan
    from bedrock.models import MonitoredModel
    from cloudwatch.store import MetricStore

__all__ = ["Quantile", "Readings", "Slots"]

ALL_CALLS = "of all calls"


class Slots(NamedTuple):
    """Periods: their first seconds, int64 of one dimension, and their length in seconds."""

    starts: NDArray[np.int64]
    period_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantile:
    """A percentile, and what it is a percentile of.

    Attributes:
        value: In the unit of the metric.
        of: `of all calls`, or `median of hourly p90s`.
    """

    value: float
    of: str = ALL_CALLS

    @property
    def exact(self) -> bool:
        """Whether it is of all calls."""
        return self.of == ALL_CALLS


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """The series of one model in a store.

    Attributes:
        store: What is known.
        model: The model.
        evidence: Series of how calls were served.
        cache_metrics: Names of the cache read and cache write metrics.
        minutes: Whether single minutes are known; else the shortest period is an hour.
    """

    store: MetricStore
    model: MonitoredModel
    evidence: EvidencePlan
    cache_metrics: tuple[str, str]
    minutes: bool = True

    def sums(self, name: str, *, slots: Slots, stat: str = "Sum") -> NDArray[np.float64]:
        """Return the sum over the ModelId values for each slot, 0 where nothing was published."""
        return self._added(self._metrics(name), slots=slots, stat=stat)

    def each(self, name: str, *, slots: Slots, stat: str = "Sum") -> list[NDArray[np.float64]]:
        """Return the same for each ModelId value, in the order of the model."""
        found = (self._column(metric, slots=slots, stat=stat) for metric in self._metrics(name))
        return [np.nan_to_num(column, nan=0.0) for column in found]

    def served(self, served_as: ServedAs, *, slots: Slots) -> NDArray[np.float64]:
        """Return the calls that evidence shows as served so."""
        return self._added(self.evidence.served(self.model, served_as), slots=slots, stat="Sum")

    def has(self, name: str) -> bool:
        """Whether anything is known of a metric of the model."""
        return any(self._sources(metric) for metric in self._metrics(name))

    def has_evidence(self) -> bool:
        """Whether anything is known of how calls were served."""
        series = (
            metric
            for mode in (ServedAs.OPTIMIZED, ServedAs.STANDARD, ServedAs.UNKNOWN)
            for metric in self.evidence.served(self.model, mode)
        )
        return any(self._sources(metric) for metric in series)

    def quantile(self, name: str, *, percent: int, start_s: int, end_s: int) -> Quantile | None:
        """Return a percentile over a stretch of time; None without calls, or where it cannot be known."""
        stat = f"p{percent}"
        sources = [source for metric in self._metrics(name) for source in self._sources(metric)]
        samples = [source for source in sources if isinstance(source, Samples)]
        if samples:
            span = np.array([start_s])
            found = aggregate(merge_samples(samples), stat=parse_stat(stat), period_s=end_s - start_s, starts=span)
            return None if np.isnan(found[0]) else Quantile(value=float(found[0]))
        wanted = parse_stat(stat)
        medians: list[tuple[float, int]] = []
        for metric in self._metrics(name):
            given = [each for each in self._sources(metric) if isinstance(each, GivenStatistic) and each.stat == wanted]
            longest = max(given, key=lambda each: each.period_s, default=None)  # the nearest to one of all calls
            values = None if longest is None else _within(longest, start_s, end_s)
            if longest is not None and values is not None and len(values):
                medians.append((float(np.median(values)), longest.period_s))
        if not medians:
            return None
        value, period_s = max(medians)
        period = {60: "one-minute", 300: "five-minute", 3600: "hourly", 86_400: "daily"}.get(period_s, f"{period_s} s")
        worst = ", worst ModelId" if len(medians) > 1 else ""
        return Quantile(value=value, of=f"median of {period} {stat}s{worst}")

    def decode(self, *, slots: Slots) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return output tokens and decode time (ms) of ModelId values that stream, for each slot.

        Tokens over time is the decode rate as its alarm measures it; a call that does not stream is given the mean time to first
        token of the ones that do.
        """
        tokens = self.each(BedrockMetric.OUTPUT_TOKENS, slots=slots)
        latency = self.each(BedrockMetric.LATENCY, slots=slots)
        calls = self.each(BedrockMetric.LATENCY, slots=slots, stat="SampleCount")
        first = self.each(BedrockMetric.TTFT, slots=slots)
        streamed = self.each(BedrockMetric.TTFT, slots=slots, stat="SampleCount")
        got, spent = np.zeros(slots.starts.shape), np.zeros(slots.starts.shape)
        for tok, lat, number, ttft, streams in zip(tokens, latency, calls, first, streamed, strict=True):
            mean = np.divide(ttft, streams, out=np.zeros_like(ttft), where=streams > 0)
            time = lat - mean * number
            judged = (streams > 0) & (time > 0)
            got += np.where(judged, tok, 0.0)
            spent += np.where(judged, time, 0.0)
        return got, spent

    def _metrics(self, name: str) -> tuple[Metric, ...]:
        return tuple(invocation_metric(model_id, name) for model_id in self.model.series_ids)

    def _sources(self, metric: Metric) -> Sequence[Samples | GivenStatistic]:
        return self.store.sources.get(metric, ())

    def _added(self, metrics: Iterable[Metric], *, slots: Slots, stat: str) -> NDArray[np.float64]:
        total = np.zeros(slots.starts.shape)
        for metric in metrics:
            total += np.nan_to_num(self._column(metric, slots=slots, stat=stat), nan=0.0)
        return total

    def _column(self, metric: Metric, *, slots: Slots, stat: str) -> NDArray[np.float64]:
        query = MetricQuery(id="m", metric=metric, stat=stat, period_s=slots.period_s)
        try:
            return self.store.column(query, starts=slots.starts)
        except InvalidValueError:  # this statistic was not recorded: nothing is known, as where nothing was published
            return np.full(slots.starts.shape, np.nan)


def _within(given: GivenStatistic, start_s: int, end_s: int) -> NDArray[np.float64]:
    return given.values[(given.timestamps >= start_s) & (given.timestamps < end_s)]
