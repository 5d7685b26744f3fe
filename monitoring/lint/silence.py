"""Which checks does a document turn off, and until when?

In YAML a comment: `# monitor: disable=no-runbook,no-actions until=2026-12-31`. Between the lines of a resource it counts for
that resource, before the first one for the whole file. In JSON, which has no comments, the Metadata of a resource, or of the template:
`"bedrock-monitor": {"disable": ["no-runbook"], "until": "2026-12-31"}`. `all` stands for every check. The day named is the last one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

__all__ = ["ALL", "METADATA_KEY", "comments_in", "disabled_in", "is_silent"]

METADATA_KEY = "bedrock-monitor"
ALL = "all"
_COMMENT = re.compile(
    r"#[ \t]*monitor:[ \t]*disable=(?P<names>[a-z0-9,-]{1,500})(?:[ \t]+until=(?P<until>\d{4}-\d{2}-\d{2}))?"
)


def disabled_in(metadata: Any) -> dict[str, date | None]:
    """Return what a Metadata section turns off: check name to last day, or None for good."""
    section = metadata.get(METADATA_KEY) if isinstance(metadata, Mapping) else None
    if not isinstance(section, Mapping):
        return {}
    names = section.get("disable")
    names = [names] if isinstance(names, str) else names
    until = section.get("until")
    day = _day(until) if until is not None else None
    if until is not None and day is None:
        return {}  # a date that cannot be read must not silence for good
    return {str(name): day for name in names} if isinstance(names, list) else {}


def comments_in(text: str) -> list[tuple[int, dict[str, date | None]]]:
    """Return the comments that turn checks off: line, counted from 1, and what they turn off."""
    if "monitor:" not in text:
        return []
    found: list[tuple[int, dict[str, date | None]]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if "monitor:" not in line or (comment := _COMMENT.search(line)) is None:
            continue
        until = comment["until"]
        day = _day(until) if until else None
        if until and day is None:
            continue
        found.append((number, {name: day for name in comment["names"].split(",") if name}))
    return found


def is_silent(name: str, disabled: Mapping[str, date | None], *, today: date) -> bool:
    """Whether a check is off today."""
    for key in (name, ALL):
        if key in disabled:
            last = disabled[key]
            if last is None or today <= last:
                return True
    return False


def _day(value: Any) -> date | None:
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        return None
