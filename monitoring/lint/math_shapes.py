"""Which shapes in an expression does a check look for? Divisions, differences, fillers, guards; and mistakes by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from cloudwatch.math.ast import Call, Chain, Name, Node, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.alarm_view import AlarmView
    from monitoring.lint.dashboard_view import DashboardView
    from monitoring.lint.finding import Found
    from monitoring.lint.math_queries import Entry, Queries
    from monitoring.lint.subjects import Path_
    from monitoring.lint.world import World

__all__ = ["At", "all_queries", "denominators", "expressions", "followed", "guards", "mistakes_of_kind", "parts_with"]


class At(Protocol):
    """Makes a finding at a path of an alarm, or of a dashboard's body."""

    def __call__(self, message: str, path: Path_, *, hint: str = "", span: tuple[int, int] | None = None) -> Found:
        """Return the finding."""
        ...


def _of_alarm(alarm: AlarmView) -> At:
    def at(message: str, path: Path_, *, hint: str = "", span: tuple[int, int] | None = None) -> Found:
        return alarm.found(message, path=path, hint=hint, span=span)

    return at


def _of_widget(dashboard: DashboardView) -> At:
    def at(message: str, path: Path_, *, hint: str = "", span: tuple[int, int] | None = None) -> Found:
        return dashboard.inside(message, inner=path, hint=hint, span=span)

    return at


def mistakes_of_kind(world: World, kind: str) -> Iterator[Found]:
    """Yield the mistakes of one kind in the expressions of alarms and dashboards."""
    for alarm in world.alarms:
        for one in alarm.mistakes:
            if one.kind == kind:
                path = one.entry.expression_path
                yield alarm.found(f"in an expression, {_lower(one.message)}.", path=path, span=one.span, hint=one.hint)
    for dashboard in world.dashboards:
        for widget in dashboard.widgets:
            for one in widget.queries.mistakes:
                if one.kind == kind:
                    path = one.entry.expression_path
                    message = f"in a widget's expression, {_lower(one.message)}; the widget shows an error."
                    yield dashboard.inside(message, inner=path, span=one.span, hint=one.hint)


def _lower(message: str) -> str:
    return message if message[1:2].isupper() else message[:1].lower() + message[1:]


def expressions(world: World) -> Iterator[tuple[Queries, Entry, Node, At]]:
    """Yield every expression that parses, of alarms and dashboards, with the function that makes a finding of it."""
    for alarm in world.alarms:
        for entry, tree in alarm.queries.trees:
            yield alarm.queries, entry, tree, _of_alarm(alarm)
    for dashboard in world.dashboards:
        for widget in dashboard.widgets:
            for entry, tree in widget.queries.trees:
                yield widget.queries, entry, tree, _of_widget(dashboard)


def all_queries(world: World) -> Iterator[tuple[Queries, At]]:
    """Yield the entries of every alarm and every widget, with the view they belong to."""
    for alarm in world.alarms:
        yield alarm.queries, _of_alarm(alarm)
    for dashboard in world.dashboards:
        for widget in dashboard.widgets:
            yield widget.queries, _of_widget(dashboard)


def followed(node: Node, queries: Queries) -> Node:
    """Return the tree that a bare name stands for, where it is the name of an expression."""
    for _ in range(20):
        entry = queries.by_id.get(node.id) if isinstance(node, Name) else None
        tree = None if entry is None or entry.is_metric else queries.tree(entry)
        if tree is None:
            break
        node = tree
    return node


def parts_with(tree: Node, operator: str) -> Iterator[tuple[Chain, Node]]:
    """Yield each use of an operator: the chain and the operand on its right."""
    for node in walk(tree):
        if isinstance(node, Chain):
            for step in node.steps:
                if step.operator == operator:
                    yield node, step.operand


def denominators(tree: Node, queries: Queries) -> Iterator[tuple[Chain, Node]]:
    """Yield each division: the chain and what is divided by, names followed."""
    for chain, operand in parts_with(tree, "/"):
        yield chain, followed(operand, queries)


def guards(tree: Node, queries: Queries) -> set[str]:
    """Return the ids of metrics that a condition of an IF reads."""
    found: set[str] = set()
    for node in queries.expanded(tree):
        if isinstance(node, Call) and node.function == "IF" and node.arguments:
            found |= {entry.id for entry in queries.metrics_under(node.arguments[0]) if entry.id is not None}
    return found
