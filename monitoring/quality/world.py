"""In which world does a case happen? How AWS behaves where it may differ or does not say, and what alarms make of it there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bedrock.simulator import (
    Effect,
    ServiceSettings,
    TelemetrySettings,
    TrailSettings,
    draw,
    evidence_series,
    load_incidents,
    simulate,
    to_store,
)
from cloudwatch.switches import DEFAULT_SWITCHES, Switches
from monitoring.quality.cases import family_of
from monitoring.quality.watch import told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bedrock.evidence_plan import EvidencePlan
    from bedrock.models import MonitoredModel
    from bedrock.simulator import Truth
    from bedrock.simulator.scenario import Scenario
    from monitoring.quality.cases import Case, Family
    from monitoring.quality.watch import Told, Watch

__all__ = ["Observation", "World", "observe"]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """How AWS behaves.

    Attributes:
        name: What people call it.
        trail: How CloudTrail records come.
        service: What AWS leaves open about the service.
        telemetry: What differs between accounts.
        switches: What AWS leaves open about CloudWatch.
        publish_delay_s: Seconds after a minute until the point of a metric filter can be read.
    """

    name: str
    trail: TrailSettings = field(default_factory=TrailSettings)
    service: ServiceSettings = field(default_factory=ServiceSettings)
    telemetry: TelemetrySettings = field(default_factory=TelemetrySettings)
    switches: Switches = DEFAULT_SWITCHES
    publish_delay_s: int = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What happened in a case, and what each set of alarms told of it.

    Attributes:
        case: The case.
        family: Row of the confusion matrix.
        requests_per_minute: Traffic that the model was configured for.
        truth: What really happened.
        depth: How deep it was drawn, 0 to 1, or None where depth has no scale.
        told: By name of the set of alarms.
        minutes: Length.
    """

    case: Case
    family: Family
    requests_per_minute: float
    truth: Truth
    depth: float | None
    told: Mapping[str, Told]
    minutes: int


def observe(
    case: Case,
    *,
    model: MonitoredModel,
    world: World,
    evidence: EvidencePlan,
    watches: Mapping[str, Watch],
    also: Sequence[World] = (),
) -> tuple[Observation, ...]:
    """Simulate a case and run alarms over what AWS would tell of it.

    Args:
        case: Entry, model and seed.
        model: The model.
        world: Where it happens.
        evidence: Evidence of the model's account.
        watches: Sets of alarms by name.
        also: Worlds that differ in trail, switches or delay of publishing only: the calls are the same.

    Returns:
        One observation for each world.
    """
    incident = next(one for one in load_incidents() if one.name == case.incident)
    scenario = draw(incident, model, seed=case.seed)
    recording = simulate(scenario, trail=world.trail, service=world.service, telemetry=world.telemetry)
    found: list[Observation] = []
    for here in (world, *also):
        series = evidence_series(recording, evidence, trail=here.trail, publish_delay_s=here.publish_delay_s)
        store = to_store(recording, evidence=series)
        end_s = scenario.start_s + 60 * scenario.minutes
        found.append(
            Observation(
                case=case,
                family=family_of(incident),
                requests_per_minute=model.requests_per_minute or scenario.requests_per_minute,
                truth=recording.truth,
                depth=_depth(scenario),
                told={
                    name: told(watch, store=store, start_s=scenario.start_s, end_s=end_s, switches=here.switches)
                    for name, watch in watches.items()
                },
                minutes=scenario.minutes,
            )
        )
    return tuple(found)


_SHRINKS = (Effect.OPTIMIZED_QUOTA, Effect.TPM, Effect.RPM, Effect.DECODE)


def _depth(scenario: Scenario) -> float | None:
    """Return how much of the demand the tightest quota turned away, or how much slower or more broken the model got."""
    if any(window.effect is Effect.TPD_LEFT for window in scenario.windows):
        return 1.0
    taken = [1 - window.value for window in scenario.windows if window.effect in _SHRINKS]
    broken = [window.value for window in scenario.windows if window.effect is Effect.SERVER_ERRORS]
    return max((*taken, *broken), default=None)
