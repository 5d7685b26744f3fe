"""What does a scenario file ask for? From YAML to values: alarms, filters, a store of samples, events and expectations.

Every problem of the file is collected and has its place. Paths in it are relative to the file itself.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from pydantic_core import ValidationError

from cloudwatch.alarm import AlarmState
from cloudwatch.metric import Metric
from cloudwatch.problems import InvalidValueError, Place, Problem, ProblemsError, TextSyntaxError
from cloudwatch.series import GivenStatistic, Samples, SampleSource
from cloudwatch.stat import parse_stat
from cloudwatch.switches import DEFAULT_SWITCHES, Switches
from monitoring.config.errors import problem_for
from monitoring.config.source import Source, did_you_mean, read_source
from monitoring.durations import parse_duration
from monitoring.scenario.notation import expand
from monitoring.scenario.step_samples import alike, draw
from monitoring.scenario.schema import ScenarioFile, samples_validator, validator

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from monitoring.config.source import Path_

__all__ = ["Claim", "EventFeed", "Scenario", "load_scenario"]

MAX_MINUTES = 60 * 24 * 366
MAX_EVENTS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFeed:
    """Log events of one group.

    Attributes:
        log_group: Its name.
        events: Each as the log group holds it: a mapping, or a line of text.
        event_s: When each happened, epoch seconds.
        ingestion_s: When each reached the log group, epoch seconds.
    """

    log_group: str
    events: tuple[Any, ...]
    event_s: tuple[int, ...]
    ingestion_s: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One expectation.

    Attributes:
        place: Where it stands.
        alarm: AlarmName or logical id; None for a claim about notifications.
        at_s: Epoch seconds of the evaluation that is meant.
        state: State that is expected then.
        reason: Part of its reason.
        never: State that must not be entered.
        notified: Alarms whose ALARM actions ran, in order.
    """

    place: Place
    alarm: str | None = None
    at_s: int | None = None
    state: AlarmState | None = None
    reason: str | None = None
    never: AlarmState | None = None
    notified: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A scenario file, read.

    Attributes:
        name: What is tested.
        file: The file as the user named it.
        source: Where its alarms come from, as written, with paths made absolute.
        start_s: Creation of the alarms, epoch seconds.
        end_s: Last evaluation, epoch seconds.
        series: Metrics and what is known of them.
        feeds: Log events.
        dataset: Folder of a recording, or None.
        claims: What must come out.
        switches: Settings of the choices that AWS leaves open.
        places: Place of each part of the file, by path.
    """

    name: str
    file: str
    source: Mapping[str, Any]
    start_s: int
    end_s: int
    series: tuple[tuple[Metric, SampleSource], ...]
    feeds: tuple[EventFeed, ...]
    dataset: Path | None
    claims: tuple[Claim, ...]
    switches: Switches
    places: Source


def load_scenario(file: str | Path) -> Scenario:
    """Read a scenario.

    Raises:
        ProblemsError: With every problem of the file.
    """
    source = read_source(file)
    problems = list(source.problems)
    try:
        validator().validate_python(source.data)
    except ValidationError as error:
        problems += [problem_for(one, source, root=ScenarioFile) for one in error.errors(include_url=False)]
    if problems:
        raise ProblemsError(sorted(problems, key=lambda problem: (problem.place.line or 0, problem.place.column or 0)))
    reader = _Reader(source)
    scenario = reader.scenario()
    if reader.problems or scenario is None:
        raise ProblemsError(reader.problems)
    return scenario


class _Reader:
    """Turns a file of the right form into values and keeps what is wrong with their meaning."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.data: dict[str, Any] = source.data
        self.folder = Path(source.file).resolve().parent
        self.problems: list[Problem] = []
        self.start_s = 0
        self.duration_s = 0

    def problem(self, path: Sequence[str | int], message: str, hint: str = "", /) -> None:
        self.problems.append(Problem(code="scenario", message=message, hint=hint, place=self.source.place(tuple(path))))

    def scenario(self) -> Scenario | None:
        try:
            started = datetime.fromisoformat(self.data["start"])
        except ValueError:
            self.problem(("start",), f"start is no date: {self.data['start']!r}.", "Write 2026-11-02T09:00:00Z.")
            return None
        self.start_s = int(started.timestamp())
        self.duration_s = self.seconds(("duration",), default=0)
        if self.start_s % 60:
            self.problem(("start",), "start lies inside a minute.", "Alarms are evaluated at full minutes.")
        if not 60 <= self.duration_s <= MAX_MINUTES * 60:
            self.problem(("duration",), "duration has to be between 1m and 366d.")
        switches = self.switches()
        alarms = self.alarm_source()
        series = tuple(self.series())
        feeds = tuple(self.feeds())
        claims = tuple(self.claims())
        dataset = self.data.get("dataset")
        if self.problems:
            return None
        return Scenario(
            name=self.data["name"],
            file=self.source.file,
            source=alarms,
            start_s=self.start_s,
            end_s=self.start_s + self.duration_s,
            series=series,
            feeds=feeds,
            dataset=None if dataset is None else self.folder / dataset,
            claims=claims,
            switches=switches,
            places=self.source,
        )

    def at(self, path: Path_) -> Any:
        value: Any = self.data
        for part in path:
            value = value.get(part) if isinstance(value, dict) else value[cast("int", part)]
            if value is None:
                return None
        return value

    def seconds(self, path: Path_, *, default: int) -> int:
        text = self.at(path)
        if text is None:
            return default
        try:
            return parse_duration(text)
        except InvalidValueError as error:
            self.problem(path, f"{error}.")
            return default

    def switches(self) -> Switches:
        given: dict[str, Any] = self.data.get("switches") or {}
        known = [field.name for field in fields(Switches)]
        for name in given:
            if name not in known:
                hint = did_you_mean(name, known) or f"Known: {', '.join(known)}."
                self.problem(("switches", name), f"there is no switch {name!r}.", hint)
        kept = {name: value for name, value in given.items() if name in known}
        try:
            return replace(DEFAULT_SWITCHES, **kept)
        except (InvalidValueError, TypeError) as error:
            self.problem(("switches",), f"{error}.")
            return DEFAULT_SWITCHES

    def alarm_source(self) -> dict[str, Any]:
        given = dict(self.data["alarms"])
        kinds = [kind for kind in ("config", "template", "describe_alarms") if kind in given]
        if len(kinds) != 1:
            self.problem(
                ("alarms",),
                f"alarms has {' and '.join(kinds) or 'none of config, template and describe_alarms'}.",
                "Give exactly one of config, template and describe_alarms.",
            )
            return given
        fitting = {
            "config": {"config", "account", "region"},
            "template": {"template", "parameters", "region", "account_id"},
            "describe_alarms": {"describe_alarms"},
        }[kinds[0]]
        for key in given:
            if key not in fitting:
                self.problem(("alarms", key), f"{key} does not go with {kinds[0]}.", "Remove it.")
        for kind in ("config", "describe_alarms"):
            if kind in given:
                given[kind] = str(self.folder / given[kind])
        if "template" in given:
            named = [given["template"]] if isinstance(given["template"], str) else given["template"]
            given["template"] = [str(self.folder / name) for name in named]
        return given

    def series(self) -> Iterator[tuple[Metric, SampleSource]]:
        for index, spec in enumerate(self.data.get("series") or ()):
            path: Path_ = ("series", index)
            namespace, _, name = spec["metric"].partition(" ")
            try:
                metric = Metric(
                    namespace=namespace, name=name, dimensions=tuple((spec.get("dimensions") or {}).items())
                )
            except InvalidValueError as error:
                self.problem((*path, "metric"), f"{error}.")
                continue
            if ("values" in spec) == ("samples" in spec):
                self.problem(path, "a series has either values with a stat, or samples.", "Give one of the two.")
                continue
            found = self.given(spec, path) if "values" in spec else self.raw(spec, path)
            if found is not None:
                yield metric, found

    def given(self, spec: Mapping[str, Any], path: Path_) -> GivenStatistic | None:
        if "stat" not in spec:
            self.problem(path, "values without stat: which statistic are they?", "Add for example 'stat: Sum'.")
            return None
        period_s = self.seconds((*path, "period"), default=60)
        late_s = self.seconds((*path, "available_after"), default=0)
        begin_s = self.start_s + self.seconds((*path, "after"), default=0)
        points = self.points(spec["values"], (*path, "values"))
        if points is None:
            return None
        try:
            times = begin_s + period_s * np.arange(len(points), dtype=np.int64)
            return GivenStatistic.of_points(
                times, points, stat=parse_stat(spec["stat"]), period_s=period_s, available_at=times + late_s
            )
        except InvalidValueError as error:
            self.problem((*path, "stat"), f"{error}.")
            return None

    def raw(self, spec: Mapping[str, Any], path: Path_) -> Samples | None:
        if "stat" in spec:
            self.problem((*path, "stat"), "samples are raw values; a stat goes with values.", "Remove stat.")
            return None
        late_s = self.seconds((*path, "available_after"), default=0)
        after_s = self.seconds((*path, "after"), default=0)
        lists = self.sample_lists(
            spec, (*path, "samples"), room_s=self.duration_s - after_s, period_path=(*path, "period")
        )
        if lists is None:
            return None
        step_s, values = lists
        counts = [len(step) for step in values]
        times = np.repeat(self.start_s + after_s + step_s * np.arange(len(values), dtype=np.int64), counts)
        try:
            return Samples.of_values(times, np.concatenate([[], *values]), available_at=times + late_s)
        except (InvalidValueError, ValueError) as error:
            self.problem((*path, "samples"), f"{error}.")
            return None

    def sample_lists(
        self, spec: Mapping[str, Any], path: Path_, *, room_s: int, period_path: Path_
    ) -> tuple[int, list[Any]] | None:
        given = spec["samples"]
        if isinstance(given, list):
            for index, step in enumerate(given):
                if not isinstance(step, list) or not all(_is_number(value) for value in step):
                    self.problem((*path, index), "samples are a list of lists of numbers, one list a period.", "")
                    return None
            return self.seconds(period_path, default=60), given
        try:
            samples_validator().validate_python(given)
        except ValidationError as error:
            for one in error.errors(include_url=False):
                self.problems.append(problem_for({**one, "loc": (*path, *one["loc"])}, self.source, root=ScenarioFile))
            return None
        step_s = self.seconds((*path, "every"), default=60)
        if step_s <= 0:
            self.problem((*path, "every"), "every has to be longer than 0s.")
            return None
        found = self.steps(given, path, room=max(1, math.ceil(room_s / step_s)))
        if found is None:
            return None
        counts, values = found
        try:
            if values:
                return step_s, alike(values, counts=counts)
            return step_s, draw(given["distribution"], counts=counts, seed=given.get("seed", 0))
        except InvalidValueError as error:
            self.problem((*path, "distribution"), f"{error}.")
            return None

    def steps(self, given: Mapping[str, Any], path: Path_, *, room: int) -> tuple[list[int], list[float]] | None:
        """Return how many values each step has and, where they are alike, what each is: NaN for a gap."""
        if ("values" in given) == ("distribution" in given):
            self.problem(
                path,
                "samples have either values, all of a step alike, or a distribution to draw from.",
                "Give one of the two.",
            )
            return None
        values = self.points(given["values"], (*path, "values")) if "values" in given else []
        counts = self.points(given["count"], (*path, "count"))
        if values is None or counts is None:
            return None
        wrong = next((count for count in counts if not (count >= 0 and count == int(count))), None)
        if wrong is not None:
            self.problem((*path, "count"), f"count has {wrong:g}; a step holds a whole number of values.", "0 is none.")
            return None
        steps = given.get("steps", len(values) or (len(counts) if len(counts) > 1 else room))
        if len(counts) == 1:
            counts *= steps
        if len(counts) != steps or (values and len(values) != steps):
            said = f"{len(values)} values, " if values else ""
            self.problem(path, f"samples have {said}{len(counts)} counts and {steps} steps.", "Each step needs its own.")
            return None
        return [int(count) for count in counts], values

    def points(self, text: Any, path: Path_) -> list[float] | None:
        try:
            return expand(str(text))
        except TextSyntaxError as error:
            self.problem(path, f"{path[-1]}: {error}.", error.hint)
            return None

    def feeds(self) -> Iterator[EventFeed]:
        for index, spec in enumerate(self.data.get("events") or ()):
            path: Path_ = ("events", index)
            if ("file" in spec) == ("records" in spec):
                self.problem(path, "events come from a file or are written as records.", "Give one of the two.")
                continue
            records = list(spec["records"]) if "records" in spec else self.lines((*path, "file"))
            late_s = self.seconds((*path, "available_after"), default=0)
            every_s = self.seconds((*path, "every"), default=0)
            sent = self.sent(spec, path, listed=len(records), every_s=every_s)
            records = [records[number % len(records)] for number in range(sent)]
            times: list[int] = []
            for number, record in enumerate(records):
                happened = self.event_time(record, path=path, number=number, every_s=every_s)
                if happened is None:
                    break
                times.append(happened)
            else:
                yield EventFeed(
                    log_group=spec["log_group"],
                    events=tuple(records),
                    event_s=tuple(times),
                    ingestion_s=tuple(time + late_s for time in times),
                )

    def sent(self, spec: Mapping[str, Any], path: Path_, *, listed: int, every_s: int) -> int:
        """Return how many events are sent: the list once, `repeat` times, or over and over from `at` until `until`."""
        if "until" not in spec:
            return listed * int(spec.get("repeat", 1))
        missing = [key for key in ("at", "every") if key not in spec]
        if missing or "repeat" in spec:
            said = f"needs {' and '.join(missing)}" if missing else "does not go with repeat"
            self.problem((*path, "until"), f"until {said}.", "Write for example {at: 0m, every: 1s, until: 45m}.")
            return 0
        length_s = self.seconds((*path, "until"), default=0) - self.seconds((*path, "at"), default=0)
        if every_s <= 0 or length_s <= 0 or length_s > MAX_EVENTS * every_s:
            self.problem(
                (*path, "until"),
                f"from {spec['at']} every {spec['every']} until {spec['until']} is no list of events.",
                f"until lies after at, every is longer than 0s, and there are at most {MAX_EVENTS:,} events.",
            )
            return 0
        return math.ceil(length_s / every_s) if listed else 0

    def event_time(self, record: Any, *, path: Path_, number: int, every_s: int) -> int | None:
        if self.at((*path, "at")) is not None:
            return self.start_s + self.seconds((*path, "at"), default=0) + number * every_s
        inner = record.get("detail", record) if isinstance(record, dict) else None
        text = (
            (inner.get("eventTime") or inner.get("timestamp") or record.get("time"))
            if isinstance(inner, dict)
            else None
        )
        try:
            moment = datetime.fromisoformat(str(text))
            return int((moment if moment.tzinfo else moment.astimezone()).timestamp())
        except ValueError:
            self.problem(
                path,
                f"event {number + 1} has no eventTime, so it is not known when it happened.",
                "Give the events a time with 'at: 5m', or an eventTime such as 2026-11-02T09:05:00Z.",
            )
            return None

    def lines(self, path: Path_) -> list[Any]:
        file = self.folder / self.at(path)
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            self.problem(path, f"{file} cannot be read: {reason}.")
            return []
        found = []
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip():
                continue
            try:
                found.append(json.loads(line))
            except (ValueError, RecursionError):
                self.problem(path, f"line {number} of {file} is not JSON: {line[:60]!r}.", "One event a line.")
                return []
        return found

    def claims(self) -> Iterator[Claim]:
        for index, spec in enumerate(self.data["expect"]):
            path: Path_ = ("expect", index)
            place = self.source.place(path)
            forms = {
                "at, state": "alarm" in spec and "at" in spec and "state" in spec,
                "never": "alarm" in spec and "never" in spec,
                "notified": "notified" in spec,
            }
            allowed = {
                "at, state": {"alarm", "at", "state", "reason"},
                "never": {"alarm", "never"},
                "notified": {"notified"},
            }
            chosen = [form for form, there in forms.items() if there]
            if len(chosen) != 1 or set(spec) - allowed[chosen[0]]:
                self.problem(
                    path,
                    f"an expectation has alarm, at and state (and perhaps reason), or alarm and never, or notified; this has "
                    f"{', '.join(spec) or 'nothing'}.",
                    "Split it.",
                )
                continue
            if chosen[0] == "notified":
                yield Claim(place=place, notified=tuple(spec["notified"]))
            elif chosen[0] == "never":
                yield Claim(place=place, alarm=spec["alarm"], never=AlarmState(spec["never"]))
            else:
                offset_s = self.seconds((*path, "at"), default=0)
                if offset_s > self.duration_s or offset_s % 60:
                    after = str(timedelta(seconds=self.duration_s))
                    self.problem(
                        (*path, "at"),
                        f"at {spec['at']} is no evaluation of this scenario.",
                        f"Give whole minutes up to the duration ({after}).",
                    )
                yield Claim(
                    place=place,
                    alarm=spec["alarm"],
                    at_s=self.start_s + offset_s,
                    state=AlarmState(spec["state"]),
                    reason=spec.get("reason"),
                )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
