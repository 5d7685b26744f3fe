"""Is this value known before deployment? What a template leaves open reads as text with `${...}` in it.

Every check asks for values through these functions: what is not known is None, and no check fires on it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["filled", "flag", "has_hole", "items", "mapping", "number", "shown", "text", "texts", "whole"]

_HOLE = re.compile(r"\$\{[^}]*\}|\{\{resolve:")
_BARE_HOLE = re.compile(r"(?<=[:\[,\s])\$\{[^}\"]*\}")
_SHOWN = 60


def has_hole(value: Any) -> bool:
    """Whether a text, or a text inside, is only known after deployment."""
    if isinstance(value, str):
        return "${" in value or "{{resolve:" in value
    return False


def text(value: Any) -> str | None:
    """Return a known text; a number is taken as its text, as CloudFormation does."""
    if isinstance(value, str):
        return None if has_hole(value) else value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return None


def number(value: Any) -> float | None:
    """Return a known finite number, also from text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str) or has_hole(value):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def whole(value: Any) -> int | None:
    """Return a known whole number, also from text."""
    found = number(value)
    return int(found) if found is not None and found.is_integer() else None


def flag(value: Any, *, default: bool) -> bool:
    """Return a boolean, also from text; the default where it is not known."""
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(str(value).lower(), default)


def mapping(value: Any) -> Mapping[str, Any]:
    """Return the value where it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def items(value: Any) -> list[Any]:
    """Return the value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def texts(value: Any) -> list[str]:
    """Return the texts of a list, holes included."""
    return [item for item in items(value) if isinstance(item, str)]


def shown(value: Any) -> str:
    """Return a value for a message: printable, at most 60 characters."""
    found = "".join(char if char.isprintable() else "?" for char in str(value)[: 2 * _SHOWN])
    return found if len(found) <= _SHOWN else f"{found[: _SHOWN - 3]}..."


def filled(value: str) -> str:
    """Return JSON text in which holes outside of strings are numbers of the same length, so that it may be parsed."""
    return _BARE_HOLE.sub(lambda hole: "0".ljust(len(hole.group())), value)
