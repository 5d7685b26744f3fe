"""CloudTrail records of Bedrock calls in the documented shape, one of each kind."""

from __future__ import annotations

from typing import Any

MODEL_ID = "us.amazon.nova-pro-v1:0"


def call_record(
    *,
    model_id: str = MODEL_ID,
    name: str = "ConverseStream",
    latency: str | None = "optimized",
    error: str | None = None,
    message: str | None = None,
    input_tokens: int = 1200,
) -> dict[str, Any]:
    """Return the record of one call. `latency` None leaves the field out, `error` makes it a failed call."""
    data: dict[str, Any] = {
        "inferenceRegion": "us-east-2",
        "inputTokens": input_tokens,
        "outputTokens": 300,
    }
    if latency is not None:
        data["performanceConfig"] = {"latency": latency}
    record: dict[str, Any] = {
        "eventVersion": "1.11",
        "userIdentity": {"type": "AssumedRole", "arn": "arn:aws:sts::111122223333:assumed-role/chat/task"},
        "eventTime": "2026-11-02T09:15:00Z",
        "eventSource": "bedrock.amazonaws.com",
        "eventName": name,
        "awsRegion": "us-east-1",
        "requestParameters": {"modelId": model_id},
        "responseElements": None,
        "additionalEventData": data,
        "requestID": "5c1d4c1e-0000-4000-8000-000000000001",
        "eventID": "5c1d4c1e-0000-4000-8000-000000000002",
        "readOnly": True,
        "eventType": "AwsApiCall",
        "managementEvent": True,
        "recipientAccountId": "111122223333",
    }
    if error is not None:
        record["errorCode"] = error
        record["additionalEventData"] = None
    if message is not None:
        record["errorMessage"] = message
    return record


def stream_record(*, model_id: str = MODEL_ID) -> dict[str, Any]:
    """Return the second record that a streamed call leaves."""
    record = call_record(model_id=model_id)
    record["eventType"] = "AwsServiceEvent"
    record["requestParameters"] = None
    record["additionalEventData"] = None
    record["serviceEventDetails"] = {
        "AdditionalEventData": {"additionalEntries": {"performanceConfig": {"latency": "optimized"}}}
    }
    record["resources"] = [{"ARN": f"arn:aws:bedrock:us-east-1:111122223333:inference-profile/{model_id}"}]
    return record


RECORDS: dict[str, tuple[dict[str, Any], str | None]] = {
    "served optimized": (call_record(), "served-optimized"),
    "served standard": (call_record(latency="standard"), "served-standard"),
    "without the field": (call_record(latency=None), "served-unknown"),
    "with a value nobody knows": (call_record(latency="turbo"), "served-unknown"),
    "not streamed": (call_record(name="InvokeModel"), "served-optimized"),
    "the second record of a stream": (stream_record(), None),
    "throttled by requests": (
        call_record(error="ThrottlingException", message="Too many requests, please wait before trying again."),
        "throttled-requests",
    ),
    "throttled by tokens": (
        call_record(error="Throttling", message="Too many tokens, please wait before trying again."),
        "throttled-tokens",
    ),
    "throttled by tokens per day": (
        call_record(error="ThrottlingException", message="Too many tokens per day, please wait before trying again."),
        "throttled-tokens-per-day",
    ),
    "throttled in other words": (
        call_record(error="ThrottlingException", message="Your request rate is too high."),
        "throttled-other",
    ),
    "throttled without a message": (call_record(error="ThrottlingException"), "throttled-other"),
    "model not ready": (call_record(error="ModelNotReadyException", message="Try again later."), None),
    "quota of another kind": (call_record(error="ServiceQuotaExceededException"), None),
    "access denied": (call_record(error="AccessDenied"), None),
    "of a model that is not watched": (call_record(model_id="amazon.titan-embed-text-v2:0"), None),
}
