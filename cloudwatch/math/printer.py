"""How is a syntax tree written?

`parse(print_math(node)) == node` for every tree that `parse` can return. Parentheses stand where the tree needs them and nowhere
else; operators have a space on both sides.
"""

from __future__ import annotations

from typing import assert_never

from cloudwatch.math.ast import ArrayOf, Call, Chain, Name, Negative, Node, Number, Sql, Text, Word
from cloudwatch.math.parser import LEVELS, SIGN_LEVEL

__all__ = ["print_math"]

_ATOM = 9


def print_math(node: Node) -> str:
    """Return the expression as text."""
    match node:
        case Number(value=value):
            return repr(int(value)) if value.is_integer() and value < 1e15 else repr(value)
        case Name(id=text) | Word(text=text) | Sql(text=text):
            return text
        case Text(value=value):
            return f'"{value}"' if "'" in value else f"'{value}'"
        case ArrayOf(items=items):
            return f"[{', '.join(map(print_math, items))}]"
        case Call(function=function, arguments=arguments):
            return f"{function}({', '.join(map(print_math, arguments))})"
        case Negative(operand=operand):
            return f"-{_inside(operand, above=SIGN_LEVEL - 1)}"
        case Chain(first=first, steps=steps):
            level = LEVELS[steps[0].operator]
            rest = (f" {step.operator} {_inside(step.operand, above=level)}" for step in steps)
            return _inside(first, above=level) + "".join(rest)
        case _:
            assert_never(node)


def _inside(node: Node, *, above: int) -> str:
    text = print_math(node)
    return text if _level(node) > above else f"({text})"


def _level(node: Node) -> int:
    match node:
        case Chain(steps=steps):
            return LEVELS[steps[0].operator]
        case Negative():
            return SIGN_LEVEL
        case _:
            return _ATOM
