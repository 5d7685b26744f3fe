"""The grammar of statistic texts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloudwatch.metric import Metric, MetricQuery
from cloudwatch.problems import InvalidValueError
from cloudwatch.stat import parse_stat, print_stat

# The pattern that AWS ships for SingleMetricAnomalyDetector.Stat, in three alternatives.
_PERCENT = r"((\d{1,2})(\.\d{0,10})?|100(\.0{0,10})?)%"
_NUMBER = r"(\d+(\.\d{0,10})?|(\d+(\.\d{0,10})?[Ee][+-]?\d+))"
SHIPPED = re.compile(
    r"(SampleCount|Average|Sum|Minimum|Maximum|IQM|(p|tc|tm|ts|wm)(\d{1,2}(\.\d{0,10})?|100)|[ou]\d+(\.\d*)?)(_E|_L|_H)?"
    rf"|(TM|TC|TS|WM)\((({_PERCENT})?:{_PERCENT}|{_PERCENT}:({_PERCENT})?)\)"
    rf"|(TM|TC|TS|WM|PR)\(({_NUMBER}:{_NUMBER}?|{_NUMBER}?:{_NUMBER})\)",
    re.ASCII,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tm99", "TM(:99%)"),
        ("tm99", "TM(0%:99%)"),
        ("IQM", "TM(25%:75%)"),
        ("p90", "p90.000"),
        ("TC(80:500)", "TC(80.0:5e2)"),
        ("wm98.50", "WM(:98.5%)"),
        ("TS(10%:)", "TS(10%:100%)"),
    ],
)
def test_texts_that_mean_the_same_are_equal(one: str, other: str) -> None:
    """Two spellings of one statistic give one value."""
    assert parse_stat(one) == parse_stat(other)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("average", "spelled Average"),
        ("p101", "from 0 to 100"),
        ("P90", "lower case"),
        ("tm(10%:90%)", "upper case"),
        ("TM(10:90%)", "both ends"),
        ("PR(10%:90%)", "PR takes values"),
        ("TM()", "at least one end"),
        ("TM(:)", "at least one end"),
        ("p99.12345678901", "10 decimals"),
        ("PR(1E999:)", "beyond 2^360"),
        ("p٩", "from 0 to 100"),
        ("", "not one of"),
    ],
)
def test_a_text_that_names_no_statistic_is_refused_with_the_reason(text: str, why: str) -> None:
    """The message says what is wrong with the text."""
    with pytest.raises(InvalidValueError, match=re.escape(why)):
        parse_stat(text)


@given(st.from_regex(SHIPPED, fullmatch=True))
def test_every_text_of_the_shipped_pattern_reads_prints_and_reads_back(text: str) -> None:
    """Printing loses nothing, and what is printed is again a text that AWS takes."""
    try:
        stat = parse_stat(text)
    except InvalidValueError as error:
        assert "2^360" in str(error)
        return
    assert SHIPPED.fullmatch(print_stat(stat))
    assert parse_stat(print_stat(stat)) == stat


@given(st.one_of(st.text(max_size=12), st.from_regex(r"(?i)(p|t[mcs]|wm|pr|iqm|sum)[(]?[0-9.%:eE+-]{0,8}[)]?")))
def test_only_texts_of_the_shipped_pattern_are_taken(text: str) -> None:
    """The parser takes exactly the language of the pattern, bounds that no value reaches aside."""
    try:
        parse_stat(text)
    except InvalidValueError as error:
        assert not SHIPPED.fullmatch(text) or "2^360" in str(error)
    else:
        assert SHIPPED.fullmatch(text)


def test_a_metric_query_refuses_an_unknown_statistic() -> None:
    """The mistake is found when the value is born, not when it is deployed."""
    with pytest.raises(InvalidValueError, match="spelled Sum"):
        MetricQuery(id="m1", metric=Metric(namespace="AWS/Bedrock", name="Invocations"), stat="sum", period_s=60)
