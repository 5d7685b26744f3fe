"""Where is there dimensions under which the metric has no series? What it does and why: docs/checks/unknown-dimension.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.catalogue import known_metric, namespace_called
from monitoring.lint.finding import Check, Severity
from monitoring.lint.math_shapes import all_queries
from monitoring.lint.suggest import closest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.catalogue import KnownMetric
    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_TOGETHER = {
    "AWS/ApplicationELB": ("TargetGroup", "LoadBalancer"),
    "AWS/NetworkELB": ("TargetGroup", "LoadBalancer"),
    "AWS/ECS": ("ServiceName", "ClusterName"),
}
_ALONE = {"RequestCountPerTarget"}
# Namespaces whose series all carry dimensions: a metric named without any is the sum of nothing.
_NEVER_BARE = {
    *(
        "AWS/ApplicationELB",
        "AWS/NetworkELB",
        "AWS/ApiGateway",
        "AWS/SQS",
        "AWS/ES",
        "AWS/CloudFront",
        "AWS/NATGateway",
    ),
    *("AWS/Kinesis", "AWS/ECS", "AWS/SageMaker"),
}


def _find(world: World) -> Iterator[Found]:
    for queries, at in all_queries(world):
        for entry in queries.metrics:
            namespace = namespace_called(entry.namespace)
            if namespace is None or entry.dimensions is None or not namespace.dimensions:
                continue
            names = frozenset(name for name, _ in entry.dimensions)
            unknown = sorted(names - namespace.dimensions)
            known = known_metric(entry.namespace, entry.name)
            one, other = _TOGETHER.get(namespace.name, ("", ""))
            ours = namespace.name.startswith("AWS/Bedrock")
            place = entry.paths["Dimensions"]
            if unknown:
                close = closest(unknown[0], tuple(sorted(namespace.dimensions)), cutoff=0.7)
                if close or ours:
                    message = f"{namespace.name} has no dimension {unknown[0][:80]}: no series matches, and there will never be a point."
                    yield at(message, place, hint=f"Did you mean {close}?" if close else _sets(known))
            elif not names and namespace.name in _NEVER_BARE and known is not None:
                few = " and ".join(sorted(namespace.dimensions)[:3])
                message = f"{namespace.name} has no series without dimensions: {known.name} alone is not the total, it is empty."
                yield at(message, place, hint=f"Give the dimensions; among them are {few}.")
            elif one in names and other not in names and entry.name not in _ALONE:
                message = f"{namespace.name} has no series under {one} alone: it always comes with {other}."
                yield at(message, place, hint=f"Add the dimension {other}.")
            elif known is not None and known.dimension_sets and names not in known.dimension_sets:
                written = ", ".join(sorted(names)) or "no dimension"
                message = f"{known.name} has no series under {written}: a metric is found by all of its dimensions, not by some."
                yield at(message, place, hint=_sets(known))


def _sets(known: KnownMetric | None) -> str:
    sets = [] if known is None else [" and ".join(sorted(one)) or "none" for one in known.dimension_sets]
    return f"It is published under {'; or '.join(sets)}." if sets else "See the service's monitoring page."


CHECK = Check(
    name="unknown-dimension", severity=Severity.BUG, title="Dimensions under which the metric has no series", find=_find
)
