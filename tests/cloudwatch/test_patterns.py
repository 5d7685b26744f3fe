"""Filter patterns: scripts of examples, printing, switches, limits and time."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cloudwatch.patterns import compile_pattern, compile_value, extracted, parse_pattern, print_pattern
from cloudwatch.patterns import nodes as n
from cloudwatch.patterns.lines import line_fields
from cloudwatch.patterns.regex import compile_regex
from cloudwatch.problems import InvalidValueError, TextSyntaxError
from cloudwatch.switches import Switches

SPECS = Path(__file__).parent / "specs" / "patterns"
CASES = settings(max_examples=200, deadline=None, derandomize=True)


def examples() -> Iterator[Any]:
    """Every event line of the scripts with the pattern above it."""
    for path in sorted(SPECS.glob("*.txt")):
        pattern = ""
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if line.startswith("pattern "):
                pattern = line.removeprefix("pattern ")
            elif line[:2] in {"+ ", "- "}:
                yield pytest.param(pattern, line[2:], line[0] == "+", id=f"{path.stem}:{number}")


def refusals() -> Iterator[Any]:
    """Every refused pattern of the scripts."""
    for path in sorted(SPECS.glob("*.txt")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if line.startswith("refused "):
                _, offset, pattern = line.split(" ", 2)
                yield pytest.param(pattern, int(offset), id=f"{path.stem}:{number}")


@pytest.mark.parametrize(("pattern", "message", "expected"), list(examples()))
def test_scripts(pattern: str, message: str, expected: bool) -> None:
    """Each line of a script matches or not, also after the pattern was printed."""
    parsed = parse_pattern(pattern)
    assert compile_pattern(parsed)(message) is expected
    assert parse_pattern(print_pattern(parsed)) == parsed
    if pattern.startswith("{"):
        try:
            event = json.loads(message)
        except ValueError:
            return
        if isinstance(event, dict):
            assert compile_pattern(parsed)(event) is expected


@pytest.mark.parametrize(("pattern", "offset"), list(refusals()))
def test_refusals(pattern: str, offset: int) -> None:
    """Each refused pattern is refused at the place that is wrong."""
    with pytest.raises(TextSyntaxError) as caught:
        parse_pattern(pattern)
    assert caught.value.start == offset
    assert caught.value.start <= caught.value.end <= len(pattern)


quoted_names = st.text(st.characters(exclude_characters="'", exclude_categories=["Cs"]), min_size=1, max_size=6)
plain_names = st.text(st.sampled_from("abzAZ09_-"), min_size=1, max_size=6)
phrases = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
no_star = phrases.filter(lambda text: "*" not in text)
words = st.text(st.sampled_from("abZ_x"), min_size=1, max_size=6)
numbers = st.sampled_from(["0", "-1", "+2.5", "1e-3", "400", ".5", "7."])
regexes = st.sampled_from(["^[hc]at$", r"\d{1,3}\.x", "a|b", r"[^\]a-z]+", r"\x3A"]).map(n.Regex)
starred = st.tuples(no_star, no_star).map("*".join).map(n.Glob)
operands = st.one_of(
    no_star.map(n.Text), words.map(lambda text: n.Text(text, bare=True)), numbers.map(n.Number), starred
)
steps = st.one_of(plain_names, quoted_names, st.integers(0, 999))
selectors = st.lists(steps, min_size=1, max_size=4).map(lambda found: n.Selector(tuple(found)))
equalities = st.sampled_from([n.Operator.EQUAL, n.Operator.NOT_EQUAL])


def conditions(leaves: st.SearchStrategy[n.Condition]) -> st.SearchStrategy[n.Condition]:
    """Conditions of joined leaves, at least two in a joint."""

    def joined(inner: st.SearchStrategy[n.Condition]) -> st.SearchStrategy[n.Condition]:
        parts = st.lists(inner, min_size=2, max_size=3).map(tuple)
        return parts.map(n.All) | parts.map(n.Any)

    return st.recursive(leaves, joined, max_leaves=6)


json_leaves: st.SearchStrategy[n.Condition] = st.one_of(
    st.builds(n.Comparison, selectors, equalities, operands),
    st.builds(n.Comparison, selectors, st.sampled_from(n.Operator), numbers.map(n.Number)),
    st.builds(n.Is, selectors, st.sampled_from(n.State)),
    st.builds(n.NotExists, selectors),
)


@st.composite
def space_fields(draw: st.DrawFn) -> n.SpaceField:
    """A field with or without condition, every test on its own name."""
    name = draw(plain_names)
    leaf = st.builds(n.Comparison, st.just(n.FieldName(name)), equalities, operands)
    return n.SpaceField(name, draw(st.none() | conditions(leaf)))


patterns: st.SearchStrategy[n.Pattern] = st.one_of(
    conditions(json_leaves).map(n.JsonPattern),
    st.lists(space_fields(), min_size=1, max_size=4).map(lambda found: n.SpacePattern(tuple(found))),
    st.lists(
        st.builds(n.TextTerm, words.map(lambda w: n.Text(w, bare=True)) | phrases.map(n.Text), st.sampled_from(n.Use)),
        max_size=4,
    ).map(lambda found: n.TextPattern(tuple(found))),
    st.builds(n.TextTerm, regexes, st.sampled_from(n.Use)).map(lambda term: n.TextPattern((term,))),
)


@given(patterns)
@CASES
def test_printing_and_parsing_is_the_identity(pattern: n.Pattern) -> None:
    """Whatever nodes are printed, the parser gives them back."""
    text = print_pattern(pattern)
    if len(text) <= 1024:
        assert parse_pattern(text) == pattern


fragments = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "$",
        ".",
        "$.a",
        "[*]",
        ".*",
        ".['",
        "']",
        '"',
        "%",
        "\\",
        "=",
        "!=",
        "<",
        "&&",
        "||",
        "IS ",
        "NULL",
        " NOT EXISTS",
        "*",
        "1",
        "-",
        "?",
        ",",
        "...",
        " ",
        "a",
        "é",
        "\n",
    ]
)


@given(st.lists(fragments, max_size=25).map("".join), phrases)
@example("(" * 1000, "")
@example("{" + "(" * 900, "")
@example("%" + "[" * 900, "")
@CASES
def test_any_text_is_parsed_or_refused_with_a_place(text: str, message: str) -> None:
    """Nothing but a syntax error with a place leaves the parser, and what it takes can be matched."""
    try:
        pattern = parse_pattern(text)
    except TextSyntaxError as wrong:
        assert 0 <= wrong.start <= wrong.end <= len(text)
        return
    assert compile_pattern(pattern)(message) in {True, False}
    assert parse_pattern(print_pattern(pattern)) == pattern


atoms = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\d", "c"])
pieces = st.tuples(atoms, st.sampled_from(["", "*", "+", "?", "{2}", "{1,3}", "{0,}", "*?"])).map("".join)
branches = st.tuples(
    st.sampled_from(["", "^"]), st.lists(pieces, max_size=4).map("".join), st.sampled_from(["", "$"])
).map("".join)


@given(
    st.lists(branches, min_size=1, max_size=3).map("|".join).filter(bool),
    st.text(st.sampled_from("abc1\n"), max_size=12),
)
@settings(max_examples=400, deadline=None, derandomize=True)
def test_the_automaton_agrees_with_backtracking(source: str, text: str) -> None:
    """Both ways of matching a regular expression give the same answer on short texts."""
    matcher = compile_regex(source)
    assert matcher.walk(text) is matcher(text)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a*a*a*a*a*b", "a" * 100_000),
        ("x" + "a?" * 60 + "a" * 60 + "y", "x" + "a" * 60 + "z"),
        (".*.*.*=.*", "x" * 100_000),
        ("a.*b.*c", "ab" * 50_000),
        ("[ab]{0,200}[ab]{0,200}c", "ab" * 5_000),
    ],
)
def test_no_expression_needs_more_than_linear_time(source: str, text: str) -> None:
    """Expressions that take backtracking engines hours are answered at once."""
    started = time.process_time()
    assert compile_regex(source)(text) is False
    assert time.process_time() - started < 5


@pytest.mark.parametrize("line", ["[a " * 60_000, '"a ' * 60_001, "[a " * 30_000 + "]x", '"a"b ' * 30_000])
def test_lines_of_odd_quotes_are_split_in_linear_time(line: str) -> None:
    """Unclosed quotes and brackets are words, and looking for their ends is not repeated."""
    started = time.process_time()
    assert len(line_fields(line)) >= 30_000
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("switch", "pattern", "event"),
    [
        ({"filter_number_text": "equal"}, "{ $.a = 400 }", {"a": "400"}),
        ({"filter_number_text": "equal"}, '{ $.a = "400" }', {"a": 400}),
        ({"filter_number_text": "equal"}, "{ $.a > 3 }", {"a": "4"}),
        ({"filter_not_equal_absent": "match"}, "{ $.a != 1 }", {}),
        ({"filter_not_equal_absent": "match"}, "{ $.a[*] != 1 }", {}),
        ({"filter_inner_wildcard": "wildcard"}, '{ $.a = "Ev*ent*" }', {"a": "Evil event"}),
        ({"filter_is_null_absent": "match"}, "{ $.a IS NULL }", {}),
    ],
)
def test_each_open_choice_is_a_switch(switch: dict[str, Any], pattern: str, event: dict[str, Any]) -> None:
    """The other setting of a switch turns a miss into a match."""
    parsed = parse_pattern(pattern)
    assert compile_pattern(parsed)(event) is False
    assert compile_pattern(parsed, switches=Switches(**switch))(event) is True


def test_not_equal_over_a_wildcard_can_ask_for_all() -> None:
    """Under `all` one equal element is enough for a miss."""
    parsed = parse_pattern("{ $.a[*] != 1 }")
    strict = compile_pattern(parsed, switches=Switches(filter_not_equal_wildcard="all"))
    assert compile_pattern(parsed)({"a": [1, 2]}) is True
    assert strict({"a": [1, 2]}) is False
    assert strict({"a": [2, 3]}) is True


def test_values_of_events() -> None:
    """A value is a field of a line or of JSON; what is not there is None."""
    line = parse_pattern("[ip, ms]")
    assert compile_value(line, "$ms")("10.0.0.1 250") == "250"
    assert compile_value(line, "$ms")("10.0.0.1") is None
    event = parse_pattern("{ $.a.b = * }")
    assert compile_value(event, "$.a.b")({"a": {"b": 2.5}}) == 2.5
    assert compile_value(event, "$.a.b")('{"a": {"b": "x"}}') == "x"
    assert compile_value(event, "$.a")({"a": {"b": 1}}) is None


@pytest.mark.parametrize(
    ("pattern", "selector"),
    [
        ("ERROR", "$.a"),
        ("[a, b]", "$c"),
        ("[a, b]", "a"),
        ("[a, b]", "$.a"),
        ("{ $.a = 1 }", "$a"),
        ("{ $.a = 1 }", "$.a[*]"),
    ],
)
def test_values_that_a_pattern_cannot_give(pattern: str, selector: str) -> None:
    """The selector must belong to the kind of the pattern and name one field."""
    with pytest.raises(InvalidValueError):
        compile_value(parse_pattern(pattern), selector)


def test_extracted_values() -> None:
    """What a pattern's own selectors find, as text."""
    event = {"a": {"b": 50}, "t": True, "n": None}
    pattern = parse_pattern("{ $.a.b > 1 && ($.t IS TRUE || $.n IS NULL) && $.l[*] NOT EXISTS }")
    assert extracted(pattern, event) == {"$.a.b": "50", "$.t": "true"}
    assert extracted(parse_pattern("[a, ..., z]"), "1 2 3 4") == {"$a": "1", "$2": "2", "$3": "3", "$z": "4"}
    assert extracted(parse_pattern("[..., r=*.html*, s=4*,]"), '- [b c] "GET x.html" 404 15') == {
        "$1": "-",
        "$2": "b c",
        "$r": "GET x.html",
        "$s": "404",
        "$5": "15",
    }
    assert extracted(parse_pattern("[a, b]"), "1") == {}
    assert extracted(parse_pattern("ERROR"), "ERROR") == {}
