"""The words of StateReason."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from cloudwatch.alarm import AlarmState, Comparison, MetricAlarm, MissingData
from cloudwatch.alarm_states import evaluate_slots
from cloudwatch.metric import Metric, MetricQuery
from cloudwatch.state_reasons import composite_reason, contributors_reason, crossing_reason, metric_reason, number_text

QUERY = MetricQuery(id="m", metric=Metric(namespace="N", name="m"), stat="Sum", period_s=60, return_data=True)
ALARM = MetricAlarm(
    name="a",
    queries=(QUERY,),
    comparison=Comparison.GREATER,
    threshold=5.0,
    evaluation_periods=3,
    datapoints_to_alarm=2,
)
START = 1_793_527_200  # 2026-11-01 10:00


def _reason(alarm: MetricAlarm, values: list[float | None]) -> str:
    breaching = [None if value is None else value > 5 for value in values]
    outcome = evaluate_slots(
        breaching,
        n=alarm.evaluation_periods,
        m=alarm.datapoints_to_alarm,
        treat=alarm.treat_missing_data,
        previous=AlarmState.OK,
    )
    starts = [START + 60 * index for index in range(len(values))]
    said = alarm.datapoints_to_alarm < alarm.evaluation_periods
    return metric_reason(alarm, outcome, values=values, breaching=breaching, starts=starts, datapoints_said=said)


@pytest.mark.parametrize(
    ("treat", "m", "values", "expected"),
    [
        (
            "missing",
            2,
            [7.0, 1.0, 6.5],
            (
                "Threshold Crossed: 2 out of the last 3 datapoints [6.5 (01/11/26 10:02:00), 7.0 (01/11/26 10:00:00)] were "
                "greater than the threshold (5.0) (minimum 2 datapoints for OK -> ALARM transition)."
            ),
        ),
        (
            "missing",
            2,
            [7.0, 1.0, 2.0],
            (
                "Threshold Crossed: 2 out of the last 3 datapoints [2.0 (01/11/26 10:02:00), 1.0 (01/11/26 10:01:00)] were "
                "not greater than the threshold (5.0) (minimum 2 datapoints for ALARM -> OK transition)."
            ),
        ),
        (
            "missing",
            1,
            [2.0, 1.0, 3.0],
            (
                "Threshold Crossed: 3 out of the last 3 datapoints [3.0 (01/11/26 10:02:00), 1.0 (01/11/26 10:01:00), 2.0 "
                "(01/11/26 10:00:00)] were not greater than the threshold (5.0) (minimum 3 datapoints for ALARM -> OK "
                "transition)."
            ),
        ),
        (
            "missing",
            3,
            [7.0, 6.0, 2.0],
            "Threshold Crossed: 1 datapoint [2.0 (01/11/26 10:02:00)] was not greater than the threshold (5.0).",
        ),
        ("missing", 3, [None, None, None], "Insufficient Data: 3 datapoints were unknown."),
        (
            "notBreaching",
            3,
            [None, None, None],
            (
                "Threshold Crossed: no datapoints were received for 3 periods and 3 missing datapoints were treated as "
                "[NonBreaching]."
            ),
        ),
        (
            "breaching",
            3,
            [7.0, None, None],
            (
                "Threshold Crossed: 1 datapoint [7.0 (01/11/26 10:00:00)] was greater than the threshold (5.0) and 2 missing "
                "datapoints were treated as [Breaching]."
            ),
        ),
        (
            "breaching",
            2,
            [1.0, None, None],
            (
                "Threshold Crossed: 1 out of the last 3 datapoints [1.0 (01/11/26 10:00:00)] was not greater than the "
                "threshold (5.0) and 2 missing datapoints were treated as [Breaching] (minimum 2 datapoints for OK -> ALARM "
                "transition)."
            ),
        ),
    ],
)
def test_a_reason_names_points_threshold_and_what_was_filled(
    treat: str, m: int, values: list[float | None], expected: str
) -> None:
    """Newest first, breaching points in ALARM and healthy ones in OK."""
    alarm = replace(ALARM, treat_missing_data=MissingData(treat), datapoints_to_alarm=m)
    assert _reason(alarm, values) == expected


def test_an_alarm_with_datapoints_to_alarm_says_so_for_n_of_n_too() -> None:
    """As recorded: `1 out of the last 1 datapoints ... (minimum 1 datapoint for OK -> ALARM transition)`."""
    alarm = replace(ALARM, evaluation_periods=1, datapoints_to_alarm=1)
    outcome = evaluate_slots([True], n=1, m=1, treat=MissingData.MISSING, previous=AlarmState.OK)
    reason = metric_reason(alarm, outcome, values=[7.0], breaching=[True], starts=[START])
    assert reason == (
        "Threshold Crossed: 1 out of the last 1 datapoints [7.0 (01/11/26 10:00:00)] was greater than the threshold (5.0) "
        "(minimum 1 datapoint for OK -> ALARM transition)."
    )


def test_a_band_alarm_names_the_edges() -> None:
    """Thresholds in the plural, one edge a point."""
    text = crossing_reason(
        points=[(75.0, START)], comparison=Comparison.OUTSIDE_BAND, threshold=None, bands=[(1.5, 50.0)], out_of=1
    )
    assert text == (
        "Thresholds Crossed: 1 out of the last 1 datapoints [75.0 (01/11/26 10:00:00)] was less than the lower thresholds "
        "[1.5] or greater than the upper thresholds [50.0] (minimum 1 datapoint for OK -> ALARM transition)."
    )


def test_a_point_inside_the_band_is_on_neither_side() -> None:
    """Both edges are denied."""
    text = crossing_reason(
        points=[(2.0, START)], comparison=Comparison.OUTSIDE_BAND, threshold=None, bands=[(1.5, 5.0)], crossed=False
    )
    assert "was not less than the lower thresholds [1.5] or not greater than the upper thresholds [5.0]" in text


def test_a_long_reason_is_cut_at_1023_characters() -> None:
    """The limit of the API."""
    text = crossing_reason(points=[(1.0, START)] * 100, comparison=Comparison.LESS, threshold=2.0)
    assert len(text) == 1023


def test_a_composite_names_the_child_and_the_moment() -> None:
    """In the wording of AWS."""
    assert composite_reason("a", state=AlarmState.ALARM, at_s=START) == (
        "a transitioned to ALARM at Sunday 01 November, 2026 10:00:00 UTC"
    )


@pytest.mark.parametrize(
    ("alarming", "shown", "text"),
    [
        (95, 100, "95 out of 150 time series evaluated to ALARM"),
        (105, 100, "100+ time series evaluated to ALARM"),
        (95, 85, "85+ out of 150 time series evaluated to ALARM"),
        (105, 85, "85+ time series evaluated to ALARM"),
    ],
)
def test_contributors_are_counted_up_to_what_is_kept(alarming: int, shown: int, text: str) -> None:
    """The four examples of the guide: beyond 100 the total is not told, beyond what fits the count is open."""
    assert contributors_reason(alarming, 150, shown=shown) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5.0, "5.0"),
        (0.05, "0.05"),
        (1e7, "1.0E7"),
        (-0.00012, "-1.2E-4"),
        (9_999_999.5, "9999999.5"),
        (math.inf, "inf"),
    ],
)
def test_numbers_are_written_as_aws_writes_them(value: float, text: str) -> None:
    """A decimal point always, an exponent for the very large and very small."""
    assert number_text(value) == text
