"""Which numbers speak for or against a cause? The last quarter of an hour against baseline, objective, quota and an hour before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from alarms.policy import base_slug, policy_for
from alarms.thresholds import server_error_threshold, throttle_threshold
from bedrock.evidence import ServedAs
from bedrock.metrics import BedrockMetric
from bedrock.models import LatencyMode
from cloudwatch.alarm import MetricAlarm
from monitoring.review.lines import amount, milliseconds, percent
from monitoring.review.readings import Readings, Slots

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.triage.snapshot import Snapshot

__all__ = ["FEWEST_CALLS", "WINDOW_S", "Number", "calls_in_window", "measure_window", "window_of"]

WINDOW_S = 900
FEWEST_CALLS = 20
_STEP_S = 300
_LATE_S = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """One number.

    Attributes:
        slug: The symptom that it belongs to.
        label: What it is.
        value: As text.
        against: What it is compared with, as text; empty where with nothing.
        before: The same an hour before, as text; empty where not known.
        off: Whether it is out of bounds.
    """

    slug: str
    label: str
    value: str
    against: str = ""
    before: str = ""
    off: bool = False

    @property
    def text(self) -> str:
        """The number in a few words."""
        extra = ", ".join(filter(None, [self.against, self.before and f"{self.before} an hour before"]))
        return f"{self.label} {self.value}" + (f" ({extra})" if extra else "")


def window_of(at_s: int) -> tuple[int, int]:
    """Return the quarter of an hour that is looked at: whole five minutes, the newest that metrics have reached."""
    end_s = (at_s - _LATE_S) // _STEP_S * _STEP_S
    return end_s - WINDOW_S, end_s


def calls_in_window(snapshot: Snapshot) -> float | None:
    """Return attempts in the window, or None where metrics could not be read."""
    if snapshot.store is None:
        return None
    readings, slots = _readings(snapshot), _slots(snapshot.at_s)
    attempts = readings.sums(BedrockMetric.INVOCATIONS, slots=slots) + readings.sums(
        BedrockMetric.THROTTLES, slots=slots
    )
    return float(attempts.sum())


def measure_window(snapshot: Snapshot) -> tuple[Number, ...]:
    """Return the numbers of the window; () where metrics could not be read or there are too few calls to judge."""
    calls = calls_in_window(snapshot)
    if calls is None or calls < FEWEST_CALLS:
        return ()
    now = _values(_readings(snapshot), snapshot.at_s)
    before = _values(_readings(snapshot), snapshot.at_s - 3600)
    return tuple(_numbers(snapshot, now, before))


def _readings(snapshot: Snapshot) -> Readings:
    assert snapshot.store is not None
    return Readings(
        store=snapshot.store,
        model=snapshot.model.model,
        evidence=snapshot.plan.evidence,
        cache_metrics=snapshot.plan.deployment.cache_metrics,
    )


def _slots(at_s: int) -> Slots:
    start_s, end_s = window_of(at_s)
    return Slots(np.arange(start_s, end_s, _STEP_S), _STEP_S)


def _values(readings: Readings, at_s: int) -> dict[str, float]:
    slots = _slots(at_s)
    start_s, end_s = window_of(at_s)
    model = readings.model

    def total(name: str, stat: str = "Sum") -> float:
        return float(readings.sums(name, slots=slots, stat=stat).sum())

    found: dict[str, float] = {}

    def put(name: str, part: float, whole: float) -> None:
        if whole > 0:
            found[name] = part / whole

    calls, throttles = total(BedrockMetric.INVOCATIONS), total(BedrockMetric.THROTTLES)
    if calls + throttles < FEWEST_CALLS:
        return {}
    put("throttled", throttles, calls + throttles)
    put("errors", total(BedrockMetric.SERVER_ERRORS), calls)
    put("rpm", calls + throttles, (end_s - start_s) / 60)
    got, spent = readings.decode(slots=slots)
    put("otps", float(1000 * got.sum()), float(spent.sum()))
    answered = total(BedrockMetric.OUTPUT_TOKENS, "SampleCount")
    put("output", total(BedrockMetric.OUTPUT_TOKENS), answered)
    read, write = (total(name) if model.prompt_caching else 0.0 for name in readings.cache_metrics)
    put("input", total(BedrockMetric.INPUT_TOKENS) + write, answered)
    if model.prompt_caching:
        put("cache", read, total(BedrockMetric.INPUT_TOKENS) + read + write)
    for key, name in (("ttft", BedrockMetric.TTFT), ("latency", BedrockMetric.LATENCY)):
        tail = readings.quantile(name, percent=90, start_s=start_s, end_s=end_s)
        if tail is not None:
            found[key] = tail.value
    if model.latency is LatencyMode.OPTIMIZED:
        standard = float(readings.served(ServedAs.STANDARD, slots=slots).sum())
        optimized = float(readings.served(ServedAs.OPTIMIZED, slots=slots).sum())
        put("standard", standard, standard + optimized)
        put("coverage", standard + optimized, calls)
    minutes = Slots(np.arange(start_s, end_s, 60), 60)
    found["tokens"] = float(readings.sums(BedrockMetric.TPM_USAGE, slots=minutes).max())
    return found


def _threshold(snapshot: Snapshot, slug: str, *, otherwise: float | None = None) -> float:
    """Return what the alarm of a symptom compares with; without an alarm the default of its policy, or `otherwise`."""
    for entry in snapshot.model.alarms:
        if base_slug(entry.slug) == slug and isinstance(entry.alarm, MetricAlarm) and entry.alarm.threshold is not None:
            return entry.alarm.threshold
    return (policy_for(slug).threshold or 0) if otherwise is None else otherwise


def _numbers(snapshot: Snapshot, now: dict[str, float], before: dict[str, float]) -> Iterator[Number]:
    model = snapshot.model.model
    base, goals, quotas = model.baselines, model.objectives, model.quotas

    def earlier(key: str, text: object) -> str:
        return text(before[key]) if key in before and callable(text) else ""

    def rate(value: float) -> str:
        return f"{value:.0f} tokens/s"

    if "throttled" in now:
        limit = _threshold(snapshot, "throttled", otherwise=throttle_threshold(model)) / 100
        yield Number(
            slug="throttled",
            label="throttled attempts",
            value=percent(now["throttled"]),
            before=earlier("throttled", percent),
            off=now["throttled"] >= limit,
        )
    if "standard" in now:
        yield Number(
            slug="fallback-share",
            label="calls served standard",
            value=percent(now["standard"]),
            before=earlier("standard", percent),
            off=100 * now["standard"] >= _threshold(snapshot, "fallback-share"),
        )
    if "otps" in now:
        yield Number(
            slug="decode-rate",
            label="decode rate",
            value=rate(now["otps"]),
            against=f"baseline {base.otps:.0f}",
            before=earlier("otps", rate),
            off=100 * (1 - now["otps"] / base.otps) >= _threshold(snapshot, "decode-rate"),
        )
    start_s, end_s = window_of(snapshot.at_s)
    for key, name, slug, words, goal in (
        ("ttft", BedrockMetric.TTFT, "ttft-objective", "time to first token p90", goals.ttft_p90_ms),
        ("latency", BedrockMetric.LATENCY, "latency-objective", "latency p90", goals.latency_p90_ms),
    ):
        if key in now:
            tail = _readings(snapshot).quantile(name, percent=90, start_s=start_s, end_s=end_s)
            of = f" ({tail.of})" if tail is not None and not tail.exact else ""
            yield Number(
                slug=slug,
                label=words + of,
                value=milliseconds(now[key]),
                against="" if goal is None else f"{milliseconds(goal)} promised",
                before=earlier(key, milliseconds),
                off=goal is not None and now[key] > goal,
            )
    if "errors" in now:
        yield Number(
            slug="service-errors",
            label="server errors",
            value=percent(now["errors"]),
            before=earlier("errors", percent),
            off=100 * now["errors"] >= _threshold(snapshot, "service-errors", otherwise=server_error_threshold(model)),
        )
    for key, slug, words, baseline in (
        ("output", "answer-length", "output tokens per answer", base.output_tokens),
        ("input", "prefill-size", "input tokens to process per call", base.input_tokens),
    ):
        if key in now:
            yield Number(
                slug=slug,
                label=words,
                value=amount(now[key]),
                against=f"baseline {amount(baseline)}",
                before=earlier(key, amount),
                off=100 * now[key] / baseline >= _threshold(snapshot, slug),
            )
    if "cache" in now:
        yield Number(
            slug="cache-hit",
            label="prompt cache hit rate",
            value=percent(now["cache"]),
            against=f"baseline {percent(base.cache_hit_rate)}",
            before=earlier("cache", percent),
            off=now["cache"] < 0.6 * base.cache_hit_rate,
        )
    quota = quotas.tpm
    if model.latency is LatencyMode.OPTIMIZED and quota is not None and quotas.optimized_tpm is not None:
        quota += quotas.optimized_tpm  # its usage is one number for both quotas
    if quota and now.get("tokens"):
        use = now["tokens"] / quota
        yield Number(
            slug="quota-use",
            label="token quota used in the busiest minute",
            value=percent(use),
            before=percent(before["tokens"] / quota) if before.get("tokens") else "",
            off=100 * use >= (policy_for("quota-use").threshold or 0),
        )
    if "coverage" in now:
        yield Number(
            slug="blind",
            label="calls with evidence of their served mode",
            value=percent(min(1.0, now["coverage"])),
            off=now["coverage"] < 0.01,
        )
    if "rpm" in now:
        yield Number(
            slug="no-traffic", label="attempts a minute", value=amount(now["rpm"]), before=earlier("rpm", amount)
        )
