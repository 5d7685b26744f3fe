"""How is a filter pattern written? Nodes to text, so that `parse_pattern(print_pattern(x)) == x`."""

from __future__ import annotations

import re
from typing import assert_never

from cloudwatch.patterns.nodes import (
    All,
    Any,
    AnyFields,
    Comparison,
    Condition,
    FieldName,
    Glob,
    Is,
    JsonPattern,
    NotExists,
    Number,
    Operand,
    Pattern,
    Regex,
    Selector,
    SpaceField,
    SpacePattern,
    Text,
    TextPattern,
    TextTerm,
    Wildcard,
)

__all__ = ["print_pattern", "print_selector"]

_NAME = re.compile(r"[A-Za-z0-9_-]+")


def print_pattern(pattern: Pattern) -> str:
    """Return the text of a pattern."""
    match pattern:
        case TextPattern(terms):
            return " ".join(_term(term) for term in terms)
        case JsonPattern(condition):
            return f"{{ {_condition(condition)} }}"
        case SpacePattern(fields):
            return f"[{', '.join(_field(field) for field in fields)}]"
        case _:
            assert_never(pattern)


def print_selector(selector: Selector) -> str:
    """Return the text of a selector, `$.users[0].['e.mail']`."""
    return "$" + "".join(_step(step) for step in selector.steps)


def _step(step: str | int | Wildcard) -> str:
    match step:
        case Wildcard():
            return step.value
        case int():
            return f"[{step}]"
        case str():
            return f".{step}" if _NAME.fullmatch(step) else f".['{step}']"
        case _:
            assert_never(step)


def _term(term: TextTerm) -> str:
    return term.use.value + _operand(term.content)


def _field(field: SpaceField | AnyFields) -> str:
    match field:
        case AnyFields():
            return "..."
        case SpaceField(name, condition):
            return name if condition is None else _condition(condition)
        case _:
            assert_never(field)


def _condition(condition: Condition) -> str:
    match condition:
        case Any(parts):
            return " || ".join(f"({_condition(part)})" if isinstance(part, Any) else _condition(part) for part in parts)
        case All(parts):
            return " && ".join(
                f"({_condition(part)})" if isinstance(part, All | Any) else _condition(part) for part in parts
            )
        case Comparison(subject, operator, operand):
            return f"{_subject(subject)} {operator.value} {_operand(operand)}"
        case Is(subject, state):
            return f"{print_selector(subject)} IS {state.value}"
        case NotExists(subject):
            return f"{print_selector(subject)} NOT EXISTS"
        case _:
            assert_never(condition)


def _subject(subject: Selector | FieldName) -> str:
    return subject.name if isinstance(subject, FieldName) else print_selector(subject)


def _operand(operand: Operand) -> str:
    match operand:
        case Number(text):
            return text
        case Regex(source):
            return f"%{source}%"
        case Text(text, bare) | Glob(text, bare):
            if bare:
                return text
            escaped = text.replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"'
        case _:
            assert_never(operand)
