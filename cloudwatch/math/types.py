"""What type has an expression, and is it well formed?

Types are those of the metric math page of the User Guide. Operators pair scalars, series and arrays of series, except an array
with an array; `[a, b]` makes an array of series, also out of arrays of series, or of strings; names take the type of the query they name. Beside the type, the
checker finds whether the value of a slot depends on that slot alone (`windowed` is False).
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from cloudwatch.math.ast import ArrayOf, Call, Chain, Name, Negative, Node, Number, Sql, Text, Word
from cloudwatch.math.functions import FUNCTIONS, Parameter, Signature, Type
from cloudwatch.problems import InvalidValueError, TextSyntaxError
from cloudwatch.search import parse_search
from cloudwatch.stat import parse_stat

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Checked", "check_types"]

_TYPE_NAMES = frozenset({*Type, "Metric"})
_NUMERIC = (Type.SCALAR, Type.SERIES, Type.ARRAY, Type.ANY_SERIES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What is known of an expression without evaluating it.

    Attributes:
        type: Its type.
        windowed: Whether a value depends on other slots than its own.
        is_metric: Whether it is the bare id of a metric.
    """

    type: Type
    windowed: bool = False
    is_metric: bool = False


def check_types(node: Node, *, text: str, ids: Mapping[str, Checked]) -> Checked:
    """Return the type of an expression.

    Args:
        node: Syntax tree of `text`.
        text: The expression, for messages.
        ids: What is known of the other queries of the list.

    Raises:
        TextSyntaxError: An unknown id or function, or an argument of the wrong type; the positions are those of the part.
    """
    return _Checker(text, ids).check(node)


class _Checker:
    def __init__(self, text: str, ids: Mapping[str, Checked]) -> None:
        self._text = text
        self._ids = ids

    def check(self, node: Node) -> Checked:
        match node:
            case Number():
                return Checked(type=Type.SCALAR)
            case Text():
                return Checked(type=Type.STRING)
            case Word():
                return Checked(type=Type.WORD)
            case Sql(text=text):
                grouped = "GROUP BY" in " ".join(text.upper().split())
                return Checked(type=Type.ARRAY if grouped else Type.SERIES)
            case Name():
                return self._name(node)
            case ArrayOf():
                return self._array(node)
            case Negative(operand=operand):
                checked = self._number(operand)
                return Checked(type=checked.type, windowed=checked.windowed)
            case Chain():
                return self._chain(node)
            case Call():
                return self._call(node)
            case _:
                assert_never(node)

    def _name(self, node: Name) -> Checked:
        if node.id not in self._ids:
            close = difflib.get_close_matches(node.id, self._ids, n=1)
            raise self._error(f"No query has the id {node.id}", node, hint=f"Did you mean {close[0]}?" if close else "")
        return self._ids[node.id]

    def _array(self, node: ArrayOf) -> Checked:
        items = [self.check(item) for item in node.items]
        windowed = any(item.windowed for item in items)
        series = (Type.SERIES, Type.ARRAY, Type.ANY_SERIES)
        for wanted, result in ((series, Type.ARRAY), ((Type.STRING,), Type.STRINGS)):
            if items[0].type in wanted:
                for item, part in zip(items, node.items, strict=True):
                    if item.type not in wanted:
                        raise self._error(f"An array of {wanted[0]} cannot hold {item.type}", part)
                return Checked(type=result, windowed=windowed)
        raise self._error(f"An array holds series or strings, not {items[0].type}", node.items[0])

    def _number(self, node: Node) -> Checked:
        checked = self.check(node)
        if checked.type not in _NUMERIC:
            hint = "Ids start with a lower-case letter." if checked.type is Type.WORD else ""
            raise self._error(f"An operator takes numbers and series, not {checked.type}", node, hint=hint)
        return checked

    def _chain(self, node: Chain) -> Checked:
        left = self._number(node.first)
        for step in node.steps:
            right = self._number(step.operand)
            if left.type is Type.ARRAY and right.type is Type.ARRAY:
                raise self._error(f"{step.operator} does not take an array of series on both sides", node)
            kind = _NUMERIC[max(_NUMERIC.index(left.type), _NUMERIC.index(right.type))]
            left = Checked(type=kind, windowed=left.windowed or right.windowed)
        return left

    def _call(self, node: Call) -> Checked:
        function = FUNCTIONS.get(node.function)
        if function is None:
            raise self._unknown_function(node)
        arguments = [self.check(argument) for argument in node.arguments]
        for signature in function.signatures:
            if _fits(signature, node.arguments, arguments):
                if node.function == "SEARCH":
                    self._check_search(node)
                windowed = signature.windowed or any(argument.windowed for argument in arguments)
                return Checked(type=signature.result, windowed=windowed)
        ways = " or ".join(f"({', '.join(map(str, each.parameters))})" for each in function.signatures)
        got = ", ".join(
            part.text if isinstance(part, Word) else str(argument.type)
            for part, argument in zip(node.arguments, arguments, strict=True)
        )
        raise self._error(f"{node.function} takes {ways}, not ({got})", node)

    def _check_search(self, node: Call) -> None:
        """Read the two languages inside the strings of a SEARCH, so that a mistake in them has its place too."""
        match node.arguments:
            case (Text(value=search) as place, Text(value=stat) as stat_place, *_):
                try:
                    parse_search(search)
                except TextSyntaxError as error:
                    start, end = (place.start + 1 + offset for offset in (error.start, error.end))
                    raise TextSyntaxError(
                        error.message, text=self._text, start=start, end=end, hint=error.hint
                    ) from error
                try:
                    parse_stat(stat)
                except InvalidValueError as error:
                    raise self._error(str(error), stat_place) from error
            case _:
                pass

    def _unknown_function(self, node: Call) -> TextSyntaxError:
        if node.function.upper() in FUNCTIONS:
            hint = f"Functions are upper case: {node.function.upper()}."
        else:
            close = difflib.get_close_matches(node.function.upper(), FUNCTIONS, n=1)
            hint = f"Did you mean {close[0]}?" if close else ""
        end = node.start + len(node.function)
        message = f"There is no function {node.function[:60]}"
        return TextSyntaxError(message, text=self._text, start=node.start, end=end, hint=hint)

    def _error(self, message: str, node: Node, *, hint: str = "") -> TextSyntaxError:
        return TextSyntaxError(message, text=self._text, start=node.start, end=node.end, hint=hint)


def _fits(signature: Signature, nodes: Sequence[Node], arguments: Sequence[Checked]) -> bool:
    parameters = list(signature.parameters)
    if parameters and parameters[-1].repeated:
        parameters.extend([parameters[-1]] * (len(nodes) - len(parameters)))
    required = sum(not parameter.optional for parameter in parameters)
    return required <= len(nodes) <= len(parameters) and all(
        _accepts(parameter, node, argument)
        for parameter, node, argument in zip(parameters, nodes, arguments, strict=False)
    )


def _accepts(parameter: Parameter, node: Node, argument: Checked) -> bool:
    if isinstance(node, Word):
        return "Word" in parameter.choices or node.text in parameter.choices - _TYPE_NAMES
    if argument.type is Type.ANY_SERIES:
        return not parameter.choices.isdisjoint({"TS", "TS[]"})
    return argument.type in parameter.choices or (argument.is_metric and "Metric" in parameter.choices)
