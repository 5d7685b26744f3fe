"""What does a check want to know of a dashboard? Its body, its widgets, their rows as entries."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cloudwatch.dashboard.validate import validate_body
from monitoring.lint.alarm_view import View
from monitoring.lint.known import filled, has_hole, items, mapping, number, text
from monitoring.lint.math_queries import Entry, Queries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloudwatch.problems import Problem
    from monitoring.lint.finding import Found
    from monitoring.lint.subjects import Path_, Subject

__all__ = ["BODY", "DashboardView", "WidgetView"]

BODY = ("DashboardBody",)
DEFAULT_PERIOD_S = 300
DEFAULT_STAT = "Average"


class DashboardView(View):
    """A dashboard."""

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        self.broken: tuple[str, int] | None = None
        self.body: Any = self._parsed()

    def _parsed(self) -> Any:
        body = self.properties.get("DashboardBody")
        if not isinstance(body, str):
            return None
        try:
            return json.loads(filled(body))
        except json.JSONDecodeError as error:
            if not has_hole(body):  # with a hole nobody can tell what will stand there
                self.broken = error.msg, error.pos
        except RecursionError:
            self.broken = "nested too deep", 0
        except ValueError:
            self.broken = "a number has too many digits", 0
        return None

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What the validator says of the body."""
        if self.body is None:
            return ()
        return validate_body(self.body, text(self.properties.get("DashboardName")))

    @cached_property
    def widgets(self) -> list[WidgetView]:
        """Its widgets, those that are objects."""
        found = enumerate(items(mapping(self.body).get("widgets")))
        return [WidgetView(self, position, widget) for position, widget in found if isinstance(widget, dict)]

    def inside(self, message: str, *, inner: Path_, hint: str = "", span: tuple[int, int] | None = None) -> Found:
        """Return something that was found in the body."""
        return self.found(message, path=BODY, inner=inner, hint=hint, span=span)


class WidgetView:
    """A widget.

    Args:
        dashboard: The dashboard.
        position: Its position.
        raw: Its JSON.
    """

    def __init__(self, dashboard: DashboardView, position: int, raw: Mapping[str, Any]) -> None:
        self.dashboard = dashboard
        self.path: Path_ = ("widgets", position)
        self.raw = raw
        self.properties = mapping(raw.get("properties"))

    @property
    def is_metric(self) -> bool:
        """Whether it draws metrics."""
        return self.raw.get("type") == "metric"

    @property
    def title(self) -> str:
        """Its title."""
        title = self.properties.get("title")
        return title if isinstance(title, str) else ""

    @cached_property
    def queries(self) -> Queries:
        """Its rows, `"."` and `"..."` written out."""
        if not self.is_metric:
            return Queries([])
        found: list[Entry] = []
        above: list[Any] = []
        for position, row in enumerate(items(self.properties.get("metrics"))):
            if not isinstance(row, list):
                continue
            options = row[-1] if row and isinstance(row[-1], dict) else {}
            cells = row[:-1] if row and isinstance(row[-1], dict) else row
            path: Path_ = (*self.path, "properties", "metrics", position)
            if not cells:
                found.append(self._expression(options, (*path, 0)))
                continue
            above = _written_out(cells, above)
            found.append(self._metric(above, cells, options, path))
        return Queries(found)

    def _expression(self, options: Mapping[str, Any], path: Path_) -> Entry:
        expression = options.get("expression")
        return Entry(
            path=path,
            paths={"Period": (*path, "period")},
            id=text(options.get("id")),
            expression=expression if isinstance(expression, str) else None,
            expression_path=(*path, "expression"),
            returned=options.get("visible") is not False,
            period_s=number(options.get("period", self.properties.get("period"))),
            is_metric=False,
            axis=_axis(options),
            label=text(options.get("label")),
            region=text(options.get("region", self.properties.get("region"))),
        )

    def _metric(self, full: list[Any], cells: list[Any], options: Mapping[str, Any], path: Path_) -> Entry:
        last = (*path, len(cells))
        short = len(cells) < len(full)
        names = full[2::2]
        pairs = tuple(zip(names, full[3::2], strict=False))
        known = all(isinstance(name, str) and not has_hole(name) for name in names) and len(full) % 2 == 0
        stat_path = (*last, "stat") if "stat" in options else (*self.path, "properties", "stat")
        return Entry(
            path=path,
            paths={
                "Namespace": path if short else (*path, 0),
                "MetricName": path if short else (*path, 1),
                "Dimensions": path,
                "Stat": stat_path,
                "Period": (*last, "period") if "period" in options else (*self.path, "properties", "period"),
                "Unit": path,
            },
            id=text(options.get("id")),
            returned=options.get("visible") is not False,
            namespace=text(full[0]) if full else None,
            name=text(full[1]) if len(full) > 1 else None,
            dimensions=pairs if known else None,
            stat=text(options.get("stat", self.properties.get("stat", DEFAULT_STAT))),
            period_s=number(options.get("period", self.properties.get("period", DEFAULT_PERIOD_S))),
            account=text(options.get("accountId", self.properties.get("accountId"))),
            axis=_axis(options),
            label=text(options.get("label")),
            region=text(options.get("region", self.properties.get("region"))),
            dimension_paths=() if short else tuple((*path, 3 + 2 * position) for position in range(len(pairs))),
        )

    def annotations(self) -> list[tuple[Path_, Mapping[str, Any]]]:
        """Return its horizontal annotations, bands as their two lines, with their places."""
        root: Path_ = (*self.path, "properties", "annotations", "horizontal")
        found: list[tuple[Path_, Mapping[str, Any]]] = []
        for position, one in enumerate(items(mapping(self.properties.get("annotations")).get("horizontal"))):
            if isinstance(one, dict):
                found.append(((*root, position), one))
            found += [((*root, position, part), line) for part, line in enumerate(items(one)) if isinstance(line, dict)]
        return found


def _axis(options: Mapping[str, Any]) -> str:
    return "right" if options.get("yAxis") == "right" else "left"


def _written_out(cells: list[Any], above: list[Any]) -> list[Any]:
    """Return the cells of a row with those of the row above where it repeats them."""
    if cells and cells[0] == "...":
        rest = cells[1:]
        cells = [*above[: max(0, len(above) - len(rest))], *rest]
    return [above[place] if cell == "." and place < len(above) else cell for place, cell in enumerate(cells)]
