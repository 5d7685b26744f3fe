"""What does the record of a call look like? CloudTrail records and invocation-log records of a simulation.

Shape: Bedrock User Guide, Monitor Amazon Bedrock API calls using CloudTrail; CloudTrail User Guide, Record contents. Where
the served latency mode stands and how a throttle is spelt is not documented: both are settings (`trail.TrailSettings`).
Records hold no prompt and no answer.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from bedrock.simulator.draws import stream
from bedrock.simulator.gate import Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bedrock.simulator.attempts import Attempts
    from bedrock.simulator.scenario import Scenario
    from bedrock.simulator.service import CallPlan
    from bedrock.simulator.trail import Delivery, TrailSettings

__all__ = ["THROTTLE_MESSAGES", "invocation_log_records", "trail_records"]

THROTTLE_MESSAGES = {
    Status.THROTTLED_RPM: "Too many requests, please wait before trying again.",
    Status.THROTTLED_TPM: "Too many tokens, please wait before trying again.",
    Status.THROTTLED_TPD: "Too many tokens per day, please wait before trying again.",
}
_ERROR_CODES = {
    Status.CLIENT_ERROR: ("ValidationException", "The provided request is not valid."),
    Status.SERVER_ERROR: ("InternalServerException", "The system encountered an unexpected error."),
}
_ROLE = "assistant-service"
_GEO_PREFIXES = ("us.", "eu.", "apac.", "global.", "jp.", "au.", "ca.", "us-gov.")


def trail_records(
    scenario: Scenario, plan: CallPlan, attempts: Attempts, delivery: Delivery, *, settings: TrailSettings
) -> Iterator[tuple[float, dict[str, object]]]:
    """Yield delivered records with the second of their delivery since 1970, in the order of delivery.

    The record of a call comes first, the second one of a streamed call right after it.
    """
    ids = _request_ids(scenario, attempts)
    for index in np.argsort(delivery.at_s, kind="stable"):
        if not np.isfinite(delivery.at_s[index]):
            return
        at_s = scenario.start_s + float(delivery.at_s[index])
        call = int(attempts.call[index])
        record = _record(
            scenario, plan, attempts, delivery=delivery, settings=settings, index=int(index), request_id=ids[index]
        )
        yield at_s, _wrapped(record, settings)
        if settings.service_events and plan.streams[call] and attempts.status[index] <= Status.OPTIMIZED:
            yield at_s, _wrapped(_service_event(record, settings), settings)


def invocation_log_records(
    scenario: Scenario, plan: CallPlan, attempts: Attempts, *, settings: TrailSettings
) -> Iterator[tuple[float, dict[str, object]]]:
    """Yield model invocation log records, with the second in which the call ended, in that order.

    Bodies hold the few fields that evidence may read (latency asked and served, max_tokens), no prompt and no answer.
    """
    asked = "optimized" if plan.profile.asks_optimized else "standard"
    ids = _request_ids(scenario, attempts)
    for index in np.argsort(attempts.end_s, kind="stable"):
        call, status = int(attempts.call[index]), Status(attempts.status[index])
        ended = scenario.start_s + float(attempts.end_s[index])
        record: dict[str, object] = {
            "schemaType": "ModelInvocationLog",
            "schemaVersion": "1.0",
            "timestamp": _iso(scenario.start_s + float(attempts.start_s[index])),
            "accountId": settings.account_id,
            "region": settings.region,
            "requestId": ids[index],
            "operation": _operation(plan, call),
            "modelId": _trail_id(scenario, plan, call),
            "identity": {"arn": _role_arn(settings)},
            "input": {
                "inputTokenCount": int(plan.uncached[call]),
                "cacheReadInputTokenCount": int(plan.cache_read[call]),
                "cacheWriteInputTokenCount": int(plan.cache_write[call]),
                "inputBodyJson": {
                    "inferenceConfig": {"maxTokens": int(plan.max_tokens[call])},
                    "performanceConfig": {"latency": asked},
                },
            },
        }
        error = _error(status, settings)
        if error is not None:
            record["errorCode"] = error[0]
        else:
            record["inferenceRegion"] = settings.region
            served = settings.optimized_value if status is Status.OPTIMIZED else settings.standard_value
            took = round(1000 * float(attempts.end_s[index] - attempts.start_s[index]))
            record["output"] = {
                "outputTokenCount": int(plan.output[call]),
                "outputBodyJson": {"metrics": {"latencyMs": took}, "performanceConfig": {"latency": served}},
            }
        yield ended, record


def _record(
    scenario: Scenario,
    plan: CallPlan,
    attempts: Attempts,
    *,
    delivery: Delivery,
    settings: TrailSettings,
    index: int,
    request_id: str,
) -> dict[str, object]:
    call, status = int(attempts.call[index]), Status(attempts.status[index])
    model_id = _trail_id(scenario, plan, call)
    record: dict[str, object] = {
        "eventVersion": "1.11",
        "userIdentity": {
            "type": "AssumedRole",
            "arn": f"arn:aws:sts::{settings.account_id}:assumed-role/{_ROLE}/session",
            "accountId": settings.account_id,
            "sessionContext": {"sessionIssuer": {"type": "Role", "arn": _role_arn(settings), "userName": _ROLE}},
        },
        "eventTime": _iso(scenario.start_s + float(attempts.start_s[index])),
        "eventSource": "bedrock.amazonaws.com",
        "eventName": _operation(plan, call),
        "awsRegion": settings.region,
        "sourceIPAddress": "192.0.2.10",
        "userAgent": "Boto3",
        "requestParameters": {"modelId": model_id},
        "responseElements": None,
        "requestID": request_id,
        "eventID": f"{request_id[:-1]}0",
        "readOnly": True,
        "eventType": "AwsApiCall",
        "managementEvent": True,
        "recipientAccountId": settings.account_id,
        "eventCategory": "Management",
        "resources": [{"ARN": _resource_arn(model_id, settings)}],
    }
    error = _error(status, settings)
    if error is not None:
        record["errorCode"], record["errorMessage"] = error
        return record
    record["additionalEventData"] = {
        "inferenceRegion": settings.region,
        "inputTokens": int(plan.uncached[call]),
        "outputTokens": int(plan.output[call]),
    }
    served = settings.optimized_value if status is Status.OPTIMIZED else settings.standard_value
    if delivery.known[index]:
        _put(record, settings.served_latency_path, served)
    elif delivery.moved[index]:
        _put(record, "additionalEventData.servedLatencyMode", served)
    return record


def _service_event(record: dict[str, object], settings: TrailSettings) -> dict[str, object]:
    """The second record of a streamed call: no request parameters, the model only in the resource's ARN."""
    second = {key: value for key, value in record.items() if key != "additionalEventData"}
    details = record["additionalEventData"]
    second["requestParameters"] = None
    second["eventType"] = "AwsServiceEvent"
    second["eventID"] = f"{str(record['requestID'])[:-1]}1"
    second["userIdentity"] = {"accountId": settings.account_id, "invokedBy": "bedrock.amazonaws.com"}
    second["serviceEventDetails"] = {"AdditionalEventData": {"additionalEntries": details}}
    return second


