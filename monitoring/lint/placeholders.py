"""What does a template say where its values are open? They read as `${Name}`, and everything around them is still known.

Resolving is that of `cloudwatch.readers.intrinsics`; where that gives up, a placeholder stands. A condition that cannot be known
holds. `TemplatePlaces` goes the way back: from a resolved property to the place it was written at, through Fn::If, Fn::Sub
and Fn::Join.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cloudwatch.readers.intrinsics import NO_VALUE, Resolver, UnresolvedError
from monitoring.lint.subjects import Piece

if TYPE_CHECKING:
    from monitoring.lint.subjects import Path_

__all__ = ["PSEUDO", "PlaceholderResolver", "TemplatePlaces"]

PSEUDO = {
    name: f"${{{name}}}"
    for name in (
        "AWS::Region",
        "AWS::AccountId",
        "AWS::Partition",
        "AWS::StackName",
        "AWS::StackId",
        "AWS::URLSuffix",
    )
}
_VARIABLE = re.compile(r"\$\{(!?)([^}]*)\}")


class PlaceholderResolver(Resolver):
    """A resolver that never gives up."""

    def __init__(self, template: Mapping[str, Any]) -> None:
        super().__init__(template, parameters={}, pseudo=PSEUDO)
        self._unknown_conditions: set[str] = set()

    def resolve(self, value: Any) -> Any:
        """Return the value without functions; what cannot be known is `${...}`."""
        try:
            return super().resolve(value)
        except UnresolvedError:
            return value if isinstance(value, str) else "${...}"

    def condition(self, name: str) -> bool:
        """Return a condition; one that cannot be known holds."""
        if name in self._unknown_conditions:
            return True
        try:
            return super().condition(name)
        except UnresolvedError:
            self._unknown_conditions.add(name)
            return True

    def _call(self, function: str, argument: Any) -> Any:
        try:
            return super()._call(function, argument)
        except UnresolvedError:
            return f"${{{function}}}"

    def _ref(self, name: str) -> Any:
        try:
            return super()._ref(name)
        except UnresolvedError:
            return f"${{{name}}}"

    def _get_att(self, logical_id: str, attribute: str) -> str:
        try:
            return super()._get_att(logical_id, attribute)
        except UnresolvedError:
            return f"${{{logical_id}.{attribute}}}"


class TemplatePlaces:
    """Where the properties of a resource stand in its template."""

    def __init__(self, raw: Any, *, root: Path_, resolver: PlaceholderResolver) -> None:
        self._raw = raw
        self._root = root
        self._resolver = resolver

    def original(self, path: Path_) -> Path_:
        """Return the place of a property, through Fn::If and past entries without value."""
        if not path:
            return self._root[:-1]  # the resource itself, whose key is its name
        return self._trace(path)[0]

    def pieces(self, path: Path_, text: str) -> list[Piece]:
        """Return of which literals a text is composed; empty where a function makes it anew."""
        place, node = self._trace(path)
        found = self._pieces(node, place, 0)
        return found if found and found[-1].end <= len(text) else []

    def _trace(self, path: Path_) -> tuple[Path_, Any]:
        node, place = self._chosen(self._raw, self._root)
        for step in path:
            if isinstance(node, list) and isinstance(step, int):
                found = self._entry(node, place, step)
                if found is None:
                    return place, node
                node, place = found
            elif isinstance(node, Mapping) and step in node and not self._resolver.is_function(node):
                node, place = self._chosen(node[step], (*place, step))
            else:
                return place, node
        return place, node

    def _entry(self, entries: list[Any], place: Path_, wanted: int) -> tuple[Any, Path_] | None:
        seen = 0
        for position, entry in enumerate(entries):
            node, inner = self._chosen(entry, (*place, position))
            if node == {"Ref": "AWS::NoValue"}:
                continue
            if seen == wanted:
                return node, inner
            seen += 1
        return None

    def _chosen(self, node: Any, place: Path_) -> tuple[Any, Path_]:
        """Follow Fn::If to the branch that was read."""
        for _ in range(100):
            if not (self._resolver.is_function(node) and "Fn::If" in node):
                break
            branches = node["Fn::If"]
            if not isinstance(branches, list) or len(branches) != 3 or not isinstance(branches[0], str):
                break
            branch = 1 if self._resolver.condition(branches[0]) else 2
            node, place = branches[branch], (*place, "Fn::If", branch)
        return node, place

    def _pieces(self, node: Any, place: Path_, start: int) -> list[Piece]:
        node, place = self._chosen(node, place)
        if isinstance(node, str):
            return [Piece(path=place, start=start, end=start + len(node))]
        if not self._resolver.is_function(node):
            return []
        if "Fn::Sub" in node:
            argument = node["Fn::Sub"]
            here = (*place, "Fn::Sub")
            return self._of_sub(argument, (argument, here) if isinstance(argument, str) else None, here, start)
        if "Fn::Join" in node:
            return self._of_join(node["Fn::Join"], (*place, "Fn::Join"), start)
        return []

    def _of_sub(self, argument: Any, whole: tuple[str, Path_] | None, here: Path_, start: int) -> list[Piece]:
        if whole is None:
            if not isinstance(argument, list) or not argument or not isinstance(argument[0], str):
                return []
            whole = argument[0], (*here, 0)
        template, place = whole
        found, position, last = [], start, 0
        for variable in _VARIABLE.finditer(template):
            literal = variable.start() - last
            found.append(Piece(path=place, start=position, end=position + literal, source=last))
            position += literal
            one = {"Fn::Sub": variable.group() if isinstance(argument, str) else [variable.group(), *argument[1:]]}
            value = self._resolver.resolve(one)
            length = len(value) if isinstance(value, str) else 0
            position += length
            last = variable.end()
        rest = len(template) - last
        found.append(Piece(path=place, start=position, end=position + rest, source=last))
        return found

    def _of_join(self, argument: Any, here: Path_, start: int) -> list[Piece]:
        if not isinstance(argument, list) or len(argument) != 2 or not isinstance(argument[1], list):
            return []
        separator = self._resolver.resolve(argument[0])
        gap = len(separator) if isinstance(separator, str) else 0
        found, position, written = [], start, 0
        for index, item in enumerate(argument[1]):
            value = self._resolver.resolve(item)
            if value is NO_VALUE:
                continue
            position += gap if written else 0
            written += 1
            found += self._pieces(item, (*here, 1, index), position)
            position += len(value) if isinstance(value, str) else len(str(value))
        return found
