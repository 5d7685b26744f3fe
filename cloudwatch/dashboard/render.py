"""How is a dashboard body written? Compact, deterministic JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cloudwatch.dashboard.rows import render_rows
from cloudwatch.dashboard.schema import BODY
from cloudwatch.dashboard.values import MetricWidget

if TYPE_CHECKING:
    from cloudwatch.dashboard.values import DashboardBody

__all__ = ["render", "to_json"]


def render(body: DashboardBody, *, shorten: bool = False) -> dict[str, Any]:
    """Return the body as a JSON object, keys in a fixed order.

    Args:
        body: What to write.
        shorten: Write texts that a metric row repeats from the row above as `"."`.
    """
    out: dict[str, Any] = BODY.render(body)
    out.setdefault("widgets", [])
    if shorten:
        for widget, written in zip(body.widgets, out["widgets"], strict=True):
            if isinstance(widget.content, MetricWidget) and widget.content.metrics:
                written["properties"]["metrics"] = render_rows(widget.content.metrics, shorten=True)
    return out


def to_json(body: DashboardBody, *, shorten: bool = True) -> str:
    """Return the text for PutDashboard or AWS::CloudWatch::Dashboard: no spaces, repeated texts shortened."""
    return json.dumps(render(body, shorten=shorten), separators=(",", ":"), ensure_ascii=False)
