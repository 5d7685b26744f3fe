"""What is measured? A metric, and a question asked of one or several metrics.

A metric is a namespace, a name and a set of dimensions (API, Metric). A query is an entry of an alarm's or a
GetMetricData call's list: either one statistic of one metric over a period, or a metric math expression over the ids of
other queries.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from cloudwatch import limits
from cloudwatch.problems import InvalidValueError
from cloudwatch.stat import parse_stat

__all__ = ["ExpressionQuery", "Metric", "MetricQuery", "Query", "is_valid_period"]

_ID = re.compile(r"[a-z][A-Za-z0-9_]*\Z")
_PRINTABLE = re.compile(r"[\x20-\x7e]+\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One series that CloudWatch stores.

    Attributes:
        namespace: For example `AWS/Bedrock`; 1 to 255 characters.
        name: For example `InvocationLatency`; 1 to 255 characters. Case matters.
        dimensions: Pairs of name and value, sorted by name: CloudWatch treats them as a set.
        region: Region where it is read, or None for the Region of whoever asks.
        account_id: Account where it is read, or None for the account of whoever asks.

    Raises:
        InvalidValueError: A name, value or count is outside CloudWatch's limits.
    """

    namespace: str
    name: str
    dimensions: tuple[tuple[str, str], ...] = ()
    region: str | None = None
    account_id: str | None = None

    def __post_init__(self) -> None:
        _check_text("Namespace", self.namespace, limits.NAMESPACE_LENGTH)
        _check_text("MetricName", self.name, limits.METRIC_NAME_LENGTH)
        if len(self.dimensions) > limits.DIMENSIONS_PER_METRIC:
            raise InvalidValueError(
                f"Dimensions: {len(self.dimensions)} given, CloudWatch takes at most {limits.DIMENSIONS_PER_METRIC}"
            )
        names = [name for name, _ in self.dimensions]
        if len(set(names)) != len(names):
            raise InvalidValueError(f"Dimensions: a name occurs twice in {names}")
        for name, value in self.dimensions:
            _check_text("Dimension name", name, limits.DIMENSION_NAME_LENGTH)
            _check_text(f"Value of dimension {name}", value, limits.DIMENSION_VALUE_LENGTH)
        object.__setattr__(self, "dimensions", tuple(sorted(self.dimensions)))

    def dimension(self, name: str) -> str | None:
        """Return the value of a dimension, or None when the metric does not carry it."""
        return next((value for key, value in self.dimensions if key == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricQuery:
    """One statistic of one metric over a period.

    Attributes:
        id: `[a-z][A-Za-z0-9_]*`, unique within the list.
        metric: What is read.
        stat: A statistic as CloudWatch spells it: `Sum`, `p90`, `TC(2000:)`.
        period_s: Seconds: 10, 20, 30 or a multiple of 60.
        return_data: Whether this entry is the result.
        label: Legend text, or None for CloudWatch's own.
        unit: Unit filter, or None. Never set on AWS/Bedrock metrics.
    """

    id: str
    metric: Metric
    stat: str
    period_s: int
    return_data: bool = False
    label: str | None = None
    unit: str | None = None

    def __post_init__(self) -> None:
        _check_id(self.id)
        if not is_valid_period(self.period_s):
            raise InvalidValueError(
                f"Period {self.period_s} s of {self.id}: CloudWatch takes 10, 20, 30 or a multiple of 60"
            )
        parse_stat(self.stat)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressionQuery:
    """A metric math, SEARCH or Metrics Insights expression over other entries.

    Attributes:
        id: `[a-z][A-Za-z0-9_]*`, unique within the list.
        expression: 1 to 2048 characters.
        return_data: Whether this entry is the result.
        label: Legend text, or None for CloudWatch's own.
        period_s: Seconds, or None to take the period of the metrics.
    """

    id: str
    expression: str
    return_data: bool = False
    label: str | None = None
    period_s: int | None = None

    def __post_init__(self) -> None:
        _check_id(self.id)
        if not 1 <= len(self.expression) <= limits.EXPRESSION_LENGTH:
            raise InvalidValueError(
                f"Expression {self.id} has {len(self.expression)} characters, "
                f"CloudWatch takes 1 to {limits.EXPRESSION_LENGTH}"
            )


Query = MetricQuery | ExpressionQuery


def is_valid_period(period_s: int) -> bool:
    """Tell whether CloudWatch takes a period of that many seconds (API, MetricStat)."""
    return period_s in limits.HIGH_RESOLUTION_PERIODS_S or (period_s >= 60 and period_s % 60 == 0)


def _check_text(field: str, text: str, length: int) -> None:
    if not 1 <= len(text) <= length:
        raise InvalidValueError(f"{field} has {len(text)} characters, CloudWatch takes 1 to {length}: {text[:60]!r}")
    if not _PRINTABLE.match(text):
        raise InvalidValueError(f"{field} holds a character outside printable ASCII: {text[:60]!r}")


def _check_id(text: str) -> None:
    if not _ID.match(text) or len(text) > 255:
        raise InvalidValueError(f"Id {text[:60]!r}: it starts with a lower-case letter, then letters, digits and _")
