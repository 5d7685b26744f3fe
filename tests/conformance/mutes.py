"""Vectors of mute rules, log alarms and alarms over several series."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from cloudwatch.alarm import Comparison, MissingData
from cloudwatch.evaluation_window import zone_for
from cloudwatch.multi_series import log_alarm_state, log_query_start, log_result
from cloudwatch.mute_rules import MuteRule, duration_s, mute_windows
from cloudwatch.problems import InvalidValueError
from cloudwatch.state_reasons import contributors_reason
from tests.conformance.registry import Kind, has

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["RUNNERS"]

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def _fits(label: str, *, moment: datetime, opened: date) -> bool:
    """Tell whether a moment is what a vector writes as `1st 07:00`, `Monday 06:00`, `01:00 next day` or a date."""
    words = label.lower().replace("t", " ") if re.match(r"\d{4}-", label) else label.lower()
    time = re.search(r"\d\d:\d\d", words)
    if time is None or moment.strftime("%H:%M") != time.group():
        return False
    ordinal = re.search(r"\b(\d+)(?:st|nd|rd|th)\b", words)
    stamp = re.search(r"\d{4}-\d\d-\d\d", words)
    weekday = next((day for day in _DAYS if day in words or re.search(rf"\b{day[:3]}\b", words)), None)
    later = 1 if "next day" in words else 0
    number = moment.day if weekday is None else (moment.day + 6) // 7  # `4th Sunday` counts Sundays
    return (
        (ordinal is None or number == int(ordinal.group(1)))
        and (stamp is None or moment.date().isoformat() == stamp.group())
        and (weekday is None or _DAYS[moment.weekday()] == weekday)
        and (not later or moment.date() == opened + timedelta(days=1))
    )


def _window(vector: Mapping[str, Any]) -> list[str]:
    rule = MuteRule(
        name="r",
        expression=vector["expression"],
        duration=vector["duration"],
        alarms=("a",),
        timezone=vector.get("timezone", "UTC"),
    )
    start = int(datetime(2024, 1, 1, tzinfo=UTC).timestamp())
    windows = mute_windows(rule, start_s=start, end_s=start + 366 * 86_400)
    if not windows:
        return ["no window in a year"]
    written_in = UTC if any("UTC" in vector[key] for key in ("mutedFrom", "mutedTo")) else zone_for(rule.timezone)
    for edges in windows[:400]:
        opens, closes = (datetime.fromtimestamp(edge, tz=written_in) for edge in edges)
        if opens.utcoffset() != closes.utcoffset():  # the clocks change within it
            continue
        for label, moment in ((vector["mutedFrom"], opens), (vector["mutedTo"], closes)):
            if not _fits(label, moment=moment, opened=opens.date()):
                return [f"expected {label}, got {moment:%A %Y-%m-%d %H:%M}"]
    return []


def _accepted(vector: Mapping[str, Any], attempt: Callable[[], object]) -> list[str]:
    try:
        attempt()
    except InvalidValueError as error:
        return [f"refused: {error}"] if vector["accepted"] else []
    return [] if vector["accepted"] else ["it was accepted"]


def _targets(vector: Mapping[str, Any]) -> list[str]:
    alarms = tuple(f"a{number}" for number in range(vector["targets"]))
    return _accepted(vector, lambda: MuteRule(name="r", expression="cron(0 1 * * *)", duration="PT1H", alarms=alarms))


def _log_range(vector: Mapping[str, Any]) -> list[str]:
    run = datetime.fromisoformat(f"2026-11-04T{vector['runAt']}+00:00")
    start = log_query_start(int(run.timestamp()), start_offset_s=vector["startTimeOffset"])
    got = datetime.fromtimestamp(start, tz=UTC).strftime("%H:%M:%S")
    return [] if got == vector["rangeStart"] else [f"expected {vector['rangeStart']}, got {got}"]


def _aggregation(vector: Mapping[str, Any]) -> list[str]:
    values = [] if vector["result"] == "empty" else vector["result"]
    got = log_result(vector["aggregation"], values)
    expected = None if vector["missing"] else vector.get("expectedValue")
    return [] if got == expected else [f"expected {expected}, got {got}"]


def _log_state(vector: Mapping[str, Any]) -> list[str]:
    got = log_alarm_state(
        vector["results"],
        threshold=vector["threshold"],
        n=vector["n"],
        m=vector["m"],
        comparison=Comparison(vector.get("comparisonOperator", "GreaterThanThreshold")),
        treat=MissingData(vector.get("treatMissingData", "missing")),
    )
    return [] if got == vector["expected"] else [f"expected {vector['expected']}, got {got}"]


def _contributors(vector: Mapping[str, Any]) -> list[str]:
    shown = vector.get("truncatedTo", 100)
    got = contributors_reason(vector["contributorsInAlarm"], vector["timeSeries"], shown=shown)
    return [] if got == vector["stateReason"] else [f"expected {vector['stateReason']!r}, got {got!r}"]


RUNNERS = (
    Kind(name="mute window", claims=has("expression", "duration", "mutedFrom", "mutedTo"), run=_window),
    Kind(name="mute targets", claims=has("targets", "accepted"), run=_targets),
    Kind(
        name="mute duration",
        claims=has("duration", "accepted"),
        run=lambda vector: _accepted(vector, lambda: duration_s(vector["duration"])),
    ),
    Kind(name="log query range", claims=has("startTimeOffset", "runAt", "rangeStart"), run=_log_range),
    Kind(name="log aggregation", claims=has("aggregation", "result", "missing"), run=_aggregation),
    Kind(name="log alarm", claims=has("results", "threshold", "n", "m", "expected"), run=_log_state),
    Kind(name="contributors", claims=has("contributorsInAlarm", "timeSeries", "stateReason"), run=_contributors),
)
