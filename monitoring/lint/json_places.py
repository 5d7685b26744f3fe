"""Where in a JSON text does a value stand?

One walk over the tokens finds all wanted paths at once, without recursion, whatever the depth; what is not on the way to a wanted
path is only counted through. The text is known to be JSON.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from monitoring.lint.subjects import Path_

__all__ = ["Spot", "json_offset", "json_spots", "wanted_tree"]

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_Tree = dict[str | int, Any]


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a value stands: offsets of its key (or -1) and of itself; the end of an object or list is that of its bracket."""

    key_start: int
    key_end: int
    start: int
    end: int


def wanted_tree(paths: Iterable[Path_]) -> _Tree:
    """Return paths as nested mappings."""
    tree: _Tree = {}
    for path in paths:
        node = tree
        for step in path:
            node = node.setdefault(step, {})
    return tree


def json_spots(text: str, paths: Iterable[Path_]) -> dict[Path_, Spot]:
    """Return the spots of wanted paths and of all that hold them; what is not in the text is left out."""
    spots: dict[Path_, Spot] = {}
    # frames: [is object, position or key, tree, path, key offsets]
    frames: list[list[Any]] = []
    tree: _Tree | None = wanted_tree(paths)
    path: Path_ = ()
    key = (-1, -1)
    skipped = 0
    expects_key = False
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        char = text[start]
        if skipped:
            if char in "{[":
                skipped += 1
            elif char in "}]":
                skipped -= 1
            continue
        if char == ":":
            expects_key = False
        elif char == ",":
            frame = frames[-1]
            expects_key = frame[0]
            if not frame[0]:
                frame[1] += 1
                tree, path, key = frame[2].get(frame[1]), (*frame[3], frame[1]), (-1, -1)
        elif char in "}]":
            frames.pop()
            expects_key = False
        elif expects_key:
            frame = frames[-1]
            name = _decoded(text[start + 1 : end - 1])
            tree, path, key = frame[2].get(name), (*frame[3], name), (start, end)
        elif tree is None:
            skipped = char in "{["
        else:
            opens = char in "{["
            spots[path] = Spot(*key, start, start + 1 if opens else end)
            if opens:
                is_object = char == "{"
                frames.append([is_object, 0, tree, path])
                expects_key = is_object
                if not is_object:
                    tree, path, key = tree.get(0), (*path, 0), (-1, -1)
    return spots


def _decoded(raw: str) -> str:
    if "\\" not in raw:
        return raw
    import json  # noqa: PLC0415 - keys with escapes are rare

    try:
        return str(json.loads(f'"{raw}"', strict=False))
    except ValueError:
        return raw


def json_offset(text: str, start: int, offset: int) -> int:
    r"""Return where, in the text, the character of a string stands.

    Args:
        text: The JSON text.
        start: Offset of the opening quote.
        offset: Position of the character in the decoded string.
    """
    position = start + 1
    end = len(text)
    while offset > 0 and position < end:
        if text[position] != "\\":
            position += 1
            offset -= 1
            continue
        if text[position + 1 : position + 2] != "u":
            position += 2
        else:
            pair = text[position + 2 : position + 4].lower() in {"d8", "d9", "da", "db"}
            position += 12 if pair and text[position + 6 : position + 8] == "\\u" else 6
        offset -= 1
    return min(position, end)
