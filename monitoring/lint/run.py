"""What is wrong in these files? Files to subjects, subjects through the checks, findings to places.

Nothing is changed and no AWS account is asked. Checks see all files together, so that a composite in one finds its child in another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from monitoring.lint.documents import Document, Unreadable, read_text_document
from monitoring.lint.finding import Finding, Severity
from monitoring.lint.known import shown
from monitoring.lint.places import Locator
from monitoring.lint.registry import CHECKS, UNREADABLE
from monitoring.lint.settings import LintSettings
from monitoring.lint.silence import comments_in, is_silent
from monitoring.lint.sources.detect import KINDS_READ, files_in, subjects_in
from monitoring.lint.world import World
from monitoring.lint.yaml_places import YamlText

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from monitoring.lint.finding import Check, Found
    from monitoring.lint.subjects import Subject

__all__ = ["Report", "Unchanged", "lint", "lint_documents", "unchanged_since"]

_LONG_MESSAGE = 600
Unchanged = frozenset[tuple[str, str, str]]
"""What a base holds already: kind, identity and the properties as text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What came out.

    Attributes:
        findings: In the order of files, lines and columns.
        lines: Lines of each file that was read.
        subjects: How many alarms, filters and dashboards were looked at.
        missing: Files that are not there.
    """

    findings: tuple[Finding, ...]
    lines: Mapping[str, Sequence[str]] = field(default_factory=dict)
    subjects: int = 0
    missing: tuple[str, ...] = ()

    def count(self, severity: Severity) -> int:
        """Return how many findings have a severity."""
        return sum(finding.severity is severity for finding in self.findings)


@dataclass(slots=True, kw_only=True)
class _Loaded:
    documents: list[Document] = field(default_factory=list)
    subjects: list[Subject] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def lint(
    paths: Iterable[str], *, today: date, settings: LintSettings | None = None, base: Iterable[str] = ()
) -> Report:
    """Lint files and folders.

    Args:
        paths: Files and folders; in folders, files of unknown kinds are passed over.
        today: The day, for what is off until a day.
        settings: What the configuration says.
        base: Files and folders of an earlier version: what is the same there is not reported.
    """
    loaded = _load(paths)
    return _checked(loaded, today=today, settings=settings or LintSettings(), unchanged=unchanged_since(base))


def lint_documents(documents: Sequence[Document], *, today: date, settings: LintSettings | None = None) -> Report:
    """Lint documents that are read already; those of unknown kinds are reported."""
    loaded = _Loaded()
    for document in documents:
        _add(loaded, document, given=True)
    return _checked(loaded, today=today, settings=settings or LintSettings(), unchanged=frozenset())


def unchanged_since(paths: Iterable[str]) -> Unchanged:
    """Return what files and folders of an earlier version hold."""
    return frozenset(_fingerprint(subject) for subject in _load(paths).subjects)


def _fingerprint(subject: Subject) -> tuple[str, str, str]:
    return subject.kind.value, subject.identity, repr(sorted(subject.properties.items(), key=lambda item: str(item[0])))


def _load(paths: Iterable[str]) -> _Loaded:
    loaded = _Loaded()
    for path in paths:
        inside = files_in(path)
        for file in [path] if inside is None else inside:
            try:
                document = read_text_document(file)
            except Unreadable as error:
                if error.missing:
                    loaded.missing.append(f"{file}: {error.problem.message}")
                else:
                    loaded.findings.append(_unreadable(error))
                continue
            _add(loaded, document, given=inside is None)
    return loaded


def _add(loaded: _Loaded, document: Document, *, given: bool) -> None:
    try:
        subjects = subjects_in(document)
    except Unreadable as error:
        loaded.documents.append(document)
        loaded.findings.append(_unreadable(error))
        return
    if subjects is None:
        if given:
            hint = "Of Terraform, give the output of terraform show -json." if ".tf" in document.file else ""
            loaded.documents.append(document)
            loaded.findings.append(
                _finding(document.file, f"this is nothing that lint reads. It reads {KINDS_READ}.", hint)
            )
        return
    loaded.documents.append(document)
    loaded.subjects += subjects


def _unreadable(error: Unreadable) -> Finding:
    place = error.problem.place
    return _finding(
        place.file or "", error.problem.message, error.problem.hint, line=place.line or 1, column=place.column or 1
    )


def _finding(file: str, message: str, hint: str, *, line: int = 1, column: int = 1) -> Finding:
    return Finding(
        check=UNREADABLE.name,
        severity=UNREADABLE.severity,
        file=file,
        path="",
        line=line,
        column=column,
        end_column=column + 1,
        message=_printable(message),
        hint=hint,
    )


def _checked(loaded: _Loaded, *, today: date, settings: LintSettings, unchanged: Unchanged) -> Report:
    world = World(loaded.subjects)
    found: dict[int, list[tuple[Check, Found]]] = {}
    same: dict[int, bool] = {}
    for check in CHECKS:
        if is_silent(check.name, settings.off, today=today):
            continue
        for one in check.find(world):
            subject = one.subject
            if is_silent(check.name, subject.disabled, today=today):
                continue
            if unchanged and same.setdefault(id(subject), _fingerprint(subject) in unchanged):
                continue
            found.setdefault(id(subject.document), []).append((check, one))
    findings = list(loaded.findings)
    for document in loaded.documents:
        pairs = found.get(id(document), [])
        if pairs:
            pairs = _not_commented_away(document, pairs, loaded.subjects, today=today)
            findings += _placed(document, pairs, settings)
    order = {document.file: position for position, document in enumerate(loaded.documents)}
    findings.sort(key=lambda one: (order.get(one.file, -1), one.line, one.column, one.check, one.message))
    return Report(
        findings=tuple(dict.fromkeys(findings)),
        lines={document.file: document.text.splitlines() for document in loaded.documents},
        subjects=len(loaded.subjects),
        missing=tuple(loaded.missing),
    )


def _placed(document: Document, pairs: Sequence[tuple[Check, Found]], settings: LintSettings) -> Iterable[Finding]:
    locator = Locator(document, [one for _, one in pairs])
    for check, one in pairs:
        where = locator.where(one)
        yield Finding(
            check=check.name,
            severity=settings.severities.get(check.name, check.severity),
            file=document.file,
            path=_printable(where.path),
            line=where.line,
            column=where.column,
            end_column=where.end_column,
            message=_printable(one.message),
            hint=_printable(one.hint),
            subject=shown(one.subject.name),
        )


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text[:_LONG_MESSAGE])


def _not_commented_away(
    document: Document, pairs: list[tuple[Check, Found]], subjects: Iterable[Subject], *, today: date
) -> list[tuple[Check, Found]]:
    comments = [] if document.is_json else comments_in(document.text)
    if not comments:
        return pairs
    nodes = YamlText(document.text)
    extents = {}
    for subject in subjects:
        if subject.document is document:
            root = subject.places.original(())
            extent = nodes.extent(root)
            if extent is not None:
                extents[id(subject)] = extent
    everywhere: dict[str, date | None] = {}
    inside: dict[int, dict[str, date | None]] = {}
    first = min((extent[0] for extent in extents.values()), default=0)
    lines = document.text.splitlines()
    for number, disabled in comments:
        target = _target(lines, number)
        owners = [key for key, (start, end) in extents.items() if start <= target <= end]
        for key in owners:
            inside.setdefault(key, {}).update(disabled)
        if not owners and target <= first:
            everywhere.update(disabled)
    return [
        (check, one)
        for check, one in pairs
        if not is_silent(check.name, {**everywhere, **inside.get(id(one.subject), {})}, today=today)
    ]


def _target(lines: Sequence[str], number: int) -> int:
    """Return the line that a comment is about: its own, or the next one with anything else on it."""
    if not lines[number - 1].lstrip().startswith("#"):
        return number
    while number < len(lines) and (not lines[number].strip() or lines[number].lstrip().startswith("#")):
        number += 1
    return number + 1
