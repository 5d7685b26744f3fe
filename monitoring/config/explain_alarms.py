"""Which alarms does a model get in a place, what do they compare with, and why?

The alarms are those that are deployed: they are built here, which takes longer than the rest of `validate`. A threshold that
follows from other values says from which, in numbers.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from alarms.policy import base_slug, override_for, policy_for
from alarms.thresholds import DEFAULT_SUCCESS_RATE
from cloudwatch.alarm import CompositeAlarm
from monitoring.config.presence import HELPERS
from monitoring.plan import plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from alarms.alarm_set import AlarmEntry
    from bedrock.models import MonitoredModel
    from cloudwatch.alarm import MetricAlarm
    from monitoring.config.merge import Effective
    from monitoring.config.source import Source
    from monitoring.deployment import Deployment

__all__ = ["alarm_lines", "alarm_rows", "helpers_line"]

Row = dict[str, str]
_INDENT = 20
_MEASURED_FOR = {"decode-rate": "slow-decode", "fallback-share": "fallback", "fallback-chronic": "fallback-share"}


def alarm_rows(source: Source, deployment: Deployment, *, model: str, values: Effective) -> list[Row]:
    """Return a row for each alarm of a model, pages first: alarm, calls, targets, threshold, unit, looks, missing, why, from.

    `from` names the lines that changed it, empty where nothing did; a rule over other alarms has no threshold.
    """
    made = plan(deployment)
    mine = next(one for one in made.models if one.model.key == model)
    order = {"page": 0, "ticket": 1, "note": 2, "": 3}
    rows = [
        _row(entry, source=source, model=mine.model, values=values, targets=_targets(deployment))
        for entry in (*mine.alarms, *made.alarms)
    ]
    return sorted(rows, key=lambda row: order[row["calls"]])


def _targets(deployment: Deployment) -> dict[str, str]:
    from alarms.naming import topic_name  # noqa: PLC0415

    return {
        target.severity.value: ", ".join(arn.rsplit(":", 1)[-1] for arn in target.topic_arns)
        or topic_name(deployment.site, target.severity.value)
        for target in deployment.notifications
    }


def _row(
    entry: AlarmEntry, *, source: Source, model: MonitoredModel, values: Effective, targets: Mapping[str, str]
) -> Row:
    severity = entry.severity.value if entry.severity else ""
    row = {
        "alarm": entry.slug,
        "calls": severity,
        "targets": (targets.get(severity) or "nobody: no target") if severity else "",
        "threshold": "",
        "unit": "",
        "looks": "",
        "missing": "",
        "why": "",
        "from": ", ".join(_changes(base_slug(entry.slug), source, values)),
    }
    if isinstance(entry.alarm, CompositeAlarm):
        row["why"] = "a rule over other alarms"
        return row
    alarm: MetricAlarm = entry.alarm
    sign = {"GreaterThanOrEqualToThreshold": "at least", "GreaterThanThreshold": "above", "LessThanThreshold": "below"}
    row["threshold"] = f"{sign.get(alarm.comparison.value, alarm.comparison.value)} {alarm.threshold:g}"
    row["unit"] = entry.unit
    row["looks"] = f"{alarm.datapoints_to_alarm} of {alarm.evaluation_periods} x {alarm.period_s} s"
    row["missing"] = alarm.treat_missing_data.value
    slug = base_slug(entry.slug)
    if entry.model is not None and override_for(model, slug).threshold is None:
        row["why"] = _follows(slug, model)
    return row


def _changes(slug: str, source: Source, values: Effective) -> Iterator[str]:
    """Yield what changes an alarm, with its line: its own override, and that of the cause it measures."""
    for own in (slug, _MEASURED_FOR.get(slug, slug)) if slug in _MEASURED_FOR else (slug,):
        for key in values.values:
            if key[:2] == ("alarms", own) and (path := values.path(*key)) is not None:
                name = key[2] if own == slug else f"{own}: {key[2]}"
                yield f"{name} line {source.place(path, of_key=True).line}"


def _follows(slug: str, model: MonitoredModel) -> str:
    """Return which values a threshold follows from, with the arithmetic; empty where it stands in the policy."""
    base, goal = model.baselines, model.objectives
    rate = DEFAULT_SUCCESS_RATE if goal.success_rate is None else goal.success_rate
    promised = f"success_rate {rate:g}{' (nothing is promised)' if goal.success_rate is None else ''}"
    match slug:
        case "throttled" | "throttled-held":
            return (
                f"half the share of throttled attempts that uses up the error budget of {promised} with "
                f"sdk_max_attempts {model.sdk_max_attempts}: 50 x {1 - rate:.3g}^(1/{model.sdk_max_attempts}), 5 to 50"
            )
        case "service-errors":
            return f"five times the error budget of {promised}, 2 to 10"
        case "decode-rate" | "decode-rate-held":
            slow = base.otps * (1 - (policy_for("decode-rate").threshold or 0) / 100)
            return f"baselines: otps {base.otps:g}; slow is below {slow:g} tokens a second"
        case "decode-rate-standard":
            return f"20 % below baselines: standard_otps {base.standard_otps:g}, against otps {base.otps:g}"
        case "ttft-objective":
            return "objectives: ttft_p90_ms"
        case "latency-objective":
            return "objectives: latency_p90_ms"
        case "cache-hit":
            return f"60 % of baselines: cache_hit_rate {base.cache_hit_rate:g}"
        case "prefill-size":
            return f"baselines: input_tokens {base.input_tokens:g}"
        case "answer-length":
            return f"baselines: output_tokens {base.output_tokens:g}"
        case "quota-use":
            given = {"tpm": model.quotas.tpm, "optimized_tpm": model.quotas.optimized_tpm, "rpm": model.quotas.rpm}
            return f"quotas: {', '.join(f'{name} {number:g}' for name, number in given.items() if number is not None)}"
        case _:
            return ""


def alarm_lines(rows: list[Row]) -> list[str]:
    """Return the alarms as lines of at most 80 columns where names allow: numbers first, then whom, why and from where."""
    lines: list[str] = []
    for row in rows:
        if base_slug(row["alarm"]) in HELPERS:
            continue
        looks = f"{row['looks']}, missing {row['missing']}" if row["looks"] else ""
        parts = [
            f"{row['threshold']} {row['unit']}".strip(),
            looks,
            f"{row['calls']} to {row['targets']}" if row["calls"] else "",
            row["why"],
            f"changed by {row['from']}" if row["from"] else "",
        ]
        name = row["alarm"]
        lead = f"{name:{_INDENT}}" if len(name) < _INDENT else name
        wrapped = [
            line
            for part in parts
            if part
            for line in textwrap.wrap(part, width=80 - _INDENT, break_long_words=False, break_on_hyphens=False)
        ]
        if len(name) >= _INDENT:
            lines.append(lead)
            lead = " " * _INDENT
        lines.append(f"{lead}{wrapped[0] if wrapped else ''}".rstrip())
        lines += [" " * _INDENT + line for line in wrapped[1:]]
    return lines


def helpers_line(rows: list[Row]) -> list[str]:
    """Return the alarms that only hold back actions, as a paragraph after an empty line; nothing where there are none."""
    names = [row["alarm"] for row in rows if base_slug(row["alarm"]) in HELPERS]
    text = f"Alarms that call nobody and only hold back others: {', '.join(names)}."
    return ["", *textwrap.wrap(text, width=80, break_long_words=False, break_on_hyphens=False)] if names else []
