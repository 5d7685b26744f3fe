"""Which verdicts rest on something AWS does not say? The timeline again, under other settings of each open switch.

A state is fragile where another setting of one switch gives another state at that time, all else equal. Switches that decide
which points a metric filter emits do not appear: they act before there is a store.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloudwatch.switches import alternatives
from cloudwatch.timeline import run_timeline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloudwatch.alarm import AlarmState
    from cloudwatch.timeline import Timeline

__all__ = ["FragileVerdict", "Fragility", "fragile_verdicts"]

_BEFORE_THE_STORE = "filter_"


class FragileVerdict(NamedTuple):
    """A state that another setting would change: the first second of each stretch of it."""

    alarm: str
    at_s: int
    switch: str
    setting: object
    state: AlarmState
    other: AlarmState


@dataclass(frozen=True, kw_only=True, eq=False)
class Fragility:
    """What other settings make of a timeline.

    Attributes:
        timeline: The timeline as it was run.
        others: By switch and setting, the timeline under it, where any state differs.
    """

    timeline: Timeline
    others: Mapping[tuple[str, object], Timeline]

    def at(self, alarm: str, at_s: int) -> tuple[FragileVerdict, ...]:
        """Return the settings under which an alarm's state at a second would be another one."""
        state = self.timeline.state_at(alarm, at_s)
        return tuple(
            FragileVerdict(alarm, at_s, switch, setting, state, other.state_at(alarm, at_s))
            for (switch, setting), other in self.others.items()
            if other.state_at(alarm, at_s) is not state
        )

    def verdicts(self, alarm: str | None = None) -> tuple[FragileVerdict, ...]:
        """Return every stretch of fragile states, of one alarm or of all, by alarm, switch and time."""
        found: list[FragileVerdict] = []
        names = self.timeline.codes if alarm is None else (alarm,)
        for name in names:
            own = self.timeline.codes[name]
            for (switch, setting), other in self.others.items():
                differs = own != other.codes[name]
                begins = np.flatnonzero(differs & ~np.concatenate(([False], differs[:-1])))
                for tick in begins.tolist():
                    at = self.timeline.start_s + tick * self.timeline.tick_s
                    state, instead = self.timeline.state_at(name, at), other.state_at(name, at)
                    found.append(FragileVerdict(name, at, switch, setting, state, instead))
        return tuple(found)


def fragile_verdicts(timeline: Timeline) -> Fragility:
    """Return what every other setting of one switch makes of a timeline; runs it about fifteen times more."""
    others: dict[tuple[str, object], Timeline] = {}
    for switch, setting in alternatives(timeline.switches):
        if switch.startswith(_BEFORE_THE_STORE):
            continue
        other = run_timeline(
            tuple(timeline.alarms.values()),
            store=timeline.store,
            start=timeline.start_s,
            end=timeline.end_s,
            switches=setting,
            mute_rules=timeline.mute_rules,
            supplied=timeline.supplied,
        )
        if any(not np.array_equal(timeline.codes[name], other.codes[name]) for name in timeline.codes):
            others[switch, getattr(setting, switch)] = other
    return Fragility(timeline=timeline, others=others)
