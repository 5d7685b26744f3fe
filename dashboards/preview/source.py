"""What does a preview draw from? Series, alarm states, events, and what is known about where they come from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cloudwatch.store import MetricStore

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cloudwatch.metric import Metric
    from cloudwatch.timeline import Timeline
    from dashboards.preview.timespan import Span

__all__ = ["LogEvents", "PreviewData"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEvents:
    """Events of one log group: parsed JSON or messages, and the second at which each arrived."""

    records: Sequence[Any]
    arrived_s: Sequence[int]


@dataclass(frozen=True, kw_only=True, eq=False)
class PreviewData:
    """Everything that widgets are computed from.

    Attributes:
        store: The series, with Region and account where these are known.
        span: The time that there is data for, on whole minutes.
        home: Account and Region of the dashboard: what a row without its own means.
        timeline: Alarm states and notifications, or None where no alarm is known.
        kinds: Alarm name to `page`, `ticket`, `note` or `symptom`.
        titles: Alarm name to a few words.
        logs: Events by log group.
        about: What the page says of the data, a sentence.
        generic: Metrics that are a labelled wave and stand for nothing.
        has_now: Whether the end of the data stands for now; a recording or scenario has no now, and its pages open on all
            of it.
    """

    store: MetricStore
    span: Span
    home: tuple[str | None, str | None] = (None, None)
    timeline: Timeline | None = None
    kinds: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    logs: Mapping[str, LogEvents] = field(default_factory=dict)
    about: str = ""
    generic: frozenset[Metric] = frozenset()
    has_now: bool = True

    def placed(self, metric: Metric) -> Metric:
        """Return a metric with the Region and account that it is read in, as far as they are known."""
        account, region = self.home
        return replace(metric, region=metric.region or region, account_id=metric.account_id or account)

    def is_read_here(self, metric: Metric) -> bool:
        """Tell whether a metric may be answered: known with its place, or of the place that series without one are from."""
        if metric in self.store.sources or self.is_generic(metric):
            return True
        account, region = self.home
        return (account is None or metric.account_id == account) and (region is None or metric.region == region)

    def is_generic(self, metric: Metric) -> bool:
        """Tell whether a metric is a wave that stands for nothing."""
        return metric in self.generic or self.bare(metric) in self.generic

    @staticmethod
    def bare(metric: Metric) -> Metric:
        """Return a metric without Region and account."""
        return replace(metric, region=None, account_id=None)

    def searched(self, region: str | None, account_id: str | None) -> MetricStore:
        """Return the part of the store that a search in a Region and account runs over."""
        key = (region or self.home[1], account_id or self.home[0])
        if key not in self._parts:
            here = {
                metric: sources
                for metric, sources in self.store.sources.items()
                if metric.region in {None, key[0]} and metric.account_id in {None, key[1]}
            }
            self._parts[key] = MetricStore(sources=here)
        return self._parts[key]

    @cached_property
    def _parts(self) -> dict[tuple[str | None, str | None], MetricStore]:
        return {}
