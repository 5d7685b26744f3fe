"""How is one field of foreign JSON read, and what is said when it does not fit?

`Fields` reads typed fields of one object and collects a `Problem` with a JSON pointer for each that does not fit.
CloudFormation takes numbers and booleans as text too, so both spellings are read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeVar

from cloudwatch.problems import Place, Problem, ProblemSeverity

if TYPE_CHECKING:
    from collections.abc import Iterable
    from enum import StrEnum

__all__ = ["Fields", "Report", "pointer", "shown"]

_E = TypeVar("_E", bound="StrEnum")
_SHOWN = 80

Report = Callable[[Problem], None]


def pointer(*parts: str | int) -> str:
    """Return a JSON pointer (RFC 6901) of keys and positions."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def shown(value: Any) -> str:
    """Return a foreign value for a message, shortened."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


class Fields:
    """Typed fields of one JSON object.

    Args:
        values: The object.
        path: Its JSON pointer.
        report: Called with each problem.
        file: File for the places of problems, or None.
        unknown: Names of fields that are there but could not be resolved (already reported).
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        *,
        path: str,
        report: Report,
        file: str | None = None,
        unknown: Iterable[str] = (),
    ) -> None:
        self.values = values
        self.path = path
        self.report = report
        self.file = file
        self.unknown = frozenset(unknown)
        self.failed = False

    def __contains__(self, name: str) -> bool:
        return name in self.values or name in self.unknown

    def problem(
        self,
        name: str,
        message: str,
        *,
        hint: str = "",
        code: str = "invalid-value",
        severity: ProblemSeverity = ProblemSeverity.ERROR,
    ) -> None:
        """Report a problem at a field (empty name: at the object); an error makes the object unreadable."""
        path = f"{self.path}{pointer(name)}" if name else self.path
        if severity is ProblemSeverity.ERROR:
            self.failed = True
        self.report(
            Problem(code=code, message=message, severity=severity, place=Place(file=self.file, path=path), hint=hint)
        )

    def inner(self, name: str) -> Fields:
        """Return the fields of a nested object; an absent one reads as empty."""
        value = self.values.get(name, {})
        if not isinstance(value, Mapping):
            self.problem(name, f"{name} is an object, found {shown(value)}")
            value = {}
        return self._nested(value, pointer(name))

    def entries(self, name: str) -> list[Fields]:
        """Return the fields of each object of a list; an absent list reads as empty."""
        value = self.values.get(name, [])
        if not isinstance(value, list):
            self.problem(name, f"{name} is a list, found {shown(value)}")
            return []
        found = []
        for position, item in enumerate(value):
            if isinstance(item, Mapping):
                found.append(self._nested(item, pointer(name, position)))
            else:
                self.problem(name, f"entry {position} of {name} is an object, found {shown(item)}")
        return found

    def text(self, name: str, *, required: bool = False) -> str | None:
        """Return text; a number is taken as its text."""
        value = self.values.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        self._absent(name, value, "text", required=required)
        return None

    def number(self, name: str, *, required: bool = False) -> float | None:
        """Return a finite number, also from text."""
        value = self.values.get(name)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            try:
                number = float(value)
            except (ValueError, OverflowError):
                number = math.nan
            if math.isfinite(number):
                return number
        self._absent(name, value, "a finite number", required=required)
        return None

    def whole(self, name: str, *, required: bool = False) -> int | None:
        """Return a whole number, also from text."""
        number = self.number(name, required=required)
        if number is None or number.is_integer():
            return None if number is None else int(number)
        self._absent(name, self.values.get(name), "a whole number", required=required)
        return None

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a boolean, also from `true` and `false` as text."""
        value = self.values.get(name, default)
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in {"true", "false"}:
            return value.lower() == "true"
        self._absent(name, value, "true or false", required=False)
        return default

    def choice(self, name: str, kind: type[_E], *, required: bool = False) -> _E | None:
        """Return a member of an enumeration, written exactly as AWS spells it."""
        value = self.values.get(name)
        members = [member.value for member in kind]
        if value in members:
            return kind(value)
        if value is None:
            self._absent(name, value, "text", required=required)
            return None
        close = get_close_matches(str(value), members, n=1)
        self.problem(
            name,
            f"{name} is {shown(value)}, CloudWatch takes {', '.join(members)}",
            hint=f"Did you mean {close[0]}?" if close else "",
        )
        return None

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; an absent list reads as empty."""
        value = self.values.get(name, [])
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        self.problem(name, f"{name} is a list of texts, found {shown(value)}")
        return ()

    def pairs(self, name: str, *, key: str, value: str) -> tuple[tuple[str, str], ...]:
        """Return pairs from a list of objects with two fields, for example Dimensions."""
        found = []
        for entry in self.entries(name):
            left, right = entry.text(key, required=True), entry.text(value, required=True)
            self.failed |= entry.failed
            if left is not None and right is not None:
                found.append((left, right))
        return tuple(found)

    def _nested(self, value: Mapping[str, Any], suffix: str) -> Fields:
        return Fields(value, path=self.path + suffix, report=self.report, file=self.file)

    def _absent(self, name: str, value: Any, wanted: str, *, required: bool) -> None:
        if name in self.unknown:
            self.failed |= required
        elif value is not None:
            self.problem(name, f"{name} is {shown(value)}, it must be {wanted}")
        elif required:
            self.problem(name, f"{name} is missing", hint=f"Add {name}.", code="missing-value")
