"""What does a metric widget draw? Its rows through the engine: statistics, metric math, SEARCH, each at its own period.

Every row that cannot be computed gives a sentence that says why and the other rows are still drawn. Slots lie on multiples of their
period since 1970, as GetMetricData places them for a range that starts on one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from bedrock.metrics import catalogue_metric
from cloudwatch.dashboard.queries import DEFAULT_PERIOD_S, widget_queries
from cloudwatch.math.ast import Call, Number, Text, walk
from cloudwatch.math.program import Grid, compile_queries, queries_problems
from cloudwatch.metric import ExpressionQuery, MetricQuery
from cloudwatch.problems import InvalidValueError, TextSyntaxError
from cloudwatch.stat import Plain, parse_stat
from dashboards.preview.labels import default_labels, label_parts, names_series

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from cloudwatch.dashboard.values import MetricWidget, Row
    from cloudwatch.math.program import Program
    from cloudwatch.metric import Metric, Query
    from dashboards.preview.labels import LabelPart
    from dashboards.preview.source import PreviewData
    from dashboards.preview.timespan import Span

__all__ = ["DrawnSeries", "Evaluator", "WidgetSeries"]

MAX_SERIES = 500
"""Series of one widget that are drawn; GetMetricData and graphs take as many."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnSeries:
    """One line of a widget.

    Attributes:
        label: Legend text in parts, see `labels`.
        values: float64, NaN is a gap.
        start_s: Start of the first slot.
        period_s: Distance of the slots.
        row: Index of its row in the widget.
        color: `#rrggbb`, or None for the next of the palette.
        axis: `left` or `right`.
        unit: In words, empty where unknown.
        generic: Whether it is a wave that stands for nothing.
    """

    label: list[LabelPart]
    values: NDArray[np.float64]
    start_s: int
    period_s: int
    row: int
    color: str | None = None
    axis: str = "left"
    unit: str = ""
    generic: bool = False


