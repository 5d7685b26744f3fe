"""What is known of the metric that an alarm or widget names?

Bedrock's own namespaces come from `bedrock.metrics`, with exact dimension sets; the services around it from `neighbours.toml`,
with names only. A namespace that is in neither is not judged.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from bedrock import metrics

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "BEDROCK",
    "KnownMetric",
    "Namespace",
    "is_absent_when_idle",
    "is_rare",
    "known_metric",
    "namespace_called",
    "namespaces",
]

BEDROCK = metrics.NAMESPACE
MANTLE = "AWS/BedrockMantle"

_KINDS = ("count", "ms", "microseconds", "seconds", "percent", "bytes", "level")
_UNITS = {
    "ms": "Milliseconds",
    "microseconds": "Microseconds",
    "seconds": "Seconds",
    "percent": "Percent",
    "bytes": "Bytes",
}
_TIMES = frozenset({"ms", "microseconds", "seconds"})
_COUNT_WORDS = frozenset(
    {"calls", "attempts", "records", "images", "count", "requests", "errors", "events", "executions"}
)
_RARE = ("error", "throttl", "fail", "reject", "dropped", "4xx", "5xx", "timedout", "aborted", "intervened", "delivery")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownMetric:
    """A metric of the catalogue.

    Attributes:
        namespace: Its namespace.
        name: Its name.
        kind: count, tokens, ms, microseconds, seconds, percent, bytes or level.
        dimension_sets: Sets of dimension names of its series; empty where they are not known.
        meaning: One sentence, or empty.
    """

    namespace: str
    name: str
    kind: str
    dimension_sets: tuple[frozenset[str], ...] = ()
    meaning: str = ""

    @property
    def is_time(self) -> bool:
        """Whether it is a duration."""
        return self.kind in _TIMES

    @property
    def unit(self) -> str | None:
        """The CloudWatch unit of its points, None where that is not known."""
        return _UNITS.get(self.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Namespace:
    """A namespace of the catalogue.

    Attributes:
        name: Its name.
        complete: Whether a metric that is not listed is taken for wrong.
        dimensions: Names of dimensions that occur; empty where they are not known.
        metrics: Metrics by name.
    """

    name: str
    complete: bool
    dimensions: frozenset[str]
    metrics: Mapping[str, KnownMetric]


@cache
def namespaces() -> dict[str, Namespace]:
    """Return all namespaces by name."""
    data = tomllib.loads(Path(__file__).with_name("neighbours.toml").read_text(encoding="utf-8"))
    found = {name: _neighbour(name, table) for name, table in data.items() if isinstance(table, dict)}
    for name in metrics.namespaces():
        if name not in found:
            found[name] = _of_bedrock(name)
    return found


def _neighbour(name: str, table: dict[str, list[str]]) -> Namespace:
    known = {
        metric: KnownMetric(namespace=name, name=metric, kind=kind) for kind in _KINDS for metric in table.get(kind, ())
    }
    return Namespace(
        name=name, complete=bool(table["complete"]), dimensions=frozenset(table["dimensions"]), metrics=known
    )


def _of_bedrock(name: str) -> Namespace:
    known = {
        one.name: KnownMetric(
            namespace=name,
            name=one.name,
            kind=_kind(one.unit),
            dimension_sets=one.dimensions,
            meaning=one.meaning,
        )
        for one in metrics.catalogue()
        if one.namespace == name
    }
    dimensions = frozenset().union(*(each for one in known.values() for each in one.dimension_sets))
    return Namespace(name=name, complete=True, dimensions=dimensions, metrics=known)


def _kind(unit: str) -> str:
    if unit in _KINDS:
        return unit
    if "token" in unit:
        return "tokens"
    return "count" if unit in _COUNT_WORDS else {"per cent": "percent"}.get(unit, "level")


def namespace_called(name: str | None) -> Namespace | None:
    """Return a namespace, None where it is not in the catalogue."""
    return namespaces().get(name or "")


def known_metric(namespace: str | None, name: str | None) -> KnownMetric | None:
    """Return a metric, None where it is not in the catalogue."""
    found = namespace_called(namespace)
    return None if found is None else found.metrics.get(name or "")


def is_rare(metric: KnownMetric) -> bool:
    """Whether a healthy service has minutes, or weeks, without a point of a metric: errors, throttles."""
    return metric.kind == "count" and any(word in metric.name.lower() for word in _RARE)


def is_absent_when_idle(metric: KnownMetric) -> bool:
    """Whether a metric has no points while nobody calls: it counts or times calls, and the service does not write zeros."""
    return metric.namespace in _ONLY_WHEN_CALLED and (metric.kind in {"count", "tokens"} or metric.is_time)


_ONLY_WHEN_CALLED = frozenset(
    {
        BEDROCK,
        MANTLE,
        "AWS/Bedrock/Agents",
        "AWS/Bedrock/Guardrails",
        "AWS/Lambda",
        "AWS/States",
        "AWS/SageMaker",
        "AWS/ApplicationELB",
        "AWS/ApiGateway",
        "AWS/DynamoDB",
    }
)