def _wrapped(record: dict[str, object], settings: TrailSettings) -> dict[str, object]:
    if not settings.wrapped:
        return record
    return {
        "version": "0",
        "id": record["eventID"],
        "detail-type": "AWS API Call via CloudTrail",
        "source": "aws.bedrock",
        "account": settings.account_id,
        "time": record["eventTime"],
        "region": settings.region,
        "resources": [],
        "detail": record,
    }


def _put(record: dict[str, object], path: str, value: str) -> None:
    *folders, last = path.split(".")
    place = record
    for folder in folders:
        inner = place.setdefault(folder, {})
        if not isinstance(inner, dict):
            inner = place[folder] = {}
        place = inner
    place[last] = value


def _error(status: Status, settings: TrailSettings) -> tuple[str, str] | None:
    if status in THROTTLE_MESSAGES:
        return settings.throttle_error_code, THROTTLE_MESSAGES[status]
    return _ERROR_CODES.get(status)


def _operation(plan: CallPlan, call: int) -> str:
    return "ConverseStream" if plan.streams[call] else "Converse"


def _trail_id(scenario: Scenario, plan: CallPlan, call: int) -> str:
    ids = scenario.model.trail_ids
    return ids[int(plan.alias[call]) % len(ids)]


def _resource_arn(model_id: str, settings: TrailSettings) -> str:
    if model_id.startswith("arn:"):
        return model_id
    if model_id.startswith(_GEO_PREFIXES):
        return f"arn:aws:bedrock:{settings.region}:{settings.account_id}:inference-profile/{model_id}"
    return f"arn:aws:bedrock:{settings.region}::foundation-model/{model_id}"


def _role_arn(settings: TrailSettings) -> str:
    return f"arn:aws:iam::{settings.account_id}:role/{_ROLE}"


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(int(seconds), tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _request_ids(scenario: Scenario, attempts: Attempts) -> list[str]:
    size = attempts.call.shape[0]
    high, low = stream(scenario.seed, "request-ids").integers(0, 2**63, size=(2, size)).tolist()
    return [
        f"{one >> 31:08x}-{one & 0xFFFF:04x}-4{other >> 51:03x}-a{(one >> 16) & 0xFFF:03x}-{other & 0xFFFFFFFFFFFF:012x}"
        for one, other in zip(high, low, strict=True)
    ]
