"""Whose calls were throttled or served standard? A table from the log of call records, by the role that called.

CloudTrail records hold no prompts and no answers; the invocation log does, so queries name every field they show and show none
of those.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bedrock.evidence import EvidenceRoute
from bedrock.evidence_patterns import record_shape
from bedrock.models import LatencyMode
from dashboards.layout import Block
from dashboards.widgets import heading, log_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboards.subject import Subject

__all__ = ["calls_query", "troubled_calls"]

ROWS = 50


def troubled_calls(subject: Subject) -> tuple[Block, ...]:
    """Return the table, empty where no log of calls exists."""
    query = calls_query(subject)
    if query is None:
        return ()
    optimized = subject.model.latency is LatencyMode.OPTIMIZED
    title = "Throttled and fallen-back calls by caller" if optimized else "Throttled calls by caller"
    return (
        heading("Whose calls?", "roles only, newest first"),
        Block(content=log_table(query, region=subject.region, title=title), width=24, height=8, new_line=True),
    )


def calls_query(subject: Subject) -> str | None:
    """Return the CloudWatch Logs Insights query over the records of the model's throttled and fallen-back calls."""
    group = subject.evidence.log_group
    if group is None or not subject.has_evidence:
        return None
    settings, model = subject.evidence.settings, subject.model
    shape = record_shape(settings, region=subject.region)
    error, latency = _field(shape.error_code), _field(shape.latency)
    wanted = [_like(error, settings.throttle_error_code)]
    if model.latency is LatencyMode.OPTIMIZED:
        wanted.append(f"{latency} = {_quoted(settings.standard_value)}")
    ids = ", ".join(_quoted(name) for name in model.trail_ids)
    shown = [error, _field(shape.error_message) if shape.error_message else None, latency]
    groups = ", ".join(["caller", *(name for name in shown if name is not None)])
    here = [f"filter awsRegion = {_quoted(subject.region)}"] if settings.route is EvidenceRoute.TRAIL else []
    return "\n| ".join(
        [
            f"SOURCE {_quoted(group)}",
            *here,  # a trail's log group holds the records of every Region
            f"filter {_field(shape.model)} in [{ids}]",
            f"filter {' or '.join(wanted)}",
            f"fields {_caller(settings.route)} as caller",
            f"stats count(*) as calls, max(@timestamp) as newest by {groups}",
            "sort newest desc",
            f"limit {ROWS}",
        ]
    )


def _caller(route: EvidenceRoute) -> str:
    if route is EvidenceRoute.INVOCATION_LOG:
        return "identity.arn"
    root = "" if route is EvidenceRoute.TRAIL else "detail."
    if route is EvidenceRoute.RULE_COUNTERS:
        return f"{root}userIdentity.arn"
    return f"coalesce({root}userIdentity.sessionContext.sessionIssuer.arn, {root}userIdentity.arn)"


def _field(selector: str) -> str:
    """Return a filter pattern's selector as a field of Logs Insights; odd names stand in backticks."""
    name = re.sub(r"\[(\d+)\]", r".\1", selector.removeprefix("$."))
    return name if re.fullmatch(r"[A-Za-z0-9_.]+", name) else f"`{name}`"


def _like(field: str, glob: str) -> str:
    parts: Iterable[str] = (re.escape(part).replace("/", r"\/") for part in glob.split("*"))
    return f"{field} like /^{'.*'.join(parts)}$/"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
