"""How is a file that people edit written? Whole or not at all, and never over a change that somebody made meanwhile."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from cloudwatch.problems import Place, Problem, ProblemsError

__all__ = ["replace_text"]


def replace_text(path: str | Path, text: str, *, before: str | None) -> None:
    """Write a text file in one step, with the mode it had; a link keeps pointing where it points.

    Args:
        path: Where.
        text: What, UTF-8.
        before: The text that was read; None where there was no file.

    Raises:
        ProblemsError: The file has changed since it was read, or cannot be written; it is as it was.
    """
    target = Path(path).resolve()
    try:
        now = target.read_bytes() if target.exists() else None
        if now != (None if before is None else before.encode()):
            raise _problem("file-changed", f"{path} has changed since it was read; nothing was written.", path)
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".partial", dir=target.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            mask = os.umask(0)
            os.umask(mask)
            Path(name).chmod(target.stat().st_mode & 0o7777 if now is not None else 0o666 & ~mask)
            Path(name).replace(target)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise _problem("file-not-writable", f"{path} cannot be written: {error.strerror}.", path) from error


def _problem(code: str, message: str, path: str | Path) -> ProblemsError:
    return ProblemsError([Problem(code=code, message=message, place=Place(file=str(path)))])
