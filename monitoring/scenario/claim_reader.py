"""What does a scenario expect? States at a time, states that are never entered, who is notified."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from cloudwatch.alarm import AlarmState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cloudwatch.problems import Place
    from monitoring.config.source import Path_
    from monitoring.scenario.reader import Reader

__all__ = ["Claim", "read_claims"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One expectation.

    Attributes:
        place: Where it stands.
        alarm: AlarmName or logical id; None for a claim about notifications.
        at_s: Epoch seconds of the evaluation that is meant.
        state: State that is expected then.
        reason: Part of its reason.
        never: State that must not be entered.
        notified: Alarms whose ALARM actions ran, in order.
    """

    place: Place
    alarm: str | None = None
    at_s: int | None = None
    state: AlarmState | None = None
    reason: str | None = None
    never: AlarmState | None = None
    notified: tuple[str, ...] | None = None


def read_claims(reader: Reader) -> Iterator[Claim]:
    """Yield the expectations of a scenario; what is wrong is kept by the reader."""
    for index, spec in enumerate(reader.data["expect"]):
        path: Path_ = ("expect", index)
        place = reader.source.place(path)
        forms = {
            "at, state": "alarm" in spec and "at" in spec and "state" in spec,
            "never": "alarm" in spec and "never" in spec,
            "notified": "notified" in spec,
        }
        allowed = {
            "at, state": {"alarm", "at", "state", "reason"},
            "never": {"alarm", "never"},
            "notified": {"notified"},
        }
        chosen = [form for form, there in forms.items() if there]
        if len(chosen) != 1 or set(spec) - allowed[chosen[0]]:
            reader.problem(
                path,
                f"an expectation has alarm, at and state (and perhaps reason), or alarm and never, or notified; this has "
                f"{', '.join(spec) or 'nothing'}.",
                "Split it.",
            )
            continue
        if chosen[0] == "notified":
            yield Claim(place=place, notified=tuple(spec["notified"]))
        elif chosen[0] == "never":
            yield Claim(place=place, alarm=spec["alarm"], never=AlarmState(spec["never"]))
        else:
            offset_s = reader.seconds((*path, "at"), default=0)
            if offset_s > reader.duration_s or offset_s % 60:
                after = str(timedelta(seconds=reader.duration_s))
                reader.problem(
                    (*path, "at"),
                    f"at {spec['at']} is no evaluation of this scenario.",
                    f"Give whole minutes up to the duration ({after}).",
                )
            yield Claim(
                place=place,
                alarm=spec["alarm"],
                at_s=reader.start_s + offset_s,
                state=AlarmState(spec["state"]),
                reason=spec.get("reason"),
            )
