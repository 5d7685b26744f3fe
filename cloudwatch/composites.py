"""How does a composite alarm go through time? Its changes from the changes of its children.

A composite is in INSUFFICIENT_DATA only until it is first evaluated; then its rule makes it ALARM or OK, again whenever a
child changes. Children that change in one second are taken together. The children whose change flipped it are its
triggering alarms (`StateReasonData.triggeringAlarms`). (UG, Combining alarms)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, assert_never

import numpy as np

from cloudwatch.alarm import AlarmState
from cloudwatch.alarm_rule import (
    And,
    AtLeast,
    Constant,
    Not,
    Or,
    Rule,
    StateIs,
    children,
    evaluate_rule,
    find_cycles,
    parse_rule,
    referenced_name,
)
from cloudwatch.problems import InvalidValueError
from cloudwatch.state_series import STATES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from cloudwatch.alarm import CompositeAlarm

__all__ = ["Transition", "composite_transitions", "evaluation_order", "rule_truth"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """A change of a composite.

    Attributes:
        at_s: Second.
        state: The new state.
        triggers: Names of the children whose change flipped it, by name; none at its first evaluation.
    """

    at_s: int
    state: AlarmState
    triggers: tuple[str, ...]


def composite_transitions(
    rule: Rule,
    changes: Mapping[str, Sequence[tuple[int, AlarmState]]],
    *,
    created_s: int,
    rounding: Literal["ceil", "floor"] = "ceil",
) -> tuple[Transition, ...]:
    """Return the transitions of a composite, the first being that out of INSUFFICIENT_DATA at `created_s`.

    Args:
        rule: Its rule.
        changes: Changes of each child by name, in order of time; before its first a child is in INSUFFICIENT_DATA.
        created_s: Second of its first evaluation; earlier changes of children count as their state then.
        rounding: `Switches.at_least_rounding`.
    """
    states = dict.fromkeys((referenced_name(child) for child in children(rule)), AlarmState.INSUFFICIENT_DATA)
    batches: dict[int, list[tuple[str, AlarmState]]] = {created_s: []}
    for name, made in changes.items():
        for at, state in made:
            batches.setdefault(max(at, created_s), []).append((name, state))
    found: list[Transition] = []
    for at in sorted(batches):
        flipped = [name for name, state in batches[at] if name in states and states[name] is not state]
        states.update(batches[at])
        state = AlarmState.ALARM if evaluate_rule(rule, states, rounding=rounding) else AlarmState.OK
        if not found or found[-1].state is not state:
            found.append(Transition(at_s=at, state=state, triggers=tuple(sorted(flipped)) if found else ()))
    return tuple(found)


def rule_truth(
    rule: Rule,
    codes: Mapping[str, NDArray[np.uint8]],
    *,
    length: int,
    rounding: Literal["ceil", "floor"] = "ceil",
) -> NDArray[np.bool_]:
    """Return whether a rule holds at each of `length` instants, given the state codes of its children there.

    Raises:
        InvalidValueError: A child has no states.
    """
    match rule:
        case Constant():
            return np.full(length, rule.value)
        case StateIs():
            return _is_in(rule.alarm, rule.state, codes=codes)
        case AtLeast():
            hits = np.zeros(length, dtype=np.int16)
            for alarm in rule.alarms:
                hits += _is_in(alarm, rule.state, codes=codes) != rule.negated
            return hits >= rule.needed(rounding)
        case Not():
            return ~rule_truth(rule.operand, codes, length=length, rounding=rounding)
        case And():
            truth = rule_truth(rule.operands[0], codes, length=length, rounding=rounding)
            for operand in rule.operands[1:]:
                truth = truth & rule_truth(operand, codes, length=length, rounding=rounding)
            return truth
        case Or():
            truth = rule_truth(rule.operands[0], codes, length=length, rounding=rounding)
            for operand in rule.operands[1:]:
                truth = truth | rule_truth(operand, codes, length=length, rounding=rounding)
            return truth
        case _:
            assert_never(rule)


def evaluation_order(composites: Sequence[CompositeAlarm]) -> tuple[CompositeAlarm, ...]:
    """Return composites so that each comes after the composites that its rule refers to, else in the order given.

    Raises:
        InvalidValueError: They refer to each other in a circle; CloudWatch would stop evaluating them.
    """
    cycles = find_cycles(composites)
    if cycles:
        raise InvalidValueError(f"Composite alarms refer to each other in a circle: {' -> '.join(cycles[0])}")
    by_name = {composite.name: composite for composite in composites}
    order: dict[str, CompositeAlarm] = {}
    for composite in composites:
        pending = [composite]
        while pending:
            current = pending[-1]
            names = [referenced_name(child) for child in children(parse_rule(current.rule))]
            open_children = [by_name[name] for name in names if name in by_name and name not in order]
            if open_children:
                pending.extend(open_children)
            else:
                order[current.name] = current
                pending.pop()
    return tuple(order.values())


def _is_in(alarm: str, state: AlarmState, *, codes: Mapping[str, NDArray[np.uint8]]) -> NDArray[np.bool_]:
    found = codes.get(alarm)
    if found is None:
        found = codes.get(referenced_name(alarm))
    if found is None:
        raise InvalidValueError(f"The rule refers to {alarm!r}, which is not among the alarms")
    truth: NDArray[np.bool_] = found == STATES.index(state)
    return truth
