"""Would PutDashboard take this body? Every documented rule and limit, and lint apart from it.

Source: "Dashboard body structure and syntax" and PutDashboard (CloudWatch API reference). AWS publishes no JSON Schema of the
body. Errors are what AWS documents or was seen to refuse; warnings are legal and probably not meant. Every problem holds a JSON
pointer, as AWS's own `dataPath` does.
"""

from __future__ import annotations

import json
import re
from typing import Any

from cloudwatch import limits
from cloudwatch.dashboard.codec import Problems, pointer
from cloudwatch.dashboard.content_rules import CONTENT_RULES, check_count, row_count
from cloudwatch.dashboard.reader import read_body
from cloudwatch.dashboard.render import render
from cloudwatch.dashboard.values import DashboardBody
from cloudwatch.problems import Problem, ProblemSeverity

__all__ = ["COLUMNS", "METRICS_PER_DASHBOARD", "WIDGETS", "refusal", "validate_body"]

COLUMNS = 24
WIDGETS = 500
VARIABLES = 25
MAX_HEIGHT = 1000
METRICS_PER_DASHBOARD = 2500  # named in older quota pages; not in the current one, so a warning
VARIABLE_ID_LENGTH = 32
VARIABLE_LABEL_LENGTH = 30
VARIABLE_VALUES = 500
VARIABLE_TEXT_LENGTH = 255
VARIABLE_SEARCH_LENGTH = 2048
_NAME = re.compile(r"[A-Za-z0-9_-]+\Z")
_VARIABLE_ID = re.compile(r"[0-9A-Za-z_-]+\Z")
_RELATIVE = re.compile(r"-P(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?|\d+[YMWD])\Z")
_ABSOLUTE = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})\Z")
_NAME_CODE = "invalid-dashboard-name"


def validate_body(obj: Any, name: str | None = None) -> tuple[Problem, ...]:
    """Return what is wrong with a dashboard body, in the order of the document.

    Args:
        obj: JSON text, parsed JSON, or a `DashboardBody`.
        name: Name of the dashboard, checked too where given.
    """
    problems = Problems()
    if name is not None:
        _check_name(name, problems)
    raw = render(obj) if isinstance(obj, DashboardBody) else obj
    _, shape = read_body(raw)
    problems.found.extend(shape)
    if isinstance(raw, str | bytes):
        try:
            raw = json.loads(raw)
        except ValueError:
            return tuple(problems.found)
    if isinstance(raw, dict):
        _check_top(raw, problems)
        _check_widgets(raw.get("widgets"), problems)
        _check_variables(raw.get("variables"), problems)
    return tuple(sorted(problems.found, key=_document_order))


def refusal(problems: tuple[Problem, ...]) -> tuple[str, str] | None:
    """Return the error code and message that PutDashboard would answer with, or None when nothing is an error."""
    errors = [problem for problem in problems if problem.severity is ProblemSeverity.ERROR]
    if not errors:
        return None
    named = next((problem for problem in errors if problem.code == _NAME_CODE), None)
    if named is not None:
        return "InvalidParameterValue", named.message
    listed = json.dumps([{"dataPath": problem.place.path, "message": problem.message} for problem in errors], indent=2)
    count = len(errors)
    return "InvalidParameterInput", f"The dashboard body is invalid, there are {count} validation errors:\n{listed}"


def _document_order(problem: Problem) -> tuple[tuple[int, str], ...]:
    parts = problem.place.path.split("/")[1:]
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in parts)


def _check_name(name: str, problems: Problems) -> None:
    if not _NAME.match(name):
        problems.error(
            "",
            "The value for field DashboardName contains invalid characters. It can only contain alphanumerics, dash (-) "
            "and underscore (_).\n",
            code=_NAME_CODE,
        )
    elif len(name) > limits.DASHBOARD_NAME_LENGTH:
        problems.error(
            "",
            f"The value for field DashboardName has {len(name)} characters, CloudWatch takes "
            f"{limits.DASHBOARD_NAME_LENGTH}.",
            code=_NAME_CODE,
        )


def _check_top(raw: dict[str, Any], problems: Problems) -> None:
    start, end = raw.get("start"), raw.get("end")
    if isinstance(start, str) and not (_RELATIVE.match(start) or _ABSOLUTE.match(start)):
        problems.error("/start", "Invalid start time", hint="Write -PT8H, -P7D or an ISO 8601 time.")
    if "end" in raw and "start" not in raw:
        problems.error("", "Should have property start when property end is present")
    if isinstance(end, str) and not _ABSOLUTE.match(end):
        problems.error("/end", "Invalid end time", hint="Write an ISO 8601 time such as 2026-11-02T00:00:00.000Z.")
    if isinstance(start, str) and isinstance(end, str):
        if _RELATIVE.match(start):
            problems.error("/start", "With an end, start has to be an absolute time")
        elif _ABSOLUTE.match(start) and _ABSOLUTE.match(end) and start[-1] == end[-1] == "Z" and start >= end:
            problems.error("/end", "end has to be later than start")


