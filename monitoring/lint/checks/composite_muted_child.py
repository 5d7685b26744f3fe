"""Where is there a page that depends on a muted child? What it does and why: docs/checks/composite-muted-child.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for mute in world.mutes:
        for one in world.composites:
            muted = sorted(mute.targets & one.child_names)
            if muted and one.acts and one.name not in mute.targets:
                message = f"{mute.name[:60]} mutes {muted[0][:60]}, whose state still changes; this composite is not muted and calls all the same."
                hint = f"Add {one.name[:80]} to the targets of the mute rule."
                yield one.found(message, path=("AlarmRule",), hint=hint)


CHECK = Check(
    name="composite-muted-child", severity=Severity.RISK, title="A page that depends on a muted child", find=_find
)
