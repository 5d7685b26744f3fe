"""What does a scenario file ask for? From YAML to values: alarms, filters, a store of samples, events and expectations.

Every problem of the file is collected and has its place. Paths in it are relative to the file itself.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic_core import ValidationError

from cloudwatch.problems import InvalidValueError, Problem, ProblemsError
from cloudwatch.switches import DEFAULT_SWITCHES, Switches
from monitoring.config.source import Source, did_you_mean, read_source
from monitoring.scenario.claim_reader import Claim, read_claims
from monitoring.scenario.event_reader import EventFeed, read_feeds
from monitoring.scenario.reader import Reader
from monitoring.scenario.schema import validator
from monitoring.scenario.series_reader import read_series
from monitoring.scenario.wording import scenario_problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloudwatch.metric import Metric
    from cloudwatch.series import SampleSource

__all__ = ["Claim", "EventFeed", "Scenario", "load_scenario"]

MAX_MINUTES = 60 * 24 * 366


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
        notes: What is not wrong, but probably not meant.
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
    notes: tuple[Problem, ...] = ()


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
        problems += [scenario_problem(one, source) for one in error.errors(include_url=False)]
    if problems:
        raise ProblemsError(sorted(problems, key=lambda problem: (problem.place.line or 0, problem.place.column or 0)))
    reader = _Document(source)
    scenario = reader.scenario()
    if reader.problems or scenario is None:
        raise ProblemsError(reader.problems)
    return scenario


class _Document(Reader):
    """Turns a file of the right form into values and keeps what is wrong with their meaning."""

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
        series = tuple(read_series(self))
        feeds = tuple(read_feeds(self))
        claims = tuple(read_claims(self))
        folder = self.data.get("dataset")
        dataset = None if folder is None else Path(self.file(folder, ("dataset",)))
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
            dataset=dataset,
            claims=claims,
            switches=switches,
            places=self.source,
            notes=tuple(self.notes),
        )

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
                given[kind] = self.file(given[kind], ("alarms", kind))
        if "template" in given:
            named = [given["template"]] if isinstance(given["template"], str) else given["template"]
            given["template"] = [self.file(name, ("alarms", "template")) for name in named]
        return given
