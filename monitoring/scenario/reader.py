"""What do all parts of a scenario file need to be read? The data with its places, the clock, and a list of problems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from cloudwatch.problems import InvalidValueError, Problem, ProblemSeverity, TextSyntaxError
from monitoring.durations import parse_duration
from monitoring.scenario.notation import expand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from monitoring.config.source import Path_, Source

__all__ = ["Reader"]


class Reader:
    """A file of the right form, whose meaning is being read.

    Attributes:
        source: The file with its places.
        data: What it holds.
        folder: Where it stands: paths in it start there.
        problems: What is wrong with its meaning, collected.
        notes: What is not wrong but probably not meant, collected.
        start_s: Start, epoch seconds.
        duration_s: Length, seconds.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.data: dict[str, Any] = source.data
        self.folder = Path(source.file).resolve().parent
        self.problems: list[Problem] = []
        self.notes: list[Problem] = []
        self.start_s = 0
        self.duration_s = 0

    def problem(self, path: Sequence[str | int], message: str, hint: str = "", /) -> None:
        """Keep a problem with the place of a path."""
        self.problems.append(Problem(code="scenario", message=message, hint=hint, place=self.source.place(tuple(path))))

    def note(self, path: Sequence[str | int], message: str, /) -> None:
        """Keep a note with the place of a path."""
        place = self.source.place(tuple(path))
        self.notes.append(Problem(code="scenario-note", message=message, place=place, severity=ProblemSeverity.NOTE))

    def at(self, path: Path_) -> Any:
        """Return what stands at a path, None where nothing does."""
        value: Any = self.data
        for part in path:
            value = value.get(part) if isinstance(value, dict) else value[cast("int", part)]
            if value is None:
                return None
        return value

    def seconds(self, path: Path_, *, default: int) -> int:
        """Return the length of time at a path, in seconds."""
        text = self.at(path)
        if text is None:
            return default
        try:
            return parse_duration(text)
        except InvalidValueError as error:
            self.problem(path, f"{error}.")
            return default

    def points(self, text: Any, path: Path_) -> list[float] | None:
        """Return the points of a text, NaN for a gap; None after a problem."""
        try:
            return expand(str(text))
        except TextSyntaxError as error:
            hint = error.hint if path[-1] == "values" else "Write 60, or 60x30 0x10 where it changes."
            self.problem(path, f"{path[-1]}: {error}.", hint)
            return None

    def file(self, name: str, path: Path_) -> str:
        """Return the path of a file or folder that the scenario names; a problem where there is none."""
        found = self.folder / name
        if not found.exists():
            self.problem(path, f"there is no such file: {found}.", "Paths are relative to the scenario file.")
        return str(found)
