"""When does CloudTrail tell how a call was served, and what does it leave out? Evidence by the minute of delivery.

Records come late: about five minutes on average, together for the calls of a few minutes, now and then much later, and a
few never (CloudTrail User Guide, Sending events to CloudWatch Logs: not guaranteed). Counts need no record: they follow
from the same draws (`records.py` builds the records when they are asked for).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bedrock.simulator.draws import stream
from bedrock.simulator.gate import Status
from bedrock.simulator.scenario import Effect
from cloudwatch.problems import InvalidValueError
from cloudwatch.series import Samples

if TYPE_CHECKING:
    from bedrock.simulator.attempts import Attempts
    from bedrock.simulator.scenario import Scenario
    from bedrock.simulator.service import CallPlan

__all__ = ["Delivery", "Evidence", "TrailSettings", "delivery_of", "evidence_of"]

_BLOCK_MINUTES = 5
_BLOCK_SIGMA = 0.3
_OWN_SHARE = 0.2  # of the delay that is a record's own


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailSettings:
    """How records come and what they hold. Paths and codes are not documented by AWS: unverified, so settings.

    Attributes:
        mean_delay_s: Mean time from the end of a call to its record in the log group, seconds.
        spike_probability: Probability that the records of five minutes come much later.
        spike_factor: How much later: times the delay.
        loss: Probability that a record never comes.
        field_missing: Probability that a record lacks the served-latency field.
        field_on_standard: Whether records of a model that is not asked optimized hold the field.
        served_latency_path: Dotted path of the field inside a record.
        optimized_value: Its value when served optimized.
        standard_value: Its value when served standard.
        throttle_error_code: errorCode of a throttled call.
        service_events: Whether streamed calls leave a second record of type AwsServiceEvent.
        wrapped: Whether records come inside an EventBridge event, under `detail`.
        account_id: Account of the calls.
        region: Region of the calls.
    """

    mean_delay_s: float = 300.0
    spike_probability: float = 0.02
    spike_factor: float = 2.5
    loss: float = 0.002
    field_missing: float = 0.01
    field_on_standard: bool = False
    served_latency_path: str = "additionalEventData.performanceConfig.latency"
    optimized_value: str = "optimized"
    standard_value: str = "standard"
    throttle_error_code: str = "Throttling"
    service_events: bool = True
    wrapped: bool = True
    account_id: str = "111122223333"
    region: str = "us-east-1"

    def __post_init__(self) -> None:
        if self.mean_delay_s < 0 or self.spike_factor < 1:
            raise InvalidValueError(
                f"Trail: mean delay {self.mean_delay_s} s is negative or spike factor {self.spike_factor} is under 1"
            )
        for name in ("spike_probability", "loss", "field_missing"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidValueError(f"Trail: {name} {getattr(self, name)} is not between 0 and 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What becomes of the record of each attempt. Arrays have shape (attempts,).

    Attributes:
        at_s: When it reaches the log group, seconds since the start of the scenario; infinite where it never does.
        known: Whether the served-latency field is there and at its place.
        moved: Whether the field lies at another place.
    """

    at_s: np.ndarray
    known: np.ndarray
    moved: np.ndarray


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Records by the minute in which they were delivered: int64 arrays of shape (minutes,).

    Attributes:
        start_s: Start of the first minute, seconds since 1970.
        optimized, standard, unknown: Records of successful calls by how they were served.
        throttled_rpm, throttled_tpm, throttled_tpd: Records of throttles by the quota that their message names.
        failed: Records of 4xx and 5xx.
        records: Every record that reached the log group, second ones of streams included.
    """

    start_s: int
    optimized: np.ndarray
    standard: np.ndarray
    unknown: np.ndarray
    throttled_rpm: np.ndarray
    throttled_tpm: np.ndarray
    throttled_tpd: np.ndarray
    failed: np.ndarray
    records: np.ndarray

    @property
    def throttled(self) -> np.ndarray:
        """Records of throttles of every kind."""
        return np.asarray(self.throttled_rpm + self.throttled_tpm + self.throttled_tpd)

    def samples(self, counts: np.ndarray, *, default_zero: bool = True, publish_delay_s: int = 0) -> Samples:
        """Return one of the counts as the metric that a filter would write, stamped with the minute of delivery.

        Args:
            counts: One of the arrays of this value, or a sum of several.
            default_zero: Whether the filter has default value 0: a minute with records and no match is 0. A minute
                without any record has no point either way.
            publish_delay_s: Seconds after the end of the minute until the point can be read.
        """
        at = np.flatnonzero(self.records if default_zero else counts)
        values = counts[at].astype(np.float64)
        start = self.start_s + 60 * at
        zero = values == 0
        matched = ~zero
        return Samples.of_sets(
            start,
            available_at=start + 60 + publish_delay_s,
            counts=np.where(zero, 1.0, values),
            sums=values,
            minima=matched.astype(np.float64),
            maxima=matched.astype(np.float64),
        )


def delivery_of(scenario: Scenario, plan: CallPlan, attempts: Attempts, *, settings: TrailSettings) -> Delivery:
    """Draw when the record of each attempt comes, and whether its field is where it is looked for."""
    size = int(attempts.end_s.shape[0])
    minute = np.minimum((attempts.end_s / 60).astype(np.int64), scenario.minutes - 1)
    rng = stream(scenario.seed, "trail-delay")
    blocks = scenario.minutes // _BLOCK_MINUTES + 1
    common = np.exp(rng.standard_normal(blocks) * _BLOCK_SIGMA - _BLOCK_SIGMA**2 / 2)
    common *= np.where(rng.random(blocks) < settings.spike_probability, settings.spike_factor, 1.0)
    common *= settings.mean_delay_s / (1 + settings.spike_probability * (settings.spike_factor - 1))
    own = stream(scenario.seed, "trail-jitter").standard_exponential(size, dtype=np.float32)
    at_s = attempts.end_s + common[minute // _BLOCK_MINUTES] * (1 - _OWN_SHARE + _OWN_SHARE * own)
    lost = stream(scenario.seed, "trail-loss").random(size, dtype=np.float32)
    at_s[lost < settings.loss] = np.inf
    outage = scenario.effect(Effect.TRAIL_OUTAGE)
    if outage is not None:
        _hold_back(at_s, minute, outage, lost)
    luck = stream(scenario.seed, "trail-field").random(size, dtype=np.float32)
    known = np.asarray(luck >= settings.field_missing)
    if not (plan.profile.asks_optimized or settings.field_on_standard):
        known[:] = False
    path = scenario.effect(Effect.TRAIL_PATH)
    moved = np.zeros(size, dtype=bool)
    if path is not None:
        moved = known & (1 - luck < path[minute])
        known &= ~moved
    return Delivery(at_s=at_s, known=known, moved=moved)


def evidence_of(
    scenario: Scenario, plan: CallPlan, attempts: Attempts, delivery: Delivery, *, settings: TrailSettings
) -> Evidence:
    """Count records by what they say and the minute in which they come; those that come after the end are left out."""
    came = delivery.at_s < scenario.minutes * 60.0
    minute = (delivery.at_s[came] / 60).astype(np.int64)
    status, known, minutes = attempts.status[came], delivery.known[came], scenario.minutes

    def counted(picked: np.ndarray) -> np.ndarray:
        return np.bincount(minute[picked], minlength=minutes)

    served = status <= Status.OPTIMIZED
    records = np.bincount(minute, minlength=minutes)
    if settings.service_events:
        records = records + counted(served & plan.streams[attempts.call[came]])
    return Evidence(
        start_s=scenario.start_s,
        optimized=counted((status == Status.OPTIMIZED) & known),
        standard=counted((status == Status.STANDARD) & known),
        unknown=counted(served & ~known),
        throttled_rpm=counted(status == Status.THROTTLED_RPM),
        throttled_tpm=counted(status == Status.THROTTLED_TPM),
        throttled_tpd=counted(status == Status.THROTTLED_TPD),
        failed=counted((status == Status.CLIENT_ERROR) | (status == Status.SERVER_ERROR)),
        records=records,
    )


def _hold_back(at_s: np.ndarray, minute: np.ndarray, outage: np.ndarray, lost: np.ndarray) -> None:
    """Records of an outage are lost, or come after its end with the delay they would have had."""
    held = outage > 0
    after = np.arange(outage.shape[0]) + 1.0
    for index in range(outage.shape[0] - 2, -1, -1):
        if held[index + 1]:
            after[index] = after[index + 1]
    out = held[minute]
    at_s[out] += np.maximum(after[minute[out]] * 60.0 - minute[out] * 60.0, 0.0)
    at_s[out & (1 - lost < outage[minute])] = np.inf
