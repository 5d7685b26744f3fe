"""How is a week drawn without a script or a font? Small SVG graphs that take their colours from the page."""

from __future__ import annotations

from math import isfinite, isnan
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from monitoring.review.decomposition import Decomposition

__all__ = ["sparkline", "split_bar"]

WIDTH, HEIGHT = 336, 56


def sparkline(values: Sequence[float], *, title: str, level: float | None = None, kind: str = "plain") -> Markup:
    """Return a line over equal steps; NaN is a gap. `level` is a dashed line, `kind` a class of the page."""
    known = [value for value in values if isfinite(value)]
    if not known:
        return Markup("")
    top = max([*known, level or 0.0]) * 1.08 or 1.0
    step = WIDTH / max(1, len(values) - 1)

    def y(value: float) -> float:
        return HEIGHT - 2 - (HEIGHT - 4) * value / top

    parts: list[str] = []
    areas: list[str] = []
    run: list[tuple[float, float]] = []
    for index, value in enumerate([*values, float("nan")]):
        if not isnan(value):
            run.append((index * step, y(value)))
            continue
        if run:
            path = " L".join(f"{left:.1f} {top_:.1f}" for left, top_ in run)
            parts.append(f"M{path}" if len(run) > 1 else f"M{run[0][0]:.1f} {run[0][1]:.1f}h1")
            areas.append(f"M{run[0][0]:.1f} {HEIGHT} L{path} L{run[-1][0]:.1f} {HEIGHT}Z")
        run = []
    dashed = ""
    if level is not None:
        dashed = f'<path class="level" d="M0 {y(level):.1f}H{WIDTH}"/>'
    days = "".join(f'<path class="tick" d="M{WIDTH * day / 7:.1f} 0V{HEIGHT}"/>' for day in range(1, 7))
    return Markup(  # noqa: S704 - numbers and escaped text
        f'<svg class="spark {escape(kind)}" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(title)}"><title>{escape(title)}</title>{days}'
        f'<path class="area" d="{"".join(areas)}"/>{dashed}<path class="line" d="{"".join(parts)}"/></svg>'
    )


def split_bar(why: Decomposition) -> Markup:
    """Return two bars, before and after, each of time to first token and decode time, and the three steps between them."""
    longest = max(why.before.latency_ms, why.after.latency_ms) or 1.0
    wide = 560.0
    scale = (wide - 96) / longest

    def bar(top: int, call: str, first: float, whole: float) -> str:
        prefill, decode = first * scale, (whole - first) * scale
        return (
            f'<text class="what" x="0" y="{top + 13}">{call}</text>'
            f'<rect class="prefill" x="44" y="{top}" width="{max(prefill, 1):.1f}" height="18" rx="3"/>'
            f'<rect class="decode" x="{44 + prefill + 1:.1f}" y="{top}" width="{max(decode - 1, 1):.1f}" height="18" rx="3"/>'
            f'<text class="value" x="{44 + prefill + decode + 6:.1f}" y="{top + 13}">{whole / 1000:.2f} s</text>'
        )

    title = f"Latency before {why.before.latency_ms:.0f} ms, after {why.after.latency_ms:.0f} ms"
    return Markup(  # noqa: S704 - numbers and fixed text
        f'<svg class="split" viewBox="0 0 {wide:.0f} 48" role="img" aria-label="{title}"><title>{title}</title>'
        + bar(2, "before", why.before.ttft_ms, why.before.latency_ms)
        + bar(28, "now", why.after.ttft_ms, why.after.latency_ms)
        + "</svg>"
    )
