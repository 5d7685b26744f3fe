"""What would a Bedrock endpoint do, and what would AWS tell of it? A seeded simulation of calls, quotas and telemetry.

`load_incidents` and `draw` make a scenario, `simulate` makes a recording of it. See docs/simulator.md.
"""

from __future__ import annotations

from bedrock.simulator.evidence_series import evidence_series
from bedrock.simulator.incidents import Incident, Kind, Need, draw, unmet_needs
from bedrock.simulator.library import load_incidents
from bedrock.simulator.profile import fit_quotas
from bedrock.simulator.recording import Recording, simulate, to_store
from bedrock.simulator.scenario import Effect, Label, Scenario, TrafficShape, Window
from bedrock.simulator.service import ServiceSettings
from bedrock.simulator.telemetry import Detail, InvocationsCount, TelemetrySettings
from bedrock.simulator.trail import Evidence, TrailSettings
from bedrock.simulator.truth import Truth

__all__ = [
    "Detail",
    "Effect",
    "Evidence",
    "Incident",
    "InvocationsCount",
    "Kind",
    "Label",
    "Need",
    "Recording",
    "Scenario",
    "ServiceSettings",
    "TelemetrySettings",
    "TrafficShape",
    "TrailSettings",
    "Truth",
    "Window",
    "draw",
    "evidence_series",
    "fit_quotas",
    "load_incidents",
    "simulate",
    "to_store",
    "unmet_needs",
]
