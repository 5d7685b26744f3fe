"""Where is there a composite over an alarm of another Region or account? What it does and why: docs/checks/composite-other-region.md."""

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
        arns = [(child, child.split(":")) for child in one.children if child.startswith("arn:")]
        homes = [parts[3] for _, parts in arns if len(parts) > 6]
        home = one.subject.region or (homes[0] if homes else None)
        accounts = [parts[4] for _, parts in arns if len(parts) > 6]
        for child, parts in arns:
            if len(parts) < 7 or home is None or "${" in child or "${" in home:
                continue
            start = (one.rule_text or "").find(child)
            span = (start, start + len(child))
            if parts[3] != home:
                message = f"the child is in {parts[3]}, the composite in {home}: PutCompositeAlarm takes children of its own Region only."
                yield one.found(
                    message, path=("AlarmRule",), span=span, hint="Make the composite where its children are."
                )
            elif parts[4] != accounts[0]:
                message = "the children are in two accounts: PutCompositeAlarm takes children of its own account only."
                yield one.found(
                    message, path=("AlarmRule",), span=span, hint="Make the composite where its children are."
                )


CHECK = Check(
    name="composite-other-region",
    severity=Severity.BUG,
    title="A composite over an alarm of another Region or account",
    find=_find,
)
