"""How was a call really served? Evidence that AWS/Bedrock metrics do not hold, and the routes it comes by."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["AbsentMeans", "EvidenceRoute", "EvidenceSettings", "ServedAs", "ThrottleKind"]

CLOUDTRAIL_LATENCY_PATH = "additionalEventData.performanceConfig.latency"
INVOCATION_LOG_LATENCY_PATH = "output.outputBodyJson.performanceConfig.latency"


class EvidenceRoute(StrEnum):
    """Where evidence comes from.

    EVENTBRIDGE: rule -> dedicated log group -> metric filters (default).
    RULE_COUNTERS: EventBridge rules counted by AWS/Events MatchedEvents; only standard-served and throttled records are logged.
    TRAIL: an existing log group that a trail writes, in the home Region of the trail.
    INVOCATION_LOG: the model invocation log of Bedrock.
    NONE: no evidence; fallback cannot be seen.
    """

    EVENTBRIDGE = "eventbridge"
    RULE_COUNTERS = "rule-counters"
    TRAIL = "trail"
    INVOCATION_LOG = "invocation_log"
    NONE = "none"


class ServedAs(StrEnum):
    """How a successful call was served. The classes of a model sum to its successful calls.

    STANDARD_BY_DESIGN exists only on a model that AWS always serves standard above a request length; it is no fallback.
    UNKNOWN: the record says neither.
    """

    OPTIMIZED = "optimized"
    STANDARD = "standard"
    STANDARD_BY_DESIGN = "standard-by-design"
    UNKNOWN = "unknown"


class ThrottleKind(StrEnum):
    """Which quota a throttle names in its message; OTHER: none that is known."""

    REQUESTS = "requests"
    TOKENS = "tokens"
    TOKENS_PER_DAY = "tokens-per-day"
    OTHER = "other"


class AbsentMeans(StrEnum):
    """What a record without a served-latency field says."""

    UNKNOWN = "unknown"
    STANDARD = "standard"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSettings:
    """How an account's evidence is read. Paths and values are not documented by AWS: unverified, so configurable.

    Attributes:
        route: See `EvidenceRoute`.
        served_latency_path: Path inside a CloudTrail record (without `detail.`) to the served latency mode.
        optimized_value: Value of that field when served optimized.
        standard_value: Value when served standard.
        absent_means: How a record without the field is counted.
        throttle_error_code: Pattern of errorCode that is a throttle; `*` is a wildcard.
        log_group: Existing log group (required by TRAIL and INVOCATION_LOG; with EVENTBRIDGE one to reuse), or None.
        retention_days: Retention of a log group that is created.
        trail_home_region: Home Region of the trail (TRAIL only).
        expected_delay_s: CloudTrail delay to plan for; the suppressor's wait follows it.
    """

    route: EvidenceRoute = EvidenceRoute.EVENTBRIDGE
    served_latency_path: str = CLOUDTRAIL_LATENCY_PATH
    optimized_value: str = "optimized"
    standard_value: str = "standard"
    absent_means: AbsentMeans = AbsentMeans.UNKNOWN
    throttle_error_code: str = "Throttl*"
    log_group: str | None = None
    retention_days: int = 30
    trail_home_region: str | None = None
    expected_delay_s: int = 300

    @property
    def latency_path(self) -> str:
        """The path on this route: the default of CloudTrail gives way to that of the invocation log on its route."""
        if self.route is EvidenceRoute.INVOCATION_LOG and self.served_latency_path == CLOUDTRAIL_LATENCY_PATH:
            return INVOCATION_LOG_LATENCY_PATH
        return self.served_latency_path
