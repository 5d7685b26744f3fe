"""Which log events become a metric? A CloudWatch Logs metric filter as a value.

Limits are those of PutMetricFilter (CloudWatch Logs API reference) and of the page on filter and pattern syntax. The
pattern language is in `cloudwatch.patterns`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cloudwatch import limits
from cloudwatch.problems import InvalidValueError

__all__ = ["MetricFilter"]

_NAME = re.compile(r"[^:*]+\Z")
_METRIC = re.compile(r"[^:*$]+\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFilter:
    """One metric filter with its one transformation.

    Attributes:
        name: FilterName, unique in the log group.
        log_group: Name of the log group it reads.
        pattern: FilterPattern, at most 1,024 characters; empty matches every event.
        namespace: Namespace of the metric it writes.
        metric: Name of the metric it writes.
        value: A number as text, `$.field` or `$name`; published for each match.
        default_value: Published for a minute with events and no match, or None.
        dimensions: Pairs of dimension name and selector (`$.field`), at most 3; excludes a default value.
        unit: Unit of the metric, or None.

    Raises:
        InvalidValueError: PutMetricFilter would refuse it.
    """

    name: str
    log_group: str
    pattern: str
    namespace: str
    metric: str
    value: str = "1"
    default_value: float | None = None
    dimensions: tuple[tuple[str, str], ...] = ()
    unit: str | None = None

    def __post_init__(self) -> None:
        if len(self.name) > limits.FILTER_NAME_LENGTH or not _NAME.match(self.name):
            raise InvalidValueError(
                f"FilterName {self.name[:60]!r}: 1 to {limits.FILTER_NAME_LENGTH} characters without : and *"
            )
        for field, text in (("namespace", self.namespace), ("name", self.metric)):
            if len(text) > limits.METRIC_NAME_LENGTH or not _METRIC.match(text):
                raise InvalidValueError(f"{self.name}: metric {field} {text[:60]!r}: 1 to 255 characters, no : * $")
        if len(self.pattern) > limits.FILTER_PATTERN_LENGTH:
            raise InvalidValueError(
                f"{self.name}: the pattern has {len(self.pattern)} characters, CloudWatch Logs takes "
                f"{limits.FILTER_PATTERN_LENGTH}"
            )
        if not 1 <= len(self.value) <= 100:
            raise InvalidValueError(
                f"{self.name}: the metric value has {len(self.value)} characters, 1 to 100 are taken"
            )
        if len(self.dimensions) > limits.FILTER_DIMENSIONS:
            raise InvalidValueError(
                f"{self.name}: {len(self.dimensions)} dimensions, CloudWatch Logs takes {limits.FILTER_DIMENSIONS}"
            )
        if self.dimensions and self.default_value is not None:
            raise InvalidValueError(f"{self.name}: a default value and dimensions exclude each other")
        object.__setattr__(self, "dimensions", tuple(sorted(self.dimensions)))
