"""What is there to lint, all together? Checks that look at two subjects find the other one here."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from monitoring.lint.alarm_view import AlarmView
from monitoring.lint.dashboard_view import DashboardView
from monitoring.lint.other_views import CompositeView, FilterView, MuteView
from monitoring.lint.subjects import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from monitoring.lint.subjects import Subject

__all__ = ["World"]


class World:
    """All subjects that are linted together.

    Args:
        subjects: The subjects, in the order of files and documents.
    """

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self.subjects = tuple(subjects)

    @cached_property
    def alarms(self) -> list[AlarmView]:
        """Metric alarms."""
        return [AlarmView(one) for one in self.subjects if one.kind is Kind.ALARM]

    @cached_property
    def composites(self) -> list[CompositeView]:
        """Composite alarms."""
        return [CompositeView(one) for one in self.subjects if one.kind is Kind.COMPOSITE]

    @cached_property
    def filters(self) -> list[FilterView]:
        """Metric filters."""
        return [FilterView(one) for one in self.subjects if one.kind is Kind.FILTER]

    @cached_property
    def dashboards(self) -> list[DashboardView]:
        """Dashboards."""
        return [DashboardView(one) for one in self.subjects if one.kind is Kind.DASHBOARD]

    @cached_property
    def mutes(self) -> list[MuteView]:
        """Mute rules."""
        return [MuteView(one) for one in self.subjects if one.kind is Kind.MUTE]

    @property
    def every_alarm(self) -> list[AlarmView | CompositeView]:
        """Metric alarms and composites."""
        return [*self.alarms, *self.composites]

    @cached_property
    def alarms_by_name(self) -> dict[str, AlarmView | CompositeView]:
        """Metric alarms and composites by name."""
        return {alarm.name: alarm for alarm in self.every_alarm}

    @cached_property
    def children(self) -> frozenset[str]:
        """Names of alarms that a composite refers to."""
        return frozenset().union(*(composite.child_names for composite in self.composites))

    @cached_property
    def written(self) -> dict[tuple[str, str], set[tuple[str, ...]]]:
        """What metric filters write: namespace and name to the sets of dimension names."""
        found: dict[tuple[str, str], set[tuple[str, ...]]] = {}
        for one in self.filters:
            for namespace, name, dimensions in one.metrics:
                found.setdefault((namespace, name), set()).add(dimensions)
        return found
