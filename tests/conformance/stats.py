"""Vectors on statistics, on what GetMetricData answers for, and on SEARCH."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from cloudwatch.problems import InvalidValueError
from cloudwatch.retention import DAY_S, retention_s, rounded_start_s
from cloudwatch.search import name_tokens, word_matches
from cloudwatch.series import Samples
from cloudwatch.stat import parse_stat
from cloudwatch.statistics import aggregate
from tests.conformance.registry import Kind, has

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["RUNNERS"]

UNIT_S = {"second": 1, "min": 60, "minute": 60, "hour": 3600, "day": DAY_S, "month": 30 * DAY_S}
PROBES = (
    *("SampleCount", "Average", "Sum", "Minimum", "Maximum", "IQM", "average", "p0", "p99.9", "p100", "p100.0", "p101"),
    *(
        "tm99",
        "TM99",
        "tm(1:2)",
        "TM(:99%)",
        "TM(1%:)",
        "TM(:)",
        "TM()",
        "TM(10:90%)",
        "PR(10:)",
        "PR(:300)",
        "PR(1%:2%)",
    ),
    *(
        "wm98",
        "ts90",
        "tc90",
        "TC(0.005:0.030)",
        "TC(1e3:)",
        "TS(80%:100%)",
        "WM(101%:)",
        "p50.12345678901",
        "P50",
        "",
        "p",
    ),
)


def is_valid(text: str) -> bool:
    """Tell whether a text names a statistic."""
    try:
        parse_stat(text)
    except InvalidValueError:
        return False
    return True


def statistic(stat: str, samples: Samples) -> float:
    """Return one statistic over one slot that holds all samples."""
    return float(aggregate(samples, stat=parse_stat(stat), period_s=60, starts=[0])[0])


def samples_of(vector: Mapping[str, Any]) -> Samples:
    """Return the samples of a vector with `values` (perhaps `counts`) or a `statisticSet`."""
    if "statisticSet" in vector:
        row = {key: [number] for key, number in vector["statisticSet"].items()}
        return Samples.of_sets(
            [0], counts=row["SampleCount"], sums=row["Sum"], minima=row["Minimum"], maxima=row["Maximum"]
        )
    values = vector["values"]
    return Samples.of_values(np.zeros(len(values), dtype=np.int64), values, counts=vector.get("counts"))


def unequal(name: str, expected: object, got: object) -> list[str]:
    """Return the sentence for two things that should be equal, or nothing."""
    return [] if expected == got else [f"{name}: expected {expected}, got {got}"]


def run_validity(vector: Mapping[str, Any]) -> list[str]:
    """`stat` -> `valid`."""
    return unequal(vector["stat"], vector["valid"], is_valid(vector["stat"]))


def run_pattern(vector: Mapping[str, Any]) -> list[str]:
    """`regex` takes what `parse_stat` takes."""
    shipped = re.compile(vector["regex"], re.ASCII)
    return [line for text in PROBES for line in unequal(text, shipped.fullmatch(text) is not None, is_valid(text))]


def run_equivalence(vector: Mapping[str, Any]) -> list[str]:
    """`equivalence`: texts that name one statistic."""
    first, *others = vector["equivalence"]
    return [line for other in others for line in unequal(other, parse_stat(first), parse_stat(other))]


def run_identity(vector: Mapping[str, Any]) -> list[str]:
    """`identity` "A = B op C" of statistics; a bare kind such as TM is tried over several ranges."""
    match = re.fullmatch(r"\s*(\S+)\s*=\s*(\S+)\s*([*/])\s*(\S+)\s*", vector["identity"])
    if match is None:
        return [f"cannot read {vector['identity']!r}"]
    samples = Samples.of_values(np.zeros(40, dtype=np.int64), np.arange(40.0) ** 1.5)
    failures: list[str] = []
    for bounds in ("(10%:90%)", "(:77%)", "(5:100)", "(20:)"):
        left, first, second = (
            statistic(name + bounds if re.fullmatch("TM|TC|TS|WM", name) else name, samples)
            for name in (match[1], match[2], match[4])
        )
        right = first * second if match[3] == "*" else first / second
        if not math.isclose(left, right, rel_tol=1e-9):
            failures.append(f"{bounds}: {left} is not {right}")
    return failures


def run_value(vector: Mapping[str, Any]) -> list[str]:
    """Samples and `stat` -> `expected` value, null for no point."""
    got = statistic(vector["stat"], samples_of(vector))
    expected = math.nan if vector["expected"] is None else float(vector["expected"])
    same = math.isclose(got, expected, rel_tol=1e-6) or (math.isnan(got) and math.isnan(expected))
    return [] if same else [f"{vector['stat']}: expected {vector['expected']}, got {got}"]


def run_available(vector: Mapping[str, Any]) -> list[str]:
    """Samples -> `percentileAvailable`."""
    got = not math.isnan(statistic("p50", samples_of(vector)))
    return unequal("percentile available", vector["percentileAvailable"], got)


def clock_s(text: str) -> int:
    """Return hh:mm[:ss] as seconds of a day far from the epoch, so that every rounding step has its multiple there."""
    hours, minutes, seconds = ([int(part) for part in text.split(":")] + [0])[:3]
    return 20_000 * DAY_S + hours * 3600 + minutes * 60 + seconds


def clock(time_s: int) -> str:
    """Return the time of day of epoch seconds."""
    rest = time_s % DAY_S
    return f"{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"


def span_s(text: str) -> int:
    """Return the seconds of "5 min", "3 hours", "455 days"."""
    match = re.match(r"\s*(\d+)\s*([a-z]+?)s?\b", text)
    assert match is not None
    return int(match[1]) * UNIT_S[match[2]]


def run_rounding(vector: Mapping[str, Any]) -> list[str]:
    """`start` of an age (`<15 days`, `15-63 days`, `>63 days`) -> `roundedTo`."""
    text = vector["startAge"]
    days = [int(number) for number in re.findall(r"\d+", text)]
    below = "<" in text or "less" in text
    age = days[0] - 1 if below else (days[0] + days[1]) // 2 if len(days) > 1 else days[0] + 1
    start = clock_s(vector["start"])
    return unequal("rounded start", vector["roundedTo"], clock(rounded_start_s(start, now_s=start + age * DAY_S)))


def run_period(vector: Mapping[str, Any]) -> list[str]:
    """A high-resolution `period` at `queriedAt` -> `previousPeriod`, or `range` of a `lookback`."""
    now, period = clock_s(vector["queriedAt"]), vector["period"]
    back = span_s(vector["lookback"]) if "lookback" in vector else period
    got = [clock(rounded_start_s(end, now_s=now, period_s=period)) for end in (now - back, now)]
    return unequal("answered range", vector.get("range", vector.get("previousPeriod")), got)


def run_retention(vector: Mapping[str, Any]) -> list[str]:
    """`resolution` -> `retention`."""
    match = re.fullmatch(r"(<?)\s*(\d+)\s*s", vector["resolution"])
    if match is None:
        return [f"cannot read {vector['resolution']!r}"]
    resolution = int(match[2]) - (1 if match[1] else 0)
    return unequal("kept seconds", span_s(vector["retention"]), retention_s(resolution))


def run_tokens(vector: Mapping[str, Any]) -> list[str]:
    """`original` -> `tokens`; the page's table lists the joined name among them, its prose on other characters does not."""
    got, wanted = name_tokens(vector["original"]), sorted(vector["tokens"])
    return [] if wanted == sorted(got[1:]) else unequal("tokens", wanted, sorted(got))


