"""Which value does a matching event give?

A metric filter publishes a number, `$.field` of a JSON event or `$name` of a line, and takes dimensions in the same way (Logs
User Guide, Filter pattern syntax for metric filters).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from typing import Any as Anything

from cloudwatch.patterns.lines import line_fields, line_reader
from cloudwatch.patterns.match import Event, getter_for, message_of, root_of
from cloudwatch.patterns.nodes import (
    All,
    Any,
    Comparison,
    Condition,
    Is,
    JsonPattern,
    NotExists,
    Pattern,
    Selector,
    SpaceField,
    SpacePattern,
    Wildcard,
)
from cloudwatch.patterns.operands import ABSENT, text_of
from cloudwatch.patterns.parser import parse_selector
from cloudwatch.patterns.printer import print_selector
from cloudwatch.problems import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ValueOf", "compile_value", "extracted"]

ValueOf = Callable[[Event], Anything]


def compile_value(pattern: Pattern, selector: str) -> ValueOf:
    """Return a function from an event to the value it gives: text, a number, a boolean, or None where it has none.

    Args:
        pattern: The pattern of the filter.
        selector: `$.field` for a JSON pattern, `$name` for a space-delimited one.

    Raises:
        InvalidValueError: The pattern has no such field; `TextSyntaxError` when the text is no selector.
    """
    if isinstance(pattern, JsonPattern):
        path = parse_selector(selector)
        if any(isinstance(step, Wildcard) for step in path.steps):
            raise InvalidValueError(f"{selector}: a value is one field, not a wildcard")
        get = getter_for(path)

        def of_json(event: Event) -> Anything:
            found = get(root_of(event))
            return None if found is ABSENT or isinstance(found, dict | list) else found

        return of_json
    if not isinstance(pattern, SpacePattern):
        raise InvalidValueError(f"{selector}: a text pattern has no fields")
    names = [f"${field.name}" for field in pattern.fields if isinstance(field, SpaceField)]
    if selector == "$" or selector not in names:
        known = ", ".join(name for name in names if name != "$")
        raise InvalidValueError(f"{selector}: the pattern has no such field, it has {known or 'none with a name'}")
    read, place = line_reader(pattern), names.index(selector)

    def of_line(event: Event) -> Anything:
        values = read(message_of(event))
        return None if values is None else values[place]

    return of_line


def extracted(pattern: Pattern, event: Event) -> dict[str, str]:
    """Return what the selectors of a pattern find in an event, as TestMetricFilter shows it.

    Keys are `$name` for a line, or `$4` for a fourth field that the pattern does not name, and `$.field` for JSON; wildcard
    selectors and fields without a text value are left out.
    """
    if isinstance(pattern, SpacePattern):
        return _of_line(pattern, message_of(event))
    if not isinstance(pattern, JsonPattern):
        return {}
    root = root_of(event)
    found = {}
    for selector in dict.fromkeys(_selectors(pattern.condition)):
        if not any(isinstance(step, Wildcard) for step in selector.steps):
            value = getter_for(selector)(root)
            text = str(value).lower() if isinstance(value, bool) else text_of(value)
            if text is not None:
                found[print_selector(selector)] = text
    return found


def _of_line(pattern: SpacePattern, line: str) -> dict[str, str]:
    values = line_reader(pattern)(line)
    if values is None:
        return {}
    names = [field.name if isinstance(field, SpaceField) else None for field in pattern.fields]
    if None in names:
        at = names.index(None)
        skipped = [value for value, _ in line_fields(line)][at:]
        skipped = skipped[: len(skipped) - (len(names) - at - 1)]
        names[at : at + 1] = [""] * len(skipped)
        values[at:at] = skipped
    return {f"${name or place}": value for place, (name, value) in enumerate(zip(names, values, strict=True), start=1)}


def _selectors(condition: Condition) -> Iterator[Selector]:
    match condition:
        case All(parts) | Any(parts):
            for part in parts:
                yield from _selectors(part)
        case Comparison(subject=Selector() as subject) | Is(subject=subject) | NotExists(subject=subject):
            yield subject
        case _:
            return
