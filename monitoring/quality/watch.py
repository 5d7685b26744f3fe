"""Which alarms are put to the test, and what does each tell people? Any template, with the causes that its alarms stand for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from alarms.policy import base_slug
from cloudwatch.problems import InvalidValueError
from cloudwatch.timeline import run_timeline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from cloudwatch.alarm import Alarm
    from cloudwatch.readers.definitions import Definitions
    from cloudwatch.store import MetricStore
    from cloudwatch.switches import Switches

__all__ = ["Call", "Told", "Watch", "own_watch", "told", "watch_of"]

_STAND_IN = "somebody"


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Alarms that are run together.

    Attributes:
        alarms: Every alarm, those that only others read too.
        pages: Cause by name of each alarm that wakes somebody.
        tickets: Cause by name of each alarm that leaves a ticket or note.
    """

    alarms: tuple[Alarm, ...]
    pages: Mapping[str, str]
    tickets: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Somebody was told a cause at a second."""

    at_s: int
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a set of alarms told of a stretch of time.

    Attributes:
        pages: In order of time.
        tickets: In order of time.
        spans: From and to which second each paging cause was in ALARM; an alarm that still is ends with the stretch.
    """

    pages: tuple[Call, ...]
    tickets: tuple[Call, ...]
    spans: Mapping[str, tuple[tuple[int, int], ...]]


def watch_of(definitions: Sequence[Definitions], *, pages: Mapping[str, str], tickets: Mapping[str, str]) -> Watch:
    """Return the alarms of templates with what they stand for; an alarm that calls nobody is made to call somebody.

    Raises:
        InvalidValueError: There is no alarm of a name.
    """
    alarms = {alarm.name: alarm for alarm in _alarms(definitions)}
    unknown = [name for name in (*pages, *tickets) if name not in alarms]
    if unknown:
        raise InvalidValueError(f"There is no alarm {unknown[0]!r}; there are {', '.join(alarms)}")
    calling = {*pages, *tickets}
    return Watch(
        alarms=tuple(
            replace(alarm, actions_enabled=True, alarm_actions=alarm.alarm_actions or (_STAND_IN,))
            if name in calling
            else alarm
            for name, alarm in alarms.items()
        ),
        pages=dict(pages),
        tickets=dict(tickets),
    )


def own_watch(definitions: Sequence[Definitions], *, site_prefix: str, model: str) -> Watch:
    """Return the alarms of this project for one model: causes are in their names, severities in their topics.

    Args:
        definitions: The templates of the account and of the model; alarms of other models are left out.
        site_prefix: What alarm names start with, `llm-bench`.
        model: Key of the model.
    """
    pages: dict[str, str] = {}
    tickets: dict[str, str] = {}
    for alarm in _alarms(definitions):
        slug = base_slug(alarm.name.removeprefix(f"{site_prefix}-").removeprefix(f"{model}-"))
        for arn in alarm.alarm_actions:
            (pages if arn.endswith(":page") else tickets)[alarm.name] = slug
    return watch_of(definitions, pages=pages, tickets=tickets)


def _alarms(definitions: Sequence[Definitions]) -> Iterator[Alarm]:
    for found in definitions:
        yield from found.alarms
        yield from found.composites


def told(watch: Watch, *, store: MetricStore, start_s: int, end_s: int, switches: Switches) -> Told:
    """Run the alarms over a stretch of time; whole minutes, seconds since 1970."""
    timeline = run_timeline(watch.alarms, store=store, start=start_s, end=end_s, switches=switches)
    rung = [one for one in timeline.notifications if one.state.value == "ALARM"]
    starts: dict[str, list[int]] = {}
    spans: dict[str, list[tuple[int, int]]] = {}
    for change in timeline.changes:
        if change.alarm not in watch.pages:
            continue
        if change.state.value == "ALARM":
            starts.setdefault(change.alarm, []).append(change.at_s)
        elif change.previous.value == "ALARM":
            spans.setdefault(watch.pages[change.alarm], []).append((starts[change.alarm].pop(), change.at_s))
    for name, left in starts.items():
        spans.setdefault(watch.pages[name], []).extend((at, end_s) for at in left)
    return Told(
        pages=tuple(Call(at_s=one.at_s, cause=watch.pages[one.alarm]) for one in rung if one.alarm in watch.pages),
        tickets=tuple(
            Call(at_s=one.at_s, cause=watch.tickets[one.alarm]) for one in rung if one.alarm in watch.tickets
        ),
        spans={cause: tuple(sorted(found)) for cause, found in spans.items()},
    )
