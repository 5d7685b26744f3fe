"""How do answers become a recording? What was recorded before and what was answered now, as one dataset.

A metric of which only the statistic set is known becomes samples: SampleCount, Sum, Minimum and Maximum of each minute. A metric
of which percentiles are known too becomes points of each statistic, for a metric has samples or points, never both
(docs/recording.md). AWS does not say when a point could be seen; it is taken to be at the end of its period.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from cloudwatch.series import GivenStatistic, Samples
from cloudwatch.stat import parse_stat, print_stat
from monitoring.dataset import Dataset, LoggedEvent
from monitoring.recording.needs import MINUTE_S, SET_STATS, Series, series_of
from monitoring.recording.parts import Answered, joined
from monitoring.recording.sources import ALARM_DEFINITIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from cloudwatch.metric import Metric
    from cloudwatch.series import SampleSource
    from monitoring.recording.needs import Interval
    from monitoring.recording.parts import Points

__all__ = ["event_id", "merged", "recorded_before"]


def recorded_before(dataset: Dataset) -> Answered:
    """Return a recording as answers, so that it can be continued."""
    answered = Answered()
    answered.cover(dataset.about.get("covered", {}))
    for metric, source in dataset.series:
        for series, points in _points_of(metric, source):
            answered.points.setdefault(series.key, []).append(points)
    for log in dataset.logs:
        for event in log:
            answered.events[event_id(event)] = event
    return answered


def merged(answered: Answered, *, about: Mapping[str, Any]) -> Dataset:
    """Return the recording of everything that was answered.

    Args:
        answered: What was recorded before and what came now.
        about: Further entries of the manifest.
    """
    by_metric: dict[Metric, dict[Series, Points]] = {}
    for key, parts in answered.points.items():
        series = series_of(key)
        by_metric.setdefault(series.metric, {})[series] = joined(parts)
    series_of_metric = [
        (metric, source) for metric, known in sorted(by_metric.items(), key=_order) for source in _sources(known)
    ]
    covered = {key: _united(intervals) for key, intervals in sorted(answered.covered.items())}
    every = [interval for key, intervals in covered.items() if key.startswith("[") for interval in intervals]
    start = min((start for start, _ in every), default=0)
    return Dataset(
        start_s=start,
        end_s=max((end for _, end in every), default=start),
        series=tuple(series_of_metric),
        about={"source": "aws", **about, "covered": covered},
    )


def event_id(event: LoggedEvent) -> str:
    """Return a text that is the same for the same event of a log group; a definition is the same until it changes."""
    when = None if event.log_group == ALARM_DEFINITIONS else event.event_s
    text = json.dumps([event.log_group, when, event.event], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _order(item: tuple[Metric, object]) -> tuple[str, ...]:
    metric = item[0]
    return (metric.account_id or "", metric.region or "", metric.namespace, metric.name, str(metric.dimensions))


def _points_of(metric: Metric, source: SampleSource) -> Iterator[tuple[Series, Points]]:
    if isinstance(source, GivenStatistic):
        series = Series(metric=metric, stat=print_stat(source.stat), period_s=source.period_s)
        yield series, (source.timestamps, source.values)
        return
    columns = (source.counts, source.sums, source.minima, source.maxima)
    for stat, values in zip(SET_STATS, columns, strict=True):
        yield Series(metric=metric, stat=stat, period_s=MINUTE_S), (source.timestamps, values)


def _sources(known: Mapping[Series, Points]) -> Iterator[SampleSource]:
    sets = {series.stat: points for series, points in known.items() if series.is_set}
    if len(sets) == len(SET_STATS) == len(known):
        samples = _samples(sets)
        if len(samples):
            yield samples
        return
    for series, (times, values) in sorted(known.items(), key=lambda item: (item[0].stat, item[0].period_s)):
        there = np.diff(times, prepend=-(1 << 40)) >= series.period_s  # points of a coarser time are not of this period
        if len(times):
            yield GivenStatistic.of_points(
                times[there],
                values[there],
                stat=parse_stat(series.stat),
                period_s=series.period_s,
                available_at=times[there] + series.period_s,
            )


def _samples(sets: Mapping[str, Points]) -> Samples:
    times = sets[SET_STATS[0]][0]
    for stat in SET_STATS[1:]:
        times = np.intersect1d(times, sets[stat][0], assume_unique=True)
    columns = [values[np.searchsorted(at, times)] for at, values in (sets[stat] for stat in SET_STATS)]
    real = columns[0] > 0
    times, (counts, sums, minima, maxima) = times[real], (column[real] for column in columns)
    return Samples.of_sets(times, counts=counts, sums=sums, minima=minima, maxima=maxima, available_at=times + MINUTE_S)


def _united(intervals: Iterable[Interval]) -> list[list[int]]:
    found: list[list[int]] = []
    for start, end in sorted(intervals):
        if found and start <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([start, end])
    return found
