"""Which subjects does our own configuration deploy? Those of its plan, which is what the stacks are made of.

Each subject stands at the model or account that it is made for, as that is what its owner can change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cloudwatch.alarm import MetricAlarm
from cloudwatch.cloudformation import alarm_properties, dashboard_properties, metric_filter_properties
from cloudwatch.dashboard.render import to_json
from cloudwatch.problems import ProblemsError
from monitoring.config import load_deployments
from monitoring.lint.documents import Unreadable
from monitoring.lint.subjects import Kind, Piece, Subject
from monitoring.plan import plans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alarms.alarm_set import AlarmSet
    from dashboards.page import Dashboard
    from monitoring.lint.documents import Document
    from monitoring.lint.subjects import Path_
    from monitoring.plan import Plan

__all__ = ["configuration_subjects"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerPlaces:
    """Everything of a subject stands at the key of what it is made for."""

    root: Path_

    def original(self, path: Path_) -> Path_:  # noqa: ARG002 - the whole subject has one place
        """Return that key."""
        return self.root

    def pieces(self, path: Path_, text: str) -> list[Piece]:  # noqa: ARG002
        """Return nothing: no text of a subject is written in the configuration."""
        return []


def configuration_subjects(document: Document) -> list[Subject]:
    """Return the subjects of all accounts and Regions.

    Raises:
        Unreadable: The configuration has errors; `validate` shows them all.
    """
    try:
        found = plans(load_deployments(document.file))
    except ProblemsError as error:
        raise Unreadable(error.problems[0]) from error
    return [subject for plan in found for subject in _of_plan(document, plan)]


def _of_plan(document: Document, plan: Plan) -> Iterator[Subject]:
    site = plan.deployment.site
    root: Path_ = ("accounts", site.alias)
    region = site.region

    def subject(kind: Kind, name: str, properties: dict[str, Any], place: Path_) -> Subject:
        return Subject(
            kind=kind,
            name=name,
            identity=f"{site.account_id} {region} {name}",
            properties=properties,
            document=document,
            places=OwnerPlaces(root=place),
            region=region,
        )

    def alarms(entries: AlarmSet, place: Path_) -> Iterator[Subject]:
        for entry in entries:
            kind = Kind.ALARM if isinstance(entry.alarm, MetricAlarm) else Kind.COMPOSITE
            yield subject(kind, entry.alarm.name, alarm_properties(entry.alarm), place)

    def page(dashboard: Dashboard, place: Path_) -> Subject:
        properties = dashboard_properties(dashboard.name, to_json(dashboard.body))
        return subject(Kind.DASHBOARD, dashboard.name, properties, place)

    for one in plan.evidence.filters:
        yield subject(Kind.FILTER, one.name, metric_filter_properties(one), root)
    yield from alarms(plan.alarms, root)
    for _, dashboard in plan.pages:
        yield page(dashboard, root)
    for model in plan.models:
        place = (*root, "models", model.model.key)
        yield from alarms(model.alarms, place)
        if model.page is not None:
            yield page(model.page, place)
