"""What may be kept of a log record."""

from __future__ import annotations

import json
from typing import Any

from monitoring.recording.kept import kept_record

SECRET = "the quick brown fox"


def test_words_of_requests_and_answers_are_never_kept() -> None:
    """Wherever a body or a message stands, in whichever kind of record."""
    record: dict[str, Any] = {
        "modelId": "m",
        "requestMetadata": {"note": SECRET},
        "input": {"inputTokenCount": 3, "inputBodyJson": {"messages": SECRET}},
        "output": {"outputTokenCount": 4, "outputBodyJson": {"output": SECRET}},
        "errorCode": "ValidationException",
        "errorMessage": SECRET,
        "requestParameters": {"modelId": "m", "system": [SECRET], "performanceConfig": {"latency": "optimized"}},
        "responseElements": {"output": SECRET},
        "new": {"field": SECRET},
    }
    kept = kept_record(record, latency_path="requestParameters.system")
    assert SECRET not in json.dumps(kept)
    assert (kept["input"], kept["output"]) == ({"inputTokenCount": 3}, {"outputTokenCount": 4})
    assert kept["requestParameters"] == {"modelId": "m", "performanceConfig": {"latency": "optimized"}}


def test_the_message_of_a_throttle_names_the_quota() -> None:
    """Only throttles keep their message."""
    kept = kept_record({"errorCode": "ThrottlingException", "errorMessage": "Too many tokens"}, latency_path="a")
    assert kept["errorMessage"] == "Too many tokens"


def test_the_configured_path_is_kept() -> None:
    """Also inside an event of EventBridge."""
    event = {"detail-type": "t", "detail": {"x": {"mode": "standard"}}}
    assert kept_record(event, latency_path="x.mode") == {"detail-type": "t", "detail": {"x": {"mode": "standard"}}}
