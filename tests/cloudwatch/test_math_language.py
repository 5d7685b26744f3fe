"""Metric math as a language: printing, positions, types, and what arbitrary text does to the parser."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloudwatch.math.ast import ArrayOf, Call, Chain, Name, Negative, Node, Number, Sql, Step, Text, Word, walk
from cloudwatch.math.behaviours import BEHAVIOURS
from cloudwatch.math.findings import alarm_findings
from cloudwatch.math.functions import FUNCTIONS
from cloudwatch.math.parser import LEVELS, NESTING_LIMIT, Parser, parse
from cloudwatch.math.printer import print_math
from cloudwatch.math.program import Program, compile_queries, queries_problems
from cloudwatch.math.tokens import tokens_of
from cloudwatch.metric import ExpressionQuery, Metric, MetricQuery, Query
from cloudwatch.problems import InvalidValueError, ProblemSeverity, TextSyntaxError

names = st.from_regex(r"[a-z][A-Za-z0-9_]{0,5}", fullmatch=True).map(lambda text: Name(id=text))
words = st.from_regex(r"[A-Z_][A-Za-z0-9_]{0,5}", fullmatch=True).filter(lambda text: text not in LEVELS)
numbers = st.floats(min_value=0, max_value=1e300, allow_nan=False).map(lambda value: Number(value=value))
strings = st.text(alphabet="ab' ,(", max_size=5) | st.text(alphabet='ab" {}=', max_size=5)
leaves = st.one_of(names, numbers, words.map(lambda text: Word(text=text)), strings.map(lambda text: Text(value=text)))


def _chain(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    def of_level(level: int) -> st.SearchStrategy[Node]:
        operators = st.sampled_from([operator for operator, each in LEVELS.items() if each == level])
        steps = st.lists(st.builds(Step, operator=operators, operand=parts), min_size=1, max_size=3).map(tuple)
        return st.builds(Chain, first=parts, steps=steps)

    return st.sampled_from(sorted(set(LEVELS.values()))).flatmap(of_level)


def _branches(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(parts, max_size=3).map(tuple)
    return st.one_of(
        _chain(parts),
        st.builds(Negative, operand=parts),
        st.builds(ArrayOf, items=several.filter(bool)),
        st.builds(Call, function=words, arguments=several),
    )


@given(st.recursive(leaves, _branches, max_leaves=12))
def test_a_printed_tree_reads_back_as_itself(tree: Node) -> None:
    """parse(print(x)) == x for every tree, whatever needs parentheses."""
    assert parse(print_math(tree)) == tree


@given(st.text(max_size=80) | st.text(alphabet="am1M(),[]+-*/^<>=!&|'\" .eANDOR", max_size=80))
def test_any_text_is_an_expression_or_a_syntax_error_inside_it(text: str) -> None:
    """Nothing else is raised, and the position lies in the text."""
    try:
        tree = parse(text)
    except TextSyntaxError as error:
        assert 0 <= error.start <= error.end <= len(text)
    else:
        assert parse(print_math(tree)) == tree
        assert all(0 <= node.start <= node.end <= len(text) for node in walk(tree))


@pytest.mark.parametrize("opening", ["(", "[", "-", "ABS(", "a^(", "1+(2*("])
def test_deep_nesting_is_refused_and_does_not_exhaust_the_stack(opening: str) -> None:
    """Ten thousand openings give a syntax error that names the limit."""
    with pytest.raises(TextSyntaxError, match=f"Nested more than {NESTING_LIMIT} deep"):
        parse(opening * 10_000)


def test_ordinary_nesting_is_taken() -> None:
    """Thirty parentheses are no trouble."""
    assert parse("(" * 30 + "a" + ")" * 30) == Name(id="a")


@pytest.mark.parametrize("unit", ["a+", "-a*", "IF(a,b)+", "[a,b]+", "'text'=="])
def test_reading_takes_each_token_once(unit: str) -> None:
    """Time is linear: the parser takes as many tokens as there are, and the tree does not get deeper."""
    for times in (10, 1000):
        text = unit * times + "a"
        parser = Parser(text)
        parser.whole()
        assert parser.taken == len(tokens_of(text)) - 1


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("m1 + $", 5, 6),
        ("m1 m2", 3, 5),
        ("(m1", 3, 3),
        ("m1 +", 4, 4),
        ("METRICS('x)", 8, 11),
        ("[]", 0, 1),
        ("1e999", 0, 5),
        ("AND m1", 0, 3),
        ("", 0, 0),
    ],
)
def test_a_syntax_error_points_at_the_guilty_part(text: str, start: int, end: int) -> None:
    """Offsets count from 0; the end of the text is an empty range."""
    with pytest.raises(TextSyntaxError) as caught:
        parse(text)
    assert (caught.value.start, caught.value.end) == (start, end)


def test_nodes_know_where_they_stand() -> None:
    """Positions are offsets into the text, blanks included."""
    text = " SUM( [m1, m2] ) / -m3"
    tree = parse(text)
    assert isinstance(tree, Chain)
    assert text[tree.start : tree.end] == "SUM( [m1, m2] ) / -m3"
    assert [text[node.start : node.end] for node in walk(tree)][1:] == [
        "SUM( [m1, m2] )",
        "[m1, m2]",
        "m1",
        "m2",
        "-m3",
        "m3",
    ]


def test_a_metrics_insights_query_is_one_expression() -> None:
    """It is not looked into, and may stand among blanks."""
    text = '\n select AVG(CPUUtilization) FROM SCHEMA("AWS/EC2", InstanceId) '
    assert parse(text) == Sql(text=text.strip())


def test_both_tables_of_functions_have_the_same_names() -> None:
    """Each function that is computed here has a behaviour; PERIOD reads the list and not its argument."""
    computed = {name for name, function in FUNCTIONS.items() if not function.supplied}
    assert computed - {"PERIOD"} == set(BEHAVIOURS)


def metric_query(id_: str, **more: Any) -> MetricQuery:
    """Return a query for a metric that has the name of its id."""
    return MetricQuery(id=id_, metric=Metric(namespace="N", name=id_), stat="Sum", period_s=60, **more)


def program(**expressions: str) -> Program:
    """Return the program of m1, m2 and these expressions; the last one returns."""
    last = list(expressions)[-1]
    queries: list[Query] = [metric_query("m1"), metric_query("m2")]
    queries += [ExpressionQuery(id=id_, expression=text, return_data=id_ == last) for id_, text in expressions.items()]
    return compile_queries(queries)


@pytest.mark.parametrize(
    ("expressions", "message"),
    [
        ({"e1": "m1 + m9"}, "e1: No query has the id m9"),
        ({"e1": "e2", "e2": "e1 + 1"}, "Expressions refer to each other in a circle"),
        ({"e1": "e1"}, "Expressions refer to each other in a circle: e1 -> e1"),
        ({"e1": "AVG(m1)"}, "e1 returns S; a result is a time series"),
        ({"e1": "m1 +", "e2": "e1"}, "e1: Expected a number"),
    ],
)
def test_a_wrong_list_of_queries_is_refused(expressions: dict[str, str], message: str) -> None:
    """References, circles and the type of the result; the message begins with the query."""
    with pytest.raises(InvalidValueError, match=message):
        program(**expressions)


@given(
    st.recursive(leaves, _branches, max_leaves=6).map(print_math)
    | st.from_regex(r"(METRICS|SEARCH|SORT|IF|FILL|PERIOD)\((m1|'m'|1|ASC|, ){0,6}\)", fullmatch=True)
)
def test_any_expression_compiles_or_is_refused_with_a_place(expression: str) -> None:
    """Whatever reads is typed without any other error, and the place lies in the expression."""
    try:
        program(e1=expression)
    except TextSyntaxError as error:
        assert error.text == expression
        assert 0 <= error.start <= error.end <= len(expression)
    except InvalidValueError as error:
        assert "a result is a time series" in str(error)


@pytest.mark.parametrize(
    ("expression", "start", "message"),
    [
        ("SUM(SEARCH('{N} MetricName=', 'Sum'))", 27, "Expected a value for MetricName"),
        ("SUM(SEARCH('{N}', 'sum', 60))", 18, "it is spelled Sum"),
        ("METRICS('a', 'b')", 0, "METRICS takes"),
    ],
)
def test_a_mistake_inside_a_string_has_its_place_in_the_expression(expression: str, start: int, message: str) -> None:
    """SEARCH holds two languages of its own."""
    with pytest.raises(TextSyntaxError, match=message) as caught:
        program(e1=expression)
    assert caught.value.start == start


def test_an_id_that_occurs_twice_is_refused() -> None:
    """A list is keyed by its ids."""
    with pytest.raises(InvalidValueError, match="m1 occurs twice"):
        compile_queries([metric_query("m1"), metric_query("m1")])


def test_all_problems_of_a_list_are_found_at_once() -> None:
    """One for each wrong expression; what only refers to a wrong one is not blamed."""
    queries: list[Query] = [
        metric_query("m1"),
        ExpressionQuery(id="a", expression="m1 +"),
        ExpressionQuery(id="b", expression="avg(m1)"),
        ExpressionQuery(id="c", expression="a + b", return_data=True),
    ]
    assert [str(problem).split(" (")[0] for problem in queries_problems(queries)] == [
        "a: Expected a number, an id or a function, found the end",
        "b: There is no function avg",
    ]


@pytest.mark.parametrize(
    ("expression", "elementwise"),
    [
        ("m1 / (m1 + m2) * 100", True),
        ("IF(m1 > 5, m2, 0)", True),
        ("AVG([m1, m2]) + FILL(m1, 0)", True),
        ("IF(HOUR(m1) < 6, 0, m1)", True),
        ("m1 / METRIC_COUNT(METRICS())", True),
        ("SERVICE_QUOTA(m1) + m2", True),
        ("m1 - AVG(m1)", False),
        ("FILL(m1, REPEAT)", False),
        ("RATE(m1) + m2", False),
        ("FIRST(SORT(METRICS(), SUM, DESC))", False),
        ("IF(m1, m2, RUNNING_SUM(m2))", False),
        ("SUM(REMOVE_EMPTY([m1, m2]))", False),
        ("m1 + FILL(m2, AVG(m1))", False),
    ],
)
def test_a_program_knows_whether_a_slot_depends_on_others(expression: str, *, elementwise: bool) -> None:
    """What is element-wise gives the same in every window, so windows can share it."""
    assert program(e1=expression).elementwise is elementwise


def test_dependence_on_other_slots_is_seen_through_references() -> None:
    """An expression is as windowed as what it refers to; what the result does not read does not count."""
    assert not program(e1="AVG(m1)", e2="m1 - e1").elementwise
    assert program(e1="m1 - AVG(m1)", e2="m1 + m2").elementwise


def test_a_program_names_what_must_be_supplied_and_what_it_reads() -> None:
    """Texts are printed, so that blanks do not matter."""
    found = program(e1="ANOMALY_DETECTION_BAND( m2,3 )", e2="SUM( e1 ) + SUM(SEARCH('{N}','Sum',60))")
    assert found.supplies == ("ANOMALY_DETECTION_BAND(m2, 3)", "SEARCH('{N}', 'Sum', 60)")
    assert found.metric_ids == ("m2",)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("m1 + m2", []),
        ("SEARCH('{N}', 'Sum', 60)", ["alarm-many-series error", "alarm-search error"]),
        ("[m1, m2]", ["alarm-many-series error"]),
        ("SELECT MAX(a) FROM b GROUP BY c", []),
        ("FILL(m1, 0)", ["alarm-fill warning"]),
        ("m1 - AVG(m1)", ["alarm-window warning"]),
        ("AVG([m1, m2])", []),
        ("RATE(m1)", ["alarm-window warning"]),
        ("m1 OR m2 AND m1", ["math-precedence note"]),
        ("m1 OR (m2) AND m1", ["math-precedence note"]),
        ("(m1 OR m2) AND m1", []),
        ("m1 OR (m2 AND m1)", []),
        ("-m1 ^ 2", ["math-precedence note"]),
        ("-(m1 ^ 2)", []),
        ("SUM(REMOVE_EMPTY([m1, m2]))", ["alarm-window warning"]),
    ],
)
def test_what_an_alarm_cannot_or_should_not_use_is_found(expression: str, expected: list[str]) -> None:
    """Codes and severities, in the order of the expression."""
    assert [f"{each.code} {each.severity}" for each in alarm_findings(program(e1=expression))] == expected


def test_a_finding_points_into_the_expression() -> None:
    """Path is the query, column counts from 1."""
    (found,) = alarm_findings(program(e1="m1 + FILL(m2, 0)"))
    assert (found.place.path, found.place.column, found.severity) == ("e1", 6, ProblemSeverity.WARNING)


def test_a_printed_number_is_the_same_number() -> None:
    """Small, large and whole numbers keep their value."""
    for value in (1e-36, 0.1, 400.0, 1e22, math.pi, 123456789012345678.0):
        assert parse(print_math(Number(value=value))) == Number(value=value)
