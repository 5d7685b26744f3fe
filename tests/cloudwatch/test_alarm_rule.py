"""AlarmRule text: what it means, how it prints, what is refused and where."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloudwatch.alarm import AlarmState, CompositeAlarm
from cloudwatch.alarm_rule import (
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
    children,
    element_count,
    evaluate_rule,
    find_cycles,
    in_alarm,
    negated,
    parse_rule,
    print_rule,
    rule_findings,
)
from cloudwatch.problems import InvalidValueError, TextSyntaxError

A, O, I = AlarmState.ALARM, AlarmState.OK, AlarmState.INSUFFICIENT_DATA  # noqa: E741

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1, max_size=8)
STATES = st.sampled_from(AlarmState)
LEAVES: st.SearchStrategy[Rule] = st.one_of(
    st.builds(Constant, value=st.booleans()),
    st.builds(StateIs, state=STATES, alarm=NAMES),
    st.builds(
        AtLeast,
        amount=st.integers(1, 100),
        percent=st.booleans(),
        negated=st.booleans(),
        state=STATES,
        alarms=st.lists(NAMES, min_size=1, max_size=3).map(tuple),
    ),
)
RULES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(Not, operand=inner),
        st.builds(And, operands=st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(Or, operands=st.lists(inner, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=8,
)


@given(RULES)
@settings(max_examples=150, derandomize=True)
def test_printing_and_parsing_returns_the_same_rule(rule: Rule) -> None:
    """A rule built in code survives its own text, with any names in it."""
    assert parse_rule(print_rule(rule)) == rule


PIECES = st.sampled_from(
    ["ALARM(", "OK(", "AT_LEAST(", "NOT ", " AND ", " OR ", "(", ")", ",", '"', "\\", "a", "TRUE", "%", "50", " "]
)


@given(st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=20).map("".join)))
@settings(max_examples=400, derandomize=True)
def test_arbitrary_text_is_a_rule_or_a_syntax_error_with_a_place(text: str) -> None:
    """Whatever is typed, the only error is ours and it points into the text."""
    try:
        rule = parse_rule(text)
    except TextSyntaxError as error:
        assert 0 <= error.start <= error.end <= len(text)
        assert error.text == text
    else:
        assert parse_rule(print_rule(rule)) == rule


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("ALARM(my alarm)", 9),
        ("ALARM(a) ALARM(b)", 9),
        ("ALARM(a) AND", 12),
        ("", 0),
        ('ALARM("a)', 6),
        ('ALARM("")', 6),
        ("BROKEN(a)", 0),
        ("(ALARM(a)", 9),
        ("AT_LEAST(0, ALARM, (a))", 9),
        ("AT_LEAST(101%, ALARM, (a))", 9),
        ("AT_LEAST(1, ALARM, a)", 19),
        ("AT_LEAST(1, ALARM, ())", 20),
        ("NOT", 3),
        (f"ALARM({'a' * 256})", 6),
    ],
)
def test_a_wrong_rule_is_refused_where_it_is_wrong(text: str, start: int) -> None:
    """The error points at the first character that cannot be right."""
    with pytest.raises(TextSyntaxError) as caught:
        parse_rule(text)
    assert caught.value.start == start


@pytest.mark.parametrize("text", ["(" * 5000, "NOT " * 2500, "(" * 101 + "TRUE" + ")" * 101])
def test_deep_nesting_is_an_error_and_not_a_crash(text: str) -> None:
    """A hostile rule cannot exhaust the stack."""
    with pytest.raises(TextSyntaxError, match="deeper than 100"):
        parse_rule(text)


def test_precedence_is_not_then_and_then_or() -> None:
    """NOT binds closest, OR loosest."""
    assert parse_rule("NOT ALARM(a) AND ALARM(b) OR ALARM(c)") == any_of(
        all_of(negated(in_alarm("a")), in_alarm("b")), in_alarm("c")
    )


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("ALARM(a) AND ALARM(b) OR ALARM(c)", ["mixed-and-or"]),
        ("(ALARM(a) AND ALARM(b)) OR ALARM(c)", []),
        ("ALARM(a) OR ((ALARM(b) AND ALARM(c)))", []),
        ("ALARM(a) OR NOT ALARM(b) OR True", ["keyword-case"]),
        ("AT_LEAST(3, ALARM, (a, b))", ["at-least-never"]),
    ],
)
def test_doubtful_rules_are_reported(text: str, codes: list[str]) -> None:
    """What AWS leaves open, or what can never hold, is a warning; parentheses settle it."""
    assert [finding.code for finding in rule_findings(text)] == codes


def test_names_are_quoted_escaped_or_arns() -> None:
    """Quotes and backslashes come through escapes; an ARN answers to the name in it."""
    rule = parse_rule(r'ALARM("a \"b\" \\ c") OR ALARM(arn:aws:cloudwatch:us-east-1:111122223333:alarm:d)')
    assert children(rule) == ('a "b" \\ c', "arn:aws:cloudwatch:us-east-1:111122223333:alarm:d")
    assert evaluate_rule(rule, {'a "b" \\ c': O, "d": A})


def test_a_child_without_a_state_is_an_error() -> None:
    """A misspelt child is never silently OK."""
    with pytest.raises(InvalidValueError, match="'b'"):
        evaluate_rule(parse_rule("NOT ALARM(b)"), {"a": O})


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (at_least(2, A, alarms=("a", "b", "c")), False),
        (at_least(1, A, alarms=("a", "b", "c")), True),
        (AtLeast(amount=2, state=O, negated=True, alarms=("a", "b", "c")), True),
        (at_least(34, I, alarms=("a", "b", "c"), percent=True), False),  # 1.02 of 3 rounds up to 2
        (at_least(33, I, alarms=("a", "b", "c"), percent=True), True),
    ],
)
def test_at_least_counts_children(rule: Rule, expected: bool) -> None:
    """AT_LEAST counts by number or by share, rounded up, of a state or of its opposite."""
    assert evaluate_rule(rule, {"a": A, "b": I, "c": O}) is expected


def test_precedence_and_rounding_follow_the_switches() -> None:
    """Flat precedence reads from left to right; a share may be rounded down."""
    text = "ALARM(a) OR ALARM(b) AND ALARM(c) AND ALARM(d)"
    a, b, c, d = map(in_alarm, "abcd")
    assert parse_rule(text) == any_of(a, all_of(b, c, d))
    assert parse_rule(text, precedence="flat") == all_of(any_of(a, b), c, d)
    share = at_least(34, I, alarms=("a", "b", "c"), percent=True)
    assert evaluate_rule(share, {"a": A, "b": I, "c": O}, rounding="floor")
    nearly = at_least(99, I, alarms=("a", "b", "c"), percent=True)
    states = {"a": I, "b": I, "c": O}
    assert (evaluate_rule(nearly, states, rounding="floor"), evaluate_rule(nearly, states)) == (True, False)


def test_positions_delimit_the_source_of_a_node() -> None:
    """A node knows the text it came from."""
    text = "TRUE OR  ALARM( a )"
    rule = parse_rule(text)
    assert isinstance(rule, Or)
    assert [text[node.start : node.end] for node in rule.operands] == ["TRUE", "ALARM( a )"]


def test_limits_are_those_of_put_composite_alarm() -> None:
    """100 children, 500 elements and 10,240 characters pass; one more does not."""
    hundred = " OR ".join(f"ALARM(a{number})" for number in range(100))
    assert len(children(parse_rule(hundred))) == 100
    with pytest.raises(TextSyntaxError, match="101 children"):
        parse_rule(hundred + " OR ALARM(b)")
    assert element_count(" OR ".join(["(TRUE)"] * 250)) == 500
    with pytest.raises(TextSyntaxError, match="501 elements"):
        parse_rule(" OR ".join(["TRUE"] * 501))
    assert parse_rule("TRUE".ljust(10_240)) == Constant(value=True)
    with pytest.raises(TextSyntaxError, match="10241"):
        parse_rule("TRUE".ljust(10_241))


def test_builders_join_and_refuse_nothing() -> None:
    """One condition needs no AND; none at all is a mistake."""
    assert all_of(in_alarm("a")) == in_alarm("a")
    assert print_rule(all_of(in_alarm("a"), negated(in_alarm("b")))) == 'ALARM("a") AND NOT ALARM("b")'
    with pytest.raises(InvalidValueError):
        any_of()


def test_cycles_are_found() -> None:
    """Composites that wait for each other are named in the order of the circle; a shared child is no cycle."""
    rules = {"a": "ALARM(b) OR ALARM(m)", "b": "ALARM(c) OR ALARM(m)", "c": "OK(a)", "d": "ALARM(d)", "e": "ALARM(a)"}
    composites = [CompositeAlarm(name=name, rule=rule) for name, rule in rules.items()]
    assert find_cycles(composites) == (("a", "b", "c"), ("d",))
