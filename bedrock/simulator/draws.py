"""Which random numbers does a part of the simulation use? One named stream for each part.

A stream's numbers depend on the seed and its name alone, so that a new part of the simulation, with a stream of its own,
shifts no draw of the others.
"""

from __future__ import annotations

import zlib

import numpy as np

__all__ = ["stream"]


def stream(seed: int, name: str) -> np.random.Generator:
    """Return the generator of one part of a simulation.

    Args:
        seed: Seed of the scenario, 0 or more.
        name: Name of the part, for example `arrivals`.
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(zlib.crc32(name.encode()),))
    return np.random.Generator(np.random.SFC64(sequence))
