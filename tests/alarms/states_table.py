"""The table in docs/alarm-states.md: what each alarm does when data is missing, computed by the engine.

`python -m tests.alarms.states_table` rewrites the page.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from alarms.alarm_set import AlarmEntry, Role
from alarms.causes import site_alarms
from bedrock.metrics import BedrockMetric, account_metric
from bedrock.models import AlarmOverride
from cloudwatch.alarm import AlarmState, MetricAlarm
from cloudwatch.timeline import run_timeline
from tests.alarms.samples import OPTIMIZED, SITE, STANDARD, TARGETS, alarms_of, evidence_for, overridden
from tests.alarms.telemetry import EPOCH, Minute, changed, rows_of, span, store_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bedrock.models import MonitoredModel
    from tests.alarms.telemetry import Rows

PAGE = Path(__file__).parents[2] / "docs" / "alarm-states.md"

ALL = replace(
    overridden(OPTIMIZED, cache_hit=AlarmOverride(), answer_length=AlarmOverride(), no_traffic=AlarmOverride()),
    prompt_caching=True,
    reserved_tier=True,
    baselines=replace(OPTIMIZED.baselines, cache_hit_rate=0.8),
    quotas=replace(OPTIMIZED.quotas, optimized_tpm=500_000),
)
HEALTHY = replace(
    changed(latency_ms=4000, cache_read=4800, cache_write=1, reserved_kept=100, quota_tokens=1500), server_errors=None
)
BAD = replace(
    changed(latency_ms=20_000, ttft_ms=5000, throttles=60, server_errors=40, output_tokens=600, input_tokens=4000),
    served_optimized=None,
    served_standard=100,
    reserved_spilled=100,
    cache_write=1,
    quota_tokens=30_000,
)
BAD_FOR = {"blind": changed(served_optimized=None), "no-traffic": changed(calls=0, ttft_ms=None, served_optimized=None)}
LATE_S = 900
SITUATIONS = (
    "never published",
    "no traffic, was OK",
    "no traffic, was in ALARM",
    "evidence 15 min late",
    "one gap in ALARM",
    "one gap in OK",
)


def entries() -> Iterator[tuple[AlarmEntry, MonitoredModel]]:
    """Yield every metric alarm of the table once."""
    for model in (ALL, STANDARD):
        for entry in alarms_of(model):
            if isinstance(entry.alarm, MetricAlarm) and (model is ALL or entry.slug == "throttled"):
                yield entry, model
    for entry in site_alarms([ALL], site=SITE, evidence=evidence_for(ALL), targets=TARGETS):
        yield entry, ALL


def state(entry: AlarmEntry, model: MonitoredModel, situation: str) -> AlarmState:
    """Return the state of an alarm at the end of a situation that lasts six hours, or a minute after a gap."""
    assert isinstance(entry.alarm, MetricAlarm)
    bad = BAD_FOR.get(entry.slug, BAD)
    gap = entry.alarm.period_s // 60
    minutes: dict[int, Minute]
    match situation:
        case "never published":
            minutes, end = {}, 720
        case "no traffic, was OK":
            minutes, end = span(0, 360, HEALTHY), 720
        case "no traffic, was in ALARM":
            minutes, end = span(0, 360, bad), 720
        case "evidence 15 min late":
            minutes, end = span(0, 720, HEALTHY), 720
        case "one gap in ALARM":
            minutes, end = {**span(0, 360, bad), **span(360 + gap, 360 + 2 * gap, bad)}, 360 + 2 * gap
        case _:
            minutes, end = {**span(0, 360, HEALTHY), **span(360 + gap, 360 + 2 * gap, HEALTHY)}, 360 + 2 * gap
    rows = rows_of(model, evidence=evidence_for(model), minutes=minutes)
    _add_account(rows, minutes, bad)
    late = {"BedrockMonitor/llm-prod": LATE_S} if situation == "evidence 15 min late" else {}
    line = run_timeline([entry.alarm], store=store_of(rows, delay_s=late), start=EPOCH, end=EPOCH + 60 * end)
    return line.state_at(entry.alarm.name, EPOCH + 60 * end)


def _add_account(rows: Rows, minutes: dict[int, Minute], bad: Minute) -> None:
    for at, minute in minutes.items():
        rows.setdefault(account_metric(BedrockMetric.INVOCATIONS), []).append((at, 1, 100))
        if minute is bad:
            rows.setdefault(account_metric(BedrockMetric.CLIENT_ERRORS), []).append((at, 1, 40))


def table() -> str:
    """Return the page."""
    lines = [
        "# What alarms do when data is missing",
        "",
        "Computed by the engine from the alarms themselves (`python -m tests.alarms.states_table` rewrites this page); where AWS",
        "leaves a choice open, the default of the engine. Six hours of each situation, then the state; *gap* is one period without",
        "any data, then one period with it. *Late* means that evidence becomes readable 15 minutes after its own minute.",
        "",
        "| alarm | role | missing data | " + " | ".join(SITUATIONS) + " |",
        "|---|---|---|" + "---|" * len(SITUATIONS),
    ]
    for entry, model in entries():
        assert isinstance(entry.alarm, MetricAlarm)
        states = [state(entry, model, situation) for situation in SITUATIONS]
        role = entry.severity if entry.role is Role.CAUSE else "symptom"
        name = entry.slug.removesuffix("-1")
        row = (f"`{name}`" + (" (optimized)" if entry.slug.endswith("-1") else ""), str(role))
        lines.append("| " + " | ".join((*row, entry.alarm.treat_missing_data, *states)) + " |")
    lines += [
        "",
        "Composites have no data of their own: they follow their children, and are in INSUFFICIENT_DATA only until they are first",
        "evaluated. Reading the table:",
        "",
        "* No alarm but `no-traffic`, which is opt-in, goes into ALARM because nothing is published: an idle account pages nobody.",
        "* `fallback-share` and `fallback-chronic` keep their state when evidence stops (`ignore`). In ALARM they do not page by",
        "  themselves; the page needs users to feel it, and `blind` says that evidence stopped. Before the first evidence they",
        "  are in INSUFFICIENT_DATA, which no rule reads as ALARM.",
        "* `blind` is in ALARM when calls are published and evidence is not; never published at all is not blind.",
        "* One gap neither raises nor clears a page.",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(table(), encoding="utf-8")
    sys.stderr.write(f"{PAGE} written\n")
