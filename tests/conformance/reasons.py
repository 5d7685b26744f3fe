"""Vectors of state reasons recorded from AWS."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from cloudwatch.alarm import AlarmState, Comparison, MetricAlarm, MissingData
from cloudwatch.alarm_states import breaches, evaluate_slots
from cloudwatch.metric import Metric, MetricQuery
from cloudwatch.state_reasons import CREATION, crossing_reason, metric_reason
from tests.conformance.registry import Kind, has
from tests.conformance.states import slots_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["RUNNERS"]

_RELATIONS = {
    "greater than or equal to": Comparison.GREATER_OR_EQUAL,
    "greater than": Comparison.GREATER,
    "less than or equal to": Comparison.LESS_OR_EQUAL,
    "less than": Comparison.LESS,
}
_SENTENCE = re.compile(
    r"Threshold Crossed: (?:\d+ out of the last (?P<last>\d+) datapoints|\d+ datapoints?) \[(?P<points>[^\]]*)\] "
    r"(?:was|were)(?P<negated> not)? (?P<relation>[a-z ]+) the threshold \((?P<threshold>[^)]*)\)"
    r"(?: \(minimum (?P<minimum>\d+) datapoints? for (?P<arrow>\w+ -> \w+) transition\))?\.\Z"
)
_STAMP = r"\d\d/\d\d/\d\d \d\d:\d\d:\d\d"


def _relation(text: str) -> Comparison:
    return next((kind for words, kind in _RELATIONS.items() if words in text), Comparison.GREATER)


def _evaluated(vector: Mapping[str, Any]) -> list[str]:
    """Evaluate the given points (or the given slots) and compare state and reason, masking what the recording masks."""
    n = vector["evaluationPeriods"]
    threshold = vector.get("threshold", 0.0)
    comparison = _relation(vector["stateReason"])
    if "datapoints" in vector:
        slots = slots_of(vector["datapoints"])
        values: list[float | None] = [None if slot is None else threshold + slot for slot in slots]
    else:
        given = vector["value"] if isinstance(vector["value"], list) else [vector["value"]]
        values = [float(value) for value in given]
    judged = [
        None if value is None else breaches(value, comparison=comparison, threshold=threshold) for value in values
    ]
    period = vector.get("period", 60)
    query = MetricQuery(
        id="m", metric=Metric(namespace="N", name="m"), stat="Average", period_s=period, return_data=True
    )
    m = vector.get("datapointsToAlarm", n)
    alarm = MetricAlarm(
        name="a",
        queries=(query,),
        comparison=comparison,
        threshold=float(threshold),
        evaluation_periods=n,
        datapoints_to_alarm=m,
        treat_missing_data=MissingData(vector.get("treatMissingData", "missing")),
    )
    outcome = evaluate_slots(judged, n=n, m=m, treat=alarm.treat_missing_data, previous=AlarmState.INSUFFICIENT_DATA)
    starts = [1_790_000_000 + index * period for index in range(len(values))]
    said = "datapointsToAlarm" in vector
    reason = metric_reason(alarm, outcome, values=values, breaching=judged, starts=starts, datapoints_said=said)
    failures = [] if outcome.state == vector["state"] else [f"expected {vector['state']}, got {outcome.state}"]
    expected = vector["stateReason"]
    if "MM/DD/YY" in expected:
        reason = re.sub(_STAMP, "MM/DD/YY HH:MM:SS", reason)
    elif "[" in expected and "datapoints" not in vector:
        reason, expected = re.sub(_STAMP, "", reason), re.sub(_STAMP, "", expected)
    return failures + ([] if reason == expected else [f"expected {expected!r}, got {reason!r}"])


def _creation(vector: Mapping[str, Any]) -> list[str]:
    if vector["event"] != "creation":
        return [f"unknown event {vector['event']}"]
    got = (str(AlarmState.INSUFFICIENT_DATA), CREATION)
    expected = (vector["state"], vector["stateReason"])
    return [] if got == expected else [f"expected {expected}, got {got}"]


def _written(vector: Mapping[str, Any]) -> list[str]:
    """Read the facts out of a recorded sentence and write it again."""
    matched = _SENTENCE.match(vector["stateReason"])
    if matched is None:
        return ["no sentence that the engine writes"]
    points = [
        (float(value), int(datetime.strptime(stamp, "%d/%m/%y %H:%M:%S").replace(tzinfo=UTC).timestamp()))
        for value, stamp in re.findall(rf"(\S+) \(({_STAMP})\)", matched["points"])
    ]
    got = crossing_reason(
        points=points,
        comparison=_RELATIONS[matched["relation"]],
        threshold=float(matched["threshold"]),
        crossed=matched["negated"] is None,
        out_of=int(matched["last"]) if matched["last"] else None,
        minimum=int(matched["minimum"] or 1),
        to_alarm=(matched["arrow"] or "OK -> ALARM").endswith("ALARM"),
    )
    return [] if got == vector["stateReason"] else [f"expected {vector['stateReason']!r}, got {got!r}"]


def _alone(vector: Mapping[str, Any]) -> bool:
    return "stateReason" in vector and not vector.keys() & {"state", "event", "contributorsInAlarm"}


RUNNERS = (
    Kind(
        name="reason of an evaluation",
        claims=lambda vector: has("state", "evaluationPeriods", "stateReason")(vector) and "event" not in vector,
        run=_evaluated,
    ),
    Kind(name="reason of creation", claims=has("event", "stateReason"), run=_creation),
    Kind(name="reason as written", claims=_alone, run=_written),
)
