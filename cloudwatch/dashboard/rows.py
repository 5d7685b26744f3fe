"""How is a row of a metric widget written? The array form of a metric or an expression.

`[namespace, name, dimension, value, ..., {options}]`, or `[{"expression": ..., options}]` ("Dashboard body structure and syntax",
metrics array). In a row `"."` repeats the text at the same place of the row above, and `"..."` every text up to where the rest
of the row must start; expression rows have no texts and are skipped over.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cloudwatch.dashboard.codec import FLAG, INTEGER, TEXT, Codec, Problems, choice, pointer
from cloudwatch.dashboard.values import AxisSide, ExpressionRow, MetricRow, Row
from cloudwatch.metric import Metric
from cloudwatch.problems import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["COLOR", "ROWS", "render_rows"]

NOT_ROWS = (
    'Field "metrics" has to be an array of array of strings, with an optional metricRenderer object as last element'
)
_HEX = re.compile(r"#[0-9A-Fa-f]{6}\Z|#[0-9A-Fa-f]{3}\Z")


def _read_color(raw: Any, path: str, problems: Problems) -> str | None:
    text: str | None = TEXT.read(raw, path, problems)
    if text is not None and not _HEX.match(text):
        problems.error(path, "Should match pattern '^#[0-9A-Fa-f]{6}$'", hint="Write the colour as #rrggbb.")
        return None
    return text


COLOR = Codec(render=lambda value: value, read=_read_color)

_SHARED: tuple[tuple[str, str, Codec], ...] = (
    ("id", "id", TEXT),
    ("label", "label", TEXT),
    ("color", "color", COLOR),
    ("stat", "stat", TEXT),
    ("period_s", "period", INTEGER),
    ("y_axis", "yAxis", choice(AxisSide)),
    ("visible", "visible", FLAG),
)
_PLACE: tuple[tuple[str, str, Codec], ...] = (("region", "region", TEXT), ("account_id", "accountId", TEXT))
_EXPRESSION: tuple[tuple[str, str, Codec], ...] = (("expression", "expression", TEXT),)


def render_rows(rows: Sequence[Row], *, shorten: bool = False) -> list[list[Any]]:
    """Return the `metrics` array; with `shorten` repeated texts become `"."`."""
    out: list[list[Any]] = []
    above: list[str] = []
    for row in rows:
        if isinstance(row, ExpressionRow):
            out.append([_options(row, (*_EXPRESSION, *_SHARED, *_PLACE))])
            continue
        texts = _texts(row.metric)
        written = [
            "." if shorten and index < len(above) and above[index] == text else text for index, text in enumerate(texts)
        ]
        options = _options(row, _SHARED)
        options |= _options(row.metric, _PLACE)
        out.append([*written, options] if options else list(written))
        above = texts
    return out


def _texts(metric: Metric) -> list[str]:
    return [metric.namespace, metric.name, *(text for pair in metric.dimensions for text in pair)]


def _options(value: Any, table: Sequence[tuple[str, str, Codec]]) -> dict[str, Any]:
    found = ((key, codec, getattr(value, attribute)) for attribute, key, codec in table)
    return {key: codec.render(got) for key, codec, got in found if got is not None}


def _read_rows(raw: Any, path: str, problems: Problems) -> tuple[Row, ...] | None:
    if not isinstance(raw, list):
        problems.error(path, "Should be array")
        return None
    rows: list[Row] = []
    above: list[str] = []
    for index, element in enumerate(raw):
        here = pointer(path, index)
        if not isinstance(element, list):
            problems.error(here, "Should be array")
            problems.error(here, NOT_ROWS)
            continue
        options = element[-1] if element and isinstance(element[-1], dict) else {}
        texts = element[:-1] if options or (element and element[-1] == {}) else element
        if not texts and "expression" in options:
            row = _read_expression(options, here, problems)
        else:
            full = _expand(texts, above=above, path=here, problems=problems)
            if full is None:
                continue
            above = full
            row = _read_metric(full, options, path=here, problems=problems)
        if row is not None:
            rows.append(row)
    return tuple(rows)


def _expand(texts: Sequence[Any], *, above: Sequence[str], path: str, problems: Problems) -> list[str] | None:
    wrong = [index for index, text in enumerate(texts) if not isinstance(text, str)]
    for index in wrong:
        problems.error(pointer(path, index), "Invalid metric field type, only 'String' type is allowed")
    if wrong:
        return None
    if texts and texts[0] == "...":
        texts = [*above[: len(above) - (len(texts) - 1)], *texts[1:]]
    full: list[str] = []
    for index, text in enumerate(texts):
        if text == "." and index >= len(above):
            problems.error(pointer(path, index), '"." repeats the row above, which has no text at this place')
            return None
        full.append(above[index] if text == "." else text)
    if len(full) < 2:
        problems.error(
            path, "Should NOT have less than 2 items", hint="A row starts with a namespace and a metric name."
        )
        return None
    if len(full) % 2:
        problems.error(
            path, f"Should NOT have more than {len(full) - 1} items", hint="Dimensions come as name and value."
        )
        return None
    return full


def _read_options(
    options: Mapping[str, Any], table: Sequence[tuple[str, str, Codec]], *, texts: int, path: str, problems: Problems
) -> dict[str, Any]:
    """Return what can be read; AWS counts an options object it does not understand as one item too many."""
    got: dict[str, Any] = {}
    known = {key: (attribute, codec) for attribute, key, codec in table}
    inner = Problems()
    unknown: list[str] = []
    for key, value in options.items():
        if key not in known:
            unknown.append(key)
            continue
        attribute, codec = known[key]
        read = codec.read(value, pointer(path, texts, key), inner)
        if read is not None:
            got[attribute] = read
    if inner.found or unknown:
        what = [f"{problem.place.path}: {problem.message}" for problem in inner.found]
        what += [f"{pointer(path, texts, key)}: no such option" for key in unknown]
        problems.error(path, f"Should NOT have more than {texts} items", hint=f"The last element: {'; '.join(what)}.")
    return got


def _read_expression(options: Mapping[str, Any], path: str, problems: Problems) -> Row | None:
    got = _read_options(options, (*_EXPRESSION, *_SHARED, *_PLACE), texts=0, path=path, problems=problems)
    return ExpressionRow(**got) if "expression" in got else None


def _read_metric(texts: Sequence[str], options: Mapping[str, Any], *, path: str, problems: Problems) -> Row | None:
    got = _read_options(options, (*_SHARED, *_PLACE), texts=len(texts), path=path, problems=problems)
    place = {name: got.pop(name) for name in ("region", "account_id") if name in got}
    pairs = tuple(zip(texts[2::2], texts[3::2], strict=True))
    try:
        metric = Metric(namespace=texts[0], name=texts[1], dimensions=pairs)
    except InvalidValueError as refused:
        problems.error(path, str(refused))
        return None
    return MetricRow(metric=replace(metric, **place), **got)


ROWS = Codec(render=render_rows, read=_read_rows)