@dataclass(slots=True, kw_only=True)
class WidgetSeries:
    """What a widget draws, and why the rest is not drawn."""

    drawn: list[DrawnSeries] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Evaluator:
    """Computes widgets over one range of one set of data; a column that several widgets ask for is computed once."""

    def __init__(self, data: PreviewData) -> None:
        self._data = data
        self._columns: dict[tuple[Metric, str, int, int, int], NDArray[np.float64]] = {}

    def series(self, widget: MetricWidget, *, span: Span, period_s: int | None = None) -> WidgetSeries:
        """Return what the rows of a widget give.

        Args:
            widget: The widget.
            span: From when to when.
            period_s: One period for every row instead of its own, for a widget that shows its whole range as one number.
        """
        found = WidgetSeries()
        rows = self._readable_rows(widget, found.notes)
        if period_s is not None:
            rows = [(index, replace(row, period_s=period_s)) for index, row in rows]
        queries, kept = self._queries(widget, rows, found.notes)
        defaults = self._defaults(queries)
        for query, (index, row) in zip(queries, kept, strict=True):
            if not query.return_data:
                continue
            try:
                drawn = self._drawn(
                    query, row, index=index, queries=queries, widget=widget, span=span, default=defaults
                )
            except TextSyntaxError as error:
                found.notes.append(f"{_named(row, index)}: {error.message}.")
            except InvalidValueError as error:
                found.notes.append(f"{_named(row, index)}: {error}.")
            else:
                found.drawn += drawn
        if len(found.drawn) > MAX_SERIES:
            found.notes.append(f"{len(found.drawn)} series; the first {MAX_SERIES} are drawn.")
            del found.drawn[MAX_SERIES:]
        return found

    def _readable_rows(self, widget: MetricWidget, notes: list[str]) -> list[tuple[int, Row]]:
        """Return the rows that make a query of their own."""
        good: list[tuple[int, Row]] = []
        for index, row in enumerate(widget.metrics):
            try:
                widget_queries(replace(widget, metrics=(row,)))
            except InvalidValueError as error:
                notes.append(f"Row {index + 1}: {error}.")
            else:
                good.append((index, row))
        return good

    def _queries(
        self, widget: MetricWidget, rows: list[tuple[int, Row]], notes: list[str]
    ) -> tuple[list[Query], list[tuple[int, Row]]]:
        """Return the queries that can be compiled together, and their rows; a wrong one takes along what reads it."""
        queries = [self._placed(query) for query in widget_queries(replace(widget, metrics=tuple(r for _, r in rows)))]
        while True:
            problems = queries_problems(queries)
            if not problems:
                return queries, rows
            guilty = {query.id for query in queries for problem in problems if str(problem).startswith(f"{query.id}: ")}
            notes += [
                f"{getattr(problem, 'message', problem)}."
                for problem in problems
                if str(problem) not in {n[:-1] for n in notes}
            ]
            if not guilty:
                return [], []
            kept = [(query, row) for query, row in zip(queries, rows, strict=True) if query.id not in guilty]
            queries, rows = [query for query, _ in kept], [row for _, row in kept]

    def _placed(self, query: Query) -> Query:
        return replace(query, metric=self._data.placed(query.metric)) if isinstance(query, MetricQuery) else query

    def _defaults(self, queries: Sequence[Query]) -> dict[str, str]:
        shown = [query for query in queries if isinstance(query, MetricQuery) and query.return_data]
        texts = default_labels([(query.metric, query.stat) for query in shown])
        return {query.id: text for query, text in zip(shown, texts, strict=True)}

    def _drawn(
        self,
        query: Query,
        row: Row,
        *,
        index: int,
        queries: Sequence[Query],
        widget: MetricWidget,
        span: Span,
        default: dict[str, str],
    ) -> list[DrawnSeries]:
        shared = {"row": index, "color": row.color, "axis": row.y_axis or "left"}
        if isinstance(query, MetricQuery):
            start_s, values = self._column(query, period_s=query.period_s, span=span)
            name = default[query.id]
            return [
                DrawnSeries(
                    label=label_parts(
                        row.label or name, default=name, metric=query.metric, stat=query.stat, period_s=query.period_s
                    ),
                    values=values,
                    start_s=start_s,
                    period_s=query.period_s,
                    unit=unit_of(query),
                    generic=self._data.is_generic(query.metric),
                    **shared,  # type: ignore[arg-type]
                )
            ]
        program = compile_queries(queries, result_id=query.id)
        period_s = _period(program, query, widget)
        start_s, slots = _slots(span, period_s)
        grid = Grid(timestamps=start_s + period_s * np.arange(slots, dtype=np.int64), period_s=period_s)
        read = [query for query in queries if query.id in program.metric_ids and isinstance(query, MetricQuery)]
        columns = {each.id: self._column(each, period_s=period_s, span=span)[1] for each in read}
        region = getattr(row, "region", None) or widget.region
        account_id = getattr(row, "account_id", None) or widget.account_id
        store = self._data.searched(region, account_id)
        supplied = store.searches(program, grid=grid)
        missing = [part for part in program.supplies if part not in supplied]
        if missing:
            raise InvalidValueError(f"only AWS can compute {missing[0][:120]}")
        result = program.evaluate(columns, grid=grid, supplied=supplied)
        metrics = self._found_metrics(program, query, store=store, grid=grid, count=len(result.series))
        generic = any(self._data.is_generic(each.metric) for each in read) or any(map(self._data.is_generic, metrics))
        drawn: list[DrawnSeries] = []
        several = result.is_array and len(result.series) > 1
        for place, one in enumerate(result.series):
            metric = metrics[place] if metrics else None
            own = one.label if result.is_array else row.id or query.expression
            text = row.label or own
            if row.label and several and not names_series(row.label):
                text = f"{row.label} "
            parts = label_parts(text, default=own, metric=metric, period_s=period_s)
            if row.label and several and not names_series(row.label):
                parts.append(own)
            drawn.append(
                DrawnSeries(
                    label=parts,
                    values=one.values,
                    start_s=start_s,
                    period_s=period_s,
                    unit="",
                    generic=generic,
                    row=index,
                    color=row.color if not several else None,
                    axis=row.y_axis or "left",
                )
            )
        return drawn

    def _found_metrics(
        self, program: Program, query: ExpressionQuery, *, store: object, grid: Grid, count: int
    ) -> tuple[Metric, ...]:
        """Return the metrics behind the series of an expression that is one SEARCH, else nothing."""
        tree = program.trees[query.id]
        if not (isinstance(tree, Call) and tree.function == "SEARCH" and isinstance(tree.arguments[0], Text)):
            return ()
        start_s, end_s = int(grid.timestamps[0]), int(grid.timestamps[-1]) + grid.period_s
        found: tuple[Metric, ...] = store.search(tree.arguments[0].value, start_s=start_s, end_s=end_s)  # type: ignore[attr-defined]
        return found if len(found) == count else ()

    def _column(self, query: MetricQuery, *, period_s: int, span: Span) -> tuple[int, NDArray[np.float64]]:
        start_s, slots = _slots(span, period_s)
        key = (query.metric, query.stat, period_s, start_s, slots)
        if key not in self._columns:
            starts = start_s + period_s * np.arange(slots, dtype=np.int64)
            known = self._data.is_read_here(query.metric)
            self._columns[key] = (
                self._data.store.column(replace(query, period_s=period_s), starts=starts)
                if known
                else np.full(slots, np.nan)
            )
        return start_s, self._columns[key]


def unit_of(query: MetricQuery) -> str:
    """Return the unit of a metric's statistic in words, empty where it is not known."""
    if parse_stat(query.stat) is Plain.SAMPLE_COUNT:
        return "samples"
    known = catalogue_metric(query.metric.namespace, query.metric.name)
    return "" if known is None else known.unit


def _period(program: Program, query: ExpressionQuery, widget: MetricWidget) -> int:
    periods = {each.period_s for id_ in program.metric_ids if isinstance(each := program.queries[id_], MetricQuery)}
    searched = {
        int(argument.value)
        for id_ in program.needs
        if id_ in program.trees
        for node in walk(program.trees[id_])
        if isinstance(node, Call) and node.function == "SEARCH"
        for argument in node.arguments[2:]
        if isinstance(argument, Number)
    }
    if len(periods | searched) > 1:
        words = ", ".join(f"{each} s" for each in sorted(periods | searched))
        raise InvalidValueError(f"its metrics have the periods {words}; what AWS makes of that is not documented")
    own = next(iter(periods | searched), None)
    return own or query.period_s or widget.period_s or DEFAULT_PERIOD_S


def _slots(span: Span, period_s: int) -> tuple[int, int]:
    """Return the start of the first slot and how many there are: all that overlap the range."""
    if span.length_s == period_s:
        return span.start_s, 1
    start_s = span.start_s - span.start_s % period_s
    return start_s, -(-(span.end_s - start_s) // period_s)


def _named(row: Row, index: int) -> str:
    return f"Row {index + 1}" + (f" ({row.id})" if row.id else "")
