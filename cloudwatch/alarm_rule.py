r"""What does the rule of a composite alarm say? AlarmRule text to nodes and back, and its truth for given child states.

Grammar (UG, Combining alarms; keywords in any letter case are read, upper case is written):

    or     := and ('OR' and)*           and := unary ('AND' unary)*           unary := 'NOT' unary | term
    term   := '(' or ')' | 'TRUE' | 'FALSE' | state '(' name ')' | 'AT_LEAST' '(' count ',' 'NOT'? state ',' names ')'
    state  := 'ALARM' | 'OK' | 'INSUFFICIENT_DATA'        count := integer | integer '%'
    names  := '(' name (',' name)* ')'                    name  := bare | '"' (char | '\"' | '\\')* '"'

A bare name holds no white space, parenthesis, comma or quote. AWS does not document precedence: NOT binds closest, then
AND, then OR, and `rule_findings` warns where that decides the meaning (`Switches.composite_precedence`; `flat` reads AND
and OR from left to right).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, assert_never

from cloudwatch import limits
from cloudwatch.alarm import AlarmState
from cloudwatch.problems import InvalidValueError, Place, Problem, ProblemSeverity, TextSyntaxError
from cloudwatch.rule_nodes import (
    And,
    AtLeast,
    Constant,
    Not,
    Or,
    Rule,
    StateIs,
    all_of,
    any_of,
    at_least,
    in_alarm,
    negated,
    referenced_name,
    state_is,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from cloudwatch.alarm import CompositeAlarm

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
    "children",
    "element_count",
    "evaluate_rule",
    "find_cycles",
    "in_alarm",
    "negated",
    "parse_rule",
    "print_rule",
    "referenced_name",
    "rule_findings",
    "state_is",
]

_NESTING = 100
_WORD = re.compile(r"[A-Za-z_]+")
_BARE_NAME = re.compile(r'[^\s(),"]+')
_QUOTED_NAME = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_COUNT = re.compile(r"([0-9]{1,9})(\s*%)?")
_SPACE = re.compile(r"\s*")


def parse_rule(text: str, *, precedence: Literal["and_first", "flat"] = "and_first") -> Rule:
    """Return the nodes of a rule.

    Args:
        text: The AlarmRule.
        precedence: How AND and OR bind where parentheses do not say; `Switches.composite_precedence`.

    Raises:
        TextSyntaxError: The text is no rule, nests deeper than 100, or exceeds CloudWatch's limits: 10,240 characters, 100
            children, 500 elements.
    """
    return _parsed(text, flat=precedence == "flat").rule


def element_count(text: str) -> int:
    """Return the number of rule elements: children, TRUE, FALSE and pairs of grouping parentheses.

    Raises:
        TextSyntaxError: As `parse_rule`.
    """
    return _parsed(text).elements


def rule_findings(text: str) -> tuple[Problem, ...]:
    """Return what is legal but doubtful in a rule: precedence, letter case, AT_LEAST that can never hold.

    Raises:
        TextSyntaxError: As `parse_rule`.
    """
    return tuple(_parsed(text).findings)


def print_rule(rule: Rule) -> str:
    """Return the text of a rule: names quoted, AND inside OR parenthesised. `parse_rule(print_rule(x)) == x`."""
    match rule:
        case Constant():
            return "TRUE" if rule.value else "FALSE"
        case StateIs():
            return f"{rule.state}({_quoted(rule.alarm)})"
        case AtLeast():
            condition = f"NOT {rule.state}" if rule.negated else str(rule.state)
            names = ", ".join(_quoted(alarm) for alarm in rule.alarms)
            return f"AT_LEAST({rule.amount}{'%' * rule.percent}, {condition}, ({names}))"
        case Not():
            return f"NOT {_printed_operand(rule.operand)}"
        case And():
            return " AND ".join(_printed_operand(operand) for operand in rule.operands)
        case Or():
            return " OR ".join(_printed_operand(operand) for operand in rule.operands)
        case _:
            assert_never(rule)


def evaluate_rule(rule: Rule, states: Mapping[str, AlarmState], *, rounding: Literal["ceil", "floor"] = "ceil") -> bool:
    """Return whether the rule holds, that is, whether the composite is in ALARM.

    Args:
        rule: The rule.
        states: State of every child, by the reference used in the rule or by the name in its ARN.
        rounding: How a percentage becomes a number of children; `Switches.at_least_rounding`.

    Raises:
        InvalidValueError: A child has no state.
    """
    match rule:
        case Constant():
            return rule.value
        case StateIs():
            return _state_of(rule.alarm, states) is rule.state
        case AtLeast():
            hits = sum((_state_of(alarm, states) is rule.state) is not rule.negated for alarm in rule.alarms)
            return hits >= rule.needed(rounding)
        case Not():
            return not evaluate_rule(rule.operand, states, rounding=rounding)
        case And():
            return all(evaluate_rule(operand, states, rounding=rounding) for operand in rule.operands)
        case Or():
            return any(evaluate_rule(operand, states, rounding=rounding) for operand in rule.operands)
        case _:
            assert_never(rule)


def children(rule: Rule) -> tuple[str, ...]:
    """Return the names or ARNs that a rule refers to, each once, in the order of their first mention."""
    return tuple(dict.fromkeys(_references(rule)))


def find_cycles(composites: Iterable[CompositeAlarm]) -> tuple[tuple[str, ...], ...]:
    """Return the cycles among composites: names, each cycle from its first composite in the order given.

    CloudWatch stops evaluating composites in a cycle, and none of them can be deleted. Of cycles that share composites one
    is returned for each reference that closes it. Rules that do not parse count as without children.
    """
    graph: dict[str, tuple[str, ...]] = {}
    for composite in composites:
        try:
            graph[composite.name] = tuple(referenced_name(child) for child in children(parse_rule(composite.rule)))
        except TextSyntaxError:
            graph[composite.name] = ()
    cycles: dict[tuple[str, ...], None] = {}
    finished: set[str] = set()
    for root, first in graph.items():
        path: dict[str, Iterator[str]] = {}
        if root not in finished:
            path[root] = iter(first)
        while path:
            name, pending = next(reversed(path.items()))
            child = next(pending, None)
            if child is None:
                finished.add(name)
                del path[name]
            elif child in path:
                names = list(path)
                cycles[tuple(names[names.index(child) :])] = None
            elif child in graph and child not in finished:
                path[child] = iter(graph[child])
    return tuple(cycles)


def _references(rule: Rule) -> Iterator[str]:
    match rule:
        case Constant():
            return
        case StateIs():
            yield rule.alarm
        case AtLeast():
            yield from rule.alarms
        case Not():
            yield from _references(rule.operand)
        case And() | Or():
            for operand in rule.operands:
                yield from _references(operand)
        case _:
            assert_never(rule)


def _state_of(alarm: str, states: Mapping[str, AlarmState]) -> AlarmState:
    state = states.get(alarm) or states.get(referenced_name(alarm))
    if state is None:
        raise InvalidValueError(f"The rule refers to {alarm!r}, which has no state")
    return state


def _printed_operand(rule: Rule) -> str:
    return f"({print_rule(rule)})" if isinstance(rule, And | Or) else print_rule(rule)


def _quoted(alarm: str) -> str:
    escaped = alarm.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _parsed(text: str, *, flat: bool = False) -> _Parser:
    if not 1 <= len(text) <= limits.COMPOSITE_RULE_LENGTH:
        raise TextSyntaxError(
            f"AlarmRule has {len(text)} characters, CloudWatch takes 1 to {limits.COMPOSITE_RULE_LENGTH}",
            text=text,
            start=min(len(text), limits.COMPOSITE_RULE_LENGTH),
            end=len(text),
        )
    parser = _Parser(text, flat=flat)
    parser.rule = parser.parse_or(0)
    parser.skip_space()
    if parser.at < len(text):
        raise parser.error("Expected AND, OR or the end of the rule", width=1)
    if len(parser.alarms) > limits.COMPOSITE_CHILDREN or parser.elements > limits.COMPOSITE_ELEMENTS:
        raise TextSyntaxError(
            f"AlarmRule has {len(parser.alarms)} children and {parser.elements} elements, CloudWatch takes "
            f"{limits.COMPOSITE_CHILDREN} and {limits.COMPOSITE_ELEMENTS}",
            text=text,
            start=0,
            end=len(text),
        )
    return parser


@dataclass(slots=True)
class _Parser:
    text: str
    flat: bool = False
    at: int = 0
    elements: int = 0
    rule: Rule = field(default_factory=lambda: Constant(value=False))
    alarms: set[str] = field(default_factory=set)
    findings: list[Problem] = field(default_factory=list)
    bare: set[int] = field(default_factory=set)  # ids of And nodes written without parentheses

    def error(self, message: str, *, width: int = 0, hint: str = "") -> TextSyntaxError:
        end = min(self.at + width, len(self.text))
        found = "the rule ends" if self.at >= len(self.text) else f"found {self.text[self.at : self.at + 20]!r}"
        return TextSyntaxError(f"{message}, {found}", text=self.text, start=self.at, end=end, hint=hint)

    def found(self, code: str, message: str, *, start: int, hint: str) -> None:
        place = Place(line=self.text.count("\n", 0, start) + 1, column=start - self.text.rfind("\n", 0, start))
        self.findings.append(
            Problem(code=code, message=message, severity=ProblemSeverity.WARNING, place=place, hint=hint)
        )

    def skip_space(self) -> None:
        matched = _SPACE.match(self.text, self.at)
        self.at = matched.end() if matched else self.at

    def peek_word(self) -> str:
        self.skip_space()
        matched = _WORD.match(self.text, self.at)
        return matched.group() if matched else ""

    def take_word(self, word: str) -> None:
        if word != word.upper():
            self.found(
                "keyword-case",
                f"{word!r} is not in upper case",
                start=self.at,
                hint=f"Write {word.upper()}: whether CloudWatch takes other spellings is not documented.",
            )
        self.at += len(word)

    def take(self, symbol: str) -> None:
        self.skip_space()
        if not self.text.startswith(symbol, self.at):
            raise self.error(f"Expected {symbol!r}", width=1)
        self.at += 1

    def parse_flat(self, depth: int) -> Rule:
        rule, joined = self.parse_unary(depth), ""
        while (word := self.peek_word()).upper() in {"AND", "OR"}:
            self.take_word(word)
            right = self.parse_unary(depth)
            kind: type[And | Or] = And if word.upper() == "AND" else Or
            left = rule.operands if isinstance(rule, kind) and joined == word.upper() else (rule,)
            rule, joined = kind(operands=(*left, right), start=rule.start, end=right.end), word.upper()
        return rule

    def parse_or(self, depth: int) -> Rule:
        if self.flat:
            return self.parse_flat(depth)
        start = self.at
        operands = [self.parse_and(depth)]
        while (word := self.peek_word()).upper() == "OR":
            self.take_word(word)
            operands.append(self.parse_and(depth))
        if len(operands) == 1:
            return operands[0]
        if any(isinstance(operand, And) and id(operand) in self.bare for operand in operands):
            self.found(
                "mixed-and-or",
                "AND and OR are mixed without parentheses",
                start=start,
                hint="Add parentheses: CloudWatch does not document which binds closer; here AND does.",
            )
        return Or(operands=tuple(operands), start=operands[0].start, end=operands[-1].end)

    def parse_and(self, depth: int) -> Rule:
        operands = [self.parse_unary(depth)]
        while (word := self.peek_word()).upper() == "AND":
            self.take_word(word)
            operands.append(self.parse_unary(depth))
        if len(operands) == 1:
            return operands[0]
        node = And(operands=tuple(operands), start=operands[0].start, end=operands[-1].end)
        self.bare.add(id(node))
        return node

    def parse_unary(self, depth: int) -> Rule:
        if depth >= _NESTING:
            raise self.error(f"The rule nests deeper than {_NESTING}")
        word = self.peek_word()
        start = self.at
        if word.upper() == "NOT":
            self.take_word(word)
            operand = self.parse_unary(depth + 1)
            return Not(operand=operand, start=start, end=operand.end)
        if not word:
            if not self.text.startswith("(", self.at):
                raise self.error("Expected a condition", width=1)
            self.at += 1
            self.elements += 1
            rule = self.parse_or(depth + 1)
            self.take(")")
            self.bare.discard(id(rule))
            return rule
        return self.parse_term(word)

    def parse_term(self, word: str) -> Rule:
        start, upper = self.at, word.upper()
        if upper in {"TRUE", "FALSE"}:
            self.take_word(word)
            self.elements += 1
            return Constant(value=upper == "TRUE", start=start, end=self.at)
        if upper == "AT_LEAST":
            self.take_word(word)
            return self.parse_at_least(start)
        state = self.parse_state()
        self.take("(")
        alarm = self.parse_name()
        self.take(")")
        return StateIs(state=state, alarm=alarm, start=start, end=self.at)

    def parse_state(self) -> AlarmState:
        word = self.peek_word()
        if word.upper() not in AlarmState.__members__:
            raise self.error(
                "Expected ALARM, OK or INSUFFICIENT_DATA",
                width=len(word) or 1,
                hint='Write ALARM("name of the alarm").',
            )
        self.take_word(word)
        return AlarmState(word.upper())

    def parse_at_least(self, start: int) -> Rule:
        self.take("(")
        self.skip_space()
        counted = _COUNT.match(self.text, self.at)
        if not counted:
            raise self.error("Expected a number or a percentage", width=1)
        amount, percent = int(counted.group(1)), counted.group(2) is not None
        if amount < 1 or (percent and amount > 100):
            raise self.error("AT_LEAST counts 1 or more, or 1% to 100%", width=len(counted.group()))
        self.at = counted.end()
        self.take(",")
        word = self.peek_word()
        negates = word.upper() == "NOT"
        if negates:
            self.take_word(word)
        state = self.parse_state()
        self.take(",")
        self.take("(")
        alarms = [self.parse_name()]
        self.skip_space()
        while self.text.startswith(",", self.at):
            self.at += 1
            alarms.append(self.parse_name())
            self.skip_space()
        self.take(")")
        self.take(")")
        node = AtLeast(
            amount=amount,
            percent=percent,
            negated=negates,
            state=state,
            alarms=tuple(alarms),
            start=start,
            end=self.at,
        )
        if node.needed("ceil") > len(alarms):
            self.found(
                "at-least-never",
                f"AT_LEAST asks for {amount} of {len(alarms)} alarms and can never hold",
                start=start,
                hint="Lower the number or add alarms.",
            )
        return node

    def parse_name(self) -> str:
        self.skip_space()
        start = self.at
        if self.text.startswith('"', start):
            matched = _QUOTED_NAME.match(self.text, start)
            if not matched:
                raise self.error("The quoted name does not end", width=1)
            name = re.sub(r'\\(["\\])', r"\1", matched.group(1))
        else:
            matched = _BARE_NAME.match(self.text, start)
            if not matched:
                raise self.error("Expected the name of an alarm", width=1)
            name = matched.group()
        longest = 1600 if name.startswith("arn:") else limits.ALARM_NAME_LENGTH
        if not 1 <= len(name) <= longest:
            raise self.error(
                f"An alarm name has 1 to {longest} characters, this one {len(name)}", width=matched.end() - start
            )
        self.at = matched.end()
        self.elements += 1
        self.alarms.add(name)
        self.skip_space()
        if self.at < len(self.text) and self.text[self.at] not in "),":
            raise self.error(
                "A name without quotes holds no space, parenthesis, comma or quote",
                width=1,
                hint='Quote it: "my alarm".',
            )
        return name
