"""Would `synth` refuse what `validate` accepts?

Building every alarm and page costs more than the rest of `validate`, and only an unusual file meets a limit of AWS: many models
or ModelIds in one place, very long ids, wide windows, many subscribers. `unusual` tells such a file by counting; for it the
plan is made, and what it refuses is told where it stands. Everything smaller stays within the limits; a test looks.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from monitoring.config.alarm_checks import SHORT_WINDOW
from monitoring.config.finder import Finder
from monitoring.config.merge import value_at
from monitoring.config.settings import models_here

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from cloudwatch.problems import Problem
    from monitoring.config.finder import Finding
    from monitoring.config.merge import Effective
    from monitoring.config.settings import ModelHere, PlaceHere
    from monitoring.config.source import Path_, Source
    from monitoring.deployment import Deployment
    from monitoring.plan import Plan

__all__ = ["refused_by_plan", "unusual"]

MODELS_A_PLACE = 20
OPTIMIZED_A_PLACE = 8
IDS_A_PLACE = 60
IDS_A_MODEL = 12
ID_LENGTH = 160
SUBSCRIBERS = 60
LABEL_LENGTH = 80


def unusual(places: Iterable[PlaceHere]) -> bool:
    """Whether a file is so large, or so wide in one value, that a limit of AWS may be near."""
    return any(_large(settings, here) for _, _, settings, here in places)


def _large(settings: Effective, here: list[ModelHere]) -> bool:
    ids = [
        [*model.effective.get("ids", default=()), *model.effective.get("cloudtrail_ids", default=())] for model in here
    ]
    subscribers = sum(
        len(value) for key, value in settings.values.items() if key[0] == "notifications" and len(key) == 4
    )
    optimized = sum(model.effective.get("latency") == "optimized" for model in here)
    return (
        len(here) > MODELS_A_PLACE
        or optimized > OPTIMIZED_A_PLACE
        or sum(map(len, ids)) > IDS_A_PLACE
        or max(map(len, ids), default=0) > IDS_A_MODEL
        or max((len(name) for names in ids for name in names), default=0) > ID_LENGTH
        or subscribers > SUBSCRIBERS
        or any(_wide(key, value) for model in here for key, value in model.effective.values.items())
        or any(isinstance(value, str) and len(value) > ID_LENGTH for value in settings.values.values())
    )


def _wide(key: tuple[str, ...], value: object) -> bool:
    if key[0] == "alarms" and key[2] == "n":
        return isinstance(value, int) and value > SHORT_WINDOW
    return key[0] in {"title", "links"} and isinstance(value, str) and len(value) > LABEL_LENGTH


def refused_by_plan(source: Source) -> Iterator[Finding]:
    """Yield what making the plan, or its limits, would refuse of a source without errors."""
    from monitoring.config.build import deployments_of  # noqa: PLC0415 - imports every page and alarm
    from monitoring.plan_limits import limit_problems  # noqa: PLC0415

    gate, plans = _Gate(source), []
    for deployment in deployments_of(source):
        made = gate.plan(deployment)
        if isinstance(made, list):
            yield from made
        else:
            plans.append(made)
    yield from (gate.placed(problem, plans) for problem in limit_problems(plans))


class _Gate(Finder):
    """Makes plans and finds the model that is in the way of one."""

    def plan(self, deployment: Deployment) -> Plan | list[Finding]:
        """Return the plan of an account and Region, or why there is none."""
        from cloudwatch.problems import InvalidValueError  # noqa: PLC0415
        from monitoring.plan import plan  # noqa: PLC0415

        try:
            return plan(deployment)
        except InvalidValueError as error:
            whole = str(error)
        found: list[Finding] = []
        for model in deployment.models:
            try:
                plan(replace(deployment, models=(model,)))
            except InvalidValueError as error:
                path = self.number_at(deployment, model.key, str(error))
                if path is not None:
                    message = (
                        f"{path[-2]} looks at {value_at(self.data, path)} periods, and a copy of it that holds back other causes "
                        "looks for longer: CloudWatch takes no window that long."
                    )
                    found.append(self.found(path, "window-too-long", message, "Make n smaller."))
                    continue
                message = f"{model.key} cannot be built in {deployment.site.region}: {_sentence(str(error))}"
                path = self.model_at(deployment, model.key)
                found.append(self.found(path, "refused-by-aws", message, "Make it smaller.", of_key=True))
        if not found:
            message = f"{deployment.site.alias} cannot be built in {deployment.site.region}: {_sentence(whole)}"
            path = ("accounts", deployment.site.alias)
            found.append(
                self.found(path, "refused-by-aws", message, "Watch fewer models, or use profile lean.", of_key=True)
            )
        return found

    def model_at(self, deployment: Deployment, key: str) -> Path_:
        """Return where a model of an account stands."""
        path: Path_ = ("accounts", deployment.site.alias, "models", key)
        return path if path in self.source.values else ("models", key)

    def number_at(self, deployment: Deployment, key: str, said: str) -> Path_ | None:
        """Return where the N stands that makes the window of the alarm in a message too long, or None."""
        from alarms.naming import alarm_name  # noqa: PLC0415

        site = deployment.site
        for here in models_here(self.source, alias=site.alias, region=site.region, priced=False):
            for name, value in here.effective.values.items():
                if here.key != key or not _wide(name, value) or name[0] != "alarms":
                    continue
                measured = {"slow-decode": "decode-rate", "fallback": "fallback-share"}.get(name[1], name[1])
                if said.startswith(alarm_name(site, model=key, slug=measured)) and " periods of " in said:
                    return here.effective.path(*name)
        return None

    def placed(self, problem: Problem, plans: list[Plan]) -> Finding:
        """Return a passed limit where the model, or the account, stands whose stack it is about."""
        from alarms.naming import stack_name  # noqa: PLC0415

        path: Path_ = ("accounts",)
        for plan in plans:
            site = plan.deployment.site
            if problem.place.path == stack_name(site):
                path = ("accounts", site.alias)
            for model in plan.models:
                if problem.place.path == stack_name(site, model=model.model.key):
                    path = self.model_at(plan.deployment, model.model.key)
        return self.found(path, problem.code, problem.message, problem.hint, of_key=True)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!")) else f"{text}."
