"""Which alarm states does a page show, and under which graph? What the timeline says, as runs of one state.

An alarm belongs to a graph that draws what it compares: the one metric and statistic of a simple alarm, or all the inputs of an
expression together with a line at its threshold. The rest is only in the timeline at the top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cloudwatch.alarm import AlarmState, CompositeAlarm, MetricAlarm
from cloudwatch.alarm_rule import referenced_name
from cloudwatch.dashboard.values import HorizontalAnnotation, MetricRow
from cloudwatch.state_series import STATES
from dashboards.preview.source import PreviewData

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloudwatch.dashboard.values import MetricWidget
    from cloudwatch.timeline import Timeline

__all__ = ["alarm_records", "alarms_under", "name_of"]

_SHORT = {AlarmState.OK: "O", AlarmState.ALARM: "A", AlarmState.INSUFFICIENT_DATA: "I"}
_MAX_REASONS = 40


def name_of(arn: str) -> str:
    """Return the name of an alarm from its ARN, or the text itself where it is a name."""
    return referenced_name(arn)


def alarm_records(data: PreviewData) -> list[dict[str, Any]]:
    """Return every alarm for the page: its name, what it is for, runs of states, and when it notified.

    A record has `name`, `title`, `kind`, `rule` (what it is), `acts` (whether it has actions), `runs` as [second, letter] from
    each start on, and `sent` as [second, letter, actions].
    """
    timeline = data.timeline
    if timeline is None:
        return []
    sent: dict[str, list[list[Any]]] = {}
    for one in timeline.notifications:
        sent.setdefault(one.alarm, []).append([one.at_s, _SHORT[one.state], len(one.actions)])
    records = []
    for name, alarm in timeline.alarms.items():
        runs = _runs(timeline, name)
        records.append(
            {
                "name": name,
                "title": data.titles.get(name, ""),
                "kind": data.kinds.get(name, ""),
                "what": _what(alarm),
                "acts": bool(alarm.alarm_actions),
                "runs": runs,
                "sent": sent.get(name, []),
                "why": _reasons(timeline, name, runs),
            }
        )
    return records


def _runs(timeline: Timeline, name: str) -> list[list[Any]]:
    codes = timeline.codes[name]
    at = [0, *(np.flatnonzero(codes[1:] != codes[:-1]) + 1).tolist()]
    return [[timeline.start_s + tick * timeline.tick_s, _SHORT[STATES[int(codes[tick])]]] for tick in at]


def _reasons(timeline: Timeline, name: str, runs: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return [second, reason] of the times at which the alarm went off, the first ones."""
    entered = [second for second, letter in runs if letter == "A"][:_MAX_REASONS]
    return [[second, timeline.reason_at(name, second)] for second in entered]


def _what(alarm: MetricAlarm | CompositeAlarm) -> str:
    if isinstance(alarm, CompositeAlarm):
        return alarm.rule if len(alarm.rule) <= 300 else f"{alarm.rule[:300]} ..."
    against = "its band" if alarm.threshold is None else f"{alarm.threshold:g}"
    policy = f"{alarm.datapoints_to_alarm} of {alarm.evaluation_periods} x {alarm.period_s} s"
    return f"{alarm.comparison} {against}, {policy}"


def alarms_under(widget: MetricWidget, *, data: PreviewData) -> list[str]:
    """Return the names of the alarms whose states stand under a graph."""
    timeline = data.timeline
    if timeline is None:
        return []
    if widget.annotations.alarms:
        return [name for name in map(name_of, widget.annotations.alarms) if name in timeline.alarms]
    rows = [row for row in widget.metrics if isinstance(row, MetricRow)]
    drawn = {(PreviewData.bare(row.metric), row.stat or widget.stat or "Average") for row in rows}
    shown = {
        (PreviewData.bare(row.metric), row.stat or widget.stat or "Average") for row in rows if row.visible is not False
    }
    lines = {line.value for line in widget.annotations.horizontal if isinstance(line, HorizontalAnnotation)}
    found = []
    for name, alarm in timeline.alarms.items():
        if not isinstance(alarm, MetricAlarm):
            continue
        inputs = {(PreviewData.bare(query.metric), query.stat) for query in alarm.metrics}
        simple = len(alarm.queries) == 1 and inputs <= shown and (not lines or alarm.threshold in lines)
        if simple or (inputs <= drawn and alarm.threshold in lines):
            found.append(name)
    return found
