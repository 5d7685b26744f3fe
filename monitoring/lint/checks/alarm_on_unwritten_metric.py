"""Where is there an alarm on a metric that no filter writes? What it does and why: docs/checks/alarm-on-unwritten-metric.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity
from monitoring.lint.suggest import closest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    by_namespace: dict[str, set[str]] = {}
    for namespace, name in world.written:
        by_namespace.setdefault(namespace, set()).add(name)
    for alarm in world.alarms:
        for entry in alarm.queries.metrics:
            names = by_namespace.get(entry.namespace or "")
            if not names or entry.name is None or "${" in "".join(names):
                continue
            if entry.name not in names:
                close = closest(entry.name, tuple(sorted(names)[:100]))
                written = close or ", ".join(sorted(names)[:5])
                message = f"the metric filters of {entry.namespace} write {written}, none writes {entry.name[:80]}: there will never be a point, unless something else publishes it."
                hint = f"Did you mean {close}?" if close else "Correct the name here or in the filter."
                yield alarm.found(message, path=entry.paths["MetricName"], hint=hint)
            elif entry.dimensions is not None:
                sets = world.written[str(entry.namespace), entry.name]
                asked = tuple(sorted(name for name, _ in entry.dimensions))
                if asked not in sets:
                    forms = " or ".join(", ".join(one) or "no dimension" for one in sorted(sets))
                    message = f"the filter writes {entry.name[:80]} under {forms}, this asks for {', '.join(asked) or 'none'}: no series matches."
                    yield alarm.found(
                        message, path=entry.paths["Dimensions"], hint="Give the same dimensions here and in the filter."
                    )


CHECK = Check(
    name="alarm-on-unwritten-metric",
    severity=Severity.BUG,
    title="An alarm on a metric that no filter writes",
    find=_find,
)
