"""How are several expressions written in one widget? A sheet that names metrics once and draws over them.

A widget's rows share one namespace of ids. A sheet hands out ids in order of first use, so that the same calls give the same
text, and every metric that only feeds an expression is hidden. Expressions are composed of the texts that the sheet returns; each
can stand inside a larger expression as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.dashboard.values import AxisSide, ExpressionRow, MetricRow, Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cloudwatch.metric import Metric

__all__ = ["Sheet", "join"]


class Sheet:
    """The rows of one metric widget."""

    def __init__(self) -> None:
        self._inputs: dict[tuple[Metric, str], MetricRow] = {}
        self._hidden: dict[str, ExpressionRow] = {}
        self._drawn: list[Row] = []

    def ids(self, metrics: Iterable[Metric], *, stat: str) -> tuple[str, ...]:
        """Return the ids of hidden rows for a statistic of each metric."""
        found: list[str] = []
        for metric in metrics:
            row = self._inputs.setdefault(
                (metric, stat), MetricRow(metric=metric, stat=stat, id=f"m{len(self._inputs) + 1}", visible=False)
            )
            found.append(str(row.id))
        return tuple(found)

    def total(self, *groups: Sequence[Metric], stat: str = "Sum") -> str:
        """Return an expression for the sum of a statistic over all metrics of the groups.

        Several series are summed in a hidden row, so that an expression stays short whatever their number. SUM over an array
        counts a series without a point as 0 and has no point where none of them has one.
        """
        return self._joined("SUM", [name for group in groups for name in self.ids(group, stat=stat)])

    def worst(self, metrics: Sequence[Metric], *, stat: str) -> str:
        """Return an expression for the highest of a statistic over the metrics."""
        return self._joined("MAX", self.ids(metrics, stat=stat))

    def _joined(self, function: str, names: Sequence[str]) -> str:
        return names[0] if len(names) == 1 else self.express(join(function, names))

    def express(self, expression: str) -> str:
        """Return the id of a hidden expression."""
        row = self._hidden.setdefault(
            expression, ExpressionRow(expression=expression, id=f"x{len(self._hidden) + 1}", visible=False)
        )
        return str(row.id)

    def draw(
        self,
        expression: str,
        *,
        label: str,
        color: str | None = None,
        y_axis: AxisSide | None = None,
        period_s: int | None = None,
    ) -> None:
        """Draw an expression. Every id in it was handed out by this sheet."""
        self._drawn.append(
            ExpressionRow(
                expression=expression,
                id=f"e{len(self._drawn) + 1}",
                label=label,
                color=color,
                y_axis=y_axis,
                period_s=period_s,
            )
        )

    def plot(
        self,
        metric: Metric,
        *,
        stat: str,
        label: str,
        color: str | None = None,
        y_axis: AxisSide | None = None,
        period_s: int | None = None,
    ) -> None:
        """Draw one statistic of one metric."""
        self._drawn.append(
            MetricRow(metric=metric, stat=stat, label=label, color=color, y_axis=y_axis, period_s=period_s)
        )

    def rows(self) -> tuple[Row, ...]:
        """Return what is drawn, in order, then what is hidden."""
        return (*self._drawn, *self._hidden.values(), *self._inputs.values())


def join(function: str, names: Sequence[str]) -> str:
    """Return `FUNCTION([a,b])`, or the name itself where there is only one: the sum of one series would be a number."""
    return names[0] if len(names) == 1 else f"{function}([{','.join(names)}])"
