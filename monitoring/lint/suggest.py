"""Which known name did somebody mean? Remembered, as one misspelling often stands in a thousand alarms."""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache

__all__ = ["closest", "closest_of_many"]

_LONGEST = 100
_MOST = 50


@lru_cache(maxsize=10_000)
def closest(word: str, names: tuple[str, ...], *, cutoff: float = 0.6) -> str | None:
    """Return the name most like a word, None where none is; a name that differs only in case goes first."""
    lower = word.lower()
    same = next((name for name in names if name.lower() == lower), None)
    close = [same] if same else get_close_matches(word[:_LONGEST], names, n=1, cutoff=cutoff)
    return close[0] if close else None


def closest_of_many(word: str, by_start: dict[str, list[str]], *, cutoff: float = 0.7) -> str | None:
    """Return the name most like a word among names of one beginning, however many there are in all.

    Args:
        word: The word.
        by_start: Names by their first four characters in lower case.
        cutoff: How like they have to be, 0 to 1.
    """
    near = [name for name in by_start.get(word[:4].lower(), ()) if abs(len(name) - len(word)) <= 3]
    return closest(word, tuple(near[:_MOST]), cutoff=cutoff)
