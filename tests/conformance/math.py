"""Metric math vectors: operators, functions, dates, what an alarm takes, the anomaly band."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from cloudwatch.math.ast import Name, walk
from cloudwatch.math.findings import alarm_findings
from cloudwatch.math.functions import BAND_DEVIATIONS
from cloudwatch.math.parser import parse
from cloudwatch.math.program import Grid, LabelledSeries, Result, compile_queries
from cloudwatch.metric import ExpressionQuery, Metric, MetricQuery
from cloudwatch.problems import InvalidValueError, ProblemSeverity, TextSyntaxError
from cloudwatch.switches import DEFAULT_SWITCHES, Switches, alternatives
from tests.conformance.registry import Kind, has

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloudwatch.math.program import Program

__all__ = ["RUNNERS"]

START_S = 1_711_976_700  # 2024-04-01T13:05:00Z


def program_of(expression: str, *, metrics: list[str], period_s: int = 60) -> Program:
    """Return an expression over metrics of these ids, which is what the list returns."""
    queries = [
        MetricQuery(id=id_, metric=Metric(namespace="N", name=id_), stat="Sum", period_s=period_s) for id_ in metrics
    ]
    return compile_queries([*queries, ExpressionQuery(id="result", expression=expression, return_data=True)])


def names_of(expression: str) -> list[str]:
    """Return the ids that an expression names, sorted; none where it cannot be read."""
    try:
        return sorted({node.id for node in walk(parse(expression)) if isinstance(node, Name)})
    except TextSyntaxError:
        return []


def column(values: list[float | None]) -> np.ndarray:
    """Return a column in which null is a missing point."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def differences(result: Result, expected: list[Any]) -> list[str]:
    """Compare a result with a list of points, or with a list of such lists for an array of series."""
    several = bool(expected) and isinstance(expected[0], list)
    wanted = [column(each) for each in expected] if several else [column(expected)]
    got = [each.values for each in result.series] if several else [result.single]
    if len(got) == len(wanted) and all(
        np.allclose(left, right, rtol=1e-6, atol=1e-12, equal_nan=True) for left, right in zip(got, wanted, strict=True)
    ):
        return []
    return [f"expected {expected}, got {[series.tolist() for series in got]}"]


def evaluated(
    expression: str,
    *,
    series: Mapping[str, Any],
    period_s: int = 60,
    start_s: int = START_S,
    switches: Switches = DEFAULT_SWITCHES,
) -> Result:
    """Evaluate an expression over series that begin at one time; a shorter one has no points at its end."""
    slots = max((len(values) for values in series.values()), default=1)
    columns = {id_: column([*values, *[None] * (slots - len(values))]) for id_, values in series.items()}
    grid = Grid(timestamps=start_s + period_s * np.arange(slots, dtype=np.int64), period_s=period_s)
    return program_of(expression, metrics=list(series), period_s=period_s).evaluate(
        columns, grid=grid, switches=switches
    )


def run_series(vector: Mapping[str, Any]) -> list[str]:
    """`series`, `expression`, perhaps `period` -> `expected` points, series, INVALID, or AMBIGUOUS."""
    expected = vector["expected"]
    if expected == "AMBIGUOUS":
        return [] if is_open(vector) else ["no open choice changes it"]
    if isinstance(expected, str):
        if not expected.startswith("INVALID"):
            return [f"cannot read the expectation {expected!r}"]
        try:
            program_of(vector["expression"], metrics=list(vector["series"]))
        except InvalidValueError:
            return []
        return ["expected to be refused, was accepted"]
    result = evaluated(vector["expression"], series=vector["series"], period_s=vector.get("period", 60))
    return differences(result, expected)


