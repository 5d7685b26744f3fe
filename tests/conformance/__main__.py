"""Replay conformance vectors: `python -m tests.conformance FILE...`; a folder stands for the `.json` files in it and below.

Prints each failing vector and, last, how many passed and failed. Exit code 0 when all passed, 1 when one failed, 2 for usage.
"""

from __future__ import annotations

import sys

from tests.conformance.registry import failures_of, files_of, kinds, read_vectors

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    """Replay the files and return the exit code."""
    if not arguments:
        sys.stderr.write("usage: python -m tests.conformance FILE...\n")
        return 2
    among = kinds()
    passed = failed = 0
    files = [(name, files_of(name)) for name in arguments]
    for name, found in files:
        if not found:
            sys.stderr.write(f"{name}: no .json file in this folder\n")
            return 2
    for path in (path for _, found in files for path in found):
        try:
            vectors = read_vectors(path)
        except (OSError, ValueError) as error:
            sys.stderr.write(f"{path}: not a file of vectors: {error}\n")
            return 2
        for vector in vectors:
            failures = failures_of(vector, among=among)
            passed += not failures
            failed += bool(failures)
            for failure in failures:
                id_ = vector.get("id", "?") if isinstance(vector, dict) else "?"
                sys.stdout.write(f"{path}: {id_}: {failure}\n")
    sys.stdout.write(f"{passed} passed, {failed} failed\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
