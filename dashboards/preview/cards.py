"""What is a page, at a glance? A small picture of it and a strip of its alarms, for the index of several pages.

Both are SVG without styles in attributes, because the page forbids these. A picture shows the upper part of a page: graphs with their
lines, tiles with theirs, alarm widgets as the states at the end. It says what a page is like and is not for reading values.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from cloudwatch.dashboard.values import AlarmWidget, MetricWidget, TextWidget
from dashboards.preview.alarms import alarm_records, name_of
from dashboards.preview.placement import boxes_of
from dashboards.preview.series import Evaluator

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from cloudwatch.dashboard.values import Content, DashboardBody
    from dashboards.preview.placement import Box
    from dashboards.preview.source import PreviewData
    from dashboards.preview.timespan import Span

__all__ = ["Card", "Lane", "alarm_strip", "lanes_of", "page_picture", "polyline", "shared_prefix"]

_CELL = 10
_ROWS = 18
_POINTS = 48
_PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00")
_CALLS = ("page", "ticket", "note")
_MAX_LANES = 5
_WIDE, _LANE, _NAME = 560, 18, 190
_NONE = Markup("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A page on an index.

    Attributes:
        title: Its name.
        address: Relative address.
        told: What one finds there, a sentence or two.
        picture: SVG of the page, or nothing.
        strip: SVG of its alarms, or nothing.
    """

    title: str
    address: str
    told: str
    picture: Markup = _NONE
    strip: Markup = _NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """An alarm on a strip: its name as it is shown, its severity, when it was in ALARM (from, to) and when it notified; seconds since 1970."""

    name: str
    kind: str = ""
    alarm: tuple[tuple[int, int], ...] = ()
    sent: tuple[int, ...] = ()


def lanes_of(data: PreviewData) -> list[Lane]:
    """Return the alarms with actions or a severity that went off, those that notified first."""
    lanes = []
    records = alarm_records(data)
    prefix = shared_prefix([record["name"] for record in records])
    for record in records:
        ends = [at for at, _ in record["runs"][1:]] + [data.span.end_s]
        alarm = tuple((at, end) for (at, letter), end in zip(record["runs"], ends, strict=True) if letter == "A")
        sent = tuple(at for at, letter, _ in record["sent"] if letter == "A")
        if alarm and (record["acts"] or record["kind"] in _CALLS):
            lanes.append(Lane(name=record["name"].removeprefix(prefix), kind=record["kind"], alarm=alarm, sent=sent))
    return sorted(lanes, key=lambda lane: (not lane.sent, _CALLS.index(lane.kind) if lane.kind in _CALLS else 3))


def alarm_strip(lanes: Sequence[Lane], *, span: Span, clock: str = "%H:%M") -> Markup:
    """Return a line for each alarm, red where it was in ALARM, with a mark where it notified, and the time at both ends.

    Args:
        lanes: The alarms; the first five are drawn, the others counted.
        span: From when to when.
        clock: How a time is written, as of strftime; UTC.
    """
    if not lanes:
        return _NONE
    shown = lanes[:_MAX_LANES]
    parts = []

    def x(second: float) -> float:
        return _NAME + (_WIDE - _NAME - 6) * (second - span.start_s) / span.length_s

    for index, lane in enumerate(shown):
        top = 4 + index * _LANE
        parts.append(
            f'<text class="lane-name {escape(lane.kind)}" x="0" y="{top + 11}">{escape(_cut(lane.name))}</text>'
        )
        parts.append(f'<rect class="quiet" x="{_NAME}" y="{top + 6}" width="{_WIDE - _NAME - 6}" height="3"/>')
        for start, end in lane.alarm:
            first, last = x(max(start, span.start_s)), x(min(end, span.end_s))
            if last > first:
                parts.append(
                    f'<rect class="off" x="{first:.1f}" y="{top + 2}" width="{max(2.0, last - first):.1f}" height="11" rx="2"/>'
                )
        parts += [
            f'<path class="mark" d="M{x(at) - 4.5:.1f} {top - 3}h9l-4.5 7z"/>'
            for at in lane.sent
            if span.start_s <= at < span.end_s
        ]
    base = 4 + len(shown) * _LANE + 9
    more = f"and {len(lanes) - len(shown)} more" if len(lanes) > len(shown) else ""
    for words, place, anchor in (
        (more, 0, "start"),
        (_clock(span.start_s, clock), _NAME, "start"),
        (_clock(span.end_s, clock), _WIDE - 6, "end"),
    ):
        parts.append(f'<text class="when" x="{place}" y="{base}" text-anchor="{anchor}">{words}</text>')
    told = "; ".join(
        f"{lane.name} {'notified at ' + _clock(lane.sent[0], clock) if lane.sent else 'notified nobody'}"
        for lane in shown
    )
    return Markup(  # noqa: S704 - numbers and escaped text
        f'<svg class="alarm-strip" viewBox="0 -2 {_WIDE} {base + 5}" role="img" aria-label="Alarms: {escape(told)}">'
        f"{''.join(parts)}</svg>"
    )


