"""What does a legend say? Dynamic labels, split into what is fixed and what depends on the time range.

`${PROP('Dim.ModelId')}` and `${LABEL}` are known when the page is made; `${AVG}`, `${LAST}`, `${MAX_TIME}` and so on follow the
range that is shown, so they stay names here and the page computes them (CloudWatch User Guide, "Using dynamic labels"). A label
becomes a list of texts and `{"stat": name}`. A value of a dimension is put in after splitting: it is never read as a label.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloudwatch.metric import Metric

__all__ = ["RANGE_STATS", "LabelPart", "default_labels", "label_parts", "names_series"]

LabelPart = str | dict[str, str]

RANGE_STATS = frozenset(
    [
        "AVG",
        "SUM",
        "MIN",
        "MAX",
        "FIRST",
        "LAST",
        "DATAPOINT_COUNT",
        "FIRST_LAST_RANGE",
        "MIN_MAX_RANGE",
        "FIRST_TIME",
        "LAST_TIME",
        "MIN_TIME",
        "MAX_TIME",
        "FIRST_TIME_RELATIVE",
        "LAST_TIME_RELATIVE",
        "MIN_TIME_RELATIVE",
        "MAX_TIME_RELATIVE",
        "FIRST_LAST_TIME_RANGE",
        "MIN_MAX_TIME_RANGE",
    ]
)
_DYNAMIC = re.compile(r"\$\{\s*(?:PROP\(\s*['\"]([^'\"]*)['\"]\s*\)|([A-Z_]+))\s*\}")


def label_parts(
    label: str,
    *,
    default: str,
    metric: Metric | None = None,
    stat: str = "",
    period_s: int | None = None,
) -> list[LabelPart]:
    """Return a label in parts; what CloudWatch would not know stays as it is written.

    Args:
        label: As the row says it.
        default: What `${LABEL}` stands for.
        metric: The metric, for `${PROP(...)}`; None of an expression.
        stat: Its statistic.
        period_s: Its period.
    """
    parts: list[LabelPart] = []
    position = 0
    for found in _DYNAMIC.finditer(label):
        prop, name = found.groups()
        if prop is not None:
            value = _property(prop, metric=metric, stat=stat, period_s=period_s)
        elif name == "LABEL":
            value = default
        elif name in RANGE_STATS:
            parts += [label[position : found.start()], {"stat": name}]
            position = found.end()
            continue
        else:
            value = None
        if value is not None:
            parts += [label[position : found.start()], value]
            position = found.end()
    parts.append(label[position:])
    return [part for part in parts if part != ""]


def names_series(label: str) -> bool:
    """Tell whether a label says itself which series of several it is about."""
    return any(prop or name == "LABEL" for prop, name in _DYNAMIC.findall(label))


def _property(name: str, *, metric: Metric | None, stat: str, period_s: int | None) -> str | None:
    if name == "Stat":
        return stat
    if name == "Period":
        return "" if period_s is None else str(period_s)
    if metric is None:
        return None
    if name.startswith("Dim."):
        return metric.dimension(name.removeprefix("Dim.")) or ""
    known = {
        "MetricName": metric.name,
        "Namespace": metric.namespace,
        "Region": metric.region or "",
        "AccountId": metric.account_id or "",
        "AccountLabel": metric.account_id or "",
    }
    return known.get(name)


def default_labels(rows: Sequence[tuple[Metric, str]]) -> list[str]:
    """Return the shortest labels that tell metrics apart: what all have in common is left out.

    Args:
        rows: Metric and statistic of each.
    """
    columns: list[list[str]] = []
    names = sorted({name for metric, _ in rows for name, _ in metric.dimensions})
    columns.append([metric.namespace for metric, _ in rows])
    columns += [[metric.dimension(name) or "" for metric, _ in rows] for name in names]
    columns.append([metric.name for metric, _ in rows])
    columns.append([stat for _, stat in rows])
    columns.append([metric.region or "" for metric, _ in rows])
    columns.append([metric.account_id or "" for metric, _ in rows])
    telling = [column for column in columns if len(set(column)) > 1]
    if not telling:
        return [metric.name for metric, _ in rows]
    return [" ".join(filter(None, (column[index] for column in telling))) for index in range(len(rows))]
