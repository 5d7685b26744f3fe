"""What did a simulation leave behind? Its series, its evidence, its records on demand, and the truth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bedrock.simulator.attempts import Attempts, attempts_of
from bedrock.simulator.fast import decide
from bedrock.simulator.limits import limits_of
from bedrock.simulator.records import invocation_log_records, trail_records
from bedrock.simulator.service import CallPlan, ServiceSettings, plan_calls
from bedrock.simulator.telemetry import Detail, TelemetrySettings, series_of
from bedrock.simulator.trail import Evidence, TrailSettings, delivery_of, evidence_of
from bedrock.simulator.truth import Truth, truth_of
from cloudwatch.store import MetricStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bedrock.simulator.gate import Outcome
    from bedrock.simulator.scenario import Scenario
    from cloudwatch.metric import Metric
    from cloudwatch.series import Samples

__all__ = ["Recording", "simulate", "to_store"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recording:
    """A simulated stretch of time.

    Attributes:
        scenario: What was simulated.
        detail: How fine the series are.
        series: Samples of every AWS/Bedrock metric that something was published to.
        truth: What really happened.
        plan: Every call with its draws.
        outcome: What became of every call.
        attempts: Every attempt that the service saw.
        trail: How CloudTrail records come, or None where there is no trail.
        evidence: Records by minute of delivery, or None without a trail.
    """

    scenario: Scenario
    detail: Detail
    series: dict[Metric, Samples]
    truth: Truth
    plan: CallPlan = field(repr=False)
    outcome: Outcome = field(repr=False)
    attempts: Attempts = field(repr=False)
    trail: TrailSettings | None
    evidence: Evidence | None = field(repr=False)

    def with_trail(self, settings: TrailSettings) -> Recording:
        """Return the same calls seen through another trail: only the evidence is computed anew."""
        return Recording(
            scenario=self.scenario,
            detail=self.detail,
            series=self.series,
            truth=self.truth,
            plan=self.plan,
            outcome=self.outcome,
            attempts=self.attempts,
            trail=settings,
            evidence=_evidence(self.scenario, self.plan, self.attempts, settings),
        )

    def trail_records(self) -> Iterator[tuple[float, dict[str, object]]]:
        """Yield CloudTrail records with the second of their delivery since 1970; nothing without a trail."""
        if self.trail is None:
            return
        delivery = delivery_of(self.scenario, self.plan, self.attempts, settings=self.trail)
        yield from trail_records(self.scenario, self.plan, self.attempts, delivery, settings=self.trail)

    def invocation_log(self) -> Iterator[tuple[float, dict[str, object]]]:
        """Yield model invocation log records, without prompt and answer, with the second in which the call ended."""
        settings = self.trail or TrailSettings()
        yield from invocation_log_records(self.scenario, self.plan, self.attempts, settings=settings)


def to_store(recording: Recording, *, evidence: Mapping[Metric, Samples] | None = None) -> MetricStore:
    """Return a store of everything that a simulation published.

    Args:
        recording: The simulation.
        evidence: Series of evidence to add: see `evidence_series`.
    """
    return MetricStore.of([*recording.series.items(), *(evidence or {}).items()])


def simulate(
    scenario: Scenario,
    *,
    detail: Detail | str = Detail.MINUTES,
    trail: TrailSettings | None = None,
    service: ServiceSettings | None = None,
    telemetry: TelemetrySettings | None = None,
    one_by_one: bool = False,
) -> Recording:
    """Simulate a scenario.

    Args:
        scenario: What to simulate.
        detail: `requests` keeps a value for each call, `minutes` a few dozen rows for each minute. The calls are the same.
        trail: How CloudTrail records come; None leaves evidence out.
        service: What AWS leaves open about the service.
        telemetry: What differs between accounts.
        one_by_one: Go through every call one after the other instead of only where calls hinder each other. Slower, and
            the same result: the reference that tests compare with.
    """
    fine = Detail(detail)
    plan = plan_calls(scenario, settings=service or ServiceSettings())
    outcome = decide(plan, limits_of(scenario, plan), everything=one_by_one)
    attempts = attempts_of(plan, outcome)
    return Recording(
        scenario=scenario,
        detail=fine,
        series=series_of(scenario, plan, attempts, detail=fine, settings=telemetry or TelemetrySettings()),
        truth=truth_of(scenario, plan, outcome, attempts),
        plan=plan,
        outcome=outcome,
        attempts=attempts,
        trail=trail,
        evidence=None if trail is None else _evidence(scenario, plan, attempts, trail),
    )


def _evidence(scenario: Scenario, plan: CallPlan, attempts: Attempts, settings: TrailSettings) -> Evidence:
    delivery = delivery_of(scenario, plan, attempts, settings=settings)
    return evidence_of(scenario, plan, attempts, delivery, settings=settings)
