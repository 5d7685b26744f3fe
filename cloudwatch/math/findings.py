"""What in a program can an alarm not use, or should it not?

(User Guide, Using metric math: the notes on alarms; Alarms based on metric math expressions.) An alarm watches one series, so
an array of several is an error, as is SEARCH. The guide advises against what looks at the whole window, because an evaluation
retrieves more points than N, and against FILL on a metric that lags.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.math.ast import Call, Chain, Negative, Node, Sql, walk
from cloudwatch.math.functions import Type
from cloudwatch.math.types import check_types
from cloudwatch.problems import Place, Problem, ProblemSeverity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cloudwatch.math.program import Program

__all__ = ["alarm_findings"]

_SCALAR_REDUCTIONS = frozenset({"AVG", "SUM", "MIN", "MAX", "STDDEV"})
_WINDOWED = {
    "DATAPOINT_COUNT": "counts the points of the evaluation range, which is longer than EvaluationPeriods",
    "REMOVE_EMPTY": "depends on what is empty in the evaluation range, which is longer than EvaluationPeriods",
    "RUNNING_SUM": "begins at the oldest point of the evaluation range, which is longer than EvaluationPeriods",
    "RATE": "is unpredictable on a sparse metric: the points it compares depend on what is there",
}


def alarm_findings(program: Program) -> tuple[Problem, ...]:
    """Return what is wrong (errors) or risky (warnings, notes) about a program as the expression of an alarm.

    The place of a problem has the id of the query as path and the column in its expression.
    """
    found: list[Problem] = []
    result = program.result_id
    if result is not None and program.checked[result].type is Type.ARRAY and not isinstance(program.trees[result], Sql):
        message = f"{result} gives an array of series; an alarm watches one"
        hint = "Combine the series, for example with SUM or FIRST."
        found.append(_problem("alarm-many-series", message, id_=result, node=program.trees[result], hint=hint))
    for id_ in program.needs:
        for node in walk(program.trees[id_]) if id_ in program.trees else ():
            found.extend(_of_node(node, id_=id_, program=program))
    return tuple(found)


def _of_node(node: Node, *, id_: str, program: Program) -> Iterator[Problem]:
    warning, note = ProblemSeverity.WARNING, ProblemSeverity.NOTE
    match node:
        case Call(function="SEARCH"):
            hint = "Name the metrics, or use a Metrics Insights query."
            yield _problem("alarm-search", "An alarm cannot use SEARCH", id_=id_, node=node, hint=hint)
        case Call(function="FILL"):
            message = "FILL in an alarm: when the metric lags, the newest point is always the filler"
            hint = "Alarm on M out of N points, with M below N."
            yield _problem("alarm-fill", message, id_=id_, node=node, severity=warning, hint=hint)
        case Call(function=name) if name in _WINDOWED:
            yield _problem("alarm-window", f"{name} {_WINDOWED[name]}", id_=id_, node=node, severity=warning)
        case Call(function=name, arguments=(argument, *_)) if name in _SCALAR_REDUCTIONS:
            if _type_of(argument, program) is not Type.ARRAY:
                message = f"{name} of one series looks at the whole evaluation range, longer than EvaluationPeriods"
                yield _problem("alarm-window", message, id_=id_, node=node, severity=warning)
        case Negative(operand=Chain(steps=steps) as power) if steps[0].operator == "^" and not _parenthesised(power):
            message = "The order of sign and ^ is not documented; this is read as -(a ^ b)"
            yield _problem("math-precedence", message, id_=id_, node=node, severity=note, hint="Write the parentheses.")
        case Chain(steps=steps) if steps[0].operator == "OR":
            sides = [side for side in (node.first, *(step.operand for step in steps)) if isinstance(side, Chain)]
            if any(side.steps[0].operator == "AND" and not _parenthesised(side) for side in sides):
                message = "The order of AND and OR is not documented; AND is read first"
                hint = "Write the parentheses."
                yield _problem("math-precedence", message, id_=id_, node=node, severity=note, hint=hint)
        case _:
            pass


def _parenthesised(chain: Chain) -> bool:
    return chain.start < chain.first.start


def _type_of(node: Node, program: Program) -> Type:
    return check_types(node, text="", ids=program.checked).type


def _problem(
    code: str,
    message: str,
    *,
    id_: str,
    node: Node,
    severity: ProblemSeverity = ProblemSeverity.ERROR,
    hint: str = "",
) -> Problem:
    return Problem(
        code=code, message=message, severity=severity, place=Place(path=id_, column=node.start + 1), hint=hint
    )
