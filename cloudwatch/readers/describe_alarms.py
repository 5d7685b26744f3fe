"""What do the API answers of an account define?

Reads the JSON of DescribeAlarms (MetricAlarms, CompositeAlarms) and of DescribeMetricFilters (metricFilters), as
`aws cloudwatch describe-alarms` and `aws logs describe-metric-filters` print them (CloudWatch and CloudWatch Logs API
references). One document may hold both. States and timestamps in the answers are not definitions and are passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from cloudwatch.problems import Place, Problem, ProblemSeverity
from cloudwatch.readers.alarms import composite_alarm_from, metric_alarm_from
from cloudwatch.readers.definitions import Definitions
from cloudwatch.readers.fields import Fields, pointer, shown
from cloudwatch.readers.metric_filters import FilterFields, metric_filter_from

if TYPE_CHECKING:
    from cloudwatch.alarm import CompositeAlarm, MetricAlarm
    from cloudwatch.metric_filter import MetricFilter

__all__ = ["read_describe_alarms"]

_T = TypeVar("_T")
_KEYS = ("MetricAlarms", "CompositeAlarms", "metricFilters")
_NAMES = FilterFields(
    name="filterName",
    log_group="logGroupName",
    pattern="filterPattern",
    transformations="metricTransformations",
    namespace="metricNamespace",
    metric="metricName",
    value="metricValue",
    default_value="defaultValue",
    dimensions="dimensions",
    unit="unit",
)


def read_describe_alarms(document: Any, *, file: str | None = None) -> Definitions:
    """Read the parsed JSON of DescribeAlarms, DescribeMetricFilters or both.

    Args:
        document: The answer; several pages may be merged into one object before.
        file: File for the places of problems.

    Returns:
        Definitions in the order of the answer; `source_names` maps AlarmArn to AlarmName.
    """
    problems: list[Problem] = []
    if not isinstance(document, Mapping) or not any(key in document for key in _KEYS):
        problems.append(
            Problem(
                code="not-an-answer",
                message=f"None of {', '.join(_KEYS)} is in the document",
                place=Place(file=file),
                hint="Give the JSON of aws cloudwatch describe-alarms or aws logs describe-metric-filters.",
            )
        )
        return Definitions(problems=tuple(problems))
    root = Fields(document, path="", report=problems.append, file=file)
    names: dict[str, str] = {}

    def metric_alarm(fields: Fields) -> MetricAlarm | None:
        return _named(fields, names, metric_alarm_from)

    def composite(fields: Fields) -> CompositeAlarm | None:
        return _named(fields, names, composite_alarm_from)

    def metric_filter(fields: Fields) -> MetricFilter | None:
        return metric_filter_from(fields, names=_NAMES)

    if "LogAlarms" in document:
        problems.append(
            Problem(
                code="alarm-not-read",
                severity=ProblemSeverity.WARNING,
                message=f"Log alarms are not read: {shown(document['LogAlarms'])}",
                place=Place(file=file, path=pointer("LogAlarms")),
            )
        )
    return Definitions(
        alarms=_all(root, "MetricAlarms", metric_alarm),
        composites=_all(root, "CompositeAlarms", composite),
        metric_filters=_all(root, "metricFilters", metric_filter),
        source_names=names,
        problems=tuple(problems),
    )


def _all(root: Fields, key: str, read: Callable[[Fields], _T | None]) -> tuple[_T, ...]:
    found = (read(fields) for fields in root.entries(key))
    return tuple(value for value in found if value is not None)


def _named(fields: Fields, names: dict[str, str], read: Callable[..., _T | None]) -> _T | None:
    name = fields.text("AlarmName", required=True)
    if name is None:
        return None
    alarm = read(fields, name=name)
    arn = fields.text("AlarmArn")
    if alarm is not None and arn is not None:
        names[arn] = name
    return alarm
