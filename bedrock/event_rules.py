"""Which CloudTrail events does EventBridge hand on? Rules as values.

Calls of the Bedrock runtime are management events; a rule on the default bus sees them all only in the state
ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS, because half of them are marked read-only (EventBridge User Guide, Receiving
read-only management events). CloudWatch counts the matches of every rule in AWS/Events MatchedEvents.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, assert_never

from bedrock.evidence import AbsentMeans, EvidenceSettings, ServedAs
from bedrock.evidence_patterns import long_request_tokens
from bedrock.trail_records import RUNTIME_EVENT_NAMES
from cloudwatch import limits
from cloudwatch.metric import Metric
from cloudwatch.problems import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ALL_MANAGEMENT_EVENTS",
    "EventRule",
    "InputTransformer",
    "LogTarget",
    "calls_rule",
    "matched_events",
    "rule_name",
    "served_rule",
    "shrunk_record",
    "throttled_rule",
]

ALL_MANAGEMENT_EVENTS = "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS"
_NAME_LENGTH = 64  # EventBridge API reference, PutRule


@dataclass(frozen=True, slots=True, kw_only=True)
class InputTransformer:
    """What a target receives instead of the event (EventBridge User Guide, Input transformation).

    Attributes:
        paths: Pairs of variable name and JSON path, at most 100.
        template: Text with `<variable>`; for a log group an object with `timestamp` and `message`.
    """

    paths: tuple[tuple[str, str], ...]
    template: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogTarget:
    """A log group that receives the events of a rule.

    Attributes:
        log_group: Name of the log group.
        transformer: What it receives; None for the whole event.
    """

    log_group: str
    transformer: InputTransformer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRule:
    """One rule on the default event bus.

    Attributes:
        name: 1 to 64 characters.
        pattern: EventPattern as JSON text, at most 4,096 characters.
        description: One sentence.
        state: `ALL_MANAGEMENT_EVENTS`, `ENABLED` or `DISABLED`.
        targets: Where matches go; none where only their number matters.

    Raises:
        InvalidValueError: PutRule would refuse it.
    """

    name: str
    pattern: str
    description: str = ""
    state: str = ALL_MANAGEMENT_EVENTS
    targets: tuple[LogTarget, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= len(self.name) <= _NAME_LENGTH:
            raise InvalidValueError(
                f"rule {self.name[:70]!r}: EventBridge takes names of 1 to {_NAME_LENGTH} characters"
            )
        if len(self.pattern) > limits.EVENT_PATTERN_LENGTH:
            raise InvalidValueError(
                f"rule {self.name}: the event pattern has {len(self.pattern)} characters, EventBridge takes "
                f"{limits.EVENT_PATTERN_LENGTH}"
            )

    @property
    def event_pattern(self) -> dict[str, Any]:
        """The pattern as an object."""
        parsed: dict[str, Any] = json.loads(self.pattern)
        return parsed


def rule_name(*parts: str) -> str:
    """Return the parts joined by hyphens; above 64 characters the end gives way to a hash of the whole name."""
    name = "-".join(parts)
    if len(name) <= _NAME_LENGTH:
        return name
    return f"{name[: _NAME_LENGTH - 9]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def matched_events(rule: str) -> Metric:
    """Return the metric that counts the matches of a rule (EventBridge User Guide, Monitoring)."""
    return Metric(namespace="AWS/Events", name="MatchedEvents", dimensions=(("RuleName", rule),))


def calls_rule(name: str, *, target: LogTarget) -> EventRule:
    """Return the rule that hands on every call of the Bedrock runtime."""
    return _rule(name, detail={}, targets=(target,), description="Every call of the Amazon Bedrock runtime.")


def served_rule(
    name: str,
    *,
    served: ServedAs,
    ids: Sequence[str],
    settings: EvidenceSettings,
    target: LogTarget | None = None,
) -> EventRule:
    """Return the rule that matches the successful calls of a model that were served so.

    Args:
        name: Name of the rule.
        served: Optimized, standard or unknown.
        ids: Model ids as CloudTrail holds them.
        settings: Path and values of the served-latency field, and what its absence means.
        target: Where the matches go, or None to count them only.
    """
    match served:
        case ServedAs.OPTIMIZED:
            wanted: list[Any] = [settings.optimized_value]
        case ServedAs.STANDARD | ServedAs.STANDARD_BY_DESIGN:
            wanted = [settings.standard_value]
        case ServedAs.UNKNOWN:
            wanted = [{"anything-but": [settings.optimized_value, settings.standard_value]}]
        case _:
            assert_never(served)
    absent_is_standard = settings.absent_means is AbsentMeans.STANDARD
    if served is not ServedAs.OPTIMIZED and absent_is_standard is not (served is ServedAs.UNKNOWN):
        wanted.append({"exists": False})
    leaf: Any = wanted
    for part in reversed(settings.latency_path.split(".")):
        leaf = {part: leaf}
    detail: dict[str, Any] = {"errorCode": [{"exists": False}], "requestParameters": {"modelId": list(ids)}}
    limit = long_request_tokens(ids)
    if limit is not None and served is ServedAs.STANDARD:
        lengths: list[Any] = [{"numeric": ["<=", limit]}, {"exists": False}]
        detail["additionalEventData"] = {"inputTokens": lengths}
    if limit is not None and served is ServedAs.STANDARD_BY_DESIGN:
        detail["additionalEventData"] = {"inputTokens": [{"numeric": [">", limit]}]}
    return _rule(
        name,
        detail=_merged(detail, leaf),
        targets=(target,) if target else (),
        description=f"Calls served {served}.",
    )


def throttled_rule(name: str, *, settings: EvidenceSettings, target: LogTarget) -> EventRule:
    """Return the rule that hands on the throttled calls of every model."""
    code = settings.throttle_error_code
    wanted: list[Any] = [{"wildcard": code}] if "*" in code.rstrip("*") else [{"prefix": code.rstrip("*")}]
    if "*" not in code:
        wanted = [code]
    return _rule(name, detail={"errorCode": wanted}, targets=(target,), description="Throttled calls.")


def shrunk_record(settings: EvidenceSettings) -> InputTransformer:
    """Return the transformer that keeps what filters and queries read: about 0.6 KB of a record of about 2 KB.

    The message is the text of an object with the paths of the whole event, so patterns need not know. A field that an event
    lacks becomes an empty text: filters on shrunk records never rely on absence of a field.
    """
    kept = {
        "eventsource": "eventSource",
        "eventtype": "eventType",
        "eventname": "eventName",
        "eventtime": "eventTime",
        "requestid": "requestID",
        "errorcode": "errorCode",
        "errormessage": "errorMessage",
        "model": "requestParameters.modelId",
        "region": "additionalEventData.inferenceRegion",
        "latency": settings.latency_path,
        "caller": "userIdentity.arn",
    }
    tree: dict[str, Any] = {}
    for variable, path in kept.items():
        leaf: Any = f"<{variable}>"
        for part in reversed(path.split(".")):
            leaf = {part: leaf}
        tree = _merged(tree, leaf)
    message = json.dumps(json.dumps({"detail": tree}, separators=(",", ":")))
    paths = (("time", "$.time"), *((variable, f"$.detail.{path}") for variable, path in kept.items()))
    return InputTransformer(paths=paths, template=f'{{"timestamp": <time>, "message": {message}}}')


def _rule(name: str, *, detail: dict[str, Any], targets: tuple[LogTarget, ...], description: str) -> EventRule:
    pattern = {
        "source": ["aws.bedrock"],
        "detail-type": ["AWS API Call via CloudTrail"],
        "detail": {
            "eventSource": ["bedrock.amazonaws.com"],
            "eventType": ["AwsApiCall"],
            "eventName": list(RUNTIME_EVENT_NAMES),
            **detail,
        },
    }
    text = json.dumps(pattern, separators=(",", ":"))
    return EventRule(name=name, pattern=text, description=description, targets=targets)


def _merged(left: dict[str, Any], right: dict[str, Any]) -> dict[str, Any]:
    merged = dict(left)
    for key, value in right.items():
        both = isinstance(merged.get(key), dict) and isinstance(value, dict)
        merged[key] = _merged(merged[key], value) if both else value
    return merged
