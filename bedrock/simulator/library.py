"""Which incidents and healthy weeks are there? The library in `incidents/*.toml` and `weeks/*.toml`, read once.

Anything relative in a file (a quota's remainder, a slower model) is relative to the monitored model, so that every entry
works for every model that meets its `needs`. docs/simulator.md explains the keys.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from bedrock.simulator.incidents import EffectDraw, Incident, Kind, Need, OverQuota, Range
from bedrock.simulator.profile import OBJECTIVE_MARGIN
from bedrock.simulator.scenario import Effect, Label, TrafficShape
from cloudwatch.problems import InvalidValueError

__all__ = ["load_incidents", "parse_incident"]

_INCIDENT_KEYS = {
    "title",
    "needs",
    "minutes",
    "hour",
    "onset_minutes",
    "length_minutes",
    "deep",
    "ample_quotas",
    "traffic_scale",
    "label",
    "objectives",
    "traffic",
    "effects",
}


@cache
def load_incidents() -> tuple[Incident, ...]:
    """Return the library: incidents, then healthy weeks, each by name.

    Raises:
        InvalidValueError: A file of the library holds an unknown key or a wrong value; the message names it.
    """
    here = Path(__file__).parent
    files = [(Kind.INCIDENT, path) for path in sorted((here / "incidents").glob("*.toml"))]
    files += [(Kind.WEEK, path) for path in sorted((here / "weeks").glob("*.toml"))]
    return tuple(
        parse_incident(path.stem, tomllib.loads(path.read_text(encoding="utf-8")), kind=kind) for kind, path in files
    )


def parse_incident(name: str, data: dict[str, Any], *, kind: Kind) -> Incident:
    """Read one file of the library.

    Raises:
        InvalidValueError: An unknown key or a wrong value.
    """
    unknown = set(data) - _INCIDENT_KEYS
    if unknown:
        raise InvalidValueError(f"{name}: unknown key {min(unknown)!r}; known: {', '.join(sorted(_INCIDENT_KEYS))}")
    objectives = {"ttft_margin": OBJECTIVE_MARGIN, "success_rate": 0.99, "latency_margin": 0.0} | data.get(
        "objectives", {}
    )
    label = data.get("label", {})
    try:
        traffic: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in data.get("traffic", {}).items()
        }
        return Incident(
            name=name,
            title=data["title"],
            kind=kind,
            needs=tuple(Need(need) for need in data.get("needs", ())),
            minutes=data.get("minutes", 360 if kind is Kind.INCIDENT else 10_080),
            hour=_range(data.get("hour", [7, 14] if kind is Kind.INCIDENT else 0)),
            onset_minutes=_range(data.get("onset_minutes", [90, 120])),
            length_minutes=_range(data.get("length_minutes", [60, 150])),
            label=Label(pages=tuple(label.get("pages", ())), tickets=tuple(label.get("tickets", ()))),
            ttft_margin=objectives["ttft_margin"] or None,
            latency_margin=objectives["latency_margin"] or None,
            success_rate=objectives["success_rate"] or None,
            deep=data.get("deep"),
            traffic=TrafficShape(**traffic),
            traffic_scale=float(data.get("traffic_scale", 1.0)),
            ample_quotas=bool(data.get("ample_quotas", False)),
            effects=tuple(_effect(entry) for entry in data.get("effects", ())),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidValueError(f"{name}: {error}") from error


def _effect(entry: dict[str, Any]) -> EffectDraw:
    ranges = {key: _range(value) for key, value in entry.items() if key not in {"effect", "over", "whole"}}
    what = OverQuota(entry["over"]) if "over" in entry else Effect(entry["effect"])
    return EffectDraw(effect=what, whole=bool(entry.get("whole", False)), **ranges)


def _range(value: float | list[float]) -> Range:
    low, high = value if isinstance(value, list) else (value, value)
    if low > high:
        raise ValueError(f"range {low} to {high} is upside down")
    return float(low), float(high)
