"""Which verdicts rest on something AWS does not say? The timeline again, under other settings of each open switch.

A state is fragile where another setting of one switch gives another state at that time, all else equal. Switches that decide
which points a metric filter emits do not appear: they act before there is a store.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cloudwatch.alarm import CompositeAlarm
from cloudwatch.metric import ExpressionQuery
from cloudwatch.stat import Plain, parse_stat
from cloudwatch.switches import alternatives
from cloudwatch.timeline import rerun_timeline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloudwatch.alarm import AlarmState
    from cloudwatch.alarm_points import AlarmReader
    from cloudwatch.timeline import Timeline

__all__ = ["FragileVerdict", "Fragility", "fragile_verdicts"]

_BEFORE_THE_STORE = "filter_"
_OF_COMPOSITES = frozenset({"composite_precedence", "at_least_rounding"})
_OF_FUNCTIONS = {"if_missing": "IF", "average_missing": "AVG", "stddev": "STDDEV", "band_last": "LAST"}


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
    """Return what every other setting of one switch makes of a timeline; only what a switch may touch is run again."""
    composites = any(isinstance(alarm, CompositeAlarm) for alarm in timeline.alarms.values())
    others: dict[tuple[str, object], Timeline] = {}
    for switch, switches in alternatives(timeline.switches):
        affected = {name for name, reader in timeline.readers.items() if _may_touch(switch, reader)}
        if not affected and not (composites and switch in _OF_COMPOSITES):
            continue
        other = rerun_timeline(timeline, switches=switches, affected=affected)
        if any(not np.array_equal(timeline.codes[name], other.codes[name]) for name in timeline.codes):
            others[switch, getattr(switches, switch)] = other
    return Fragility(timeline=timeline, others=others)


def _may_touch(switch: str, reader: AlarmReader) -> bool:
    """Return whether a switch may change a metric alarm's states; a switch that is not known here may."""
    if switch in _OF_COMPOSITES or switch.startswith(_BEFORE_THE_STORE):
        return False
    expressions = [query.expression for query in reader.alarm.queries if isinstance(query, ExpressionQuery)]
    if switch in _OF_FUNCTIONS:
        return any(_OF_FUNCTIONS[switch] in expression for expression in expressions)
    match switch:
        case "scalar_missing":
            return bool(expressions)
        case "percentile":
            return any(not isinstance(parse_stat(query.stat), Plain) for query in reader.metrics)
        case "low_sample_window":
            return reader.sample_rule is not None
        case "dynamodb_missing":
            return any(query.metric.namespace == "AWS/DynamoDB" for query in reader.metrics)
        case _:
            return True
