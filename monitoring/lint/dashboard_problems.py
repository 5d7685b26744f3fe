"""Where in a parsed dashboard body is what a JSON pointer names?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from monitoring.lint.subjects import Path_

__all__ = ["body_path"]


def body_path(body: Any, pointer: str) -> tuple[Path_, Any]:
    """Return a JSON pointer as a path, with whole numbers where the body has lists, and the value there."""
    found: list[str | int] = []
    node = body
    for part in pointer.split("/")[1:]:
        step: str | int = part.replace("~1", "/").replace("~0", "~")
        if isinstance(node, list):
            if not part.isdigit():
                break
            step = int(part)
        try:
            node = node[step]
        except (KeyError, IndexError, TypeError):
            found.append(step)
            return tuple(found), None
        found.append(step)
    return tuple(found), node
