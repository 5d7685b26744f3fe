"""What is wrong inside one widget? Rules and limits on the properties of each widget type.

Source: "Dashboard body structure and syntax" (CloudWatch API reference); messages follow those that PutDashboard was seen to give.
The shape (types, allowed values) is judged by the reader; here stand limits and rules over several properties.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from cloudwatch import limits
from cloudwatch.dashboard.codec import Problems, pointer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["ALARMS_PER_WIDGET", "CONTENT_RULES", "EXPLORER_METRICS", "METRICS_PER_WIDGET", "check_count", "row_count"]

METRICS_PER_WIDGET = 500
ALARMS_PER_WIDGET = 100
ALARM_ANNOTATIONS = 1
EXPLORER_METRICS = 100
NO_SOURCE = "The metric widget should have specified a region and a data source or an alarm annotation"
_HIGH_RESOLUTION_S = frozenset({1, 5, 10, 20, 30})
_TIMEZONE = re.compile(r"[+-]\d{4}\Z")
_ID = re.compile(r"[a-z][A-Za-z0-9_]*\Z")
_INSIGHTS = re.compile(r"\s*SELECT\s", re.IGNORECASE)
_NAME = re.compile(r"'[^']*'|\"[^\"]*\"|\b[A-Za-z_][A-Za-z0-9_]*")
_SEARCH = re.compile(r"SEARCH\s*\(\s*(['\"])(.*?)\1", re.DOTALL)


def check_count(items: Any, path: str, problems: Problems, *, at_most: int, at_least: int = 0) -> None:
    """Report an array with too many or too few items, as a JSON Schema validator words it."""
    if isinstance(items, list | tuple):
        if len(items) < at_least:
            problems.error(path, f"Should NOT have less than {at_least} items")
        if len(items) > at_most:
            problems.error(path, f"Should NOT have more than {at_most} items", hint=f"There are {len(items)}.")


def row_count(properties: Mapping[str, Any]) -> int:
    """Return how many rows a metric widget has."""
    metrics = properties.get("metrics")
    return len(metrics) if isinstance(metrics, list) else 0


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _check_period(value: Any, path: str, problems: Problems, *, in_row: bool) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        return
    if value > 0 and value % 60 == 0:
        return
    if in_row and value in _HIGH_RESOLUTION_S:
        return
    taken = "1, 5, 10, 20, 30 or a multiple of 60" if in_row else "a multiple of 60"
    problems.error(path, "Should be multiple of 60", hint=f"A period is {taken} seconds, this is {value}.")


def _check_metric(properties: dict[str, Any], path: str, problems: Problems) -> None:
    annotations = _mapping(properties.get("annotations"))
    alarms = annotations.get("alarms")
    if "metrics" not in properties and alarms is None:
        problems.error(path, "Should have required property 'metrics'")
        problems.error(path, NO_SOURCE)
        if "annotations" not in properties:
            problems.error(path, "Should have required property 'annotations'")
        else:
            problems.error(pointer(path, "annotations"), "Should have required property 'alarms'")
    elif "metrics" in properties and "region" not in properties:
        problems.error(path, NO_SOURCE, hint="Add the region.")
    check_count(alarms, pointer(path, "annotations", "alarms"), problems, at_most=ALARM_ANNOTATIONS, at_least=1)
    if alarms is not None:
        excluded: list[str] = [key for key in ("horizontal", "vertical") if key in annotations]
        excluded += ["metrics"] if "metrics" in properties else []
        for key in excluded:
            problems.error(
                pointer(path, "annotations", "alarms"),
                f"An alarm annotation cannot be used together with {key}",
                hint="Draw the alarm alone, or the metrics with a horizontal annotation.",
            )
    check_count(properties.get("metrics"), pointer(path, "metrics"), problems, at_most=METRICS_PER_WIDGET)
    _check_period(properties.get("period"), pointer(path, "period"), problems, in_row=False)
    _check_rows(properties.get("metrics"), pointer(path, "metrics"), problems)
    _check_view(properties, path, problems)
    timezone = properties.get("timezone")
    if isinstance(timezone, str) and not _TIMEZONE.match(timezone):
        problems.error(pointer(path, "timezone"), "Should match pattern '^[+-][0-9]{4}$'", hint="For example +0130.")


def _check_view(properties: dict[str, Any], path: str, problems: Problems) -> None:
    view = properties.get("view", "timeSeries")
    axes = _mapping(properties.get("yAxis"))
    if view == "gauge":
        left = _mapping(axes.get("left"))
        for bound in ("min", "max"):
            if bound not in left:
                problems.error(
                    pointer(path, "yAxis", "left") if left else path,
                    f"Should have required property '{bound}'",
                    hint="A gauge needs yAxis.left.min and yAxis.left.max.",
                )
    for side, axis in axes.items():
        low, high = _mapping(axis).get("min"), _mapping(axis).get("max")
        if isinstance(low, int | float) and isinstance(high, int | float) and low >= high:
            problems.warning(
                pointer(path, "yAxis", side), f"min {low} is not below max {high}", code="empty-axis-range"
            )
    if properties.get("sparkline") is True and view != "singleValue":
        problems.warning(
            pointer(path, "sparkline"),
            f"a sparkline is drawn in view singleValue only, not in {view}",
            code="no-effect",
        )
    if properties.get("sparkline") is True and properties.get("setPeriodToTimeRange") is True:
        problems.warning(
            pointer(path, "setPeriodToTimeRange"),
            "one number over the whole time range leaves no points for a sparkline",
            code="sparkline-without-points",
        )
    if properties.get("stacked") is True and view != "timeSeries":
        problems.warning(pointer(path, "stacked"), f"stacked has no effect in view {view}", code="no-effect")
    if "table" in properties and view != "table":
        problems.warning(pointer(path, "table"), f"table options have no effect in view {view}", code="no-effect")


def _row_options(metrics: Any, path: str) -> Iterator[tuple[str, dict[str, Any], int]]:
    for index, row in enumerate(metrics if isinstance(metrics, list) else ()):
        if isinstance(row, list):
            options = row[-1] if row and isinstance(row[-1], dict) else {}
            texts = len(row) - 1 if options else len(row)
            yield pointer(path, index), options, texts


def _check_rows(metrics: Any, path: str, problems: Problems) -> None:
    seen: set[str] = set()
    insights = 0
    for here, options, texts in _row_options(metrics, path):
        _check_period(options.get("period"), pointer(here, texts, "period"), problems, in_row=True)
        row_id = options.get("id")
        if isinstance(row_id, str):
            if not _ID.match(row_id):
                problems.error(
                    pointer(here, texts, "id"),
                    f'Invalid metric id "{row_id}"',
                    hint="An id starts with a lower-case letter, then letters, digits and _.",
                )
            if row_id in seen:
                problems.error(pointer(here, texts, "id"), f'The metric id "{row_id}" is used more than once')
            seen.add(row_id)
        expression = options.get("expression")
        if isinstance(expression, str):
            insights += bool(_INSIGHTS.match(expression))
            _check_expression(expression, pointer(here, texts, "expression"), problems)
    _lint_references(metrics, path, problems, known=seen)
    if insights > 1:
        problems.error(path, f"At most one Metrics Insights query is allowed in a metrics array, there are {insights}")


def _lint_references(metrics: Any, path: str, problems: Problems, *, known: set[str]) -> None:
    for here, options, texts in _row_options(metrics, path):
        expression = options.get("expression")
        if not isinstance(expression, str) or _INSIGHTS.match(expression):
            continue
        names = dict.fromkeys(_NAME.findall(expression))
        unknown = [name for name in names if _ID.match(name) and name not in known]
        if unknown:
            problems.warning(
                pointer(here, texts, "expression"),
                f"the expression refers to {', '.join(unknown)}, and no row of the widget has that id",
                code="unknown-metric-id",
                hint="CloudWatch takes the body and shows an error in the widget.",
            )


def _check_expression(expression: str, path: str, problems: Problems) -> None:
    for search in _SEARCH.finditer(expression):
        length = len(search.group(2))
        if length > limits.SEARCH_LENGTH:
            problems.error(path, f"The search has {length} characters, CloudWatch takes {limits.SEARCH_LENGTH}")
    if len(expression) > limits.EXPRESSION_LENGTH:
        problems.warning(
            path,
            f"The expression has {len(expression)} characters; GetMetricData takes {limits.EXPRESSION_LENGTH}",
            code="long-expression",
        )
    if not expression.strip():
        problems.error(path, "Should NOT be shorter than 1 characters")


def _check_alarm(properties: dict[str, Any], path: str, problems: Problems) -> None:
    alarms = properties.get("alarms")
    check_count(alarms, pointer(path, "alarms"), problems, at_most=ALARMS_PER_WIDGET, at_least=1)
    for index, alarm in enumerate(alarms if isinstance(alarms, list) else ()):
        if isinstance(alarm, str) and not alarm.startswith("arn:") and "${" not in alarm:
            problems.error(
                pointer(path, "alarms", index), "Should be an alarm ARN", hint=f"Write the ARN instead of {alarm!r}."
            )


def _check_log(properties: dict[str, Any], path: str, problems: Problems) -> None:
    query = properties.get("query")
    if isinstance(query, str) and not re.match(r"\s*(SOURCE|SELECT|source|FROM)\b", query):
        problems.warning(
            pointer(path, "query"),
            "the query names no log group",
            code="log-query-without-source",
            hint="Begin with SOURCE 'log-group-name' |.",
        )


def _check_explorer(properties: dict[str, Any], path: str, problems: Problems) -> None:
    check_count(properties.get("metrics"), pointer(path, "metrics"), problems, at_most=EXPLORER_METRICS, at_least=1)
    _check_period(properties.get("period"), pointer(path, "period"), problems, in_row=False)


CONTENT_RULES: dict[str, Callable[[dict[str, Any], str, Problems], None]] = {
    "metric": _check_metric,
    "alarm": _check_alarm,
    "log": _check_log,
    "explorer": _check_explorer,
}
