"""What does every check need? The source, and a way to say where something is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloudwatch.problems import Problem, ProblemSeverity

if TYPE_CHECKING:
    from monitoring.config.source import Path_, Source

__all__ = ["Finder", "Finding"]

Finding = tuple["Path_", Problem]


class Finder:
    """A group of checks over one source that passed the schema.

    Args:
        source: The file.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.data = source.data
        self.shared: dict[str, Any] = self.data.get("models") or {}

    def found(
        self,
        path: Path_,
        code: str,
        message: str,
        hint: str = "",
        *,
        of_key: bool = False,
        severity: ProblemSeverity = ProblemSeverity.ERROR,
    ) -> Finding:
        """Return an error (or a problem of another severity) at the value or key of a path."""
        place = self.source.place(path, of_key=of_key)
        return path, Problem(code=code, message=message, hint=hint, place=place, severity=severity)

    def warned(self, path: Path_, code: str, message: str, hint: str = "", *, of_key: bool = False) -> Finding:
        """Return a warning at the value or key of a path."""
        return self.found(path, code, message, hint, of_key=of_key, severity=ProblemSeverity.WARNING)

    # --- accounts
