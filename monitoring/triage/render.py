"""How is a triage told? Text at 80 columns, JSON, Markdown for a chat."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from monitoring.review.render import duration

if TYPE_CHECKING:
    from collections.abc import Iterable

    from monitoring.triage.callers import Affected
    from monitoring.triage.report import AlarmLine, Triage

__all__ = ["as_json", "as_markdown", "as_text"]

WIDTH = 80
_SHOWN_CALLERS = 5
_SHOWN_CHANGES = 8


def as_text(found: Triage) -> str:
    """Return text that fits 80 columns; only addresses are longer, each on a line of its own."""
    blocks = [_fill(f"{found.account} {found.region}, {found.model}, {_clock(found.at_s)} UTC"), _fill(found.sentence)]
    if not found.sure:
        blocks.append(_fill("The states of the alarms could not be read: this verdict rests on numbers alone."))
    blocks.append(_listed("Not seen", found.missing))
    blocks.append(_listed("Evidence", [number.text + (" <" if number.off else "") for number in found.numbers]))
    blocks.append(_listed("In ALARM", [_alarm(line, found.at_s) for line in found.alarms]))
    if found.affected is not None:
        blocks.append(_listed("Who", _callers(found.affected, found.at_s)))
    blocks.append(_listed("It is not", [text.removeprefix("Not ") for text in found.is_not]))
    blocks.append(_listed("First", found.steps, numbered=True))
    changes = [f"{_clock(at)} {name}: {state}" for at, name, state in found.changes[:_SHOWN_CHANGES]]
    blocks.append(_listed("History, newest first", changes))
    if found.links:
        blocks.append("\n".join(["Links", *(f"  {label}\n    {address}" for label, address in found.links)]))
    return "\n\n".join(block for block in blocks if block)


def as_json(found: Triage) -> str:
    """Return every field of the triage; times are epoch seconds."""
    return json.dumps(asdict(found), indent=2, ensure_ascii=False)


def as_markdown(found: Triage) -> str:
    """Return Markdown of modest length."""
    parts = [
        f"**{found.model}** · {found.account} · {found.region} · {_clock(found.at_s)} UTC",
        f"**{found.sentence}**",
    ]
    if not found.sure:
        parts.append("*The states of the alarms could not be read: this verdict rests on numbers alone.*")
    for title, items in (
        ("Not seen", found.missing),
        ("Evidence", [number.text + (" ⚠" if number.off else "") for number in found.numbers]),
        ("In ALARM", [_alarm(line, found.at_s) for line in found.alarms]),
        ("Who", () if found.affected is None else _callers(found.affected, found.at_s)),
        ("It is not", [text.removeprefix("Not ") for text in found.is_not]),
    ):
        if items:
            parts.append("\n".join([f"**{title}**", *(f"- {item}" for item in items)]))
    if found.steps:
        steps = [f"{number}. {step}" for number, step in enumerate(found.steps, start=1)]
        parts.append("\n".join(["**First**", *steps]))
    parts.append(" · ".join(f"[{label}]({address})" for label, address in found.links))
    return "\n\n".join(parts)


def _callers(affected: Affected, at_s: int) -> list[str]:
    if not affected.records:
        return ["no record of a call was found in the evidence"]
    lines = []
    for caller in affected.callers[:_SHOWN_CALLERS]:
        parts = [f"{caller.throttled} throttled"] if caller.throttled else []
        parts += [f"{caller.standard} served standard"] if caller.standard else []
        lines.append(f"{caller.role}: {caller.calls} records, {', '.join(parts) or 'none of them affected'}")
    if len(affected.callers) > _SHOWN_CALLERS:
        lines.append(f"and {len(affected.callers) - _SHOWN_CALLERS} more callers")
    if len(affected.regions) > 1:
        lines.append("served by " + ", ".join(f"{region} {count}" for region, count in affected.regions[:4]))
    if affected.newest_s is not None:
        arrive = "" if affected.delay_s is None else f"; records take {duration(affected.delay_s)} to arrive"
        lines.append(f"CloudTrail evidence: newest call {duration(max(0.0, at_s - affected.newest_s))} ago{arrive}")
    return lines


def _alarm(line: AlarmLine, at_s: int) -> str:
    since = "" if line.since_s is None else f" for {duration(at_s - line.since_s)}"
    state = "" if line.state == "ALARM" else f" is {line.state}"
    severity = f" ({line.severity}{', held back' if line.held_back else ''})" if line.severity else ""
    return f"{'> ' if line.focus else ''}{line.name}{severity}{state}{since}"


def _listed(title: str, items: Iterable[str], *, numbered: bool = False) -> str:
    lines = [
        _fill(item, first=f"{number}. " if numbered else "- ", pad=3 if numbered else 2)
        for number, item in enumerate(items, start=1)
    ]
    return "\n".join([title, *lines]) if lines else ""


def _fill(text: str, *, first: str = "", pad: int = 0) -> str:
    """Wrap text at 80 columns; a word that is longer than a line is broken."""
    indent = "  " if first else ""
    return textwrap.fill(
        text, width=WIDTH, initial_indent=indent + first, subsequent_indent=indent + " " * pad, break_on_hyphens=False
    )


def _clock(at_s: float) -> str:
    return datetime.fromtimestamp(at_s, tz=UTC).strftime("%Y-%m-%d %H:%M")
