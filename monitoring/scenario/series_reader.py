"""Which metrics does a scenario have, and what is known of them? Points of a statistic, or raw values by steps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic_core import ValidationError

from cloudwatch.metric import Metric
from cloudwatch.problems import InvalidValueError
from cloudwatch.series import GivenStatistic, Samples, SampleSource
from cloudwatch.stat import parse_stat, print_stat
from monitoring.scenario.schema import samples_validator
from monitoring.scenario.step_samples import alike, draw
from monitoring.scenario.wording import samples_problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from monitoring.config.source import Path_
    from monitoring.scenario.reader import Reader

__all__ = ["read_series"]


def read_series(reader: Reader) -> list[tuple[Metric, SampleSource]]:
    """Return each series with its samples; what is wrong or probably not meant is kept by the reader."""
    found: list[tuple[Metric, SampleSource]] = []
    lines: dict[Metric, list[tuple[SampleSource, int]]] = {}
    for index, spec in enumerate(reader.data.get("series") or ()):
        path: Path_ = ("series", index)
        namespace, _, name = spec["metric"].partition(" ")
        try:
            metric = Metric(namespace=namespace, name=name, dimensions=tuple((spec.get("dimensions") or {}).items()))
        except InvalidValueError as error:
            reader.problem((*path, "metric"), f"{error}.")
            continue
        if ("values" in spec) == ("samples" in spec):
            reader.problem(path, "a series has either values with a stat, or samples.", "Give one of the two.")
            continue
        source = _given(reader, spec, path) if "values" in spec else _raw(reader, spec, path)
        if source is None:
            continue
        _compare(reader, source, path=path, name=spec["metric"], others=lines.setdefault(metric, []))
        _reach(reader, source, path=path, name=spec["metric"])
        found.append((metric, source))
    return found


def _compare(
    reader: Reader, source: SampleSource, *, path: Path_, name: str, others: list[tuple[SampleSource, int]]
) -> None:
    """Keep a problem where a metric is given in two ways that exclude each other."""
    for other, line in others:
        if isinstance(source, GivenStatistic) and isinstance(other, GivenStatistic):
            if (source.stat, source.period_s) == (other.stat, other.period_s):
                reader.problem(
                    (*path, "metric"),
                    f"line {line} gives the {print_stat(source.stat)} of {name} already.",
                    "Join the two: one series holds all points of a statistic.",
                )
        elif type(source) is not type(other):
            reader.problem(
                (*path, "metric"),
                f"{name} is given as samples and as values of a statistic (line {line}).",
                "Every statistic follows from samples: remove the values.",
            )
    others.append((source, reader.source.place((*path, "metric")).line or 0))


def _reach(reader: Reader, source: SampleSource, *, path: Path_, name: str) -> None:
    """Keep a note where points lie after the end: nobody sees them."""
    after = int(np.count_nonzero(np.unique(source.timestamps) >= reader.start_s + reader.duration_s))
    if after:
        times = f"{after} point lies" if after == 1 else f"{after} points lie"
        reader.note((*path, "metric"), f"{name}: {times} after the end of the scenario.")


def _given(reader: Reader, spec: Mapping[str, Any], path: Path_) -> GivenStatistic | None:
    if "stat" not in spec:
        reader.problem(path, "values without stat: which statistic are they?", "Add for example 'stat: Sum'.")
        return None
    period_s = reader.seconds((*path, "period"), default=60)
    late_s = reader.seconds((*path, "available_after"), default=0)
    begin_s = reader.start_s + reader.seconds((*path, "after"), default=0)
    points = reader.points(spec["values"], (*path, "values"))
    if points is None:
        return None
    try:
        times = begin_s + period_s * np.arange(len(points), dtype=np.int64)
        return GivenStatistic.of_points(
            times, points, stat=parse_stat(spec["stat"]), period_s=period_s, available_at=times + late_s
        )
    except InvalidValueError as error:
        reader.problem((*path, "stat"), f"{error}.")
        return None


def _raw(reader: Reader, spec: Mapping[str, Any], path: Path_) -> Samples | None:
    if "stat" in spec:
        reader.problem((*path, "stat"), "samples are raw values; a stat goes with values.", "Remove stat.")
        return None
    late_s = reader.seconds((*path, "available_after"), default=0)
    after_s = reader.seconds((*path, "after"), default=0)
    lists = _sample_lists(
        reader, spec, (*path, "samples"), room_s=reader.duration_s - after_s, period_path=(*path, "period")
    )
    if lists is None:
        return None
    step_s, values = lists
    counts = [len(step) for step in values]
    times = np.repeat(reader.start_s + after_s + step_s * np.arange(len(values), dtype=np.int64), counts)
    try:
        return Samples.of_values(times, np.concatenate([[], *values]), available_at=times + late_s)
    except (InvalidValueError, ValueError) as error:
        reader.problem((*path, "samples"), f"{error}.")
        return None


def _sample_lists(
    reader: Reader, spec: Mapping[str, Any], path: Path_, *, room_s: int, period_path: Path_
) -> tuple[int, list[Any]] | None:
    given = spec["samples"]
    if isinstance(given, list):
        for index, step in enumerate(given):
            if not isinstance(step, list) or not all(_is_number(value) for value in step):
                reader.problem(
                    (*path, index),
                    "samples are a list of lists of numbers, one list a period.",
                    "Write [[420, 380], [], [415]].",
                )
                return None
        return reader.seconds(period_path, default=60), given
    try:
        samples_validator().validate_python(given)
    except ValidationError as error:
        for one in error.errors(include_url=False):
            reader.problems.append(samples_problem(one, reader.source, path=path))
        return None
    step_s = reader.seconds((*path, "every"), default=60)
    if step_s <= 0:
        reader.problem((*path, "every"), "every has to be longer than 0s.")
        return None
    found = _steps(reader, given, path, room=max(1, math.ceil(room_s / step_s)))
    if found is None:
        return None
    counts, values = found
    try:
        if values:
            return step_s, alike(values, counts=counts)
        return step_s, draw(given["distribution"], counts=counts, seed=given.get("seed", 0))
    except InvalidValueError as error:
        reader.problem((*path, "distribution"), f"{error}.")
        return None


def _steps(reader: Reader, given: Mapping[str, Any], path: Path_, *, room: int) -> tuple[list[int], list[float]] | None:
    """Return how many values each step has and, where they are alike, what each is: NaN for a gap."""
    if ("values" in given) == ("distribution" in given):
        reader.problem(
            path,
            "samples have either values, all of a step alike, or a distribution to draw from.",
            "Give one of the two.",
        )
        return None
    values = reader.points(given["values"], (*path, "values")) if "values" in given else []
    counts = reader.points(given["count"], (*path, "count"))
    if values is None or counts is None:
        return None
    wrong = next((count for count in counts if not (count >= 0 and count == int(count))), None)
    if wrong is not None:
        reader.problem(
            (*path, "count"),
            f"count has {'a gap' if math.isnan(wrong) else f'{wrong:g}'}; a step holds a whole number of values.",
            "0 is none.",
        )
        return None
    steps = given.get("steps", len(values) or (len(counts) if len(counts) > 1 else room))
    if len(counts) == 1:
        counts *= steps
    if len(counts) != steps or (values and len(values) != steps):
        said = f"{len(values)} values, " if values else ""
        reader.problem(path, f"samples have {said}{len(counts)} counts and {steps} steps.", "Each step needs its own.")
        return None
    return [int(count) for count in counts], values


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
