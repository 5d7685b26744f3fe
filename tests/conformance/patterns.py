"""Replays vectors of filter patterns: matches, syntax errors, extracted and published values, limits of metric filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloudwatch.cloudformation import METRIC_FILTER_TYPE, metric_filter_properties
from cloudwatch.metric_filter import MetricFilter
from cloudwatch.metric_filter_events import filter_events
from cloudwatch.metric_filter_limits import filter_problems, log_group_problems
from cloudwatch.patterns import compile_pattern, extracted, parse_pattern, print_pattern
from cloudwatch.problems import InvalidValueError, TextSyntaxError
from cloudwatch.readers.cloudformation import read_template
from cloudwatch.switches import DEFAULT_SWITCHES, alternatives
from tests.conformance.registry import Kind, has

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["RUNNERS"]


def _run_pattern(vector: Mapping[str, Any]) -> list[str]:
    try:
        pattern = parse_pattern(vector["pattern"])
    except TextSyntaxError as wrong:
        return [] if vector["match"] == "SYNTAX_ERROR" else [f"refused: {wrong}"]
    if vector["match"] == "SYNTAX_ERROR":
        return [f"taken, and printed {print_pattern(pattern)}"]
    event = vector["event"] if "event" in vector else vector["message"]
    failures: list[str] = []
    if vector["match"] == "AMBIGUOUS":
        choices = [DEFAULT_SWITCHES, *(each for _, each in alternatives(DEFAULT_SWITCHES))]
        answers = {compile_pattern(pattern, switches=each)(event) for each in choices}
        return [] if len(answers) == 2 else [f"every open choice gives {answers}"]
    for form in (pattern, parse_pattern(print_pattern(pattern))):
        found = compile_pattern(form)(event)
        if found is not vector["match"]:
            failures.append(f"expected match {vector['match']}, found {found}")
    if "extracted" in vector:
        values = extracted(pattern, event)
        if values != vector["extracted"]:
            failures.append(f"expected {vector['extracted']}, extracted {values}")
    if "published" in vector:
        value = _published(vector, event)
        if value != vector["published"]:
            failures.append(f"expected {vector['published']} published, found {value}")
    return failures


def _published(vector: Mapping[str, Any], event: Any) -> float | None:
    metric_filter = _filter(pattern=vector["pattern"], value=str(vector["metricValue"]))
    output = filter_events(metric_filter, events=[event], event_times_s=[600])
    return next((float(samples.sums[0]) for _, samples in output.samples if len(samples.sums)), None)


def _tests(count: int, test: str) -> str:
    return "{ " + " && ".join([test] * count) + " }"


_PATTERN_LIMITS: dict[str, Callable[[int], str]] = {
    "filterPatternLength": lambda n: f'"{"a" * (n - 2)}"',
    "regexPerPattern": lambda n: _tests(n, "$.a = %x%"),
    "wildcardSelectorsPerPattern": lambda n: _tests(n, "$.a[*] = 1"),
    "wildcardsPerSelector": lambda n: f"{{ ${'.a[*]' * n} = 1 }}",
}


def _run_limit(vector: Mapping[str, Any]) -> list[str]:
    try:
        parse_pattern(_PATTERN_LIMITS[vector["limit"]](vector["value"]))
    except InvalidValueError as refused:
        return [f"refused: {refused}"] if vector["accepted"] else []
    return [] if vector["accepted"] else ["taken"]


def _filter(**changes: Any) -> MetricFilter:
    given: dict[str, Any] = {"name": "f", "log_group": "g", "pattern": "{ $.hit = 1 }", "namespace": "N", "metric": "M"}
    return MetricFilter(**given | changes)


def _run_minute(vector: Mapping[str, Any]) -> list[str]:
    events = [{"hit": int(number < vector["matches"]), "value": 3} for number in range(vector["eventsInMinute"])]
    metric_filter = _filter(value=str(vector["metricValue"]), default_value=vector.get("defaultValue"))
    output = filter_events(metric_filter, events=events, event_times_s=[600 + n % 60 for n in range(len(events))])
    sums = [float(samples.sums.sum()) for _, samples in output.samples]
    found = sums[0] if sums else None
    return [] if found == vector["expectedMinuteSum"] else [f"expected {vector['expectedMinuteSum']}, found {found}"]


def _run_definition(vector: Mapping[str, Any]) -> list[str]:
    try:
        metric_filter = _filter(
            dimensions=tuple(vector["dimensions"].items()),
            default_value=vector.get("defaultValue"),
            pattern=vector.get("pattern", "{ $.hit = 1 }"),
        )
        refused = bool(filter_problems(metric_filter))
    except InvalidValueError:
        refused = True
    return [] if refused is (vector["match"] == "INVALID") else [f"refused: {refused}"]


def _group_limit(count: int, pattern: str) -> bool:
    return not log_group_problems(_filter(name=f"f{number}", pattern=pattern) for number in range(count))


def _transformations(count: int) -> bool:
    properties = metric_filter_properties(_filter())
    properties["MetricTransformations"] *= count
    return not read_template({"Resources": {"F": {"Type": METRIC_FILTER_TYPE, "Properties": properties}}}).problems


_FILTER_LIMITS: dict[str, Callable[[int], bool]] = {
    "metricFiltersPerLogGroup": lambda n: _group_limit(n, "ERROR"),
    "regexFiltersPerLogGroup": lambda n: _group_limit(n, "%ERROR%"),
    "metricTransformations": _transformations,
    "dimensions": lambda n: bool(_filter(dimensions=tuple((f"d{number}", "$.a") for number in range(n)))),
}


def _run_filter_limit(vector: Mapping[str, Any]) -> list[str]:
    try:
        accepted = _FILTER_LIMITS[vector["limit"]](vector["value"])
    except InvalidValueError:
        accepted = False
    return [] if accepted is vector["accepted"] else [f"accepted: {accepted}"]


RUNNERS = (
    Kind(
        name="filter pattern",
        claims=lambda vector: (
            {"pattern", "match"} <= vector.keys() and vector.get("kind") in {None, "json", "text", "regex", "space"}
        ),
        run=_run_pattern,
    ),
    Kind(name="filter pattern limit", claims=lambda vector: vector.get("limit") in _PATTERN_LIMITS, run=_run_limit),
    Kind(
        name="metric filter limit", claims=lambda vector: vector.get("limit") in _FILTER_LIMITS, run=_run_filter_limit
    ),
    Kind(name="metric filter minute", claims=has("metricValue", "eventsInMinute", "matches"), run=_run_minute),
    Kind(
        name="metric filter definition",
        claims=lambda vector: {"dimensions", "match"} <= vector.keys() and vector.get("kind") == "metric",
        run=_run_definition,
    ),
)
