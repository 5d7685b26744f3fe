"""What is the value of a syntax tree, given the values of the ids in it?

The tree has passed the type check. What only AWS knows (a band, a quota, a contributor rule, a Lambda function, SQL) and what
needs a store (SEARCH) is taken from what the caller supplies under the printed text of the call, or refused by name: an answer
is never made up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import numpy as np

from cloudwatch.math.ast import ArrayOf, Call, Chain, Name, Negative, Node, Number, Sql, Text, Word
from cloudwatch.math.behaviours import BEHAVIOURS
from cloudwatch.math.functions import FUNCTIONS
from cloudwatch.math.operators import apply_operator, negative
from cloudwatch.math.printer import print_math
from cloudwatch.math.values import Scalar, Series, SeriesArray, Strings, joined, stacked
from cloudwatch.problems import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloudwatch.math.values import Context, Supply, Value

__all__ = ["evaluate_node", "supplied_value"]


def evaluate_node(node: Node, *, ids: Mapping[str, Value], context: Context) -> Value:
    """Return the value of a tree.

    Args:
        node: A checked tree.
        ids: Values of the queries it names.
        context: Grid, switches, metrics and supplied series.

    Raises:
        InvalidValueError: It needs something from AWS that is not supplied.
    """
    match node:
        case Number(value=value):
            return Scalar(np.full((1, 1), value))
        case Text(value=text) | Word(text=text):
            return Strings((text,))
        case Name(id=id_):
            return ids[id_]
        case Negative(operand=operand):
            return negative(evaluate_node(operand, ids=ids, context=context))
        case Chain(first=first, steps=steps):
            left = evaluate_node(first, ids=ids, context=context)
            for step in steps:
                right = evaluate_node(step.operand, ids=ids, context=context)
                left = apply_operator(step.operator, left, right, switches=context.switches)
            return left
        case ArrayOf(items=items):
            return _array([evaluate_node(item, ids=ids, context=context) for item in items], items, context)
        case Sql():
            return _supplied(node, what="A Metrics Insights query", context=context)
        case Call():
            return _call(node, ids=ids, context=context)
        case _:
            assert_never(node)


def supplied_value(supply: Supply, *, context: Context, node: Node | None = None) -> Value:
    """Return what a caller supplied as a series, or as an array of series for a sequence of labelled ones.

    `node` is the expression that it stands for: a band is supplied as lower, upper and placed as the documentation orders it.

    Raises:
        InvalidValueError: It has not the shape of the grid, or holds an infinity.
    """
    shape = context.timestamps.shape
    if isinstance(supply, np.ndarray):
        return Series(_shaped(supply, shape))
    if isinstance(node, Call) and node.function == "ANOMALY_DETECTION_BAND" and context.switches.band_last == "lower":
        supply = supply[::-1]
    return stacked([each.label for each in supply], [_shaped(each.values, shape) for each in supply], shape=shape)


def _shaped(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    try:
        shaped = np.broadcast_to(np.asarray(values, dtype=np.float64), shape)
    except ValueError:
        raise InvalidValueError(f"A series of shape {values.shape} does not fit a grid of {shape}") from None
    if np.isinf(shaped).any():
        raise InvalidValueError("A series holds an infinity; a missing point is NaN")
    return shaped


def _array(values: list[Value], items: tuple[Node, ...], context: Context) -> Value:
    if all(isinstance(value, Strings) for value in values):
        return Strings(tuple(text for value in values if isinstance(value, Strings) for text in value.values))
    shape = context.timestamps.shape
    parts: list[SeriesArray] = []
    for value, item in zip(values, items, strict=True):
        if isinstance(value, SeriesArray):
            parts.append(value)
        elif isinstance(value, Series):
            parts.append(stacked([print_math(item)], [value.values], shape=shape))
    return joined(parts)


def _call(node: Call, *, ids: Mapping[str, Value], context: Context) -> Value:
    if FUNCTIONS[node.function].supplied:
        what = node.function if node.function != "SEARCH" else "SEARCH (it runs over a store of metrics)"
        return _supplied(node, what=what, context=context)
    if node.function == "PERIOD":
        (metric,) = node.arguments
        assert isinstance(metric, Name)
        return Scalar(np.full((1, 1), float(context.periods[metric.id])))
    arguments = [evaluate_node(argument, ids=ids, context=context) for argument in node.arguments]
    return BEHAVIOURS[node.function](context, arguments)


def _supplied(node: Call | Sql, *, what: str, context: Context) -> Value:
    key = print_math(node)
    if key not in context.supplied:
        raise InvalidValueError(f"{what} cannot be computed offline: supply its series under {key!r} or the query's id")
    return supplied_value(context.supplied[key], context=context, node=node)
