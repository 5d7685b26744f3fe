"""Does the configuration still fit the account? Quotas, baselines, aliases and evidence, compared with what was seen.

The one place that decides it: discovering an account, auditing it, checking its evidence and the weekly review ask here. Values
in, findings out, each with the configuration lines that settle it; nothing is read and nothing is written.

A quota has drifted when it differs at all. A baseline has drifted when what was measured lies so far from it that its alarm
has lost half of its margin: `Tolerance`. Lines of a model are written for its Region (`in_regions`), the level that wins over
every other one, so they do what they say wherever the model's settings come from.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from bedrock.evidence import EvidenceRoute
from bedrock.models import OPTIMIZED_SUFFIX, LatencyMode
from bedrock.trail_records import error_codes, is_runtime_call, latency_fields, model_ids, value_at

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from bedrock.models import MonitoredModel
    from cloudwatch.metric import Metric
    from monitoring.deployment import Deployment

__all__ = [
    "Finding",
    "MeasuredUse",
    "Seen",
    "Status",
    "Tolerance",
    "alias_drift",
    "baseline_drift",
    "cache_name_drift",
    "caller_id_drift",
    "decide_drift",
    "delay_drift",
    "latency_path_drift",
    "model_lines",
    "quota_drift",
    "throttle_code_drift",
]

DELAYS_S = (300, 600, 900)
CACHE_METRICS = (
    ("CacheReadInputTokenCount", "CacheWriteInputTokenCount"),
    ("CacheReadInputTokens", "CacheWriteInputTokens"),
)
QUOTA_WORDS = {
    "tpm": "tokens per minute",
    "rpm": "requests per minute",
    "tpd": "tokens per day",
    "optimized_tpm": "tokens per minute of latency-optimized inference",
}
BASELINE_WORDS = {
    "otps": "output tokens per second",
    "output_tokens": "output tokens per request",
    "input_tokens": "input tokens per request",
    "cache_hit_rate": "cache hit rate",
}


class Status(StrEnum):
    """How a check came out: as configured, not as configured, or not enough seen to tell."""

    OK = "ok"
    WRONG = "wrong"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One check.

    Attributes:
        check: Short name.
        status: See `Status`.
        saw: What was seen, one sentence.
        do: What to do, empty when all is well.
        lines: Configuration lines to change, YAML.
        model: Key of the model that it is about, or None.
        setting: Path of one setting below the model, for example `("quotas", "tpm")`; () where it is not one setting.
        value: What that setting should be.
    """

    check: str
    status: Status
    saw: str
    do: str = ""
    lines: tuple[str, ...] = ()
    model: str | None = None
    setting: tuple[str, ...] = ()
    value: float | None = None


class MeasuredUse(Protocol):
    """What was measured of a model; None where too little was seen. Units as in `bedrock.models.Baselines`."""

    @property
    def calls(self) -> float:
        """Calls behind the numbers."""

    @property
    def otps(self) -> float | None:
        """Output tokens per second."""

    @property
    def output_tokens(self) -> float | None:
        """Output tokens per request, mean."""

    @property
    def input_tokens(self) -> float | None:
        """Uncached input tokens per request, mean."""

    @property
    def cache_hit_rate(self) -> float | None:
        """Share of prompt tokens read from the cache, 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """How far a measurement may lie from its baseline.

    Attributes:
        otps: Fraction: the decode alarm fires at 20 % slower, so at 10 % half of its margin is gone.
        tokens: Fraction: the alarms on prompt and answer size fire at 150 %.
        cache_hit_rate: Difference of the rates.
        calls: Calls below which nothing is said.
    """

    otps: float = 0.10
    tokens: float = 0.25
    cache_hit_rate: float = 0.10
    calls: float = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was seen of an account in a Region; None or a missing key where it was not looked at.

    Attributes:
        measured: Key of a model -> what it did.
        quotas: Key of a model -> `tpm`, `rpm`, `tpd`, `optimized_tpm` -> value in force.
        metrics: AWS/Bedrock metrics with recent data.
        calls: CloudTrail records of runtime calls, unwrapped (`bedrock.trail_records.unwrap`).
        delays_s: Seconds from each call to the arrival of its record.
        source: Where the measurements are from, for the end of a line: `measured 2026-W48`.
    """

    measured: Mapping[str, MeasuredUse] = field(default_factory=dict)
    quotas: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    metrics: Sequence[Metric] | None = None
    calls: Sequence[Mapping[str, object]] | None = None
    delays_s: Sequence[float] | None = None
    source: str = "measured"


