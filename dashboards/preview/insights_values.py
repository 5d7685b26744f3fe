"""What are the values of a Logs Insights query? Tokens, fields of events, comparisons, functions and aggregates.

A row is a mapping: columns that the query made, and `@message`, the event, in which a name with dots is a path.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from cloudwatch.problems import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = [
    "AGGREGATES",
    "FUNCTIONS",
    "Row",
    "aggregate",
    "as_number",
    "compared",
    "field_of",
    "like",
    "reader_of",
    "text_of",
    "tokens",
]

Row = dict[str, Any]
_TOKEN = re.compile(
    r"(?P<space>\s+|#[^\n]*)|(?P<string>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")|(?P<number>-?\d+(?:\.\d+)?(?![\w.]))"
    r"|(?P<duration>\d+[a-z]+)|(?P<regex>/(?:[^/\\\n]|\\.)+/)|(?P<field>`[^`]+`|@?[A-Za-z_][\w.@]*)|(?P<mark>!=|<=|>=|=~|[=<>(),\[\]|*])"
)


def field_of(row: Row, name: str) -> Any:
    """Return a column of a row, else the value at a path in its event; None where there is none."""
    if name in row:
        return row[name]
    node = row.get("@message")
    if isinstance(node, str):
        try:
            node = row["@parsed"] if "@parsed" in row else row.setdefault("@parsed", json.loads(node))
        except ValueError:
            return None
    for key in name.split("."):
        if isinstance(node, list) and key.isdigit() and int(key) < len(node):
            node = node[int(key)]
        elif isinstance(node, dict) and key in node:
            node = node[key]
        else:
            return None
    return node


def reader_of(name: str) -> Callable[[Row], Any]:
    """Return `field_of` of a name; plain objects, which are nearly all, are gone through without looking for exceptions."""
    keys = tuple(name.split("."))

    def find(row: Row) -> Any:
        if name in row:
            return row[name]
        node = row.get("@message")
        for key in keys:
            if type(node) is not dict:
                return None if node is None else field_of(row, name)
            node = node.get(key)
        return node

    return find


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_number(value: Any) -> float | None:
    """Return a value as a finite number, texts that are numbers too; None where it is none."""
    if _is_number(value):
        return float(value)
    try:
        number = float(value) if isinstance(value, str) else math.nan
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def compared(left: Any, operator: str, right: Any) -> bool:
    """Compare two values, as numbers where both are; an absent value equals nothing."""
    if left is None or right is None:
        return operator == "!=" and left is not right
    numbers = as_number(left), as_number(right)
    a, b = numbers if None not in numbers else (str(left), str(right))
    order = (a > b) - (a < b)  # type: ignore[operator]
    return {"=": order == 0, "!=": order != 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[
        operator
    ]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "coalesce": lambda *values: next((value for value in values if value is not None), None),
    "concat": lambda *values: "".join("" if value is None else str(value) for value in values),
    "strcontains": lambda text, part: int(str(part) in str(text)),
    "tolower": lambda text: None if text is None else str(text).lower(),
    "toupper": lambda text: None if text is None else str(text).upper(),
    "strlen": lambda text: None if text is None else len(str(text)),
    "ispresent": lambda value: int(value is not None),
    "isempty": lambda value: int(value in {None, ""}),
    "isblank": lambda value: int(value is None or not str(value).strip()),
    "abs": lambda value: None if (number := as_number(value)) is None else abs(number),
    "ceil": lambda value: None if (number := as_number(value)) is None else math.ceil(number),
    "floor": lambda value: None if (number := as_number(value)) is None else math.floor(number),
}


def _percentile(values: Sequence[float], percent: float) -> float | None:
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def aggregate(name: str, values: list[Any], rows: list[Row], extra: float) -> Any:
    """Return an aggregate of the values that rows have; `extra` is the percent of pct.

    Raises:
        InvalidValueError: There is none of that name.
    """
    numbers = [number for value in values if (number := as_number(value)) is not None]
    there = [value for value in values if value is not None]
    match name:
        case "count":
            return len(there)
        case "count_distinct":
            return len({json.dumps(value, sort_keys=True) for value in there})
        case "sum":
            return sum(numbers)
        case "avg":
            return sum(numbers) / len(numbers) if numbers else None
        case "min" | "max":
            pick = min if name == "min" else max
            return pick(numbers) if numbers else pick(map(str, there), default=None)
        case "pct":
            return _percentile(numbers, extra)
        case "earliest" | "latest":
            pairs = [(row["@timestamp"], index) for index, row in enumerate(rows) if values[index] is not None]
            return values[(min if name == "earliest" else max)(pairs)[1]] if pairs else None
    raise InvalidValueError(f"The aggregate {name} is not run here")


AGGREGATES = {"count", "count_distinct", "sum", "avg", "min", "max", "pct", "earliest", "latest"}


def like(token: tuple[str, str]) -> Callable[[Any], bool]:
    """Return the test that `like` makes of a text or a regular expression.

    Raises:
        InvalidValueError: The expression is more than is run here: one that could take very long.
    """
    kind, text = token
    if kind == "string":
        part = text_of(token)
        return lambda value: value is not None and part in str(value)
    if kind != "regex":
        raise InvalidValueError(f"like {text or 'nothing'} is not run here")
    body = text[1:-1].replace("\\/", "/")
    flags = re.IGNORECASE if body.startswith("(?i)") else re.NOFLAG
    body = body.removeprefix("(?i)")
    if not re.fullmatch(r"[\w\s^$.*|:;,@#=~<>!&%'\"/ -]*", body) or re.search(r"\*.*\*.*\*|\*\*", body):
        raise InvalidValueError(f"The regular expression {text[:80]} is more than is run here")
    pattern = re.compile(body, flags)
    return lambda value: value is not None and pattern.search(str(value)[:4_000]) is not None


def text_of(token: tuple[str, str]) -> str:
    """Return what a string or a field name says, without its quotes."""
    kind, text = token
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if kind == "string" else text.strip("`")


def tokens(query: str) -> Iterator[tuple[str, str]]:
    """Yield kind and text of each token.

    Raises:
        InvalidValueError: A character begins none.
    """
    position = 0
    while position < len(query):
        found = _TOKEN.match(query, position)
        if found is None:
            raise InvalidValueError(f"The query has {query[position : position + 20]!r}, which is not read here")
        if found.lastgroup != "space":
            yield str(found.lastgroup), found[0]
        position = found.end()
