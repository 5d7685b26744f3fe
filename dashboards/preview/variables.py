"""What do the controls at the top change? A body for each choice, prepared when the page is made.

A `property` variable replaces the value of a property or of a dimension of that name in every widget; a `pattern` variable
replaces a text wherever it stands ("Dashboard body structure and syntax", variables). A page has no CloudWatch to ask, so every
choice is computed beforehand, up to `MAX_CHOICES` combinations; the page says what was left out. `search` with `populateFrom` asks
the store; `__FIRST` is its first answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from cloudwatch.dashboard.reader import read_body
from cloudwatch.dashboard.render import render
from cloudwatch.problems import TextSyntaxError

if TYPE_CHECKING:
    from cloudwatch.dashboard.values import DashboardBody, Variable
    from dashboards.preview.source import PreviewData

__all__ = ["MAX_CHOICES", "Choices", "Control", "body_for", "choices_of"]

MAX_CHOICES = 32
"""Combinations of all variables that a page is prepared for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """One variable as the page offers it.

    Attributes:
        variable: As the body says it.
        options: Pairs of value and label that are prepared, the default first in `chosen`.
        chosen: Index of the default.
        left_out: How many values are not prepared.
    """

    variable: Variable
    options: tuple[tuple[str, str], ...]
    chosen: int
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The controls of a page and every combination that is prepared.

    Attributes:
        controls: In the order of the body; variables without any value are left out.
        combinations: Index of the option of each control; the last control changes fastest.
        notes: What is not prepared, and why.
    """

    controls: tuple[Control, ...]
    combinations: tuple[tuple[int, ...], ...]
    notes: tuple[str, ...]


def choices_of(body: DashboardBody, *, data: PreviewData) -> Choices:
    """Return the controls of a body."""
    notes: list[str] = []
    full: list[Control] = []
    for variable in body.variables:
        options = _options(variable, data=data, notes=notes)
        if not options:
            notes.append(f"Variable {variable.id}: it has no value here, so nothing is replaced.")
            continue
        wanted = variable.default_value
        chosen = next((index for index, (value, _) in enumerate(options) if value == wanted), 0)
        full.append(Control(variable=variable, options=tuple(options), chosen=chosen, left_out=0))
    controls = _limited(full)
    for control in controls:
        if control.left_out:
            name = control.variable.label or control.variable.id
            notes.append(
                f"Variable {name}: {len(control.options)} of {len(control.options) + control.left_out} values are prepared; "
                f"a page holds {MAX_CHOICES} combinations."
            )
    combinations = tuple(product(*(range(len(control.options)) for control in controls)))
    return Choices(controls=controls, combinations=combinations, notes=tuple(notes))


def _limited(controls: list[Control]) -> tuple[Control, ...]:
    """Shorten the longest lists until all combinations fit; the default is kept."""
    counts = [len(control.options) for control in controls]
    while _times(counts) > MAX_CHOICES:
        counts[counts.index(max(counts))] -= 1
    out = []
    for control, count in zip(controls, counts, strict=True):
        options = control.options[:count]
        chosen = control.chosen
        if chosen >= count:
            options, chosen = (*options[:-1], control.options[chosen]), count - 1
        out.append(replace(control, options=options, chosen=chosen, left_out=len(control.options) - count))
    return tuple(out)


def _times(counts: list[int]) -> int:
    result = 1
    for count in counts:
        result *= count
    return result


def _options(variable: Variable, *, data: PreviewData, notes: list[str]) -> list[tuple[str, str]]:
    if variable.values:
        return [(value.value, value.label or value.value) for value in variable.values]
    if variable.search is not None:
        try:
            found = data.searched(None, None).search(variable.search, start_s=data.span.start_s, end_s=data.span.end_s)
        except TextSyntaxError as error:
            notes.append(f"Variable {variable.id}: {error.message}.")
            found = ()
        name = variable.populate_from or variable.property or ""
        values = dict.fromkeys(value for metric in found if (value := metric.dimension(name)) is not None)
        return [(value, value) for value in sorted(values)]
    fixed = variable.default_value or variable.pattern
    return [(fixed, fixed)] if fixed else []


def body_for(body: DashboardBody, choices: Choices, combination: tuple[int, ...]) -> DashboardBody:
    """Return the body as it is with one option of each control."""
    if not combination:
        return body
    widgets: Any = render(body)["widgets"]
    for control, index in zip(choices.controls, combination, strict=True):
        value = control.options[index][0]
        variable = control.variable
        if variable.type == "pattern" and variable.pattern:
            widgets = _with_pattern(widgets, variable.pattern, value)
        elif variable.type == "property" and variable.property:
            widgets = [
                {**widget, "properties": _with_property(widget["properties"], variable.property, value)}
                for widget in widgets
            ]
    read, _ = read_body({"widgets": widgets})
    return replace(body, widgets=read.widgets) if len(read.widgets) == len(body.widgets) else body


def _with_pattern(node: Any, pattern: str, value: str) -> Any:
    match node:
        case str():
            return node.replace(pattern, value)
        case list():
            return [_with_pattern(each, pattern, value) for each in node]
        case dict():
            return {key: _with_pattern(each, pattern, value) for key, each in node.items()}
        case _:
            return node


def _with_property(node: Any, name: str, value: str) -> Any:
    if isinstance(node, dict):
        return {
            key: (
                type(each)(value) if isinstance(each, int) and not isinstance(each, bool) and value.isdigit() else value
            )
            if key == name and isinstance(each, str | int)
            else _with_rows(each, name, value)
            if key == "metrics" and isinstance(each, list)
            else _with_property(each, name, value)
            for key, each in node.items()
        }
    return [_with_property(each, name, value) for each in node] if isinstance(node, list) else node


def _with_rows(rows: list[Any], name: str, value: str) -> list[Any]:
    out = []
    for row in rows:
        if not isinstance(row, list):
            out.append(_with_property(row, name, value))
            continue
        texts = [each for each in row if isinstance(each, str)]
        for index in range(2, len(texts) - 1, 2):
            if texts[index] == name:
                texts[index + 1] = value
        out.append([*texts, *(_with_property(each, name, value) for each in row if isinstance(each, dict))])
    return out
