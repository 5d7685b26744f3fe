"""Where is there `breaching` on a metric that is absent while nobody calls? What it does and why: docs/checks/breaching-on-idle.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.catalogue import is_absent_when_idle, is_rare, known_metric
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        if alarm.missing_data != "breaching" or not alarm.breaches_above:
            continue
        for entry in alarm.queries.metrics:
            known = known_metric(entry.namespace, entry.name)
            if known is not None and (is_absent_when_idle(known) or is_rare(known)):
                message = f"{known.name} has no points while nobody calls, and missing points breach here: an idle night pages."
                hint = "Write notBreaching, and watch silence with an alarm of its own where silence matters."
                yield alarm.found(message, path=("TreatMissingData",), hint=hint)
                break


CHECK = Check(
    name="breaching-on-idle",
    severity=Severity.RISK,
    title="`breaching` on a metric that is absent while nobody calls",
    find=_find,
)
