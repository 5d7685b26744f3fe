"""What did a reader find?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloudwatch.alarm import CompositeAlarm, MetricAlarm
    from cloudwatch.metric_filter import MetricFilter
    from cloudwatch.problems import Problem

__all__ = ["DashboardText", "Definitions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DashboardText:
    """A dashboard as it was found: its name and its body, still JSON text."""

    name: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Definitions:
    """Everything that a template or API answer defines, in its order, and what could not be read.

    Attributes:
        alarms: Metric alarms.
        composites: Composite alarms.
        metric_filters: Metric filters.
        dashboards: Dashboards.
        log_groups: Names of log groups.
        problems: What could not be read or would be refused; `Place.path` is a JSON pointer into the document.
        source_names: Logical id (of a template) or ARN (of an API answer) to name, of everything read.
    """

    alarms: tuple[MetricAlarm, ...] = ()
    composites: tuple[CompositeAlarm, ...] = ()
    metric_filters: tuple[MetricFilter, ...] = ()
    dashboards: tuple[DashboardText, ...] = ()
    log_groups: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    source_names: Mapping[str, str] = field(default_factory=dict)
