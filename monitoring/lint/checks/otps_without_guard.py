"""Where is there tokens per second without a guard on a missing time to first token? What it does and why: docs/checks/otps-without-guard.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity
from monitoring.lint.math_shapes import denominators, expressions, followed, guards, parts_with

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_FIRST_TOKEN = ("TimeToFirstToken", "TTFT", "FirstChunkLatency")


def _find(world: World) -> Iterator[Found]:
    for queries, entry, tree, at in expressions(world):
        if not entry.returned:
            continue
        for chain, divisor in denominators(tree, queries):
            for _, subtrahend in parts_with(divisor, "-"):
                first = [
                    one for one in queries.metrics_under(followed(subtrahend, queries)) if one.name in _FIRST_TOKEN
                ]
                if not first or first[0].id in guards(tree, queries):
                    continue
                name, id_ = first[0].name, first[0].id
                message = (
                    f"where {name} has no point it counts as 0, so this becomes tokens per whole latency: 200 tokens in 8 s after "
                    "2 s of waiting are 33 per second, and read as 25."
                )
                hint = f"Write IF({id_} > 0, ...) around it, so that the point is missing instead."
                yield at(message, entry.expression_path, span=(chain.start, chain.end), hint=hint)
                break


CHECK = Check(
    name="otps-without-guard",
    severity=Severity.RISK,
    title="Tokens per second without a guard on a missing time to first token",
    find=_find,
)
