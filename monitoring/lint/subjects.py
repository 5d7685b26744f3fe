"""What is linted? Alarms, composites, metric filters, dashboards and mute rules, wherever they come from.

A subject has its properties in CloudFormation's spelling, with functions resolved as far as that goes without deploying, and
knows how to find a property in the document it came from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from monitoring.lint.documents import Document

__all__ = ["Kind", "Path_", "Piece", "Places", "SamePlaces", "Subject"]

Path_ = tuple[str | int, ...]


class Kind(StrEnum):
    """What a subject is; the values are for messages."""

    ALARM = "alarm"
    COMPOSITE = "composite alarm"
    FILTER = "metric filter"
    DASHBOARD = "dashboard"
    MUTE = "mute rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a text that stands at one place of a document.

    Attributes:
        path: Where, in the document.
        start: Offset in the whole text.
        end: Offset after its last character.
        source: Offset, in the text at `path`, of its first character.
    """

    path: Path_
    start: int
    end: int
    source: int = 0


class Places(Protocol):
    """Where the properties of a subject stand in its document."""

    def original(self, path: Path_) -> Path_:
        """Return the place of a property, or of the nearest thing that holds it."""
        ...

    def pieces(self, path: Path_, text: str) -> list[Piece]:
        """Return of which parts of the document a text property is composed."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SamePlaces:
    """Properties stand in the document as they are, below a path."""

    root: Path_ = ()

    def original(self, path: Path_) -> Path_:
        """Return the place of a property."""
        return self.root + path

    def pieces(self, path: Path_, text: str) -> list[Piece]:
        """Return the one place of a text."""
        return [Piece(path=self.root + path, start=0, end=len(text))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One thing that is linted.

    Attributes:
        kind: What it is.
        name: Its name as CloudWatch will know it, as far as that is known; may hold `${...}`.
        identity: What tells it from the others of its document: logical id, address, ARN or name.
        properties: In CloudFormation's spelling; what is only known after deployment is text with `${...}`.
        document: Where it comes from.
        places: Where its properties stand there.
        named: Whether its author chose the name, so that two can collide.
        region: Region it is deployed in, where the document says so.
        conditional: Whether it exists under a condition only.
        disabled: Checks that its document turns off for it, each with the last day of that, or None for good.
    """

    kind: Kind
    name: str
    identity: str
    properties: Mapping[str, Any]
    document: Document
    places: Places
    named: bool = True
    region: str | None = None
    conditional: bool = False
    disabled: Mapping[str, date | None] = field(default_factory=dict)
