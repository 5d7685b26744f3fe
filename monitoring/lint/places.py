"""Where in the file does a finding stand? Line, column and the guilty characters.

Computed for findings only, all of a document in one walk. A finding may be inside a text inside a text (an expression in a
dashboard body in a template): each layer knows how its characters are written in the one around it.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cloudwatch.readers.fields import pointer
from monitoring.lint.json_places import Spot, json_offset, json_spots
from monitoring.lint.known import filled
from monitoring.lint.yaml_places import YamlText

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from monitoring.lint.documents import Document
    from monitoring.lint.finding import Found
    from monitoring.lint.subjects import Path_, Piece, Subject

__all__ = ["Locator", "Where"]

_NOWHERE = Spot(-1, -1, 0, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """A place in a file: JSON pointer, line and columns counted from 1, the end excluded."""

    path: str
    line: int
    column: int
    end_column: int


class Locator:
    """Finds places in one document.

    Args:
        document: The document.
        found: Everything that was found in it.
    """

    def __init__(self, document: Document, found: Iterable[Found]) -> None:
        self._document = document
        self._text = document.text
        self._lines = [0]
        position = self._text.find("\n")
        while position >= 0:
            self._lines.append(position + 1)
            position = self._text.find("\n", position + 1)
        self._bodies: dict[int, tuple[str, dict[Path_, Spot]]] = {}
        self._pieces: dict[tuple[int, Path_], list[Piece]] = {}
        findings = list(found)
        self._plan_bodies(findings)
        wanted = set()
        for one in findings:
            wanted.add(one.subject.places.original(one.path + (one.inner or ())))
            if one.inner is not None or one.span is not None:
                wanted.update(piece.path for piece in self._pieces_of(one))
        self._yaml = None if document.is_json else YamlText(self._text)
        self._spots = json_spots(self._text, wanted) if self._yaml is None else self._yaml.spots(wanted)

    def where(self, found: Found) -> Where:
        """Return the place of something that was found."""
        places = found.subject.places
        full = places.original(found.path + (found.inner or ()))
        start, end = self._span(found, full)
        return self._place(pointer(*full) + self._inner_pointer(found, full), start, end)

    def _inner_pointer(self, found: Found, full: Path_) -> str:
        """A body that is text has no pointer of its own in the file: the path inside follows after the text's."""
        return pointer(*found.inner) if found.inner and full[-len(found.inner) :] != found.inner else ""

    def _span(self, found: Found, full: Path_) -> tuple[int, int]:
        spot = self._nearest(full)
        if found.inner is not None and full[-len(found.inner) :] != found.inner:
            inner = self._body_span(found)
            return (spot.start, spot.end) if inner is None else self._mapped(found, *inner) or (spot.start, spot.end)
        if found.span is not None:
            if found.inner is not None:  # a bare body: its texts are values of the document
                return self._in_value(full, *found.span) or (spot.start, spot.end)
            return self._mapped(found, *found.span) or (spot.start, spot.end)
        exact = self._spots.get(full)
        is_container = spot.end - spot.start == 1 and self._text[spot.start : spot.start + 1] in {"{", "["}
        if spot.key_start >= 0 and (exact is None or is_container or self._text[spot.start : spot.start + 1] in "|>\n"):
            return spot.key_start, spot.key_end
        if spot.key_start >= 0 and self._line(spot.start) != self._line(spot.key_start):
            return spot.key_start, spot.key_end
        return spot.start, spot.end

    def _plan_bodies(self, findings: Sequence[Found]) -> None:
        wanted: dict[int, tuple[Subject, list[Path_]]] = {}
        for one in findings:
            if one.inner is not None:
                wanted.setdefault(id(one.subject), (one.subject, []))[1].append(one.inner)
        for key, (subject, paths) in wanted.items():
            body = subject.properties.get("DashboardBody")
            if isinstance(body, str):
                text = filled(body)
                self._bodies[key] = text, json_spots(text, paths)

    def _pieces_of(self, found: Found) -> list[Piece]:
        key = id(found.subject), found.path
        if key not in self._pieces:
            self._pieces[key] = found.subject.places.pieces(found.path, self._property_text(found))
        return self._pieces[key]

    def _property_text(self, found: Found) -> str:
        value: object = found.subject.properties
        for step in found.path:
            try:
                value = value[step]  # type: ignore[index]
            except (KeyError, IndexError, TypeError):
                return ""
        return value if isinstance(value, str) else ""

    def _body_span(self, found: Found) -> tuple[int, int] | None:
        """Return the offsets, in the body's text, of what was found in it."""
        body, spots = self._bodies.get(id(found.subject), ("", {}))
        inner = found.inner or ()
        exact = spots.get(inner)
        if exact is not None and found.span is not None and body[exact.start : exact.start + 1] == '"':
            return json_offset(body, exact.start, found.span[0]), json_offset(body, exact.start, found.span[1])
        while inner not in spots:
            if not inner:
                return None
            inner = inner[:-1]
        spot = spots[inner]
        return (spot.key_start, spot.key_end) if exact is None and spot.key_start >= 0 else (spot.start, spot.end)

    def _mapped(self, found: Found, start: int, end: int) -> tuple[int, int] | None:
        """Return the offsets in the file of characters of a text property."""
        for piece in self._pieces_of(found):
            if piece.start <= start < piece.end or (start == piece.end and start == end):
                shift = piece.source - piece.start
                return self._in_value(piece.path, start + shift, min(end, piece.end) + shift)
        return None

    def _in_value(self, path: Path_, start: int, end: int) -> tuple[int, int] | None:
        spot = self._spots.get(path)
        if spot is None:
            return None
        if self._yaml is None:
            if self._text[spot.start : spot.start + 1] != '"':
                return None
            first = json_offset(self._text, spot.start, start)
            return first, json_offset(self._text, first - 1, end - start)
        begin, after = self._yaml.offset(path, start), self._yaml.offset(path, end)
        return None if begin is None or after is None else (begin, max(begin + 1, after))

    def _nearest(self, path: Path_) -> Spot:
        while path not in self._spots:
            if not path:
                return _NOWHERE
            path = path[:-1]
        return self._spots[path]

    def _line(self, offset: int) -> int:
        return bisect_right(self._lines, offset)

    def _place(self, path: str, start: int, end: int) -> Where:
        line = self._line(start)
        begin = self._lines[line - 1]
        line_end = self._lines[line] - 1 if line < len(self._lines) else len(self._text)
        column = start - begin + 1
        return Where(path=path, line=line, column=column, end_column=max(column + 1, min(end, line_end) - begin + 1))
