"""What was made? A table for people: stacks, alarms, pages, and what a month costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.table import Table

from alarms.naming import stack_name
from cloudwatch.alarm import CompositeAlarm

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from monitoring.plan import Plan

__all__ = ["StackLine", "stack_lines", "summary_table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StackLine:
    """One stack of the summary.

    Attributes:
        stack: Its name.
        account_id: Where.
        region: Where.
        metric_alarms, composites, dashboards, filters, topics: How many it creates.
    """

    stack: str
    account_id: str
    region: str
    metric_alarms: int
    composites: int
    dashboards: int
    filters: int = 0
    topics: int = 0


def stack_lines(plans: Iterable[Plan]) -> tuple[StackLine, ...]:
    """Return one line for each stack, in the order of the plans."""
    lines: list[StackLine] = []
    for plan in plans:
        site = plan.deployment.site
        for model, alarms, pages in (
            (None, plan.alarms, len(plan.pages)),
            *((each.model.key, each.alarms, 1 if each.page else 0) for each in plan.models),
        ):
            composites = sum(isinstance(entry.alarm, CompositeAlarm) for entry in alarms)
            lines.append(
                StackLine(
                    stack=stack_name(site, model=model),
                    account_id=site.account_id,
                    region=site.region,
                    metric_alarms=len(alarms.entries) - composites,
                    composites=composites,
                    dashboards=pages,
                    filters=0 if model else len(plan.evidence.filters),
                    topics=0 if model else len(plan.notify.topics),
                )
            )
    return tuple(lines)


def summary_table(plans: Sequence[Plan]) -> Table:
    """Return the table that `synth` prints, with totals."""
    lines = stack_lines(plans)
    table = Table(show_footer=True, box=None, pad_edge=False)
    numbers = ("metric_alarms", "composites", "dashboards", "filters", "topics")
    table.add_column("stack", footer=f"{len(lines)} stacks", overflow="fold")
    table.add_column("account", no_wrap=True)
    for name in numbers:
        total = sum(getattr(line, name) for line in lines)
        table.add_column(name.replace("_", " "), footer=str(total), justify="right")
    for line in lines:
        table.add_row(line.stack, line.account_id, *(str(getattr(line, name) or "") for name in numbers))
    return table
