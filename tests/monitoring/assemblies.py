"""What stands in a cloud assembly, read back with the product's own readers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from alarms.naming import stack_name
from cloudwatch.dashboard.render import to_json
from cloudwatch.dashboard.validate import validate_body
from cloudwatch.problems import ProblemSeverity
from cloudwatch.readers.cloudformation import read_template
from monitoring.synthesis.node import use_packaged_node

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from alarms.alarm_set import AlarmSet
    from dashboards.page import Dashboard
    from monitoring.plan import Plan

__all__ = ["differences", "refused_bodies", "synthesised", "template_bytes", "templates"]


def synthesised(plans: Iterable[Plan], *, folder: Path, check_templates: bool = False) -> Path:
    """Synthesise plans into a folder and return it."""
    use_packaged_node()
    from monitoring.stack import deployment_app

    deployment_app(plans=tuple(plans), outdir=str(folder), check_templates=check_templates).synth()
    return folder


def template_bytes(folder: Path) -> dict[str, bytes]:
    """Return every template by the name of its stack."""
    return {path.name.removesuffix(".template.json"): path.read_bytes() for path in folder.glob("*.template.json")}


def templates(folder: Path) -> dict[str, Any]:
    """Return every template, parsed, by the name of its stack."""
    return {name: json.loads(text) for name, text in template_bytes(folder).items()}


def differences(plans: Iterable[Plan], *, folder: Path) -> list[str]:
    """Return where values read back from templates are not the values that went in; empty when they are the same."""
    found = templates(folder)
    return [
        f"{stack}: {what}"
        for stack, alarms, pages, filters, plan in _expected(plans)
        for what in _stack_differences(found[stack], plan=plan, alarms=alarms, pages=pages, filters=filters)
    ]


def refused_bodies(folder: Path) -> list[str]:
    """Return what PutDashboard would refuse in the bodies of all templates."""
    return [
        f"{stack}/{name}: {problem}"
        for stack, template in templates(folder).items()
        for name, resource in template["Resources"].items()
        if resource["Type"] == "AWS::CloudWatch::Dashboard"
        for problem in validate_body(resource["Properties"]["DashboardBody"], resource["Properties"]["DashboardName"])
        if problem.severity is ProblemSeverity.ERROR
    ]


def _expected(plans: Iterable[Plan]) -> Iterator[tuple[str, AlarmSet, tuple[Dashboard, ...], tuple[Any, ...], Plan]]:
    for plan in plans:
        site = plan.deployment.site
        yield stack_name(site), plan.alarms, tuple(page for _, page in plan.pages), plan.evidence.filters, plan
        for model in plan.models:
            yield stack_name(site, model=model.model.key), model.alarms, (model.page,) if model.page else (), (), plan


def _stack_differences(
    template: Any, *, plan: Plan, alarms: AlarmSet, pages: tuple[Dashboard, ...], filters: tuple[Any, ...]
) -> Iterator[str]:
    site = plan.deployment.site
    read = read_template(template, region=site.region, account_id=site.account_id, partition=site.partition)
    if read.problems:
        yield f"problems {[str(problem) for problem in read.problems]}"
    back = {alarm.name: alarm for alarm in (*read.alarms, *read.composites)}
    values = {entry.alarm.name: entry.alarm for entry in alarms}
    yield from (f"alarm {name}" for name in values.keys() | back.keys() if values.get(name) != back.get(name))
    bodies = {page.name: page.body for page in read.dashboards}
    texts = {page.name: to_json(page.body) for page in pages}
    yield from (f"page {name}" for name in texts.keys() | bodies.keys() if texts.get(name) != bodies.get(name))
    if set(read.metric_filters) != set(filters):
        yield "metric filters"
