"""From a recording, or from nothing, to what pages are drawn from: series, alarm states, events.

Alarms read the series as somebody at home does, widgets by account and Region: two views of the same samples. An alarm that cannot
be evaluated is left out with a sentence that says why.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cloudwatch.alarm import CompositeAlarm, MetricAlarm
from cloudwatch.metric_filter_events import filter_events
from cloudwatch.problems import InvalidValueError
from cloudwatch.store import MetricStore
from cloudwatch.timeline import Timeline, run_timeline
from dashboards.preview.source import LogEvents, PreviewData
from dashboards.preview.timespan import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cloudwatch.alarm import Alarm
    from cloudwatch.metric import Metric
    from cloudwatch.series import SampleSource
    from monitoring.dataset import Dataset
    from monitoring.preview.inputs import Environment
    from monitoring.scenario.document import Scenario

__all__ = ["Drawable", "Recorded", "alarm_timeline", "data_of", "empty", "from_dataset", "read_recorded"]

Series = tuple[tuple["Metric", "SampleSource"], ...]
Recorded = Callable[["Environment"], "Drawable"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawable:
    """Series and events before they are held against alarms.

    Attributes:
        series: Metrics with Region and account as far as known.
        start_s: First second.
        end_s: Second after the end.
        about: A sentence for the page.
        logs: Events by log group.
        generic: Metrics that are a wave.
        has_now: Whether the end stands for now, see `PreviewData`.
    """

    series: Series
    start_s: int
    end_s: int
    about: str
    logs: dict[str, LogEvents]
    generic: frozenset[Metric] = frozenset()
    has_now: bool = False


def read_recorded(path: str | Path) -> Recorded:
    """Return what reads a recording, or the series of a scenario file, for the pages of an environment.

    Raises:
        ProblemsError: It is neither.
    """
    if Path(path).is_file():
        from monitoring.scenario.document import load_scenario  # noqa: PLC0415 - only for scenarios

        return partial(_from_scenario, load_scenario(path))
    from monitoring.dataset import read_dataset  # noqa: PLC0415 - pyarrow is slow to import

    return partial(_with_environment, read_dataset(path))


def _with_environment(dataset: Dataset, environment: Environment) -> Drawable:
    return from_dataset(dataset, environment=environment)


def _from_scenario(scenario: Scenario, _environment: Environment) -> Drawable:
    from monitoring.scenario.run import replay  # noqa: PLC0415 - only for scenarios

    timeline, _ = replay(scenario)
    return Drawable(
        series=tuple((metric, source) for metric, sources in timeline.store.sources.items() for source in sources),
        start_s=scenario.start_s,
        end_s=scenario.end_s,
        about=f"Scenario: {scenario.name}.",
        logs={
            feed.log_group: LogEvents(records=feed.events, arrived_s=list(feed.ingestion_s)) for feed in scenario.feeds
        },
    )


def empty() -> Drawable:
    """Return three hours without any data."""
    return Drawable(
        series=(),
        start_s=1_767_225_600,
        end_s=1_767_225_600 + 10_800,
        about="No data: give --data, or --sample-data.",
        logs={},
    )


def from_dataset(dataset: Dataset, *, environment: Environment) -> Drawable:
    """Return a recording, with what the environment's metric filters make of its events."""
    made = {(each.namespace, each.metric) for each in environment.filters}
    series = [
        (metric, source)
        for metric, source in dataset.series
        if not dataset.logs or (metric.namespace, metric.name) not in made
    ]
    account, region = next(iter(dataset.places)) if len(dataset.places) == 1 else environment.home
    for log in dataset.logs:
        for each in environment.filters:
            if each.log_group == log.log_group:
                output = filter_events(
                    each,
                    events=log.records,
                    event_times_s=log.event_times_s,
                    ingestion_times_s=log.ingestion_times_s,
                )
                series += [(replace(metric, region=region, account_id=account), one) for metric, one in output.samples]
    source = str(dataset.about.get("source", "recording"))
    title = str(dataset.about.get("title", ""))
    first, last = (
        datetime.fromtimestamp(at, tz=UTC).strftime("%Y-%m-%d %H:%M") for at in (dataset.start_s, dataset.end_s)
    )
    words = {"simulation": "Simulated"}.get(source, f"Recorded ({source})")
    return Drawable(
        series=tuple(series),
        start_s=dataset.start_s,
        end_s=dataset.end_s,
        about=f"{words}: {title or 'no title'}, {first} to {last} UTC.",
        logs={
            log.log_group: LogEvents(records=log.records, arrived_s=log.ingestion_times_s.tolist())
            for log in dataset.logs
        },
    )


