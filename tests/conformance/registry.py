"""Which runner replays a conformance vector?

A vector is a JSON object: an `id`, a `source`, a `basis`, and keys that say what goes in and what must come out. Its kind is
found from those other keys alone. Each topic is a module of this package with a tuple `RUNNERS` of `Kind`; modules are
found by themselves, so a new topic is a new file. A vector that no kind claims, or that two claim, fails.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import tests.conformance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

__all__ = ["Kind", "Vector", "failures_of", "has", "kinds", "read_vectors"]

Vector = dict[str, Any]
_INFRASTRUCTURE = frozenset({"__main__", "registry"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of vector.

    Attributes:
        name: Words for a reader, unique.
        claims: Whether a vector is of this kind, from its keys (and, where keys are shared, from its inputs).
        run: Replays the vector and returns one sentence for each thing that differs; empty when it passes.
    """

    name: str
    claims: Callable[[Mapping[str, Any]], bool]
    run: Callable[[Mapping[str, Any]], list[str]]


def has(*keys: str) -> Callable[[Mapping[str, Any]], bool]:
    """Return a detector for vectors that hold all of these keys."""
    wanted = frozenset(keys)
    return lambda vector: wanted <= vector.keys()


def kinds() -> tuple[Kind, ...]:
    """Return the kinds of every topic module, by module name."""
    names = sorted(module.name for module in pkgutil.iter_modules(tests.conformance.__path__))
    found: list[Kind] = []
    for name in names:
        if name not in _INFRASTRUCTURE and not name.startswith("test_"):
            module = importlib.import_module(f"tests.conformance.{name}")
            found.extend(getattr(module, "RUNNERS", ()))
    return tuple(found)


def failures_of(vector: Vector, *, among: Iterable[Kind]) -> list[str]:
    """Replay one vector; whatever its runner raises is a failure too."""
    claimed = [kind for kind in among if kind.claims(vector)]
    if len(claimed) != 1:
        keys = ", ".join(sorted(vector.keys() - {"id", "source", "basis"}))
        names = " and ".join(kind.name for kind in claimed) or "no kind"
        return [f"{names} claims a vector with the keys {keys}"]
    try:
        return claimed[0].run(vector)
    except Exception as error:  # noqa: BLE001 - a vector that breaks its runner fails, the others still run
        return [f"{claimed[0].name}: {type(error).__name__}: {error}"]


def read_vectors(path: Path) -> Iterator[Vector]:
    """Yield the vectors of a file: a list, or an object with the list under `vectors`."""
    document = json.loads(path.read_text(encoding="utf-8"))
    yield from document["vectors"] if isinstance(document, dict) else document
