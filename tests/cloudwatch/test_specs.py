"""The scripts in specs/ hold: each says what is loaded, what is asked, and what must come out.

load ID = POINTS     forgets the ids of the block before when the line before was no load
switch NAME VALUE    sets an open choice for the rest of the script
eval EXPRESSION      metric math over the loaded series, slots of 60 s from 2024-04-01T13:05:00Z
stat STATISTIC       of the samples loaded as m1, all in one minute
expect POINTS        a series; `[POINTS] [POINTS]` an array of series; `nothing` an empty array; _ a missing point
fails TEXT           the error holds this text
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cloudwatch.math.program import Grid, Result
from cloudwatch.problems import InvalidValueError
from cloudwatch.series import Samples, merge_samples
from cloudwatch.stat import parse_stat
from cloudwatch.statistics import aggregate
from cloudwatch.switches import Switches
from tests.conformance.math import START_S, program_of

SCRIPTS = sorted((Path(__file__).parent / "specs").glob("*.txt"))


@dataclass
class Script:
    """The state of a running script."""

    loaded: dict[str, str] = field(default_factory=dict)
    loading: bool = False
    switches: Switches = field(default_factory=Switches)
    outcome: Any = None
    checks: int = 0

    def run(self, line: str) -> None:
        """Run one line."""
        verb, _, rest = line.partition(" ")
        if verb == "load":
            if not self.loading:
                self.loaded = {}
            id_, _, points = rest.partition("=")
            self.loaded[id_.strip()] = points.strip()
        elif verb == "switch":
            name, value = rest.split()
            change: dict[str, Any] = {name: value}
            self.switches = replace(self.switches, **change)
        elif verb in {"eval", "stat"}:
            try:
                self.outcome = self.evaluate(rest) if verb == "eval" else self.statistic(rest)
            except InvalidValueError as error:
                self.outcome = error
        elif verb == "expect":
            self.checks += 1
            assert not isinstance(self.outcome, Exception), self.outcome
            assert printed(self.outcome) == normal(rest)
        else:
            assert verb == "fails", f"unknown verb {verb}"
            self.checks += 1
            assert isinstance(self.outcome, InvalidValueError), printed(self.outcome)
            assert rest in str(self.outcome)
        self.loading = verb == "load"

    def evaluate(self, expression: str) -> Result:
        """Evaluate over the loaded series."""
        columns = {
            id_: np.array([float(each.replace("_", "nan")) for each in points.split()])
            for id_, points in self.loaded.items()
        }
        slots = max(map(len, columns.values()))
        grid = Grid(timestamps=START_S + 60 * np.arange(slots, dtype=np.int64), period_s=60)
        return program_of(expression, metrics=list(columns)).evaluate(columns, grid=grid, switches=self.switches)

    def statistic(self, stat: str) -> Result | np.ndarray:
        """Return the statistic of the samples of m1."""
        parts = [Samples.of_values([], [])]
        for sample in re.findall(r"\{[^}]*\}|\S+", self.loaded["m1"]):
            if sample.startswith("{"):
                count, total, low, high = ([float(each)] for each in sample[1:-1].split())
                parts.append(Samples.of_sets([0], counts=count, sums=total, minima=low, maxima=high))
            else:
                value, _, count_text = sample.partition("*")
                parts.append(Samples.of_values([0], [float(value)], counts=[float(count_text or 1)]))
        samples = merge_samples(parts)
        return aggregate(samples, stat=parse_stat(stat), period_s=60, starts=[0], switches=self.switches)


def run_all(lines: list[str]) -> None:
    """Run the lines of a script from its beginning."""
    state = Script()
    for line in lines:
        state.run(line)


def normal(points: str) -> str:
    """Return expected points with one spelling for each number."""
    return re.sub(r"[^\s\[\]_]+", lambda match: match[0] if match[0] == "nothing" else number(float(match[0])), points)


def number(value: float) -> str:
    """Return a point as text, to ten digits."""
    return "_" if np.isnan(value) else f"{value:.10g}"


def printed(outcome: Result | np.ndarray) -> str:
    """Return what came out in the notation of the scripts."""
    if isinstance(outcome, np.ndarray):
        return " ".join(map(number, outcome))
    if not outcome.is_array:
        return " ".join(map(number, outcome.single))
    return " ".join(f"[{' '.join(map(number, each.values))}]" for each in outcome.series) or "nothing"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_the_script_holds(script: Path) -> None:
    """Every expectation of a script is met, and there is at least one."""
    state = Script()
    for place, line in enumerate(script.read_text(encoding="utf-8").splitlines(), start=1):
        text = " ".join(line.split())
        if text and not text.startswith("#"):
            try:
                state.run(text)
            except AssertionError as error:
                pytest.fail(f"{script.name}:{place}: {text}: {error}")
    assert state.checks


@pytest.mark.parametrize(
    "lines",
    [
        ["load m1 = 1", "eval m1 + 1", "expect 3"],
        ["load m1 = 1", "eval m1 + 1", "fails anything"],
        ["load m1 = 1", "eval m1 + m2", "expect 1"],
        ["load m1 = 1", "eval [m1]", "expect 1"],
        ["load m1 = _", "eval m1", "expect 0"],
        ["load m1 = 1", "eval m1 + m2", "fails something else"],
        ["lead m1 = 1"],
    ],
    ids=" / ".join,
)
def test_a_wrong_script_fails(lines: list[str]) -> None:
    """The runner is able to fail, in each of the ways it checks."""
    with pytest.raises(AssertionError):
        run_all(lines)
