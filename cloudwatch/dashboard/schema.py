"""Which attribute is which JSON key? The tables that writer and reader of a dashboard body share.

Source: "Dashboard body structure and syntax" (CloudWatch API reference) and, for `custom` widgets, "Custom widget dashboard
samples" (CloudWatch User Guide).
"""

from __future__ import annotations

import json
from typing import Any, Literal, assert_never

from cloudwatch.dashboard import values
from cloudwatch.dashboard.codec import (
    FLAG,
    INTEGER,
    JSON_TEXT,
    NUMBER,
    TEXT,
    Codec,
    Field,
    Problems,
    choice,
    list_of,
    pointer,
    record,
)
from cloudwatch.dashboard.rows import COLOR, ROWS

__all__ = ["BODY", "KNOWN_TYPES", "OPAQUE_TYPES", "type_of"]

OPAQUE_TYPES = ("chart",)
_Background = Literal["solid", "transparent"]


def _field(attribute: str, key: str, codec: Codec, *, required: bool = False) -> Field:
    return Field(attribute, tuple(key.split(".")), codec, required)


def _paired(line: Codec, line_type: type, band_type: Any) -> Codec:
    """Return the codec of an annotation that is one line, or an array of two lines for a band."""

    def render(value: Any) -> Any:
        if isinstance(value, line_type):
            return line.render(value)
        return [line.render(value.first), line.render(value.second)]

    def read(raw: Any, path: str, problems: Problems) -> Any:
        if not isinstance(raw, list):
            return line.read(raw, path, problems)
        if len(raw) != 2:
            bound = "more" if len(raw) > 2 else "less"
            problems.error(path, f"Should NOT have {bound} than 2 items", hint="A band is a pair of annotations.")
            return None
        first, second = (line.read(element, pointer(path, index), problems) for index, element in enumerate(raw))
        return None if first is None or second is None else band_type(first=first, second=second)

    return Codec(render=render, read=read)


