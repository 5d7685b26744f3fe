"""Which raw values does a step of a series hold? All alike, or drawn from a distribution.

Drawn with numpy's PCG64: the same values for a seed on every machine.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from cloudwatch.problems import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["alike", "draw"]

MAX_VALUES = 20_000_000
_Z90 = 1.2815515655446004  # standard normal quantile of 0.9


def alike(values: Sequence[float], *, counts: Sequence[int]) -> list[NDArray[np.float64]]:
    """Return one array a step: its value as often as its count says; a NaN value is a step without samples.

    Raises:
        InvalidValueError: More than 20 million values.
    """
    _check_size(counts)
    return [np.full(0 if math.isnan(value) else count, value) for value, count in zip(values, counts, strict=True)]


def draw(distribution: Mapping[str, Any], *, counts: Sequence[int], seed: int) -> list[NDArray[np.float64]]:
    """Return one array a step, as long as its count says.

    Args:
        distribution: `lognormal: {median, p90}`, `normal: {mean, sd}`, `uniform: {low, high}` or `constant: x`.
        counts: Values in each step.
        seed: Seed of the generator.

    Raises:
        InvalidValueError: Not exactly one distribution, impossible parameters, or more than 20 million values.
    """
    if len(distribution) != 1:
        raise InvalidValueError(f"give exactly one distribution, not {', '.join(distribution) or 'none'}")
    _check_size(counts)
    generator = np.random.Generator(np.random.PCG64(seed))
    size = sum(counts)
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
    return np.split(values, np.cumsum(counts)[:-1])


def _check_size(counts: Sequence[int]) -> None:
    if sum(counts) > MAX_VALUES:
        raise InvalidValueError(f"{sum(counts):,} values are more than {MAX_VALUES:,}")
