"""Which alarms does a scenario test? From a configuration, from templates, or from what describe-alarms said."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cloudwatch.problems import InvalidValueError, Problem, ProblemsError, ProblemSeverity
from cloudwatch.readers.cloudformation import read_template
from cloudwatch.readers.describe_alarms import read_describe_alarms
from monitoring.template_files import read_document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from alarms.naming import Site
    from cloudwatch.alarm import Alarm
    from cloudwatch.metric_filter import MetricFilter
    from cloudwatch.readers.definitions import Definitions
    from monitoring.deployment import Deployment
    from monitoring.plan import Plan
    from monitoring.scenario.document import Scenario

__all__ = ["Tested", "choose_deployment", "tested_by"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """What is tested.

    Attributes:
        alarms: Metric alarms and composites.
        filters: Metric filters that events go through.
        names: Logical id to AlarmName.
        home: Account id and Region of the alarms, None where not known.
    """

    alarms: tuple[Alarm, ...]
    filters: tuple[MetricFilter, ...]
    names: Mapping[str, str]
    home: tuple[str | None, str | None]


def tested_by(scenario: Scenario) -> Tested:
    """Return the alarms of a scenario.

    Raises:
        ProblemsError: A file cannot be read or a definition would be refused by AWS.
    """
    given = scenario.source
    if "config" in given:
        return _of_config(scenario)
    if "describe_alarms" in given:
        file = given["describe_alarms"]
        return _of_definitions([read_describe_alarms(read_document(file), file=file)], home=(None, None))
    region, account_id = given.get("region", "us-east-1"), given.get("account_id", "111122223333")
    found = [
        read_template(
            read_document(file),
            parameters=given.get("parameters"),
            region=region,
            account_id=account_id,
            file=file,
        )
        for file in given["template"]
    ]
    return _of_definitions(found, home=(account_id, region))


def choose_deployment(
    deployments: Sequence[Deployment], *, account: str | None, region: str | None
) -> Deployment | str:
    """Return the one deployment that account and Region name, or a sentence that says why there is not exactly one."""
    fitting = [
        each
        for each in deployments
        if account in {None, each.site.alias, each.site.account_id} and region in {None, each.site.region}
    ]
    if len(fitting) == 1:
        return fitting[0]
    places = ", ".join(f"{each.site.alias} in {each.site.region}" for each in fitting or deployments)
    if not fitting:
        return f"the configuration has no {account or 'account'} in {region or 'that Region'}; it has {places}"
    return f"the configuration has {places}; say which account and Region are meant"


def _of_config(scenario: Scenario) -> Tested:
    given: Mapping[str, Any] = scenario.source
    file = given["config"]
    chosen = choose_deployment(
        _deployments(file, version=_version(file)), account=given.get("account"), region=given.get("region")
    )
    if isinstance(chosen, str):
        place = scenario.places.place(("alarms",))
        raise ProblemsError([Problem(code="scenario-alarms", message=f"{chosen}.", place=place)])
    try:
        planned = _planned(file, version=_version(file), site=chosen.site)
    except InvalidValueError as error:
        place = scenario.places.place(("alarms", "config"))
        raise ProblemsError([Problem(code="scenario-alarms", message=f"{error}.", place=place)]) from error
    entries = [*planned.alarms, *(entry for model in planned.models for entry in model.alarms)]
    return Tested(
        alarms=tuple(entry.alarm for entry in entries),
        filters=planned.evidence.filters,
        names={},
        home=(chosen.site.account_id, chosen.site.region),
    )


def _version(file: str) -> tuple[int, int]:
    """Return what changes when a file is written: scenarios of one configuration read it once."""
    try:
        status = Path(file).stat()
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _deployments(file: str, *, version: tuple[int, int]) -> tuple[Deployment, ...]:
    del version  # part of the key alone
    from monitoring.config import load_deployments  # noqa: PLC0415 - templates need no configuration

    return load_deployments(file)


@lru_cache(maxsize=16)
def _planned(file: str, *, version: tuple[int, int], site: Site) -> Plan:
    from monitoring.plan import plan  # noqa: PLC0415 - templates need no configuration

    return plan(next(each for each in _deployments(file, version=version) if each.site == site))


def _of_definitions(found: Sequence[Definitions], *, home: tuple[str | None, str | None]) -> Tested:
    problems = [problem for each in found for problem in each.problems if problem.severity is ProblemSeverity.ERROR]
    if problems:
        raise ProblemsError(problems)
    alarms: list[Alarm] = []
    for each in found:
        alarms += [*each.alarms, *each.composites]
    return Tested(
        alarms=tuple(alarms),
        filters=tuple(each_filter for each in found for each_filter in each.metric_filters),
        names={source: name for each in found for source, name in each.source_names.items()},
        home=home,
    )
