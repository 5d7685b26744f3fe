"""Where in a YAML text does a value stand?

The text is composed again, only when something was found in it, and nodes are followed along the path; short forms of
CloudFormation (`!Sub x`) answer to the path of their long form. Inside a scalar its decoded characters are laid along those of
the text, which holds for every style; where the two part, the beginning of the scalar stands for the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from monitoring.lint.json_places import Spot

if TYPE_CHECKING:
    from collections.abc import Iterable

    from monitoring.lint.subjects import Path_

__all__ = ["YamlText"]

_ESCAPE_LENGTHS = {"x": 4, "u": 6, "U": 10}


class YamlText:
    """The nodes of a YAML text."""

    def __init__(self, text: str) -> None:
        self._text = text
        yaml = YAML(typ="safe", pure=True)
        yaml.max_depth = 100
        try:
            self._root: Any = yaml.compose(text)
        except Exception:  # noqa: BLE001 - it was composed before; without nodes everything stands at the beginning
            self._root = None

    def spots(self, paths: Iterable[Path_]) -> dict[Path_, Spot]:
        """Return the spots of wanted paths and of all that hold them; what is not in the text is left out."""
        found: dict[Path_, Spot] = {}
        for path in paths:
            for length, (key, node) in enumerate(self._along(path)):
                found[path[:length]] = self._spot(key, node)
        return found

    def offset(self, path: Path_, offset: int) -> int | None:
        """Return where the character of a scalar stands in the text, None where there is no scalar."""
        steps = list(self._along(path))
        if len(steps) != len(path) + 1 or not isinstance(steps[-1][1], ScalarNode):
            return None
        return self._inside(steps[-1][1], offset)

    def extent(self, path: Path_) -> tuple[int, int] | None:
        """Return the first and last line, counted from 1, of a value with its key; None where it is not in the text."""
        steps = list(self._along(path))
        if len(steps) != len(path) + 1:
            return None
        key, node = steps[-1]
        first = (key or node).start_mark.line + 1
        last = node.end_mark.line + (1 if node.end_mark.column else 0)
        return first, max(first, last)

    def _along(self, path: Path_) -> Iterable[tuple[Any, Any]]:
        node = self._root
        if node is None:
            return
        yield None, node
        tag_used: set[int] = set()
        for step in path:
            key, inner = _step(node, step, tag_used)
            if inner is None:
                return
            node = inner
            yield key, node

    def _spot(self, key: Any, node: Any) -> Spot:
        start = self._content(node)
        end = node.end_mark.index if isinstance(node, ScalarNode) else start + 1
        end = max(start + 1, min(end, len(self._text)))
        if key is None:
            return Spot(-1, -1, start, end)
        return Spot(key.start_mark.index, key.end_mark.index, start, end)

    def _content(self, node: Any) -> int:
        """Return where a node begins, its tag and anchor left behind."""
        position = int(node.start_mark.index)
        text = self._text
        while position < len(text) and text[position] in "!&":
            while position < len(text) and not text[position].isspace():
                position += 1
            while position < len(text) and text[position] in " \t":
                position += 1
        return position

    def _inside(self, node: ScalarNode, offset: int) -> int:
        text, value = self._text, str(node.value)
        position = start = self._content(node)
        indent = 0
        if node.style in {"|", ">"}:
            position = text.find("\n", position) + 1
            while not text[position:].split("\n", 1)[0].strip() and "\n" in text[position:]:
                position = text.find("\n", position) + 1
            line = text[position:].split("\n", 1)[0]
            indent = len(line) - len(line.lstrip(" "))
            position += indent
        elif node.style in {"'", '"'}:
            position += 1
        for char in value[:offset]:
            after = self._after(char, position, style=node.style, indent=indent)
            if after is None:
                return start
            position = after
        while (
            offset < len(value)
            and node.style != "|"
            and position < len(text)
            and text[position].isspace()
            and value[offset : offset + 1] != text[position]
        ):
            position += 1
        return position

    def _after(self, char: str, position: int, *, style: str | None, indent: int) -> int | None:
        text = self._text
        if style == '"' and text[position : position + 1] == "\\":
            return position + _ESCAPE_LENGTHS.get(text[position + 1 : position + 2], 2)
        if style == "'" and char == "'" and text[position : position + 2] == "''":
            return position + 2
        if style == "|" and char == "\n":
            return position + 1 + (indent if text[position + 1 : position + 1 + indent].isspace() else 0)
        if char.isspace():
            if text[position : position + 1] == char == " " and text[position + 1 : position + 2] not in {"\n", "\r"}:
                return position + 1
            while position < len(text) and text[position].isspace():
                position += 1
            return position
        while position < len(text) and text[position] != char and text[position].isspace():
            position += 1
        return position + 1 if text[position : position + 1] == char else None


def _step(node: Any, step: str | int, tag_used: set[int]) -> tuple[Any, Any]:
    tag = str(node.tag or "")
    if tag.startswith("!") and len(tag) > 1 and id(node) not in tag_used:
        if step in {f"Fn::{tag[1:]}", tag[1:]}:
            tag_used.add(id(node))
            return None, node
        return None, None
    if isinstance(node, MappingNode):
        found: tuple[Any, Any] = (None, None)
        for key, value in node.value:
            if str(key.value) == str(step):
                found = (key, value)
        return found
    if isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.value):
        return None, node.value[step]
    return None, None
