"""Replays vectors of filter patterns: matches, syntax errors, extracted and published values, limits of metric filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloudwatch.patterns import compile_pattern, compile_value, extracted, parse_pattern, print_pattern
from cloudwatch.problems import InvalidValueError, TextSyntaxError
from tests.conformance.registry import Kind

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
    failures = []
    for form in (pattern, parse_pattern(print_pattern(pattern))):
        found = compile_pattern(form)(event)
        if found is not vector["match"]:
            failures.append(f"expected match {vector['match']}, found {found}")
    if "extracted" in vector:
        values = extracted(pattern, event)
        if values != vector["extracted"]:
            failures.append(f"expected {vector['extracted']}, extracted {values}")
    if "published" in vector:
        value = compile_value(pattern, vector["metricValue"])(event)
        if value != vector["published"]:
            failures.append(f"expected {vector['published']} published, found {value}")
    return failures


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


RUNNERS = (
    Kind(
        name="filter pattern",
        claims=lambda vector: {"pattern", "match"} <= vector.keys(),
        run=_run_pattern,
    ),
    Kind(name="filter pattern limit", claims=lambda vector: vector.get("limit") in _PATTERN_LIMITS, run=_run_limit),
)
