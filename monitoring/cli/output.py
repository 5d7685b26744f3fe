"""How does a command speak? Data on stdout, messages on stderr, exit codes 0 (fine), 1 (found something), 2 (usage)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloudwatch.problems import Problem, ProblemsError

__all__ = ["FINE", "FOUND", "USAGE", "data", "fail", "problems_text", "refuse", "tell"]

FINE = 0
FOUND = 1
USAGE = 2


def data(text: str) -> None:
    """Write data to stdout, with a newline; a reader that has gone away ends the command quietly (see `main.run`)."""
    sys.stdout.write(f"{text}\n")


def tell(text: str) -> None:
    """Write a message to stderr, with a newline."""
    sys.stderr.write(f"{text}\n")


def refuse(message: str) -> NoReturn:
    """End the command because of how it was called: one line, exit code 2."""
    tell(f"bedrock-monitor: {message}")
    raise typer.Exit(USAGE)


def problems_text(problems: Sequence[Problem]) -> str:
    """Return problems of files with the lines they are about."""
    from pathlib import Path  # noqa: PLC0415 - only on the way out

    from monitoring.problem_output import as_text  # noqa: PLC0415

    lines: dict[str, list[str]] = {}
    for name in {problem.place.file for problem in problems if problem.place.line is not None}:
        if name is not None and Path(name).is_file():
            lines[name] = Path(name).read_text(encoding="utf-8", errors="replace").splitlines()
    return as_text(problems, lines=lines)


def fail(error: ProblemsError | Sequence[Problem]) -> NoReturn:
    """End the command because a file it reads is wrong: its problems as text on stderr, exit code 2.

    For commands that need a right configuration; `validate` prints problems itself, with exit code 1.
    """
    from monitoring.problem_output import summary  # noqa: PLC0415 - only on the way out

    problems = error if not isinstance(error, Exception) else error.problems
    tell(problems_text(problems))
    tell(f"\n{summary(problems)}")
    raise typer.Exit(USAGE)
