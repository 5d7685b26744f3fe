"""Is monitoring.yaml right, and what does it deploy?

`load_configuration` reads, decides form (schema), meaning (checks) and, of a large file, whether AWS would take what it makes
(`monitoring.config.plan_gate`), and returns everything that was found; `load_deployments`
is the short way for commands that only go on when there is no error.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic_core import ValidationError

from cloudwatch.problems import Place, Problem, ProblemsError, ProblemSeverity
from monitoring.config.checks import findings
from monitoring.config.plan_gate import refused_by_plan, unusual
from monitoring.config.schema import validator
from monitoring.config.settings import places_of
from monitoring.config.source import Source, parse_source, read_source

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from monitoring.config.settings import PlaceHere
    from monitoring.config.source import Path_
    from monitoring.deployment import Deployment

__all__ = [
    "DEFAULT_FILE",
    "ENVIRONMENT_VARIABLE",
    "Loaded",
    "configuration_file",
    "load_configuration",
    "load_deployments",
    "load_text",
]

DEFAULT_FILE = "monitoring.yaml"
# What is wrong whatever else stands in the same mapping: no neighbour that was refused, and left out, can be the reason.
SURE = frozenset(
    ("m-over-n", "window-too-long", "optimized-suffix", "repeated-id", "always-alarms", "never-alarms", "fraction")
)
ENVIRONMENT_VARIABLE = "BEDROCK_MONITOR_CONFIG"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A file that was read.

    Attributes:
        source: Values and their places; None where the file could not be parsed.
        problems: Errors, warnings and notes in the order of the file.
        places: Its accounts and Regions with what is in force there; empty where it is wrong in form.
    """

    source: Source | None
    problems: tuple[Problem, ...]
    places: tuple[PlaceHere, ...] = ()

    @property
    def counts(self) -> tuple[int, int]:
        """How many models in how many accounts and Regions, a model once in each; without building them."""
        if self.source is None or self.errors:
            return 0, 0
        return sum(len(models) for _, _, _, models in self.places), len(self.places)

    @property
    def deployments(self) -> tuple[Deployment, ...]:
        """What it deploys, built when asked for; empty where there is an error."""
        from monitoring.config.build import deployments_of  # noqa: PLC0415 - `validate` does not need the values

        return () if self.source is None or self.errors else deployments_of(self.source)

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that stop the work."""
        return tuple(problem for problem in self.problems if problem.severity is ProblemSeverity.ERROR)


def configuration_file(given: str | Path | None = None) -> str:
    """Return the file to read: the one that was given, BEDROCK_MONITOR_CONFIG, or ./monitoring.yaml."""
    return str(given or os.environ.get(ENVIRONMENT_VARIABLE) or DEFAULT_FILE)


def load_configuration(file: str | Path) -> Loaded:
    """Read a configuration and return it with every problem; never raises for what a user wrote."""
    try:
        source = read_source(file)
    except ProblemsError as error:
        return Loaded(source=None, problems=error.problems)
    return _checked(source)


def load_text(text: str, *, file: str) -> Loaded:
    """Check a configuration that is not on disk yet; `file` is what problems call it."""
    try:
        source = parse_source(text, file=file)
    except ProblemsError as error:
        return Loaded(source=None, problems=error.problems)
    return _checked(source)


def _checked(source: Source) -> Loaded:
    problems = list(source.problems)
    refused: list[Path_] = []
    checked = source
    try:
        validator().validate_python(source.data)
    except ValidationError as error:
        from monitoring.config.errors import problem_for  # noqa: PLC0415 - a right file does not need it

        wrong = error.errors(include_url=False)
        problems += [problem_for(one, source) for one in wrong]
        refused = [tuple(part for part in one["loc"] if part != "[key]") for one in wrong]
        checked = _without(source, refused)
    places = [] if checked.data is None else places_of(checked)
    if checked.data is not None:
        problems += [
            problem
            for path, problem in findings(checked, places)
            if (problem.code in SURE or not any(_touches(path, other) for other in refused)) and problem not in problems
        ]
    if (
        checked is source
        and not any(problem.severity is ProblemSeverity.ERROR for problem in problems)
        and unusual(places)
    ):
        problems += [problem for _, problem in dict.fromkeys(refused_by_plan(source))]
    problems.sort(key=_position)
    return Loaded(source=source, problems=tuple(problems), places=tuple(places) if checked is source else ())


def load_deployments(path: str | Path) -> tuple[Deployment, ...]:
    """Return what a file deploys, one value for each account and Region.

    Raises:
        ProblemsError: With every error of the file at once.
    """
    loaded = load_configuration(path)
    if loaded.errors:
        raise ProblemsError(loaded.errors)
    return loaded.deployments


def _position(problem: Problem) -> tuple[int, int]:
    place: Place = problem.place
    return (place.line or 0, place.column or 0)


def _touches(path: Path_, refused: Path_) -> bool:
    """Whether a finding may only be there because a refused value was left out: it is in the same mapping, or above or below."""
    around = refused[:-1]
    return path[: len(around)] == around or around[: len(path)] == path


def _without(source: Source, refused: Sequence[Path_]) -> Source:
    """Return the source without the refused values, so that the rest can still be checked; without data where that fails."""
    data = _copy(source.data)
    for path in sorted(refused, key=len, reverse=True):
        _remove(data, path)
    try:
        validator().validate_python(data)
    except ValidationError:
        data = None
    return Source(file=source.file, lines=source.lines, data=data, keys=source.keys, values=source.values)


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


def _remove(data: Any, path: Path_) -> None:
    for part in path[:-1]:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return
    if path and isinstance(data, dict):
        data.pop(path[-1], None)
    elif path and isinstance(data, list) and isinstance(path[-1], int) and path[-1] < len(data):
        data[path[-1]] = data[-1] if len(data) > 1 and path[-1] != len(data) - 1 else data[0]
