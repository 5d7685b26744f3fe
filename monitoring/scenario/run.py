"""Does what must come out come out? Runs a scenario through the engine and compares.

A claim that holds, but would not under another setting of a choice that AWS leaves open, is fragile.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from cloudwatch.alarm import AlarmState, MetricAlarm
from cloudwatch.fragility import Fragility, fragile_verdicts
from cloudwatch.metric_filter_events import filter_events
from cloudwatch.problems import InvalidValueError, Problem, ProblemsError
from cloudwatch.store import MetricStore
from cloudwatch.timeline import Timeline, run_timeline
from monitoring.scenario.definitions import Tested, tested_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from cloudwatch.metric import Metric
    from cloudwatch.metric_filter import MetricFilter
    from cloudwatch.series import SampleSource
    from cloudwatch.timeline import Notification
    from monitoring.scenario.document import Claim, EventFeed, Scenario

__all__ = ["Failure", "Fragile", "Outcome", "is_metric_alarm", "replay", "run_scenario", "timeline_runs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A claim that does not hold.

    Attributes:
        claim: The claim.
        alarm: AlarmName, or empty for a claim about notifications.
        at_s: When it fails, epoch seconds, or None where no time applies.
        expected: What was expected.
        got: What came out.
        runs: AlarmNames that were expected to run ALARM actions, for a claim about notifications.
    """

    claim: Claim
    alarm: str
    at_s: int | None
    expected: str
    got: str
    runs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragile:
    """A claim that holds only as long as an open choice is as assumed.

    Attributes:
        claim: The claim.
        switch: Name of the choice.
        setting: The other setting.
        instead: What would come out then.
    """

    claim: Claim
    switch: str
    setting: object
    instead: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a scenario gave."""

    scenario: Scenario
    timeline: Timeline
    failures: tuple[Failure, ...]
    fragile: tuple[Fragile, ...]


def run_scenario(scenario: Scenario) -> Outcome:
    """Run a scenario and compare.

    Raises:
        ProblemsError: Its alarms, events or recording cannot be read, or a claim names no alarm.
    """
    timeline, names = replay(scenario)
    claims = [(claim, _alarm_of(claim, timeline=timeline, names=names)) for claim in scenario.claims]
    unknown = [claim for claim, name in claims if name is None]
    if unknown:
        raise ProblemsError([_no_alarm(claim, timeline=timeline) for claim in unknown])
    resolved = [(claim, name or "") for claim, name in claims]
    failures = tuple(
        failure for claim, name in resolved if (failure := _failure(claim, name, timeline=timeline, names=names))
    )
    failed = {failure.claim for failure in failures}
    fragility = fragile_verdicts(timeline)
    fragile = tuple(
        found
        for claim, name in resolved
        if claim not in failed
        for found in _fragile(claim, name, fragility=fragility, names=names)
    )
    return Outcome(scenario=scenario, timeline=timeline, failures=failures, fragile=fragile)


def replay(scenario: Scenario) -> tuple[Timeline, dict[str, str]]:
    """Return what would have happened, and the names of logical ids.

    Raises:
        ProblemsError: Alarms, events or recording cannot be read.
    """
    tested = tested_by(scenario)
    whole = partial(_problem, scenario)
    try:
        store = MetricStore.of(_sources(scenario, tested=tested))
        timeline = run_timeline(
            tested.alarms,
            store=store,
            start=scenario.start_s,
            end=scenario.end_s,
            switches=scenario.switches,
        )
    except InvalidValueError as error:
        raise ProblemsError([whole(f"{error}.")]) from error
    return timeline, dict(tested.names)


def _sources(scenario: Scenario, *, tested: Tested) -> Iterator[tuple[Metric, SampleSource]]:
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
        yield from _filtered(feed, filters=filters, scenario=scenario)
    if scenario.dataset is not None:
        yield from _recorded(scenario.dataset, filters=filters, scenario=scenario, home=tested.home)


def _filtered(
    feed: EventFeed, *, filters: Iterable[MetricFilter], scenario: Scenario
) -> Iterator[tuple[Metric, SampleSource]]:
    for each in filters:
        if each.log_group == feed.log_group:
            output = filter_events(
                each,
                events=feed.events,
                event_times_s=feed.event_s,
                ingestion_times_s=feed.ingestion_s,
                switches=scenario.switches,
            )
            yield from output.samples


def _recorded(
    folder: Path, *, filters: Sequence[MetricFilter], scenario: Scenario, home: tuple[str | None, str | None]
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
                    switches=scenario.switches,
                )
                yield from output.samples


def _alarm_of(claim: Claim, *, timeline: Timeline, names: dict[str, str]) -> str | None:
    if claim.alarm is None:
        return ""
    name = claim.alarm if claim.alarm in timeline.alarms else names.get(claim.alarm)
    return name if name in timeline.alarms else None


def _no_alarm(claim: Claim, *, timeline: Timeline) -> Problem:
    from monitoring.config.source import did_you_mean  # noqa: PLC0415 - only on the way out

    known = list(timeline.alarms)
    hint = (
        did_you_mean(claim.alarm or "", known) or f"There are: {', '.join(known[:8])}{' ...' if len(known) > 8 else ''}"
    )
    return Problem(code="scenario-alarm", message=f"there is no alarm {claim.alarm!r}.", hint=hint, place=claim.place)


def _problem(scenario: Scenario, message: str) -> Problem:
    return Problem(code="scenario", message=message, place=scenario.places.place(("name",)))


def _failure(claim: Claim, name: str, *, timeline: Timeline, names: dict[str, str]) -> Failure | None:
    if claim.notified is not None:
        ran = tuple(run.alarm for run in timeline_runs(timeline))
        expected = tuple(names.get(each, each) for each in claim.notified)
        if ran == expected:
            return None
        return Failure(
            claim=claim, alarm="", at_s=None, expected=_listed(expected), got=_listed(ran), runs=expected
        )
    if claim.never is not None:
        entered = next(
            (change.at_s for change in timeline.changes if change.alarm == name and change.state is claim.never), None
        )
        if entered is None:
            return None
        return Failure(claim=claim, alarm=name, at_s=entered, expected=f"never {claim.never}", got=f"{claim.never}")
    assert claim.at_s is not None
    state = timeline.state_at(name, claim.at_s)
    if state is not claim.state:
        return Failure(claim=claim, alarm=name, at_s=claim.at_s, expected=f"{claim.state}", got=f"{state}")
    reason = timeline.reason_at(name, claim.at_s)
    if claim.reason is not None and claim.reason.lower() not in reason.lower():
        return Failure(
            claim=claim,
            alarm=name,
            at_s=claim.at_s,
            expected=f"a reason with {claim.reason!r}",
            got=f"reason: {reason}",
        )
    return None


def _fragile(claim: Claim, name: str, *, fragility: Fragility, names: dict[str, str]) -> Iterator[Fragile]:
    for (switch, setting), other in fragility.others.items():
        failure = _failure(claim, name, timeline=other, names=names)
        if failure is not None and not _only_reason(failure):
            yield Fragile(claim=claim, switch=switch, setting=setting, instead=failure.got)


def _only_reason(failure: Failure) -> bool:
    return failure.got.startswith("reason: ")


def timeline_runs(timeline: Timeline) -> tuple[Notification, ...]:
    """Return the runs of ALARM actions, in order: what `notified` is about."""
    return tuple(ran for ran in timeline.notifications if ran.state is AlarmState.ALARM)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "nobody"


def is_metric_alarm(timeline: Timeline, name: str) -> bool:
    """Tell whether a name is a metric alarm of the timeline: one that has a window to show."""
    return isinstance(timeline.alarms.get(name), MetricAlarm)
