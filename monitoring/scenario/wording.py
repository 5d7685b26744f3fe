"""How is a value that a scenario file may not have said to the person who wrote it?

`monitoring.config.errors` speaks for every file of this product; here are the forms of a scenario: times, metrics, points.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from monitoring.config.errors import problem_for
from monitoring.config.source import dotted, shown
from monitoring.scenario.schema import ScenarioFile, StepSamples

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cloudwatch.problems import Problem
    from monitoring.config.source import Source

__all__ = ["samples_problem", "scenario_problem"]

_LENGTH = ("a length of time with its unit: s, m, h, d or w", "Write for example 90s, 45m, 2h or 1h30m.")
_FORMS: dict[str, tuple[str, str]] = {
    "at": ("a time after the start", "Write for example +5m or +1h30m."),
    "after": ("a time after the start", "Write for example 45m."),
    "until": ("a time after the start", "Write for example 45m."),
    "duration": _LENGTH,
    "period": _LENGTH,
    "every": _LENGTH,
    "available_after": (f"{_LENGTH[0]}, and not negative", _LENGTH[1]),
    "start": ("a date and a time with seconds at most and a time zone", "Write 2026-11-02T09:00:00Z."),
    "metric": ("a namespace, a space and a name", "Write for example AWS/Bedrock Invocations."),
    "values": ("points in one line of text", "Write for example 120x30 60+2x10 _x5 0 7."),
    "count": ("a number of values, or as many as there are steps", "Write 60, or 60x30 0x10."),
}
_OF_FORM = {"string_pattern_mismatch", "string_type"}


def scenario_problem(error: Mapping[str, Any], source: Source, *, root: Any = ScenarioFile) -> Problem:
    """Return one of pydantic's errors as a problem of a scenario file; arguments as `problem_for`."""
    path, received = tuple(error["loc"]), error["input"]
    problem = problem_for(error, source, root=root)
    form = _FORMS.get(str(path[-1])) if path else None
    if form and error["type"] in _OF_FORM and received is not None:
        message = f"{dotted(path)} has to be {form[0]}, not {shown(received)}."
        return replace(problem, message=message, hint=_written(path[-1], received) or form[1])
    if error["type"] == "literal_error" and isinstance(received, str) and received.upper() in str(error["ctx"]):
        return replace(problem, hint=f"Write {received.upper()}.")
    return problem


def samples_problem(error: Mapping[str, Any], source: Source, *, path: Sequence[str | int]) -> Problem:
    """Return one of pydantic's errors on the `samples` that stand at a path."""
    problem = scenario_problem(error, source, root=StepSamples)
    inner = tuple(error["loc"])
    missing = error["type"] == "missing"
    return replace(
        problem,
        message=f"samples: {problem.message}",
        place=source.place((*path, *(inner[:-1] if missing else inner)), of_key=problem.code != "wrong-value"),
    )


def _written(name: str | int, received: Any) -> str:
    """Return what was meant, where that is plain: a list of numbers, a number without its unit."""
    if name == "values" and isinstance(received, list) and len(received) <= 20:
        return f"Write {' '.join('_' if value is None else str(value) for value in received)}, without brackets and commas."
    if isinstance(received, int) and not isinstance(received, bool):
        return f"Write {received}m for minutes, {received}s for seconds, {received}h for hours."
    return ""
