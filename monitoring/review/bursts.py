"""What does the week's mean hide? Minutes that burst inside quiet hours, and days that were unlike the others.

A minute with a third of its attempts throttled is half a percent of its hour and nothing of its week: bursts are looked for minute
by minute, and told together with what the hour around them shows. Neighbouring minutes are one burst.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bedrock.metrics import BedrockMetric
from monitoring.review.readings import Slots
from monitoring.review.summary import token_quota

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from monitoring.review.readings import Readings
    from monitoring.review.summary import ModelWeek
    from monitoring.review.week import Week

__all__ = ["Burst", "NotableDay", "find_bursts", "notable_days"]

THROTTLED_AT_LEAST = 5
THROTTLED_SHARE = 0.05
TRAFFIC_TIMES = 3.0
TRAFFIC_AT_LEAST = 20
QUOTA_SHARE = 0.9
_JOIN_MINUTES = 3
_FEWEST_DAYS = 4
_DAY_OFF = {"ttft_p90_ms": 0.25, "latency_p90_ms": 0.25, "otps": 0.10, "calls": 0.5, "cost": 0.5}
_DAY_SHARE = {"throttle_share": 0.01, "fallback_share": 0.05}
_DAY_WORDS = {
    "ttft_p90_ms": "time to first token p90",
    "latency_p90_ms": "latency p90",
    "otps": "decode rate",
    "calls": "requests",
    "cost": "cost",
    "throttle_share": "throttled share",
    "fallback_share": "share served standard",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Burst:
    """One burst.

    Attributes:
        kind: `throttled`, `traffic` or `quota`.
        start_s, end_s: First second of its first minute, second after its last.
        peak: Throttled share, requests, or share of the quota in its worst minute.
        around: The same over the whole hour in which it lies: what an hourly graph shows.
        calls: Attempts in it.
    """

    kind: str
    start_s: int
    end_s: int
    peak: float
    around: float
    calls: float

    @property
    def minutes(self) -> int:
        """How many minutes it lasted."""
        return (self.end_s - self.start_s) // 60


@dataclass(frozen=True, slots=True, kw_only=True)
class NotableDay:
    """A day, or several on end, unlike a usual one: which, what of it, its most unusual value, and the usual one."""

    label: str
    name: str
    what: str
    value: float
    usual: float


def find_bursts(readings: Readings, week: Week) -> tuple[Burst, ...]:
    """Return the bursts of a week in order of time; () where single minutes are not known."""
    if not readings.minutes:
        return ()
    minutes = np.array(week.minutes)
    at = Slots(minutes, 60)
    throttled = readings.sums(BedrockMetric.THROTTLES, slots=at)
    attempts = readings.sums(BedrockMetric.INVOCATIONS, slots=at) + throttled
    hour = np.arange(len(minutes)) // 60
    share = np.divide(throttled, attempts, out=np.zeros(len(minutes)), where=attempts > 0)
    hourly = np.bincount(hour, attempts)
    in_hour = np.divide(np.bincount(hour, throttled), hourly, out=np.zeros(len(hourly)), where=hourly > 0)
    found = _grouped(
        "throttled",
        (throttled >= THROTTLED_AT_LEAST) & (share >= THROTTLED_SHARE),
        minutes=minutes,
        value=share,
        around=in_hour[hour],
        calls=attempts,
    )
    usual = _median_around(attempts)
    found += _grouped(
        "traffic",
        (attempts >= TRAFFIC_AT_LEAST) & (attempts >= TRAFFIC_TIMES * usual),
        minutes=minutes,
        value=attempts,
        around=hourly[hour] / 60,
        calls=attempts,
    )
    quota = token_quota(readings.model)
    if quota is not None:
        used = readings.sums(BedrockMetric.TPM_USAGE, slots=at) / quota[1]
        in_hour = (np.bincount(hour, used) / np.bincount(hour))[hour]
        found += _grouped("quota", used >= QUOTA_SHARE, minutes=minutes, value=used, around=in_hour, calls=attempts)
    return tuple(sorted(found, key=lambda burst: (burst.start_s, burst.kind)))


def notable_days(week: ModelWeek, before: ModelWeek | None) -> tuple[NotableDay, ...]:
    """Return the days that differ from a usual one by more than everyday noise; neighbours of one kind are one.

    Usual is the median day of the week before, or of this week where nothing is known of that one. Weekends are quieter
    everywhere, so a day with fewer calls is none; one with more is.
    """
    found: list[NotableDay] = []
    for name, words in _DAY_WORDS.items():
        usual = _usual(name, before) if before is not None else None
        if usual is None:
            usual = _usual(name, week)
        if usual is None:
            continue
        run: list[tuple[str, float]] = []
        for day in (*week.days, None):
            value = None if day is None or not day.calls else getattr(day, name)
            if day is not None and value is not None and _is_off(name, value, usual=usual):
                run.append((day.label, value))
                continue
            if run:
                worst = max(run, key=lambda each: abs(each[1] - usual))[1]
                label = run[0][0] if len(run) == 1 else f"{run[0][0]} to {run[-1][0]}"
                found.append(NotableDay(label=label, name=name, what=words, value=worst, usual=usual))
            run = []
    return tuple(found)


def _usual(name: str, week: ModelWeek) -> float | None:
    values = [value for day in week.days if day.calls and (value := getattr(day, name)) is not None]
    return float(np.median(values)) if len(values) >= _FEWEST_DAYS else None


def _is_off(name: str, value: float, *, usual: float) -> bool:
    if name in _DAY_SHARE:
        return value - usual >= _DAY_SHARE[name]
    if name in {"calls", "cost"}:
        return value > usual * (1 + _DAY_OFF[name])
    return usual > 0 and abs(value / usual - 1) >= _DAY_OFF[name]


def _median_around(values: NDArray[np.float64], *, reach: int = 30) -> NDArray[np.float64]:
    """Return the median of the hour around each minute."""
    padded = np.pad(values, reach, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1)
    return np.asarray(np.median(windows, axis=1), dtype=np.float64)


def _grouped(
    kind: str,
    hit: NDArray[np.bool_],
    *,
    minutes: NDArray[np.int64],
    value: NDArray[np.float64],
    around: NDArray[np.float64],
    calls: NDArray[np.float64],
) -> list[Burst]:
    at = np.flatnonzero(hit)
    if not len(at):
        return []
    cuts = np.flatnonzero(np.diff(at) > _JOIN_MINUTES) + 1
    bursts = []
    for group in np.split(at, cuts):
        first, last = int(group[0]), int(group[-1])
        worst = int(group[np.argmax(value[group])])
        bursts.append(
            Burst(
                kind=kind,
                start_s=int(minutes[first]),
                end_s=int(minutes[last]) + 60,
                peak=float(value[worst]),
                around=float(around[worst]),
                calls=float(calls[first : last + 1].sum()),
            )
        )
    return bursts
