"""What does a list of queries compute?

`compile_queries` reads all expressions of an alarm, a widget or a GetMetricData call once: ids, references, cycles and types are
checked, and the result is a `Program` that evaluates over one window of slots or over thousands of them at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

import numpy as np

from cloudwatch.math.ast import Call, Name, Node, Sql, Text, walk
from cloudwatch.math.evaluate import evaluate_node, supplied_value
from cloudwatch.math.functions import FUNCTIONS, Type
from cloudwatch.math.parser import parse
from cloudwatch.math.printer import print_math
from cloudwatch.math.types import Checked, check_types
from cloudwatch.math.values import Context, Grid, LabelledSeries, Scalar, Series, SeriesArray, Supplied
from cloudwatch.metric import ExpressionQuery, MetricQuery
from cloudwatch.problems import InvalidValueError, TextSyntaxError
from cloudwatch.switches import DEFAULT_SWITCHES, Switches

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cloudwatch.math.values import Floats, Value
    from cloudwatch.metric import Query

__all__ = ["Grid", "LabelledSeries", "Program", "Result", "Supplied", "compile_queries", "queries_problems"]

_NOTHING: Supplied = {}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Result:
    """What a query gives.

    Attributes:
        series: The series: one, or those of an array, in order. In a batch each has the shape [rows, slots], and a series
            that a row does not have is NaN there; a place that different rows fill with different series has a number as label.
        is_array: Whether the expression gives an array, of however many series.
    """

    series: tuple[LabelledSeries, ...]
    is_array: bool

    @property
    def single(self) -> Floats:
        """The values of the one series, [slots] or [rows, slots].

        Raises:
            InvalidValueError: There are several, or none.
        """
        if len(self.series) != 1:
            raise InvalidValueError(f"The expression gives {len(self.series)} series, one is wanted")
        return self.series[0].values


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Program:
    """A checked list of queries.

    Attributes:
        queries: The list, by id, in its order.
        trees: Syntax tree of each expression, by id.
        checked: Type of each query, by id.
        result_id: The query that is the result, or None where several return data.
        needs: Ids that the result reads, itself included, each after those it reads; all ids where `result_id` is None.
    """

    queries: Mapping[str, Query]
    trees: Mapping[str, Node]
    checked: Mapping[str, Checked]
    result_id: str | None
    needs: tuple[str, ...]
    _references: Mapping[str, frozenset[str]] = field(repr=False)

    @property
    def elementwise(self) -> bool:
        """Whether each slot of the result depends on that slot alone, so that windows may share one evaluation."""
        return not any(self.checked[id_].windowed for id_ in self.needs)

    @property
    def metric_ids(self) -> tuple[str, ...]:
        """Ids of the metrics that the result reads, in the order of the list."""
        return tuple(id_ for id_, query in self.queries.items() if isinstance(query, MetricQuery) and id_ in self.needs)

    @property
    def supplies(self) -> tuple[str, ...]:
        """Printed text of every part that only AWS or a store can answer, in what the result reads."""
        parts = (part for id_ in self.needs if id_ in self.trees for part in walk(self.trees[id_]))
        asked = (part for part in parts if isinstance(part, Sql) or _is_supplied(part))
        return tuple(dict.fromkeys(map(print_math, asked)))

    def evaluate(
        self,
        columns: Mapping[str, Floats],
        *,
        grid: Grid,
        switches: Switches = DEFAULT_SWITCHES,
        supplied: Supplied = _NOTHING,
        result_id: str | None = None,
    ) -> Result:
        """Return what a query gives over a grid.

        Args:
            columns: Values of each metric the result reads, [slots], or [rows, slots] for a batch of windows; NaN is a gap.
            grid: The slots; every array broadcasts to the common shape.
            switches: The open choices.
            supplied: By query id or by printed expression: an array for a series, labelled series for an array of series
                (the band of ANOMALY_DETECTION_BAND as lower, upper).
            result_id: Which query; None is the program's result.

        Raises:
            InvalidValueError: A column or a supply is missing or has the wrong shape, or no result is named.
        """
        wanted = result_id or self.result_id
        if wanted is None:
            raise InvalidValueError("Several queries return data: say which one")
        needs = self.needs if wanted == self.result_id and not supplied else self._needs_beside(wanted, supplied)
        values = self._values(needs, columns=columns, grid=grid, switches=switches, supplied=supplied)
        batch = grid.timestamps.ndim == 2 or any(columns[id_].ndim == 2 for id_ in needs if id_ in columns)
        return _result(values[wanted], label=wanted, batch=batch)

    def _needs_beside(self, wanted: str, supplied: Supplied) -> tuple[str, ...]:
        """Return what `wanted` reads where nothing is read for a query that is supplied as a whole."""
        references = {id_: frozenset() if id_ in supplied else found for id_, found in self._references.items()}
        return _needs(wanted, references)

    def _values(
        self,
        needs: tuple[str, ...],
        *,
        columns: Mapping[str, Floats],
        grid: Grid,
        switches: Switches,
        supplied: Supplied,
    ) -> dict[str, Value]:
        given = {id_: columns[id_] for id_ in needs if id_ in columns}
        missing = [id_ for id_ in needs if not (id_ in self.trees or id_ in columns or id_ in supplied)]
        if missing:
            raise InvalidValueError(f"No values are given for {', '.join(missing)}")
        shape = _shape(given, grid=grid)
        base = Context(
            timestamps=np.broadcast_to(grid.timestamps, shape),
            period_s=grid.period_s,
            switches=switches,
            periods={id_: query.period_s for id_, query in self.queries.items() if isinstance(query, MetricQuery)},
            supplied=supplied,
        )
        values: dict[str, Value] = {id_: supplied_value(column, context=base) for id_, column in given.items()}
        metrics = [(id_, values[id_]) for id_ in self.queries if id_ in values]
        context = Context(
            timestamps=base.timestamps,
            period_s=base.period_s,
            switches=switches,
            metrics=tuple((id_, value) for id_, value in metrics if isinstance(value, Series)),
            periods=base.periods,
            supplied=supplied,
        )
        with np.errstate(all="ignore"):  # what has no finite result becomes a missing point, by rule
            for id_ in needs:
                if id_ in supplied:
                    values[id_] = supplied_value(supplied[id_], context=context, node=self.trees.get(id_))
                elif id_ in self.trees:
                    values[id_] = evaluate_node(self.trees[id_], ids=values, context=context)
        return values


def compile_queries(queries: Sequence[Query], *, result_id: str | None = None) -> Program:
    """Return the program of a list of queries.

    Args:
        queries: Entries of an alarm, of a GetMetricData call or of a widget.
        result_id: Which one is the result; None takes the one that returns data, if there is exactly one.

    Raises:
        TextSyntaxError: An expression is wrong; positions are offsets into it. The message begins with the query's id.
        InvalidValueError: An id occurs twice, references form a cycle, or the result is no series.
    """
    problems, program = _compile(queries, result_id=result_id)
    if problems:
        raise problems[0]
    assert program is not None
    return program


def queries_problems(queries: Sequence[Query], *, result_id: str | None = None) -> tuple[InvalidValueError, ...]:
    """Return everything `compile_queries` could raise for a list, at most one problem for each query."""
    return tuple(_compile(queries, result_id=result_id)[0])


def _compile(queries: Sequence[Query], *, result_id: str | None) -> tuple[list[InvalidValueError], Program | None]:
    by_id = {query.id: query for query in queries}
    if len(by_id) != len(queries):
        ids = [query.id for query in queries]
        twice = next(id_ for id_ in ids if ids.count(id_) > 1)
        return [InvalidValueError(f"The id {twice} occurs twice")], None
    returned = [query.id for query in queries if query.return_data]
    result = result_id or (returned[0] if len(returned) == 1 else queries[0].id if len(queries) == 1 else None)
    if result is not None and result not in by_id:
        return [InvalidValueError(f"No query has the id {result}")], None
    problems: list[InvalidValueError] = []
    trees: dict[str, Node] = {}
    for query in queries:
        if isinstance(query, ExpressionQuery):
            try:
                trees[query.id] = parse(query.expression)
            except TextSyntaxError as error:
                problems.append(_named(query.id, error))
    metrics = frozenset(query.id for query in queries if isinstance(query, MetricQuery))
    references = {
        id_: _references(trees[id_], metrics) & by_id.keys() if id_ in trees else frozenset() for id_ in by_id
    }
    try:
        order = tuple(TopologicalSorter(references).static_order())
    except CycleError as error:
        circle = " -> ".join(error.args[1])
        return [*problems, InvalidValueError(f"Expressions refer to each other in a circle: {circle}")], None
    checked = _checked(order, queries=by_id, trees=trees, references=references, problems=problems)
    problems.extend(
        InvalidValueError(f"{id_} returns {checked[id_].type}; a result is a time series")
        for id_ in dict.fromkeys([*returned, *([result] if result else [])])
        if id_ in checked and checked[id_].type not in {Type.SERIES, Type.ARRAY, Type.ANY_SERIES}
    )
    needs = _needs(result, references) if result else order
    program = Program(
        queries=by_id, trees=trees, checked=checked, result_id=result, needs=needs, _references=references
    )
    return problems, program


def _checked(
    order: tuple[str, ...],
    *,
    queries: Mapping[str, Query],
    trees: Mapping[str, Node],
    references: Mapping[str, frozenset[str]],
    problems: list[InvalidValueError],
) -> dict[str, Checked]:
    """Return the type of every query that has one; what refers to a wrong one is passed over in silence."""
    checked: dict[str, Checked] = {}
    for id_ in order:
        query = queries[id_]
        if isinstance(query, MetricQuery):
            checked[id_] = Checked(type=Type.SERIES, is_metric=True)
        elif id_ in trees and references[id_] <= checked.keys():
            try:
                found = check_types(trees[id_], text=query.expression, ids=checked)
            except TextSyntaxError as error:
                problems.append(_named(id_, error))
            else:
                checked[id_] = Checked(type=found.type, windowed=found.windowed)
    return checked


def _named(id_: str, error: TextSyntaxError) -> TextSyntaxError:
    message = f"{id_}: {error.message}"
    return TextSyntaxError(message, text=error.text, start=error.start, end=error.end, hint=error.hint)


def _references(tree: Node, metrics: frozenset[str]) -> frozenset[str]:
    found: set[str] = set()
    for part in walk(tree):
        if isinstance(part, Name):
            found.add(part.id)
        elif isinstance(part, Call) and part.function == "METRICS":
            wanted = next((each.value for each in part.arguments if isinstance(each, Text)), "")
            found.update(id_ for id_ in metrics if wanted in id_)
    return frozenset(found)


def _needs(id_: str, references: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    needed: set[str] = set()
    waiting = [id_]
    while waiting:
        current = waiting.pop()
        if current not in needed:
            needed.add(current)
            waiting.extend(references[current])
    graph = {each: sorted(references[each]) for each in sorted(needed)}
    return tuple(TopologicalSorter(graph).static_order())


def _is_supplied(part: Node) -> bool:
    return isinstance(part, Call) and part.function in FUNCTIONS and FUNCTIONS[part.function].supplied


def _shape(columns: Mapping[str, Floats], *, grid: Grid) -> tuple[int, ...]:
    slots = grid.timestamps.shape[-1]
    rows = 1
    for id_, shape in [("the grid", grid.timestamps.shape), *((id_, column.shape) for id_, column in columns.items())]:
        height = shape[0] if len(shape) == 2 else 1
        if not 1 <= len(shape) <= 2 or shape[-1] != slots or (height not in {1, rows} and rows != 1):
            raise InvalidValueError(
                f"Values of {id_} have the shape {shape}; the grid has {slots} slots and {rows} rows"
            )
        rows = max(rows, height)
    return rows, slots


def _result(value: Value, *, label: str, batch: bool) -> Result:
    if isinstance(value, Series):
        values = value.values if batch else value.values[0]
        return Result(series=(LabelledSeries(label=label, values=values),), is_array=False)
    if isinstance(value, Scalar):
        raise InvalidValueError(f"{label} is a scalar; a result is a time series")
    assert isinstance(value, SeriesArray)
    found: list[LabelledSeries] = []
    for place in range(int(value.present.sum(axis=0).max())):
        which = np.unique(value.order[place][value.present[place]])
        name = value.labels[int(which[0])] if len(which) == 1 else str(place)
        values = np.where(value.present[place][:, None], value.values[place], np.nan)
        found.append(LabelledSeries(label=name, values=values if batch else values[0]))
    return Result(series=tuple(found), is_array=True)
