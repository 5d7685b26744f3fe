"""Where is there a namespace that is nearly one of AWS's? What it does and why: docs/checks/unknown-namespace.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.catalogue import namespaces
from monitoring.lint.finding import Check, Severity
from monitoring.lint.math_shapes import all_queries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_ALIASES = {"awsbedrockruntime": "AWS/Bedrock", "awsbedrockinvocation": "AWS/Bedrock", "bedrock": "AWS/Bedrock"}


def _find(world: World) -> Iterator[Found]:
    plain = {_plain(name): name for name in namespaces()}
    for queries, at in all_queries(world):
        for entry in queries.metrics:
            name = entry.namespace
            if name is None or name in namespaces():
                continue
            meant = plain.get(_plain(name)) or (_ALIASES.get(_plain(name)) if "aws" in name.lower() else None)
            if meant:
                message = f"there is no namespace {name[:60]}: it has no metrics, and the alarm or widget stays empty."
                yield at(message, entry.paths["Namespace"], hint=f"Did you mean {meant}?")


def _plain(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())


CHECK = Check(
    name="unknown-namespace", severity=Severity.BUG, title="A namespace that is nearly one of AWS's", find=_find
)
