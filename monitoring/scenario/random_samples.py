"""Which raw values does a distribution give? Drawn with numpy's PCG64, the same for a seed on every machine."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from cloudwatch.problems import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["draw"]

MAX_VALUES = 20_000_000
_Z90 = 1.2815515655446004  # standard normal quantile of 0.9


def draw(distribution: Mapping[str, Any], *, count: int, steps: int, seed: int) -> list[NDArray[np.float64]]:
    """Return `steps` arrays of `count` values.

    Args:
        distribution: `lognormal: {median, p90}`, `normal: {mean, sd}`, `uniform: {low, high}` or `constant: x`.
        count: Values in each step.
        steps: Number of steps.
        seed: Seed of the generator.

    Raises:
        InvalidValueError: Not exactly one distribution, impossible parameters, or more than 20 million values.
    """
    if len(distribution) != 1:
        raise InvalidValueError(f"give exactly one distribution, not {', '.join(distribution) or 'none'}")
    if count * steps > MAX_VALUES:
        raise InvalidValueError(f"{count * steps:,} values are more than {MAX_VALUES:,}")
    generator = np.random.Generator(np.random.PCG64(seed))
    size = (steps, count)
    (kind, parameters), *_ = distribution.items()
    if kind == "lognormal":
        if parameters["p90"] < parameters["median"]:
            raise InvalidValueError(f"lognormal: p90 {parameters['p90']} lies below the median {parameters['median']}")
        sigma = math.log(parameters["p90"] / parameters["median"]) / _Z90
        values = parameters["median"] * np.exp(sigma * generator.standard_normal(size))
    elif kind == "normal":
        values = parameters["mean"] + parameters["sd"] * generator.standard_normal(size)
    elif kind == "uniform":
        if parameters["high"] < parameters["low"]:
            raise InvalidValueError(f"uniform: high {parameters['high']} lies below low {parameters['low']}")
        values = generator.uniform(parameters["low"], parameters["high"], size)
    else:
        values = np.full(size, float(parameters))
    return list(values)
