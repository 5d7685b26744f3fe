"""Vectors of composite rules, their limits, and action suppression."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, get_args

from cloudwatch.alarm import AlarmState
from cloudwatch.alarm_rule import evaluate_rule, parse_rule
from cloudwatch.composites import Transition, composite_transitions
from cloudwatch.problems import InvalidValueError, TextSyntaxError
from cloudwatch.suppression import ActionLog, HoldKind, run_actions
from tests.conformance.registry import Kind, has

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["RUNNERS"]

_RUN = re.compile(r"(?<!no )\b(ALARM|OK|INSUFFICIENT_DATA) actions run\b")

Precedence = Literal["and_first", "flat"]
Rounding = Literal["ceil", "floor"]


def _states(vector: Mapping[str, Any]) -> dict[str, AlarmState]:
    return {name: AlarmState(state) for name, state in vector.get("states", {}).items()}


def _rule(vector: Mapping[str, Any]) -> list[str]:
    expected = vector["expected"]
    try:
        rule = parse_rule(vector["rule"])
    except TextSyntaxError as error:
        return [] if expected == "SYNTAX_ERROR" else [str(error)]
    if expected == "SYNTAX_ERROR":
        return ["it was accepted"]
    states = _states(vector)
    got = "ALARM" if evaluate_rule(rule, states) else "OK"
    if expected == "AMBIGUOUS":
        readings = {
            evaluate_rule(parse_rule(vector["rule"], precedence=precedence), states, rounding=rounding)
            for precedence in get_args(Precedence)
            for rounding in get_args(Rounding)
        }
        return [] if len(readings) == 2 else [f"every reading gives {got}"]
    return [] if got == expected else [f"expected {expected}, got {got}"]


def _sequence(vector: Mapping[str, Any]) -> list[str]:
    rule = parse_rule(vector["rule"])
    children: dict[str, list[tuple[int, AlarmState]]] = {}
    for step, (child, state, _, _) in enumerate(vector["sequence"], start=1):
        children.setdefault(child, [(0, AlarmState.OK)]).append((step, AlarmState(state)))
    transitions = {change.at_s: change for change in composite_transitions(rule, children, created_s=0)}
    last = transitions.get(0, Transition(at_s=0, state=AlarmState.OK, triggers=()))
    failures: list[str] = []
    for step, (child, _, expected, triggers) in enumerate(vector["sequence"], start=1):
        change = transitions.get(step)
        got = "unchanged" if change is None else str(change.state)
        last = change or last
        if got != expected or list(last.triggers) != triggers:
            failures.append(f"step {step} ({child}): expected {expected} by {triggers}, got {got} by {last.triggers}")
    return failures


def _accepted(vector: Mapping[str, Any], text: str) -> list[str]:
    try:
        parse_rule(text)
    except InvalidValueError as error:
        return [f"refused: {error}"] if vector.get("accepted", True) else []
    return [] if vector.get("accepted", True) else ["it was accepted"]


def _children(vector: Mapping[str, Any]) -> list[str]:
    return _accepted(vector, " OR ".join(f"ALARM(a{number})" for number in range(vector["childAlarms"])))


def _length(vector: Mapping[str, Any]) -> list[str]:
    length = vector["ruleLength"]
    return _accepted(vector, "ALARM(a)".ljust(length) if length >= 8 else "TRUE"[:length])


def _elements(vector: Mapping[str, Any]) -> list[str]:
    count = vector["ruleElements"]
    failures = _accepted(vector, " OR ".join(["TRUE"] * count))
    if "accepted" not in vector:  # the limit itself: one more is refused
        failures += _accepted({"accepted": False}, " OR ".join(["TRUE"] * (count + 1)))
    return failures


def _suppression(vector: Mapping[str, Any]) -> list[str]:
    changes: dict[str, list[tuple[int, AlarmState]]] = {"composite": [], "suppressor": []}
    for time, who, state in vector["events"]:
        changes[who].append((int(time[1:]), AlarmState(state)))
    log = run_actions(
        changes["composite"],
        until_s=1000,
        suppressor=changes["suppressor"],
        wait_s=vector["waitPeriod"],
        extension_s=vector["extensionPeriod"],
    )
    failures = [
        f"{time}: {text}: runs {[(run.at_s, str(run.state)) for run in log.runs]}, holds {log.holds}"
        for time, text in vector["expected"]
        if not _holds(log, time=time, text=text)
    ]
    expected = sum(_RUN.search(text) is not None for _, text in vector["expected"])
    if len(log.runs) != expected:
        failures.append(f"expected {expected} runs, got {len(log.runs)}")
    return failures


def _holds(log: ActionLog, *, time: str, text: str) -> bool:
    start, _, end = time.replace("t", "").partition("-")
    at, until = int(start), int(end or start)
    ran = _RUN.search(text)
    if ran:
        return any(run.at_s == at and run.state == ran.group(1) for run in log.runs)
    good = not any(at <= run.at_s < until or run.at_s == at for run in log.runs)
    for kind in (HoldKind.WAIT, HoldKind.EXTENSION):
        if re.search(rf"{kind} discarded", text):
            good &= any(hold.kind is kind and hold.end_s == at and hold.discarded for hold in log.holds)
        elif kind in text and end:
            good &= any(hold.kind is kind and (hold.start_s, hold.end_s) == (at, until) for hold in log.holds)
    for kind_text, begins, ends in re.findall(r"(WaitPeriod|ExtensionPeriod|new one) t(\d+)-t(\d+)", text):
        kind = HoldKind.EXTENSION if kind_text == "ExtensionPeriod" else HoldKind.WAIT
        wanted = (kind, int(begins), int(ends))
        good &= any((hold.kind, hold.start_s, hold.end_s) == wanted for hold in log.holds)
    if "suppressed" in text:
        good &= any(
            hold.kind is HoldKind.SUPPRESSED and hold.start_s <= at and (hold.end_s is None or hold.end_s >= until)
            for hold in log.holds
        )
    return good


RUNNERS = (
    Kind(name="composite rule", claims=has("rule", "expected"), run=_rule),
    Kind(name="composite sequence", claims=has("rule", "sequence"), run=_sequence),
    Kind(name="composite children", claims=has("childAlarms"), run=_children),
    Kind(name="composite rule length", claims=has("ruleLength"), run=_length),
    Kind(name="composite rule elements", claims=has("ruleElements"), run=_elements),
    Kind(name="action suppression", claims=has("waitPeriod", "extensionPeriod", "events"), run=_suppression),
)
