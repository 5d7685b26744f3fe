"""What is a page about? One model in one account and Region, with its alarms and its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from alarms.alarm_set import Role
from alarms.naming import SYMPTOMS
from alarms.policy import base_slug
from bedrock.evidence import EvidenceRoute
from dashboards.alarm_lines import alarm_graphs, family

if TYPE_CHECKING:
    from alarms.alarm_set import AlarmEntry, AlarmSet
    from alarms.naming import Site
    from bedrock.evidence_plan import EvidencePlan
    from bedrock.models import MonitoredModel
    from cloudwatch.dashboard.values import MetricWidget
    from dashboards.quantities import Quantities

__all__ = ["EVIDENCE_PERIOD_S", "Subject"]

EVIDENCE_PERIOD_S = 300  # evidence comes 5 to 15 minutes late; finer points would look like gaps and spikes


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Everything that the sections of a model's page ask.

    Attributes:
        model: The model.
        site: Where.
        alarms: Its alarms.
        evidence: How its calls were served and throttled.
        quantities: Its metric math.
    """

    model: MonitoredModel
    site: Site
    alarms: AlarmSet
    evidence: EvidencePlan
    quantities: Quantities

    @property
    def region(self) -> str:
        """Region of the metrics."""
        return self.site.region

    @property
    def causes(self) -> tuple[AlarmEntry, ...]:
        """The alarms that people are told of."""
        return tuple(entry for entry in self.alarms if entry.role is Role.CAUSE)

    @property
    def symptoms(self) -> tuple[AlarmEntry, ...]:
        """The alarms that call nobody and that runbooks ask for; without helpers that only hold others back."""
        return tuple(entry for entry in self.alarms if entry.role is Role.SYMPTOM and base_slug(entry.slug) in SYMPTOMS)

    @property
    def has_evidence(self) -> bool:
        """Whether a route of evidence is on."""
        return self.evidence.settings.route is not EvidenceRoute.NONE

    @property
    def sees_fallback(self) -> bool:
        """Whether calls served standard can be told from calls served optimized."""
        return self.evidence.sees_fallback(self.model)

    def alarm_graphs(self, *slugs: str, color: str, title: str | None = None) -> tuple[MetricWidget, ...]:
        """Return the graphs of some slugs' metric alarms with their thresholds; empty where the alarms are off."""
        return tuple(
            graph
            for slug in slugs
            for graph in alarm_graphs(family(self.alarms, slug), region=self.region, color=color, title=title)
        )
