"""Replay conformance vectors: `python -m tests.conformance FILE...`.

Prints each failing vector and, last, how many passed and failed. Exit code 0 when all passed, 1 when one failed, 2 for usage.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.conformance.registry import failures_of, kinds, read_vectors

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Replay the files and return the exit code."""
    if not arguments:
        sys.stderr.write("usage: python -m tests.conformance FILE...\n")
        return 2
    among = kinds()
    passed = failed = 0
    for name in arguments:
        try:
            vectors = list(read_vectors(Path(name)))
        except (OSError, ValueError, KeyError) as error:
            sys.stderr.write(f"{name}: not a file of vectors: {error}\n")
            return 2
        for vector in vectors:
            failures = failures_of(vector, among=among)
            passed += not failures
            failed += bool(failures)
            for failure in failures:
                sys.stdout.write(f"{name}: {vector.get('id', '?')}: {failure}\n")
    sys.stdout.write(f"{passed} passed, {failed} failed\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
