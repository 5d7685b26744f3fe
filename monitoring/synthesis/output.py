"""Where does a cloud assembly go, so that nobody ever deploys half of one?

Synthesis writes into a fresh folder next to the target; only a complete assembly takes the target's place, as a whole, so no
template of a stack that is gone stays behind.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cloudwatch.problems import Problem, ProblemsError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["replacing"]

_MARKS = ("cdk.out", "manifest.json")


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Give a fresh folder that takes the place of `target` when the block ends well and vanishes when it does not.

    Args:
        target: The folder that is made or replaced.

    Raises:
        ProblemsError: The target exists and is no cloud assembly, or its parent cannot be written.
    """
    _check(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        raise ProblemsError([_problem(f"cannot write next to {target}: {error.strerror}")]) from None
    try:
        yield fresh
        fresh.chmod(0o755)
        _swap(fresh, target)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def _check(target: Path) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise ProblemsError([_problem(f"{target} is a file, the output is a folder")])
    if any(target.iterdir()) and not any((target / mark).exists() for mark in _MARKS):
        raise ProblemsError([_problem(f"{target} holds files that are no cloud assembly; they would be lost")])


def _problem(message: str) -> Problem:
    return Problem(code="output-folder", message=message, hint="Name another folder with --out.")


def _swap(fresh: Path, target: Path) -> None:
    if not target.exists():
        fresh.rename(target)
        return
    old = target.with_name(f".{target.name}-old-{os.getpid()}")
    target.rename(old)
    fresh.rename(target)
    shutil.rmtree(old, ignore_errors=True)
