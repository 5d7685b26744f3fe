"""Where is there a unit filter under which the metric has no points? What it does and why: docs/checks/wrong-unit.md."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from monitoring.lint.catalogue import known_metric
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_UNITS = [
    *("Seconds", "Microseconds", "Milliseconds", "Percent", "Count", "Count/Second", "None"),
    *(
        f"{size}{kind}{rate}"
        for kind in ("bytes", "bits")
        for size in ("", "Kilo", "Mega", "Giga", "Tera")
        for rate in ("", "/Second")
    ),
]
UNITS = [unit[:1].upper() + unit[1:] for unit in _UNITS]


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        for entry in alarm.queries.metrics:
            if entry.unit is None:
                continue
            known = known_metric(entry.namespace, entry.name)
            if entry.unit not in UNITS:
                close = get_close_matches(entry.unit, UNITS, n=1)
                hint = f"Did you mean {close[0]}?" if close else "Leave the unit out."
                yield alarm.found(
                    f"there is no unit {entry.unit[:40]!r}: PutMetricAlarm refuses it.",
                    path=entry.paths["Unit"],
                    hint=hint,
                )
            elif known is not None and known.unit is not None and known.unit != entry.unit:
                message = f"{known.name} is published in {known.unit}; a filter on {entry.unit} finds no point, and converts nothing."
                yield alarm.found(message, path=entry.paths["Unit"], hint="Leave the unit out.")


CHECK = Check(
    name="wrong-unit", severity=Severity.BUG, title="A unit filter under which the metric has no points", find=_find
)
