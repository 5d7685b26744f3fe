"""What do the expressions of an alarm or widget mean, and what is wrong with them?

Each expression is parsed and typed once; mistakes are sorted into syntax, unknown ids, and types. numpy is not needed for that,
unlike `cloudwatch.math.program`, which evaluates.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cloudwatch.math.ast import Name, Node, walk
from cloudwatch.math.functions import Type
from cloudwatch.math.parser import parse
from cloudwatch.math.types import Checked, check_types
from cloudwatch.problems import TextSyntaxError
from monitoring.lint.known import has_hole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from monitoring.lint.subjects import Path_

__all__ = ["Entry", "Mistake", "Queries"]


_MOST_CANDIDATES = 100  # a spelling is compared with no more names than a person would


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One metric or expression of an alarm or widget; what is not known is None.

    Attributes:
        path: Where it is: of an alarm below its properties, of a dashboard below its body.
        id: Its id.
        expression: Text of an expression; None for a metric.
        expression_path: Where that text is.
        returned: Whether it is the result, or drawn.
        namespace, name: The metric.
        dimensions: Pairs of name and value, values with holes included; None where not known.
        stat: The statistic.
        period_s: Seconds.
        unit: The unit filter.
        account: The account it is read in.
        region: The Region it is read in.
        paths: Where fields are: `Namespace`, `MetricName`, `Dimensions`, `Stat`, `Period`, `Unit`.
        is_metric: Whether it reads a metric.
        dimension_paths: Where the values of its dimensions are.
        axis: `left` or `right`, on dashboards.
        label: Legend text.
    """

    path: Path_
    paths: Mapping[str, Path_]
    id: str | None = None
    expression: str | None = None
    expression_path: Path_ = ()
    returned: bool = True
    namespace: str | None = None
    name: str | None = None
    dimensions: tuple[tuple[str, Any], ...] | None = None
    stat: str | None = None
    period_s: float | None = None
    unit: str | None = None
    account: str | None = None
    region: str | None = None
    is_metric: bool = True
    axis: str = "left"
    label: str | None = None
    dimension_paths: tuple[Path_, ...] = ()

    def dimension_path(self, position: int) -> Path_:
        """Return where the value of a dimension is; where the metric is, if it is not written there."""
        return self.dimension_paths[position] if position < len(self.dimension_paths) else self.paths["Dimensions"]

    @property
    def title(self) -> str:
        """What messages call it."""
        if not self.is_metric:
            return self.id or "the expression"
        return f"{self.namespace} {self.name}"

    @property
    def is_percentile(self) -> bool:
        """Whether its statistic needs single values: p90, tm99, TM(10%:90%)."""
        return self.stat is not None and (self.stat[:1] == "p" or self.stat[:2].lower() in {"tm", "wm", "iq"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """Something wrong in an expression: `kind` is syntax, unknown-id or type."""

    entry: Entry
    kind: str
    message: str
    hint: str
    span: tuple[int, int]


@dataclass(slots=True, kw_only=True)
class _Reading:
    trees: dict[int, Node] = field(default_factory=dict)
    types: dict[str, Checked] = field(default_factory=dict)
    known: dict[str, Checked] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)


class Queries:
    """The entries of one alarm or widget.

    Args:
        entries: In their order.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = tuple(entries)

    @cached_property
    def by_id(self) -> dict[str, Entry]:
        """Entries with an id, by it."""
        return {entry.id: entry for entry in self.entries if entry.id is not None}

    @property
    def metrics(self) -> tuple[Entry, ...]:
        """The entries that read a metric."""
        return tuple(entry for entry in self.entries if entry.is_metric)

    @cached_property
    def _reading(self) -> _Reading:
        reading = _Reading()
        for position, entry in enumerate(self.entries):
            if entry.is_metric and entry.id is not None:
                reading.types[entry.id] = Checked(type=Type.SERIES, is_metric=True)
            elif entry.expression is not None and not has_hole(entry.expression):
                self._parse(reading, position, entry)
        anything = Checked(type=Type.ANY_SERIES)
        reading.known = {id_: reading.types.get(id_, anything) for id_ in self.by_id}
        self._type(reading)
        return reading

    def _parse(self, reading: _Reading, position: int, entry: Entry) -> None:
        text = entry.expression or ""
        try:
            reading.trees[position] = parse(text)
        except TextSyntaxError as wrong:
            span = (wrong.start, max(wrong.end, wrong.start + 1))
            reading.mistakes.append(
                Mistake(entry=entry, kind="syntax", message=wrong.message, hint=wrong.hint, span=span)
            )

    def _type(self, reading: _Reading) -> None:
        opaque = self.by_id.keys()
        candidates = sorted(opaque)[:_MOST_CANDIDATES]
        waiting = dict(reading.trees)
        needs: dict[int, set[str]] = {}
        for position, tree in list(waiting.items()):
            names = [node for node in walk(tree) if isinstance(node, Name)]
            unknown = [node for node in names if node.id not in opaque]
            for node in unknown:
                close = get_close_matches(node.id, candidates, n=1)
                hint = f"Did you mean {close[0]}?" if close else "Give an entry this Id, or remove the name."
                reading.mistakes.append(
                    Mistake(
                        entry=self.entries[position],
                        kind="unknown-id",
                        message=f"no entry has the id {node.id!r}",
                        hint=hint,
                        span=(node.start, node.end),
                    )
                )
            needs[position] = {node.id for node in names}
            if unknown:
                del waiting[position]
        self._settle(reading, waiting, needs)

    def _settle(self, reading: _Reading, waiting: dict[int, Node], needs: Mapping[int, set[str]]) -> None:
        """Type expressions after those they read; what waits for itself is a circle."""
        expressions = {self.entries[position].id: position for position in waiting}
        blocking = {
            position: {expressions[name] for name in needs[position] if name in expressions} for position in waiting
        }
        readers: dict[int, list[int]] = {}
        for position, others in blocking.items():
            for other in others:
                readers.setdefault(other, []).append(position)
        ready = [position for position, others in blocking.items() if not others]
        while ready:
            position = ready.pop()
            self._check(reading, position, waiting.pop(position))
            for reader in readers.get(position, ()):
                blocking[reader].discard(position)
                if not blocking[reader]:
                    ready.append(reader)
        for position in waiting:
            if any(name in expressions and expressions[name] in waiting for name in needs[position]):
                entry = self.entries[position]
                reading.mistakes.append(
                    Mistake(
                        entry=entry,
                        kind="type",
                        message="the expression reads itself, directly or through others",
                        hint="Break the circle.",
                        span=(0, len(entry.expression or "")),
                    )
                )

    def _check(self, reading: _Reading, position: int, tree: Node) -> None:
        entry = self.entries[position]
        try:
            checked = check_types(tree, text=entry.expression or "", ids=reading.known)
        except TextSyntaxError as wrong:
            span = (wrong.start, max(wrong.end, wrong.start + 1))
            reading.mistakes.append(
                Mistake(entry=entry, kind="type", message=wrong.message, hint=wrong.hint, span=span)
            )
            return
        if entry.id is not None:
            reading.types[entry.id] = reading.known[entry.id] = checked

    @property
    def mistakes(self) -> list[Mistake]:
        """What is wrong, in no order."""
        return self._reading.mistakes

    def tree(self, entry: Entry) -> Node | None:
        """Return the syntax tree of an expression, None where it has none."""
        return self._reading.trees.get(self._positions.get(id(entry), -1))

    @cached_property
    def _positions(self) -> dict[int, int]:
        return {id(entry): position for position, entry in enumerate(self.entries)}

    @property
    def trees(self) -> Iterator[tuple[Entry, Node]]:
        """Expressions that parse, with their trees."""
        for position, tree in self._reading.trees.items():
            yield self.entries[position], tree

    def type_of(self, id_: str | None) -> Type | None:
        """Return the type of an entry, None where not known."""
        checked = self._reading.types.get(id_ or "")
        return None if checked is None else checked.type

    def type_of_node(self, node: Node, entry: Entry) -> Type | None:
        """Return the type of a part of an expression."""
        try:
            return check_types(node, text=entry.expression or "", ids=self._reading.known).type
        except TextSyntaxError:
            return None

    def metrics_under(self, node: Node) -> list[Entry]:
        """Return the metrics that a part of an expression reads, through other expressions too."""
        found: dict[int, Entry] = {}
        seen: set[str] = set()
        waiting = [node]
        while waiting:
            for part in walk(waiting.pop()):
                if isinstance(part, Name) and part.id not in seen:
                    seen.add(part.id)
                    entry = self.by_id.get(part.id)
                    if entry is None:
                        continue
                    if entry.is_metric:
                        found[id(entry)] = entry
                    elif (tree := self.tree(entry)) is not None:
                        waiting.append(tree)
        return list(found.values())

    def expanded(self, node: Node) -> Iterator[Node]:
        """Yield a node and what is below it, with names of other expressions followed, each once."""
        seen: set[str] = set()
        waiting = [node]
        while waiting:
            for part in walk(waiting.pop()):
                yield part
                if isinstance(part, Name) and part.id not in seen:
                    seen.add(part.id)
                    entry = self.by_id.get(part.id)
                    tree = None if entry is None or entry.is_metric else self.tree(entry)
                    if tree is not None:
                        waiting.append(tree)
