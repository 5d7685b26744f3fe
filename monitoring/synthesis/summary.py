"""What was made? A table for people: stacks, alarms, pages, and what a month costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.table import Table

from alarms.naming import stack_name
from cloudwatch.alarm import CompositeAlarm
from monitoring.cost import bill

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from alarms.naming import Site
    from monitoring.plan import Plan

__all__ = ["StackLine", "stack_lines", "summary_table"]

_NUMBERS = {
    "metric_alarms": "alarms",
    "composites": "composites",
    "dashboards": "pages",
    "filters": "filters",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StackLine:
    """One stack of the summary.

    Attributes:
        stack: Its name.
        site: Account and Region.
        model: Key of the model, None for the stack of the account and Region.
        metric_alarms, composites, dashboards, filters, topics: How many it creates.
        usd: US dollars a month at list price, without what depends on traffic.
    """

    stack: str
    site: Site
    model: str | None
    metric_alarms: int
    composites: int
    dashboards: int
    usd: float
    filters: int = 0
    topics: int = 0


def stack_lines(plans: Iterable[Plan]) -> tuple[StackLine, ...]:
    """Return one line for each stack, in the order of the plans."""
    lines: list[StackLine] = []
    for plan in plans:
        site = plan.deployment.site
        costs = bill(plan)
        amounts: dict[str | None, float] = {each.model: each.amount for each in costs.models}
        amounts[None] = costs.amount - sum(amounts.values())
        for model, alarms, pages in (
            (None, plan.alarms, len(plan.pages)),
            *((each.model.key, each.alarms, 1 if each.page else 0) for each in plan.models),
        ):
            composites = sum(isinstance(entry.alarm, CompositeAlarm) for entry in alarms)
            lines.append(
                StackLine(
                    stack=stack_name(site, model=model),
                    site=site,
                    model=model,
                    metric_alarms=len(alarms.entries) - composites,
                    composites=composites,
                    dashboards=pages,
                    usd=amounts[model],
                    filters=0 if model else len(plan.evidence.filters),
                    topics=0 if model else len(plan.notify.topics),
                )
            )
    return tuple(lines)


def summary_table(plans: Sequence[Plan]) -> Table:
    """Return the table that `synth` prints, with totals: a line for each account and Region, its models below it."""
    lines = stack_lines(plans)
    table = Table(show_footer=True, box=None, pad_edge=False)
    table.add_column("stack", footer=f"{len(lines)} stacks", no_wrap=True)
    for name, title in _NUMBERS.items():
        total = sum(getattr(line, name) for line in lines)
        table.add_column(title, footer=str(total), justify="right", no_wrap=True)
    table.add_column("USD", footer=f"{sum(line.usd for line in lines):,.2f}", justify="right", no_wrap=True)
    for line in lines:
        site = line.site
        where = f"{site.alias} {site.region}" if line.model is None else f"  {line.model}"
        table.add_row(where, *(str(getattr(line, name) or "") for name in _NUMBERS), f"{line.usd:,.2f}")
    return table
