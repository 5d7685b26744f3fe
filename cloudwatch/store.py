"""What is known of every metric?

A store maps metrics to what was sent about them and answers queries over any slots, at any clock. A metric that is not in the
store has no points, as in CloudWatch. SEARCH runs over the metrics that had a point in the two weeks before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from cloudwatch.math.ast import Call, Number, Text, walk
from cloudwatch.math.printer import print_math
from cloudwatch.math.values import LabelledSeries
from cloudwatch.metric import Metric, MetricQuery
from cloudwatch.problems import InvalidValueError
from cloudwatch.retention import SEARCH_WINDOW_S
from cloudwatch.search import parse_search
from cloudwatch.series import GivenStatistic, Samples, merge_samples
from cloudwatch.stat import Plain, Stat, parse_stat, print_stat
from cloudwatch.statistics import aggregate
from cloudwatch.switches import DEFAULT_SWITCHES, Switches

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from cloudwatch.math.program import Grid, Program
    from cloudwatch.series import SampleSource

__all__ = ["MetricStore"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricStore:
    """Metrics and their samples; built by `of`.

    Attributes:
        sources: For each metric its samples, or several given statistics.
    """

    sources: Mapping[Metric, tuple[SampleSource, ...]]

    @classmethod
    def of(cls, pairs: Iterable[tuple[Metric, SampleSource]]) -> MetricStore:
        """Return a store; samples of one metric are merged.

        Raises:
            InvalidValueError: A metric has samples and given statistics, or one statistic of one period twice.
        """
        found: dict[Metric, list[SampleSource]] = {}
        for metric, source in pairs:
            found.setdefault(metric, []).append(source)
        return cls(sources={metric: _joined(metric, sources) for metric, sources in found.items()})

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """All metrics, in the order in which they came."""
        return tuple(self.sources)

    def column(
        self,
        query: MetricQuery,
        *,
        starts: ArrayLike,
        as_of: ArrayLike | None = None,
        switches: Switches = DEFAULT_SWITCHES,
    ) -> NDArray[np.float64]:
        """Return a query's statistic for each slot; shapes and errors as `aggregate`."""
        return self._statistic(
            query.metric,
            stat=parse_stat(query.stat),
            period_s=query.period_s,
            starts=starts,
            as_of=as_of,
            switches=switches,
        )

    def columns(
        self,
        program: Program,
        *,
        starts: ArrayLike,
        as_of: ArrayLike | None = None,
        switches: Switches = DEFAULT_SWITCHES,
    ) -> dict[str, NDArray[np.float64]]:
        """Return what `Program.evaluate` takes as columns: every metric that the result reads."""
        queries = (program.queries[id_] for id_ in program.metric_ids)
        return {
            query.id: self.column(query, starts=starts, as_of=as_of, switches=switches)
            for query in queries
            if isinstance(query, MetricQuery)
        }

    def sample_counts(
        self, query: MetricQuery, *, starts: ArrayLike, as_of: ArrayLike | None = None
    ) -> NDArray[np.float64] | None:
        """Return the number of samples in each slot, 0 where there are none; None where nobody knows it."""
        try:
            counts = self._statistic(
                query.metric,
                stat=Plain.SAMPLE_COUNT,
                period_s=query.period_s,
                starts=starts,
                as_of=as_of,
                switches=DEFAULT_SWITCHES,
            )
        except InvalidValueError:
            return None
        return np.nan_to_num(counts, nan=0.0)

    def search(self, text: str, *, start_s: int, end_s: int) -> tuple[Metric, ...]:
        """Return the metrics a search finds that had a point from two weeks before `start_s` up to `end_s`.

        Raises:
            TextSyntaxError: The search cannot be read.
        """
        found = parse_search(text).among(self.sources)
        return tuple(metric for metric in found if self._active(metric, start_s - SEARCH_WINDOW_S, end_s))

    def searches(
        self,
        program: Program,
        *,
        grid: Grid,
        as_of: ArrayLike | None = None,
        switches: Switches = DEFAULT_SWITCHES,
    ) -> dict[str, Sequence[LabelledSeries]]:
        """Return what `Program.evaluate` takes as supplied, for every SEARCH in the program.

        A series is labelled with the metric's name and the values of its dimensions.
        """
        answers: dict[str, Sequence[LabelledSeries]] = {}
        start_s, end_s = int(grid.timestamps.min()), int(grid.timestamps.max()) + grid.period_s
        for call in (node for tree in program.trees.values() for node in walk(tree)):
            match call:
                case Call(function="SEARCH", arguments=(Text(value=text), Text(value=stat), *rest)):
                    period = next((int(each.value) for each in rest if isinstance(each, Number)), grid.period_s)
                    answers[print_math(call)] = [
                        LabelledSeries(
                            label=" ".join([metric.name, *(value for _, value in metric.dimensions)]),
                            values=self._statistic(
                                metric,
                                stat=parse_stat(stat),
                                period_s=period,
                                starts=grid.timestamps,
                                as_of=as_of,
                                switches=switches,
                            ),
                        )
                        for metric in self.search(text, start_s=start_s, end_s=end_s)
                    ]
                case _:
                    pass
        return answers

    def _active(self, metric: Metric, start_s: int, end_s: int) -> bool:
        return any(
            np.searchsorted(source.timestamps, start_s) < np.searchsorted(source.timestamps, end_s)
            for source in self.sources[metric]
        )

    def _statistic(
        self,
        metric: Metric,
        *,
        stat: Stat,
        period_s: int,
        starts: ArrayLike,
        as_of: ArrayLike | None,
        switches: Switches,
    ) -> NDArray[np.float64]:
        def answer(source: SampleSource, wanted: Stat) -> NDArray[np.float64]:
            return aggregate(source, stat=wanted, period_s=period_s, starts=starts, as_of=as_of, switches=switches)

        sources = self.sources.get(metric) or self.sources.get(replace(metric, region=None, account_id=None)) or ()
        if not sources:
            return answer(Samples.of_values([], []), stat)
        given: dict[Stat, GivenStatistic] = {}
        for (
            source
        ) in sources:  # of a statistic given over several periods, the one that is asked for, else the shortest
            if isinstance(source, GivenStatistic):
                best = given.setdefault(source.stat, source)
                if best.period_s != period_s and (source.period_s == period_s or source.period_s < best.period_s):
                    given[source.stat] = source
        if not given:
            return answer(sources[0], stat)
        if stat not in given and stat is Plain.AVERAGE and {Plain.SUM, Plain.SAMPLE_COUNT} <= given.keys():
            counts = answer(given[Plain.SAMPLE_COUNT], Plain.SAMPLE_COUNT)
            return answer(given[Plain.SUM], Plain.SUM) / np.where(counts > 0, counts, np.nan)
        if stat not in given:
            known = ", ".join(f"{print_stat(each)} over {source.period_s} s" for each, source in given.items())
            raise InvalidValueError(
                f"{metric.namespace} {metric.name}: {print_stat(stat)} cannot be derived from {known}"
            )
        return answer(given[stat], stat)


def _joined(metric: Metric, sources: Sequence[SampleSource]) -> tuple[SampleSource, ...]:
    samples = [source for source in sources if isinstance(source, Samples)]
    given = [source for source in sources if isinstance(source, GivenStatistic)]
    if samples and given:
        raise InvalidValueError(f"{metric.namespace} {metric.name}: samples and given statistics exclude each other")
    stats = [(source.stat, source.period_s) for source in given]
    if len(set(stats)) != len(stats):
        raise InvalidValueError(f"{metric.namespace} {metric.name}: one statistic is given twice for one period")
    return (merge_samples(samples),) if samples else tuple(given)
