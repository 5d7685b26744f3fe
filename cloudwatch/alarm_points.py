"""What does a metric alarm compare, slot by slot? Its queries read from a store, for any slots at any time.

An `AlarmReader` is an alarm made ready: queries compiled, evaluation range, treatment and sample rule settled by the switches.
It answers for slots of any arrangement; a value is what an evaluation at `as_of` could see of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from cloudwatch.alarm import LowSampleCount, MetricAlarm, MissingData
from cloudwatch.alarm_states import SampleRule, needed_samples
from cloudwatch.evaluation_window import check_warm_up, evaluation_range, zone_for
from cloudwatch.math.program import Program, compile_queries
from cloudwatch.math.values import Grid, LabelledSeries
from cloudwatch.metric import Metric, MetricQuery, Query
from cloudwatch.problems import InvalidValueError
from cloudwatch.regular_slots import regular_statistic
from cloudwatch.stat import Plain, parse_stat
from cloudwatch.state_series import breach_codes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import tzinfo

    from numpy.typing import NDArray

    from cloudwatch.math.values import Supply
    from cloudwatch.series import GivenStatistic, SampleSource
    from cloudwatch.store import MetricStore
    from cloudwatch.switches import Switches

__all__ = ["AlarmReader", "Points", "reader_for", "sources_of"]

_ANY_METRIC = Metric(namespace="any", name="any")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Points:
    """What is compared, all arrays in the shape of the slots asked for.

    Attributes:
        values: The alarm's result; NaN is missing.
        codes: HEALTHY, BREACH or MISSING of `state_series`.
        lower: Lower edge of the band, or None.
        upper: Upper edge.
        samples: Samples behind each percentile, or None where the alarm does not ask.
    """

    values: NDArray[np.float64]
    codes: NDArray[np.uint8]
    lower: NDArray[np.float64] | None = None
    upper: NDArray[np.float64] | None = None
    samples: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AlarmReader:
    """A metric alarm ready to be evaluated.

    Attributes:
        alarm: The alarm.
        slots: R, its evaluation range.
        treat: What TreatMissingData means for it.
        program: Its compiled queries.
        band: The compiled band, or None.
        sample_rule: Too few samples keep its state, or None.
        zone: Zone of its wall-clock window, or None for the sliding one.
        switches: The open choices.
        supplied: Series that only AWS could compute, by printed expression or query id.
    """

    alarm: MetricAlarm
    slots: int
    treat: MissingData
    program: Program
    band: Program | None
    sample_rule: SampleRule | None
    zone: tzinfo | None
    switches: Switches
    supplied: Mapping[str, tuple[GivenStatistic, ...]]

    @property
    def elementwise(self) -> bool:
        """Whether a slot's value depends on that slot alone, so that overlapping windows share it."""
        return self.program.elementwise and (self.band is None or self.band.elementwise)

    @property
    def metrics(self) -> tuple[MetricQuery, ...]:
        """The queries that read a metric which the result or the band needs."""
        ids = dict.fromkeys((*self.program.metric_ids, *(self.band.metric_ids if self.band else ())))
        return tuple(query for query in self.alarm.metrics if query.id in ids)

    def points(
        self,
        store: MetricStore,
        *,
        starts: NDArray[np.int64],
        lengths: NDArray[np.int64] | None = None,
        as_of: NDArray[np.int64] | None = None,
        columns: Mapping[str, NDArray[np.float64]] | None = None,
    ) -> Points:
        """Return what is compared in slots.

        Args:
            store: The samples.
            starts: Seconds, [slots], or [rows, slots] for windows.
            lengths: Seconds of each slot where they differ from the period (a local day may have 23 hours).
            as_of: Seconds, broadcast against `starts`; None sees everything.
            columns: What `columns` gave for these slots, or None to read it.

        Raises:
            InvalidValueError: The expression gives several series, or a statistic cannot be derived.
        """
        alarm = self.alarm
        grid = Grid(timestamps=starts, period_s=alarm.period_s)
        if columns is None:
            columns = self.columns(store, starts=starts, lengths=lengths, as_of=as_of)
        supplied = self._supplies(starts)
        try:
            if isinstance(alarm.returned, MetricQuery):
                values = columns[alarm.returned.id]
            else:
                result = self.program.evaluate(columns, grid=grid, switches=self.switches, supplied=supplied)
                values = result.single.reshape(starts.shape)
            lower = upper = None
            if self.band is not None:
                band = self.band.evaluate(columns, grid=grid, switches=self.switches, supplied=supplied).series
                if len(band) != 2:
                    raise InvalidValueError(f"the band gives {len(band)} series, lower and upper are wanted")  # noqa: TRY301
                lower, upper = (edge.values.reshape(starts.shape) for edge in band)
        except InvalidValueError as error:
            raise InvalidValueError(f"{alarm.name}: {error}") from error
        samples = None
        if self.sample_rule is not None and isinstance(alarm.returned, MetricQuery):
            samples = store.sample_counts(alarm.returned, starts=starts, as_of=as_of)
        codes = breach_codes(
            values, comparison=alarm.comparison, threshold=alarm.threshold or 0.0, lower=lower, upper=upper
        )
        return Points(values=values, codes=codes, lower=lower, upper=upper, samples=samples)

    def columns(
        self,
        store: MetricStore,
        *,
        starts: NDArray[np.int64],
        lengths: NDArray[np.int64] | None = None,
        as_of: NDArray[np.int64] | None = None,
    ) -> dict[str, NDArray[np.float64]]:
        """Return every metric that the result or the band needs, by id; arguments as `points`."""
        return {
            query.id: self._column(query, store=store, starts=starts, lengths=lengths, as_of=as_of)
            for query in self.metrics
        }

    def steps(
        self,
        store: MetricStore,
        *,
        starts: NDArray[np.int64],
        lengths: NDArray[np.int64] | None = None,
        as_of: NDArray[np.int64] | None = None,
    ) -> dict[str, NDArray[np.float64]]:
        """Return what every query that the result needs gives, by id, in the shape of `starts`: to show, not to judge.

        Queries that give a scalar, or several series, are left out.
        """
        columns = self.columns(store, starts=starts, lengths=lengths, as_of=as_of)
        grid = Grid(timestamps=starts, period_s=self.alarm.period_s)
        supplied = self._supplies(starts)
        found = dict(columns)
        for id_ in self.program.needs:
            if id_ not in columns:
                try:
                    result = self.program.evaluate(
                        columns, grid=grid, switches=self.switches, supplied=supplied, result_id=id_
                    )
                    found[id_] = result.single.reshape(starts.shape)
                except InvalidValueError:
                    continue
        return found

    def _supplies(self, starts: NDArray[np.int64]) -> dict[str, Supply]:
        period_s = self.alarm.period_s
        return {key: _supply(sources, starts=starts, period_s=period_s) for key, sources in self.supplied.items()}

    def _column(
        self,
        query: MetricQuery,
        *,
        store: MetricStore,
        starts: NDArray[np.int64],
        lengths: NDArray[np.int64] | None,
        as_of: NDArray[np.int64] | None,
    ) -> NDArray[np.float64]:
        if lengths is None:
            quick = self._regular(query, store=store, starts=starts, as_of=as_of)
            if quick is not None:
                return quick
            return store.column(query, starts=starts, as_of=as_of, switches=self.switches)
        found = np.full(starts.shape, np.nan)
        seen = None if as_of is None else np.broadcast_to(as_of, starts.shape)
        for length in np.unique(lengths):
            where = lengths == length
            found[where] = store.column(
                replace(query, period_s=int(length)),
                starts=starts[where],
                as_of=None if seen is None else seen[where],
                switches=self.switches,
            )
        return found

    def _regular(
        self,
        query: MetricQuery,
        *,
        store: MetricStore,
        starts: NDArray[np.int64],
        as_of: NDArray[np.int64] | None,
    ) -> NDArray[np.float64] | None:
        """Return the column of slots at a fixed distance where the quick way applies, else None."""
        if starts.ndim != 1 or len(starts) < 2:
            return None
        sources, stat = sources_of(store, query.metric), parse_stat(query.stat)
        if len(sources) != 1 or not isinstance(stat, Plain):
            return None
        first, step = int(starts[0]), int(starts[1] - starts[0])
        if int(starts[-1]) != first + step * (len(starts) - 1):
            return None
        seen_after = None
        if as_of is not None:
            seen_after = int(as_of[0]) - first
            if as_of.shape != starts.shape or not np.array_equal(as_of, starts + seen_after):
                return None
        return regular_statistic(
            sources[0],
            stat=stat,
            period_s=query.period_s,
            first_s=first,
            step_s=step,
            count=len(starts),
            seen_after_s=seen_after,
        )


