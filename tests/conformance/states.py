"""Vectors of one evaluation: slots, M of N and TreatMissingData to a state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from cloudwatch.alarm import AlarmState, MissingData
from cloudwatch.alarm_states import evaluate_slots
from tests.conformance.registry import Kind, has

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["RUNNERS", "slots_of"]

_SLOTS = {"0": False, "X": True, "-": None}


def slots_of(text: str) -> list[bool | None]:
    """Return the slots that a vector writes as `0 - X`."""
    return [_SLOTS[slot] for slot in text.split()]


def _outcome(vector: Mapping[str, Any], scope: Literal["range", "periods"]) -> tuple[str, int]:
    slots = slots_of(vector["datapoints"])[-vector.get("evaluationRange", 10**6) :]
    n = vector["evaluationPeriods"]
    found = [
        evaluate_slots(
            slots,
            n=n,
            m=vector.get("datapointsToAlarm", n),
            treat=MissingData(vector["treatMissingData"]),
            previous=previous,
            premature=scope,
        )
        for previous in AlarmState
    ]
    states = {str(one.state) for one in found}
    return (states.pop() if len(states) == 1 else "RETAIN"), found[0].filled


def _run(vector: Mapping[str, Any]) -> list[str]:
    state, filled = _outcome(vector, "range")
    expected = vector["expected"]
    failures = []
    if expected == "AMBIGUOUS":
        if _outcome(vector, "periods")[0] == state:
            failures.append(f"both readings of the premature rule give {state}")
    elif expected == "NOT_ALARM":
        if state == "ALARM":
            failures.append("got ALARM")
    elif state != expected:
        failures.append(f"expected {expected}, got {state}")
    if filled != vector.get("documentedFilledColumn", filled):
        failures.append(f"expected {vector['documentedFilledColumn']} filled points, got {filled}")
    return failures


RUNNERS = (Kind(name="missing data", claims=has("datapoints", "treatMissingData", "expected"), run=_run),)
