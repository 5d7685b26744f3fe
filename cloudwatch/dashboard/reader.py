"""What does this JSON say? Reads any dashboard body, ours or foreign, into values and problems."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cloudwatch.dashboard.codec import Problems
from cloudwatch.dashboard.schema import BODY
from cloudwatch.dashboard.values import DashboardBody

if TYPE_CHECKING:
    from cloudwatch.problems import Problem

__all__ = ["read_body"]


def read_body(obj: Any) -> tuple[DashboardBody, tuple[Problem, ...]]:
    """Read a dashboard body; what cannot be read is reported and left out, the rest is kept.

    Args:
        obj: JSON text, or parsed JSON.

    Returns:
        The body (empty when nothing could be read) and the problems, each with a JSON pointer. Only the shape is judged here;
        `validate_body` adds the limits and rules.
    """
    problems = Problems()
    if isinstance(obj, str | bytes):
        try:
            obj = json.loads(obj)
        except ValueError as broken:
            problems.error("", f"The field DashboardBody must be a valid JSON object: {broken}", code="invalid-json")
            return DashboardBody(), tuple(problems.found)
    body = BODY.read(obj, "", problems)
    return body if body is not None else DashboardBody(), tuple(problems.found)
