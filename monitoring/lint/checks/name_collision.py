"""Where is there two alarms or dashboards of one name? What it does and why: docs/checks/name-collision.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Found, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    taken: dict[tuple[str, str, str, str], str] = {}
    for subject in world.subjects:
        if not subject.named or subject.conditional or subject.kind.value in {"metric filter", "mute rule"}:
            continue
        is_dashboard = subject.kind.value == "dashboard"
        scope = "" if is_dashboard else str(subject.region)
        key = (subject.document.file, "dashboard" if is_dashboard else "alarm", scope, subject.name)
        other = taken.setdefault(key, subject.identity)
        if other != subject.identity:
            message = f"{other[:80]} has the name {subject.name[:80]} too: the second deployment replaces the first, or fails."
            path = ("DashboardName",) if is_dashboard else ("AlarmName",)
            yield Found(
                subject=subject,
                path=path,
                message=message,
                hint="Give each its own name, with the stage or model in it.",
            )


CHECK = Check(name="name-collision", severity=Severity.BUG, title="Two alarms or dashboards of one name", find=_find)
