r"""Which metrics does a SEARCH expression find?

Grammar (User Guide, CloudWatch search expression syntax), the first argument of SEARCH:

    search  := [schema [',']] [or]
    schema  := '{' namespace (',' dimension-name)* '}'      metrics with exactly these dimensions
    or      := and ('OR' and)*            and := not (['AND'] not)*            not := ['NOT'] term
    term    := '(' or ')' | [property '='] (word | '"' exact '"') | property '=' '(' or ')'

A property is MetricName, Namespace, a dimension name or `:aws.AccountId` (LOCAL is the account that asks); names with other characters stand in double quotes.
Without one, a term looks at the namespace, the metric name and the names and values of the dimensions.

A quoted term matches a whole field; a backslash stands before `"`, `\`, `(` and `)` in it. A word matches tokens: the parts of
a field between changes of case, of letters to digits, and other characters; also the whole field without those. A word
is cut the same way and its parts must follow each other in the field. A part that stands alone between other characters
is compared without regard to case (`network/errors` finds `Network-Errors-2`), parts that are joined are compared with
it (`Count1` finds `CustomCount1`, `count1` does not), as the page's examples show.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from cloudwatch import limits
from cloudwatch.problems import TextSyntaxError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cloudwatch.metric import Metric

__all__ = [
    "All",
    "AnyOf",
    "Condition",
    "Not",
    "Schema",
    "Search",
    "Term",
    "name_tokens",
    "parse_search",
    "word_matches",
]

NESTING_LIMIT = 50

_TOKEN = re.compile(r"(?P<space>\s+)|(?P<mark>[{}(),=])|(?P<exact>\"(?:[^\"\\]|\\.)*\")|(?P<word>[^\s{}(),=\"]+)")
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_ALPHANUMERIC = re.compile(r"[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """A namespace and the exact set of dimension names."""

    namespace: str
    dimensions: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A word or an exact text, in one property or (None) in any."""

    text: str
    exact: bool
    property: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Not:
    """The metrics that a condition does not find."""

    condition: Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class All:
    """The metrics that every condition finds."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOf:
    """The metrics that some condition finds."""

    conditions: tuple[Condition, ...]


Condition = Term | Not | All | AnyOf


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A search, read once.

    Attributes:
        schema: Namespace and dimensions, or None for any.
        condition: What else must hold, or None for nothing else.
    """

    schema: Schema | None
    condition: Condition | None

    def matches(self, metric: Metric) -> bool:
        """Tell whether the search finds a metric."""
        if self.schema is not None:
            names = {name for name, _ in metric.dimensions}
            if metric.namespace != self.schema.namespace or names != self.schema.dimensions:
                return False
        return self.condition is None or _holds(self.condition, metric)

    def among(self, metrics: Iterable[Metric]) -> tuple[Metric, ...]:
        """Return the metrics that the search finds, in the order given."""
        return tuple(metric for metric in metrics if self.matches(metric))


def name_tokens(text: str) -> tuple[str, ...]:
    """Return the tokens under which a name is found: the whole, then its parts, in lower case."""
    whole = "".join(_ALPHANUMERIC.findall(text)).lower()
    parts = [part.lower() for part in _PARTS.findall(text)]
    return tuple(dict.fromkeys([whole, *parts])) if whole else ()


def word_matches(word: str, name: str) -> bool:
    """Tell whether an unquoted search word finds a name."""
    pieces = [_PARTS.findall(piece) for piece in _ALPHANUMERIC.findall(word)]
    wanted = [(part if len(piece) > 1 else part.lower(), len(piece) > 1) for piece in pieces for part in piece]
    if not wanted:
        return False
    whole = "".join(_ALPHANUMERIC.findall(name)).lower()
    if word == whole or (len(wanted) == 1 and wanted[0][0] == whole):
        return True
    parts = _PARTS.findall(name)
    return any(
        all(
            (part if cased else part.lower()) == text
            for part, (text, cased) in zip(parts[place:], wanted, strict=False)
        )
        for place in range(len(parts) - len(wanted) + 1)
    )


def _holds(condition: Condition, metric: Metric) -> bool:
    match condition:
        case Term():
            return _term_holds(condition, metric)
        case Not(condition=inner):
            return not _holds(inner, metric)
        case All(conditions=conditions):
            return all(_holds(each, metric) for each in conditions)
        case AnyOf(conditions=conditions):
            return any(_holds(each, metric) for each in conditions)
        case _:
            assert_never(condition)


def _term_holds(term: Term, metric: Metric) -> bool:
    fields = _fields(term.property, metric)
    return any(term.text == field if term.exact else word_matches(term.text, field) for field in fields)


def _fields(prop: str | None, metric: Metric) -> Iterator[str]:
    if prop is None:
        yield metric.namespace
        yield metric.name
        for pair in metric.dimensions:
            yield from pair
    elif prop == "MetricName":
        yield metric.name
    elif prop == "Namespace":
        yield metric.namespace
    else:
        value = (metric.account_id or "LOCAL") if prop == ":aws.AccountId" else metric.dimension(prop)
        if value is not None:
            yield value


