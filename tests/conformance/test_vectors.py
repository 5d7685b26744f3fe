"""Every conformance vector of the repository holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.registry import Vector, failures_of, kinds, read_vectors

KINDS = kinds()
VECTORS = [
    pytest.param(vector, id=f"{path.stem}:{vector['id']}")
    for path in sorted((Path(__file__).parent / "vectors").glob("*.json"))
    for vector in read_vectors(path)
]


@pytest.mark.parametrize("vector", VECTORS)
def test_the_engine_gives_what_the_vector_says(vector: Vector) -> None:
    """A vector states inputs and the outcome that AWS documents, or that we chose where AWS is silent."""
    assert failures_of(vector, among=KINDS) == []


def test_a_vector_of_unknown_kind_fails() -> None:
    """Nothing is skipped: what no runner claims is a failure that names its keys."""
    assert failures_of({"id": "x", "colour": "red"}, among=KINDS) == [
        "no kind claims a vector with the keys colour",
    ]
