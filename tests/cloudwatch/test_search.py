"""SEARCH: what it finds among metrics, how it is read, and what a store answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloudwatch.math.program import Grid, compile_queries
from cloudwatch.metric import ExpressionQuery, Metric, MetricQuery
from cloudwatch.problems import InvalidValueError, TextSyntaxError
from cloudwatch.retention import SEARCH_WINDOW_S
from cloudwatch.search import parse_search, word_matches
from cloudwatch.series import GivenStatistic, Samples
from cloudwatch.stat import Plain
from cloudwatch.store import MetricStore


def metric(name: str, *, namespace: str = "AWS/Bedrock", account: str | None = None, **dimensions: str) -> Metric:
    """Return a metric with these dimensions."""
    return Metric(namespace=namespace, name=name, dimensions=tuple(dimensions.items()), account_id=account)


INVOCATIONS = metric("Invocations", ModelId="nova-pro")
LATENCY = metric("InvocationLatency", ModelId="nova-pro")
LITE = metric("Invocations", ModelId="nova-lite")
TOTAL = metric("Invocations")
CUSTOM = metric("CustomCount1", namespace="My Space", Stage="prod")
FOREIGN = metric("Errors", namespace="AWS/Lambda", account="111122223333", FunctionName="my-function")
ALL = (INVOCATIONS, LATENCY, LITE, TOTAL, CUSTOM, FOREIGN)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{AWS/Bedrock,ModelId}", {INVOCATIONS, LATENCY, LITE}),
        ("{AWS/Bedrock}", {TOTAL}),
        ('{"My Space", Stage}', {CUSTOM}),
        ("{AWS/Bedrock,ModelId} Latency", {LATENCY}),
        ('{AWS/Bedrock,ModelId} MetricName="Invocations"', {INVOCATIONS, LITE}),
        ('{AWS/Bedrock,ModelId} MetricName="invocations"', set()),
        ("{AWS/Bedrock,ModelId} Invocations NOT lite", {INVOCATIONS}),
        ("ModelId=lite OR MetricName=Count", {LITE, CUSTOM}),
        ("nova AND (lite OR latency)", {LATENCY, LITE}),
        ("ModelId=(lite OR pro) Latency", {LATENCY}),
        ('Namespace="AWS/Lambda"', {FOREIGN}),
        (':aws.AccountId="111122223333"', {FOREIGN}),
        ("{AWS/Bedrock} :aws.AccountId=LOCAL", {TOTAL}),
        ("function", {FOREIGN}),
        ('"nova-pro"', {INVOCATIONS, LATENCY}),
        ("NOT NOT lite", {LITE}),
        ("nothing", set()),
        ('{AWS/Bedrock}, "Invocations"', {TOTAL}),
        ("NOT Namespace=AWS", {CUSTOM}),
        ("MetricName=Latency :aws.AccountId = 111122223333", set()),
    ],
)
def test_a_search_finds_metrics(text: str, expected: set[Metric]) -> None:
    """Schema, words, exact texts, properties and operators, over six metrics."""
    assert set(parse_search(text).among(ALL)) == expected


@pytest.mark.parametrize(
    ("word", "name", "found"),
    [
        ("network/errors", "Network-Errors-2", True),
        ("Network_Errors", "NetworkErrors2", True),
        ("network+errors", "NetworkErrors2", True),
        ("NetworkErrors", "Network-Errors-2", True),
        ("errors-network", "Network-Errors-2", False),
        ("network-2", "Network-Errors-2", False),
        ("t2.micro", "t2.micro", True),
        ("trial333", "Project2-trial333", True),
        ("customcount1", "CustomCount1", True),
        ("customcount", "CustomCount1", False),
        ("ReadOps", "VolumeReadOps", True),
        ("i-0ab12", "i-0ab12", True),
        ("-", "a-b", False),
    ],
)
def test_a_word_finds_names_by_their_parts(word: str, name: str, *, found: bool) -> None:
    """Parts in a row; joined parts with regard to case."""
    assert word_matches(word, name) == found


def test_an_exact_text_may_hold_any_character() -> None:
    """Quotes, backslashes and parentheses stand behind a backslash."""
    odd = metric("Europe\\France Traffic(Network)")
    assert parse_search(r'"Europe\\France Traffic\(Network\)"').among([odd, TOTAL]) == (odd,)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("", 0),
        ("{AWS/Bedrock", 12),
        ("{}", 1),
        ("a AND", 5),
        ("OR a", 0),
        ('a "b', 2),
        ("(a", 2),
        ("a)", 1),
        ("MetricName=", 11),
        ("ModelId=(MetricName=a)", 19),
        ("x" * 1025, 1024),
        ("(" * 60 + "a" + ")" * 60, 50),
    ],
)
def test_what_is_no_search_is_refused_with_its_place(text: str, start: int) -> None:
    """Each text has one thing wrong."""
    with pytest.raises(TextSyntaxError) as caught:
        parse_search(text)
    assert caught.value.start == start


@given(st.text(alphabet='{}(),= "aANDORT:.', max_size=60))
def test_any_text_is_a_search_or_a_syntax_error_inside_it(text: str) -> None:
    """The parser raises nothing else."""
    try:
        parse_search(text)
    except TextSyntaxError as error:
        assert 0 <= error.start <= error.end <= len(text)


def test_a_store_answers_expressions_and_searches() -> None:
    """Columns for metrics, series for SEARCH; a metric without data is a gap; what stopped two weeks ago is not found."""
    now = 2 * SEARCH_WINDOW_S
    store = MetricStore.of(
        [
            (INVOCATIONS, Samples.of_values([now], [5])),
            (INVOCATIONS, Samples.of_values([now + 60], [7])),
            (LITE, Samples.of_values([now + 60], [1])),
            (LATENCY, Samples.of_values([now - SEARCH_WINDOW_S - 60], [9])),
        ]
    )
    program = compile_queries(
        [
            MetricQuery(id="m1", metric=INVOCATIONS, stat="Sum", period_s=60),
            MetricQuery(id="m2", metric=TOTAL, stat="Sum", period_s=60),
            ExpressionQuery(
                id="e1",
                expression="SUM(SEARCH('{AWS/Bedrock,ModelId}', 'Sum', 60)) + m1 * 0 + m2",
                return_data=True,
            ),
        ]
    )
    grid = Grid(timestamps=np.array([now, now + 60], dtype=np.int64), period_s=60)
    result = program.evaluate(
        store.columns(program, starts=grid.timestamps), grid=grid, supplied=store.searches(program, grid=grid)
    )
    np.testing.assert_array_equal(result.single, [5, 8])
    assert store.search("{AWS/Bedrock,ModelId}", start_s=now, end_s=now + 120) == (INVOCATIONS, LITE)


def test_given_statistics_answer_for_each_other_where_arithmetic_allows() -> None:
    """Average follows from Sum and SampleCount; a percentile from nothing but itself."""
    store = MetricStore.of(
        [
            (TOTAL, GivenStatistic.of_points([0, 60], [6, 8], stat=Plain.SUM, period_s=60)),
            (TOTAL, GivenStatistic.of_points([0, 60], [3, 2], stat=Plain.SAMPLE_COUNT, period_s=60)),
        ]
    )
    average = MetricQuery(id="m", metric=TOTAL, stat="Average", period_s=60)
    np.testing.assert_array_equal(store.column(average, starts=[0, 60, 120]), [2, 4, np.nan])
    counts = store.sample_counts(average, starts=[0, 60, 120])
    assert counts is not None
    np.testing.assert_array_equal(counts, [3, 2, 0])
    with pytest.raises(InvalidValueError, match="p90 cannot be derived from Sum over 60 s, SampleCount over 60 s"):
        store.column(MetricQuery(id="m", metric=TOTAL, stat="p90", period_s=60), starts=[0])


def test_a_metric_read_in_another_account_finds_the_samples_given_without_one() -> None:
    """A cross-account query reads the same series."""
    store = MetricStore.of([(TOTAL, Samples.of_values([0], [4]))])
    query = MetricQuery(id="m", metric=metric("Invocations", account="111122223333"), stat="Sum", period_s=60)
    np.testing.assert_array_equal(store.column(query, starts=[0]), [4])
