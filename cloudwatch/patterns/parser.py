r"""Which nodes does the text of a filter pattern stand for?

Grammar (Logs User Guide, Filter pattern syntax; what the page leaves open is marked):

    pattern  := '{' or '}'  |  '[' field (',' field)* ']'  |  term*
    term     := ('-' space? | '?')? (word | string | regex)              word: letters, digits and _
    or       := and ('||' and)*           and := unit ('&&' unit)*           unit := '(' or ')' | test
    test     := selector ('=' | '!=') operand | selector ('<' | '>' | '<=' | '>=') number
              | selector 'IS' ('NULL' | 'TRUE' | 'FALSE') | selector 'NOT EXISTS'
    selector := '$' ('.' name | '.*' | ".['" any "']" | '[' digits ']' | '[*]')+
    field    := name? | '...' | or         in it every test starts with the one name of the field
    operand  := string | regex | number | bare text, with * for any characters
    string   := '"' ... '"' with \" and \\          regex := '%' ... '%' (cloudwatch.patterns.regex)

Open: bare text in a JSON pattern may hold dots beside letters, digits and _, as the widespread `kms.amazonaws.com` does.
Limits (Logs API, PutMetricFilter; the page above): 1,024 characters, 2 regular expressions, 1 wildcard in a selector and 3 in
a pattern; ours: parentheses 50 deep. Every error is a `TextSyntaxError` with its place.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NoReturn

from cloudwatch import limits
from cloudwatch.patterns.nodes import (
    All,
    Any,
    AnyFields,
    Comparison,
    Condition,
    FieldName,
    Glob,
    Is,
    JsonPattern,
    NotExists,
    Number,
    Operand,
    Operator,
    Pattern,
    Regex,
    Selector,
    SpaceField,
    SpacePattern,
    State,
    Text,
    TextPattern,
    TextTerm,
    Use,
    Wildcard,
)
from cloudwatch.patterns.regex import compile_regex
from cloudwatch.problems import TextSyntaxError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MOST_REGEXES", "MOST_WILDCARDS", "parse_pattern", "parse_selector"]

MOST_REGEXES = 2
MOST_WILDCARDS = 3
_NESTING = 50

_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"[A-Za-z0-9_-]+")
_INDEX = re.compile(r"\[([0-9]{1,9})\]")
_QUOTED_NAME = re.compile(r"\.\['([^']+)'\]")
_OPERATOR = re.compile(r"!=|<=|>=|=|<|>")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPED = re.compile(r'\\(["\\])')
_REGEX = re.compile(r"%((?:[^%\\]|\\.)*)%", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_BARE_JSON = re.compile(r"[^\s()&|{}\"'%=<>!,\[\]]+")
_BARE_JSON_TEXT = re.compile(r"[A-Za-z0-9_.*]+")
_BARE_FIELD = re.compile(r"[^\s,\]&|()\"%=<>!]+")
_WORD = re.compile(r"[^\s\"%]+")
_KEYWORD = re.compile(r"[A-Za-z]+")


def parse_pattern(text: str) -> Pattern:
    """Return the nodes of a filter pattern.

    Raises:
        TextSyntaxError: CloudWatch Logs would refuse the pattern.
    """
    if len(text) > limits.FILTER_PATTERN_LENGTH:
        raise TextSyntaxError(
            f"The pattern has {len(text)} characters, CloudWatch Logs takes {limits.FILTER_PATTERN_LENGTH}",
            text=text,
            start=limits.FILTER_PATTERN_LENGTH,
            end=len(text),
            hint="Split it over several filters.",
        )
    parser = _Parser(text)
    parser.skip()
    match parser.peek():
        case "{":
            return parser.json_pattern()
        case "[":
            return parser.space_pattern()
        case _:
            return parser.text_pattern()


def parse_selector(text: str) -> Selector:
    """Return the nodes of a selector that stands alone, `$.latency`, such as the value of a metric filter.

    Raises:
        TextSyntaxError: It is not a selector.
    """
    parser = _Parser(text)
    selector = parser.selector()
    if parser.at < len(text):
        parser.fail("The selector ends here, but the text goes on", end=len(text))
    return selector


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.regexes = 0
        self.wildcards = 0
        self.depth = 0

    # Characters

    def skip(self) -> None:
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def peek(self, length: int = 1) -> str:
        return self.text[self.at : self.at + length]

    def take(self, token: str) -> bool:
        self.skip()
        if not self.text.startswith(token, self.at):
            return False
        self.at += len(token)
        return True

    def fail(self, message: str, *, start: int | None = None, end: int | None = None, hint: str = "") -> NoReturn:
        first = self.at if start is None else start
        last = min(first + 1, len(self.text)) if end is None else end
        raise TextSyntaxError(message, text=self.text, start=first, end=last, hint=hint)

    # The three kinds of pattern

    def json_pattern(self) -> JsonPattern:
        self.at += 1
        condition = self.either(self.json_test)
        if not self.take("}"):
            self.fail("A pattern that starts with { ends with }", hint="Add }, or && or || before the next condition.")
        self.finish("}")
        return JsonPattern(condition)

    def space_pattern(self) -> SpacePattern:
        self.at += 1
        fields: list[SpaceField | AnyFields] = []
        while True:
            start = self.at
            fields.append(self.space_field())
            if fields.count(AnyFields()) > 1:
                self.fail("... stands twice", start=start, end=self.at, hint="Leave one of them out.")
            if self.take(","):
                continue
            if self.take("]"):
                break
            self.fail("A pattern that starts with [ ends with ]", hint="Separate fields with commas, end with ].")
        self.finish("]")
        return SpacePattern(tuple(fields))

    def text_pattern(self) -> TextPattern:
        terms = []
        self.skip()
        while self.at < len(self.text):
            terms.append(self.term())
            if self.at < len(self.text) and not self.text[self.at].isspace():
                self.fail("A term goes on after its end", hint="Separate terms with spaces.")
            self.skip()
        return TextPattern(tuple(terms))

    def finish(self, closing: str) -> None:
        self.skip()
        if self.at < len(self.text):
            self.fail(f"The pattern goes on after {closing}", end=len(self.text), hint="Remove the rest.")

    # Terms and fields

    def term(self) -> TextTerm:
        start = self.at
        use = Use(self.peek()) if self.peek() in {"-", "?"} else Use.NEEDED
        self.at += len(use.value)
        if use is Use.EXCLUDED:  # the page of 2019 writes "ERROR" - "Exiting"
            self.skip()
        if self.peek() == '"':
            return TextTerm(Text(self.string()), use)
        if self.peek() == "%":
            return TextTerm(self.regex(), use)
        word = _WORD.match(self.text, self.at)
        if word is None:
            self.fail(f"{use.value} stands before no term", start=start, hint=f'Write "{use.value}" for the character.')
        for offset, char in enumerate(word[0]):
            if not (char.isalnum() or char == "_"):
                self.fail(
                    f"Invalid character {char!r} in term {word[0]!r}",
                    start=self.at + offset,
                    hint="Put terms with other characters than letters, digits and _ in double quotes.",
                )
        self.at = word.end()
        return TextTerm(Text(word[0], bare=True), use)

    def space_field(self) -> SpaceField | AnyFields:
        if self.take("..."):
            return AnyFields()
        start = self.at
        if self.peek() in {",", "]"} and (self.peek() == "," or self.text[:start].rstrip()[-1] == ","):
            return SpaceField("")
        if self.peek() != "(":
            name = self.name("a field")
            self.skip()
            if self.peek() in {",", "]"}:
                return SpaceField(name)
            self.at = start
        condition = self.either(self.field_test)
        names = sorted(_names(condition))
        if len(names) != 1:
            self.fail(
                f"One field has the names {' and '.join(names)}",
                start=start,
                end=self.at,
                hint="Separate fields with a comma.",
            )
        return SpaceField(names[0], condition)

    def name(self, what: str) -> str:
        self.skip()
        found = _NAME.match(self.text, self.at)
        if found is None:
            self.fail(f"The name of {what} is missing", hint="Names are letters, digits, - and _.")
        self.at = found.end()
        return found[0]

    # Conditions

    def either(self, test: Callable[[], Condition]) -> Condition:
        parts = [self.both(test)]
        while self.take("||"):
            parts.append(self.both(test))
        return parts[0] if len(parts) == 1 else Any(tuple(parts))

    def both(self, test: Callable[[], Condition]) -> Condition:
        parts = [self.unit(test)]
        while self.take("&&"):
            parts.append(self.unit(test))
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def unit(self, test: Callable[[], Condition]) -> Condition:
        if not self.take("("):
            self.skip()
            return test()
        start = self.at - 1
        self.depth += 1
        if self.depth > _NESTING:
            self.fail(f"Parentheses stand more than {_NESTING} deep", start=start)
        condition = self.either(test)
        if not self.take(")"):
            self.fail("A parenthesis is not closed", start=start, hint="Add ).")
        self.depth -= 1
        return condition

    def json_test(self) -> Condition:
        start = self.at
        subject = self.selector()
        self.skip()
        if keyword := _KEYWORD.match(self.text, self.at):
            return self.keyword_test(subject, keyword, start)
        operator = self.operator()
        operand = self.operand(operator, bare=self.bare_json)
        return Comparison(subject, operator, operand, start, self.at)

    def field_test(self) -> Condition:
        start = self.at
        subject = FieldName(self.name("a field"))
        operator = self.operator()
        operand = self.operand(operator, bare=self.bare_field)
        return Comparison(subject, operator, operand, start, self.at)

    def keyword_test(self, subject: Selector, keyword: re.Match[str], start: int) -> Condition:
        hint = "After a selector stands = != < > <= >=, IS NULL, IS TRUE, IS FALSE or NOT EXISTS, in capitals."
        self.at = keyword.end()
        self.skip()
        second = _KEYWORD.match(self.text, self.at)
        words = (keyword[0], second[0] if second else "")
        end = second.end() if second else self.at
        self.at = end
        match words:
            case ("IS", "NULL" | "TRUE" | "FALSE"):
                return Is(subject, State(words[1]), start, end)
            case ("NOT", "EXISTS"):
                return NotExists(subject, start, end)
            case ("IS", "NOT"):
                hint = "Ask for the other states, joined by ||, or compare with !=."
            case ("EXISTS", _):
                hint = "Write = * for a field that is there."
            case _:
                pass
        return self.fail(f"{' '.join(words).strip()} is not supported", start=keyword.start(), end=end, hint=hint)

    def operator(self) -> Operator:
        self.skip()
        found = _OPERATOR.match(self.text, self.at)
        if found is None:
            self.fail("A comparison is missing", hint="Write = != < > <= or >= and a value.")
        self.at = found.end()
        if found[0] == "=" and self.peek() == "=":
            self.fail("== is not supported", start=found.start(), end=found.end() + 1, hint="Write =.")
        return Operator(found[0])

    def operand(self, operator: Operator, *, bare: Callable[[], Operand]) -> Operand:
        self.skip()
        start = self.at
        operand: Operand
        match self.peek():
            case '"':
                text = self.string()
                operand = Glob(text) if "*" in text else Text(text)
            case "%":
                operand = self.regex()
            case _:
                operand = bare()
        if operator not in {Operator.EQUAL, Operator.NOT_EQUAL} and not isinstance(operand, Number):
            self.fail(f"{operator.value} compares with a number", start=start, end=self.at, hint="Write a number.")
        return operand

    def bare_json(self) -> Operand:
        start = self.at
        found = _BARE_JSON.match(self.text, self.at)
        if found is None:
            self.fail("A value is missing", hint="Write a number, or text in double quotes.")
        self.at = found.end()
        operand = self.classified(found[0], start)
        if not isinstance(operand, Number) and not _BARE_JSON_TEXT.fullmatch(found[0]):
            self.fail(
                f"{found[0]} holds other characters than letters, digits, _ and .",
                start=start,
                end=self.at,
                hint="Put it in double quotes.",
            )
        return operand

    def bare_field(self) -> Operand:
        found = _BARE_FIELD.match(self.text, self.at)
        if found is None:
            self.fail("A value is missing", hint="Write a word, a number, or text in double quotes.")
        start, self.at = self.at, found.end()
        return self.classified(found[0], start)

    def classified(self, bare: str, start: int) -> Operand:
        if _NUMBER.fullmatch(bare):
            if not math.isfinite(float(bare)):
                self.fail(f"{bare} is too large for a number", start=start, end=self.at)
            return Number(bare)
        return Glob(bare, bare=True) if "*" in bare else Text(bare, bare=True)

    # Pieces

    def string(self) -> str:
        found = _STRING.match(self.text, self.at)
        if found is None:
            self.fail("The text in double quotes is not closed", end=len(self.text), hint='Add ".')
        self.at = found.end()
        return _ESCAPED.sub(r"\1", found[1])

    def regex(self) -> Regex:
        found = _REGEX.match(self.text, self.at)
        if found is None:
            self.fail("The regular expression is not closed", end=len(self.text), hint="Add %.")
        start = self.at
        self.regexes += 1
        if self.regexes > MOST_REGEXES:
            self.fail(
                f"A pattern takes at most {MOST_REGEXES} regular expressions",
                start=start,
                end=found.end(),
                hint="Join alternatives with | in one expression.",
            )
        try:
            compile_regex(found[1])
        except TextSyntaxError as wrong:
            self.fail(wrong.message, start=start + 1 + wrong.start, end=start + 1 + wrong.end, hint=wrong.hint)
        self.at = found.end()
        return Regex(found[1])

    def selector(self) -> Selector:
        start = self.at
        if self.peek() != "$":
            self.fail("A selector is missing", hint="Start it with $. as in $.eventName.")
        self.at += 1
        steps: list[str | int | Wildcard] = []
        while (step := self.step()) is not None:
            steps.append(step)
        if not steps:
            self.fail("The selector names no field", start=start, end=self.at, hint="Write $.name.")
        count = sum(isinstance(step, Wildcard) for step in steps)
        if count > 1:
            self.fail("A selector takes at most one wildcard", start=start, end=self.at, hint="Name the other step.")
        self.wildcards += count
        if self.wildcards > MOST_WILDCARDS:
            self.fail(f"A pattern takes at most {MOST_WILDCARDS} wildcard selectors", start=start, end=self.at)
        return Selector(tuple(steps))

    def step(self) -> str | int | Wildcard | None:
        if self.peek(3) == "[*]":
            self.at += 3
            return Wildcard.ELEMENT
        if self.peek(2) == ".*":
            self.at += 2
            return Wildcard.FIELD
        if self.peek() == "[":
            index = _INDEX.match(self.text, self.at)
            if index is None:
                self.fail("Brackets hold a position or *", hint="Write [0], [*], or .['name'] with single quotes.")
            self.at = index.end()
            return int(index[1])
        if self.peek(2) == ".[":
            quoted = _QUOTED_NAME.match(self.text, self.at)
            if quoted is None:
                self.fail("A name in brackets stands in single quotes", start=self.at + 1, hint="Write .['a.b'].")
            self.at = quoted.end()
            return quoted[1]
        if self.peek() == ".":
            self.at += 1
            if self.peek().isspace():
                self.fail("A name is missing after the dot", hint="Write the name directly after the dot.")
            return self.name("a field")
        return None


def _names(condition: Condition) -> set[str]:
    match condition:
        case All(parts) | Any(parts):
            return set().union(*(_names(part) for part in parts))
        case Comparison(subject=FieldName(name)):
            return {name}
        case _:
            return set()
