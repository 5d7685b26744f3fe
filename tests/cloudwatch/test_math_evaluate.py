"""Evaluating programs: batches of windows, what callers supply, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from cloudwatch.math.functions import FUNCTIONS, Parameter
from cloudwatch.math.parser import LEVELS
from cloudwatch.math.program import Grid, LabelledSeries, Program, compile_queries
from cloudwatch.metric import ExpressionQuery, Metric, MetricQuery
from cloudwatch.problems import InvalidValueError
from cloudwatch.switches import Switches

IDS = ("m1", "m2", "m3")
ROWS, SLOTS = 4, 5
EXPRESSIONS = (
    *("m1 / (m1 + m2) * 100", "m1 - AVG(m2)", "IF(m1 > 2, m2, m3)", "IF(AVG(m1) > 2, m2, m3)", "TIME_SERIES(3) + m1"),
    *(
        "FILL(m1, REPEAT)",
        "FILL(METRICS(), LINEAR)",
        "FILL([m1, m2], m3)",
        "FILL(m1, AVG(m1))",
        "RATE(m1)",
        "DIFF_TIME(m1)",
    ),
    *(
        "DIFF_TIME(TIME_SERIES(1))",
        "RUNNING_SUM([m1, m2])",
        "STDDEV(METRICS()) + STDDEV(m1)",
        "DATAPOINT_COUNT(METRICS())",
    ),
    *("FIRST(SORT(METRICS(), SUM, DESC))", "LAST(REMOVE_EMPTY(METRICS()))", "AVG(REMOVE_EMPTY(METRICS()))"),
    *("SUM(SLICE(SORT(REMOVE_EMPTY(METRICS()), MAX, ASC), 1))", "m1 / METRIC_COUNT(REMOVE_EMPTY(METRICS()))"),
    *(
        "MINUTE(m1) + HOUR(m2)",
        "SUM(SORT(METRICS() * m1, MIN, DESC, 2))",
        "MAX([m1, m2]) ^ 0.5 - LOG(m3)",
        "-m1 == m2 OR m3",
        "[REMOVE_EMPTY([m1, m2]), m3]",
    ),
)

points = st.one_of(st.just(float("nan")), st.integers(-3, 5).map(float))
columns_of = st.tuples(*(arrays.arrays(np.float64, (ROWS, SLOTS), elements=points) for _ in IDS))


def program(expression: str) -> Program:
    """Return an expression over three metrics of 60 s, and one of 300 s."""
    queries = [MetricQuery(id=id_, metric=Metric(namespace="N", name=id_), stat="Sum", period_s=60) for id_ in IDS]
    queries.append(MetricQuery(id="slow", metric=Metric(namespace="N", name="slow"), stat="Sum", period_s=300))
    return compile_queries([*queries, ExpressionQuery(id="e1", expression=expression, return_data=True)])


PROGRAMS = {expression: program(expression.replace("METRICS()", 'METRICS("m")')) for expression in EXPRESSIONS}
MINUTES = 60 * np.arange(1000, dtype=np.int64)


@given(columns=columns_of, expression=st.sampled_from(EXPRESSIONS))
def test_a_batch_gives_in_each_row_what_the_row_gives_alone(columns: tuple[np.ndarray, ...], expression: str) -> None:
    """Thousands of windows at once are no other answer than one after the other."""
    starts = MINUTES[np.arange(ROWS)[:, None] * 7 + np.arange(SLOTS)]
    given = dict(zip(IDS, columns, strict=True))
    batch = PROGRAMS[expression].evaluate(given, grid=Grid(timestamps=starts, period_s=60))
    for row in range(ROWS):
        alone = PROGRAMS[expression].evaluate(
            {id_: values[row] for id_, values in given.items()}, grid=Grid(timestamps=starts[row], period_s=60)
        )
        for place, series in enumerate(batch.series):
            expected = alone.series[place].values if place < len(alone.series) else np.full(SLOTS, np.nan)
            np.testing.assert_array_equal(series.values[row], expected)


@given(values=arrays.arrays(np.float64, (3, 20), elements=points), expression=st.sampled_from(EXPRESSIONS))
def test_an_elementwise_program_gives_the_same_in_every_window(values: np.ndarray, expression: str) -> None:
    """What callers rely on when they evaluate once over the whole time line."""
    given = dict(zip(IDS, values, strict=True))
    if PROGRAMS[expression].elementwise:
        whole = PROGRAMS[expression].evaluate(given, grid=Grid(timestamps=MINUTES[:20], period_s=60))
        part = PROGRAMS[expression].evaluate(
            {id_: column[6:11] for id_, column in given.items()}, grid=Grid(timestamps=MINUTES[6:11], period_s=60)
        )
        for one, other in zip(part.series, whole.series, strict=True):
            np.testing.assert_array_equal(one.values, other.values[6:11])


@given(columns=columns_of, expression=st.sampled_from(EXPRESSIONS))
def test_results_hold_numbers_and_gaps_only(columns: tuple[np.ndarray, ...], expression: str) -> None:
    """No operator and no function lets an infinity out."""
    grid = Grid(timestamps=np.broadcast_to(MINUTES[:SLOTS], (ROWS, SLOTS)), period_s=60)
    result = PROGRAMS[expression].evaluate(
        {id_: each * 1e308 for id_, each in zip(IDS, np.nan_to_num(columns) / 5, strict=True)}, grid=grid
    )
    assert not any(np.isinf(series.values).any() for series in result.series)


def expressions(kind: str, depth: int) -> st.SearchStrategy[str]:
    """Return well-typed expressions, built from the table of signatures."""
    leaves = {
        "S": st.sampled_from(["0", "2", "0.5", "1e300"]),
        "TS": st.sampled_from(IDS),
        "TS[]": st.sampled_from(['METRICS("m")', "[m1, m3]", 'METRICS("none")']),
        "String": st.sampled_from(["'m'", "'1'"]),
        "Metric": st.sampled_from(IDS),
    }
    if kind not in {"S", "TS", "TS[]"}:
        return leaves.get(kind, st.just(kind))
    if not depth:
        return leaves[kind]
    branches = [
        call(name, signature.parameters, depth=depth - 1)
        for name, function in FUNCTIONS.items()
        if not function.supplied
        for signature in function.signatures
        if signature.result == kind
    ]
    same, scalar = expressions(kind, depth - 1), expressions("S", depth - 1)
    operators = st.sampled_from([*LEVELS, "&&", "||"])
    branches += [
        st.builds("({} {} {})".format, same, operators, scalar),
        st.builds("({} {} {})".format, scalar, operators, same),
        st.builds("-{}".format, same),
    ]
    return st.one_of(leaves[kind], *branches)


def call(name: str, parameters: tuple[Parameter, ...], *, depth: int) -> st.SearchStrategy[str]:
    """Return calls of a function with arguments of the right types, optional ones perhaps left out."""
    required = sum(not parameter.optional for parameter in parameters)
    arguments = [
        st.one_of([expressions(choice, depth) for choice in sorted(parameter.choices)]) for parameter in parameters
    ]
    if name == "IF" and "TS" in parameters[0].choices:
        arguments[0] = expressions("TS", depth)  # of scalars alone it would be a scalar
    return st.integers(required, len(parameters)).flatmap(
        lambda count: st.tuples(*arguments[:count]).map(lambda texts: f"{name}({', '.join(texts)})")
    )


@given(columns=columns_of, expression=st.one_of(expressions("TS", 2), expressions("TS[]", 2)))
def test_every_well_typed_expression_is_evaluated(columns: tuple[np.ndarray, ...], expression: str) -> None:
    """It compiles, gives finite numbers or gaps of the shape of the grid, and the same in a batch as alone."""
    asked = program(expression)
    starts = np.broadcast_to(MINUTES[:SLOTS], (ROWS, SLOTS))
    given = dict(zip((*IDS, "slow"), (*columns, columns[0]), strict=True))
    batch = asked.evaluate(given, grid=Grid(timestamps=starts, period_s=60))
    assert all(series.values.shape == (ROWS, SLOTS) for series in batch.series)
    assert not any(np.isinf(series.values).any() for series in batch.series)
    alone = asked.evaluate(
        {id_: values[1] for id_, values in given.items()}, grid=Grid(timestamps=starts[1], period_s=60)
    )
    for place, series in enumerate(alone.series):
        np.testing.assert_array_equal(batch.series[place].values[1], series.values)


def grid(slots: int = 2) -> Grid:
    """Return minutes from the epoch."""
    return Grid(timestamps=MINUTES[:slots], period_s=60)


def test_a_sorted_array_keeps_the_labels_of_its_series() -> None:
    """In one window each series is known by its name; where rows differ, by its place."""
    sort = program('SORT(METRICS("m"), SUM, DESC)')
    rows = {"m1": [[1.0], [9.0]], "m2": [[5.0], [5.0]], "m3": [[0.0], [0.0]]}
    one = sort.evaluate({id_: np.array(values[0]) for id_, values in rows.items()}, grid=grid(1))
    assert [series.label for series in one.series] == ["m2", "m1", "m3"]
    both = sort.evaluate({id_: np.array(values) for id_, values in rows.items()}, grid=grid(1))
    assert [series.label for series in both.series] == ["0", "1", "m3"]


def test_a_series_from_aws_is_supplied_by_text_or_by_id() -> None:
    """The printed text stands for the call, the id for the whole query."""
    column = {"m1": np.array([1.0, 2.0])}
    quota = program("m1 / SERVICE_QUOTA(m1) * 100")
    assert quota.supplies == ("SERVICE_QUOTA(m1)",)
    supplied = {"SERVICE_QUOTA(m1)": np.array([10.0, np.nan])}
    np.testing.assert_array_equal(quota.evaluate(column, grid=grid(), supplied=supplied).single, [10, np.nan])
    np.testing.assert_array_equal(quota.evaluate(column, grid=grid(), supplied={"e1": np.array([3.0])}).single, [3, 3])
    np.testing.assert_array_equal(quota.evaluate({}, grid=grid(), supplied={"e1": np.array([3.0])}).single, [3, 3])
    with pytest.raises(InvalidValueError, match=r"SERVICE_QUOTA cannot be computed offline: .*'SERVICE_QUOTA\(m1\)'"):
        quota.evaluate(column, grid=grid())


@pytest.mark.parametrize(("switches", "last"), [(Switches(), 9.0), (Switches(band_last="lower"), 1.0)], ids=str)
def test_a_band_is_supplied_as_lower_and_upper(switches: Switches, last: float) -> None:
    """Which bound LAST is depends on the edition of the page."""
    bounds = [LabelledSeries(label="low", values=np.array([1.0])), LabelledSeries(label="high", values=np.array([9.0]))]
    band = program("LAST(ANOMALY_DETECTION_BAND(m1))")
    result = band.evaluate(
        {"m1": np.array([5.0])}, grid=grid(1), supplied={"ANOMALY_DETECTION_BAND(m1)": bounds}, switches=switches
    )
    np.testing.assert_array_equal(result.single, [last])


def test_a_lambda_function_may_give_one_series_or_several() -> None:
    """Its type is known only when it answers."""
    asked = program("SUM(LAMBDA('forecast', m1)) + LAMBDA('other')")
    two = [LabelledSeries(label=str(number), values=np.array([number])) for number in (1.0, 2.0)]
    with pytest.raises(InvalidValueError, match="LAMBDA cannot be computed"):
        asked.evaluate({"m1": np.array([0.0])}, grid=grid(1), supplied={"LAMBDA('forecast', m1)": two})


def test_the_period_of_a_metric_is_its_own() -> None:
    """Not that of the grid."""
    np.testing.assert_array_equal(
        program("slow / PERIOD(slow)").evaluate({"slow": np.array([600.0])}, grid=grid(1)).single, [2]
    )


def test_another_query_than_the_result_can_be_asked_for() -> None:
    """A widget shows several queries of one list."""
    asked = compile_queries(
        [
            MetricQuery(id="m1", metric=Metric(namespace="N", name="m"), stat="Sum", period_s=60, return_data=True),
            ExpressionQuery(id="e1", expression="m1 * 2", return_data=True),
        ]
    )
    column = {"m1": np.array([4.0])}
    np.testing.assert_array_equal(asked.evaluate(column, grid=grid(1), result_id="e1").single, [8])
    np.testing.assert_array_equal(asked.evaluate(column, grid=grid(1), result_id="m1").single, [4])
    with pytest.raises(InvalidValueError, match="say which one"):
        asked.evaluate(column, grid=grid(1))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({}, "No values are given for m1"),
        ({"m1": np.array([1.0])}, r"Values of m1 have the shape \(1,\); the grid has 2 slots"),
        ({"m1": np.array([1.0, np.inf])}, "infinity"),
        ({"m1": np.zeros((3, 2)), "m2": np.zeros((2, 2))}, "Values of m2 have the shape"),
    ],
)
def test_columns_that_do_not_fit_are_refused(columns: dict[str, np.ndarray], message: str) -> None:
    """The message names the metric."""
    asked = program("m1 + m2" if "m2" in columns else "m1")
    with pytest.raises(InvalidValueError, match=message):
        asked.evaluate(columns, grid=grid())


def test_a_grid_ascends() -> None:
    """Slots are oldest first; without slots there is nothing to evaluate."""
    for wrong in ([60, 0], [0, 0], []):
        with pytest.raises(InvalidValueError, match="Grid"):
            Grid(timestamps=np.array(wrong, dtype=np.int64), period_s=60)


def test_several_series_are_not_one() -> None:
    """Who wants one series learns how many there are."""
    result = program("[m1, m2]").evaluate({"m1": np.array([1.0]), "m2": np.array([2.0])}, grid=grid(1))
    with pytest.raises(InvalidValueError, match="gives 2 series"):
        _ = result.single
