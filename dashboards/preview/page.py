"""How does a dashboard become one HTML file? Body values and data in, text out; nothing in it asks the network for anything.

The page's own script and style are the only ones that a content security policy with their hashes lets run. Everything foreign is
either escaped HTML (titles, Markdown) or JSON in a block that no browser runs, and the script writes it as text.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from dashboards.preview import assets
from dashboards.preview.alarms import alarm_records
from dashboards.preview.encoding import Chunks
from dashboards.preview.placement import boxes_of
from dashboards.preview.series import Evaluator
from dashboards.preview.specs import Specs
from dashboards.preview.timespan import shown_span
from dashboards.preview.variables import body_for, choices_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cloudwatch.dashboard.values import DashboardBody, Widget
    from dashboards.preview.cards import Card
    from dashboards.preview.source import PreviewData
    from dashboards.preview.timespan import Span

__all__ = ["PageSource", "Rendered", "render_index", "render_page", "safe_json", "write_document"]

ROW_PX, GAP_PX, HEAD_PX = 44, 8, 112


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSource:
    """One page to be made.

    Attributes:
        title: Name of the dashboard.
        body: What it shows.
        data: What it is drawn from.
        problems: Sentences about the body, shown at the top.
        links: Words, relative address and title of each page of a set, this one among them.
    """

    title: str
    body: DashboardBody
    data: PreviewData
    problems: Sequence[str] = ()
    links: Sequence[tuple[str, str, str]] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A page: its text, how many widgets it has, and about how high it is at full width."""

    html: str
    widgets: int
    height_px: int


def render_page(source: PageSource) -> Rendered:
    """Return the page of a dashboard.

    Raises:
        ProblemsError: The chart library is not installed.
    """
    chunks = Chunks()
    evaluator = Evaluator(source.data)
    specs = Specs(source.data, evaluator=evaluator, chunks=chunks)
    choices = choices_of(source.body, data=source.data)
    bodies = [body_for(source.body, choices, combination) for combination in choices.combinations]
    boxes = boxes_of(source.body.widgets)
    table: list[dict[str, Any]] = []
    widgets: list[dict[str, Any]] = []
    for index, box in enumerate(boxes):
        chunks.open()
        widgets.append({"box": list(box), "specs": _specs_of([body.widgets[index] for body in bodies], specs, table)})
    span, note = shown_span(source.body.start, source.body.end, data=source.data.span, counts_back=source.data.has_now)
    data: dict[str, Any] = {
        "data": [source.data.span.start_s, source.data.span.end_s],
        "shown": [span.start_s, span.end_s],
        "specs": table,
        "widgets": widgets,
        "alarms": alarm_records(source.data),
        "controls": [
            {
                "id": control.variable.id,
                "label": control.variable.label or control.variable.id,
                "input": control.variable.input_type,
                "hidden": control.variable.visible is False,
                "chosen": control.chosen,
                "options": [list(option) for option in control.options],
            }
            for control in choices.controls
        ],
    }
    notes = [*([note] if note else []), *_period_note(source.body), *choices.notes]
    rows = max((box.y + box.height for box in boxes), default=0)
    html = write_document(
        "page.html.j2",
        data=data,
        chunks=chunks.texts(),
        title=source.title,
        about=source.data.about,
        problems=list(source.problems),
        notes=notes,
        links=list(source.links),
    )
    head = (
        HEAD_PX
        + (44 if source.problems or notes else 0)
        + (44 if data["controls"] else 0)
        + (36 if source.links else 0)
    )
    return Rendered(
        html=html,
        widgets=len(boxes),
        height_px=head + _timeline_px(data["alarms"], span) + rows * (ROW_PX + GAP_PX),
    )


def render_index(*, title: str, cards: Sequence[Card], lead: str = "") -> str:
    """Return a page of links.

    Args:
        title: Its heading.
        cards: Each page with its picture.
        lead: What to know before, a sentence or two.
    """
    nothing: dict[str, Any] = {
        "data": [0, 60],
        "shown": [0, 60],
        "specs": [],
        "widgets": [],
        "alarms": [],
        "controls": [],
    }
    return write_document(
        "index.html.j2",
        data=nothing,
        chunks=[],
        title=title,
        about="",
        problems=[],
        notes=[],
        links=[],
        cards=cards,
        lead=lead,
    )


def _specs_of(variants: Sequence[Widget], specs: Specs, table: list[dict[str, Any]]) -> list[int]:
    """Add a spec for each distinct variant of a widget; a widget that no variable changes has one."""
    known: dict[Any, int] = {}
    found: list[int] = []
    for widget in variants:
        if widget.content not in known:
            known[widget.content] = len(table)
            table.append(specs.spec(widget.content))
        found.append(known[widget.content])
    return found if len(known) > 1 else found[:1]


def _timeline_px(records: Sequence[dict[str, Any]], span: Span) -> int:
    """Return about how high the timeline is: a lane for each alarm with actions that went off in a range."""
    if not records:
        return 0
    lanes = 0
    for record in records:
        ends = [run[0] for run in record["runs"][1:]] + [span.end_s]
        off = (
            start < span.end_s and end > span.start_s
            for (start, state), end in zip(record["runs"], ends, strict=True)
            if state == "A"
        )
        lanes += any(off) and (record["acts"] or record["kind"] in {"page", "ticket", "note"})
    return 76 + 22 * (lanes + (lanes > 0))


def _period_note(body: DashboardBody) -> list[str]:
    if body.period_override == "auto":
        return [
            "periodOverride is auto: CloudWatch may choose longer periods for long ranges; widgets keep their own here."
        ]
    return []


def write_document(template: str, *, data: dict[str, Any], chunks: Sequence[str], **words: Any) -> str:
    """Return a whole HTML file.

    Args:
        template: File in templates/.
        data: What the script reads, as JSON.
        chunks: Packed series.
        **words: What the template shows; escaped there.
    """
    library_script, library_style = assets.library()
    script, style = assets.script(), assets.style()
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hash(library_script)} {_hash(script)}",
            f"style-src {_hash(library_style)} {_hash(style)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    template_of = _environment().get_template(template)
    html = template_of.render(
        policy=policy,
        library_script=library_script,
        library_style=library_style,
        script=script,
        style=style,
        data=safe_json(data),
        chunks=chunks,
        **words,
    )
    return html.encode("utf-8", "replace").decode("utf-8")  # JSON may hold half a character, a file may not


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(assets.HERE / "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def safe_json(value: Any) -> str:
    """Return compact JSON that cannot end the script element it stands in: <, > and & are written as escapes."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _hash(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii") + "'"