def _check_widgets(widgets: Any, problems: Problems) -> None:
    check_count(widgets, "/widgets", problems, at_most=WIDGETS)
    rows = 0
    placed: list[tuple[int, int, int, int, str]] = []
    for index, widget in enumerate(widgets if isinstance(widgets, list) else ()):
        if not isinstance(widget, dict):
            continue
        path = pointer("/widgets", index)
        _check_place(widget, path, problems)
        properties = widget.get("properties")
        rule = CONTENT_RULES.get(widget.get("type", "") if isinstance(widget.get("type"), str) else "")
        if isinstance(properties, dict) and rule is not None:
            rule(properties, pointer(path, "properties"), problems)
            rows += row_count(properties) if widget["type"] == "metric" else 0
        x, y, width, height = (widget.get(key, 6) for key in ("x", "y", "width", "height"))
        if "x" in widget and "y" in widget and all(isinstance(number, int) for number in (x, y, width, height)):
            placed.append((y, x, y + height, x + width, path))
    _lint_overlaps(placed, problems)
    if rows > METRICS_PER_DASHBOARD:
        problems.warning(
            "/widgets",
            f"the widgets hold {rows} metric rows; older AWS pages name {METRICS_PER_DASHBOARD} as the most",
            code="many-metrics",
        )


def _check_place(widget: dict[str, Any], path: str, problems: Problems) -> None:
    for one, other in (("x", "y"), ("y", "x")):
        if one in widget and other not in widget:
            problems.error(path, f"Should have property {other} when property {one} is present")
    bounds = (("x", 0, COLUMNS - 1), ("y", 0, None), ("width", 1, COLUMNS), ("height", 1, MAX_HEIGHT))
    for key, low, high in bounds:
        number = widget.get(key)
        if isinstance(number, bool) or not isinstance(number, int | float):
            continue
        if number < low:
            problems.error(pointer(path, key), f"Should be >= {low}")
        if high is not None and number > high:
            problems.error(pointer(path, key), f"Should be <= {high}")
    x, width = widget.get("x"), widget.get("width", 6)
    if isinstance(x, int) and isinstance(width, int) and x < COLUMNS and width <= COLUMNS < x + width:
        problems.warning(path, f"the widget ends at column {x + width} of {COLUMNS}", code="outside-grid")


def _lint_overlaps(placed: list[tuple[int, int, int, int, str]], problems: Problems) -> None:
    ordered = sorted(placed)
    for index, (_, left, bottom, right, path) in enumerate(ordered):
        for other_top, other_left, _, other_right, other in ordered[index + 1 :]:
            if other_top >= bottom:
                break
            if left < other_right and other_left < right:
                problems.warning(other, f"the widget overlaps {path}", code="widgets-overlap")


def _check_variables(variables: Any, problems: Problems) -> None:
    check_count(variables, "/variables", problems, at_most=VARIABLES)
    seen: set[str] = set()
    for index, variable in enumerate(variables if isinstance(variables, list) else ()):
        if not isinstance(variable, dict):
            continue
        path = pointer("/variables", index)
        identity = variable.get("id")
        _check_length(variable, "id", path, problems, at_most=VARIABLE_ID_LENGTH, at_least=1)
        if isinstance(identity, str):
            if identity and not _VARIABLE_ID.match(identity):
                problems.error(pointer(path, "id"), "Should match pattern '^[0-9A-Za-z-_]+$'")
            if identity in seen:
                problems.error(pointer(path, "id"), f'The variable id "{identity}" is used more than once')
            seen.add(identity)
        _check_length(variable, "label", path, problems, at_most=VARIABLE_LABEL_LENGTH)
        _check_length(variable, "search", path, problems, at_most=VARIABLE_SEARCH_LENGTH)
        _check_variable_source(variable, path, problems)


def _check_length(
    raw: dict[str, Any], key: str, path: str, problems: Problems, *, at_most: int, at_least: int = 0
) -> None:
    text = raw.get(key)
    if isinstance(text, str) and len(text) > at_most:
        problems.error(
            pointer(path, key), f"Should NOT be longer than {at_most} characters", hint=f"There are {len(text)}."
        )
    if isinstance(text, str) and len(text) < at_least:
        problems.error(pointer(path, key), f"Should NOT be shorter than {at_least} characters")


def _check_variable_source(variable: dict[str, Any], path: str, problems: Problems) -> None:
    kind = variable.get("type")
    if kind in ("property", "pattern") and kind not in variable:
        problems.error(path, f"Should have required property '{kind}'")
    if "values" in variable:
        values = variable["values"]
        check_count(values, pointer(path, "values"), problems, at_most=VARIABLE_VALUES, at_least=1)
        for index, value in enumerate(values if isinstance(values, list) else ()):
            if isinstance(value, dict):
                for key in ("value", "label"):
                    _check_length(value, key, pointer(path, "values", index), problems, at_most=VARIABLE_TEXT_LENGTH)
    if "search" in variable and "populateFrom" not in variable:
        problems.error(path, "Should have property populateFrom when property search is present")
    if variable.get("inputType") in ("select", "radio") and not {"values", "search"} & variable.keys():
        problems.error(path, "Should have required property 'values'", hint="Give values, or a search to fill them.")
    if variable.get("defaultValue") == "__FIRST" and "search" not in variable:
        problems.error(pointer(path, "defaultValue"), '"__FIRST" needs a search')
