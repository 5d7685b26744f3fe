"""Who is affected? Calls of the last half hour by the role that made them, from CloudTrail records, with their age.

No record holds a prompt or an answer, and none is asked for.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bedrock.trail_records import caller_role, value_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bedrock.evidence import EvidenceSettings
    from bedrock.models import MonitoredModel
    from monitoring.triage.snapshot import SeenCall

__all__ = ["Affected", "Caller", "affected_callers"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """One role: its calls among the records, how many were throttled, and how many served standard."""

    role: str
    calls: int
    throttled: int
    standard: int

    @property
    def hit(self) -> int:
        """Calls that were throttled or served standard."""
        return self.throttled + self.standard


@dataclass(frozen=True, slots=True, kw_only=True)
class Affected:
    """Everybody who called, most affected first.

    Attributes:
        callers: By role.
        regions: Region that served -> calls that were throttled or served standard there, most first.
        records: Records that were read of the model.
        newest_s: When the newest of these calls happened, epoch seconds, or None.
        delay_s: How long records took to arrive, median seconds, or None.
    """

    callers: tuple[Caller, ...]
    regions: tuple[tuple[str, int], ...]
    records: int
    newest_s: float | None
    delay_s: float | None


def affected_callers(calls: Iterable[SeenCall], *, model: MonitoredModel, evidence: EvidenceSettings) -> Affected:
    """Return who called a model."""
    throttle = re.compile(".*".join(map(re.escape, evidence.throttle_error_code.split("*"))) + r"\Z")
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    regions: dict[str, int] = defaultdict(int)
    happened: list[float] = []
    delays: list[float] = []
    records = 0
    for call in calls:
        record = call.record
        named = value_at(record, "requestParameters.modelId") or record.get("modelId")
        if named not in model.trail_ids or record.get("eventType", "AwsApiCall") != "AwsApiCall":
            continue
        records += 1
        role = _short(str(value_at(record, "identity.arn") or caller_role(record)))
        throttled = bool(throttle.match(str(record.get("errorCode") or "")))
        standard = value_at(record, evidence.latency_path) == evidence.standard_value
        count = counts[role]
        count[0] += 1
        count[1] += throttled
        count[2] += standard
        if throttled or standard:
            where = value_at(record, "additionalEventData.inferenceRegion") or record.get("inferenceRegion")
            regions[str(where or record.get("awsRegion") or record.get("region") or "unknown")] += 1
        at = _time(record.get("eventTime") or record.get("timestamp"))
        if at is not None:
            happened.append(at)
            delays.append(max(0.0, call.arrived_s - at))
    callers = [
        Caller(role=role, calls=total, throttled=throttled, standard=standard)
        for role, (total, throttled, standard) in counts.items()
    ]
    callers.sort(key=lambda caller: (-caller.hit, -caller.calls, caller.role))
    return Affected(
        callers=tuple(callers),
        regions=tuple(sorted(regions.items(), key=lambda each: (-each[1], each[0]))),
        records=records,
        newest_s=max(happened, default=None),
        delay_s=sorted(delays)[len(delays) // 2] if delays else None,
    )


def _short(arn: str) -> str:
    """Return `role/checkout` of an ARN: the account is that of the page."""
    tail = arn.split(":", 5)[-1]
    if tail.startswith("assumed-role/"):
        return "role/" + tail.split("/")[1]
    return tail


def _time(text: object) -> float | None:
    try:
        return datetime.fromisoformat(str(text)).astimezone(UTC).timestamp()
    except ValueError:
        return None
