"""How does an alarm look on a graph? Its own expression, its own period, its own threshold.

A threshold line means something only over the quantity that the alarm compares, in its unit, over its period (a sum over 300 s
against a threshold a minute is five times too high). So everything here starts from the alarm value: the graph draws the alarm's
expression, and the line is the alarm's threshold. One thing is changed for people: an alarm says an explicit healthy number where
there is too little traffic to judge, `IF(enough, x, 0)`; a page that drew it would show a healthy 0 for no traffic, so the healthy
branch is left out and CloudWatch drops the point (User Guide, "Using metric math", IF without a third argument).
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from alarms.policy import base_slug, policies
from cloudwatch.alarm import Comparison, MetricAlarm
from cloudwatch.dashboard.values import (
    Annotations,
    AxisSide,
    ExpressionRow,
    HorizontalAnnotation,
    MetricRow,
    MetricWidget,
    Row,
    YAxes,
    YAxis,
)
from cloudwatch.metric import ExpressionQuery, MetricQuery
from dashboards import palette

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from alarms.alarm_set import AlarmEntry, AlarmSet

__all__ = [
    "alarm_graphs",
    "alarm_rows",
    "family",
    "policy_text",
    "shows_alarm",
    "threshold_annotation",
    "threshold_text",
    "without_healthy_branch",
]

FEW_CALLS = 5  # fewer than these in a period are hardly ever missed
_STEP = re.compile(r"-\d+\Z")
_SIGN = {
    Comparison.GREATER_OR_EQUAL: "≥",
    Comparison.GREATER: ">",
    Comparison.LESS: "<",
    Comparison.LESS_OR_EQUAL: "≤",
}
_TOKEN = re.compile(r"'[^']*'|\"[^\"]*\"|[A-Za-z_][A-Za-z0-9_]*")
_WORST = re.compile(r"\s*(?:MAX|MIN)\(\[([A-Za-z0-9_, ]+)\]\)\s*\Z")
_NUMBER = re.compile(r"\s*-?\d+(\.\d+)?([eE][-+]?\d+)?\s*\Z")


def family(alarms: AlarmSet, slug: str) -> tuple[AlarmEntry, ...]:
    """Return the metric alarms of a slug: the alarm itself, or the steps of its ladder (`decode-rate-2`), one for each alias."""
    return tuple(
        entry
        for entry in alarms
        if isinstance(entry.alarm, MetricAlarm) and (entry.slug == slug or _STEP.sub("", entry.slug) == slug)
    )


def threshold_text(alarm: MetricAlarm, unit: str) -> str:
    """Return the comparison in a few characters: `≥ 20 % slower than baseline`."""
    return f"{_SIGN.get(alarm.comparison, '')} {alarm.threshold:g} {unit}".strip()


def policy_text(alarm: MetricAlarm) -> str:
    """Return M of N and the period: `9 of 20 x 60 s`."""
    return f"{alarm.datapoints_to_alarm} of {alarm.evaluation_periods} x {alarm.period_s} s"


def threshold_annotation(entry: AlarmEntry, *, y_axis: AxisSide | None = None) -> HorizontalAnnotation | None:
    """Return the line of an alarm's threshold, shaded on the side that breaches; None where there is no number."""
    alarm = entry.alarm
    if not isinstance(alarm, MetricAlarm) or alarm.threshold is None:
        return None
    above = alarm.comparison in {Comparison.GREATER, Comparison.GREATER_OR_EQUAL}
    return HorizontalAnnotation(
        value=alarm.threshold,
        label=f"{entry.slug}: {threshold_text(alarm, entry.unit)}, {policy_text(alarm)}",
        color=palette.ALARM_LINE,
        fill="above" if above else "below",
        y_axis=y_axis,
    )


def without_healthy_branch(expression: str) -> str:
    """Return `IF(condition, value)` for `IF(condition, value, number)` around the whole expression, else the expression."""
    text = expression.strip()
    if not (text.startswith("IF(") and text.endswith(")")):
        return expression
    depth, commas = 0, []
    for index, character in enumerate(text):
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
            if depth == 0 and index != len(text) - 1:
                return expression
        elif character == "," and depth == 1:
            commas.append(index)
    if len(commas) != 2 or not _NUMBER.match(text[commas[1] + 1 : -1]):
        return expression
    return text[: commas[1]] + ")"


def alarm_rows(
    entry: AlarmEntry, *, prefix: str = "", label: str | None = None, color: str | None = None
) -> tuple[Row, ...]:
    """Return the rows that draw what an alarm compares, ids prefixed, inputs hidden.

    Args:
        entry: A metric alarm.
        prefix: Put before every id, so that several alarms share a widget.
        label: Legend text; the entry's title by default.
        color: Of the line.

    Raises:
        TypeError: The entry is a composite alarm, which compares nothing.
    """
    alarm = entry.alarm
    if not isinstance(alarm, MetricAlarm):
        raise TypeError(f"{entry.slug} is a composite alarm, it has no metric to draw")
    ids = {query.id for query in alarm.queries}
    judged = _judged(alarm)
    drawn: list[Row] = []
    hidden: list[Row] = []
    for query in alarm.queries:
        shown = query is alarm.returned
        text = (label or entry.title) if shown else None
        row: Row
        match query:
            case MetricQuery():
                row = MetricRow(
                    metric=query.metric,
                    id=prefix + query.id,
                    stat=query.stat,
                    period_s=query.period_s,
                    label=text,
                    color=color if shown else None,
                    visible=None if shown else False,
                )
            case ExpressionQuery():
                expression = without_healthy_branch(query.expression) if query.id in judged else query.expression
                row = ExpressionRow(
                    expression=_with_prefix(expression, ids, prefix),
                    id=prefix + query.id,
                    label=text,
                    color=color if shown else None,
                    period_s=alarm.period_s,
                    visible=None if shown else False,
                )
        (drawn if shown else hidden).append(row)
    return (*drawn, *hidden)


