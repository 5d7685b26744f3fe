"""What is wrong, where, what was received, and what to do about it?

A problem is a value. Parsers and validators collect every problem they find and return or raise
them together; printers (text, JSON, JUnit) live above. Nothing in this package prints.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["InvalidValueError", "Place", "Problem", "ProblemSeverity", "ProblemsError", "TextSyntaxError"]


class ProblemSeverity(StrEnum):
    """How much a problem matters: an error stops the work, a warning and a note do not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a problem is.

    Attributes:
        file: The file as the user named it, or None for a value that came from no file.
        line: Line, counted from 1, or None where unknown.
        column: Column, counted from 1, or None where unknown.
        path: Path inside the document: a JSON pointer (`/widgets/0/properties`) or dotted key (`accounts.prod.id`).
    """

    file: str | None = None
    line: int | None = None
    column: int | None = None
    path: str = ""

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        return f"{where} {self.path}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        code: Stable kebab-case name, for example `unknown-key`.
        severity: Error, warning or note.
        message: One sentence that says what is wrong, with the value received in it.
        place: Where.
        hint: What to do about it, as an instruction; empty where the message says it all.
    """

    code: str
    message: str
    severity: ProblemSeverity = ProblemSeverity.ERROR
    place: Place = field(default_factory=Place)
    hint: str = ""

    def __str__(self) -> str:
        head = f"{self.place}: " if str(self.place) else ""
        tail = f" {self.hint}" if self.hint else ""
        return f"{head}{self.severity}: {self.message}{tail} [{self.code}]"


class ProblemsError(ValueError):
    """Raised once, with every problem that was found.

    Args:
        problems: The problems, at least one, in the order of their places.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class InvalidValueError(ValueError):
    """A value that CloudWatch would refuse was about to be born; the message names the field, value and limit."""


class TextSyntaxError(InvalidValueError):
    """A text in one of CloudWatch's small languages (metric math, filter pattern, alarm rule, SEARCH) is wrong.

    Args:
        message: What is wrong, one sentence.
        text: The whole text.
        start: Offset of the first guilty character, counted from 0.
        end: Offset after the last guilty character; `start` itself for something missing.
        hint: What to do about it.
    """

    def __init__(self, message: str, *, text: str, start: int, end: int | None = None, hint: str = "") -> None:
        self.message = message
        self.text = text
        self.start = start
        self.end = start if end is None else end
        self.hint = hint
        super().__init__(f"{message} (at character {start + 1})")
