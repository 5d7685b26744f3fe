"""Where is there a metric that its service does not publish? What it does and why: docs/checks/unknown-metric.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.catalogue import namespace_called
from monitoring.lint.finding import Check, Severity
from monitoring.lint.math_shapes import all_queries
from monitoring.lint.suggest import closest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    for queries, at in all_queries(world):
        for entry in queries.metrics:
            namespace = namespace_called(entry.namespace)
            name = entry.name
            if namespace is None or name is None or name in namespace.metrics:
                continue
            close = closest(name, tuple(namespace.metrics), cutoff=0.75)
            same = close is not None and close.lower() == name.lower()
            ours = namespace.name.startswith("AWS/Bedrock")
            if same or (namespace.complete and (close or ours)):
                message = f"{namespace.name} has no metric {name[:80]}: there will never be a point."
                hint = f"Did you mean {close}?" if close else f"It has {', '.join(sorted(namespace.metrics)[:6])}, ..."
                yield at(message, entry.paths["MetricName"], hint=hint)


CHECK = Check(
    name="unknown-metric", severity=Severity.BUG, title="A metric that its service does not publish", find=_find
)
