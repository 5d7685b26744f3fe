"""Which dashboards does INPUT hold? Our configuration, a body, `get-dashboard` JSON, any template, a folder of templates.

A template brings its alarms and metric filters along, so that their states can be shown. Templates of a cloud assembly that go to
the same account and Region are read together: a fleet page shows the alarms of every model's stack. Problems of a body are
sentences with the path into its JSON; what can be read is still drawn.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alarms.alarm_set import Role
from cloudwatch.dashboard.reader import read_body
from cloudwatch.dashboard.validate import validate_body
from cloudwatch.problems import Place, Problem, ProblemsError, ProblemSeverity
from cloudwatch.readers.cloudformation import read_template
from monitoring.template_files import read_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from cloudwatch.alarm import Alarm
    from cloudwatch.dashboard.values import DashboardBody
    from cloudwatch.metric_filter import MetricFilter
    from cloudwatch.readers.definitions import Definitions
    from monitoring.deployment import Deployment
    from monitoring.plan import Plan

__all__ = ["Environment", "PreviewPage", "pages_of_plan", "read_pages"]

Home = tuple[str | None, str | None]
SAMPLE_HOME = ("111122223333", "us-east-1")
_ENVIRONMENT = re.compile(r"aws://([^/]+)/([^/]+)\Z")
_ARN = re.compile(r"arn:[^:]+:cloudwatch::(\d{12}):dashboard/")
_ACCOUNT, _REGION = re.compile(r"\d{12}\Z"), re.compile(r"[a-z]{2}(-[a-z]+)+-\d\Z")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Environment:
    """What stands beside pages of one account and Region.

    Attributes:
        home: Account id and Region, None where the input does not say.
        alarms: Metric alarms and composites.
        filters: Metric filters.
        kinds: Alarm name to `page`, `ticket`, `note` or `symptom`.
        titles: Alarm name to a few words.
        plan: The plan it comes from, of a configuration.
        problems: What could not be read of the templates, as sentences.
    """

    home: Home = (None, None)
    alarms: tuple[Alarm, ...] = ()
    filters: tuple[MetricFilter, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    plan: Plan | None = None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreviewPage:
    """One dashboard: its name, its body, what is wrong with it, and what stands beside it."""

    name: str
    body: DashboardBody
    problems: tuple[str, ...]
    environment: Environment


def read_pages(path: str | Path, *, account: str | None = None, region: str | None = None) -> tuple[PreviewPage, ...]:
    """Return the dashboards of a file or folder.

    Args:
        path: Configuration, template, body, `get-dashboard` JSON, or a folder with templates or bodies.
        account: Only this account (alias or id), of a configuration with several.
        region: Only this Region.

    Raises:
        ProblemsError: It cannot be read, or holds no dashboard.
    """
    place = Path(path)
    found = tuple(_of_folder(place)) if place.is_dir() else tuple(_of_file(place, account=account, region=region))
    if not found:
        raise ProblemsError([_no_dashboard(place)])
    return found


def _no_dashboard(place: Path) -> Problem:
    return Problem(
        code="no-dashboard",
        message=f"{place} holds no dashboard.",
        place=Place(file=str(place)),
        hint="Give a configuration, a dashboard body, get-dashboard JSON, a template with AWS::CloudWatch::Dashboard, or a "
        "folder with such files.",
    )


def _of_file(place: Path, *, account: str | None, region: str | None) -> Iterator[PreviewPage]:
    document = read_document(place)
    if not isinstance(document, dict):
        raise ProblemsError([_no_dashboard(place)])
    if "Resources" in document:
        yield from _of_templates([(place, document, (None, None), place.stem)])
    elif "DashboardBody" in document:
        named = _ARN.match(str(document.get("DashboardArn", "")))
        environment = Environment(home=(named[1] if named else None, None))
        name = str(document.get("DashboardName") or place.stem)
        yield _page(name, document["DashboardBody"], environment)
    elif "widgets" in document:
        yield _page(place.stem, document, Environment())
    elif "accounts" in document:
        yield from _of_configuration(place, account=account, region=region)
    else:
        raise ProblemsError([_no_dashboard(place)])


def _of_folder(folder: Path) -> Iterator[PreviewPage]:
    places = _assembly_places(folder)
    templates: list[tuple[Path, Any, Home, str]] = []
    names = sorted(path for path in folder.rglob("*") if path.suffix in {".json", ".yaml", ".yml", ".template"})
    for path in names:
        try:
            document = read_document(path)
        except ProblemsError:
            continue  # a folder holds other files too
        if not isinstance(document, dict):
            continue
        if isinstance(document.get("Resources"), dict):
            home, stack = places.get(path.name, ((None, None), path.name.split(".")[0]))
            templates.append((path, document, home, stack))
        elif "DashboardBody" in document or isinstance(document.get("widgets"), list):
            yield from _of_file(path, account=None, region=None)
    yield from _of_templates(templates)


def _assembly_places(folder: Path) -> dict[str, tuple[Home, str]]:
    """Return account, Region and stack name by template file, as the manifest of a cloud assembly says."""
    try:
        artifacts = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["artifacts"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    found: dict[str, tuple[Home, str]] = {}
    for name, artifact in artifacts.items():
        where = _ENVIRONMENT.match(str(artifact.get("environment", "")))
        file = artifact.get("properties", {}).get("templateFile")
        if where is None or not isinstance(file, str):
            continue
        account = where[1] if _ACCOUNT.match(where[1]) else None
        region = where[2] if _REGION.match(where[2]) else None
        found[file] = ((account, region), str(artifact["properties"].get("stackName", name)))
    return found


def _of_templates(templates: Sequence[tuple[Path, Any, Home, str]]) -> Iterator[PreviewPage]:
    by_home: dict[Home, list[Definitions]] = {}
    for path, document, home, stack in templates:
        account, region = home
        read = read_template(
            document,
            file=str(path),
            stack_name=stack,
            account_id=account or SAMPLE_HOME[0],
            region=region or SAMPLE_HOME[1],
        )
        by_home.setdefault(home, []).append(read)
    for home, several in by_home.items():
        broken = [problem for each in several for problem in each.problems if problem.severity is ProblemSeverity.ERROR]
        if broken and not any(each.dashboards for each in several):
            raise ProblemsError(broken)
        environment = Environment(
            home=home,
            problems=tuple(map(_sentence, broken)),
            alarms=_unique(several),
            filters=tuple(one for each in several for one in each.metric_filters),
        )
        for each in several:
            for dashboard in each.dashboards:
                yield _page(dashboard.name, dashboard.body, environment)


def _unique(several: Iterable[Definitions]) -> tuple[Alarm, ...]:
    found: dict[str, Alarm] = {}
    for each in several:
        found |= {alarm.name: alarm for alarm in each.alarms}
        found |= {alarm.name: alarm for alarm in each.composites}
    return tuple(found.values())


def _page(name: str, body: Any, environment: Environment) -> PreviewPage:
    read, shape = read_body(body)
    problems = validate_body(body, None) or shape
    sentences = tuple(map(_sentence, (each for each in problems if each.severity is not ProblemSeverity.NOTE)))
    return PreviewPage(name=name, body=read, problems=sentences, environment=environment)


def _sentence(problem: Problem) -> str:
    stop = "" if problem.message[-1:] in ".!?" else "."
    return f"{problem.place.path or '/'}: {problem.message}{stop} {problem.hint}".strip()


def _of_configuration(place: Path, *, account: str | None, region: str | None) -> Iterator[PreviewPage]:
    from monitoring.config import load_deployments  # noqa: PLC0415 - templates need no configuration
    from monitoring.plan import plan  # noqa: PLC0415

    deployments: tuple[Deployment, ...] = tuple(load_deployments(place))
    fitting = [
        each
        for each in deployments
        if account in {None, each.site.alias, each.site.account_id} and region in {None, each.site.region}
    ]
    if deployments and not fitting:
        asked = " in ".join(part for part in (account, region) if part)
        known = ", ".join(f"{each.site.alias} in {each.site.region}" for each in deployments)
        message = f"{place} deploys nothing to {asked}."
        raise ProblemsError(
            [Problem(code="no-place", message=message, place=Place(file=str(place)), hint=f"It deploys to: {known}.")]
        )
    for deployment in fitting:
        yield from pages_of_plan(plan(deployment))


def pages_of_plan(plan: Plan) -> Iterator[PreviewPage]:
    """Yield the pages of an account and Region: fleet and weekly ones, then those of models."""
    site = plan.deployment.site
    entries = [*plan.alarms, *(entry for model in plan.models for entry in model.alarms)]
    environment = Environment(
        home=(site.account_id, site.region),
        alarms=tuple(entry.alarm for entry in entries),
        filters=plan.evidence.filters,
        kinds={
            entry.alarm.name: "symptom" if entry.role is Role.SYMPTOM else str(entry.severity or "")
            for entry in entries
        },
        titles={entry.alarm.name: entry.title for entry in entries},
        plan=plan,
    )
    pages = [page for _, page in plan.pages] + [model.page for model in plan.models if model.page is not None]
    for page in pages:
        yield PreviewPage(name=page.name, body=page.body, problems=(), environment=environment)
