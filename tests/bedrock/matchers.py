"""Small second opinions on filter patterns and event patterns: only the forms that evidence uses."""

from __future__ import annotations

import fnmatch
import re
from typing import Any

_ABSENT = object()
_TERM = re.compile(r'(\$[\w.-]+) (?:(NOT EXISTS)|(=|!=) "([^"]*)"|(<=|>) (\d+))')


def matches_filter(pattern: str, event: dict[str, Any]) -> bool:
    """Tell whether a JSON filter pattern matches: absent fields match NOT EXISTS alone."""

    def truth(term: re.Match[str]) -> str:
        selector, absent, operator, text, order, number = term.groups()
        value = _at(event, selector.removeprefix("$.").split("."))
        if absent:
            return str(value is _ABSENT)
        if value is _ABSENT or value is None or isinstance(value, dict | list):
            return "False"
        if order:
            return str(isinstance(value, int) and (value <= int(number) if order == "<=" else value > int(number)))
        same = fnmatch.fnmatchcase(str(value), text)
        return str(same if operator == "=" else not same)

    expression = _TERM.sub(truth, pattern.removeprefix("{").removesuffix("}"))
    expression = expression.replace("&&", "and").replace("||", "or").strip()
    assert re.fullmatch(r"[()\sandorTrueFls]+", expression), expression
    return bool(eval(expression))  # only the words checked above


def matches_event(pattern: dict[str, Any], event: dict[str, Any]) -> bool:
    """Tell whether an EventBridge pattern matches an event."""
    return all(_matches_node(wanted, event.get(key, _ABSENT)) for key, wanted in pattern.items())


def _matches_node(wanted: Any, value: Any) -> bool:
    if isinstance(wanted, dict):
        inside = value if isinstance(value, dict) else {}
        return all(_matches_node(inner, inside.get(key, _ABSENT)) for key, inner in wanted.items())
    return any(_matches_leaf(choice, value) for choice in wanted)


def _matches_leaf(choice: Any, value: Any) -> bool:
    if not isinstance(choice, dict):
        return bool(value == choice)
    ((kind, argument),) = choice.items()
    if kind == "exists":
        return (value is not _ABSENT) is argument
    if value is _ABSENT:
        return False
    if kind == "anything-but":
        return value not in argument
    if kind == "prefix":
        return str(value).startswith(argument)
    assert kind == "numeric"
    return bool(value <= argument[1] if argument[0] == "<=" else value > argument[1])


def _at(event: Any, path: list[str]) -> Any:
    for part in path:
        if not isinstance(event, dict) or part not in event:
            return _ABSENT
        event = event[part]
    return event
