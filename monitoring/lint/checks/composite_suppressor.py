"""Where is there a suppressor without its two periods? What it does and why: docs/checks/composite-suppressor.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    periods = ("ActionsSuppressorWaitPeriod", "ActionsSuppressorExtensionPeriod")
    for one in world.composites:
        has = one.properties.get("ActionsSuppressor") not in (None, "")
        for name in periods:
            there = one.properties.get(name) is not None
            if has and not there:
                message = f"ActionsSuppressor needs {name}: PutCompositeAlarm refuses it without."
                yield one.found(message, path=("ActionsSuppressor",), hint=f"Add {name}, in seconds.")
            elif there and not has:
                message = f"{name} without ActionsSuppressor does nothing: PutCompositeAlarm refuses it."
                yield one.found(message, path=(name,), hint="Add ActionsSuppressor, or remove it.")


CHECK = Check(
    name="composite-suppressor", severity=Severity.BUG, title="A suppressor without its two periods", find=_find
)
