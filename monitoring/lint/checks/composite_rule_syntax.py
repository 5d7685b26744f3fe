"""Where is there a rule that no composite alarm takes? What it does and why: docs/checks/composite-rule-syntax.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for one in world.composites:
        if one.mistake is not None:
            wrong = one.mistake
            span = (wrong.start, max(wrong.end, wrong.start + 1))
            message = f"in the rule, {wrong.message[:1].lower()}{wrong.message[1:]}: PutCompositeAlarm refuses it."
            yield one.found(message, path=("AlarmRule",), span=span, hint=wrong.hint)
        elif one.rule_text is None and "AlarmRule" not in one.properties:
            yield one.found("AlarmRule is missing: the deployment fails.", hint='Write AlarmRule: ALARM("name").')


CHECK = Check(
    name="composite-rule-syntax", severity=Severity.BUG, title="A rule that no composite alarm takes", find=_find
)
