"""What do the operators give, slot by slot, when points are missing?

(User Guide, Using metric math; expression operators.) With two series, a missing side counts as 0 where the other side has a
point, and there is no point where both are missing. A division by zero, so also by a missing point, gives no point.
Comparisons and logical operators give 1 or 0 and follow the same rule. Where a scalar meets a missing point the page is
silent: `Switches.scalar_missing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cloudwatch.math.values import Scalar, Series, SeriesArray, Strings, finite

if TYPE_CHECKING:
    from collections.abc import Callable

    from cloudwatch.math.values import Floats, Value
    from cloudwatch.switches import Switches

__all__ = ["apply_operator", "negative"]


def _divide(left: Floats, right: Floats) -> Floats:
    return np.where(right == 0, np.nan, left / right)


_ARITHMETIC: dict[str, Callable[[Floats, Floats], Floats]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": _divide,
    "^": lambda left, right: left**right,
}
_LOGICAL: dict[str, Callable[[Floats, Floats], object]] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "AND": lambda left, right: (left != 0) & (right != 0),
    "OR": lambda left, right: (left != 0) | (right != 0),
}


def apply_operator(operator: str, left: Value, right: Value, *, switches: Switches) -> Value:
    """Return `left operator right` for scalars, series and arrays of series."""
    match left, right:
        case (Strings(), _) | (_, Strings()):
            raise AssertionError("the type check lets no string here")
        case SeriesArray(), SeriesArray():
            raise AssertionError("the type check lets no two arrays here")
        case SeriesArray(), _:
            constant = isinstance(right, Scalar) and switches.scalar_missing == "no_point"
            return left.mapped(_slots(operator, left.values, right.values[None], right_exists=not constant))
        case _, SeriesArray():
            constant = isinstance(left, Scalar) and switches.scalar_missing == "no_point"
            return right.mapped(_slots(operator, left.values[None], right.values, left_exists=not constant))
        case Scalar(), Scalar():
            return Scalar(_slots(operator, left.values, right.values))
        case _:
            creates = switches.scalar_missing == "zero"
            return Series(
                _slots(
                    operator,
                    left.values,
                    right.values,
                    left_exists=creates or isinstance(left, Series),
                    right_exists=creates or isinstance(right, Series),
                )
            )


def negative(value: Value) -> Value:
    """Return `-value`."""
    match value:
        case Scalar(values=values):
            return Scalar(-values)
        case Series(values=values):
            return Series(-values)
        case SeriesArray(values=values):
            return value.mapped(-values)
        case _:
            raise AssertionError("the type check lets no string here")


def _slots(
    operator: str, left: Floats, right: Floats, *, left_exists: bool = True, right_exists: bool = True
) -> Floats:
    """Return the operator's value in each slot; `..._exists` is False for a side that creates no point by itself."""
    no_left, no_right = np.isnan(left), np.isnan(right)
    any_left, any_right = no_left.any(), no_right.any()
    filled_left = np.where(no_left, 0.0, left) if any_left else left
    filled_right = np.where(no_right, 0.0, right) if any_right else right
    if operator in _ARITHMETIC:
        result = finite(_ARITHMETIC[operator](filled_left, filled_right))
    else:
        result = np.asarray(_LOGICAL[operator](filled_left, filled_right), dtype=np.float64)
    if any_left and (any_right or not right_exists):
        result = np.where(no_left & no_right if right_exists else no_left, np.nan, result)
    if any_right and not left_exists:
        result = np.where(no_right, np.nan, result)
    return result
