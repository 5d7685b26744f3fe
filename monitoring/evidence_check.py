"""Is the evidence where the configuration says? What was seen in the account against what is configured.

Everything that AWS does not document (where a record says how a call was served, how a throttle is spelt, which name the
cache metrics have, which ModelId values are published, how late CloudTrail is) is decided here from observations, and each
disagreement comes with the configuration line that settles it. What other commands ask too is decided in `monitoring.drift`.
Pure: `monitoring.live.verify_evidence` gathers.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from bedrock.evidence import EvidenceRoute
from bedrock.models import LatencyMode
from bedrock.trail_records import RUNTIME_EVENT_NAMES, is_runtime_call, unwrap, value_at
from cloudwatch.patterns import compile_pattern, parse_pattern
from monitoring import drift
from monitoring.drift import Finding, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from cloudwatch.metric import Metric
    from cloudwatch.metric_filter import MetricFilter
    from monitoring.deployment import Deployment

__all__ = ["Finding", "LogEvent", "Observed", "Report", "Status", "check_evidence"]


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
    from_log = deployment.evidence.route is EvidenceRoute.INVOCATION_LOG
    read = [record for record in records if record.get("operation") in RUNTIME_EVENT_NAMES] if from_log else calls
    delays = [event.ingestion_s - event.event_s for event in observed.log_events or () if event.event_s is not None]
    findings = [
        *drift.latency_path_drift(deployment, read),
        *drift.throttle_code_drift(deployment, read),
        *drift.caller_id_drift(deployment.models, calls),
        *_streams(records),
        *_filters(filters, deployment=deployment, observed=observed),
        *drift.delay_drift(deployment, delays),
        *_published(deployment, observed=observed),
        *_machinery(observed),
        *(Finding(check="permission", status=Status.UNKNOWN, saw=text) for text in observed.problems),
    ]
    return Report(account=deployment.site.alias, region=deployment.site.region, findings=tuple(findings))


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


def _filters(filters: Iterable[MetricFilter], *, deployment: Deployment, observed: Observed) -> list[Finding]:
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
    if not hits and _nothing_to_count([unwrap(event.record) for event in observed.log_events], deployment=deployment):
        return [
            Finding(
                check="filters match",
                status=Status.UNKNOWN,
                saw=f"none of the last {len(observed.log_events)} events is one that a filter counts: "
                "a throttled call, or a call of a model that asks for optimized latency",
                do="Nothing, unless there were such calls.",
            )
        ]
    named = ", ".join(f"{name} {count}" for name, count in matched.most_common(6))
    return [
        Finding(
            check="filters match",
            status=Status.OK if hits else Status.WRONG,
            saw=f"{hits} of {len(matched)} filters match the last {len(observed.log_events)} events: {named}",
            do="" if hits else "Compare a record of the log group with the patterns (docs/evidence.md).",
        )
    ]


def _nothing_to_count(records: list[Mapping[str, object]], *, deployment: Deployment) -> bool:
    """Tell whether it is right that no filter matches: the records are calls, none throttled, none that could fall back."""
    settings = deployment.evidence
    from_log = settings.route is EvidenceRoute.INVOCATION_LOG
    name_path, id_path = ("operation", "modelId") if from_log else ("eventName", "requestParameters.modelId")
    optimized = [model for model in deployment.models if model.latency is LatencyMode.OPTIMIZED]
    ids = {name for model in optimized for name in model.trail_ids}
    by_filter = settings.route is not EvidenceRoute.RULE_COUNTERS
    calls = [record for record in records if record.get(name_path) in RUNTIME_EVENT_NAMES]
    counted = (
        fnmatchcase(str(code), settings.throttle_error_code)
        if (code := call.get("errorCode"))
        else by_filter and value_at(call, id_path) in ids
        for call in calls
    )
    return bool(calls) and not any(counted)


def _published(deployment: Deployment, *, observed: Observed) -> list[Finding]:
    if observed.metrics is None:
        return []
    return [
        *drift.cache_name_drift(deployment, observed.metrics),
        *drift.alias_drift(deployment.models, observed.metrics),
    ]


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