HORIZONTAL = record(
    values.HorizontalAnnotation,
    _field("value", "value", NUMBER, required=True),
    _field("label", "label", TEXT),
    _field("color", "color", COLOR),
    _field("fill", "fill", choice(values.HorizontalFill)),
    _field("visible", "visible", FLAG),
    _field("y_axis", "yAxis", choice(values.AxisSide)),
)
VERTICAL = record(
    values.VerticalAnnotation,
    _field("at", "value", TEXT, required=True),
    _field("label", "label", TEXT),
    _field("color", "color", COLOR),
    _field("fill", "fill", choice(values.VerticalFill)),
    _field("visible", "visible", FLAG),
)
ANNOTATIONS = record(
    values.Annotations,
    _field(
        "horizontal", "horizontal", list_of(_paired(HORIZONTAL, values.HorizontalAnnotation, values.HorizontalBand))
    ),
    _field("vertical", "vertical", list_of(_paired(VERTICAL, values.VerticalAnnotation, values.VerticalBand))),
    _field("alarms", "alarms", list_of(TEXT)),
)
Y_AXIS = record(
    values.YAxis,
    _field("label", "label", TEXT),
    _field("min", "min", NUMBER),
    _field("max", "max", NUMBER),
    _field("show_units", "showUnits", FLAG),
)
METRIC = record(
    values.MetricWidget,
    _field("region", "region", TEXT),
    _field("title", "title", TEXT),
    _field("view", "view", choice(values.View)),
    _field("stacked", "stacked", FLAG),
    _field("sparkline", "sparkline", FLAG),
    _field("metrics", "metrics", ROWS),
    _field("stat", "stat", TEXT),
    _field("period_s", "period", INTEGER),
    _field("account_id", "accountId", TEXT),
    _field(
        "annotations",
        "annotations",
        ANNOTATIONS,
    ),
    _field("y_axis", "yAxis", record(values.YAxes, _field("left", "left", Y_AXIS), _field("right", "right", Y_AXIS))),
    _field("legend_position", "legend.position", choice(values.LegendPosition)),
    _field("live_data", "liveData", FLAG),
    _field("timezone", "timezone", TEXT),
    _field(
        "table",
        "table",
        record(
            values.TableOptions,
            _field("layout", "layout", choice(Literal["horizontal", "vertical"])),
            _field("sticky_summary", "stickySummary", FLAG),
            _field("show_time_series_data", "showTimeSeriesData", FLAG),
            _field("summary_columns", "summaryColumns", list_of(choice(values.Summary))),
        ),
    ),
    _field("pie_labels", "labels.visible", FLAG),
    _field("set_period_to_time_range", "setPeriodToTimeRange", FLAG),
    _field("full_precision", "singleValueFullPrecision", FLAG),
    _field("start", "start", TEXT),
    _field("end", "end", TEXT),
)
TEXT_WIDGET = record(
    values.TextWidget,
    _field("markdown", "markdown", TEXT, required=True),
    _field("background", "background", choice(_Background)),
)
LOG = record(
    values.LogWidget,
    _field("region", "region", TEXT, required=True),
    _field("query", "query", TEXT, required=True),
    _field("title", "title", TEXT),
    _field("view", "view", choice(values.LogView)),
    _field("stacked", "stacked", FLAG),
    _field("account_id", "accountId", TEXT),
    _field("query_language", "queryLanguage", TEXT),
)
ALARM = record(
    values.AlarmWidget,
    _field("alarms", "alarms", list_of(TEXT), required=True),
    _field("title", "title", TEXT),
    _field("sort_by", "sortBy", choice(values.AlarmSort)),
    _field("states", "states", list_of(choice(values.StateName))),
)
EXPLORER = record(
    values.ExplorerWidget,
    _field(
        "metrics",
        "metrics",
        list_of(
            record(
                values.ExplorerMetric,
                _field("metric_name", "metricName", TEXT, required=True),
                _field("resource_type", "resourceType", TEXT, required=True),
                _field("stat", "stat", TEXT, required=True),
            )
        ),
        required=True,
    ),
    _field(
        "labels",
        "labels",
        list_of(
            record(values.ExplorerLabel, _field("key", "key", TEXT, required=True), _field("value", "value", TEXT))
        ),
    ),
    _field(
        "aggregate_by",
        "aggregateBy",
        record(
            values.ExplorerAggregate,
            _field("key", "key", TEXT, required=True),
            _field("func", "func", choice(values.Aggregate), required=True),
        ),
    ),
    _field("split_by", "splitBy", TEXT),
    _field("title", "title", TEXT),
    _field("period_s", "period", INTEGER),
    _field("region", "region", TEXT),
    _field("account_id", "accountId", TEXT),
    _field(
        "options",
        "widgetOptions",
        record(
            values.ExplorerOptions,
            _field("legend_position", "legend.position", choice(values.LegendPosition)),
            _field("view", "view", choice(values.View)),
            _field("stacked", "stacked", FLAG),
            _field("rows_per_page", "rowsPerPage", INTEGER),
            _field("widgets_per_row", "widgetsPerRow", INTEGER),
        ),
    ),
)
CUSTOM = record(
    values.CustomWidget,
    _field("endpoint", "endpoint", TEXT, required=True),
    _field("title", "title", TEXT),
    _field("params_json", "params", JSON_TEXT),
    _field(
        "update_on",
        "updateOn",
        record(
            values.UpdateOn,
            _field("refresh", "refresh", FLAG),
            _field("resize", "resize", FLAG),
            _field("time_range", "timeRange", FLAG),
        ),
    ),
)
_CONTENT: dict[str, Codec] = {
    "metric": METRIC,
    "text": TEXT_WIDGET,
    "log": LOG,
    "alarm": ALARM,
    "explorer": EXPLORER,
    "custom": CUSTOM,
}
KNOWN_TYPES = (*_CONTENT, *OPAQUE_TYPES)


