"""Would CloudWatch Logs take these metric filters?

What a single filter's invariants cannot see: the syntax of its pattern, whether its value and dimensions are fields of that
pattern, and limits of a log group (Logs User Guide, Filter pattern syntax for metric filters; Logs API, PutMetricFilter):
100 filters, 5 of them with regular expressions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch import limits
from cloudwatch.patterns import Pattern, SpacePattern, TextPattern, compile_value, parse_pattern
from cloudwatch.patterns.nodes import All, Any, Comparison, Condition, JsonPattern, Regex, SpaceField
from cloudwatch.patterns.operands import number_in
from cloudwatch.problems import InvalidValueError, Problem, TextSyntaxError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cloudwatch.metric_filter import MetricFilter

__all__ = ["REGEX_FILTERS_PER_LOG_GROUP", "filter_problems", "log_group_problems", "regex_count"]

REGEX_FILTERS_PER_LOG_GROUP = 5


def filter_problems(metric_filter: MetricFilter) -> tuple[Problem, ...]:
    """Return what is wrong with one filter beyond the invariants of the value."""
    name = metric_filter.name
    try:
        pattern = parse_pattern(metric_filter.pattern)
    except TextSyntaxError as wrong:
        return (Problem(code="filter-pattern", message=f"{name}: {wrong}", hint=wrong.hint),)
    problems = []
    value = metric_filter.value
    if value.startswith("$"):
        problems += _selector_problems(name, "metric value", selector=value, pattern=pattern)
    elif number_in(value) is None:
        message = f"{name}: the metric value {value!r} is neither a number nor a selector"
        problems.append(Problem(code="filter-value", message=message, hint="Write 1, $.field or $name."))
    if metric_filter.dimensions and isinstance(pattern, TextPattern):
        message = f"{name}: a text pattern has no fields for dimensions"
        problems.append(
            Problem(code="filter-dimension", message=message, hint="Use a JSON or space-delimited pattern.")
        )
        return tuple(problems)
    for key, selector in metric_filter.dimensions:
        problems += _selector_problems(name, f"dimension {key}", selector=selector, pattern=pattern)
    return tuple(problems)


def log_group_problems(metric_filters: Iterable[MetricFilter]) -> tuple[Problem, ...]:
    """Return where the filters of a log group are too many, or share a name; patterns that do not parse are passed over."""
    groups: dict[str, list[MetricFilter]] = {}
    for one in metric_filters:
        groups.setdefault(one.log_group, []).append(one)
    problems = []
    for group, filters in groups.items():
        names = [one.name for one in filters]
        problems += [
            Problem(
                code="duplicate-name",
                message=f"Log group {group} has two filters called {name!r}",
                hint="Give each its own name.",
            )
            for name in sorted({name for name in names if names.count(name) > 1})
        ]
        if len(filters) > limits.FILTERS_PER_LOG_GROUP:
            message = (
                f"Log group {group} has {len(filters)} filters, CloudWatch Logs takes {limits.FILTERS_PER_LOG_GROUP}"
            )
            problems.append(Problem(code="too-many-filters", message=message, hint="Use a second log group."))
        with_regex = sum(_has_regex(one.pattern) for one in filters)
        if with_regex > REGEX_FILTERS_PER_LOG_GROUP:
            message = (
                f"Log group {group} has {with_regex} filters with regular expressions, "
                f"CloudWatch Logs takes {REGEX_FILTERS_PER_LOG_GROUP}"
            )
            problems.append(Problem(code="too-many-regex-filters", message=message, hint="Write * instead of %...%."))
    return tuple(problems)


def regex_count(pattern: Pattern) -> int:
    """Return how many regular expressions a pattern holds."""
    if isinstance(pattern, TextPattern):
        return sum(isinstance(term.content, Regex) for term in pattern.terms)
    if isinstance(pattern, JsonPattern):
        return _count(pattern.condition)
    conditions = (field.condition for field in pattern.fields if isinstance(field, SpaceField))
    return sum(_count(condition) for condition in conditions if condition is not None)


def _count(condition: Condition) -> int:
    if isinstance(condition, All | Any):
        return sum(_count(part) for part in condition.parts)
    return int(isinstance(condition, Comparison) and isinstance(condition.operand, Regex))


def _has_regex(text: str) -> bool:
    try:
        return regex_count(parse_pattern(text)) > 0
    except TextSyntaxError:
        return False


def _selector_problems(name: str, what: str, *, selector: str, pattern: Pattern) -> list[Problem]:
    try:
        compile_value(pattern, selector)
    except InvalidValueError as wrong:
        hint = "Name a field of the pattern, $name." if isinstance(pattern, SpacePattern) else "Write $.field."
        return [Problem(code="filter-selector", message=f"{name}: {what}: {wrong}", hint=hint)]
    return []
