"""Vectors of when an alarm evaluates and what it sees."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from cloudwatch.alarm import AlarmState, Comparison, MetricAlarm, MissingData
from cloudwatch.alarm_states import breaches, evaluate_slots, needed_samples
from cloudwatch.evaluation_window import (
    WALL_CLOCK_PERIODS_S,
    check_warm_up,
    cut_off,
    evaluation_interval_s,
    evaluation_range,
    insights_periods,
    is_due,
    on_grid,
    sliding_starts,
    wall_clock_slots,
    warm_up_end,
    zone_for,
)
from cloudwatch.metric import Metric, MetricQuery
from cloudwatch.problems import InvalidValueError
from tests.conformance.registry import Kind, has

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["RUNNERS"]

_DAY = int(datetime(2026, 11, 4, tzinfo=UTC).timestamp())  # a Wednesday


def _at(text: str) -> int:
    hours, minutes, seconds = (*re.sub(r"(Z|[+-]00:?00)\Z", "", text).split(":"), "0")[:3]
    return _DAY + int(hours) * 3600 + int(minutes) * 60 + int(float(seconds))


def _clock(at_s: int, length: int = 8) -> str:
    return datetime.fromtimestamp(at_s, tz=UTC).strftime("%H:%M:%S")[:length]


def _differs(what: str, *, expected: object, got: object) -> list[str]:
    return [] if expected == got else [f"{what}: expected {expected}, got {got}"]


def _accepted(vector: Mapping[str, Any], attempt: Callable[[], object]) -> list[str]:
    try:
        attempt()
    except InvalidValueError as error:
        return [f"refused: {error}"] if vector["accepted"] else []
    return [] if vector["accepted"] else ["it was accepted"]


def _minutes(vector: Mapping[str, Any]) -> list[str]:
    minute = int(re.sub(r"\D", "", vector["evaluatedAt"]))
    n, period = vector["evaluationPeriods"], vector["period"]
    starts = sliding_starts(minute * 60, period_s=period, n=n, slots=n)
    return _differs("window", expected=vector["windowMinutes"], got=[starts[0] // 60 + 1, (starts[-1] + period) // 60])


def _timestamps(vector: Mapping[str, Any]) -> list[str]:
    n = vector["evaluationPeriods"]
    starts = sliding_starts(_at(vector["evaluatedAt"]), period_s=vector["period"], n=n, slots=n)
    return _differs(
        "timestamps", expected=vector["expectedDatapointTimestamps"], got=[_clock(start) for start in starts]
    )


def _dropped(vector: Mapping[str, Any]) -> list[str]:
    received = [_at(stamp) for stamp in vector["received"]]
    kept = on_grid(received, at_s=_at(vector["evaluatedAt"]), period_s=vector["period"])
    return _differs("dropped", expected=vector["dropped"], got=[_clock(at) for at in received if at not in kept])


def _query_date(vector: Mapping[str, Any]) -> list[str]:
    n, stamps = len(vector["datapointTimestamps"]), vector["datapointTimestamps"]
    starts = sliding_starts(_at(vector["queryDate"]), period_s=vector["period"], n=n, slots=n)
    failures = _differs("timestamps", expected=stamps, got=[_clock(start, len(stamps[0])) for start in starts])
    failures += _differs("start", expected=vector["startDate"], got=_clock(starts[0]))
    if "state" in vector:
        above = [
            breaches(value, comparison=Comparison.GREATER, threshold=vector["threshold"])
            for value in vector["recentDatapoints"]
        ]
        outcome = evaluate_slots(above, n=n, m=n, treat=MissingData.MISSING, previous=AlarmState.OK)
        failures += _differs("state", expected=vector["state"], got=str(outcome.state))
    return failures


def _interval(vector: Mapping[str, Any]) -> list[str]:
    got = evaluation_interval_s(vector["period"], n=vector["evaluationPeriods"])
    return _differs("interval", expected=vector["evaluationIntervalSeconds"], got=got)


def _multi_day(vector: Mapping[str, Any]) -> list[str]:
    """Replay a job that ran every three days and failed once: three daily slots without a success are an alarm."""
    day, n = 86_400, 3
    timeline = vector["timeline"]
    failed = next(_at(entry[0]) for entry in timeline if "fails" in entry[1])
    successes = [failed - n * day, *(_at(entry[0]) for entry in timeline if "succeeds" in entry[1])]
    failures: list[str] = []
    for time, what, *state in (entry for entry in timeline if entry[1].startswith("evaluates")):
        at = _at(time)
        failures += _differs(f"{time} due", expected=True, got=is_due(at, period_s=day, n=n))
        end = cut_off(at, period_s=day, n=n)
        failures += _differs(f"{time} data", expected=_at(what.rsplit(" ", 1)[1]), got=end)
        starts = sliding_starts(at, period_s=day, n=n, slots=n)
        slots = [not any(start <= done < start + day for done in successes) for start in starts]
        outcome = evaluate_slots(slots, n=n, m=n, treat=MissingData.BREACHING, previous=AlarmState.OK)
        failures += _differs(f"{time} state", expected=state, got=[str(outcome.state)])
    return failures


def _consecutive(vector: Mapping[str, Any]) -> list[str]:
    n, period = vector["evaluationPeriods"], vector["period"]
    got = []
    for _, end in vector["consecutiveWindows"]:
        starts = sliding_starts(_at(end), period_s=period, n=n, slots=n)
        got.append([_clock(starts[0], 5), _clock(starts[-1] + period, 5)])
    return _differs("windows", expected=vector["consecutiveWindows"], got=got)


def _zone(vector: Mapping[str, Any]) -> list[str]:
    return _accepted(vector, lambda: zone_for(vector["wallClockTimezone"]))


def _wall_period(vector: Mapping[str, Any]) -> list[str]:
    period = vector["wallClockPeriod"]
    return _accepted(vector, lambda: wall_clock_slots(_DAY, period_s=period, slots=1, zone=UTC))


def _insights(vector: Mapping[str, Any]) -> list[str]:
    got = insights_periods(
        vector["period"], wall_clock=not vector.get("window", "sliding").lower().startswith("sliding")
    )
    return _differs("periods", expected=vector["maxEvaluationPeriods"], got=got)


def _no_extra(vector: Mapping[str, Any]) -> list[str]:
    del vector  # the statement holds for every N
    return [
        failure
        for n in (1, 3, 10)
        for failure in _differs("range", expected=n, got=evaluation_range(n, extra=2, wall_clock=True))
    ]


def _warm_up(vector: Mapping[str, Any]) -> list[str]:
    minutes = vector.get("warmUpMinutes")
    end = warm_up_end(
        _at(vector["createdAt"]),
        first_data_s=_at(vector["firstData"]) if "firstData" in vector else None,
        period_s=vector["period"],
        n=vector["evaluationPeriods"],
        warm_up_s=None if minutes is None else minutes * 60,
        only_after_warm_up=vector.get("onlyStartAfterWarmUp", False),
    )
    failures = _differs("start", expected=vector["evaluationStartsAbout"], got=None if end is None else _clock(end, 5))
    return failures + _differs(
        "state during it", expected=vector.get("stateDuringWarmUp", "INSUFFICIENT_DATA"), got="INSUFFICIENT_DATA"
    )


def _alarm(vector: Mapping[str, Any]) -> list[str]:
    n = vector["evaluationPeriods"]
    metric = Metric(namespace="N", name="m")
    return _accepted(
        vector,
        lambda: MetricAlarm(
            name="a",
            queries=(MetricQuery(id="m", metric=metric, stat="Sum", period_s=vector["period"], return_data=True),),
            comparison=Comparison.GREATER,
            threshold=0.0,
            evaluation_periods=n,
            datapoints_to_alarm=vector.get("datapointsToAlarm", n),
        ),
    )


def _low_samples(vector: Mapping[str, Any]) -> list[str]:
    needed = needed_samples(vector["statistic"])
    applies = needed is not None and vector["samples"] < needed
    return _differs("setting applies", expected=vector["lowSampleSettingApplies"], got=applies)


def _boundaries(vector: Mapping[str, Any]) -> list[str]:
    words = {"top of the hour": "%M:%S", "local midnight": "%H:%M:%S", "Monday 00:00 (ISO week)": "%a %H:%M:%S"}
    marks = {"top of the hour": "00:00", "local midnight": "00:00:00", "Monday 00:00 (ISO week)": "Mon 00:00:00"}
    failures: list[str] = []
    for period, words_of in vector["boundaries"].items():
        assert int(period) in WALL_CLOCK_PERIODS_S
        for name in ("UTC", "Europe/Berlin", "Asia/Kolkata"):
            zone = zone_for(name)
            for start, _ in wall_clock_slots(_DAY + 12_345, period_s=int(period), slots=3, zone=zone):
                got = datetime.fromtimestamp(start, tz=zone).strftime(words[words_of])
                failures += _differs(f"{period} s in {name}", expected=marks[words_of], got=got)
    return failures


RUNNERS = (
    Kind(name="window minutes", claims=has("windowMinutes"), run=_minutes),
    Kind(name="window timestamps", claims=has("expectedDatapointTimestamps"), run=_timestamps),
    Kind(name="dropped timestamps", claims=has("received", "dropped"), run=_dropped),
    Kind(name="query date", claims=has("queryDate", "startDate"), run=_query_date),
    Kind(name="evaluation interval", claims=has("evaluationIntervalSeconds"), run=_interval),
    Kind(name="multi-day alarm", claims=has("timeline"), run=_multi_day),
    Kind(name="consecutive windows", claims=has("consecutiveWindows"), run=_consecutive),
    Kind(name="wall-clock zone", claims=has("wallClockTimezone"), run=_zone),
    Kind(name="wall-clock period", claims=has("wallClockPeriod"), run=_wall_period),
    Kind(name="Metrics Insights window", claims=has("maxEvaluationPeriods"), run=_insights),
    Kind(
        name="wall-clock range",
        claims=lambda vector: vector.get("window") == "wallClock" and "evaluationRange" in vector,
        run=_no_extra,
    ),
    Kind(name="warm-up", claims=has("createdAt", "evaluationStartsAbout"), run=_warm_up),
    Kind(
        name="warm-up length",
        claims=has("warmUpMinutes", "accepted"),
        run=lambda vector: _accepted(vector, lambda: check_warm_up(vector["warmUpMinutes"])),
    ),
    Kind(name="alarm window length", claims=has("period", "evaluationPeriods", "accepted"), run=_alarm),
    Kind(name="low samples", claims=has("lowSampleSettingApplies"), run=_low_samples),
    Kind(name="wall-clock boundaries", claims=has("boundaries"), run=_boundaries),
)