def sources_of(store: MetricStore, metric: Metric) -> tuple[SampleSource, ...]:
    """Return what a store knows of a metric, under its own Region and account or under none."""
    own = store.sources.get(metric)
    return own or store.sources.get(replace(metric, region=None, account_id=None), ())


def reader_for(
    alarm: MetricAlarm, *, switches: Switches, supplied: Mapping[str, tuple[GivenStatistic, ...]] | None = None
) -> AlarmReader:
    """Return an alarm made ready.

    Raises:
        InvalidValueError: An expression is wrong; the message names the alarm.
    """
    try:
        program = _program(alarm, result_id=alarm.returned.id)
        band = None if alarm.threshold_metric_id is None else _program(alarm, result_id=alarm.threshold_metric_id)
        zone = None if alarm.wall_clock_timezone is None else zone_for(alarm.wall_clock_timezone)
        if alarm.warm_up_min is not None:
            check_warm_up(alarm.warm_up_min)
    except InvalidValueError as error:
        raise InvalidValueError(f"{alarm.name}: {error}") from error
    needed = needed_samples(alarm.returned.stat) if isinstance(alarm.returned, MetricQuery) else None
    ignores = alarm.low_sample_count is LowSampleCount.IGNORE and needed is not None
    dynamo = any(query.metric.namespace == "AWS/DynamoDB" for query in alarm.metrics)
    forced = dynamo and switches.dynamodb_missing == "ignore"
    return AlarmReader(
        alarm=alarm,
        slots=evaluation_range(
            alarm.evaluation_periods, extra=switches.evaluation_range_extra, wall_clock=zone is not None
        ),
        treat=MissingData.IGNORE if forced else alarm.treat_missing_data,
        program=program,
        band=band,
        sample_rule=SampleRule(needed=needed, window=switches.low_sample_window) if ignores and needed else None,
        zone=zone,
        switches=switches,
        supplied=supplied or {},
    )


def _program(alarm: MetricAlarm, *, result_id: str) -> Program:
    """Return the compiled queries; alarms that differ only in the metrics they read share the work."""
    without = tuple(
        replace(query, metric=_ANY_METRIC) if isinstance(query, MetricQuery) else query for query in alarm.queries
    )
    return replace(_compiled(without, result_id), queries={query.id: query for query in alarm.queries})


@lru_cache(maxsize=1024)
def _compiled(queries: tuple[Query, ...], result_id: str) -> Program:
    return compile_queries(queries, result_id=result_id)


def _supply(sources: tuple[GivenStatistic, ...], *, starts: NDArray[np.int64], period_s: int) -> Supply:
    """Return a supplied series on the slots: in each the first point given within it."""
    found = []
    for source in sources:
        index = np.searchsorted(source.timestamps, starts)
        safe = np.minimum(index, len(source.timestamps) - 1)
        there = (index < len(source.timestamps)) & (source.timestamps[safe] < starts + period_s)
        found.append(np.where(there, source.values[safe], np.nan))
    if len(found) == 1:
        return found[0]
    return [LabelledSeries(label=str(place), values=values) for place, values in enumerate(found)]