def page_picture(body: DashboardBody, *, data: PreviewData) -> Markup:
    """Return a small picture of the upper part of a dashboard, drawn from its data."""
    evaluator = Evaluator(data)
    parts: list[str] = []
    for box, widget in zip(boxes_of(body.widgets), body.widgets, strict=True):
        if box.y < _ROWS:
            parts += _inside(box, widget.content, evaluator=evaluator, data=data)
    return _framed(parts)


def polyline(values: NDArray[np.float64], *, box: tuple[float, float, float, float], color: str) -> str:
    """Return a line through values within a box (left, top, width, height); gaps are left out and 0 is at the bottom."""
    size = max(1, len(values) // _POINTS)
    cut = len(values) // size * size
    blocks = np.where(np.isfinite(values[:cut]), values[:cut], -np.inf).reshape(-1, size).max(axis=1)
    known = np.isfinite(blocks)
    if not known.any():
        return ""
    top = float(blocks[known].max()) or 1.0
    left, upper, width, height = box
    step = width / max(1, len(blocks) - 1)
    points = " ".join(
        f"{left + index * step:.1f},{upper + height * (1 - min(1.0, max(0.0, value / top))):.1f}"
        for index, value in enumerate(blocks)
        if np.isfinite(value)
    )
    return f'<polyline points="{points}" stroke="{escape(color)}"/>'


def _framed(parts: Sequence[str]) -> Markup:
    return Markup(  # noqa: S704 - numbers and escaped colours
        f'<svg class="page-picture" viewBox="0 0 {24 * _CELL} {_ROWS * _CELL}" aria-hidden="true">{"".join(parts)}</svg>'
    )


def _inside(box: Box, content: Content, *, evaluator: Evaluator, data: PreviewData) -> Iterator[str]:
    left, top = box.x * _CELL + 0.8, box.y * _CELL + 0.8
    width, height = box.width * _CELL - 1.6, box.height * _CELL - 1.6
    if isinstance(content, TextWidget):
        for line in range(min(7, max(1, int(height / 7)))):
            share = 0.45 if line == 0 else (0.8, 0.65, 0.72)[line % 3]
            tall = 3 if line == 0 else 1.6
            yield f'<rect class="words" x="{left + 2:.1f}" y="{top + 2.5 + line * 7:.1f}" width="{width * share:.1f}" height="{tall}"/>'
        return
    yield f'<rect class="box" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" rx="1.5"/>'
    yield f'<rect class="words" x="{left + 3:.1f}" y="{top + 3:.1f}" width="{min(width * 0.5, 44):.1f}" height="2"/>'
    if isinstance(content, AlarmWidget):
        yield from _tiles(content, box=(left, top, width, height), data=data)
    elif isinstance(content, MetricWidget):
        inner = (left + 4, top + 9, max(1.0, width - 8), max(1.0, height - 13))
        found = evaluator.series(content, span=data.span)
        for index, series in enumerate(found.drawn[:6]):
            yield polyline(series.values, box=inner, color=series.color or _PALETTE[index % len(_PALETTE)])


def _tiles(content: AlarmWidget, *, box: tuple[float, float, float, float], data: PreviewData) -> Iterator[str]:
    left, top, width, height = box
    known = {record["name"]: record for record in alarm_records(data)}
    columns = 2
    tile = (width - 6) / columns
    states = [_went_off(known.get(name_of(arn))) for arn in content.alarms]
    for index, off in enumerate(sorted(states, reverse=True)):
        y = top + 8 + (index // columns) * 8
        if y + 6 > top + height:
            return
        x = left + 3 + (index % columns) * tile
        yield f'<rect class="{"off" if off else "fine"}" x="{x:.1f}" y="{y:.1f}" width="{tile - 2:.1f}" height="5.5" rx="1"/>'


def _went_off(record: dict[str, Any] | None) -> bool:
    return record is not None and any(letter == "A" for _, letter in record["runs"])


def shared_prefix(names: Sequence[str]) -> str:
    """Return what all names begin with, up to a hyphen; of a single name nothing."""
    if len(names) < 2:
        return ""
    first, last = min(names), max(names)
    same = next((index for index, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), 0)
    return first[: first.rfind("-", 0, same) + 1]


def _cut(name: str) -> str:
    return name if len(name) <= 32 else f"{name[:31]}…"


def _clock(second: int, pattern: str) -> str:
    return datetime.fromtimestamp(second, tz=UTC).strftime(pattern)
