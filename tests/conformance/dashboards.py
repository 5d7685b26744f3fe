"""Replays vectors of dashboard bodies: limits, whole bodies, one widget's errors, dashboard names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloudwatch.dashboard.validate import refusal, validate_body
from cloudwatch.problems import Problem, ProblemSeverity
from tests.conformance.registry import Kind, has

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["RUNNERS"]

_METRIC = ["AWS/Bedrock", "Invocations", "ModelId", "m"]
_ALARM = "arn:aws:cloudwatch:us-east-1:111122223333:alarm:a{}"


def _graph(**changes: Any) -> dict[str, Any]:
    return {"type": "metric", "properties": {"region": "us-east-1", "metrics": [_METRIC], **changes}}


def _body(widget: dict[str, Any] | None = None, **top: Any) -> dict[str, Any]:
    return {"widgets": [widget or _graph()], **top}


def _variable(**changes: Any) -> dict[str, Any]:
    return {"type": "property", "property": "ModelId", "inputType": "input", "id": "model", **changes}


def _choices(count: int) -> dict[str, Any]:
    return _variable(inputType="select", values=[{"value": f"m{index}"} for index in range(count)])


_LIMITS: dict[str, Callable[[int], dict[str, Any]]] = {
    "widgets": lambda n: {"widgets": [_graph()] * n},
    "widget.x": lambda n: _body(_graph() | {"x": n, "y": 0, "width": 1}),
    "widget.width": lambda n: _body(_graph() | {"width": n}),
    "widget.height": lambda n: _body(_graph() | {"height": n}),
    "widget.period": lambda n: _body(_graph(period=n)),
    "metricsPerWidget": lambda n: _body(_graph(metrics=[_METRIC] * n)),
    "alarm.alarms": lambda n: _body({"type": "alarm", "properties": {"alarms": [_ALARM.format(i) for i in range(n)]}}),
    "annotations.alarms": lambda n: _body(
        {
            "type": "metric",
            "properties": {"region": "us-east-1", "annotations": {"alarms": [_ALARM.format(i) for i in range(n)]}},
        }
    ),
    "explorer.metrics": lambda n: _body(
        {
            "type": "explorer",
            "properties": {
                "metrics": [{"metricName": "CPUUtilization", "resourceType": "AWS::EC2::Instance", "stat": "Average"}]
                * n,
                "labels": [{"key": "team"}],
            },
        }
    ),
    "variables": lambda n: _body(variables=[_variable(id=f"v{index}") for index in range(n)]),
    "variable.id.length": lambda n: _body(variables=[_variable(id="v" * n)]),
    "variable.label.length": lambda n: _body(variables=[_variable(label="v" * n)]),
    "variable.values": lambda n: _body(variables=[_choices(n)]),
}


def _errors(problems: tuple[Problem, ...]) -> list[tuple[str, str]]:
    return [(problem.place.path, problem.message) for problem in problems if problem.severity is ProblemSeverity.ERROR]


def _accepted(body: Any, vector: Mapping[str, Any]) -> list[str]:
    errors = _errors(validate_body(body))
    if bool(errors) == vector["accepted"]:
        return [f"accepted should be {vector['accepted']}, errors are {errors}"]
    return []


def _run_limit(vector: Mapping[str, Any]) -> list[str]:
    return _accepted(_LIMITS[vector["limit"]](vector["value"]), vector)


def _run_body(vector: Mapping[str, Any]) -> list[str]:
    return _accepted(vector["body"], vector)


def _run_errors(vector: Mapping[str, Any]) -> list[str]:
    body = vector["body"] if "body" in vector else {"widgets": [vector["widget"]]}
    errors = _errors(validate_body(body))
    expected = [(path, message) for path, message in vector["expectedErrors"]]
    return [] if sorted(errors) == sorted(expected) else [f"expected {expected}, got {errors}"]


def _run_name(vector: Mapping[str, Any]) -> list[str]:
    got = refusal(validate_body(vector.get("body", _body()), vector["dashboardName"]))
    if "accepted" in vector:
        return [] if (got is None) == vector["accepted"] else [f"accepted should be {vector['accepted']}, got {got}"]
    said = dict(zip(("expectedCode", "expectedMessage"), got or (), strict=False))
    return [
        f"{key} should be {vector[key]!r}, got {said.get(key)!r}"
        for key in ("expectedCode", "expectedMessage")
        if key in vector and said.get(key) != vector[key]
    ]


RUNNERS = (
    Kind(name="dashboard limit", claims=lambda vector: vector.get("limit") in _LIMITS, run=_run_limit),
    Kind(
        name="dashboard body",
        claims=lambda vector: has("body", "accepted")(vector) and "dashboardName" not in vector,
        run=_run_body,
    ),
    Kind(name="dashboard errors", claims=has("expectedErrors"), run=_run_errors),
    Kind(name="dashboard name", claims=has("dashboardName"), run=_run_name),
)
