"""Which questions does a metric widget ask of CloudWatch? Its rows as queries.

A row takes statistic and period from the widget where it names none, and the widget takes Average and 300 s ("Dashboard body
structure and syntax"). Rows without an id get one, so that every row can be evaluated and drawn.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cloudwatch.dashboard.values import ExpressionRow, MetricRow
from cloudwatch.metric import ExpressionQuery, MetricQuery, Query

if TYPE_CHECKING:
    from cloudwatch.dashboard.values import MetricWidget

__all__ = ["DEFAULT_PERIOD_S", "DEFAULT_STAT", "widget_queries"]

DEFAULT_PERIOD_S = 300
DEFAULT_STAT = "Average"


def widget_queries(widget: MetricWidget) -> tuple[Query, ...]:
    """Return a query for each row, in order; what is drawn returns data.

    Metrics carry the Region and account in which they are read: the row's, else the widget's.

    Raises:
        InvalidValueError: A row's period, id or expression is none that GetMetricData takes.
    """
    taken = {row.id for row in widget.metrics if row.id is not None}
    queries: list[Query] = []
    for number, row in enumerate(widget.metrics, start=1):
        name = row.id
        while name is None or (row.id is None and name in taken):
            name = f"row{number}" if name is None else f"{name}_"
        taken.add(name)
        period_s = row.period_s or widget.period_s
        match row:
            case MetricRow():
                metric = replace(
                    row.metric,
                    region=row.metric.region or widget.region,
                    account_id=row.metric.account_id or widget.account_id,
                )
                queries.append(
                    MetricQuery(
                        id=name,
                        metric=metric,
                        stat=row.stat or widget.stat or DEFAULT_STAT,
                        period_s=period_s or DEFAULT_PERIOD_S,
                        return_data=row.visible is not False,
                        label=row.label,
                    )
                )
            case ExpressionRow():
                queries.append(
                    ExpressionQuery(
                        id=name,
                        expression=row.expression,
                        period_s=period_s,
                        return_data=row.visible is not False,
                        label=row.label,
                    )
                )
    return tuple(queries)
