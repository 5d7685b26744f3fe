"""What does the page need to know to draw a widget? One JSON object for each, with references to the series.

Every kind of widget of "Dashboard body structure and syntax" has an answer here. What cannot be drawn carries `why`; what can only be
drawn in part carries `notes`. Nothing is dropped in silence.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np

from cloudwatch.alarm import CompositeAlarm, MetricAlarm
from cloudwatch.dashboard.values import (
    AlarmWidget,
    Annotations,
    CustomWidget,
    ExplorerWidget,
    ExpressionRow,
    HorizontalAnnotation,
    HorizontalBand,
    LogWidget,
    MetricRow,
    MetricWidget,
    OpaqueWidget,
    TextWidget,
    VerticalAnnotation,
    VerticalBand,
)
from cloudwatch.metric import MetricQuery
from cloudwatch.problems import InvalidValueError
from dashboards.preview.alarms import alarms_under, name_of
from dashboards.preview.insights import answer
from dashboards.preview.markdown import markdown_html
from dashboards.preview.timespan import PRESETS, Span, parse_moment, shown_span

if TYPE_CHECKING:
    from cloudwatch.dashboard.values import Content, YAxis
    from dashboards.preview.encoding import Chunks
    from dashboards.preview.series import Evaluator, WidgetSeries
    from dashboards.preview.source import PreviewData

__all__ = ["Specs"]

_ZONE = re.compile(r"([+-])(\d{2})(\d{2})\Z")
_ONE_NUMBER = {"singleValue", "gauge", "bar", "pie"}


class Specs:
    """Turns contents into JSON for one page."""

    def __init__(self, data: PreviewData, *, evaluator: Evaluator, chunks: Chunks) -> None:
        self._data = data
        self._evaluator = evaluator
        self._chunks = chunks

    def spec(self, content: Content) -> dict[str, Any]:
        """Return what the page draws for a content."""
        match content:
            case MetricWidget():
                return self._metric(content)
            case TextWidget():
                return {
                    "kind": "text",
                    "html": markdown_html(content.markdown),
                    "clear": content.background == "transparent",
                }
            case LogWidget():
                return self._log(content)
            case AlarmWidget():
                return self._alarm(content)
            case ExplorerWidget():
                return _explorer(content)
            case CustomWidget():
                return {
                    "kind": "placeholder",
                    "title": content.title or "Custom widget",
                    "why": "A Lambda function returns what this widget shows; a preview runs nobody's code.",
                    "facts": [
                        ["Function", content.endpoint],
                        *([["Parameters", content.params_json]] if content.params_json else []),
                    ],
                }
            case OpaqueWidget():
                return _opaque(content)
            case _:
                assert_never(content)

    def _metric(self, widget: MetricWidget) -> dict[str, Any]:
        out: dict[str, Any] = {"kind": "metric", "view": widget.view or "timeSeries", "title": widget.title or ""}
        if widget.annotations.alarms:
            widget = self._with_alarm(widget, out)
        span, note = shown_span(widget.start, widget.end, data=self._data.span)
        notes = [note] if note else []
        if widget.start is not None:
            out["own"] = [span.start_s, span.end_s]
        found = self._evaluator.series(widget, span=self._data.span)
        notes += found.notes
        out |= _looks(widget)
        out["rows"] = [
            {
                "label": series.label,
                "at": self._chunks.add(series.values) | {"t": series.start_s, "p": series.period_s},
                "color": series.color,
                "axis": series.axis,
                "unit": series.unit,
            }
            for series in found.drawn
        ]
        if widget.set_period_to_time_range and out["view"] in _ONE_NUMBER:
            self._whole_range(widget, out)
        out["lines"], out["times"] = _annotations(widget.annotations)
        out["alarms"] = alarms_under(widget, data=self._data)
        if any(series.generic for series in found.drawn):
            notes.append("Drawn from a wave that stands for nothing: this metric is not known to the simulator.")
        out["why"] = _nothing(widget, found, out)
        out["notes"] = notes
        return out

    def _with_alarm(self, widget: MetricWidget, out: dict[str, Any]) -> MetricWidget:
        """Return the widget with the metric and threshold of the one alarm that it shows."""
        name = name_of(widget.annotations.alarms[0])
        alarm = self._data.timeline.alarms.get(name) if self._data.timeline else None
        out["title"] = out["title"] or name
        if isinstance(alarm, CompositeAlarm):
            out["why"] = f"{name} is a composite alarm: it has states and no metric to draw."
        if not isinstance(alarm, MetricAlarm):
            out.setdefault("why", f"The input does not define the alarm {name}, so its metric is not known.")
            return widget
        rows = tuple(
            MetricRow(
                metric=query.metric,
                id=query.id,
                stat=query.stat,
                period_s=query.period_s,
                label=query.label,
                visible=query is alarm.returned,
            )
            if isinstance(query, MetricQuery)
            else ExpressionRow(
                expression=query.expression,
                id=query.id,
                label=query.label or name,
                period_s=alarm.period_s,
                visible=query is alarm.returned,
            )
            for query in alarm.queries
        )
        lines: tuple[HorizontalAnnotation, ...] = ()
        if alarm.threshold is not None:
            lines = (HorizontalAnnotation(value=alarm.threshold, label=f"{name}", color="#d13212"),)
        shown = replace(widget.annotations, horizontal=lines)
        return replace(widget, metrics=rows, annotations=shown)

    def _whole_range(self, widget: MetricWidget, out: dict[str, Any]) -> None:
        """Add what each row gives over a whole range as one period, for every range that the picker offers."""
        data = self._data.span
        spans = {"all": data} | {
            name: Span(start_s=data.end_s - length, end_s=data.end_s)
            for name, length in PRESETS.items()
            if length < data.length_s
        }
        for name, span in spans.items():
            found = self._evaluator.series(widget, span=span, period_s=span.length_s)
            for row, series in zip(out["rows"], found.drawn, strict=False):
                row.setdefault("whole", {})[name] = _number(series.values[-1])

    def _log(self, widget: LogWidget) -> dict[str, Any]:
        out: dict[str, Any] = {
            "kind": "log",
            "title": widget.title or "",
            "query": widget.query,
            "view": widget.view or "table",
        }
        if widget.query_language not in {None, "", "CWLI"}:
            return out | {"why": f"Queries in {widget.query_language} are not run here; Logs Insights queries are."}
        try:
            table = answer(widget.query, logs=self._data.logs, span=self._data.span)
        except InvalidValueError as error:
            return out | {"why": f"{error}."}
        return out | {
            "columns": list(table.columns),
            "cells": [list(row) for row in table.rows],
            "notes": list(table.notes),
        }

    def _alarm(self, widget: AlarmWidget) -> dict[str, Any]:
        known = self._data.timeline.alarms if self._data.timeline else {}
        names = [name_of(arn) for arn in widget.alarms]
        return {
            "kind": "alarm",
            "title": widget.title or "",
            "names": names,
            "sort": widget.sort_by or "default",
            "states": list(widget.states),
            "unknown": [name for name in names if name not in known],
            "why": ""
            if known or not names
            else "No alarm is defined in the input, or there is no data to evaluate it.",
        }


def _looks(widget: MetricWidget) -> dict[str, Any]:
    zone = _ZONE.match(widget.timezone or "")
    minutes = 0 if zone is None else (int(zone[2]) * 60 + int(zone[3])) * (-1 if zone[1] == "-" else 1)
    return {
        "stacked": bool(widget.stacked),
        "sparkline": widget.sparkline is not False,
        "legend": widget.legend_position or "bottom",
        "zone": minutes,
        "full": bool(widget.full_precision),
        "region": widget.region or "",
        "axes": {"left": _axis(widget.y_axis.left), "right": _axis(widget.y_axis.right)},
        "pie_labels": widget.pie_labels is not False,
        "whole": bool(widget.set_period_to_time_range),
        "table": {
            "layout": widget.table.layout or "horizontal",
            "sticky": bool(widget.table.sticky_summary),
            "series": widget.table.show_time_series_data is not False,
            "summary": list(widget.table.summary_columns),
        },
    }


def _axis(axis: YAxis | None) -> dict[str, Any]:
    if axis is None:
        return {}
    out = {"label": axis.label, "min": axis.min, "max": axis.max, "units": axis.show_units is not False}
    return {key: value for key, value in out.items() if value is not None}


def _nothing(widget: MetricWidget, found: WidgetSeries, out: dict[str, Any]) -> str:
    if out.get("why"):
        return str(out["why"])
    if widget.view == "gauge" and (
        widget.y_axis.left is None or widget.y_axis.left.min is None or widget.y_axis.left.max is None
    ):
        return "A gauge needs yAxis.left.min and yAxis.left.max."
    if found.drawn:
        return "" if any(np.isfinite(series.values).any() for series in found.drawn) else _no_point(widget, found)
    if found.notes:
        return "No row can be computed."
    if any(row.visible is not False for row in widget.metrics):
        searched = any(isinstance(row, ExpressionRow) and "SEARCH(" in row.expression for row in widget.metrics)
        return "The search finds no metric in this data." if searched else "No metric is found."
    return "No row is visible." if widget.metrics else "The widget names no metric."


def _no_point(widget: MetricWidget, found: WidgetSeries) -> str:
    """Say what an empty graph means: a rule that asks for enough calls is empty while a tile that fills gaps says 0."""
    if any(isinstance(widget.metrics[series.row], ExpressionRow) for series in found.drawn):
        return "No point in this range: the expression has none, or fewer calls than it asks for."
    return "No point in this range: nothing was published, as is usual for what counts only errors or throttles."


def _annotations(annotations: Annotations) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    lines: list[dict[str, Any]] = []
    for line in annotations.horizontal:
        first = line.first if isinstance(line, HorizontalBand) else line
        if first.visible is False:
            continue
        entry: dict[str, Any] = {
            "v": first.value,
            "label": first.label or "",
            "color": first.color,
            "fill": first.fill or "none",
            "axis": first.y_axis or "left",
        }
        if isinstance(line, HorizontalBand):
            entry |= {"v2": line.second.value, "label2": line.second.label or ""}
        lines.append(entry)
    times: list[dict[str, Any]] = []
    for moment in annotations.vertical:
        start: VerticalAnnotation = moment.first if isinstance(moment, VerticalBand) else moment
        at = parse_moment(start.at)
        if start.visible is False or at is None:
            continue
        entry = {"t": at, "label": start.label or "", "color": start.color, "fill": start.fill or "none"}
        if isinstance(moment, VerticalBand):
            until = parse_moment(moment.second.at)
            if until is not None:
                entry |= {"t2": until, "label2": moment.second.label or ""}
        times.append(entry)
    return lines, times


def _explorer(widget: ExplorerWidget) -> dict[str, Any]:
    facts = [[metric.resource_type, f"{metric.metric_name}, {metric.stat}"] for metric in widget.metrics]
    facts += [["Tag", label.key + (f" = {label.value}" if label.value else "")] for label in widget.labels]
    if widget.aggregate_by:
        facts.append(["Joined by", f"{widget.aggregate_by.func} over {widget.aggregate_by.key}"])
    if widget.split_by:
        facts.append(["Split by", widget.split_by])
    return {
        "kind": "placeholder",
        "title": widget.title or "Explorer",
        "why": "An explorer draws the resources that carry a tag; only the account knows which these are.",
        "facts": facts,
    }


def _opaque(widget: OpaqueWidget) -> dict[str, Any]:
    properties = json.loads(widget.properties_json)
    title = properties.get("title") if isinstance(properties, dict) else None
    why = (
        "A chart widget asks in PromQL or SQL; neither is evaluated here."
        if widget.type == "chart"
        else f"CloudWatch has no widget type {widget.type!r}, as far as is known here."
    )
    return {
        "kind": "placeholder",
        "title": title if isinstance(title, str) else f"Widget of type {widget.type}",
        "why": why,
        "facts": [["Properties", json.dumps(properties, indent=1, ensure_ascii=False)[:2000]]],
    }


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
