"""Which samples does a metric filter make of log events?

Each match publishes the filter's value. In a minute that had log events and no match, each of them publishes the default
value; a minute without log events publishes nothing, default value or not (Logs User Guide, Creating metrics from log events;
Filter pattern syntax for metric filters). Samples are stamped with the minute of the ingestion time, or of the event time where
`Switches.filter_timestamp` says so: which one AWS takes for events that arrive late is not documented and unverified on AWS.

A match whose value is no number, or which has no value for a dimension, publishes nothing and is counted: what AWS does with
it is not documented.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cloudwatch import limits
from cloudwatch.metric import Metric
from cloudwatch.metric_filter_limits import filter_problems
from cloudwatch.patterns import compile_pattern, compile_value, parse_pattern
from cloudwatch.patterns.match import parsed_event
from cloudwatch.patterns.nodes import JsonPattern
from cloudwatch.patterns.operands import number_in, text_of
from cloudwatch.problems import InvalidValueError, ProblemsError
from cloudwatch.series import Samples
from cloudwatch.switches import DEFAULT_SWITCHES, Switches

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from cloudwatch.metric_filter import MetricFilter
    from cloudwatch.patterns import Event

__all__ = ["FilterOutput", "filter_events"]

_MINUTE_S = 60
_LARGEST = 2.0**360


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FilterOutput:
    """What one filter published.

    Attributes:
        samples: Each metric with its samples; several metrics where the filter has dimensions.
        matches: How many events matched.
        unusable: How many of them published nothing: no number, or no value for a dimension.
    """

    samples: tuple[tuple[Metric, Samples], ...]
    matches: int
    unusable: int


def filter_events(
    metric_filter: MetricFilter,
    *,
    events: Sequence[Event],
    event_times_s: ArrayLike,
    ingestion_times_s: ArrayLike | None = None,
    publish_delay_s: int = 0,
    switches: Switches = DEFAULT_SWITCHES,
) -> FilterOutput:
    """Return the samples that a filter makes of events.

    Args:
        metric_filter: The filter.
        events: Parsed JSON objects or messages; their order does not matter.
        event_times_s: When each event happened, epoch seconds.
        ingestion_times_s: When CloudWatch Logs received each, epoch seconds, not before the event; None is at once.
        publish_delay_s: Seconds from ingestion until a query can see the sample.
        switches: Choices that AWS leaves open.

    With `filter_default_with_match` every event without a match publishes the default value, in every minute.

    Raises:
        ProblemsError: CloudWatch Logs would refuse the filter.
        InvalidValueError: The columns differ in length, or an event was ingested before it happened.
    """
    problems = filter_problems(metric_filter)
    if problems:
        raise ProblemsError(problems)
    happened = _times("event_times_s", event_times_s, length=len(events))
    ingested = (
        happened if ingestion_times_s is None else _times("ingestion_times_s", ingestion_times_s, length=len(events))
    )
    if np.any(ingested < happened):
        raise InvalidValueError("ingestion_times_s: an event cannot be ingested before it happened")
    stamps = (ingested if switches.filter_timestamp == "ingestion" else happened) // _MINUTE_S * _MINUTE_S
    visible = ingested + publish_delay_s

    pattern = parse_pattern(metric_filter.pattern)
    matches = compile_pattern(pattern, switches=switches)
    value_of = _value_of(metric_filter)
    dimensions_of = [(key, compile_value(pattern, selector)) for key, selector in metric_filter.dimensions]
    reads_json = isinstance(pattern, JsonPattern)

    rows: dict[tuple[tuple[str, str], ...], list[tuple[int, float]]] = {}
    matched = np.zeros(len(events), dtype=np.bool_)
    unusable = 0
    previous: Any = matched  # no event
    for position, given in enumerate(events):
        if given is not previous:  # a feed that repeats one record is judged once
            previous = given
            event: Any = parsed_event(given) if reads_json and isinstance(given, str) else given
            hit = event is not None and matches(event)
            if hit:
                value = value_of(event)
                dimensions = tuple((key, _dimension_text(of(event))) for key, of in dimensions_of)
                usable = value is not None and all(text for _, text in dimensions)
        if not hit:
            continue
        matched[position] = True
        if usable and value is not None:
            rows.setdefault(dimensions, []).append((position, value))
        else:
            unusable += 1
    if not metric_filter.dimensions:
        rows.setdefault((), [])

    defaults = _defaults(metric_filter, matched=matched, stamps=stamps, visible=visible, switches=switches)
    samples = []
    for dimensions, published in rows.items():
        positions = np.array([position for position, _ in published], dtype=np.int64)
        times = np.append(stamps[positions], defaults[0])
        available = np.append(visible[positions], defaults[1])
        values = np.append(
            [value for _, value in published], np.full(len(defaults[0]), metric_filter.default_value or 0.0)
        )
        if len(times):
            metric = Metric(namespace=metric_filter.namespace, name=metric_filter.metric, dimensions=dimensions)
            samples.append((metric, Samples.of_values(times, values, available_at=available)))
    return FilterOutput(samples=tuple(samples), matches=int(matched.sum()), unusable=unusable)


def _defaults(
    metric_filter: MetricFilter,
    *,
    matched: NDArray[np.bool_],
    stamps: NDArray[np.int64],
    visible: NDArray[np.int64],
    switches: Switches,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return timestamps of the default values and from when each is seen: with the last event of its minute."""
    if metric_filter.default_value is None:
        return stamps[:0], visible[:0]
    if switches.filter_default_with_match == "yes":
        return stamps[~matched], visible[~matched]
    minutes, of = np.unique(stamps, return_inverse=True)
    # Only after its last event it is known that a minute had no match.
    last = np.full(len(minutes), np.iinfo(np.int64).min)
    np.maximum.at(last, of, visible)
    quiet = np.bincount(of, weights=matched, minlength=len(minutes)) == 0
    return stamps[quiet[of]], last[of][quiet[of]]


def _value_of(metric_filter: MetricFilter) -> Callable[[Event], float | None]:
    number = number_in(metric_filter.value)
    if number is not None:
        return lambda _: number
    get = compile_value(parse_pattern(metric_filter.pattern), metric_filter.value)

    def value(event: Event) -> float | None:
        found = get(event)
        if isinstance(found, str):
            found = number_in(found)
        if found is None or isinstance(found, bool) or not abs(found) <= _LARGEST:
            return None
        return float(found)

    return value


def _dimension_text(value: Any) -> str:
    """Return the text of a dimension, empty where a metric cannot carry it."""
    text = str(value).lower() if isinstance(value, bool) else text_of(value) or ""
    usable = len(text) <= limits.DIMENSION_VALUE_LENGTH and text.isascii() and text.isprintable() and text.strip()
    return text if usable else ""


def _times(name: str, times: ArrayLike, *, length: int) -> NDArray[np.int64]:
    column = np.asarray(times, dtype=np.int64)
    if column.shape != (length,):
        raise InvalidValueError(f"{name} has the shape {column.shape}, there are {length} events")
    return column