def is_open(vector: Mapping[str, Any]) -> bool:
    """Tell whether the engine holds the outcome for open: a switch changes it, or a finding says that AWS is silent."""
    expression, series = vector["expression"], vector["series"]
    answers = [
        evaluated(expression, series=series, period_s=vector.get("period", 60), switches=switches)
        for switches in (DEFAULT_SWITCHES, *(each for _, each in alternatives(DEFAULT_SWITCHES)))
    ]
    written = {str([each.values.tolist() for each in answer.series]) for answer in answers}
    findings = alarm_findings(program_of(expression, metrics=list(series)))
    return len(written) > 1 or any(finding.code == "math-precedence" for finding in findings)


def run_timestamp(vector: Mapping[str, Any]) -> list[str]:
    """`timestamp`, `expression` -> `expected` value of the slot that begins then."""
    start_s = int(datetime.fromisoformat(vector["timestamp"]).timestamp())
    series = {id_: [1] for id_ in names_of(vector["expression"])}
    return differences(evaluated(vector["expression"], series=series, start_s=start_s), [vector["expected"]])


def run_functions(vector: Mapping[str, Any]) -> list[str]:
    """`expression` "A/B of [points]" -> `expected` by function."""
    match = re.fullmatch(r"([A-Z0-9_/]+) of (\[.*\])", vector["expression"])
    if match is None or set(match[1].split("/")) != set(vector["expected"]):
        return [f"cannot read {vector['expression']!r}"]
    points = [None if each.strip() in {"null", "-"} else float(each) for each in match[2][1:-1].split(",")]
    return [
        f"{function}: {difference}"
        for function, expected in vector["expected"].items()
        for difference in differences(evaluated(f"{function}(m1)", series={"m1": points}), expected)
    ]


def run_alarm(vector: Mapping[str, Any]) -> list[str]:
    """`expression` -> `usableAsAlarmExpression`."""
    expression = vector["expression"]
    try:
        program = program_of(expression, metrics=names_of(expression) or ["m1", "m2"])
        errors = [str(each) for each in alarm_findings(program) if each.severity is ProblemSeverity.ERROR]
    except InvalidValueError as error:
        errors = [str(error)]
    if bool(errors) == vector["usableAsAlarmExpression"]:
        return [f"expected usable: {vector['usableAsAlarmExpression']}, found {errors or 'no error'}"]
    return []


def run_band(vector: Mapping[str, Any]) -> list[str]:
    """`expression` with a band -> number of series, default deviations, which bound LAST is."""
    expression, metrics = vector["expression"], names_of(vector["expression"])
    bounds = {"lower bound": np.array([1.0]), "upper bound": np.array([9.0])}
    supplied = {expression: [LabelledSeries(label=label, values=values) for label, values in bounds.items()]}
    grid = Grid(timestamps=np.array([START_S], dtype=np.int64), period_s=60)
    columns = {id_: np.array([5.0]) for id_ in metrics}
    band = program_of(expression, metrics=metrics).evaluate(columns, grid=grid, supplied=supplied)
    last = program_of(f"LAST({expression})", metrics=metrics).evaluate(columns, grid=grid, supplied=supplied)
    got = {
        "returns": f"TS[] of {len(band.series)}" if band.is_array else "TS",
        "defaultStdDevs": BAND_DEVIATIONS,
        "LAST": next(label for label, values in bounds.items() if np.array_equal(values, last.single)),
    }
    return [f"{key}: expected {vector[key]}, got {value}" for key, value in got.items() if vector[key] != value]


RUNNERS = (
    Kind(name="metric math over series", claims=has("series", "expression", "expected"), run=run_series),
    Kind(name="metric math at a time", claims=has("timestamp", "expression", "expected"), run=run_timestamp),
    Kind(
        name="metric math functions of points",
        claims=lambda vector: (
            "series" not in vector and "expression" in vector and isinstance(vector.get("expected"), dict)
        ),
        run=run_functions,
    ),
    Kind(name="metric math in an alarm", claims=has("expression", "usableAsAlarmExpression"), run=run_alarm),
    Kind(name="anomaly detection band", claims=has("expression", "returns", "LAST"), run=run_band),
)
