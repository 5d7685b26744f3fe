"""How are the entries of an alarm's metric math list put together?

Series of one kind are read under numbered ids (`t1`, `t2`) and summed under their letter. A single series is used as it is:
`SUM` of one series would be a number, not a series (UG, Using metric math). CloudWatch takes ten metrics in an alarm.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cloudwatch import limits
from cloudwatch.metric import ExpressionQuery, Metric, MetricQuery, Query

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Queries", "groups", "number"]


@dataclass(slots=True, kw_only=True)
class Queries:
    """The list of one alarm while it grows.

    Attributes:
        period_s: Period of every metric in it.
    """

    period_s: int
    _metrics: list[MetricQuery] = field(default_factory=list)
    _expressions: list[ExpressionQuery] = field(default_factory=list)

    def read(self, letter: str, series: Iterable[Metric], *, stat: str = "Sum") -> tuple[str, ...]:
        """Read each series under `letter` and a number; return the ids."""
        ids: list[str] = []
        for place, metric in enumerate(series, start=1):
            ids.append(f"{letter}{place}")
            self._metrics.append(MetricQuery(id=ids[-1], metric=metric, stat=stat, period_s=self.period_s))
        return tuple(ids)

    def express(self, name: str, expression: str) -> str:
        """Add a hidden expression; return its id."""
        self._expressions.append(ExpressionQuery(id=name, expression=expression))
        return name

    def total(self, name: str, ids: Sequence[str]) -> str:
        """Return what stands for the sum of entries: the entry itself, or a hidden sum called `name`."""
        return ids[0] if len(ids) == 1 else self.express(name, f"SUM([{','.join(ids)}])")

    def highest(self, name: str, ids: Sequence[str]) -> str:
        """Return what stands for the highest of entries at each time."""
        return ids[0] if len(ids) == 1 else self.express(name, f"MAX([{','.join(ids)}])")

    def returning(self, expression: str, *, label: str) -> tuple[Query, ...]:
        """Return the whole list with the expression that is compared at its end, as `value`."""
        result = ExpressionQuery(id="value", expression=expression, return_data=True, label=label)
        return (*self._metrics, *self._expressions, result)


def groups(series_ids: Sequence[str], *, metrics_each: int) -> tuple[tuple[str, ...], ...]:
    """Return ids in as few groups as fit ten metrics an alarm, each of nearly the same size, in order."""
    room = max(limits.METRICS_PER_ALARM // metrics_each, 1)
    count = -(-len(series_ids) // room)
    size, extra = divmod(len(series_ids), count)
    starts = [place * size + min(place, extra) for place in range(count + 1)]
    return tuple(tuple(series_ids[start:end]) for start, end in itertools.pairwise(starts))


def number(value: float) -> str:
    """Return a number as metric math takes it: no exponent, no trailing zeros, six digits behind the point at most."""
    return f"{value:.6f}".rstrip("0").rstrip(".")
