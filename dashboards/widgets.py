"""Which kinds of widget do our pages have? A small vocabulary over the values of a dashboard body.

Every constructor says the axis in words, hides CloudWatch's own units (they say "Count" for tokens and "None" for ratios), and
puts the legend under the graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cloudwatch.dashboard.content_rules import ALARMS_PER_WIDGET
from cloudwatch.dashboard.values import (
    AlarmWidget,
    Annotations,
    HorizontalAnnotation,
    LogWidget,
    MetricWidget,
    TableOptions,
    TextWidget,
    YAxes,
    YAxis,
)
from dashboards import palette
from dashboards.layout import Block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alarms.naming import Site
    from cloudwatch.dashboard.values import Row, Summary
    from dashboards.rows import Sheet

__all__ = [
    "alarm_arn",
    "alarm_status",
    "baseline_line",
    "dashboard_link",
    "graph",
    "heading",
    "log_table",
    "markdown_safe",
    "objective_line",
    "stacked",
    "table",
    "text",
    "tile",
]

SIGNAL_PERIOD_S = 60


def tile(sheet: Sheet, *, region: str, title: str, period_s: int = 300) -> MetricWidget:
    """Return the newest value with a sparkline of the time range."""
    return MetricWidget(
        region=region, title=title, view="singleValue", sparkline=True, period_s=period_s, metrics=sheet.rows()
    )


def graph(
    sheet: Sheet,
    *,
    region: str,
    title: str,
    left: str,
    right: str | None = None,
    lines: Sequence[HorizontalAnnotation] = (),
    period_s: int = SIGNAL_PERIOD_S,
    top: float | None = None,
) -> MetricWidget:
    """Return a line graph from 0.

    Args:
        sheet: The rows.
        region: Region of the metrics.
        title: What is drawn, with its unit.
        left: Label of the left axis: the unit.
        right: Label of the right axis, where rows use it.
        lines: Horizontal lines.
        period_s: Seconds of one point.
        top: Upper end of the left axis, for example 100 for a share; None lets CloudWatch choose.
    """
    return MetricWidget(
        region=region,
        title=title,
        view="timeSeries",
        period_s=period_s,
        metrics=sheet.rows(),
        y_axis=YAxes(
            left=YAxis(label=left, min=0, max=top, show_units=False),
            right=None if right is None else YAxis(label=right, min=0, show_units=False),
        ),
        annotations=Annotations(horizontal=tuple(lines)),
        legend_position="bottom",
    )


def stacked(sheet: Sheet, *, region: str, title: str, left: str, period_s: int = SIGNAL_PERIOD_S) -> MetricWidget:
    """Return a stacked graph: parts that add up."""
    return MetricWidget(
        region=region,
        title=title,
        view="timeSeries",
        stacked=True,
        period_s=period_s,
        metrics=sheet.rows(),
        y_axis=YAxes(left=YAxis(label=left, min=0, show_units=False)),
        legend_position="bottom",
    )


def table(
    rows: Sequence[Row], *, region: str, title: str, summary: Sequence[Summary], period_s: int = 300
) -> MetricWidget:
    """Return a table with a line for each visible row: its summary over the time range, and the newest value in its label."""
    return MetricWidget(
        region=region,
        title=title,
        view="table",
        period_s=period_s,
        metrics=tuple(rows),
        table=TableOptions(
            layout="horizontal", show_time_series_data=False, sticky_summary=True, summary_columns=tuple(summary)
        ),
    )


def text(markdown: str) -> TextWidget:
    """Return Markdown on the page's own background."""
    return TextWidget(markdown=markdown, background="transparent")


def heading(title: str, note: str = "") -> Block:
    """Return a section heading over the whole width, with a few words after it."""
    words = f"## {title}" + (f" — {note}" if note else "")
    return Block(content=text(words), width=24, height=1, new_line=True)


def alarm_status(
    names: Sequence[str], *, site: Site, title: str, newest_first: bool = False
) -> tuple[AlarmWidget, ...]:
    """Return the states of alarms by name, in as many widgets as their limit of 100 alarms asks for."""
    parts = [names[start : start + ALARMS_PER_WIDGET] for start in range(0, len(names), ALARMS_PER_WIDGET)]
    return tuple(
        AlarmWidget(
            alarms=tuple(alarm_arn(site, name) for name in part),
            title=title if len(parts) == 1 else f"{title} ({index} of {len(parts)})",
            sort_by="stateUpdatedTimestamp" if newest_first else None,
        )
        for index, part in enumerate(parts, start=1)
    )


def log_table(query: str, *, region: str, title: str) -> LogWidget:
    """Return the table of a CloudWatch Logs Insights query."""
    return LogWidget(region=region, query=query, title=title, view="table")


def baseline_line(value: float, *, label: str, right: bool = False) -> HorizontalAnnotation:
    """Return the line of a value from the configuration that describes a good day."""
    return HorizontalAnnotation(value=value, label=label, color=palette.BASELINE, y_axis="right" if right else None)


def objective_line(value: float, *, label: str) -> HorizontalAnnotation:
    """Return the line of a promise to users."""
    return HorizontalAnnotation(value=value, label=label, color=palette.OBJECTIVE)


def alarm_arn(site: Site, name: str) -> str:
    """Return the ARN of an alarm: known from its name before it exists."""
    return f"arn:{site.partition}:cloudwatch:{site.region}:{site.account_id}:alarm:{name}"


def dashboard_link(site: Site, name: str) -> str:
    """Return the console address of a dashboard."""
    return f"{site.console}/cloudwatch/home?region={site.region}#dashboards/dashboard/{name}"


def markdown_safe(words: str) -> str:
    """Return text from the configuration so that Markdown shows it as it is, on one line and inside a table cell."""
    plain = " ".join(words.split())
    for character in ("\\", "|", "[", "]", "*", "_", "`", "<", ">"):
        plain = plain.replace(character, "\\" + character)
    return plain
