"""What does a command that talks to AWS show while it works? A bar on stderr where somebody watches, a line where nobody does."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from monitoring.cli.output import tell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["counting", "now_s", "working"]


def now_s() -> int:
    """Return the present second since 1970."""
    return int(time.time())


@contextmanager
def working(title: str) -> Iterator[Callable[[str], None]]:
    """Show a spinner; the value takes what is being read just now."""
    from rich.console import Console  # noqa: PLC0415 - after --help

    console = Console(stderr=True)
    if not console.is_terminal:
        tell(f"{title} ...")
        yield lambda _: None
        return
    with console.status(f"{title} ...") as status:
        yield lambda what: status.update(f"{title}: {what} ...")


@contextmanager
def counting(title: str, *, total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar; the value takes how many more of the total are done."""
    from rich.console import Console  # noqa: PLC0415 - after --help
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    console = Console(stderr=True)
    if not console.is_terminal:
        tell(f"{title}: {total} ...")
        yield lambda _: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(title, total=total)
        yield lambda more: progress.update(task, advance=more)
