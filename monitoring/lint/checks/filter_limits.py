"""Where is there a metric filter beyond the limits of CloudWatch Logs? What it does and why: docs/checks/filter-limits.md."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from cloudwatch import limits
from cloudwatch.metric_filter_limits import REGEX_FILTERS_PER_LOG_GROUP, regex_count
from monitoring.lint.finding import Check, Severity
from monitoring.lint.known import items, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.other_views import FilterView
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_NAME = re.compile(r"[^:*]+\Z")
_METRIC = re.compile(r"[^:*$]+\Z")


def _find(world: World) -> Iterator[Found]:
    groups: dict[str, list[FilterView]] = {}
    for one in world.filters:
        yield from _of_one(one)
        if one.log_group:
            groups.setdefault(f"{one.subject.document.file} {one.log_group}", []).append(one)
    for filters in groups.values():
        if len(filters) > limits.FILTERS_PER_LOG_GROUP:
            message = f"{len(filters)} filters on {filters[0].log_group[:60]}, a log group takes {limits.FILTERS_PER_LOG_GROUP}."
            yield filters[limits.FILTERS_PER_LOG_GROUP].found(message, hint="Use a second log group.")
        regexes = [one for one in filters if one.pattern is not None and regex_count(one.pattern)]
        if len(regexes) > REGEX_FILTERS_PER_LOG_GROUP:
            message = f"{len(regexes)} filters with regular expressions on {filters[0].log_group[:60]}, a log group takes {REGEX_FILTERS_PER_LOG_GROUP}."
            yield regexes[REGEX_FILTERS_PER_LOG_GROUP].found(
                message, path=("FilterPattern",), hint="Write * instead of %...%."
            )


def _of_one(one: FilterView) -> Iterator[Found]:
    name = text(one.properties.get("FilterName"))
    if name is not None and (len(name) > limits.FILTER_NAME_LENGTH or not _NAME.match(name)):
        yield one.found(
            f"a filter name has 1 to {limits.FILTER_NAME_LENGTH} characters without : and *.", path=("FilterName",)
        )
    count = len(one.transformations)
    if count != 1:
        message = f"{count} transformations, a metric filter has exactly 1: PutMetricFilter refuses it."
        yield one.found(message, path=("MetricTransformations",), hint="Write one filter for each metric.")
    for position, transformation in enumerate(one.transformations):
        path = ("MetricTransformations", position)
        for key in ("MetricNamespace", "MetricName"):
            value = text(transformation.get(key))
            if value is not None and (len(value) > limits.METRIC_NAME_LENGTH or not _METRIC.match(value)):
                yield one.found(f"{key} {value[:60]!r} has 1 to 255 characters without :, * and $.", path=(*path, key))
            elif value is not None and key == "MetricNamespace" and value.startswith("AWS/"):
                message = "namespaces that begin with AWS/ are those of AWS services: PutMetricFilter refuses it."
                yield one.found(message, path=(*path, key), hint="Choose a namespace of your own.")
        dimensions = items(transformation.get("Dimensions"))
        if len(dimensions) > limits.FILTER_DIMENSIONS:
            message = (
                f"{len(dimensions)} dimensions, a filter takes {limits.FILTER_DIMENSIONS}: PutMetricFilter refuses it."
            )
            yield one.found(
                message, path=(*path, "Dimensions"), hint="Leave some out; each pair of values is a billed metric."
            )


CHECK = Check(
    name="filter-limits",
    severity=Severity.BUG,
    title="A metric filter beyond the limits of CloudWatch Logs",
    find=_find,
)
