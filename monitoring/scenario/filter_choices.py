"""Which open choices change what metric filters make of a scenario's events?

They act before there is a store, so the scenario is run again as a whole under each of them; most change nothing for the events
at hand, which is seen from the distinct events alone. The events of a recording are not looked at: they are many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloudwatch.patterns import compile_pattern, parse_pattern
from cloudwatch.patterns.match import parsed_event
from cloudwatch.patterns.nodes import JsonPattern
from cloudwatch.switches import alternatives

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cloudwatch.metric_filter import MetricFilter
    from cloudwatch.switches import Switches
    from monitoring.scenario.event_reader import EventFeed

__all__ = ["filter_choices"]


def filter_choices(
    feeds: Sequence[EventFeed], *, filters: Sequence[MetricFilter], switches: Switches
) -> Iterator[tuple[str, Switches]]:
    """Yield each other setting that changes a sample, with the name of its switch.

    Args:
        feeds: The events of a scenario.
        filters: The metric filters that they go through.
        switches: The settings that the scenario runs under.
    """
    for switch, other in alternatives(switches):
        match switch:
            case "filter_timestamp":
                changes = any(_minutes(feed.event_s) != _minutes(feed.ingestion_s) for feed in feeds)
            case "filter_default_with_match":
                changes = any(each.default_value is not None for each in filters)
            case _ if switch.startswith("filter_"):
                changes = any(
                    _matched(each, feed, switches=switches) != _matched(each, feed, switches=other)
                    for feed in feeds
                    for each in filters
                    if each.log_group == feed.log_group
                )
            case _:
                changes = False
        if changes:
            yield switch, other


def _minutes(times_s: Sequence[int]) -> list[int]:
    return [time // 60 for time in times_s]


def _matched(metric_filter: MetricFilter, feed: EventFeed, *, switches: Switches) -> list[bool]:
    """Return whether a filter matches each distinct event of a feed."""
    pattern = parse_pattern(metric_filter.pattern)
    matches = compile_pattern(pattern, switches=switches)
    of_json = isinstance(pattern, JsonPattern)
    found: list[bool] = []
    for given in {id(event): event for event in feed.events}.values():
        event: Any = parsed_event(given) if of_json and isinstance(given, str) else given
        found.append(event is not None and bool(matches(event)))
    return found
