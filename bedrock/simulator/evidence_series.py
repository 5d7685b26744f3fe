"""Which metrics would an account's evidence give in a simulation? The series of its plan, without building a record.

The counts are those that the metric filters (or the counters of EventBridge rules) would make of the simulation's records,
stamped with the minute in which each record arrives; a test sends the records through the filters and compares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bedrock.evidence import AbsentMeans, EvidenceRoute, ServedAs, ThrottleKind
from bedrock.evidence_patterns import long_request_tokens, served_classes
from bedrock.simulator.gate import Status
from bedrock.simulator.trail import delivery_of
from cloudwatch.series import Samples

if TYPE_CHECKING:
    from bedrock.evidence_plan import EvidencePlan
    from bedrock.simulator.recording import Recording
    from bedrock.simulator.trail import TrailSettings
    from cloudwatch.metric import Metric

__all__ = ["evidence_series"]

_KINDS = {
    ThrottleKind.REQUESTS: Status.THROTTLED_RPM,
    ThrottleKind.TOKENS: Status.THROTTLED_TPM,
    ThrottleKind.TOKENS_PER_DAY: Status.THROTTLED_TPD,
}


def evidence_series(
    recording: Recording, plan: EvidencePlan, *, trail: TrailSettings | None = None, publish_delay_s: int = 0
) -> dict[Metric, Samples]:
    """Return the series of a plan for the simulated model; a series to which nothing was published is absent.

    Args:
        recording: The simulation.
        plan: Evidence of the account.
        trail: How records come, or None for the recording's own trail. A route that reads the invocation log needs none.
        publish_delay_s: Seconds from the end of the minute of arrival until the point can be read.
    """
    settings = trail or recording.trail
    route = plan.settings.route
    from_log = route is EvidenceRoute.INVOCATION_LOG
    if route is EvidenceRoute.NONE or (settings is None and not from_log):
        return {}
    scenario, attempts, calls = recording.scenario, recording.attempts, recording.plan
    if from_log or settings is None:
        at_s, readable = attempts.end_s, np.ones(attempts.end_s.shape[0], dtype=bool)
    else:
        delivery = delivery_of(scenario, calls, attempts, settings=settings)
        at_s, readable = delivery.at_s, delivery.known & _same_field(settings, plan)
    came = np.flatnonzero(at_s < scenario.minutes * 60.0)
    minute = (at_s[came] / 60.0).astype(np.int64)
    status, call, readable = attempts.status[came], attempts.call[came], readable[came]
    series: dict[Metric, Samples] = {}

    def add(metric: Metric, picked: np.ndarray) -> None:
        counts = np.bincount(minute[picked], minlength=scenario.minutes)
        at = np.flatnonzero(counts)
        if at.size:
            ones, number = np.ones(at.shape[0]), counts[at].astype(np.float64)
            start = scenario.start_s + 60 * at
            available = start + 60 + publish_delay_s
            series[metric] = Samples.of_sets(
                start, available_at=available, counts=number, sums=number, minima=ones, maxima=ones
            )

    model = scenario.model
    served = status <= Status.OPTIMIZED
    absent = served & ~readable
    standard = served & readable & (status == Status.STANDARD)
    unknown = absent
    if plan.settings.absent_means is AbsentMeans.STANDARD:
        standard, unknown = standard | absent, np.zeros_like(absent)
    classes = {
        ServedAs.OPTIMIZED: served & readable & (status == Status.OPTIMIZED),
        ServedAs.STANDARD: standard,
        ServedAs.UNKNOWN: unknown,
    }
    limit = long_request_tokens(model.trail_ids)
    if limit is not None:
        by_design = standard & (calls.uncached[call] > limit)
        classes |= {ServedAs.STANDARD: standard & ~by_design, ServedAs.STANDARD_BY_DESIGN: by_design}
    for served_as in served_classes(model.trail_ids):
        for metric in plan.served(model, served_as):
            add(metric, classes[served_as])
    alias = calls.alias[call] % len(model.trail_ids)
    for kind in ThrottleKind:
        for index, metric in enumerate(plan.throttled(model, kind)):
            throttled = status >= Status.THROTTLED_RPM if from_log else status == _KINDS.get(kind, -1)
            add(metric, throttled & (alias == index))
    return series


def _same_field(settings: TrailSettings, plan: EvidencePlan) -> bool:
    """Whether the records hold the field where, and with the values that, the plan looks for."""
    asked = plan.settings
    return (settings.served_latency_path, settings.optimized_value, settings.standard_value) == (
        asked.latency_path,
        asked.optimized_value,
        asked.standard_value,
    )