def decide_drift(deployment: Deployment, *, seen: Seen, tolerance: Tolerance | None = None) -> tuple[Finding, ...]:
    """Return every check that what was seen allows: models in configuration order, then aliases, then evidence."""
    region = deployment.site.region
    findings: list[Finding] = []
    for model in deployment.models:
        if model.key in seen.quotas:
            findings += quota_drift(model, seen.quotas[model.key], region=region)
        if model.key in seen.measured:
            measured = seen.measured[model.key]
            findings += baseline_drift(model, measured, region=region, source=seen.source, tolerance=tolerance)
    if seen.metrics is not None:
        findings += alias_drift(deployment.models, seen.metrics)
        findings += cache_name_drift(deployment, seen.metrics)
    if seen.calls is not None:
        calls = [record for record in seen.calls if is_runtime_call(record)]
        findings += caller_id_drift(deployment.models, calls)
        if deployment.evidence.route is not EvidenceRoute.INVOCATION_LOG:  # its field is not in CloudTrail
            findings += latency_path_drift(deployment, calls)
        findings += throttle_code_drift(deployment, calls)
    if seen.delays_s is not None:
        findings += delay_drift(deployment, seen.delays_s)
    return tuple(findings)


def model_lines(
    key: str, *, region: str, setting: Sequence[str], value: float | str, comment: str = ""
) -> tuple[str, ...]:
    """Return the YAML lines that change one setting of a model in a Region."""
    path = ("models", key, "in_regions", region, *setting)
    lines = [f"{'  ' * depth}{part}:" for depth, part in enumerate(path)]
    lines[-1] += f" {value if isinstance(value, str) else _number(value)}" + (f" # {comment}" if comment else "")
    return tuple(lines)


def quota_drift(model: MonitoredModel, quotas: Mapping[str, float], *, region: str) -> list[Finding]:
    """Compare the configured quotas with those in force; a quota that nobody found in the account is not judged.

    Args:
        model: The model.
        quotas: `tpm`, `rpm`, `tpd`, `optimized_tpm` -> value in force.
        region: Region of the lines.
    """
    findings = []
    for name, words in QUOTA_WORDS.items():
        if name not in quotas:
            continue
        configured, real = getattr(model.quotas, name), quotas[name]
        check = f"quota {name} of {model.key}"
        if configured == real:
            findings.append(
                Finding(check=check, status=Status.OK, saw=f"{_number(real)} {words}, as configured", model=model.key)
            )
            continue
        was = "none is configured" if configured is None else f"{_number(configured)} is configured"
        findings.append(
            Finding(
                check=check,
                status=Status.WRONG,
                saw=f"the account has {_number(real)} {words}; {was}",
                do="Change the quota: headroom and alarms are shares of it.",
                lines=model_lines(
                    model.key,
                    region=region,
                    setting=("quotas", name),
                    value=real,
                    comment="" if configured is None else f"was {_number(configured)}",
                ),
                model=model.key,
                setting=("quotas", name),
                value=real,
            )
        )
    return findings


