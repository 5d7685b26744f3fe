"""Golden files: documents that people can open, compared byte for byte, rewritten by one flag."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

__all__ = ["FLAG", "add_flag", "check_golden"]

FLAG = "--rewrite-golden"


def add_flag(parser: pytest.Parser) -> None:
    """Add the flag; several folders may ask for it."""
    if FLAG not in {name for option in parser._anonymous.options for name in option.names()}:
        parser.addoption(FLAG, action="store_true", default=False, help="write golden files instead of comparing")


def check_golden(path: Path, text: str, *, config: pytest.Config) -> None:
    """Compare a text with a file, or write the file where the flag is given."""
    if config.getoption(FLAG, default=False):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    expected = path.read_text(encoding="utf-8") if path.exists() else ""
    if text != expected:
        lines = difflib.unified_diff(expected.splitlines(), text.splitlines(), "golden", "now", lineterm="", n=1)
        shown = "\n".join(list(lines)[:40])
        raise AssertionError(f"{path.name} differs; look at it, then rewrite it with {FLAG}:\n{shown}")
