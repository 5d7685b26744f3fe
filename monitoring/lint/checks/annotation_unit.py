"""Where is there a line in another unit than its axis? What it does and why: docs/checks/annotation-unit.md."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from monitoring.lint.catalogue import known_metric
from monitoring.lint.finding import Check, Severity
from monitoring.lint.known import mapping, number, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_WORDS = {
    "ms": re.compile(r"\b(ms|milliseconds?)\b|\d\s*ms\b", re.IGNORECASE),
    "s": re.compile(r"\b(s|sec|seconds?)\b|\d\s*s\b", re.IGNORECASE),
    "%": re.compile(r"%|\bper ?cent\b", re.IGNORECASE),
    "tokens": re.compile(r"\btokens?\b", re.IGNORECASE),
}
_AXIS = {"ms": "ms", "seconds": "s", "percent": "%", "tokens": "tokens"}


def _find(world: World) -> Iterator[Found]:
    for dashboard in world.dashboards:
        for widget in dashboard.widgets:
            entries = [entry for entry in widget.queries.entries if entry.returned]
            sides = {entry.axis for entry in entries}
            for path, line in widget.annotations():
                side = "right" if line.get("yAxis") == "right" else "left"
                if entries and side not in sides:
                    message = (
                        f"the line stands on the {side} axis, where nothing is drawn: it is compared with no curve."
                    )
                    yield dashboard.inside(message, inner=path, hint="Put it, or a metric, on the other axis.")
                    continue
                own = _unit(text(line.get("label")) or "")
                axis = _unit(text(mapping(mapping(widget.properties.get("yAxis")).get(side)).get("label")) or "")
                drawn = {
                    _AXIS.get(known.kind)
                    for entry in entries
                    if entry.axis == side and (known := known_metric(entry.namespace, entry.name))
                }
                only_metrics = all(
                    entry.is_metric and known_metric(entry.namespace, entry.name)
                    for entry in entries
                    if entry.axis == side
                )
                meant = axis or (next(iter(drawn)) if len(drawn) == 1 and only_metrics else None)
                share = (
                    own == "%" and (number(line.get("value")) or 0) > 100
                )  # "80 % of the quota" may stand over tokens
                if own is not None and meant is not None and own != meant and not share:
                    message = f"the line is labelled in {own}, the axis is in {meant}: at {line.get('value')} it means something else than it says."
                    yield dashboard.inside(message, inner=path, hint=f"Give the value in {meant}.")


def _unit(label: str) -> str | None:
    found = [unit for unit, words in _WORDS.items() if words.search(label)]
    return found[0] if len(found) == 1 else None


CHECK = Check(name="annotation-unit", severity=Severity.RISK, title="A line in another unit than its axis", find=_find)