def baseline_drift(
    model: MonitoredModel,
    measured: MeasuredUse,
    *,
    region: str,
    source: str = "measured",
    tolerance: Tolerance | None = None,
) -> list[Finding]:
    """Compare the configured baselines with what was measured.

    Args:
        model: The model.
        measured: What it did.
        region: Region of the lines.
        source: Where the measurement is from, written behind the value.
        tolerance: How far it may lie off.
    """
    allowed = tolerance or Tolerance()
    if measured.calls < allowed.calls:
        saw = f"{measured.calls:.0f} calls were seen; under {allowed.calls:.0f} no baseline is judged"
        return [Finding(check=f"baselines of {model.key}", status=Status.UNKNOWN, saw=saw, model=model.key)]
    findings = []
    for name, words in BASELINE_WORDS.items():
        configured, value = float(getattr(model.baselines, name)), getattr(measured, name)
        if value is None or (name == "cache_hit_rate" and not model.prompt_caching):
            continue
        is_rate = name == "cache_hit_rate"
        off = value - configured if is_rate else value / configured - 1
        limit = allowed.cache_hit_rate if is_rate else allowed.otps if name == "otps" else allowed.tokens
        shown = round(value, 2) if is_rate or value < 10 else float(round(value))
        told = f"{_number(shown)} {words} measured, {_number(configured)} configured"
        check = f"baseline {name} of {model.key}"
        if abs(off) <= limit:
            findings.append(Finding(check=check, status=Status.OK, saw=told, model=model.key))
            continue
        worse = off < 0 if name in {"otps", "cache_hit_rate"} else off > 0
        distance = f"{abs(off) * 100:.0f} {'points' if is_rate else '%'} {'above' if off > 0 else 'below'}"
        findings.append(
            Finding(
                check=check,
                status=Status.WRONG,
                saw=f"{told}: {distance} the baseline",
                do="Change the baseline if this is how it is from now on; not if the time holds an incident."
                if worse
                else "Change the baseline, so that a fall from here is seen.",
                lines=model_lines(
                    model.key,
                    region=region,
                    setting=("baselines", name),
                    value=shown,
                    comment=f"was {_number(configured)}, {source}",
                ),
                model=model.key,
                setting=("baselines", name),
                value=shown,
            )
        )
    return findings


def alias_drift(models: Collection[MonitoredModel], metrics: Iterable[Metric]) -> list[Finding]:
    """Compare the ModelId values that have data with those of the models."""
    published = {value for metric in metrics if (value := metric.dimension("ModelId"))}
    known = {name for model in models for name in model.model_ids}
    known |= {name + OPTIMIZED_SUFFIX for name in known}
    silent = [model.key for model in models if not published & set(model.series_ids)]
    strangers = sorted(published - known)
    wrong = bool(silent or strangers)
    return [
        Finding(
            check="ModelId values",
            status=Status.WRONG if wrong else Status.OK,
            saw=f"{len(published)} ModelId values have data"
            + (f"; none of model {', '.join(silent)}" if silent else "")
            + (f"; not configured: {', '.join(strangers[:5])}" if strangers else ""),
            do="Add missing ids to their model; a model without data is idle or has another id here." if wrong else "",
        )
    ]


def cache_name_drift(deployment: Deployment, metrics: Iterable[Metric]) -> list[Finding]:
    """Compare the names of the cache metrics with those that the account publishes."""
    check = "cache metric names"
    names = {metric.name for metric in metrics}
    here = [pair for pair in CACHE_METRICS if names & set(pair)]
    if not here or not any(model.prompt_caching for model in deployment.models):
        return []
    configured = deployment.cache_metrics[0]
    if names & set(deployment.cache_metrics):
        return [Finding(check=check, status=Status.OK, saw=f"{configured} is published")]
    read, write = here[0]
    return [
        Finding(
            check=check,
            status=Status.WRONG,
            saw=f"the account publishes {read}, not {configured}",
            do="Change the names.",
            lines=("cache_metrics:", f"  read: {read}", f"  write: {write}"),
        )
    ]


def caller_id_drift(models: Iterable[MonitoredModel], calls: Iterable[Mapping[str, object]]) -> list[Finding]:
    """Name the ids in CloudTrail that belong to no model; nothing where there are none."""
    known = {name for model in models for name in model.trail_ids}
    strangers = Counter({name: count for name, count in model_ids(calls).items() if name not in known})
    if not strangers:
        return []
    named = ", ".join(f"{name} ({count})" for name, count in strangers.most_common(5))
    return [
        Finding(
            check="ids in CloudTrail",
            status=Status.WRONG,
            saw=f"calls of {len(strangers)} ids that belong to no configured model: {named}",
            do="Add them to the ids or cloudtrail_ids of their model, or leave them unwatched.",
            lines=tuple(f"      cloudtrail_ids: [{name}]" for name, _ in strangers.most_common(5)),
        )
    ]


