"""In which other worlds must the alarms hold? CloudTrail late or lossy, and every choice that AWS leaves open, one at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bedrock.simulator import InvocationsCount, ServiceSettings, TelemetrySettings, TrailSettings
from cloudwatch.switches import DEFAULT_SWITCHES, alternatives
from monitoring.quality.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["same_calls", "switch_worlds", "trail_worlds"]

_Group = tuple[str, int, World, tuple[World, ...]]

# What neither expressions and composites here nor the simulated series can touch.
_WITHOUT_EFFECT = {"dynamodb_missing", "band_last", "stddev"}
_FILTERS = "filter_"


def trail_worlds() -> Iterator[_Group]:
    """Yield what CloudTrail may be like: group, delay that the alarms were built for, a world, and others with the same calls."""
    late = {
        minutes: World(name=f"{minutes} min", trail=TrailSettings(mean_delay_s=60.0 * minutes))
        for minutes in (2, 5, 10, 15)
    }
    yield "CloudTrail delay, alarms built for it", 300, late[2], (late[5],)
    yield "CloudTrail delay, alarms built for it", 600, late[10], ()
    yield "CloudTrail delay, alarms built for it", 900, late[15], ()
    yield "CloudTrail delay, alarms built for 5 min", 300, late[10], (late[15],)
    losses = [World(name=f"{loss:.1%}", trail=TrailSettings(loss=loss)) for loss in (0.0, 0.002, 0.05, 0.2, 0.5)]
    yield "records lost", 300, losses[0], tuple(losses[1:])
    fields = [World(name=f"{share:.0%}", trail=TrailSettings(field_missing=share)) for share in (0.1, 0.5)]
    yield "records without the served-latency field", 300, fields[0], tuple(fields[1:])


def switch_worlds() -> Iterator[_Group]:
    """Yield every open choice of CloudWatch that alarms could depend on, all with the same calls."""
    others = [
        World(name=f"{name} = {getattr(switches, name)}", switches=switches)
        for name, switches in alternatives(DEFAULT_SWITCHES)
        if name not in _WITHOUT_EFFECT and not name.startswith(_FILTERS)
    ]
    delays = [World(name=f"evidence readable after {seconds} s", publish_delay_s=seconds) for seconds in (0, 120)]
    first, *rest = [*others, *delays]
    yield "open choices of CloudWatch", 300, first, tuple(rest)


def same_calls() -> Iterator[_Group]:
    """Yield open choices that change what is published or how quotas count."""
    successes = TelemetrySettings(invocations=InvocationsCount.SUCCESSES)
    yield "open choices of Bedrock", 300, World(name="Invocations counts successes only", telemetry=successes), ()
    reserved = replace(ServiceSettings(), reserve_cache_reads=True)
    yield "open choices of Bedrock", 300, World(name="cache reads are reserved", service=reserved), ()
