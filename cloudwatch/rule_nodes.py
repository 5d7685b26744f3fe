"""Of what is the rule of a composite alarm made? The nodes of an AlarmRule, and short functions that build them.

Nodes compare by meaning: their offsets in the text they were parsed from (`start`, `end`, counted from 0; 0 for a built
node) take no part in equality. `cloudwatch.alarm_rule` parses, prints and evaluates them.
(UG, Combining alarms; API, PutCompositeAlarm)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from cloudwatch import limits
from cloudwatch.alarm import AlarmState
from cloudwatch.problems import InvalidValueError

__all__ = [
    "And",
    "AtLeast",
    "Constant",
    "Not",
    "Or",
    "Rule",
    "StateIs",
    "all_of",
    "any_of",
    "at_least",
    "in_alarm",
    "negated",
    "referenced_name",
    "state_is",
]

_ARN_LENGTH = 1600  # API, PutCompositeAlarm, ActionsSuppressor: the longest reference to an alarm


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant(_Node):
    """`TRUE` or `FALSE`."""

    value: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StateIs(_Node):
    """`ALARM(x)`, `OK(x)` or `INSUFFICIENT_DATA(x)`.

    Attributes:
        state: The state asked for.
        alarm: Name or ARN of the child, without quotes and escapes.
    """

    state: AlarmState
    alarm: str

    def __post_init__(self) -> None:
        _check_reference(self.alarm)


@dataclass(frozen=True, slots=True, kw_only=True)
class AtLeast(_Node):
    """`AT_LEAST(2, NOT OK, (a, b, c))` or `AT_LEAST(50%, ALARM, (a, b))`.

    Attributes:
        amount: Number of children, or per cent of them; at least 1.
        percent: Whether `amount` is per cent (then at most 100).
        state: The state asked for.
        negated: Whether children count that are *not* in that state.
        alarms: Names or ARNs of the children, at least one.
    """

    amount: int
    state: AlarmState
    alarms: tuple[str, ...]
    percent: bool = False
    negated: bool = False

    def __post_init__(self) -> None:
        if not self.alarms:
            raise InvalidValueError("AT_LEAST needs at least one alarm")
        if self.amount < 1 or (self.percent and self.amount > 100):
            raise InvalidValueError(f"AT_LEAST counts 1 or more, or 1% to 100%, not {self.amount}{'%' * self.percent}")
        for alarm in self.alarms:
            _check_reference(alarm)

    def needed(self, rounding: Literal["ceil", "floor"]) -> int:
        """Return how many children have to qualify; AWS does not say how a percentage is rounded."""
        if not self.percent:
            return self.amount
        share = self.amount * len(self.alarms)
        return -(-share // 100) if rounding == "ceil" else share // 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Not(_Node):
    """`NOT operand`."""

    operand: Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class And(_Node):
    """Two or more operands joined by `AND`; a nested `And` was written in parentheses."""

    operands: tuple[Rule, ...]

    def __post_init__(self) -> None:
        _check_operands("AND", self.operands)


@dataclass(frozen=True, slots=True, kw_only=True)
class Or(_Node):
    """Two or more operands joined by `OR`; a nested `Or` was written in parentheses."""

    operands: tuple[Rule, ...]

    def __post_init__(self) -> None:
        _check_operands("OR", self.operands)


Rule = And | Or | Not | StateIs | AtLeast | Constant


def state_is(alarm: str, state: AlarmState) -> StateIs:
    """Return the condition that a child, by name or ARN, is in a state."""
    return StateIs(alarm=alarm, state=state)


def in_alarm(alarm: str) -> StateIs:
    """Return `ALARM("alarm")`."""
    return StateIs(alarm=alarm, state=AlarmState.ALARM)


def at_least(amount: int, state: AlarmState, *, alarms: tuple[str, ...], percent: bool = False) -> AtLeast:
    """Return `AT_LEAST(amount, state, (alarms))`, `amount` in per cent if `percent`."""
    return AtLeast(amount=amount, state=state, alarms=alarms, percent=percent)


def negated(rule: Rule) -> Not:
    """Return `NOT rule`."""
    return Not(operand=rule)


def all_of(*rules: Rule) -> Rule:
    """Return the rules joined by AND; one rule is itself.

    Raises:
        InvalidValueError: No rule is given.
    """
    return rules[0] if len(rules) == 1 else And(operands=rules)


def any_of(*rules: Rule) -> Rule:
    """Return the rules joined by OR; one rule is itself.

    Raises:
        InvalidValueError: No rule is given.
    """
    return rules[0] if len(rules) == 1 else Or(operands=rules)


def referenced_name(alarm: str) -> str:
    """Return the AlarmName in a reference: the text after `:alarm:` of an ARN, else the reference itself."""
    _, separator, name = alarm.partition(":alarm:") if alarm.startswith("arn:") else ("", "", "")
    return name if separator and name else alarm


def _check_reference(alarm: str) -> None:
    longest = _ARN_LENGTH if alarm.startswith("arn:") else limits.ALARM_NAME_LENGTH
    if not 1 <= len(alarm) <= longest:
        raise InvalidValueError(
            f"The name of a child alarm has {len(alarm)} characters, CloudWatch takes 1 to {longest}: {alarm[:60]!r}"
        )


def _check_operands(word: str, operands: tuple[Rule, ...]) -> None:
    if len(operands) < 2:
        raise InvalidValueError(f"{word} joins two or more conditions, {len(operands)} given")
