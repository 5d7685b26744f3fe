"""Where is there AND and OR without parentheses in a rule? What it does and why: docs/checks/composite-precedence.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.alarm_rule import rule_findings
from cloudwatch.problems import InvalidValueError
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for one in world.composites:
        if one.rule is None or one.rule_text is None:
            continue
        try:
            problems = rule_findings(one.rule_text)
        except InvalidValueError:
            continue
        for problem in problems:
            start = (problem.place.column or 1) - 1
            message = f"{problem.message.rstrip('.')}."
            yield one.found(message, path=("AlarmRule",), span=(start, start + 1), hint=problem.hint)


CHECK = Check(
    name="composite-precedence", severity=Severity.RISK, title="AND and OR without parentheses in a rule", find=_find
)