def parse_search(text: str) -> Search:
    """Return the search that a text describes.

    Raises:
        TextSyntaxError: The text is no search, is longer than 1,024 characters, or asks for nothing.
    """
    if len(text) > limits.SEARCH_LENGTH:
        message = f"A search has at most {limits.SEARCH_LENGTH} characters"
        raise TextSyntaxError(message, text=text, start=limits.SEARCH_LENGTH, end=len(text))
    return _Parser(text).search()


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int

    @property
    def is_value(self) -> bool:
        return self.kind in {"word", "exact"}

    def is_mark(self, mark: str) -> bool:
        return self.kind == "mark" and self.text == mark

    def is_operator(self, operator: str) -> bool:
        return self.kind == "word" and self.text == operator


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(self._scan())
        self._place = 0
        self._depth = 0

    def _scan(self) -> Iterator[_Token]:
        position = 0
        while position < len(self._text):
            match = _TOKEN.match(self._text, position)
            if match is None:  # only a quote without its end is left over
                raise TextSyntaxError("The quote has no end", text=self._text, start=position, end=len(self._text))
            kind = match.lastgroup or ""
            if kind != "space":
                body = re.sub(r"\\(.)", r"\1", match[0][1:-1], flags=re.DOTALL) if kind == "exact" else match[0]
                yield _Token(kind, body, position, match.end())
            position = match.end()
        yield _Token("end", "", position, position)

    @property
    def _next(self) -> _Token:
        return self._tokens[self._place]

    def _take(self) -> _Token:
        self._place += 1
        return self._tokens[self._place - 1]

    def _error(self, message: str, token: _Token, *, hint: str = "") -> TextSyntaxError:
        return TextSyntaxError(message, text=self._text, start=token.start, end=token.end, hint=hint)

    def _expect(self, mark: str) -> None:
        token = self._take()
        if not token.is_mark(mark):
            raise self._error(f"Expected {mark!r}, found {token.text or 'the end'!r}", token)

    def search(self) -> Search:
        schema = self._schema() if self._next.is_mark("{") else None
        condition = None if self._next.kind == "end" else self._or(None)
        if self._next.kind != "end":
            raise self._error(f"Expected a term, found {self._next.text!r}", self._next)
        if schema is None and condition is None:
            raise self._error("The search is empty", self._next)
        return Search(schema=schema, condition=condition)

    def _schema(self) -> Schema:
        self._expect("{")
        names: list[str] = []
        while True:
            words: list[str] = []
            while self._next.is_value:
                words.append(self._take().text)
            if not words:
                raise self._error("Expected a namespace or a dimension name", self._next)
            names.append(" ".join(words))
            if not self._next.is_mark(","):
                break
            self._take()
        self._expect("}")
        if self._next.is_mark(","):  # some examples of the page have a comma after the schema
            self._take()
        return Schema(namespace=names[0], dimensions=frozenset(names[1:]))

    def _or(self, prop: str | None) -> Condition:
        if self._depth == NESTING_LIMIT:
            raise self._error(f"Nested more than {NESTING_LIMIT} deep", self._next)
        self._depth += 1
        found = [self._and(prop)]
        while self._next.is_operator("OR"):
            self._take()
            found.append(self._and(prop))
        self._depth -= 1
        return found[0] if len(found) == 1 else AnyOf(conditions=tuple(found))

    def _and(self, prop: str | None) -> Condition:
        found = [self._not(prop)]
        while (self._next.is_value and not self._next.is_operator("OR")) or self._next.is_mark("("):
            if self._next.is_operator("AND"):
                self._take()
            found.append(self._not(prop))
        return found[0] if len(found) == 1 else All(conditions=tuple(found))

    def _not(self, prop: str | None) -> Condition:
        negated = False
        while self._next.is_operator("NOT"):
            self._take()
            negated = not negated
        condition = self._term(prop)
        return Not(condition=condition) if negated else condition

    def _term(self, prop: str | None) -> Condition:
        token = self._take()
        if token.is_mark("("):
            inner = self._or(prop)
            self._expect(")")
            return inner
        if not token.is_value or (token.kind == "word" and token.text in {"AND", "OR"}):
            raise self._error(f"Expected a term, found {token.text or 'the end'!r}", token)
        if not self._next.is_mark("="):
            return Term(text=token.text, exact=token.kind == "exact", property=prop)
        equals = self._take()
        if prop is not None:
            raise self._error(f"A property inside the property {prop}", equals)
        if self._next.is_mark("("):
            return self._term(token.text)
        value = self._take()
        if not value.is_value:
            raise self._error(f"Expected a value for {token.text}, found {value.text or 'the end'!r}", value)
        return Term(text=value.text, exact=value.kind == "exact", property=token.text)
