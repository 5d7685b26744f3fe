"""Where is there a ModelId that no call has? What it does and why: docs/checks/model-id.md."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bedrock.catalogue import base_id, catalogue
from monitoring.lint.catalogue import BEDROCK, namespaces
from monitoring.lint.finding import Check, Severity
from monitoring.lint.known import text
from monitoring.lint.math_shapes import all_queries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_NOTHING = {"", "undefined", "none", "null", "nan", "model-id", "your-model-id"}
_REGION_PREFIX = re.compile(r"(us|eu|ap|ca|sa|me|af)-[a-z]+-[0-9]\.")
_VERSION = re.compile(r"-v[0-9]+$")
_DATE_AND_VERSION = re.compile(r"(-[0-9]{8})?-v[0-9]+$")


def _find(world: World) -> Iterator[Found]:
    for queries, at in all_queries(world):
        for entry in queries.metrics:
            for position, (name, value) in enumerate(entry.dimensions or ()):
                model = text(value)
                if entry.namespace != BEDROCK or name != "ModelId" or model is None:
                    continue
                wrong = _wrong(model)
                if wrong:
                    message = f"ModelId {model[:80]!r}: {wrong[0]}"
                    yield at(message, entry.dimension_path(position), hint=wrong[1])


def _wrong(model: str) -> tuple[str, str] | None:
    if model.lower() in _NOTHING or "undefined" in model:
        return "a value was not filled in, so no series matches.", "Give the model id or profile id that callers pass."
    if model != model.strip() or (" " in model and model != "Across all model IDs"):
        return "it holds a space, so no series matches.", "Remove the space."
    if model.startswith("arn:"):
        if ":application-inference-profile/" in model:
            short = model.rsplit("/", 1)[-1]
            return "CloudWatch shows the id of an application profile, not its ARN.", f"Write {short[:40]}."
        return None
    bare = model.removesuffix("+latency-optimized")
    if _REGION_PREFIX.match(bare):
        return (
            "profile ids begin with a geography, not with a Region.",
            "Write us., eu., apac. or global., as callers do.",
        )
    if namespaces()[BEDROCK].metrics.get(bare):
        return (
            "this is the name of a metric; '...' repeats all of the row above but its last cells.",
            "Write the row in full.",
        )
    if any(char.isupper() for char in bare):
        return (
            "model ids are lower case, and dimension values are compared exactly.",
            f"Did you mean {model.lower()[:80]}?",
        )
    return _version(bare)


def _version(bare: str) -> tuple[str, str] | None:
    known = {id_ for one in catalogue().entries.values() for id_ in one.ids}
    base = base_id(bare)
    longer = next(
        (
            id_
            for id_ in sorted(known)
            if base in {_VERSION.sub("", id_), _DATE_AND_VERSION.sub("", id_)} and id_ != base
        ),
        None,
    )
    if longer is not None:
        return (
            "the version at its end is missing, so no series matches.",
            f"Did you mean {bare.replace(base, longer)[:80]}:0?",
        )
    if base in known and ":" not in bare and _VERSION.search(base):
        return "callers pass it with :0, and dimension values are compared exactly.", f"Did you mean {bare[:80]}:0?"
    return None


CHECK = Check(name="model-id", severity=Severity.BUG, title="A ModelId that no call has", find=_find)
