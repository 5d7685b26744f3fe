"""What of a log record may be kept? Who called which model, how it was served and what it counted: never what was said.

Only the named fields are kept, so a field that AWS adds one day is left out until somebody looks at it. Messages of errors are
kept for throttles alone, where they name the quota; those of rejected requests may quote the request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bedrock.trail_records import leaves

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["kept_record"]

_LONGEST = 256
_FIELDS = (
    "eventTime",
    "eventName",
    "eventSource",
    "eventType",
    "eventID",
    "eventVersion",
    "requestID",
    "awsRegion",
    "recipientAccountId",
    "errorCode",
    "readOnly",
    "userIdentity.type",
    "userIdentity.arn",
    "userIdentity.sessionContext.sessionIssuer.arn",
    "requestParameters.modelId",
    "requestParameters.performanceConfig.latency",
    "additionalEventData.inferenceRegion",
    "additionalEventData.inputTokens",
    "additionalEventData.outputTokens",
    "additionalEventData.performanceConfig.latency",
    "timestamp",
    "accountId",
    "region",
    "requestId",
    "operation",
    "modelId",
    "inferenceRegion",
    "identity.arn",
    "input.inputTokenCount",
    "input.cacheReadInputTokenCount",
    "input.cacheWriteInputTokenCount",
    "output.outputTokenCount",
    "performanceConfig.latency",
)


def kept_record(record: Mapping[str, Any], *, latency_path: str) -> dict[str, Any]:
    """Return the record with the fields that may be kept, in their places.

    Args:
        record: A CloudTrail record, an EventBridge event around one, or an invocation log record.
        latency_path: Where the configuration reads the served latency; kept where it holds a word.
    """
    detail = record.get("detail")
    if isinstance(detail, dict):
        outer = {name: record[name] for name in ("detail-type", "source", "time", "id") if name in record}
        return {**outer, "detail": kept_record(detail, latency_path=latency_path)}
    kept: dict[str, Any] = {}
    for path in dict.fromkeys((*_FIELDS, latency_path)):
        _copy(record, kept, path.split("."))
    if "throttl" in str(record.get("errorCode", "")).lower():
        _copy(record, kept, ["errorMessage"])
    for path, value in leaves(record.get("serviceEventDetails", {}), "serviceEventDetails"):
        if isinstance(value, str) and value.lower() in {"optimized", "standard"} and "latency" in path.lower():
            kept.setdefault("servedLatencyAt", {})[path] = value
    return kept


def _copy(record: Mapping[str, Any], kept: dict[str, Any], path: list[str]) -> None:
    found: Any = record
    for part in path:
        if not isinstance(found, dict) or part not in found:
            return
        found = found[part]
    if isinstance(found, dict | list) or (isinstance(found, str) and len(found) > _LONGEST):
        return
    at = kept
    for part in path[:-1]:
        at = at.setdefault(part, {})
    at[path[-1]] = found
