"""Where is there `notBreaching` where silence is what should be noticed? What it does and why: docs/checks/not-breaching-hides-silence.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.catalogue import known_metric, namespace_called
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        if alarm.missing_data not in {"notBreaching", "ignore"}:
            continue
        result = alarm.result
        if result is None or not result.is_metric:
            continue
        namespace, known = namespace_called(result.namespace), known_metric(result.namespace, result.name)
        if namespace is not None and result.name is not None and known is None and namespace.complete:
            message = f"{result.namespace} has no metric {result.name}; with {alarm.missing_data} this alarm reads OK for ever, and nobody learns that it watches nothing."
            yield alarm.found(
                message, path=("TreatMissingData",), hint="Correct the name; keep `missing` until it has data."
            )
        elif (
            alarm.breaches_below
            and known is not None
            and known.kind in {"count", "tokens"}
            and result.stat in {"Sum", "SampleCount"}
        ):
            message = f"when {known.name} stops there are no points, and with {alarm.missing_data} none breach: the silence that this alarm is for is the one thing it does not see."
            yield alarm.found(message, path=("TreatMissingData",), hint="Write breaching.")


CHECK = Check(
    name="not-breaching-hides-silence",
    severity=Severity.RISK,
    title="`notBreaching` where silence is what should be noticed",
    find=_find,
)
