"""How are the fields of a metric filter read?

AWS::Logs::MetricFilter and DescribeMetricFilters hold the same fields under names that differ in their first letter, and
dimensions once as a list and once as an object (CloudFormation template reference; CloudWatch Logs API reference).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cloudwatch.metric_filter import MetricFilter
from cloudwatch.metric_filter_limits import filter_problems
from cloudwatch.problems import InvalidValueError

if TYPE_CHECKING:
    from cloudwatch.readers.fields import Fields

__all__ = ["TEMPLATE_FIELDS", "FilterFields", "metric_filter_from"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterFields:
    """What the fields of a metric filter are called in one kind of document."""

    name: str
    log_group: str
    pattern: str
    transformations: str
    namespace: str
    metric: str
    value: str
    default_value: str
    dimensions: str
    unit: str


TEMPLATE_FIELDS = FilterFields(
    name="FilterName",
    log_group="LogGroupName",
    pattern="FilterPattern",
    transformations="MetricTransformations",
    namespace="MetricNamespace",
    metric="MetricName",
    value="MetricValue",
    default_value="DefaultValue",
    dimensions="Dimensions",
    unit="Unit",
)


def metric_filter_from(fields: Fields, *, names: FilterFields, name: str | None = None) -> MetricFilter | None:
    """Read a metric filter; None when it cannot be read, and `fields` has said why.

    Args:
        fields: The object.
        names: What its fields are called.
        name: Name where the object has none.
    """
    found_name = fields.text(names.name) or name
    group, pattern = fields.text(names.log_group, required=True), fields.text(names.pattern, required=True)
    transformations = fields.entries(names.transformations)
    unread = {names.name, names.transformations} & fields.unknown
    if len(transformations) != 1 and not unread:
        fields.problem(
            names.transformations,
            f"{len(transformations)} transformations, a metric filter has exactly 1",
            hint="Write one filter for each metric.",
        )
    if fields.failed or unread or found_name is None or group is None or pattern is None:
        return None
    one = transformations[0]
    namespace, metric = one.text(names.namespace, required=True), one.text(names.metric, required=True)
    value, default = one.text(names.value, required=True), one.number(names.default_value)
    dimensions, unit = _dimensions(one, names.dimensions), one.text(names.unit)
    if one.failed or namespace is None or metric is None or value is None:
        return None
    try:
        found = MetricFilter(
            name=found_name,
            log_group=group,
            pattern=pattern,
            namespace=namespace,
            metric=metric,
            value=value,
            default_value=default,
            dimensions=dimensions,
            unit=unit,
        )
    except InvalidValueError as refused:
        fields.problem(
            names.transformations,
            str(refused),
            hint="Correct the value named.",
            code="refused-by-cloudwatch",
        )
        return None
    problems = filter_problems(found)
    for problem in problems:
        at_pattern = problem.code == "filter-pattern"
        place = names.pattern if at_pattern else names.transformations
        fields.problem(place, problem.message, hint=problem.hint, code=problem.code)
    return None if problems else found


def _dimensions(one: Fields, name: str) -> tuple[tuple[str, str], ...]:
    value = one.values.get(name)
    if isinstance(value, Mapping):
        inner = one.inner(name)
        pairs = tuple((str(key), inner.text(str(key), required=True) or "") for key in value)
        one.failed |= inner.failed
        return pairs
    return one.pairs(name, key="Key", value="Value")
