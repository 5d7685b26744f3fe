"""How is a value changed in a file without losing what people wrote around it?

Comments, order, quotes and indentation stay; a file that nobody changed is written back byte by byte.
"""

from __future__ import annotations

import re
from io import StringIO
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["EditableSource"]


class EditableSource:
    """A file whose values can be changed while comments, order and quotes stay.

    Args:
        text: YAML text, at most 1 MiB; parse it with `parse_source` first, which says what is wrong with it.
    """

    def __init__(self, text: str) -> None:
        self._yaml = YAML()
        self._yaml.preserve_quotes = True
        self._yaml.width = 4096
        mapping, offset = _indentation(text)
        self._yaml.indent(mapping=mapping, sequence=offset + 2, offset=offset)
        self._data = self._yaml.load(text)
        self._unchanged: str | None = text

    def get(self, path: Sequence[str | int], default: Any = None) -> Any:
        """Return the value at a path, or `default`."""
        at = self._data
        for part in path:
            try:
                at = at[part]
            except (KeyError, IndexError, TypeError):
                return default
        return at

    def set(self, path: Sequence[str | int], value: Any, *, comment: str | None = None) -> None:
        """Set the value at a path; mappings on the way are made, and a list grows by one at its end.

        `comment` stands at the end of the line.
        """
        self._unchanged = None
        at = self._data
        for part in path[:-1]:
            if isinstance(at, dict) and at.get(part) is None:
                at[part] = type(self._data)()
            at = at[part]
        if isinstance(at, list) and path[-1] == len(at):
            at.append(value)
        else:
            at[path[-1]] = value
        if comment is not None:
            at.yaml_add_eol_comment(comment, path[-1])

    def remove(self, path: Sequence[str | int]) -> None:
        """Remove the value at a path; nothing happens where there is none."""
        parent = self.get(path[:-1]) if len(path) > 1 else self._data
        there = range(len(parent)) if isinstance(parent, list) else parent
        if there is not None and path[-1] in there:
            self._unchanged = None
            del parent[path[-1]]

    def text(self) -> str:
        """Return the file as YAML text; the text that was given where nothing was changed.

        Around a change, spaces inside `{ }` and the columns of comments may move; nothing else does.
        """
        if self._unchanged is not None:
            return self._unchanged
        stream = StringIO()
        self._yaml.dump(self._data, stream)
        return stream.getvalue()


def _indentation(text: str) -> tuple[int, int]:
    """Return how far a file indents mappings, and list items below their key: the first of each decides."""
    mapping = re.search(
        r"^([^\s#-][^\n]*):[^\S\n]*(?:#[^\n]*)?\n(?:[^\S\n]*(?:#[^\n]*)?\n)*( +)[^\s#-]", text, re.MULTILINE
    )
    items = re.search(r"^( *)[^\s#-][^\n]*:[^\S\n]*(?:#[^\n]*)?\n(?:[^\S\n]*(?:#[^\n]*)?\n)*( *)- ", text, re.MULTILINE)
    return (
        len(mapping[2]) if mapping else 2,
        max(0, len(items[2]) - len(items[1])) if items else 2,
    )