def run_matches(vector: Mapping[str, Any]) -> list[str]:
    """`name` -> search words it `matches` and `notMatches`."""
    return [
        line
        for key, expected in (("matches", True), ("notMatches", False))
        for word in vector.get(key, [])
        for line in unequal(word, expected, word_matches(word, vector["name"]))
    ]


def _has_samples(vector: Mapping[str, Any]) -> bool:
    return "values" in vector or "statisticSet" in vector


RUNNERS = (
    Kind(name="statistic text", claims=has("stat", "valid"), run=run_validity),
    Kind(name="statistic pattern", claims=has("regex"), run=run_pattern),
    Kind(name="equal statistics", claims=has("equivalence"), run=run_equivalence),
    Kind(name="identity of statistics", claims=has("identity"), run=run_identity),
    Kind(
        name="statistic of samples",
        claims=lambda vector: _has_samples(vector) and {"stat", "expected"} <= vector.keys(),
        run=run_value,
    ),
    Kind(
        name="percentiles of samples",
        claims=lambda vector: _has_samples(vector) and "percentileAvailable" in vector,
        run=run_available,
    ),
    Kind(name="rounding of a start", claims=has("startAge", "start", "roundedTo"), run=run_rounding),
    Kind(
        name="high-resolution range",
        claims=lambda vector: (
            {"queriedAt", "period"} <= vector.keys() and not vector.keys().isdisjoint({"range", "previousPeriod"})
        ),
        run=run_period,
    ),
    Kind(name="retention", claims=has("resolution", "retention"), run=run_retention),
    Kind(name="tokens of a name", claims=has("original", "tokens"), run=run_tokens),
    Kind(
        name="search words",
        claims=lambda vector: (
            "name" in vector and any(isinstance(vector.get(key), list) for key in ("matches", "notMatches"))
        ),
        run=run_matches,
    ),
)
