"""How is a metric math expression read?

A Pratt parser: an operator has a level, and an expression at a level takes every operator that binds at least as tightly.
One loop and one table stand for a grammar with a rule for each level, and the table is the only place that knows precedence.
That matters here because the documentation does not give it; this is the usual order, tightest first:

    ^      power                       6
    -      sign                        5
    * /                                4
    + -                                3
    == != < <= > >=                    2
    AND && (then) OR ||                1, 0

All of them read from the left (`2 ^ 3 ^ 2` is 64). A Metrics Insights query (`SELECT ...`) is a whole expression by itself.

Each token is taken once, so the time is linear; nesting is limited, so no text can exhaust the stack.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from math import isfinite

from cloudwatch.math.ast import ArrayOf, Call, Chain, Name, Negative, Node, Number, Sql, Step, Text, Word
from cloudwatch.math.tokens import Token, TokenKind, tokens_of
from cloudwatch.problems import TextSyntaxError

__all__ = ["LEVELS", "NESTING_LIMIT", "SIGN_LEVEL", "Parser", "parse"]

NESTING_LIMIT = 100
SIGN_LEVEL = 5
LEVELS = {
    "OR": 0,
    "AND": 1,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), 2),
    **dict.fromkeys(("+", "-"), 3),
    **dict.fromkeys(("*", "/"), 4),
    "^": 6,
}
_SYNONYMS = {"&&": "AND", "||": "OR"}
_SQL = re.compile(r"\s*SELECT[\s(]", re.IGNORECASE)


@lru_cache(maxsize=4096)
def parse(text: str) -> Node:
    """Return the syntax tree of an expression.

    Raises:
        TextSyntaxError: The text is no expression; positions are offsets into it.
    """
    if _SQL.match(text):
        body = text.strip()
        start = len(text) - len(text.lstrip())
        return Sql(text=body, start=start, end=start + len(body))
    parser = Parser(text)
    return parser.whole()


class Parser:
    """The state of one reading.

    Attributes:
        taken: Number of tokens taken so far; in the end the number of tokens, whatever the text.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokens_of(text)
        self._depth = 0
        self.taken = 0

    def whole(self) -> Node:
        """Read the whole text as one expression."""
        node = self._expression(0)
        token = self._next
        if token.kind is not TokenKind.END:
            hint = ""
            if token.kind is TokenKind.NAME and token.text.upper() in {"AND", "OR"}:
                hint = f"Write {token.text.upper()}."
            raise self._error(f"Expected an operator, found {token.text!r}", token, hint=hint)
        return node

    @property
    def _next(self) -> Token:
        return self._tokens[self.taken]

    def _take(self) -> Token:
        token = self._tokens[self.taken]
        self.taken += 1
        return token

    def _expression(self, level: int) -> Node:
        if self._depth == NESTING_LIMIT:
            raise self._error(f"Nested more than {NESTING_LIMIT} deep", self._next)
        self._depth += 1
        left = self._operand()
        while (operator := self._operator()) is not None and LEVELS[operator] >= level:
            left = self._chain(left, level=LEVELS[operator])
        self._depth -= 1
        return left

    def _chain(self, first: Node, *, level: int) -> Chain:
        steps: list[Step] = []
        while (operator := self._operator()) is not None and LEVELS[operator] == level:
            self._take()
            steps.append(Step(operator=operator, operand=self._expression(level + 1)))
        return Chain(first=first, steps=tuple(steps), start=first.start, end=steps[-1].operand.end)

    def _operator(self) -> str | None:
        token = self._next
        if token.kind not in {TokenKind.MARK, TokenKind.NAME}:
            return None
        text = _SYNONYMS.get(token.text, token.text)
        return text if text in LEVELS else None

    def _operand(self) -> Node:
        token = self._take()
        place = {"start": token.start, "end": token.end}
        match token.kind:
            case TokenKind.NUMBER:
                value = float(token.text)
                if not isfinite(value):
                    raise self._error("The number is too large", token)
                return Number(value=value, **place)
            case TokenKind.STRING:
                return Text(value=token.text, **place)
            case TokenKind.NAME:
                return self._named(token)
            case TokenKind.MARK if token.text == "-":
                operand = self._expression(SIGN_LEVEL)
                return Negative(operand=operand, start=token.start, end=operand.end)
            case TokenKind.MARK if token.text == "(":
                node = self._expression(0)
                # The place of a parenthesised part holds its parentheses, which is how a reader of the tree sees them.
                return replace(node, start=token.start, end=self._close(")", opened=token).end)
            case TokenKind.MARK if token.text == "[":
                items, end = self._list("]", opened=token)
                if not items:
                    raise self._error("An array has at least one item", token)
                return ArrayOf(items=items, start=token.start, end=end)
            case _:
                found = repr(token.text) if token.text else "the end"
                raise self._error(f"Expected a number, an id or a function, found {found}", token)

    def _named(self, token: Token) -> Node:
        opening = self._next
        if opening.kind is TokenKind.MARK and opening.text == "(":
            self._take()
            arguments, end = self._list(")", opened=opening)
            return Call(function=token.text, arguments=arguments, start=token.start, end=end)
        if token.text in LEVELS:
            raise self._error(f"{token.text} has nothing on its left", token)
        if token.text[0].islower():
            return Name(id=token.text, start=token.start, end=token.end)
        return Word(text=token.text, start=token.start, end=token.end)

    def _list(self, closing: str, *, opened: Token) -> tuple[tuple[Node, ...], int]:
        items: list[Node] = []
        if self._next.kind is not TokenKind.MARK or self._next.text != closing:
            items.append(self._expression(0))
            while self._next.kind is TokenKind.MARK and self._next.text == ",":
                self._take()
                items.append(self._expression(0))
        return tuple(items), self._close(closing, opened=opened).end

    def _close(self, closing: str, *, opened: Token) -> Token:
        token = self._take()
        if token.kind is TokenKind.MARK and token.text == closing:
            return token
        found = repr(token.text) if token.text else "the end"
        hint = f"It was opened at character {opened.start + 1}."
        raise self._error(f"Expected {closing!r}, found {found}", token, hint=hint)

    def _error(self, message: str, token: Token, *, hint: str = "") -> TextSyntaxError:
        return TextSyntaxError(message, text=self._text, start=token.start, end=token.end, hint=hint)
