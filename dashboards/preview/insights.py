"""What would a Logs Insights query show over the events that the data holds? The commands that dashboards of alarms use.

    SOURCE 'group' | fields a, f(b) as c | filter cond | parse is not run | stats agg as x, ... by field, bin(5m)
                   | sort x desc, y asc | limit n | display a, b | dedup a

Conditions: = != < <= > >= , `like "text"` or `/regex/`, `in [..]`, `not`, `and`, `or`, parentheses, `ispresent(a)`. Values: fields with
dots or in backquotes, texts, numbers, `coalesce`, `strcontains`, `concat`, `tolower`, `toupper`, `strlen`, `abs`, `ceil`, `floor`.
Aggregates: count, count_distinct, sum, avg, min, max, pct, earliest, latest. (CloudWatch Logs User Guide, CloudWatch Logs Insights
language query syntax.) Anything else is an InvalidValueError that names it: a wrong table would be worse than none.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cmp_to_key
from typing import TYPE_CHECKING, Any

from cloudwatch.problems import InvalidValueError
from dashboards.preview.insights_values import (
    AGGREGATES,
    FUNCTIONS,
    Row,
    aggregate,
    as_number,
    compared,
    field_of,
    like,
    reader_of,
    text_of,
    tokens,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from dashboards.preview.source import LogEvents
    from dashboards.preview.timespan import Span

__all__ = ["Table", "answer"]

_BIN = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_MAX_ROWS = 1000
_NESTING = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Column names, rows of texts, and what to say about them."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def answer(query: str, *, logs: Mapping[str, LogEvents], span: Span) -> Table:
    """Return what a query shows over the events that arrived in a range.

    Raises:
        InvalidValueError: There are no events of its log groups, or it uses what is not run here.
    """
    reader = _Reader(query)
    groups = reader.sources()
    if not logs:
        raise InvalidValueError("The data holds no log events")
    known = [group for group in groups if group in logs]
    if not known:
        raise InvalidValueError(f"The data holds no events of log group {', '.join(groups) or '(none named)'}")
    rows = [
        {"@timestamp": second * 1000, "@message": record, "@log": group}
        for group in known
        for second, record in zip(logs[group].arrived_s, logs[group].records, strict=True)
        if span.start_s <= second < span.end_s
    ]
    columns: tuple[str, ...] = ("@timestamp", "@message")
    notes: list[str] = []
    while reader.take_mark("|"):
        rows, columns = reader.command(rows, columns)
    reader.expect_end()
    if len(rows) > _MAX_ROWS:
        notes.append(f"{len(rows)} rows; the first {_MAX_ROWS} are shown.")
    shown = tuple(tuple(_shown(row, column) for column in columns) for row in rows[:_MAX_ROWS])
    return Table(columns=columns, rows=shown, notes=tuple(notes))


def _shown(row: Row, column: str) -> str:
    value = field_of(row, column)
    if value is None:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        if column == "@timestamp" or column in row.get("@times", ()):
            return datetime.fromtimestamp(value / 1000, tz=UTC).strftime("%Y-%m-%d %H:%M:%S")
        return f"{value:g}" if isinstance(value, float) else str(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class _Reader:
    """Reads a query from left to right and runs each command on the rows so far."""

    def __init__(self, query: str) -> None:
        self._tokens = list(tokens(query))
        self._place = 0
        self._depth = 0

    def _next(self) -> tuple[str, str]:
        return self._tokens[self._place] if self._place < len(self._tokens) else ("end", "")

    def _take(self) -> tuple[str, str]:
        token = self._next()
        self._place += 1
        return token

    def take_mark(self, mark: str) -> bool:
        """Take a mark if it stands next."""
        found = self._next() == ("mark", mark)
        self._place += found
        return found

    def _word(self, *words: str) -> str | None:
        kind, text = self._next()
        if kind == "field" and text.lower() in words:
            self._place += 1
            return text.lower()
        return None

    def _expect(self, mark: str) -> None:
        if not self.take_mark(mark):
            raise InvalidValueError(f"The query has {self._next()[1] or 'its end'!r} where {mark!r} is expected")

    def expect_end(self) -> None:
        """Refuse what is left over."""
        if self._next()[0] != "end":
            raise InvalidValueError(f"The query has {self._next()[1]!r}, which is not run here")

    def sources(self) -> list[str]:
        """Return the log groups that are named, and step over them."""
        groups = []
        while self._word("source"):
            while self._next()[0] in {"string", "field"}:
                groups.append(text_of(self._take()))
                self.take_mark(",")
            self.take_mark("|")
        self._place -= self._place > 0 and self._tokens[self._place - 1] == ("mark", "|")
        if not groups and self._next() != ("mark", "|"):
            self._tokens.insert(self._place, ("mark", "|"))
        return groups

    def command(self, rows: list[Row], columns: tuple[str, ...]) -> tuple[list[Row], tuple[str, ...]]:
        """Run the next command and return the rows and columns after it."""
        kind, text = self._take()
        match (kind, text.lower()):
            case ("field", "fields"):
                named = [self._named_value() for _ in self._list()]
                for row in rows:
                    row |= {name: value(row) for name, value in named}
                return rows, tuple(dict.fromkeys(name for name, _ in named))
            case ("field", "display"):
                return rows, tuple(self._name() for _ in self._list())
            case ("field", "filter"):
                condition = self._or()
                return [row for row in rows if condition(row)], columns
            case ("field", "stats"):
                return self._stats(rows)
            case ("field", "sort"):
                return self._sorted(rows), columns
            case ("field", "limit" | "head"):
                return rows[: int(self._number())], columns
            case ("field", "dedup"):
                names = [self._name() for _ in self._list()]
                seen: dict[str, Row] = {}
                for row in rows:
                    seen.setdefault(json.dumps([field_of(row, name) for name in names]), row)
                return list(seen.values()), columns
        raise InvalidValueError(f"The command {text or '(nothing)'} of the query is not run here")

    def _list(self) -> Iterator[None]:
        yield
        while self.take_mark(","):
            yield

    def _name(self) -> str:
        token = self._take()
        if token[0] != "field":
            raise InvalidValueError(f"The query has {token[1] or 'its end'!r} where a field is expected")
        return text_of(token)

    def _number(self) -> float:
        kind, text = self._take()
        if kind != "number":
            raise InvalidValueError(f"The query has {text or 'its end'!r} where a number is expected")
        return float(text)

    def _named_value(self) -> tuple[str, Callable[[Row], Any]]:
        begin = self._place
        value = self._value()
        written = "".join(text for _, text in self._tokens[begin : self._place]).strip("`")
        return (self._name() if self._word("as") else written), value

    def _value(self) -> Callable[[Row], Any]:
        token = self._take()
        kind, text = token
        if kind == "string":
            fixed = text_of(token)
            return lambda _row: fixed
        if kind == "number":
            number = float(text)
            return lambda _row: number
        if kind == "field" and self._next() == ("mark", "("):
            return self._call(text.lower())
        if kind == "field":
            name = text_of(token)
            return reader_of(name)
        raise InvalidValueError(f"The query has {text or 'its end'!r} where a value is expected")

    def _call(self, name: str) -> Callable[[Row], Any]:
        self._expect("(")
        if name == "bin":
            kind, text = self._take()
            seconds = int(re.sub(r"\D", "", text) or 0) * _BIN.get(re.sub(r"\d", "", text), 0)
            if kind != "duration" or not seconds:
                raise InvalidValueError(f"bin({text}) is not run here")
            self._expect(")")
            return lambda row: row["@timestamp"] - row["@timestamp"] % (seconds * 1000)
        if name not in FUNCTIONS:
            raise InvalidValueError(f"The function {name} is not run here")
        values = [self._value() for _ in self._list()]
        self._expect(")")
        function = FUNCTIONS[name]
        return lambda row: function(*(value(row) for value in values))

    def _stats(self, rows: list[Row]) -> tuple[list[Row], tuple[str, ...]]:
        wanted = [self._aggregate_call() for _ in self._list()]
        keys: list[tuple[str, Callable[[Row], Any]]] = []
        if self._word("by"):
            keys = [self._named_value() for _ in self._list()]
        groups: dict[str, tuple[Row, list[Row]]] = {}
        for row in rows:
            key = {name: value(row) for name, value in keys}
            groups.setdefault(json.dumps(key), (key, []))[1].append(row)
        if not keys and not groups:
            groups[""] = ({}, [])
        times = {name for name, _, on_time, _, _ in wanted if on_time} | {
            name for name, _ in keys if name.startswith("bin(")
        }
        out = [
            key
            | {
                name: aggregate(function, [value(row) for row in members], members, extra)
                for name, function, _, value, extra in wanted
            }
            | {"@message": None, "@times": times}
            for key, members in groups.values()
        ]
        return out, tuple([name for name, *_ in wanted] + [name for name, _ in keys])

    def _aggregate_call(self) -> tuple[str, str, bool, Callable[[Row], Any], float]:
        begin = self._place
        function = self._name().lower()
        if function not in AGGREGATES:
            raise InvalidValueError(f"The aggregate {function} is not run here")
        self._expect("(")
        extra = 0.0
        on_time = self._next() == ("field", "@timestamp") and function not in {"count", "count_distinct"}
        if self.take_mark("*") or self._next() == ("mark", ")"):
            value: Callable[[Row], Any] = lambda _row: 1  # noqa: E731 - a constant in the place of a field
        else:
            value = self._value()
        if self.take_mark(","):
            extra = self._number()
        self._expect(")")
        written = "".join(text for _, text in self._tokens[begin : self._place])
        return (self._name() if self._word("as") else written), function, on_time, value, extra

    def _sorted(self, rows: list[Row]) -> list[Row]:
        orders: list[tuple[str, int]] = []
        for _ in self._list():
            name = self._name()
            orders.append((name, -1 if self._word("desc") else 1))
            self._word("asc")

        def compare(first: Row, second: Row) -> int:
            for name, sign in orders:
                left, right = field_of(first, name), field_of(second, name)
                if left is None or right is None:
                    order = (left is not None) - (right is not None)
                else:
                    order = compared(left, ">", right) - compared(left, "<", right)
                if order:
                    return order * sign
            return 0

        return sorted(rows, key=cmp_to_key(compare))

    def _or(self) -> Callable[[Row], bool]:
        parts = [self._and()]
        while self._word("or"):
            parts.append(self._and())
        return parts[0] if len(parts) == 1 else lambda row: any(part(row) for part in parts)

    def _and(self) -> Callable[[Row], bool]:
        parts = [self._unit()]
        while self._word("and"):
            parts.append(self._unit())
        return parts[0] if len(parts) == 1 else lambda row: all(part(row) for part in parts)

    def _unit(self) -> Callable[[Row], bool]:
        self._depth += 1
        if self._depth > _NESTING:
            raise InvalidValueError("The filter is nested too deep")
        try:
            if self._word("not"):
                inner = self._unit()
                return lambda row: not inner(row)
            if self.take_mark("("):
                inner = self._or()
                self._expect(")")
                return inner
            return self._comparison()
        finally:
            self._depth -= 1

    def _comparison(self) -> Callable[[Row], bool]:
        left = self._value()
        negated = bool(self._word("not"))
        if self._word("like") or self.take_mark("=~"):
            found = like(self._take())
            return lambda row: found(left(row)) != negated
        if self._word("in"):
            self._expect("[")
            tokens = []
            for _ in self._list():
                tokens.append(self._take())
                if tokens[-1][0] not in {"string", "number"}:
                    raise InvalidValueError(f"in [{tokens[-1][1]}] is not run here; texts and numbers are")
            self._expect("]")
            texts = frozenset(text_of(token) for token in tokens)
            numbers = frozenset(number for text in texts if (number := as_number(text)) is not None)

            def among(row: Row) -> bool:
                value = left(row)
                return (value in texts if isinstance(value, str) else as_number(value) in numbers) != negated

            return among
        kind, operator = self._next()
        if kind == "mark" and operator in {"=", "!=", "<", "<=", ">", ">="}:
            self._place += 1
            right = self._value()
            return lambda row: compared(left(row), operator, right(row))
        return lambda row: bool(left(row))
