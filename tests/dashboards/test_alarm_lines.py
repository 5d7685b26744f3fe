"""An alarm on a graph: its own expression, period, unit and threshold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cloudwatch.alarm import Comparison, MetricAlarm
from cloudwatch.dashboard.queries import widget_queries
from cloudwatch.dashboard.values import ExpressionRow
from cloudwatch.math.program import compile_queries
from dashboards.alarm_lines import (
    alarm_graphs,
    alarm_rows,
    family,
    shows_alarm,
    threshold_annotation,
    without_healthy_branch,
)
from tests.dashboards.samples import alarms_of, optimized

MODEL = optimized(aliases=8)
ALARMS = alarms_of(MODEL, groups=3)


@pytest.mark.parametrize(
    ("expression", "drawn"),
    [
        pytest.param("IF(a>1, b, 0)", "IF(a>1, b)", id="a healthy zero"),
        pytest.param(
            "IF((a>1) AND (b>(c)), 100*(a/b), 100)", "IF((a>1) AND (b>(c)), 100*(a/b))", id="a healthy hundred"
        ),
        pytest.param("IF(a, SUM([b,c]), -1.5)", "IF(a, SUM([b,c]))", id="commas in an array"),
        pytest.param("IF(a, b, c)", "IF(a, b, c)", id="another series is no healthy number"),
        pytest.param("IF(a, b)", "IF(a, b)", id="nothing to leave out"),
        pytest.param("IF(a, b, 0)+IF(c, d, 0)", "IF(a, b, 0)+IF(c, d, 0)", id="two branches are arithmetic"),
        pytest.param("100*a/b", "100*a/b", id="no branch"),
    ],
)
def test_the_healthy_branch_is_not_drawn(expression: str, drawn: str) -> None:
    """Only a number that stands for "too little to judge" around the whole expression is left out."""
    assert without_healthy_branch(expression) == drawn


def test_the_worst_of_several_judges_each() -> None:
    """Where an alarm takes the worst alias, each alias without enough calls is left out, not drawn as 0."""
    entry = next(iter(family(ALARMS, "latency-objective")))
    assert isinstance(entry.alarm, MetricAlarm)
    queries = entry.alarm.queries
    judged = replace(queries[-1], id="w1", return_data=False)
    worst = replace(queries[-1], expression="MAX([w1,w2])")
    second = replace(judged, id="w2", expression="IF(n1>5, p1, 0)")
    alarm = replace(entry.alarm, queries=(*queries[:-1], judged, second, worst))
    drawn = {
        row.id: row.expression for row in alarm_rows(replace(entry, alarm=alarm)) if isinstance(row, ExpressionRow)
    }
    assert drawn == {"value": "MAX([w1,w2])", "w1": "IF(n1>=20, p1)", "w2": "IF(n1>5, p1)"}


def test_a_threshold_is_drawn_on_the_side_that_breaches() -> None:
    """The label says slug, comparison, unit and policy; below-alarms are shaded below."""
    (entry,) = family(ALARMS, "throttled")
    above = threshold_annotation(entry)
    assert above is not None
    assert (above.value, above.fill) == (5, "above")
    assert above.label == "throttled: ≥ 5 % of attempts throttled, 3 of 15 x 60 s"
    below = threshold_annotation(replace(entry, alarm=replace(entry.alarm, comparison=Comparison.LESS)))
    assert below is not None
    assert below.fill == "below"


def test_a_composite_has_no_line_and_no_rows() -> None:
    """A composite compares nothing."""
    entry = ALARMS.get("slow-decode")
    assert entry is not None
    assert threshold_annotation(entry) is None
    with pytest.raises(TypeError, match="composite"):
        alarm_rows(entry)
    assert family(ALARMS, "slow-decode") == ()


def test_a_ladder_is_one_graph_with_a_line_for_each_step() -> None:
    """Three groups of aliases share a graph, each under its own ids, and the graph computes."""
    steps = family(ALARMS, "decode-rate")
    assert [entry.slug for entry in steps] == ["decode-rate-1", "decode-rate-2", "decode-rate-3"]
    (graph,) = alarm_graphs(steps, region="us-east-1", color="#000000")
    assert all(shows_alarm(graph, entry) for entry in steps)
    queries = widget_queries(graph)
    compile_queries(queries)
    assert [query.id for query in queries if query.return_data] == ["a1value", "a2value", "a3value"]
    assert len(graph.annotations.horizontal) == 1


def test_alarms_with_other_policies_get_other_graphs() -> None:
    """Two thresholds, or two periods, never share a graph: a line would stand over the wrong quantity."""
    (entry,) = family(ALARMS, "throttled")
    other = replace(entry, slug="throttled-2", alarm=replace(entry.alarm, threshold=9))
    assert len(alarm_graphs([entry, other], region="us-east-1", color="#000000")) == 2


def test_a_graph_of_the_same_metrics_over_another_period_does_not_show_the_alarm() -> None:
    """Period and threshold decide, not the name of the metric."""
    (entry,) = family(ALARMS, "throttled")
    (graph,) = alarm_graphs([entry], region="us-east-1", color="#000000")
    assert shows_alarm(graph, entry)
    slower = replace(graph, metrics=tuple(replace(row, period_s=300) for row in graph.metrics))
    assert not shows_alarm(slower, entry)
    assert not shows_alarm(replace(graph, annotations=replace(graph.annotations, horizontal=())), entry)
