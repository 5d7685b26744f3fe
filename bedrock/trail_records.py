"""What does a CloudTrail record of a Bedrock call really hold?

AWS does not document where a record says how a call was served, nor how a throttle is spelt. This module looks instead of
assuming: it walks the leaves of real records and proposes the paths and values that the configuration should name.
Source of the documented shape: Bedrock User Guide, Monitor Amazon Bedrock API calls using CloudTrail.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = [
    "RUNTIME_EVENT_NAMES",
    "SERVED_VALUES",
    "LatencyField",
    "caller_role",
    "error_codes",
    "is_runtime_call",
    "latency_fields",
    "leaves",
    "model_ids",
    "unwrap",
    "value_at",
]

RUNTIME_EVENT_NAMES = ("InvokeModel", "InvokeModelWithResponseStream", "Converse", "ConverseStream")
SERVED_VALUES = frozenset({"optimized", "standard"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyField:
    """A place in the records that holds `optimized` or `standard`.

    Attributes:
        path: Dotted path inside the record.
        counts: Pairs of value and number of records, most frequent first.
    """

    path: str
    counts: tuple[tuple[str, int], ...]

    @property
    def records(self) -> int:
        """Number of records that hold the field."""
        return sum(count for _, count in self.counts)


def unwrap(event: Mapping[str, object]) -> Mapping[str, object]:
    """Return the CloudTrail record inside an EventBridge event, or the record itself."""
    detail = event.get("detail")
    return detail if isinstance(detail, dict) and "eventName" in detail else event


def leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield every scalar of a record with its dotted path; elements of a list share the path of the list plus `[*]`.

    Lists of `{key, value}` pairs, as records of streamed calls hold them, yield the key as the last part of the path.
    """
    stack: list[tuple[str, object]] = [(path, value)]
    while stack:
        at, item = stack.pop()
        if isinstance(item, dict):
            if set(item) == {"key", "value"}:
                stack.append((f"{at}.{item['key']}".lstrip("."), item["value"]))
            else:
                stack.extend((f"{at}.{name}".lstrip("."), inner) for name, inner in reversed(item.items()))
        elif isinstance(item, list):
            stack.extend((f"{at}[*]", inner) for inner in reversed(item))
        else:
            yield at, item


def value_at(record: Mapping[str, object], path: str) -> object | None:
    """Return the value at a dotted path, or None where any part of it is absent."""
    found: object = record
    for part in path.split("."):
        if not isinstance(found, dict) or part not in found:
            return None
        found = found[part]
    return found


def is_runtime_call(record: Mapping[str, object]) -> bool:
    """Tell whether the record is one call of the runtime API: the call's own record, not a stream's second one."""
    return (
        record.get("eventSource") == "bedrock.amazonaws.com"
        and record.get("eventName") in RUNTIME_EVENT_NAMES
        and record.get("eventType", "AwsApiCall") == "AwsApiCall"
    )


def latency_fields(records: Iterable[Mapping[str, object]]) -> tuple[LatencyField, ...]:
    """Return the places that hold `optimized` or `standard`, the one with most records first."""
    seen: dict[str, Counter[str]] = {}
    for record in records:
        for path, value in leaves(record):
            if isinstance(value, str) and value.lower() in SERVED_VALUES and "latency" in path.lower():
                seen.setdefault(path, Counter())[value] += 1
    fields = (LatencyField(path=path, counts=tuple(counts.most_common())) for path, counts in seen.items())
    return tuple(sorted(fields, key=lambda field: (-field.records, field.path)))


def error_codes(records: Iterable[Mapping[str, object]]) -> Counter[str]:
    """Count the errorCode values of failed calls."""
    return Counter(str(record["errorCode"]) for record in records if record.get("errorCode"))


def model_ids(records: Iterable[Mapping[str, object]]) -> Counter[str]:
    """Count requestParameters.modelId values."""
    found = (value_at(record, "requestParameters.modelId") for record in records)
    return Counter(str(value) for value in found if value)


def caller_role(record: Mapping[str, object]) -> str:
    """Return the ARN of the role that called, without the session, or the identity's ARN, or `unknown`."""
    role = value_at(record, "userIdentity.sessionContext.sessionIssuer.arn")
    return str(role or value_at(record, "userIdentity.arn") or "unknown")
