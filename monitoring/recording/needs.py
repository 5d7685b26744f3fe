"""Which series does a configuration need, and at which resolution does CloudWatch still have them?

Every metric that an alarm reads is kept as a statistic set of each minute (SampleCount, Sum, Minimum, Maximum), from which any
period of 60 s or more can be rebuilt. Percentiles cannot be rebuilt, so they are kept at the periods the alarms use, and by the
hour for reviews. Points of 60 s are there for 15 days, of 300 s for 63 days, of 3600 s for 455 days (API, GetMetricData):
statistic sets of older times are coarser rows; a percentile is asked only as far back as its own period is kept.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bedrock.metrics import NAMESPACE, BedrockMetric
from cloudwatch.alarm import MetricAlarm
from cloudwatch.metric import Metric
from cloudwatch.retention import DAY_S, retention_s
from cloudwatch.stat import Plain, parse_stat

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from monitoring.plan import Plan

__all__ = ["MINUTE_S", "SET_STATS", "Interval", "Series", "missing", "needed_series", "series_of", "spans"]

Interval = tuple[int, int]
"""From, included, to, excluded; epoch seconds."""

MINUTE_S = 60
SET_STATS = ("SampleCount", "Sum", "Minimum", "Maximum")
_REVIEWED = (BedrockMetric.LATENCY, BedrockMetric.TTFT)
_REVIEW_STATS = ("p50", "p90", "p99")
_HOUR_S = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One statistic of one metric, with account and Region.

    Attributes:
        metric: What.
        stat: For example `Sum`, `p90`.
        period_s: Seconds of a point; a statistic of `SET_STATS` has 60.
    """

    metric: Metric
    stat: str
    period_s: int

    @property
    def is_set(self) -> bool:
        """Whether it is part of a statistic set."""
        return self.stat in SET_STATS

    @property
    def key(self) -> str:
        """A text that is this series and no other; `series_of` reads it."""
        metric = self.metric
        parts = [
            metric.account_id,
            metric.region,
            metric.namespace,
            metric.name,
            dict(metric.dimensions),
            self.stat,
            self.period_s,
        ]
        return json.dumps(parts, separators=(",", ":"))


def series_of(key: str) -> Series:
    """Return the series that a key names."""
    account_id, region, namespace, name, dimensions, stat, period_s = json.loads(key)
    metric = Metric(
        namespace=namespace, name=name, dimensions=tuple(dimensions.items()), region=region, account_id=account_id
    )
    return Series(metric=metric, stat=stat, period_s=period_s)


def needed_series(plan: Plan) -> tuple[Series, ...]:
    """Return what the alarms and reviews of an account and Region read, each once."""
    site = plan.deployment.site
    found: dict[Series, None] = {}

    def keep(metric: Metric, stat: str, period_s: int) -> None:
        placed = replace(metric, region=metric.region or site.region, account_id=metric.account_id or site.account_id)
        for each in SET_STATS:
            found.setdefault(Series(metric=placed, stat=each, period_s=MINUTE_S))
        if not isinstance(parse_stat(stat), Plain):
            found.setdefault(Series(metric=placed, stat=stat, period_s=period_s))

    alarms = (entry.alarm for group in (plan.alarms, *(model.alarms for model in plan.models)) for entry in group)
    for alarm in alarms:
        for query in alarm.metrics if isinstance(alarm, MetricAlarm) else ():
            keep(query.metric, query.stat, query.period_s)
    for model in plan.models:
        for model_id in model.model.series_ids:
            for name in _reviewed(model.model.streams):
                metric = Metric(namespace=NAMESPACE, name=str(name), dimensions=(("ModelId", model_id),))
                for stat in _REVIEW_STATS:
                    keep(metric, stat, _HOUR_S)
    return tuple(found)


def _reviewed(streams: bool) -> Sequence[BedrockMetric]:  # noqa: FBT001 - one question
    return _REVIEWED if streams else _REVIEWED[:1]


def spans(series: Series, interval: Interval, *, now_s: int) -> Iterator[tuple[Interval, int]]:
    """Yield the parts of an interval that CloudWatch still has, a day at most, each with the period to ask for.

    Args:
        series: What is asked for.
        interval: From and to.
        now_s: Present time.
    """
    start, end = interval
    at = start
    while at < end:
        period = _kept_period(series, age_s=now_s - at)
        until = min(end, at - at % DAY_S + DAY_S)
        if period is None:
            at = until
            continue
        if series.is_set and period > MINUTE_S:  # where points become finer within this day
            finer = next((edge for edge in _edges(now_s) if at < edge < until), until)
            until = min(until, finer)
        aligned = (at - at % period, until - until % period if until == end else until)
        if aligned[0] < aligned[1]:
            yield aligned, period
        at = until


def _kept_period(series: Series, *, age_s: int) -> int | None:
    if series.is_set:
        return next((period for period in (60, 300, 3600) if age_s < retention_s(period)), None)
    return series.period_s if age_s < retention_s(series.period_s) else None


def _edges(now_s: int) -> tuple[int, ...]:
    """Return from when on points are finer, as whole hours."""
    return tuple(sorted(-(-(now_s - retention_s(period) + 1) // _HOUR_S) * _HOUR_S for period in (60, 300)))


def missing(wanted: Interval, covered: Iterable[Interval]) -> tuple[Interval, ...]:
    """Return the parts of an interval that are in none of the others, in order."""
    gaps = []
    at, end = wanted
    for start, until in sorted(covered):
        if start > at:
            gaps.append((at, min(start, end)))
        at = max(at, until)
        if at >= end:
            break
    if at < end:
        gaps.append((at, end))
    return tuple(gap for gap in gaps if gap[0] < gap[1])
