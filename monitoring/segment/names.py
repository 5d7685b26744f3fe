"""What changes when our alarms live under somebody else's names? Rules of composites and references inside widgets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, assert_never

from cloudwatch.alarm_rule import parse_rule, print_rule
from cloudwatch.rule_nodes import And, AtLeast, Constant, Not, Or, StateIs, referenced_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloudwatch.rule_nodes import Rule

__all__ = ["renamed_references", "renamed_rule"]


def renamed_rule(text: str, *, names: Mapping[str, str]) -> str:
    """Return an AlarmRule whose children carry their new names; names that are not in the map stay."""
    return print_rule(_renamed(parse_rule(text), names))


def renamed_references(value: Any, *, names: Mapping[str, str]) -> Any:
    """Return a JSON value in which every alarm ARN names the renamed alarm."""
    match value:
        case dict():
            return {key: renamed_references(inner, names=names) for key, inner in value.items()}
        case list():
            return [renamed_references(inner, names=names) for inner in value]
        case str() if value.startswith("arn:") and ":alarm:" in value:
            head, _, name = value.partition(":alarm:")
            return f"{head}:alarm:{names.get(name, name)}"
        case _:
            return value


def _renamed(rule: Rule, names: Mapping[str, str]) -> Rule:
    match rule:
        case Constant():
            return rule
        case StateIs():
            return replace(rule, alarm=_name(rule.alarm, names))
        case AtLeast():
            return replace(rule, alarms=tuple(_name(alarm, names) for alarm in rule.alarms))
        case Not():
            return replace(rule, operand=_renamed(rule.operand, names))
        case And() | Or():
            return replace(rule, operands=tuple(_renamed(operand, names) for operand in rule.operands))
        case _:
            assert_never(rule)


def _name(reference: str, names: Mapping[str, str]) -> str:
    name = referenced_name(reference)
    return names.get(name, reference)
