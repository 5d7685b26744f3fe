"""What are the words of a metric math expression?

    number  := digits ['.' digits] [('e'|'E') ['+'|'-'] digits] | '.' digits [exponent]
    name    := [A-Za-z_][A-Za-z0-9_]*        ids, function names, REPEAT, ASC, AND, OR
    string  := '...' | "..."                 no escapes; one kind of quote may stand inside the other
    mark    := + - * / ^ == != <= >= < > && || ( ) [ ] ,

(User Guide, Using metric math.) One regular expression is matched at each position, so the time is linear in the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from cloudwatch.problems import TextSyntaxError

__all__ = ["Token", "TokenKind", "tokens_of"]


class TokenKind(Enum):
    """What a token is."""

    NUMBER = "number"
    NAME = "name"
    STRING = "string"
    MARK = "mark"
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """One word: its kind, its text (a string without its quotes), and where it stands, as offsets from 0."""

    kind: TokenKind
    text: str
    start: int
    end: int


_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+)"
    r"|(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<string>'[^']*'|\"[^\"]*\")"
    r"|(?P<mark>==|!=|<=|>=|&&|\|\||[-+*/^<>()\[\],])"
)


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of an expression, an END token last.

    Raises:
        TextSyntaxError: A character belongs to no token, or a string has no end.
    """
    found: list[Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _unreadable(text, position)
        kind = match.lastgroup
        if kind == "string":
            found.append(Token(TokenKind.STRING, match[0][1:-1], position, match.end()))
        elif kind != "space":
            found.append(Token(TokenKind(kind), match[0], position, match.end()))
        position = match.end()
    found.append(Token(TokenKind.END, "", len(text), len(text)))
    return found


def _unreadable(text: str, position: int) -> TextSyntaxError:
    character = text[position]
    if character in "'\"":
        return TextSyntaxError("The string has no end", text=text, start=position, end=len(text))
    hint = {"=": "Equality is ==.", "&": "Conjunction is AND or &&.", "|": "Disjunction is OR or ||."}.get(
        character, ""
    )
    return TextSyntaxError(f"Unexpected {character!r}", text=text, start=position, end=position + 1, hint=hint)
