"""Why is an alarm in its state, in the words of CloudWatch? StateReason, as far as its wording has been seen.

Seen in the User Guide and in recorded answers: the sentence over datapoints with and without a minimum, missing datapoints
that all were filled, unknown datapoints, creation. A sentence that mixes real and filled points is put together from those
and unverified on AWS. Datapoints are newest first, with day/month/year.
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Final, assert_never

from cloudwatch.alarm import AlarmState, Comparison, MissingData
from cloudwatch.alarm_states import Ruling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloudwatch.alarm import MetricAlarm
    from cloudwatch.alarm_states import Evaluation

__all__ = ["CREATION", "composite_reason", "contributors_reason", "crossing_reason", "metric_reason", "number_text"]

CREATION: Final = "Unchecked: Initial alarm creation"
_LENGTH = 1023  # API, StateReason
_KEPT_CONTRIBUTORS = 100  # UG, Metrics Insights alarms: contributors that are kept


def metric_reason(
    alarm: MetricAlarm,
    evaluation: Evaluation,
    *,
    values: Sequence[float | None],
    breaching: Sequence[bool | None],
    starts: Sequence[int],
    bands: Sequence[tuple[float, float]] | None = None,
    datapoints_said: bool = True,
) -> str:
    """Return the StateReason of an evaluation that set the state.

    Args:
        alarm: The alarm.
        evaluation: What `evaluate_slots` concluded.
        values: The evaluation range, oldest first.
        breaching: Which of them breach.
        starts: When the slots start, seconds since 1970.
        bands: Lower and upper edge for each slot of a band alarm.
        datapoints_said: Whether the alarm was created with DatapointsToAlarm: CloudWatch then writes `k out of the last n`
            and the minimum, else the plain sentence.
    """
    n, m = alarm.evaluation_periods, alarm.datapoints_to_alarm
    in_alarm = evaluation.state is AlarmState.ALARM
    if evaluation.ruling is Ruling.LOW_SAMPLES:
        return "Unchanged: the percentile rests on too few samples."
    if not evaluation.used:
        if alarm.treat_missing_data in {MissingData.MISSING, MissingData.IGNORE}:
            return f"Insufficient Data: {_count(n, 'datapoint')} {_were(n)} unknown."
        return (
            f"Threshold Crossed: no datapoints were received for {_count(n, 'period')} and "
            f"{_filled(n, in_alarm=in_alarm)}."
        )
    shown = [index for index in evaluation.used if breaching[index] is in_alarm]
    crossed = in_alarm if shown else not in_alarm  # points that alone would say otherwise are told as what they are
    shown = shown or list(evaluation.used)
    filled = alarm.treat_missing_data if evaluation.filled else MissingData.IGNORE
    fills = evaluation.filled if filled is (MissingData.BREACHING if in_alarm else MissingData.NOT_BREACHING) else 0
    return crossing_reason(
        points=[(_number(values[index]), starts[index]) for index in reversed(shown)],
        comparison=alarm.comparison,
        threshold=alarm.threshold,
        bands=[bands[index] for index in reversed(shown)] if bands is not None else (),
        crossed=crossed,
        out_of=n if datapoints_said or m < n else None,
        minimum=m if in_alarm or crossed else n - m + 1,
        to_alarm=in_alarm or crossed,
        suffix=f" and {_filled(fills, in_alarm=in_alarm)}" if fills else "",
    )


def crossing_reason(
    *,
    points: Sequence[tuple[float, int]],
    comparison: Comparison,
    threshold: float | None,
    bands: Sequence[tuple[float, float]] = (),
    crossed: bool = True,
    out_of: int | None = None,
    minimum: int = 1,
    to_alarm: bool = True,
    suffix: str = "",
) -> str:
    """Return the sentence that names datapoints: `Threshold Crossed: 1 datapoint [21.5 (...)] was greater than ...`.

    Args:
        points: Value and start of each, newest first.
        comparison: ComparisonOperator.
        threshold: The number compared with; None with a band.
        bands: Lower and upper edge for each point.
        crossed: Whether the points breach (`was`) or do not (`was not`).
        out_of: Say `k out of the last n datapoints` and the minimum; None for the plain sentence.
        minimum: Datapoints that the transition needs.
        to_alarm: Whether that transition is OK -> ALARM or ALARM -> OK.
        suffix: Put after the threshold.
    """
    listed = ", ".join(f"{number_text(value)} ({_stamp(start)})" for value, start in points)
    counted = f"{len(points)} out of the last {out_of} datapoints" if out_of else _count(len(points), "datapoint")
    limit = f"the threshold ({number_text(threshold)})" if threshold is not None else ""
    nor = "" if crossed else "not "
    match comparison:
        case Comparison.GREATER_OR_EQUAL:
            relation = f"greater than or equal to {limit}"
        case Comparison.GREATER:
            relation = f"greater than {limit}"
        case Comparison.LESS:
            relation = f"less than {limit}"
        case Comparison.LESS_OR_EQUAL:
            relation = f"less than or equal to {limit}"
        case Comparison.OUTSIDE_BAND:
            relation = f"less than {_edge(bands, 0)} or {nor}greater than {_edge(bands, 1)}"
        case Comparison.BELOW_BAND:
            relation = f"less than {_edge(bands, 0)}"
        case Comparison.ABOVE_BAND:
            relation = f"greater than {_edge(bands, 1)}"
        case _:
            assert_never(comparison)
    needed = (
        f" (minimum {_count(minimum, 'datapoint')} for {'OK -> ALARM' if to_alarm else 'ALARM -> OK'} transition)"
        if out_of
        else ""
    )
    head = "Thresholds Crossed" if comparison.against_band else "Threshold Crossed"
    verb = f"{_were(len(points))}{'' if crossed else ' not'}"
    return f"{head}: {counted} [{listed}] {verb} {relation}{suffix}{needed}."[:_LENGTH]


def composite_reason(trigger: str, *, state: AlarmState, at_s: int) -> str:
    """Return the StateReason of a composite whose child `trigger` (an ARN, or a name offline) changed to `state`."""
    moment = datetime.fromtimestamp(at_s, tz=UTC)
    weekday = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")[moment.weekday()]
    months = (
        *("January", "February", "March", "April", "May", "June", "July"),
        *("August", "September", "October", "November", "December"),
    )
    date = f"{weekday} {moment.day:02} {months[moment.month - 1]}, {moment.year}"
    return f"{trigger} transitioned to {state} at {date} {moment:%H:%M:%S} UTC"[:_LENGTH]


def contributors_reason(alarming: int, total: int, *, shown: int = _KEPT_CONTRIBUTORS) -> str:
    """Return the StateReason of an alarm over several series (UG, Alarm limits).

    Args:
        alarming: How many are in ALARM.
        total: How many the query returned; not told where more than 100 are in ALARM.
        shown: How many fit into the state reason: 100, or fewer where their data are large.
    """
    counted = str(alarming) if alarming <= shown else f"{min(shown, _KEPT_CONTRIBUTORS)}+"
    among = f" out of {total}" if alarming <= _KEPT_CONTRIBUTORS else ""
    return f"{counted}{among} time series evaluated to ALARM"


def number_text(value: float) -> str:
    """Return a number as CloudWatch writes it: `21.0`, `0.05`, from ten million or below a thousandth on `1.0E7`."""
    magnitude = abs(value)
    if value == 0 or 1e-3 <= magnitude < 1e7:
        plain = format(Decimal(repr(value)), "f")
        return plain if "." in plain else f"{plain}.0"
    if value != value or magnitude == float("inf"):  # noqa: PLR0124 - NaN differs from itself
        return str(value)
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    assert isinstance(exponent, int)
    written = "".join(map(str, digits)).rstrip("0") or "0"
    power = exponent + len(digits) - 1
    return f"{'-' if sign else ''}{written[0]}.{written[1:] or '0'}E{power}"


def _edge(bands: Sequence[tuple[float, float]], side: int) -> str:
    name = "upper" if side else "lower"
    return f"the {name} thresholds [{', '.join(number_text(band[side]) for band in bands)}]"


def _filled(count: int, *, in_alarm: bool) -> str:
    treated = "Breaching" if in_alarm else "NonBreaching"
    return f"{count} missing {'datapoint' if count == 1 else 'datapoints'} {_were(count)} treated as [{treated}]"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun if count == 1 else f'{noun}s'}"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _stamp(start_s: int) -> str:
    return datetime.fromtimestamp(start_s, tz=UTC).strftime("%d/%m/%y %H:%M:%S")


def _number(value: float | None) -> float:
    assert value is not None
    return value
