"""Which runner replays a conformance vector?

A vector is a JSON object: an `id`, a `source`, a `basis`, and keys that say what goes in and what must come out. Its kind is
found from those other keys alone, whatever their order and whatever other keys stand beside them. Each topic is a module of this
package with a tuple `RUNNERS` of `Kind`; modules are found by themselves, so a new topic is a new file. A vector that no kind
claims, or that two claim, fails.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tests.conformance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["Kind", "Vector", "failures_of", "files_of", "has", "kinds", "read_vectors"]

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


def failures_of(vector: object, *, among: Iterable[Kind]) -> list[str]:
    """Replay one vector; what is no vector, and whatever its runner raises, is a failure too."""
    if not isinstance(vector, dict):
        return [f"a vector is an object, not {type(vector).__name__}"]
    vector = {key: _whole(value) for key, value in vector.items()}
    try:
        claimed = [kind for kind in among if kind.claims(vector)]
    except TypeError as error:  # a list where a text belongs, such as the name of a limit
        return [f"no kind can read it: {error}"]
    if len(claimed) != 1:
        keys = ", ".join(sorted(vector.keys() - {"id", "source", "basis"}))
        names = " and ".join(kind.name for kind in claimed) or "no kind"
        return [f"{names} claims a vector with the keys {keys}"]
    try:
        return claimed[0].run(vector)
    except Exception as error:  # noqa: BLE001 - a vector that breaks its runner fails, the others still run
        return [f"{claimed[0].name}: {type(error).__name__}: {error}"]


def files_of(name: str) -> list[Path]:
    """Return the file of that name, or the `.json` files in the folder of that name and below."""
    path = Path(name)
    return sorted(path.rglob("*.json")) if path.is_dir() else [path]


def read_vectors(path: Path) -> list[Any]:
    """Return the vectors of a file: a list, or an object with the list under `vectors`.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no JSON, or no list of vectors.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except RecursionError:
        raise ValueError("it nests too deep") from None
    found = document.get("vectors") if isinstance(document, dict) else document
    if not isinstance(found, list):
        raise ValueError('neither a list nor an object with a list under "vectors"')  # noqa: TRY004 - a text that is wrong
    return found


def _whole(value: object) -> object:
    """Return a number written as 3.0 as 3: counts, periods and limits are whole numbers."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
