"""The specification scripts of states, composites and actions: what each `load`, `eval` and `expect` says is what the engine gives."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from cloudwatch.alarm import AlarmState, MissingData
from cloudwatch.alarm_rule import evaluate_rule, parse_rule
from cloudwatch.alarm_states import evaluate_slots
from cloudwatch.problems import TextSyntaxError
from cloudwatch.suppression import run_actions

if TYPE_CHECKING:
    from collections.abc import Iterator


class Case(NamedTuple):
    """One `eval` with what was loaded before and what is expected after it."""

    line: int
    load: str
    eval: str
    expect: list[str]


def _cases(name: str) -> Iterator[object]:
    load, case = "", None
    lines = (Path(__file__).parent / "specs" / name).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        word, _, rest = line.partition(" ")
        if word == "load":
            load = rest
        elif word == "eval":
            case = Case(number, load, rest, [])
            yield pytest.param(case, id=f"{number}-{rest}")
        elif word == "expect":
            assert case is not None
            case.expect.append(rest)
        else:
            assert not line or word == "#", f"{name}:{number}: {line}"


@pytest.mark.parametrize("case", list(_cases("states.spec")))
def test_states(case: Case) -> None:
    """M out of N over the loaded slots gives the state, by the rule."""
    m, _, n, treat, *scope = case.eval.split()
    slots = [{"0": False, "X": True, "-": None}[slot] for slot in case.load.split()]
    outcomes = [
        evaluate_slots(
            slots,
            n=int(n),
            m=int(m),
            treat=MissingData(treat),
            previous=previous,
            premature="periods" if scope else "range",
        )
        for previous in AlarmState
    ]
    states = {str(outcome.state) for outcome in outcomes}
    state = states.pop() if len(states) == 1 else "KEEP"
    assert [f"{state} by {outcomes[0].ruling}"] == case.expect


@pytest.mark.parametrize("case", list(_cases("composites.spec")))
def test_composites(case: Case) -> None:
    """A rule over the loaded states gives the composite's state, or is refused."""
    states = {name: AlarmState(state) for name, state in (pair.split("=") for pair in case.load.split())}
    try:
        result = "ALARM" if evaluate_rule(parse_rule(case.eval), states) else "OK"
    except TextSyntaxError:
        result = "SYNTAX_ERROR"
    assert [result] == case.expect


@pytest.mark.parametrize("case", list(_cases("suppression.spec")))
def test_suppression(case: Case) -> None:
    """The loaded changes run these actions, no others, in this order."""
    loaded = dict(pair.split("=") for pair in case.load.split())

    def changes(text: str) -> list[tuple[int, AlarmState]]:
        pairs = (change.split(":") for change in text.split(",") if change)
        return [(int(at), AlarmState(state)) for at, state in pairs]

    log = run_actions(
        changes(loaded["alarm"]),
        until_s=int(case.eval),
        suppressor=changes(loaded["suppressor"]) if "suppressor" in loaded else None,
        wait_s=int(loaded.get("wait", 0)),
        extension_s=int(loaded.get("extension", 0)),
        muted=[
            (int(start), int(end))
            for start, end in (window.split("-") for window in loaded.get("muted", "").split(",") if window)
        ],
    )
    assert ([f"{run.at_s} {run.state} {run.why}" for run in log.runs] or ["nothing"]) == case.expect