def latency_path_drift(deployment: Deployment, calls: Iterable[Mapping[str, object]]) -> list[Finding]:
    """Compare the path of the served latency with where records hold it; nothing without an optimized model.

    Args:
        deployment: Effective configuration.
        calls: Records of the kind that the route reads: of the invocation log with that route, else of CloudTrail.
    """
    check = "served-latency path"
    optimized = [model for model in deployment.models if model.latency is LatencyMode.OPTIMIZED]
    if not optimized:
        return []
    from_log = deployment.evidence.route is EvidenceRoute.INVOCATION_LOG
    configured = deployment.evidence.latency_path
    ids = {name for model in optimized for name in model.trail_ids}
    id_path = "modelId" if from_log else "requestParameters.modelId"
    asked = [call for call in calls if value_at(call, id_path) in ids and not call.get("errorCode")]
    if not asked:
        saw = f"no successful call of {', '.join(model.key for model in optimized)} was found"
        return [Finding(check=check, status=Status.UNKNOWN, saw=saw, do="Run it again after some traffic.")]
    # what was asked for is not how it was served
    fields = [found for found in latency_fields(asked) if not found.path.startswith(("input.", "requestParameters."))]
    here = next((found for found in fields if found.path == configured), None)
    if here is not None:
        counts = ", ".join(f"{count} {value}" for value, count in here.counts)
        return [
            Finding(
                check=check,
                status=Status.OK,
                saw=f"{here.records} of {len(asked)} calls have {configured}: {counts}",
                do="" if here.records == len(asked) else "Calls without the field count as unknown (absent_means).",
            )
        ]
    if not fields:
        return [
            Finding(
                check=check,
                status=Status.WRONG,
                saw=f"none of {len(asked)} calls has {configured}, nor any field that says optimized or standard",
                do="Fallback cannot be seen in the invocation log here; use route eventbridge, or none to say so."
                if from_log
                else "Fallback cannot be seen in CloudTrail here; use the invocation log, or route none to say so.",
            )
        ]
    best = fields[0]
    return [
        Finding(
            check=check,
            status=Status.WRONG,
            saw=f"none of {len(asked)} calls has {configured}; {best.records} have {best.path}",
            do="Change the path.",
            lines=("evidence:", f"  served_latency_path: {best.path}"),
        )
    ]


def throttle_code_drift(deployment: Deployment, calls: Iterable[Mapping[str, object]]) -> list[Finding]:
    """Compare the pattern of throttles with how throttled calls are spelt."""
    check = "throttle error code"
    codes = error_codes(calls)
    configured = deployment.evidence.throttle_error_code
    matching = re.compile(".*".join(map(re.escape, configured.split("*"))) + r"\Z")
    hit = {code: count for code, count in codes.items() if matching.match(code)}
    alike = {code: count for code, count in codes.items() if code not in hit and "throttl" in code.lower()}
    if alike:
        code = max(alike, key=lambda name: alike[name])
        return [
            Finding(
                check=check,
                status=Status.WRONG,
                saw=f"{alike[code]} calls failed with {code}, which {configured!r} does not match",
                do="Change the pattern.",
                lines=("evidence:", f"  throttle_error_code: {code}"),
            )
        ]
    if hit:
        return [Finding(check=check, status=Status.OK, saw=f"{sum(hit.values())} throttled calls match {configured!r}")]
    saw, do = "no throttled call was found", "Nothing, unless you were throttled."
    return [Finding(check=check, status=Status.UNKNOWN, saw=saw, do=do)]


def delay_drift(deployment: Deployment, delays_s: Iterable[float]) -> list[Finding]:
    """Compare the delay that is planned for with how late records arrive; nothing where none arrived."""
    delays = sorted(delays_s)
    if not delays:
        return []
    p90 = delays[min(len(delays) - 1, int(0.9 * len(delays)))]
    needed = next((step for step in DELAYS_S if p90 <= step), DELAYS_S[-1])
    configured = deployment.evidence.expected_delay_s
    saw = f"records arrive after {delays[len(delays) // 2]:.0f} s (median), {p90:.0f} s (p90); {configured} s is configured"
    if needed <= configured:
        return [Finding(check="CloudTrail delay", status=Status.OK, saw=saw)]
    return [
        Finding(
            check="CloudTrail delay",
            status=Status.WRONG,
            saw=saw,
            do="Wait longer before a slow model pages, so that late evidence can still name the cause.",
            lines=("evidence:", f"  expected_delay_s: {needed}"),
        )
    ]


def _number(value: float) -> str:
    return f"{value:.0f}" if float(value).is_integer() else f"{value:g}"
