"""What a widget would show: its rows through the engine, from values given by metric name and statistic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloudwatch.dashboard.queries import widget_queries
from cloudwatch.math.program import Grid, compile_queries
from cloudwatch.metric import MetricQuery

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloudwatch.dashboard.values import MetricWidget

GAP = float("nan")


def shown(widget: MetricWidget, values: Mapping[str, float], *, label: str) -> float | None:
    """Return the number that the row with this label shows, None where it has no point.

    Args:
        widget: The widget.
        values: By metric name, `name/stat`, or either with the ModelId behind `@`; the most exact one counts; else a gap.
        label: Legend text of the row.
    """
    queries = widget_queries(widget)
    (row,) = [query for query in queries if query.label == label]
    columns = {
        query.id: np.array([_value(query, values)], dtype=np.float64)
        for query in queries
        if isinstance(query, MetricQuery)
    }
    grid = Grid(timestamps=np.array([1_700_000_000], dtype=np.int64), period_s=widget.period_s or 300)
    (number,) = compile_queries(queries, result_id=row.id).evaluate(columns, grid=grid).single
    return None if np.isnan(number) else float(number)


def _value(query: MetricQuery, values: Mapping[str, float]) -> float:
    name, model_id = query.metric.name, query.metric.dimension("ModelId")
    for key in (f"{name}/{query.stat}@{model_id}", f"{name}@{model_id}", f"{name}/{query.stat}", name):
        if key in values:
            return float(values[key])
    return GAP