def _judged(alarm: MetricAlarm) -> frozenset[str]:
    """Return the ids whose healthy branch is the alarm's: of the result, and of what it only takes the worst of."""
    result = alarm.returned
    worst = _WORST.match(result.expression) if isinstance(result, ExpressionQuery) else None
    return frozenset([result.id, *(name.strip() for name in (worst[1].split(",") if worst else ()))])


def _with_prefix(expression: str, ids: Iterable[str], prefix: str) -> str:
    known = frozenset(ids)
    return _TOKEN.sub(lambda found: prefix + found[0] if found[0] in known else found[0], expression)


def _shape(entry: AlarmEntry) -> tuple[object, ...]:
    alarm = entry.alarm
    assert isinstance(alarm, MetricAlarm)
    return (
        alarm.threshold,
        alarm.comparison,
        alarm.period_s,
        alarm.datapoints_to_alarm,
        alarm.evaluation_periods,
        entry.unit,
    )


def shows_alarm(content: object, entry: AlarmEntry) -> bool:
    """Tell whether a widget draws what an alarm compares: its inputs at its period, with a line at its threshold."""
    alarm = entry.alarm
    if not isinstance(content, MetricWidget) or not isinstance(alarm, MetricAlarm):
        return False
    drawn = {
        (row.metric, row.stat, row.period_s or content.period_s)
        for row in content.metrics
        if isinstance(row, MetricRow)
    }
    inputs = {(query.metric, query.stat, query.period_s) for query in alarm.metrics}
    lines = {line.value for line in content.annotations.horizontal if isinstance(line, HorizontalAnnotation)}
    return inputs <= drawn and alarm.threshold in lines


def _group_words(entry: AlarmEntry) -> str:
    """Return which ModelId values a step of a ladder watches, short enough for a legend."""
    assert isinstance(entry.alarm, MetricAlarm)
    found = dict.fromkeys(query.metric.dimension("ModelId") or query.metric.name for query in entry.alarm.metrics)
    first, *others = found
    return first if not others else f"{first} and {len(others)} more"


def _every(entry: AlarmEntry) -> str:
    assert isinstance(entry.alarm, MetricAlarm)
    return f"{entry.alarm.period_s} s"


def _enough(entry: AlarmEntry) -> str:
    """Return what a point takes, so that an empty graph of a quiet model explains itself; empty where nearly any call will do."""
    row = policies().get(base_slug(entry.slug))
    return f"where {row.minimum} calls or more" if row is not None and row.minimum >= FEW_CALLS else ""


def _floor(unit: str) -> float | None:
    """Return 0, except for a quantity that is below 0 on a good day: it would leave the graph and look like no data."""
    return None if "slower" in unit else 0


def alarm_graphs(
    entries: Sequence[AlarmEntry], *, region: str, color: str, title: str | None = None
) -> tuple[MetricWidget, ...]:
    """Return a graph of each family of alarms that share threshold, unit and period, with the threshold line.

    Args:
        entries: Metric alarms of one symptom; those that differ in policy get a graph of their own.
        region: Region of the metrics.
        color: Of the line, where there is one; several aliases get the colours of aliases.
        title: What is drawn, the alarm's own title by default; unit and period are put behind it.
    """
    graphs: list[MetricWidget] = []
    for _, group in groupby(sorted(entries, key=lambda entry: repr(_shape(entry))), key=_shape):
        members = list(group)
        first = members[0]
        assert isinstance(first.alarm, MetricAlarm)
        line = threshold_annotation(first)
        rows = [
            row
            for index, entry in enumerate(members)
            for row in alarm_rows(
                entry,
                prefix="" if len(members) == 1 else f"a{index + 1}",
                label=None if len(members) == 1 else _group_words(entry),
                color=color if len(members) == 1 else palette.ALIASES[index % len(palette.ALIASES)],
            )
        ]
        lines = [] if line is None else [line]
        graphs.append(
            MetricWidget(
                region=region,
                title=f"{title or first.title} ({', '.join(filter(None, [first.unit, _every(first), _enough(first)]))})",
                view="timeSeries",
                period_s=first.alarm.period_s if first.alarm.period_s % 60 == 0 else 60,
                metrics=tuple(rows),
                annotations=Annotations(horizontal=tuple(lines)),
                y_axis=YAxes(left=YAxis(label=first.unit or None, min=_floor(first.unit), show_units=False)),
                legend_position="bottom",
            )
        )
    return tuple(graphs)
