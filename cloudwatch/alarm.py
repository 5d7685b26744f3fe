"""What may change state and call somebody? Metric alarms and composite alarms as values.

Invariants are those of PutMetricAlarm and PutCompositeAlarm (CloudWatch API reference), checked at birth, so that a value
that exists can be deployed. Change is `dataclasses.replace`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import TYPE_CHECKING

from cloudwatch import limits
from cloudwatch.metric import ExpressionQuery, MetricQuery, Query
from cloudwatch.problems import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Alarm",
    "AlarmState",
    "Comparison",
    "CompositeAlarm",
    "LowSampleCount",
    "MetricAlarm",
    "MissingData",
    "Suppressor",
]

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class AlarmState(StrEnum):
    """The three states of an alarm (UG, alarm states)."""

    OK = "OK"
    ALARM = "ALARM"
    INSUFFICIENT_DATA = "INSUFFICIENT_DATA"


class Comparison(StrEnum):
    """ComparisonOperator of PutMetricAlarm; the last three go with an anomaly detection band."""

    GREATER_OR_EQUAL = "GreaterThanOrEqualToThreshold"
    GREATER = "GreaterThanThreshold"
    LESS = "LessThanThreshold"
    LESS_OR_EQUAL = "LessThanOrEqualToThreshold"
    OUTSIDE_BAND = "LessThanLowerOrGreaterThanUpperThreshold"
    BELOW_BAND = "LessThanLowerThreshold"
    ABOVE_BAND = "GreaterThanUpperThreshold"

    @property
    def against_band(self) -> bool:
        """Whether it compares with a band (ThresholdMetricId) instead of a number."""
        return self in {Comparison.OUTSIDE_BAND, Comparison.BELOW_BAND, Comparison.ABOVE_BAND}


class MissingData(StrEnum):
    """TreatMissingData: what fills a slot when fewer than N real points exist."""

    MISSING = "missing"
    IGNORE = "ignore"
    BREACHING = "breaching"
    NOT_BREACHING = "notBreaching"


class LowSampleCount(StrEnum):
    """EvaluateLowSampleCountPercentile of a percentile alarm."""

    EVALUATE = "evaluate"
    IGNORE = "ignore"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricAlarm:
    """A metric alarm: one statistic or one metric math result against a threshold, M out of N.

    Attributes:
        name: AlarmName, unique in account and Region, 1 to 255 characters.
        queries: One entry for a plain metric alarm, several for metric math; exactly one returns data.
        comparison: How a point breaches.
        threshold: The number to compare with; None with a band.
        threshold_metric_id: Id of the band expression; None with a number.
        evaluation_periods: N, at least 1.
        datapoints_to_alarm: M, 1 to N. AWS's default (omitted) is N; here it is always said.
        treat_missing_data: AWS's default is `missing`.
        low_sample_count: Percentile alarms only; None is AWS's default `evaluate`.
        description: At most 1,024 characters.
        actions_enabled: False keeps states but runs no action.
        alarm_actions: ARNs run on entry into ALARM, at most 5.
        ok_actions: ARNs run on entry into OK, at most 5.
        insufficient_data_actions: ARNs run on entry into INSUFFICIENT_DATA, at most 5.
        wall_clock_timezone: IANA zone of a wall-clock evaluation window, or None for the sliding window.
        warm_up_min: Minutes of warm-up after creation, or None.
        tags: Pairs of key and value, sorted by key.

    Raises:
        InvalidValueError: PutMetricAlarm would refuse it.
    """

    name: str
    queries: tuple[Query, ...]
    comparison: Comparison
    evaluation_periods: int
    datapoints_to_alarm: int
    threshold: float | None = None
    threshold_metric_id: str | None = None
    treat_missing_data: MissingData = MissingData.MISSING
    low_sample_count: LowSampleCount | None = None
    description: str = ""
    actions_enabled: bool = True
    alarm_actions: tuple[str, ...] = ()
    ok_actions: tuple[str, ...] = ()
    insufficient_data_actions: tuple[str, ...] = ()
    wall_clock_timezone: str | None = None
    warm_up_min: int | None = None
    tags: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        _check_identity(self.name, self.description, self.tags)
        _check_actions(self.name, self.alarm_actions, self.ok_actions, self.insufficient_data_actions)
        self._check_queries()
        n, m = self.evaluation_periods, self.datapoints_to_alarm
        if n < 1 or not 1 <= m <= n:
            raise InvalidValueError(
                f"{self.name}: DatapointsToAlarm {m} of EvaluationPeriods {n}; it must be 1 to {max(n, 1)}"
            )
        longest = limits.MAX_WINDOW_LONG_PERIOD_S if self.period_s >= limits.LONG_PERIOD_S else limits.MAX_WINDOW_S
        if self.period_s * n > longest:
            raise InvalidValueError(
                f"{self.name}: {n} periods of {self.period_s} s are {n * self.period_s} s, CloudWatch takes {longest} s"
            )
        if self.comparison.against_band == (self.threshold_metric_id is None) or (
            (self.threshold is None) == (self.threshold_metric_id is None)
        ):
            raise InvalidValueError(
                f"{self.name}: {self.comparison} needs "
                + ("a threshold_metric_id and no threshold" if self.comparison.against_band else "a threshold alone")
            )
        if self.threshold is not None and not isfinite(self.threshold):
            raise InvalidValueError(f"{self.name}: the threshold {self.threshold} is no finite number")
        object.__setattr__(self, "tags", tuple(sorted(self.tags)))

    def _check_queries(self) -> None:
        metrics = [query for query in self.queries if isinstance(query, MetricQuery)]
        expressions = [query for query in self.queries if isinstance(query, ExpressionQuery)]
        if not metrics:
            raise InvalidValueError(f"{self.name}: an alarm needs at least one metric")
        if len(metrics) > limits.METRICS_PER_ALARM or len(expressions) > limits.EXPRESSIONS_PER_ALARM:
            raise InvalidValueError(
                f"{self.name}: {len(metrics)} metrics and {len(expressions)} expressions; CloudWatch takes "
                f"{limits.METRICS_PER_ALARM} and {limits.EXPRESSIONS_PER_ALARM} in one alarm"
            )
        ids = [query.id for query in self.queries]
        if len(set(ids)) != len(ids):
            raise InvalidValueError(f"{self.name}: an id occurs twice in {ids}")
        returned = [query.id for query in self.queries if query.return_data and query.id != self.threshold_metric_id]
        if len(returned) != 1:
            raise InvalidValueError(f"{self.name}: exactly one entry returns data, these do: {returned or 'none'}")
        periods = {query.period_s for query in metrics}
        if len(periods) != 1:
            raise InvalidValueError(f"{self.name}: all metrics of an alarm share one period, found {sorted(periods)} s")

    @property
    def metrics(self) -> tuple[MetricQuery, ...]:
        """The entries that read a metric: what the alarm is billed for."""
        return tuple(query for query in self.queries if isinstance(query, MetricQuery))

    @property
    def period_s(self) -> int:
        """Seconds of one slot."""
        return self.metrics[0].period_s

    @property
    def returned(self) -> Query:
        """The entry that is compared with the threshold."""
        return next(query for query in self.queries if query.return_data and query.id != self.threshold_metric_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressor:
    """An alarm that holds back the actions (never the states) of a composite.

    Attributes:
        alarm: Name or ARN of the suppressing alarm.
        wait_s: ActionsSuppressorWaitPeriod: how long a state change waits for the suppressor to go into ALARM, seconds.
        extension_s: ActionsSuppressorExtensionPeriod: how long actions stay held after it left ALARM, seconds.
    """

    alarm: str
    wait_s: int
    extension_s: int

    def __post_init__(self) -> None:
        if self.wait_s < 0 or self.extension_s < 0:
            raise InvalidValueError(f"Suppressor {self.alarm}: periods are not negative")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompositeAlarm:
    """An alarm over the states of other alarms.

    Attributes:
        name: AlarmName, 1 to 255 characters.
        rule: AlarmRule as CloudWatch writes it, `ALARM("a") AND NOT ALARM("b")`; 1 to 10,240 characters.
            `cloudwatch.alarm_rule` parses, prints and evaluates it.
        suppressor: Holds back actions, or None.

    The other attributes are those of `MetricAlarm`.

    Raises:
        InvalidValueError: PutCompositeAlarm would refuse it.
    """

    name: str
    rule: str
    suppressor: Suppressor | None = None
    description: str = ""
    actions_enabled: bool = True
    alarm_actions: tuple[str, ...] = ()
    ok_actions: tuple[str, ...] = ()
    insufficient_data_actions: tuple[str, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        _check_identity(self.name, self.description, self.tags)
        _check_actions(self.name, self.alarm_actions, self.ok_actions, self.insufficient_data_actions)
        if not 1 <= len(self.rule) <= limits.COMPOSITE_RULE_LENGTH:
            raise InvalidValueError(
                f"{self.name}: AlarmRule has {len(self.rule)} characters, CloudWatch takes 1 to "
                f"{limits.COMPOSITE_RULE_LENGTH}"
            )
        object.__setattr__(self, "tags", tuple(sorted(self.tags)))


Alarm = MetricAlarm | CompositeAlarm


def _check_identity(name: str, description: str, tags: Sequence[tuple[str, str]]) -> None:
    if not 1 <= len(name) <= limits.ALARM_NAME_LENGTH:
        raise InvalidValueError(
            f"AlarmName has {len(name)} characters, CloudWatch takes 1 to {limits.ALARM_NAME_LENGTH}: {name[:60]!r}"
        )
    if _CONTROL.search(name):
        raise InvalidValueError(f"AlarmName holds a control character: {name[:60]!r}")
    if len(description) > limits.ALARM_DESCRIPTION_LENGTH:
        raise InvalidValueError(
            f"{name}: AlarmDescription has {len(description)} characters, CloudWatch takes "
            f"{limits.ALARM_DESCRIPTION_LENGTH}"
        )
    if len(tags) > limits.TAGS:
        raise InvalidValueError(f"{name}: {len(tags)} tags, CloudWatch takes {limits.TAGS}")


def _check_actions(name: str, *lists: Sequence[str]) -> None:
    for actions in lists:
        if len(actions) > limits.ACTIONS_PER_STATE:
            raise InvalidValueError(
                f"{name}: {len(actions)} actions for one state, CloudWatch takes {limits.ACTIONS_PER_STATE}"
            )
