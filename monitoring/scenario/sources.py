"""What is known of every metric of a scenario? Its series, its events through the metric filters, its recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.metric_filter_events import filter_events
from cloudwatch.problems import Problem, ProblemsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from cloudwatch.metric import Metric
    from cloudwatch.metric_filter import MetricFilter
    from cloudwatch.series import SampleSource
    from cloudwatch.switches import Switches
    from monitoring.scenario.definitions import Tested
    from monitoring.scenario.document import EventFeed, Scenario

__all__ = ["sources_of"]


def sources_of(scenario: Scenario, *, tested: Tested, switches: Switches) -> Iterator[tuple[Metric, SampleSource]]:
    """Yield each metric with samples: the series, what filters make of the events, and the recording.

    Raises:
        ProblemsError: No filter reads a log group, or the recording cannot be read.
    """
    yield from scenario.series
    filters = tested.filters
    for index, feed in enumerate(scenario.feeds):
        groups = {each.log_group for each in filters}
        if feed.log_group not in groups:
            known = ", ".join(sorted(groups)) or "there is none"
            raise ProblemsError(
                [
                    Problem(
                        code="scenario-log-group",
                        message=f"no metric filter reads log group {feed.log_group!r}; filters read: {known}.",
                        place=scenario.places.place(("events", index, "log_group")),
                    )
                ]
            )
        yield from _filtered(feed, filters=filters, switches=switches)
    if scenario.dataset is not None:
        yield from _recorded(scenario.dataset, filters=filters, switches=switches, home=tested.home)


def _filtered(
    feed: EventFeed, *, filters: Iterable[MetricFilter], switches: Switches
) -> Iterator[tuple[Metric, SampleSource]]:
    for each in filters:
        if each.log_group == feed.log_group:
            output = filter_events(
                each,
                events=feed.events,
                event_times_s=feed.event_s,
                ingestion_times_s=feed.ingestion_s,
                switches=switches,
            )
            yield from output.samples


def _recorded(
    folder: Path, *, filters: Sequence[MetricFilter], switches: Switches, home: tuple[str | None, str | None]
) -> Iterator[tuple[Metric, SampleSource]]:
    from monitoring.dataset import read_dataset  # noqa: PLC0415 - pyarrow is slow to import

    dataset = read_dataset(folder)
    here = home if home in dataset.places else None
    made = {(each.namespace, each.metric) for each in filters}
    for metric, source in dataset.sources(here):
        if not dataset.logs or (metric.namespace, metric.name) not in made:
            yield metric, source
    for log in dataset.logs:
        for each in filters:
            if each.log_group == log.log_group:
                output = filter_events(
                    each,
                    events=log.records,
                    event_times_s=log.event_times_s,
                    ingestion_times_s=log.ingestion_times_s,
                    switches=switches,
                )
                yield from output.samples
