"""What does a filter pattern consist of? Its nodes.

Three kinds of pattern: text terms, a condition on a JSON object, and fields of a space-delimited line (Logs User Guide,
Filter pattern syntax). Nodes are frozen values that compare by meaning and print back; offsets into the text they came from
take no part in comparison.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, StrEnum

__all__ = [
    "All",
    "Any",
    "AnyFields",
    "Comparison",
    "Condition",
    "FieldName",
    "Glob",
    "Is",
    "JsonPattern",
    "NotExists",
    "Number",
    "Operand",
    "Operator",
    "Pattern",
    "Regex",
    "Selector",
    "SpaceField",
    "SpacePattern",
    "State",
    "Text",
    "TextPattern",
    "TextTerm",
    "Use",
    "Wildcard",
]


class Operator(StrEnum):
    """How a value is compared."""

    EQUAL = "="
    NOT_EQUAL = "!="
    LESS = "<"
    GREATER = ">"
    LESS_OR_EQUAL = "<="
    GREATER_OR_EQUAL = ">="


class State(StrEnum):
    """What `IS` asks for."""

    NULL = "NULL"
    TRUE = "TRUE"
    FALSE = "FALSE"


class Wildcard(Enum):
    """A step that takes every element: `[*]` of an array, `.*` of an object."""

    ELEMENT = "[*]"
    FIELD = ".*"


class Use(StrEnum):
    """How a text term counts: needed, one of several (`?`), or forbidden (`-`)."""

    NEEDED = ""
    ANY_OF = "?"
    EXCLUDED = "-"


@dataclass(frozen=True, slots=True)
class Text:
    """Text compared character by character; `bare` when it was written without quotes."""

    text: str
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Number:
    """A number, kept as it was written (`1e+3`)."""

    text: str

    @property
    def value(self) -> float:
        """The number."""
        return float(self.text)


@dataclass(frozen=True, slots=True)
class Glob:
    """Text with `*` for any run of characters; `bare` when it was written without quotes."""

    text: str
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Regex:
    """A regular expression between `%` signs, as it was written; `cloudwatch.patterns.regex` reads it."""

    source: str


Operand = Text | Number | Glob | Regex


@dataclass(frozen=True, slots=True)
class Selector:
    """A path into a JSON object: names, zero-based positions and wildcards after `$`."""

    steps: tuple[str | int | Wildcard, ...]


@dataclass(frozen=True, slots=True)
class FieldName:
    """A field of a space-delimited line."""

    name: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """`subject operator operand`."""

    subject: Selector | FieldName
    operator: Operator
    operand: Operand
    start: int = field(default=0, compare=False, repr=False)
    end: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Is:
    """`selector IS NULL`, `IS TRUE` or `IS FALSE`."""

    subject: Selector
    state: State
    start: int = field(default=0, compare=False, repr=False)
    end: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class NotExists:
    """`selector NOT EXISTS`."""

    subject: Selector
    start: int = field(default=0, compare=False, repr=False)
    end: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class All:
    """Conditions joined by `&&`; at least two."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Any:
    """Conditions joined by `||`; at least two."""

    parts: tuple[Condition, ...]


Condition = Comparison | Is | NotExists | All | Any


@dataclass(frozen=True, slots=True)
class TextTerm:
    """One term of a text pattern: a word or phrase, or a regular expression."""

    content: Text | Regex
    use: Use = Use.NEEDED


@dataclass(frozen=True, slots=True)
class TextPattern:
    """Terms that a message holds or does not hold; without terms it takes every message."""

    terms: tuple[TextTerm, ...]


@dataclass(frozen=True, slots=True)
class JsonPattern:
    """A condition on a JSON log event."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class SpaceField:
    """A field of a line with the condition it must meet; its name may be empty."""

    name: str
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class AnyFields:
    """`...`: any number of fields."""


@dataclass(frozen=True, slots=True)
class SpacePattern:
    """Fields of a space-delimited line, with at most one ellipsis."""

    fields: tuple[SpaceField | AnyFields, ...]


Pattern = TextPattern | JsonPattern | SpacePattern
