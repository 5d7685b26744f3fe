"""Where is there a metric that this model or endpoint cannot have? What it does and why: docs/checks/impossible-metric.md."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from monitoring.lint.catalogue import BEDROCK, MANTLE
from monitoring.lint.finding import Check, Severity
from monitoring.lint.known import text
from monitoring.lint.math_shapes import all_queries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_NO_TEXT = re.compile(r"embed|rerank|titan-image|nova-canvas|nova-reel|stability\.|stable-")
_STREAMING = {"TimeToFirstToken"}
_MANTLE_LACKS = re.compile(r"throttl|latency|firsttoken|ttft|servererror", re.IGNORECASE)


def _find(world: World) -> Iterator[Found]:
    for queries, at in all_queries(world):
        for entry in queries.metrics:
            model = next((text(value) or "" for name, value in entry.dimensions or () if name == "ModelId"), "")
            path = entry.paths["MetricName"]
            if entry.namespace == MANTLE and _MANTLE_LACKS.search(entry.name or ""):
                message = f"{MANTLE} publishes no latency, first token, throttle or server error: {str(entry.name)[:60]} will never have a point."
                yield at(message, path, hint="Measure it in the client, or from its logs.")
            elif entry.namespace == BEDROCK and entry.name in _STREAMING and _NO_TEXT.search(model):
                message = f"{model[:60]} has no streaming call, and {entry.name} counts streaming calls only: there will never be a point."
                yield at(message, path, hint="Watch InvocationLatency.")
            elif entry.namespace == BEDROCK and entry.name == "OutputTokenCount" and "embed" in model:
                message = f"{model[:60]} returns vectors and no tokens: {entry.name} will never have a point."
                yield at(message, path, hint="Watch InputTokenCount or Invocations.")


CHECK = Check(
    name="impossible-metric",
    severity=Severity.BUG,
    title="A metric that this model or endpoint cannot have",
    find=_find,
)