def data_of(drawable: Drawable, *, environment: Environment) -> tuple[PreviewData, tuple[str, ...]]:
    """Return what pages of an environment are drawn from, and why alarms are left out.

    Raises:
        InvalidValueError: A metric holds samples and statistics.
    """
    places = {(metric.account_id, metric.region) for metric, _ in drawable.series}
    account, region = environment.home
    if len(places) == 1:
        (only,) = places
        account, region = account or only[0], region or only[1]
    home = (account, region)
    start_s = drawable.start_s - drawable.start_s % 60
    span = Span(start_s=start_s, end_s=max(start_s + 60, drawable.end_s - drawable.end_s % 60))
    at_home = [
        (
            replace(metric, account_id=None, region=None)
            if metric.account_id in {None, account} and metric.region in {None, region}
            else metric,
            source,
        )
        for metric, source in drawable.series
    ]
    timeline: Timeline | None = None
    left_out: tuple[str, ...] = ()
    if drawable.series and environment.alarms:
        meant = [alarm for alarm in environment.alarms if not _reads(alarm, drawable.generic)]
        timeline, left_out = alarm_timeline(meant, store=MetricStore.of(at_home), span=span)
        waves = len(environment.alarms) - len(meant)
        if waves:
            words = (
                "1 alarm is not evaluated: it reads" if waves == 1 else f"{waves} alarms are not evaluated: they read"
            )
            left_out = (*left_out, f"{words} waves that mean nothing.")
    return PreviewData(
        store=MetricStore.of(drawable.series),
        span=span,
        home=home,
        timeline=timeline,
        kinds=environment.kinds,
        titles=environment.titles,
        logs=drawable.logs,
        about=drawable.about,
        generic=drawable.generic,
        has_now=drawable.has_now,
    ), left_out


def _reads(alarm: Alarm, generic: frozenset[Metric]) -> bool:
    return isinstance(alarm, MetricAlarm) and any(
        replace(query.metric, region=None, account_id=None) in generic for query in alarm.metrics
    )


def alarm_timeline(
    alarms: Sequence[Alarm], *, store: MetricStore, span: Span
) -> tuple[Timeline | None, tuple[str, ...]]:
    """Return the timeline of all alarms that can be evaluated, and why the others cannot."""
    try:
        return run_timeline(alarms, store=store, start=span.start_s, end=span.end_s), ()
    except InvalidValueError:
        pass
    left_out: list[str] = []
    minute = span.start_s + 60
    good: list[Alarm] = []
    for alarm in _children_first(alarms):
        own = [alarm] if isinstance(alarm, MetricAlarm) else [*good, alarm]
        try:
            run_timeline(own, store=store, start=span.start_s, end=minute)
        except InvalidValueError as error:
            left_out.append(f"Alarm {alarm.name} is not evaluated: {error}.")
        else:
            good.append(alarm)
    if not good:
        return None, tuple(left_out)
    try:
        return run_timeline(good, store=store, start=span.start_s, end=span.end_s), tuple(left_out)
    except InvalidValueError as error:
        return None, (*left_out, f"No alarm is evaluated: {error}.")


def _children_first(alarms: Iterable[Alarm]) -> list[Alarm]:
    """Return metric alarms, then composites in an order in which each comes after those it names, where there is one."""
    known = list(alarms)
    ordered: list[Alarm] = [alarm for alarm in known if isinstance(alarm, MetricAlarm)]
    waiting = [alarm for alarm in known if isinstance(alarm, CompositeAlarm)]
    while waiting:
        names = {alarm.name for alarm in waiting}
        ready = [
            a for a in waiting if not any(f'"{name}"' in a.rule or f":{name}" in a.rule for name in names - {a.name})
        ]
        ready = ready or waiting
        ordered += ready
        waiting = [alarm for alarm in waiting if alarm not in ready]
    return ordered