def type_of(content: values.Content) -> str:
    """Return the `type` of a widget's content."""
    match content:
        case values.MetricWidget():
            return "metric"
        case values.TextWidget():
            return "text"
        case values.LogWidget():
            return "log"
        case values.AlarmWidget():
            return "alarm"
        case values.ExplorerWidget():
            return "explorer"
        case values.CustomWidget():
            return "custom"
        case values.OpaqueWidget():
            return content.type
        case _:
            assert_never(content)


def _render_widget(widget: values.Widget) -> dict[str, Any]:
    content = widget.content
    kind = type_of(content)
    out: dict[str, Any] = {"type": kind}
    out |= {key: got for key, got in (("x", widget.x), ("y", widget.y)) if got is not None}
    out |= {"width": widget.width, "height": widget.height}
    if isinstance(content, values.OpaqueWidget):
        out["properties"] = json.loads(content.properties_json)
    else:
        out["properties"] = _CONTENT[kind].render(content)
    return out


def _read_content(raw: dict[str, Any], path: str, problems: Problems) -> values.Content | None:
    kind = raw.get("type")
    if "type" not in raw:
        problems.error(path, "Should have required property 'type'")
        return None
    if "properties" not in raw:
        problems.error(path, "Should have required property 'properties'")
        return None
    if kind not in KNOWN_TYPES:
        problems.error(
            pointer(path, "type"),
            "Should be equal to one of the allowed values",
            hint=f"Use one of: {', '.join(KNOWN_TYPES)}.",
        )
    if not isinstance(kind, str):
        return None
    properties = raw["properties"]
    if kind not in _CONTENT:
        return values.OpaqueWidget(type=kind, properties_json=JSON_TEXT.read(properties, path, problems))
    content: values.Content | None = _CONTENT[kind].read(properties, pointer(path, "properties"), problems)
    return content


_WIDGET_KEYS = {"type", "properties", "x", "y", "width", "height"}


def _read_widget(raw: Any, path: str, problems: Problems) -> values.Widget | None:
    if not isinstance(raw, dict):
        problems.error(path, "Should be object")
        return None
    for key in raw.keys() - _WIDGET_KEYS:
        problems.warning(
            pointer(path, key),
            f'The "{key}" property is not expected to be part of a widget definition',
            code="unknown-dashboard-property",
        )
    content = _read_content(raw, path, problems)
    place = {
        key: INTEGER.read(raw[key], pointer(path, key), problems) for key in ("x", "y", "width", "height") if key in raw
    }
    if content is None:
        return None
    return values.Widget(content=content, **{key: number for key, number in place.items() if number is not None})


VARIABLE = record(
    values.Variable,
    _field("type", "type", choice(Literal["property", "pattern"]), required=True),
    _field("property", "property", TEXT),
    _field("pattern", "pattern", TEXT),
    _field("input_type", "inputType", choice(Literal["input", "select", "radio"]), required=True),
    _field("id", "id", TEXT, required=True),
    _field("label", "label", TEXT),
    _field("default_value", "defaultValue", TEXT),
    _field("visible", "visible", FLAG),
    _field("search", "search", TEXT),
    _field("populate_from", "populateFrom", TEXT),
    _field(
        "values",
        "values",
        list_of(
            record(values.VariableValue, _field("value", "value", TEXT, required=True), _field("label", "label", TEXT))
        ),
    ),
)
BODY = record(
    values.DashboardBody,
    _field("start", "start", TEXT),
    _field("end", "end", TEXT),
    _field("period_override", "periodOverride", choice(Literal["auto", "inherit"])),
    _field("variables", "variables", list_of(VARIABLE)),
    _field("widgets", "widgets", list_of(Codec(render=_render_widget, read=_read_widget)), required=True),
)
