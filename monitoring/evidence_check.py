"""Is the evidence where the configuration says? What was seen in the account against what is configured.

Everything that AWS does not document (where a record says how a call was served, how a throttle is spelt, which name the
cache metrics have, which ModelId values are published, how late CloudTrail is) is decided here from observations, and each
disagreement comes with the configuration line that settles it. Pure: `monitoring.live.verify_evidence` gathers.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from bedrock.models import OPTIMIZED_SUFFIX, LatencyMode
from bedrock.trail_records import error_codes, is_runtime_call, latency_fields, model_ids, unwrap, value_at
from cloudwatch.patterns import compile_pattern, parse_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from cloudwatch.metric import Metric
    from cloudwatch.metric_filter import MetricFilter
    from monitoring.deployment import Deployment

__all__ = ["Finding", "LogEvent", "Observed", "Report", "Status", "check_evidence"]

DELAYS_S = (300, 600, 900)
CACHE_METRICS = (
    ("CacheReadInputTokenCount", "CacheWriteInputTokenCount"),
    ("CacheReadInputTokens", "CacheWriteInputTokens"),
)


class Status(StrEnum):
    """How a check came out: as configured, not as configured, or not enough seen to tell."""

    OK = "ok"
    WRONG = "wrong"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEvent:
    """One event of the evidence log group.

    Attributes:
        ingestion_s: When CloudWatch Logs received it, epoch seconds.
        event_s: When the call happened (eventTime), epoch seconds, or None where the record does not say.
        record: The parsed message.
    """

    ingestion_s: float
    record: Mapping[str, object]
    event_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What was seen in one account and Region; None where a call was denied or not made.

    Attributes:
        history: CloudTrail records of Bedrock calls from the event history, without any wrapping.
        log_events: Newest events of the evidence log group.
        metrics: AWS/Bedrock metrics with recent data.
        rule_states: State of each EventBridge rule by name; "absent" where there is none.
        key_state: State of the KMS key (`Enabled`, `Disabled`...).
        pending_subscriptions: Topic ARN -> subscriptions that nobody confirmed.
        problems: What could not be asked, one sentence each.
    """

    history: tuple[Mapping[str, object], ...] | None = None
    log_events: tuple[LogEvent, ...] | None = None
    metrics: tuple[Metric, ...] | None = None
    rule_states: Mapping[str, str] | None = None
    key_state: str | None = None
    pending_subscriptions: Mapping[str, int] | None = None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One check.

    Attributes:
        check: Short name.
        status: See `Status`.
        saw: What was seen, one sentence.
        do: What to do, empty when all is well.
        lines: Configuration lines to change, YAML.
    """

    check: str
    status: Status
    saw: str
    do: str = ""
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All checks of one account and Region."""

    account: str
    region: str
    findings: tuple[Finding, ...] = field(default=())

    @property
    def wrong(self) -> bool:
        """Whether any check says that the configuration does not fit the account."""
        return any(finding.status is Status.WRONG for finding in self.findings)


def check_evidence(deployment: Deployment, *, filters: Iterable[MetricFilter], observed: Observed) -> Report:
    """Compare observations with the configuration of one account and Region.

    Args:
        deployment: Effective configuration.
        filters: Metric filters that the configuration makes.
        observed: What was gathered.
    """
    records = [unwrap(record) for record in observed.history or ()]
    records += [unwrap(event.record) for event in observed.log_events or ()]
    calls = [record for record in records if is_runtime_call(record)]
    findings = [
        *_served_latency(deployment, calls=calls),
        *_throttle_code(deployment, calls=calls),
        *_trail_ids(deployment, calls=calls),
        *_streams(records),
        *_filters(filters, observed=observed),
        *_delay(deployment, observed=observed),
        *_published(deployment, observed=observed),
        *_machinery(observed),
        *(Finding(check="permission", status=Status.UNKNOWN, saw=text) for text in observed.problems),
    ]
    return Report(account=deployment.site.alias, region=deployment.site.region, findings=tuple(findings))


def _served_latency(deployment: Deployment, *, calls: list[Mapping[str, object]]) -> list[Finding]:
    check = "served-latency path"
    optimized = [model for model in deployment.models if model.latency is LatencyMode.OPTIMIZED]
    if not optimized:
        return []
    configured = deployment.evidence.served_latency_path
    ids = {name for model in optimized for name in model.trail_ids}
    asked = [call for call in calls if value_at(call, "requestParameters.modelId") in ids and not call.get("errorCode")]
    if not asked:
        return [
            Finding(
                check=check,
                status=Status.UNKNOWN,
                saw=f"no successful call of {', '.join(model.key for model in optimized)} was found",
                do="Run it again after some traffic.",
            )
        ]
    fields = latency_fields(asked)
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
                do="Fallback cannot be seen in CloudTrail here; use the invocation log, or route none to say so.",
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


def _throttle_code(deployment: Deployment, *, calls: list[Mapping[str, object]]) -> list[Finding]:
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
    return [
        Finding(
            check=check,
            status=Status.UNKNOWN,
            saw="no throttled call was found",
            do="Nothing, unless you were throttled.",
        )
    ]


def _trail_ids(deployment: Deployment, *, calls: list[Mapping[str, object]]) -> list[Finding]:
    known = {name for model in deployment.models for name in model.trail_ids}
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


