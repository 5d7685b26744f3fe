"""What do the account's own records say about the evidence? Gathers, read-only; `monitoring.evidence_check` judges.

Calls: cloudtrail:LookupEvents, logs:FilterLogEvents, cloudwatch:ListMetrics, events:DescribeRule, kms:DescribeKey,
sns:ListSubscriptionsByTopic. A denied call costs its own checks and is said. Bodies of prompts and answers are never kept:
CloudTrail does not hold them, and of a body in an invocation log only the field that says how the call was served stays.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from bedrock.trail_records import RUNTIME_EVENT_NAMES, SERVED_VALUES, unwrap
from cloudwatch.metric import Metric
from cloudwatch.problems import InvalidValueError
from monitoring.evidence_check import LogEvent, Observed
from monitoring.live.session import AwsError, Connection, doing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = ["TRAIL_PATTERN", "gather_evidence"]

TRAIL_PATTERN = '{ $.eventSource = "bedrock.amazonaws.com" }'

ANSWER_KEY = "outputBodyJson"
BODY_KEYS = frozenset({"inputBodyJson", ANSWER_KEY, "inputBodyS3Path", "outputBodyS3Path"})

_T = TypeVar("_T")


def gather_evidence(
    connection: Connection,
    *,
    now: datetime,
    log_group: str | None,
    rules: Sequence[str],
    key: str | None,
    topic_arns: Sequence[str],
    pattern: str = "",
    records: int = 200,
    progress: Callable[[str], None] = lambda _: None,
) -> Observed:
    """Ask one account and Region.

    Args:
        connection: Credentials and Region.
        now: Present time, UTC.
        log_group: Evidence log group, or None.
        rules: Names of the EventBridge rules that should exist.
        key: Id, ARN or alias of the KMS key, or None.
        topic_arns: Topics whose subscriptions are looked at.
        pattern: Filter pattern of the events wanted from the log group; empty for all. A trail's holds every service's.
        records: How many records of each source are read at most.
        progress: Told what is being read.

    Raises:
        AwsError: The credentials are not accepted at all.
    """
    _ = connection.account_id
    problems: list[str] = []

    def ask(what: str, call: Callable[[], _T]) -> _T | None:
        progress(what)
        try:
            return call()
        except AwsError as error:
            problems.append(error.problem.message)
            return None

    history = ask("CloudTrail event history", lambda: tuple(_history(connection, now=now, most=records)))
    events = None
    if log_group is not None:
        events = ask(
            "evidence log group",
            lambda: tuple(_log_events(connection, now=now, log_group=log_group, pattern=pattern, most=records)),
        )
    metrics = ask("published metrics", lambda: tuple(_metrics(connection)))
    states = ask("EventBridge rules", lambda: {name: _rule_state(connection, name=name) for name in rules})
    key_state = None if key is None else ask("KMS key", lambda: _key_state(connection, key=key))
    pending = ask("subscriptions", lambda: {arn: _pending(connection, topic_arn=arn) for arn in topic_arns})
    return Observed(
        history=history,
        log_events=events,
        metrics=metrics,
        rule_states=states,
        key_state=key_state,
        pending_subscriptions=pending,
        problems=tuple(problems),
    )


def _history(connection: Connection, *, now: datetime, most: int) -> Iterator[Mapping[str, object]]:
    for name in RUNTIME_EVENT_NAMES:
        pages = connection.pages(
            "cloudtrail",
            "lookup_events",
            LookupAttributes=[{"AttributeKey": "EventName", "AttributeValue": name}],
            StartTime=now - timedelta(days=7),
            EndTime=now,
            PaginationConfig={"MaxItems": max(1, most // len(RUNTIME_EVENT_NAMES)), "PageSize": 50},
        )
        for page in pages:
            for event in page.get("Events", ()):
                record = _parsed(event.get("CloudTrailEvent"))
                if record is not None:
                    yield record


def _log_events(
    connection: Connection, *, now: datetime, log_group: str, pattern: str, most: int
) -> Iterator[LogEvent]:
    pages = connection.pages(
        "logs",
        "filter_log_events",
        logGroupName=log_group,
        startTime=int((now - timedelta(hours=3)).timestamp() * 1000),
        endTime=int(now.timestamp() * 1000),
        **({"filterPattern": pattern} if pattern else {}),
        PaginationConfig={"MaxItems": most},
    )
    for event in islice((event for page in pages for event in page.get("events", ())), most):
        record = _parsed(event.get("message"))
        if record is not None:
            yield LogEvent(
                ingestion_s=event.get("ingestionTime", event.get("timestamp", 0)) / 1000,
                event_s=_event_time(unwrap(record)),
                record=_without_bodies(record),
            )


def _metrics(connection: Connection) -> Iterator[Metric]:
    for page in connection.pages("cloudwatch", "list_metrics", Namespace="AWS/Bedrock", RecentlyActive="PT3H"):
        for entry in page.get("Metrics", ()):
            try:
                yield Metric(
                    namespace=entry["Namespace"],
                    name=entry["MetricName"],
                    dimensions=tuple((pair["Name"], pair["Value"]) for pair in entry.get("Dimensions", ())),
                )
            except InvalidValueError:
                continue


def _rule_state(connection: Connection, *, name: str) -> str:
    try:
        with doing(f"Reading rule {name} (events:DescribeRule)"):
            return str(connection.client("events").describe_rule(Name=name)["State"])
    except AwsError as error:
        if "ResourceNotFound" in error.problem.message:
            return "absent"
        raise


def _key_state(connection: Connection, *, key: str) -> str:
    with doing(f"Reading key {key} (kms:DescribeKey)"):
        return str(connection.client("kms").describe_key(KeyId=key)["KeyMetadata"]["KeyState"])


def _pending(connection: Connection, *, topic_arn: str) -> int:
    pages = connection.pages("sns", "list_subscriptions_by_topic", TopicArn=topic_arn)
    entries = [entry for page in pages for entry in page.get("Subscriptions", ())]
    return sum(entry.get("SubscriptionArn") == "PendingConfirmation" for entry in entries)


def _parsed(text: object) -> dict[str, object] | None:
    try:
        value = json.loads(str(text))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _event_time(record: Mapping[str, object]) -> float | None:
    try:
        return datetime.fromisoformat(str(record["eventTime"])).astimezone(UTC).timestamp()
    except (KeyError, ValueError):
        return None


def _without_bodies(record: Mapping[str, object]) -> dict[str, object]:
    kept: dict[str, object] = {}
    for name, value in record.items():
        if name == ANSWER_KEY:
            served = _served_only(value)
            if served:
                kept[name] = served
        elif name not in BODY_KEYS:
            kept[name] = _without_bodies(value) if isinstance(value, dict) else value
    return kept


def _served_only(body: object) -> dict[str, object]:
    """Return what of an answer's body says how it was served: fields called latency that hold a served mode."""
    kept: dict[str, object] = {}
    for name, value in body.items() if isinstance(body, dict) else ():
        if isinstance(value, dict):
            inner = _served_only(value)
            if inner:
                kept[name] = inner
        elif "latency" in name.lower() and isinstance(value, str) and value.lower() in SERVED_VALUES:
            kept[name] = value
    return kept
