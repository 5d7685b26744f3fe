"""Does what must come out come out? Runs a scenario through the engine and compares.

A claim that holds, but would not under another setting of a choice that AWS leaves open, is fragile.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cloudwatch.alarm import AlarmState, MetricAlarm
from cloudwatch.fragility import fragile_verdicts
from cloudwatch.metric import ExpressionQuery
from cloudwatch.problems import InvalidValueError, Problem, ProblemsError, ProblemSeverity
from cloudwatch.store import MetricStore
from cloudwatch.timeline import Timeline, run_timeline
from monitoring.scenario.definitions import Tested, tested_by
from monitoring.scenario.filter_choices import filter_choices
from monitoring.scenario.sources import sources_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cloudwatch.metric import Metric
    from cloudwatch.switches import Switches
    from cloudwatch.timeline import Notification
    from monitoring.scenario.document import Claim, Scenario

__all__ = ["Failure", "Fragile", "Outcome", "alarm_hint", "is_metric_alarm", "replay", "run_scenario", "timeline_runs"]


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
    """What a scenario gave; `notes` say what is not wrong with the file, but probably not meant."""

    scenario: Scenario
    timeline: Timeline
    failures: tuple[Failure, ...]
    fragile: tuple[Fragile, ...]
    notes: tuple[Problem, ...] = ()


def run_scenario(scenario: Scenario) -> Outcome:
    """Run a scenario and compare.

    Raises:
        ProblemsError: Its alarms, events or recording cannot be read, or a claim names no alarm.
    """
    tested = tested_by(scenario)
    timeline, names = _replayed(scenario, tested=tested), dict(tested.names)
    unknown = list(_unknown_alarms(scenario, timeline=timeline, names=names))
    if unknown:
        raise ProblemsError(unknown)
    resolved = [(claim, names.get(claim.alarm, claim.alarm) if claim.alarm else "") for claim in scenario.claims]
    failures = tuple(
        failure for claim, name in resolved if (failure := _failure(claim, name, timeline=timeline, names=names))
    )
    failed = {failure.claim for failure in failures}
    others = {**fragile_verdicts(timeline).others, **_under_other_filters(scenario, tested=tested)}
    fragile = tuple(
        found
        for claim, name in resolved
        if claim not in failed
        for found in _fragile(claim, name, others=others, names=names)
    )
    notes = (*scenario.notes, *_unread(scenario, timeline=timeline))
    return Outcome(scenario=scenario, timeline=timeline, failures=failures, fragile=fragile, notes=notes)


def replay(scenario: Scenario) -> tuple[Timeline, dict[str, str]]:
    """Return what would have happened, and the names of logical ids.

    Raises:
        ProblemsError: Alarms, events or recording cannot be read.
    """
    tested = tested_by(scenario)
    return _replayed(scenario, tested=tested), dict(tested.names)


def _replayed(scenario: Scenario, *, tested: Tested, filter_switches: Switches | None = None) -> Timeline:
    try:
        return run_timeline(
            tested.alarms,
            store=MetricStore.of(sources_of(scenario, tested=tested, switches=filter_switches or scenario.switches)),
            start=scenario.start_s,
            end=scenario.end_s,
            switches=scenario.switches,
        )
    except InvalidValueError as error:
        if isinstance(error, ProblemsError):
            raise
        raise ProblemsError([_problem(scenario, f"{error}.")]) from error


def _under_other_filters(scenario: Scenario, *, tested: Tested) -> dict[tuple[str, object], Timeline]:
    """Return the timeline under each other setting that changes what metric filters make of the events."""
    return {
        (switch, getattr(switches, switch)): _replayed(scenario, tested=tested, filter_switches=switches)
        for switch, switches in filter_choices(scenario.feeds, filters=tested.filters, switches=scenario.switches)
    }


def _unknown_alarms(scenario: Scenario, *, timeline: Timeline, names: dict[str, str]) -> Iterator[Problem]:
    """Yield a problem for each name in the expectations that no alarm has."""
    for index, claim in enumerate(scenario.claims):
        given: list[tuple[str, tuple[str | int, ...]]]
        if claim.alarm is not None:
            given = [(claim.alarm, ("expect", index, "alarm"))]
        else:
            given = [(name, ("expect", index, "notified", at)) for at, name in enumerate(claim.notified or ())]
        for name, path in given:
            if names.get(name, name) not in timeline.alarms:
                yield Problem(
                    code="scenario-alarm",
                    message=f"there is no alarm {name!r}.",
                    hint=alarm_hint(name, list(timeline.alarms)),
                    place=scenario.places.place(path),
                )


def alarm_hint(name: str, known: Sequence[str]) -> str:
    """Return which alarm was probably meant: one that ends so, or is spelled alike; else what there is."""
    from monitoring.config.source import did_you_mean  # noqa: PLC0415 - only on the way out

    ending = [each for each in known if each.endswith(f"-{name}")]
    if ending:
        return f"Write the whole name: {', '.join(ending[:6])}{' ...' if len(ending) > 6 else ''}."
    return did_you_mean(name, known) or f"There are: {', '.join(known[:8])}{' ...' if len(known) > 8 else '.'}"


def _unread(scenario: Scenario, *, timeline: Timeline) -> Iterator[Problem]:
    """Yield a note for each series that no alarm reads: a metric or dimension is misspelt, or the series says nothing."""
    from monitoring.config.source import did_you_mean  # noqa: PLC0415 - only on the way out

    if any(_reads_by_search(reader.alarm) for reader in timeline.readers.values()):
        return
    read = {_plain(query.metric) for reader in timeline.readers.values() for query in reader.metrics}
    known = {_words(metric): metric for metric in read}
    for index, (metric, _) in enumerate(scenario.series):
        if _plain(metric) in read:
            continue
        yield Problem(
            code="scenario-note",
            severity=ProblemSeverity.NOTE,
            message=f"no alarm reads {_words(_plain(metric))}.",
            hint=did_you_mean(_words(_plain(metric)), list(known)),
            place=scenario.places.place(("series", index, "metric")),
        )


def _plain(metric: Metric) -> Metric:
    return replace(metric, region=None, account_id=None)


def _words(metric: Metric) -> str:
    dimensions = ", ".join(f"{name}: {value}" for name, value in metric.dimensions)
    return f"{metric.namespace} {metric.name}" + (f" {{{dimensions}}}" if dimensions else " without dimensions")


def _reads_by_search(alarm: MetricAlarm) -> bool:
    """Tell whether which metrics an alarm reads is not written in it."""
    texts = [query.expression.upper() for query in alarm.queries if isinstance(query, ExpressionQuery)]
    return any("SEARCH(" in text or text.lstrip().startswith("SELECT") for text in texts)


def _problem(scenario: Scenario, message: str) -> Problem:
    return Problem(code="scenario", message=message, place=scenario.places.place(("name",)))


def _failure(claim: Claim, name: str, *, timeline: Timeline, names: dict[str, str]) -> Failure | None:
    if claim.notified is not None:
        ran = tuple(run.alarm for run in timeline_runs(timeline))
        expected = tuple(names.get(each, each) for each in claim.notified)
        if ran == expected:
            return None
        return Failure(claim=claim, alarm="", at_s=None, expected=_listed(expected), got=_listed(ran), runs=expected)
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


def _fragile(
    claim: Claim, name: str, *, others: Mapping[tuple[str, object], Timeline], names: dict[str, str]
) -> Iterator[Fragile]:
    for (switch, setting), other in others.items():
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
