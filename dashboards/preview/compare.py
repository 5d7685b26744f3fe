"""What changed between two bodies? Widgets added, removed and changed, side by side, each drawn from its own data.

Widgets are matched by what people know them by: kind and title (a text by its first line, an alarm list by its alarms), in order;
then those that are left by their place and kind. A change names the JSON paths of the widget that differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cloudwatch.dashboard.render import render
from dashboards.preview.alarms import alarm_records
from dashboards.preview.encoding import Chunks
from dashboards.preview.page import PageSource, Rendered, write_document
from dashboards.preview.series import Evaluator
from dashboards.preview.specs import Specs
from dashboards.preview.timespan import shown_span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from cloudwatch.dashboard.values import DashboardBody, Widget

__all__ = ["Difference", "differences", "render_comparison"]

_MAX_PATHS = 12
_MAX_VALUE = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One widget that is not the same in both bodies.

    Attributes:
        verdict: `added`, `removed` or `changed`.
        title: What people know it by.
        before: In the older body, None where it is added.
        after: In the newer body, None where it is removed.
        paths: Path, older and newer value of what differs, as texts.
    """

    verdict: str
    title: str
    before: Widget | None
    after: Widget | None
    paths: tuple[tuple[str, str, str], ...] = ()


def differences(before: DashboardBody, after: DashboardBody) -> tuple[Difference, ...]:
    """Return what differs, in the order of the newer body; removed widgets come where they stood."""
    old, new = _written(before), _written(after)
    pairs = _matched(old, new)
    matched_new = {newer: older for older, newer in pairs}
    gone = [index for index in range(len(old)) if index not in {older for older, _ in pairs}]
    found: list[Difference] = []
    for index, widget in enumerate(after.widgets):
        while gone and gone[0] <= matched_new.get(index, -1):
            found.append(_removed(before.widgets[gone[0]], old[gone[0]]))
            gone.pop(0)
        if index not in matched_new:
            found.append(Difference(verdict="added", title=_title(new[index]), before=None, after=widget))
            continue
        older = matched_new[index]
        paths = tuple(_paths(old[older], new[index], ""))
        if paths:
            title = _title(new[index])
            found.append(
                Difference(verdict="changed", title=title, before=before.widgets[older], after=widget, paths=paths)
            )
    found += [_removed(before.widgets[index], old[index]) for index in gone]
    return tuple(found)


def _removed(widget: Widget, written: dict[str, Any]) -> Difference:
    return Difference(verdict="removed", title=_title(written), before=widget, after=None)


def _written(body: DashboardBody) -> list[dict[str, Any]]:
    widgets: list[dict[str, Any]] = render(body)["widgets"]
    return widgets


def _title(widget: dict[str, Any]) -> str:
    properties = widget["properties"]
    if not isinstance(properties, dict):
        return str(widget["type"])
    title = properties.get("title") or str(properties.get("markdown", "")).strip().split("\n")[0].lstrip("# ")
    return str(title or f"{widget['type']} widget")


def _key(widget: dict[str, Any]) -> tuple[str, str]:
    return widget["type"], _title(widget)


def _matched(old: Sequence[dict[str, Any]], new: Sequence[dict[str, Any]]) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    free_old, free_new = list(range(len(old))), list(range(len(new)))

    def match(key: Any) -> None:
        by_key: dict[Any, list[int]] = {}
        for index in free_old:
            by_key.setdefault(key(old[index]), []).append(index)
        for index in list(free_new):
            candidates = by_key.get(key(new[index]))
            if candidates:
                older = candidates.pop(0)
                pairs.append((older, index))
                free_old.remove(older)
                free_new.remove(index)

    match(lambda widget: (repr(widget["properties"]), _key(widget)))
    match(_key)
    match(lambda widget: (widget["type"], widget.get("x"), widget.get("y")))
    return pairs


def _paths(before: Any, after: Any, path: str) -> Iterator[tuple[str, str, str]]:
    if before == after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys([*before, *after]):
            yield from _paths(before.get(key), after.get(key), f"{path}/{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (left, right) in enumerate(zip(before, after, strict=True)):
            yield from _paths(left, right, f"{path}/{index}")
    else:
        yield path, _short(before), _short(after)


def _short(value: Any) -> str:
    text = "(absent)" if value is None else value if isinstance(value, str) else repr(value)
    return text if len(text) <= _MAX_VALUE else f"{text[:_MAX_VALUE]}..."


def render_comparison(before: PageSource, after: PageSource) -> Rendered:
    """Return the page of what changed from one body to another; variables stand at their defaults.

    Raises:
        ProblemsError: The chart library is not installed.
    """
    found = differences(before.body, after.body)
    chunks = Chunks()
    specs = {
        "before": Specs(before.data, evaluator=Evaluator(before.data), chunks=chunks),
        "after": Specs(after.data, evaluator=Evaluator(after.data), chunks=chunks),
    }
    table: list[dict[str, Any]] = []
    rows = []
    for difference in found:
        sides: dict[str, int | None] = {}
        for side, widget in (("before", difference.before), ("after", difference.after)):
            sides[side] = None if widget is None else len(table)
            if widget is not None:
                chunks.open()
                table.append(specs[side].spec(widget.content))
        paths = difference.paths[:_MAX_PATHS]
        rows.append(
            {
                "verdict": difference.verdict,
                "title": difference.title,
                "paths": paths,
                "more": len(difference.paths) - len(paths),
                **sides,
            }
        )
    span = after.data.span
    shown, _ = shown_span(after.body.start, after.body.end, data=span, counts_back=after.data.has_now)
    counts = {word: sum(one.verdict == word for one in found) for word in ("added", "removed", "changed")}
    same = len(after.body.widgets) - counts["added"] - counts["changed"]
    told = ", ".join(f"{number} {word}" for word, number in counts.items() if number) or "nothing differs"
    data = {
        "data": [span.start_s, span.end_s],
        "shown": [shown.start_s, shown.end_s],
        "specs": table,
        "widgets": [{"specs": [index]} for index in range(len(table))],
        "alarms": alarm_records(after.data),
        "controls": [],
    }
    html = write_document(
        "compare.html.j2",
        data=data,
        chunks=chunks.texts(),
        title=f"{before.title} → {after.title}" if before.title != after.title else f"{after.title}: changes",
        about=f"Widgets: {told}, {same} the same. {after.data.about}",
        problems=list(after.problems),
        notes=_top(before.body, after.body),
        links=list(after.links),
        rows=rows,
    )
    return Rendered(html=html, widgets=len(rows), height_px=240 + sum(370 + 18 * len(row["paths"]) for row in rows))  # type: ignore[arg-type, misc]


def _top(before: DashboardBody, after: DashboardBody) -> list[str]:
    old, new = render(before), render(after)
    for whole in (old, new):
        whole.pop("widgets", None)
    return [f"{path}: {left} became {right}." for path, left, right in _paths(old, new, "")]
