"""Where is there a threshold drawn over sums of another period? What it does and why: docs/checks/widget-period.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity
from monitoring.lint.known import number, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.alarm_view import AlarmView
    from monitoring.lint.finding import Found
    from monitoring.lint.math_queries import Entry
    from monitoring.lint.world import World

__all__ = ["CHECK"]


def _find(world: World) -> Iterator[Found]:
    alarms: dict[tuple[object, ...], AlarmView] = {}
    for alarm in world.alarms:
        result = alarm.result
        if (
            result is not None
            and result.is_metric
            and result.stat in {"Sum", "SampleCount"}
            and alarm.threshold is not None
        ):
            alarms[_key(result)] = alarm
    for dashboard in world.dashboards:
        for widget in dashboard.widgets:
            for entry in widget.queries.metrics:
                alarm_ = alarms.get(_key(entry))
                if alarm_ is None or not entry.returned or not entry.period_s or not alarm_.period_s:
                    continue
                if entry.period_s == alarm_.period_s:
                    continue
                for path, line in widget.annotations():
                    if number(line.get("value")) == alarm_.threshold:
                        factor = entry.period_s / alarm_.period_s
                        message = f"the line is the threshold of {alarm_.name[:60]} for {alarm_.period_s:g} s, the curve is a {entry.stat} over {entry.period_s:g} s: it is {factor:g} times as high as what the alarm sees."
                        yield dashboard.inside(
                            message, inner=path, hint=f"Draw it with a period of {alarm_.period_s:g} s."
                        )


def _key(entry: Entry) -> tuple[object, ...]:
    pairs = tuple(sorted((name, text(value)) for name, value in entry.dimensions or ()) if entry.dimensions else ())
    return entry.namespace, entry.name, entry.stat, pairs


CHECK = Check(
    name="widget-period", severity=Severity.RISK, title="A threshold drawn over sums of another period", find=_find
)