def _streams(records: list[Mapping[str, object]]) -> list[Finding]:
    seconds = sum(record.get("eventType") == "AwsServiceEvent" for record in records)
    if not seconds:
        return []
    return [
        Finding(
            check="second records of streams",
            status=Status.OK,
            saw=f"{seconds} AwsServiceEvent records; the filters leave them out, so no call counts twice",
        )
    ]


def _filters(filters: Iterable[MetricFilter], *, observed: Observed) -> list[Finding]:
    if observed.log_events is None:
        return []
    if not observed.log_events:
        return [
            Finding(
                check="evidence arrives",
                status=Status.UNKNOWN,
                saw="the evidence log group holds no event",
                do="Check that a trail logs management events (read and write) in this Region and that Bedrock is called.",
            )
        ]
    matched: Counter[str] = Counter()
    for each in filters:
        match = compile_pattern(parse_pattern(each.pattern))
        matched[each.name] = sum(match(event.record) for event in observed.log_events)
    hits = sum(count > 0 for count in matched.values())
    named = ", ".join(f"{name} {count}" for name, count in matched.most_common(6))
    return [
        Finding(
            check="filters match",
            status=Status.OK if hits else Status.WRONG,
            saw=f"{hits} of {len(matched)} filters match the last {len(observed.log_events)} events: {named}",
            do="" if hits else "Compare a record of the log group with the patterns (docs/evidence.md).",
        )
    ]


def _delay(deployment: Deployment, *, observed: Observed) -> list[Finding]:
    delays = sorted(e.ingestion_s - e.event_s for e in observed.log_events or () if e.event_s is not None)
    if not delays:
        return []
    p90 = delays[min(len(delays) - 1, int(0.9 * len(delays)))]
    needed = next((step for step in DELAYS_S if p90 <= step), DELAYS_S[-1])
    configured = deployment.evidence.expected_delay_s
    median = delays[len(delays) // 2]
    saw = f"records arrive after {median:.0f} s (median), {p90:.0f} s (p90); {configured} s is configured"
    if needed > configured:
        return [
            Finding(
                check="CloudTrail delay",
                status=Status.WRONG,
                saw=saw,
                do="Wait longer before a slow model pages, so that late evidence can still name the cause.",
                lines=("evidence:", f"  expected_delay_s: {needed}"),
            )
        ]
    return [Finding(check="CloudTrail delay", status=Status.OK, saw=saw)]


def _published(deployment: Deployment, *, observed: Observed) -> list[Finding]:
    if observed.metrics is None:
        return []
    findings = []
    names = {metric.name for metric in observed.metrics}
    here = [pair for pair in CACHE_METRICS if names & set(pair)]
    if any(model.prompt_caching for model in deployment.models) and here:
        if not names & set(deployment.cache_metrics):
            read, write = here[0]
            findings.append(
                Finding(
                    check="cache metric names",
                    status=Status.WRONG,
                    saw=f"the account publishes {read}, not {deployment.cache_metrics[0]}",
                    do="Change the names.",
                    lines=("cache_metrics:", f"  read: {read}", f"  write: {write}"),
                )
            )
        else:
            findings.append(
                Finding(check="cache metric names", status=Status.OK, saw=f"{deployment.cache_metrics[0]} is published")
            )
    published = {value for metric in observed.metrics if (value := metric.dimension("ModelId"))}
    known = {name for model in deployment.models for name in model.model_ids}
    known |= {name + OPTIMIZED_SUFFIX for name in known}
    silent = [model.key for model in deployment.models if not published & set(model.series_ids)]
    strangers = sorted(published - known)
    findings.append(
        Finding(
            check="ModelId values",
            status=Status.WRONG if silent or strangers else Status.OK,
            saw=f"{len(published)} ModelId values have data"
            + (f"; none of model {', '.join(silent)}" if silent else "")
            + (f"; not configured: {', '.join(strangers[:5])}" if strangers else ""),
            do="Add missing ids to their model; a model without data is idle or has another id here."
            if silent or strangers
            else "",
        )
    )
    return findings


def _machinery(observed: Observed) -> list[Finding]:
    findings = []
    for name, state in (observed.rule_states or {}).items():
        good = state == "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS"
        findings.append(
            Finding(
                check="EventBridge rule",
                status=Status.OK if good else Status.WRONG,
                saw=f"rule {name} is {state}",
                do=""
                if good
                else "Deploy the account stack again; it sets ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS.",
            )
        )
    if observed.key_state is not None:
        good = observed.key_state == "Enabled"
        findings.append(
            Finding(
                check="KMS key",
                status=Status.OK if good else Status.WRONG,
                saw=f"the key is {observed.key_state}",
                do="" if good else "Enable it: with a disabled key no alarm reaches its topic.",
            )
        )
    for arn, pending in (observed.pending_subscriptions or {}).items():
        findings.append(
            Finding(
                check="subscriptions",
                status=Status.WRONG if pending else Status.OK,
                saw=f"{pending} of {arn.rsplit(':', 1)[-1]} wait for confirmation",
                do="Confirm them in the mail that AWS sent; until then nobody is paged." if pending else "",
            )
        )
    return findings
