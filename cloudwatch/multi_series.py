"""What do alarms over several series answer? Metrics Insights contributors, log alarms, PromQL alarms.

Each series (contributor) has a state of its own, and the alarm is in ALARM if any is.

* Metrics Insights (UG, Metrics Insights alarms): a series that is no longer returned is OK whatever TreatMissingData says;
  a query that returns no series at all is one missing evaluation, filled by TreatMissingData.
* Log alarms (UG, Log alarms; API, PutLogAlarm): M of the last N query results; `count(*)` over nothing is 0, any other
  aggregation over nothing is missing.
* PromQL alarms (UG, PromQL alarms): every returned series breaches; ALARM after PendingPeriod of it without a break, OK
  after RecoveryPeriod without it. They start in OK.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from cloudwatch.alarm import AlarmState, Comparison, MissingData
from cloudwatch.alarm_states import breaches, evaluate_slots
from cloudwatch.problems import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = [
    "VANISHED",
    "insights_state",
    "log_alarm_state",
    "log_query_start",
    "log_result",
    "promql_state",
    "promql_states",
]

VANISHED = "No data was returned for this contributor"
_LONGEST_PERIOD_S = 86_400  # API, PromQLCriteria


def insights_state(
    contributors: Mapping[str, AlarmState],
    *,
    returned: Sequence[str],
    treat: MissingData,
    previous: AlarmState,
) -> AlarmState:
    """Return the state of a Metrics Insights alarm.

    Args:
        contributors: State of each series by its own points (`evaluate_slots`).
        returned: The series that the query returned this time; any other is OK.
        treat: TreatMissingData: decides alone when nothing is returned.
        previous: The alarm's state before.
    """
    if not returned:
        return evaluate_slots([None], n=1, m=1, treat=treat, previous=previous).state
    states = [contributors[name] for name in returned]
    if AlarmState.ALARM in states:
        return AlarmState.ALARM
    unknown = all(state is AlarmState.INSUFFICIENT_DATA for state in states)
    return AlarmState.INSUFFICIENT_DATA if unknown else AlarmState.OK


def log_result(aggregation: str, values: Sequence[float]) -> float | None:
    """Return the result of a log alarm's query: `count(*)`, or `avg`, `sum`, `min`, `max` of a field over its values.

    Grouping and sorting are not looked at. None is a missing result.

    Raises:
        InvalidValueError: The aggregation is none of these.
    """
    name = aggregation.partition("(")[0].strip().lower()
    if name == "count":
        return float(len(values))
    functions: dict[str, Callable[[Sequence[float]], float]] = {"sum": sum, "min": min, "max": max, "avg": fmean}
    if name not in functions:
        raise InvalidValueError(f"Aggregation {aggregation!r}: count(*), avg, sum, min or max of a field")
    return float(functions[name](values)) if values else None


def log_query_start(run_s: int, *, start_offset_s: int) -> int:
    """Return where the range of a scheduled query begins that runs at `run_s` (API, ScheduleConfiguration)."""
    return run_s - start_offset_s


def log_alarm_state(
    results: Sequence[float | None],
    *,
    threshold: float,
    n: int,
    m: int,
    comparison: Comparison = Comparison.GREATER,
    treat: MissingData = MissingData.MISSING,
    previous: AlarmState = AlarmState.INSUFFICIENT_DATA,
) -> AlarmState:
    """Return the state of a log alarm after its newest results, oldest first; the range is the last N, no more.

    With `ignore` only the available results are evaluated, as the guide words it for log alarms.
    """
    judged = [
        None if result is None else breaches(result, comparison=comparison, threshold=threshold)
        for result in results[-n:]
    ]
    padded = [None] * (n - len(judged)) + judged
    if treat is MissingData.IGNORE and any(slot is not None for slot in judged):
        return AlarmState.ALARM if judged.count(True) >= m else AlarmState.OK
    return evaluate_slots(padded, n=n, m=m, treat=treat, previous=previous).state


def promql_states(
    present: Sequence[bool], *, interval_s: int, pending_s: int = 0, recovery_s: int = 0
) -> tuple[AlarmState, ...]:
    """Return the state of one contributor after each evaluation.

    Args:
        present: Whether the query returned the series, one entry an evaluation.
        interval_s: EvaluationInterval.
        pending_s: PendingPeriod, 0 to 86,400: how long it must be returned before ALARM.
        recovery_s: RecoveryPeriod, 0 to 86,400: how long it must be absent before OK.

    Raises:
        InvalidValueError: A period or the interval is out of range.
    """
    if not (0 <= pending_s <= _LONGEST_PERIOD_S and 0 <= recovery_s <= _LONGEST_PERIOD_S):
        raise InvalidValueError(f"PendingPeriod {pending_s} s, RecoveryPeriod {recovery_s} s: 0 to {_LONGEST_PERIOD_S}")
    if interval_s not in {10, 20, 30} and not (interval_s % 60 == 0 and 60 <= interval_s <= 3600):
        raise InvalidValueError(f"EvaluationInterval {interval_s} s: 10, 20, 30 or a multiple of 60 up to 3600")
    state = AlarmState.OK
    states: list[AlarmState] = []
    since = 0  # evaluation at which the run of equal answers began
    for index, there in enumerate(present):
        if index == 0 or there is not present[index - 1]:
            since = index
        lasted = (index - since) * interval_s
        if there and lasted >= pending_s:
            state = AlarmState.ALARM
        elif not there and lasted >= recovery_s:
            state = AlarmState.OK
        states.append(state)
    return tuple(states)


def promql_state(contributors: Sequence[AlarmState]) -> AlarmState:
    """Return the state of a PromQL alarm: ALARM while any contributor is."""
    return AlarmState.ALARM if AlarmState.ALARM in contributors else AlarmState.OK
