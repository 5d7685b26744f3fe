"""What is a check, and what does it find?

A check looks at the world of subjects and yields `Found` values, which name a property; where that property stands in
somebody's file is worked out later, and only for what was found (`monitoring.lint.places`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from monitoring.lint.subjects import Path_, Subject
    from monitoring.lint.world import World

__all__ = ["Check", "Finding", "Found", "Severity"]


class Severity(StrEnum):
    """How much a finding matters: a bug does not work, a risk will hurt one day, style hurts who reads it."""

    BUG = "bug"
    RISK = "risk"
    STYLE = "style"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a check found.

    Attributes:
        subject: The alarm, filter or dashboard.
        path: Path of the property, in CloudFormation's spelling, below the subject's properties.
        message: What is wrong and what follows from it, one or two sentences.
        hint: What to do, as an instruction.
        inner: Path inside the dashboard body where `path` is the body; None elsewhere.
        span: Offsets of the guilty characters in the text at that place, the end excluded; None for all of it.
    """

    subject: Subject
    path: Path_
    message: str
    hint: str = ""
    inner: Path_ | None = None
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A check.

    Attributes:
        name: Kebab-case; the module is the same with underscores, the page is docs/checks/<name>.md.
        severity: Unless the configuration says otherwise.
        title: What it finds, a few words.
        find: Yields what it finds.
    """

    name: str
    severity: Severity
    title: str
    find: Callable[[World], Iterator[Found]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is shown.

    Attributes:
        check: Name of the check.
        severity: Severity in force.
        file: File as the user named it.
        path: JSON pointer into the file, as the file spells it.
        line: Line, counted from 1.
        column: Column, counted from 1.
        end_column: Column after the last guilty character on that line.
        message: What is wrong and what follows.
        hint: What to do.
        subject: Name of the alarm, filter or dashboard; empty for a file that cannot be read.
    """

    check: str
    severity: Severity
    file: str
    path: str
    line: int
    column: int
    end_column: int
    message: str
    hint: str
    subject: str = ""
