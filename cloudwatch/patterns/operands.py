"""Does one value meet `= 400`, `!= "x*"`, `> 5` or `= %regex%`?

Values come from JSON (text, number, boolean, null, array, object) or from a line, where everything is text. Numbers compare as
numbers; `*` and regular expressions look at the text of a number; `*` alone takes booleans too, being how one asks whether a
field is there. Arrays, objects and null meet nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, assert_never

from cloudwatch.patterns.nodes import Glob, Number, Operand, Operator, Regex, Text
from cloudwatch.patterns.regex import compile_regex

__all__ = ["ABSENT", "Test", "equality", "line_test", "number_in", "order", "text_of"]

Test = Callable[[Any], bool]

ABSENT = object()
"""What a selector gives that leads nowhere."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MOST_DIGITS = 400


def number_in(text: str) -> float | None:
    """Return the finite number that a text is, or None."""
    if len(text) > _MOST_DIGITS or not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def text_of(value: Any) -> str | None:
    """Return the text of a JSON text or number, or None for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e16 else str(value)


def equality(operand: Operand, *, number_text: bool, inner_wildcard: bool) -> Test:
    """Return a test for `=` on JSON values.

    Args:
        operand: The right side.
        number_text: Whether the text "400" equals the number 400.
        inner_wildcard: Whether `*` is a wildcard inside a text, not only in front and behind.
    """
    match operand:
        case Text(text):
            wanted = number_in(text) if number_text else None
            if wanted is None:
                return lambda value: bool(value == text)
            return lambda value: bool(value == text) or (_is_number(value) and bool(value == wanted))
        case Number():
            number = operand.value
            if number_text:
                return lambda value: _number_of(value) == number
            return lambda value: bool(value == number) and not isinstance(value, bool)
        case Glob(text):
            if not text.strip("*"):
                return lambda value: isinstance(value, str | int | float)
            glob = _glob(text, inner=inner_wildcard)
            return lambda value: (found := text_of(value)) is not None and glob(found)
        case Regex(source):
            search = compile_regex(source)
            return lambda value: (found := text_of(value)) is not None and search(found)
        case _:
            assert_never(operand)


def order(operator: Operator, number: float, *, number_text: bool) -> Test:
    """Return a test for `<`, `>`, `<=` or `>=` on JSON values."""
    compare = _ORDER[operator]
    if number_text:
        return lambda value: (found := _number_of(value)) is not None and compare(found, number)
    return lambda value: _is_number(value) and compare(value, number)


def line_test(operator: Operator, operand: Operand, *, inner_wildcard: bool) -> Callable[[str], bool]:
    """Return a test for a field of a line; text that is a number compares as one."""
    if operator in _ORDER:
        assert isinstance(operand, Number)
        compare, bound = _ORDER[operator], operand.value
        return lambda value: (found := number_in(value)) is not None and compare(found, bound)
    test: Callable[[str], bool]
    match operand:
        case Number(text):
            number = operand.value
            test = lambda value: value == text or number_in(value) == number  # noqa: E731
        case Text(text):
            test = lambda value: value == text  # noqa: E731
        case Glob(text):
            test = _glob(text, inner=inner_wildcard)
        case Regex(source):
            test = compile_regex(source)
        case _:
            assert_never(operand)
    return test if operator is Operator.EQUAL else (lambda value: not test(value))


_ORDER: dict[Operator, Callable[[float, float], bool]] = {
    Operator.LESS: lambda left, right: left < right,
    Operator.GREATER: lambda left, right: left > right,
    Operator.LESS_OR_EQUAL: lambda left, right: left <= right,
    Operator.GREATER_OR_EQUAL: lambda left, right: left >= right,
}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number_of(value: Any) -> float | None:
    if isinstance(value, str):
        return number_in(value)
    return value if _is_number(value) else None


def _glob(pattern: str, *, inner: bool) -> Callable[[str], bool]:
    """Return a test for text with `*`: the first part in front, the last at the end, the others in order between."""
    if inner:
        first, *middle, last = pattern.split("*")
    else:
        core = pattern.strip("*")
        if not pattern.startswith("*") and not pattern.endswith("*"):
            return lambda text: text == pattern
        first = "" if pattern.startswith("*") else core
        last = "" if pattern.endswith("*") else core
        middle = [core] if not first and not last else []
    parts = [part for part in middle if part]
    shortest = len(first) + len(last)

    def matches(text: str) -> bool:
        if len(text) < shortest or not text.startswith(first) or not text.endswith(last):
            return False
        at, end = len(first), len(text) - len(last)
        for part in parts:
            at = text.find(part, at, end)
            if at < 0:
                return False
            at += len(part)
        return True

    return matches
