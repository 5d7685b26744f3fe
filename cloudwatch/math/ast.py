"""What is a metric math expression, once read?

Nodes compare by meaning: positions (`start`, `end`: offsets into the text, from 0, parentheses around a part included) do not count. Operators of one precedence
that follow each other are one `Chain`, read from the left, so the depth of a tree is the depth of its parentheses and a sum
of five hundred metrics is flat.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ArrayOf", "Call", "Chain", "Name", "Negative", "Node", "Number", "Sql", "Step", "Text", "Word", "walk"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    start: int = field(default=0, compare=False, repr=False)
    end: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(_Placed):
    """A number, not negative: a sign is a `Negative`."""

    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Name(_Placed):
    """The id of another query."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Word(_Placed):
    """A bare word that is no id, such as REPEAT or ASC."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(_Placed):
    """A quoted string."""

    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayOf(_Placed):
    """`[a, b]`, with at least one item."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Negative(_Placed):
    """`-operand`."""

    operand: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """An operator and its right-hand side; `operator` is AND or OR also where && or || was written."""

    operator: str
    operand: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain(_Placed):
    """`first op operand op operand ...`, operators of one precedence, read from the left; at least one step."""

    first: Node
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(_Placed):
    """`FUNCTION(argument, ...)`."""

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sql(_Placed):
    """A whole Metrics Insights query, which is not looked into."""

    text: str


Node = Number | Name | Word | Text | ArrayOf | Negative | Chain | Call | Sql


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all nodes below it, each before its own parts."""
    waiting: list[Node] = [node]
    while waiting:
        current = waiting.pop()
        yield current
        match current:
            case ArrayOf(items=parts) | Call(arguments=parts):
                waiting.extend(reversed(parts))
            case Negative(operand=part):
                waiting.append(part)
            case Chain(first=first, steps=steps):
                waiting.extend(step.operand for step in reversed(steps))
                waiting.append(first)
            case _:
                pass
