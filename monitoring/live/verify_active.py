"""Calls of our own, and their records. Costs a fraction of a cent: the command shows it and asks before.

Calls: bedrock:InvokeModel, bedrock:InvokeModelWithResponseStream (Converse and ConverseStream need them), cloudtrail:LookupEvents.
The sentence that is sent is fixed; of the answers only metadata is looked at.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import botocore.exceptions as sdk

from monitoring.active_check import MAX_TOKENS, Call, PlannedCall
from monitoring.live.session import Connection, doing, is_denied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["POLL_S", "find_records", "make_call"]

POLL_S = 30
_SENTENCE = "Reply with OK."

Records = dict[str, list[tuple[float, "Mapping[str, object]"]]]


def make_call(connection: Connection, planned: PlannedCall, *, now: Callable[[], float]) -> Call:
    """Make one call; an error that AWS answers is part of the result.

    Raises:
        AwsError: The call was not permitted, or AWS did not answer.
    """
    client = connection.client("bedrock-runtime")
    request: dict[str, Any] = {
        "modelId": planned.model_id,
        "messages": [{"role": "user", "content": [{"text": _SENTENCE}]}],
        "inferenceConfig": {"maxTokens": MAX_TOKENS},
    }
    if planned.latency is not None:
        request["performanceConfig"] = {"latency": planned.latency}
    at_s = now()
    with doing(f"Calling {planned.model_id} (bedrock:{planned.operation})"):
        try:
            answer = (client.converse_stream if planned.operation == "ConverseStream" else client.converse)(**request)
            served = answer.get("performanceConfig", {}).get("latency")
            for event in answer.get("stream", ()):
                served = event.get("metadata", {}).get("performanceConfig", {}).get("latency") or served
        except sdk.ClientError as error:
            code = str(error.response.get("Error", {}).get("Code", ""))
            if is_denied(error) or code in {"ExpiredTokenException", "UnrecognizedClientException"}:
                raise
            return Call(planned=planned, request_id=_request_id(error.response), at_s=at_s, error=code)
    return Call(planned=planned, request_id=_request_id(answer), at_s=at_s, served=served)


def find_records(
    connection: Connection,
    *,
    calls: Sequence[Call],
    until_s: float,
    now: Callable[[], float],
    sleep: Callable[[float], None],
) -> Records:
    """Look for the records of calls until each has one, or the time is over.

    Args:
        connection: Credentials and Region.
        calls: What was called.
        until_s: When to give up, epoch seconds.
        now: Present time.
        sleep: Waits that many seconds.

    Raises:
        AwsError: The event history cannot be read.
    """
    wanted = {call.request_id for call in calls if call.request_id}
    start = datetime.fromtimestamp(min(call.at_s for call in calls) - 60, tz=UTC)
    found: Records = {}
    seen: set[str] = set()
    while True:
        for operation in dict.fromkeys(call.planned.operation for call in calls):
            for record in _lookup(connection, operation=operation, start=start):
                request_id, event_id = str(record.get("requestID")), str(record.get("eventID"))
                if request_id in wanted and event_id not in seen:
                    seen.add(event_id)
                    found.setdefault(request_id, []).append((now(), record))
        if wanted <= found.keys() or now() >= until_s:
            return found
        sleep(min(POLL_S, max(1.0, until_s - now())))


def _lookup(connection: Connection, *, operation: str, start: datetime) -> Iterable[Mapping[str, object]]:
    pages = connection.pages(
        "cloudtrail",
        "lookup_events",
        LookupAttributes=[{"AttributeKey": "EventName", "AttributeValue": operation}],
        StartTime=start,
        PaginationConfig={"MaxItems": 500, "PageSize": 50},
    )
    for page in pages:
        for event in page.get("Events", ()):
            try:
                record = json.loads(str(event.get("CloudTrailEvent")))
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict):
                yield record


def _request_id(answer: Any) -> str:
    return str(answer.get("ResponseMetadata", {}).get("RequestId", ""))
