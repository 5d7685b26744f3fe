"""How does a value become JSON and JSON a value? One table entry says both.

A codec renders a value and reads it back. A record codec is a list of fields, each an attribute with its JSON key, so that the
writer and the reader of a structure cannot drift apart: values -> JSON -> values is the identity because both walk the same
table. A field whose value is the dataclass default is absent from the JSON. The reader never raises on foreign JSON: it
reports a problem at a JSON pointer, drops the smallest thing that it cannot read, and goes on.
"""

from __future__ import annotations

import json
import math
from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Any, get_args

from cloudwatch.problems import InvalidValueError, Place, Problem, ProblemSeverity

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "FLAG",
    "INTEGER",
    "JSON_TEXT",
    "NUMBER",
    "TEXT",
    "Codec",
    "Field",
    "Problems",
    "choice",
    "list_of",
    "pointer",
    "record",
]


class Problems:
    """Collects problems in the order in which they are met."""

    def __init__(self) -> None:
        self.found: list[Problem] = []

    def error(self, path: str, message: str, *, code: str = "invalid-dashboard-body", hint: str = "") -> None:
        """Note what PutDashboard would refuse."""
        self.found.append(Problem(code=code, message=message, place=Place(path=path), hint=hint))

    def warning(self, path: str, message: str, *, code: str, hint: str = "") -> None:
        """Note what CloudWatch takes and a reader would not expect."""
        self.found.append(
            Problem(code=code, message=message, place=Place(path=path), hint=hint, severity=ProblemSeverity.WARNING)
        )


def pointer(path: str, *keys: str | int) -> str:
    """Return the JSON pointer of a child (RFC 6901)."""
    return path + "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in keys)


@dataclass(frozen=True, slots=True)
class Codec:
    """A writer and a reader of one kind of value. `read(json, path, problems)` gives None for what was reported."""

    render: Callable[[Any], Any]
    read: Callable[[Any, str, Problems], Any]


@dataclass(frozen=True, slots=True)
class Field:
    """One attribute of a record.

    Attributes:
        attribute: Name in the dataclass.
        keys: Path of JSON keys: `("legend", "position")` is an object within.
        codec: How it is written and read.
        required: Whether AWS refuses its absence.
    """

    attribute: str
    keys: tuple[str, ...]
    codec: Codec
    required: bool = False


def _scalar(kinds: tuple[type, ...], name: str) -> Codec:
    def read(raw: Any, path: str, problems: Problems) -> Any:
        if isinstance(raw, bool) != (bool in kinds) or not isinstance(raw, kinds):
            problems.error(path, f"Should be {name}")
            return None
        return raw

    return Codec(render=lambda value: value, read=read)


TEXT = _scalar((str,), "string")
FLAG = _scalar((bool,), "boolean")


def _read_number(raw: Any, path: str, problems: Problems) -> float | None:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not _is_finite(raw):
        problems.error(path, "Should be number")
        return None
    return float(raw)


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # an integer past the range of a double
        return False


def _render_number(value: float) -> float:
    return int(value) if float(value).is_integer() and abs(value) < 2**53 else value


def _read_integer(raw: Any, path: str, problems: Problems) -> int | None:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not _is_finite(raw) or raw != int(raw):
        problems.error(path, "Should be integer")
        return None
    return int(raw)


NUMBER = Codec(render=_render_number, read=_read_number)
INTEGER = Codec(render=lambda value: value, read=_read_integer)
JSON_TEXT = Codec(
    render=json.loads,
    read=lambda raw, _path, _problems: json.dumps(raw, sort_keys=True, separators=(",", ":")),
)


def choice(literal: Any) -> Codec:
    """Return the codec of a `Literal` type of strings."""
    allowed = get_args(literal)

    def read(raw: Any, path: str, problems: Problems) -> Any:
        if raw not in allowed:
            problems.error(
                path, "Should be equal to one of the allowed values", hint=f"Use one of: {', '.join(allowed)}."
            )
            return None
        return raw

    return Codec(render=lambda value: value, read=read)


def list_of(item: Codec) -> Codec:
    """Return the codec of a tuple, an array in JSON; items that cannot be read are left out."""

    def read(raw: Any, path: str, problems: Problems) -> Any:
        if not isinstance(raw, list):
            problems.error(path, "Should be array")
            return None
        read_items = (item.read(element, pointer(path, index), problems) for index, element in enumerate(raw))
        return tuple(element for element in read_items if element is not None)

    return Codec(render=lambda value: [item.render(element) for element in value], read=read)


def _defaults(cls: type) -> dict[str, Any]:
    return {
        spec.name: spec.default_factory() if spec.default_factory is not MISSING else spec.default
        for spec in fields(cls)
    }


def _known(table: Sequence[Field]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for spec in table:
        node = tree
        for key in spec.keys:
            node = node.setdefault(key, {})
    return tree


def _find(raw: dict[str, Any], keys: tuple[str, ...], path: str, problems: Problems, *, report: bool) -> Any:
    node: Any = raw
    for depth, key in enumerate(keys):
        if not isinstance(node, dict):
            if report:
                problems.error(pointer(path, *keys[:depth]), "Should be object")
            return MISSING
        if key not in node:
            return MISSING
        node = node[key]
    return node


def _report_unknown(raw: dict[str, Any], known: dict[str, Any], path: str, problems: Problems) -> None:
    for key, value in raw.items():
        if key not in known:
            problems.warning(
                pointer(path, key),
                f'The "{key}" property is not known here and is not kept',
                code="unknown-dashboard-property",
                hint="Check the spelling against the AWS page on the dashboard body.",
            )
        elif known[key] and isinstance(value, dict):
            _report_unknown(value, known[key], pointer(path, key), problems)


def record(cls: type, *table: Field) -> Codec:
    """Return the codec of a dataclass written as a JSON object."""
    defaults = _defaults(cls)
    known = _known(table)

    def render(value: Any) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for spec in table:
            got = getattr(value, spec.attribute)
            if got == defaults[spec.attribute]:
                continue
            node = out
            for key in spec.keys[:-1]:
                node = node.setdefault(key, {})
            node[spec.keys[-1]] = spec.codec.render(got)
        return out

    def read(raw: Any, path: str, problems: Problems) -> Any:
        if not isinstance(raw, dict):
            problems.error(path, "Should be object")
            return None
        _report_unknown(raw, known, path, problems)
        got: dict[str, Any] = {}
        broken: set[tuple[str, ...]] = set()
        for spec in table:
            found = _find(raw, spec.keys, path, problems, report=spec.keys[:-1] not in broken)
            if found is MISSING:
                if len(spec.keys) > 1 and not isinstance(raw.get(spec.keys[0], {}), dict):
                    broken.add(spec.keys[:-1])
                if spec.required:
                    problems.error(path, f"Should have required property '{spec.keys[-1]}'")
                continue
            value = spec.codec.read(found, pointer(path, *spec.keys), problems)
            if value is not None:
                got[spec.attribute] = value
        if any(default is MISSING and name not in got for name, default in defaults.items()):
            return None
        try:
            return cls(**got)
        except InvalidValueError as refused:
            problems.error(path, str(refused))
            return None

    return Codec(render=render, read=read)
