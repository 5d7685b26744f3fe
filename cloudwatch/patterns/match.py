"""Does a log event match a pattern?

A pattern is compiled once to nested functions; each event then costs a few dictionary look-ups. JSON patterns take an
event that is already parsed, or its text. Rules (Logs User Guide, Filter pattern syntax):

* a selector that leads to an array or object matches nothing, and so does one that leads nowhere (`!=` included, unless
  `Switches.filter_not_equal_absent` says otherwise); null equals nothing and `!=` treats it like an absent field;
* a wildcard selector asks whether any element meets the test; for `!=` `Switches.filter_not_equal_wildcard` decides;
* text terms look for a substring, regular expressions anywhere in the text; terms with ? count only among themselves.

How one value compares is in `cloudwatch.patterns.operands`, how a line falls into fields in `cloudwatch.patterns.lines`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any as Anything
from typing import NoReturn, assert_never

from cloudwatch.patterns.lines import line_reader
from cloudwatch.patterns.nodes import (
    All,
    Any,
    Comparison,
    Condition,
    Is,
    JsonPattern,
    NotExists,
    Number,
    Operand,
    Operator,
    Pattern,
    Selector,
    SpaceField,
    SpacePattern,
    State,
    Text,
    TextPattern,
    TextTerm,
    Use,
    Wildcard,
)
from cloudwatch.patterns.operands import ABSENT, equality, line_test, order
from cloudwatch.patterns.regex import compile_regex
from cloudwatch.switches import DEFAULT_SWITCHES, Switches

__all__ = ["Event", "Matches", "compile_pattern", "getter_for", "message_of", "parsed_event", "root_of"]

Event = Mapping[str, Anything] | str
"""A log event: its JSON object, already parsed, or its message."""

Matches = Callable[[Event], bool]

_Holds = Callable[[Anything], bool]
_STATES = {State.NULL: None, State.TRUE: True, State.FALSE: False}


def compile_pattern(pattern: Pattern, *, switches: Switches = DEFAULT_SWITCHES) -> Matches:
    """Return a function that tells whether an event matches."""
    match pattern:
        case TextPattern(terms):
            text_holds = _terms(terms)
            return lambda event: text_holds(message_of(event))
        case JsonPattern(condition):
            holds = _joined(condition, lambda part: _json_test(part, switches))
            return lambda event: holds(event if isinstance(event, dict) else root_of(event))
        case SpacePattern():
            line_holds = _line(pattern, switches)
            return lambda event: line_holds(message_of(event))
        case _:
            assert_never(pattern)


def parsed_event(message: str) -> Anything:
    """Return the JSON of a message; a message that is no JSON object or array has no fields at all."""
    try:
        found = json.loads(message, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict | list) else None


def root_of(event: Event) -> Anything:
    """Return the JSON value that selectors start from; mappings of other kinds are copied into a dict."""
    return parsed_event(event) if isinstance(event, str) else dict(event)


def message_of(event: Event) -> str:
    """Return the text of an event; a parsed one is written as compact JSON."""
    return event if isinstance(event, str) else json.dumps(event, separators=(",", ":"), ensure_ascii=False)


def getter_for(selector: Selector) -> Callable[[Anything], Anything]:
    """Return a function from an event to what a selector without wildcard leads to, or `ABSENT`."""
    steps = selector.steps
    match steps:
        case (str() as only,):
            return lambda event: event.get(only, ABSENT) if isinstance(event, dict) else ABSENT
        case (str() as first, str() as second):

            def get_two(event: Anything) -> Anything:
                inner = event.get(first) if isinstance(event, dict) else None
                return inner.get(second, ABSENT) if isinstance(inner, dict) else ABSENT

            return get_two
        case _:

            def get(event: Anything) -> Anything:
                found = event
                for step in steps:
                    found = _follow(found, step)
                    if found is ABSENT:
                        break
                return found

            return get


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _follow(value: Anything, step: str | int | Wildcard) -> Anything:
    if isinstance(step, str):
        return value.get(step, ABSENT) if isinstance(value, dict) else ABSENT
    if isinstance(step, int) and isinstance(value, list) and step < len(value):
        return value[step]
    return ABSENT


def _elements_for(selector: Selector) -> Callable[[Anything], list[Anything]]:
    """Return a function from an event to everything that a selector with a wildcard leads to."""
    at = next(place for place, step in enumerate(selector.steps) if isinstance(step, Wildcard))
    kind = selector.steps[at]
    head, tail = getter_for(Selector(selector.steps[:at])), getter_for(Selector(selector.steps[at + 1 :]))

    def get(event: Anything) -> list[Anything]:
        container = head(event)
        if kind is Wildcard.ELEMENT:
            elements = container if isinstance(container, list) else []
        else:
            elements = list(container.values()) if isinstance(container, dict) else []
        found = [tail(element) for element in elements]
        return [value for value in found if value is not ABSENT]

    return get


def _joined(condition: Condition, leaf: Callable[[Condition], _Holds]) -> _Holds:
    match condition:
        case All(parts):
            tests = [_joined(part, leaf) for part in parts]
            if len(tests) == 2:
                one, two = tests
                return lambda event: one(event) and two(event)
            return lambda event: _all(tests, event)
        case Any(parts):
            tests = [_joined(part, leaf) for part in parts]
            if len(tests) == 2:
                one, two = tests
                return lambda event: one(event) or two(event)
            return lambda event: _any(tests, event)
        case Comparison() | Is() | NotExists():
            return leaf(condition)
        case _:
            assert_never(condition)


def _all(tests: list[_Holds], event: Anything) -> bool:
    for test in tests:  # noqa: SIM110 - a loop is cheaper than a generator for the few conditions of a filter
        if not test(event):
            return False
    return True


def _any(tests: list[_Holds], event: Anything) -> bool:
    for test in tests:  # noqa: SIM110 - as above
        if test(event):
            return True
    return False


def _json_test(part: Condition, switches: Switches) -> _Holds:
    assert isinstance(part, Comparison | Is | NotExists)
    assert isinstance(part.subject, Selector)
    wild = any(isinstance(step, Wildcard) for step in part.subject.steps)
    if wild:
        elements = _elements_for(part.subject)
        return _on_elements(part, elements, switches)
    get = getter_for(part.subject)
    match part:
        case NotExists():
            return lambda event: get(event) is ABSENT
        case Is(_, state):
            wanted = _STATES[state]
            if state is State.NULL and switches.filter_is_null_absent == "match":
                return lambda event: (found := get(event)) is None or found is ABSENT
            return lambda event: get(event) is wanted
        case Comparison(_, Operator.NOT_EQUAL, operand):
            equal = _equality(operand, switches)
            absent = switches.filter_not_equal_absent == "match"

            def differs(event: Anything) -> bool:
                found = get(event)
                if found is ABSENT or found is None:
                    return absent
                return not equal(found) and not isinstance(found, dict | list)

            return differs
        case Comparison():
            test = _value_test(part, switches)
            return lambda event: test(get(event))
        case _:
            assert_never(part)


def _on_elements(
    part: Comparison | Is | NotExists, elements: Callable[[Anything], list[Anything]], switches: Switches
) -> _Holds:
    match part:
        case NotExists():
            return lambda event: not elements(event)
        case Is(_, state):
            wanted = _STATES[state]
            return lambda event: any(value is wanted for value in elements(event))
        case Comparison(_, Operator.NOT_EQUAL, operand):
            equal = _equality(operand, switches)
            quantify = any if switches.filter_not_equal_wildcard == "any" else all
            absent = switches.filter_not_equal_absent == "match"

            def differs(event: Anything) -> bool:
                found = [value for value in elements(event) if isinstance(value, str | int | float)]
                return quantify([not equal(value) for value in found]) if found else absent

            return differs
        case Comparison():
            test = _value_test(part, switches)
            return lambda event: any(test(value) for value in elements(event))
        case _:
            assert_never(part)


def _value_test(part: Comparison, switches: Switches) -> _Holds:
    if part.operator is Operator.EQUAL:
        return _equality(part.operand, switches)
    assert isinstance(part.operand, Number)
    return order(part.operator, part.operand.value, number_text=switches.filter_number_text == "equal")


def _equality(operand: Operand, switches: Switches) -> _Holds:
    return equality(
        operand,
        number_text=switches.filter_number_text == "equal",
        inner_wildcard=switches.filter_inner_wildcard == "wildcard",
    )


def _terms(terms: tuple[TextTerm, ...]) -> Callable[[str], bool]:
    tests = {use: [_term(term) for term in terms if term.use is use] for use in Use}
    needed, excluded, any_of = tests[Use.NEEDED], tests[Use.EXCLUDED], tests[Use.ANY_OF]
    if needed or excluded or not any_of:  # beside other terms those with ? are ignored
        return lambda text: _all(needed, text) and not _any(excluded, text)
    return lambda text: _any(any_of, text)


def _term(term: TextTerm) -> Callable[[str], bool]:
    content = term.content
    if isinstance(content, Text):
        phrase = content.text
        if not phrase.strip():  # the documented " " takes every event, one without any space too
            return lambda _: True
        return lambda text: phrase in text
    return compile_regex(content.source)


def _line(pattern: SpacePattern, switches: Switches) -> Callable[[str], bool]:
    read = line_reader(pattern)
    named = [field for field in pattern.fields if isinstance(field, SpaceField)]
    tests = [
        (place, _joined(field.condition, lambda part: _field_test(part, switches)))
        for place, field in enumerate(named)
        if field.condition is not None
    ]

    def holds(line: str) -> bool:
        values = read(line)
        return values is not None and all(test(values[place]) for place, test in tests)

    return holds


def _field_test(part: Condition, switches: Switches) -> Callable[[str], bool]:
    assert isinstance(part, Comparison)
    inner = switches.filter_inner_wildcard == "wildcard"
    return line_test(part.operator, part.operand, inner_wildcard=inner)
