"""Do the alarms tell causes apart? Simulated incidents and healthy weeks through the synthesised template.

    python bench/alarm_quality.py [--incidents N] [--weeks N] [--seed N]       the project's alarms beside two baselines
    python bench/alarm_quality.py --write                                      the same, and docs/alarm-quality.md anew
    python bench/alarm_quality.py --template FILE --causes FILE                any CloudFormation template instead

FILE of causes is JSON: {"pages": {alarm name: cause}, "tickets": {alarm name: cause}}. The models are those of
`monitoring.quality.fleet`, or of a configuration (--config FILE). The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from alarms.naming import stack_name
from cloudwatch.readers.cloudformation import read_template
from monitoring.config import load_deployments
from monitoring.plan import plan
from monitoring.quality.baselines import BASELINES, baseline_watches
from monitoring.quality.cases import incident_cases, week_cases
from monitoring.quality.fleet import deployment_for, fleet
from monitoring.quality.report import Results, Sensitivity, measured_texts, report
from monitoring.quality.summary import line, scored
from monitoring.quality.watch import own_watch, watch_of
from monitoring.quality.world import World, observe
from monitoring.quality.worlds import same_calls, switch_worlds, trail_worlds
from monitoring.synthesis.run import synthesise
from monitoring.template_files import read_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bedrock.evidence_plan import EvidencePlan
    from bedrock.models import MonitoredModel
    from monitoring.deployment import Deployment
    from monitoring.quality.cases import Case
    from monitoring.quality.watch import Watch
    from monitoring.quality.world import Observation

ROOT = Path(__file__).parent.parent
OURS = "bedrock-monitor"
_SUBSET = 10  # every tenth incident carries the sensitivity figures


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One case in some worlds."""

    case: Case
    world: World
    also: tuple[World, ...] = ()
    delay_s: int = 300
    only: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What every worker holds: models and evidence, and sets of alarms by planned delay and model."""

    models: dict[str, MonitoredModel]
    evidence: dict[int, EvidencePlan]
    watches: dict[tuple[int, str], dict[str, Watch]]


_setting: list[Setting] = []


def main() -> int:
    options = _options()
    started = time.time()
    models = _models(options.config)
    setting = _setting_for(models, options)
    print(f"{len(setting.watches)} sets of templates read, {time.time() - started:.0f} s", flush=True)
    with multiprocessing.get_context("fork").Pool(
        options.workers, initializer=_setting.append, initargs=(setting,)
    ) as pool:
        cases = incident_cases(models, count=options.incidents, seed=options.seed)
        home = World(name="default")
        incidents = _run(pool, [Job(case=case, world=home) for case in cases], started=started, what="incidents")
        weeks_of = week_cases(models, count=options.weeks, seed=options.seed)
        weeks = _run(pool, [Job(case=case, world=home) for case in weeks_of], started=started, what="weeks")
        sensitivity = [] if options.quick or options.template else list(_sensitivity(pool, cases, started=started))
    names = [options.name] if options.template else [OURS, *BASELINES]
    results = Results(
        names=tuple(names),
        incidents=tuple(found[0] for found in incidents),
        weeks=tuple(found[0] for found in weeks),
        sensitivity=tuple(sensitivity),
        command=f"python bench/alarm_quality.py --incidents {options.incidents} --weeks {options.weeks} --seed {options.seed} --write",
    )
    text = report(results)
    print(text)
    if options.write:
        (ROOT / "docs" / "alarm-quality.md").write_text(text, encoding="utf-8")
        (ROOT / "alarms" / "runbooks" / "measured.toml").write_text(measured_texts(results), encoding="utf-8")
    if options.details:
        options.details.write_text("\n".join(_details(results)), encoding="utf-8")
    print(f"{time.time() - started:.0f} s")
    lines = {name: line(scored(results.incidents, name), results.weeks, watch=name) for name in names}
    print(json.dumps(lines[names[0]] | {"baselines": {name: lines[name] for name in names[1:]}}))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--incidents", type=int, default=2600)
    parser.add_argument("--weeks", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=min(os.cpu_count() or 1, 2))
    parser.add_argument("--quick", action="store_true", help="leave out the sensitivity to how AWS behaves")
    parser.add_argument("--unsynthesised", action="store_true", help="take alarms as planned, without the CDK")
    parser.add_argument(
        "--write", action="store_true", help="write docs/alarm-quality.md and what runbooks say was measured"
    )
    parser.add_argument("--details", type=Path, help="write a line for each incident and week that was not told right")
    parser.add_argument("--config", type=Path, help="configuration whose models are taken")
    parser.add_argument(
        "--template", type=Path, action="append", help="CloudFormation template with the alarms to measure"
    )
    parser.add_argument("--causes", type=Path, help="JSON: what its alarms stand for")
    parser.add_argument("--name", default="template")
    options = parser.parse_args()
    if bool(options.template) != bool(options.causes):
        parser.error("--template and --causes go together")
    return options


def _models(config: Path | None) -> tuple[MonitoredModel, ...]:
    if config is None:
        return fleet()
    found = {model.key: model for deployment in load_deployments(config) for model in deployment.models}
    return tuple(found.values())


def _setting_for(models: Sequence[MonitoredModel], options: argparse.Namespace) -> Setting:
    delays = (300, 600, 900)
    deployments = {delay_s: deployment_for(models, expected_delay_s=delay_s) for delay_s in delays}
    watches: dict[tuple[int, str], dict[str, Watch]] = {}
    if options.template:
        found = [read_template(read_document(file), file=str(file)) for file in options.template]
        causes = json.loads(options.causes.read_text(encoding="utf-8"))
        watch = watch_of(found, pages=causes.get("pages", {}), tickets=causes.get("tickets", {}))
        watches = {(300, model.key): {options.name: watch} for model in models}
    else:
        for delay_s, deployment in deployments.items():
            for model, watch in _own(deployment, planned=options.unsynthesised):
                theirs = baseline_watches(model) if delay_s == 300 else {}
                watches[delay_s, model.key] = {OURS: watch, **theirs}
    return Setting(
        models={model.key: model for model in models},
        evidence={delay_s: plan(deployment).evidence for delay_s, deployment in deployments.items()},
        watches=watches,
    )


def _own(deployment: Deployment, *, planned: bool) -> Iterator[tuple[MonitoredModel, Watch]]:
    """Yield each model with the alarms of its stack and of its account, read from the synthesised templates."""
    made = plan(deployment)
    prefix = f"{deployment.site.prefix}-{deployment.site.alias}"
    if planned:
        from cloudwatch.alarm import MetricAlarm
        from cloudwatch.readers.definitions import Definitions

        for each in made.models:
            every = [entry.alarm for entry in (*each.alarms, *made.alarms)]
            metric = tuple(alarm for alarm in every if isinstance(alarm, MetricAlarm))
            others: tuple[Any, ...] = tuple(alarm for alarm in every if not isinstance(alarm, MetricAlarm))
            found = Definitions(alarms=metric, composites=others)
            yield each.model, own_watch([found], site_prefix=prefix, model=each.model.key)
        return
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "cdk.out"
        synthesise([made], out=out)

        def read(model: str | None = None) -> Any:
            file = out / f"{stack_name(deployment.site, model=model)}.template.json"
            return read_template(
                read_document(file), region=deployment.site.region, account_id=deployment.site.account_id
            )

        account = read()
        for each in made.models:
            yield each.model, own_watch([read(each.model.key), account], site_prefix=prefix, model=each.model.key)


def _work(job: Job) -> tuple[Observation, ...]:
    setting = _setting[-1]
    watches = setting.watches[job.delay_s, job.case.model]
    return observe(
        job.case,
        model=setting.models[job.case.model],
        world=job.world,
        also=job.also,
        evidence=setting.evidence[job.delay_s],
        watches=watches if job.only is None else {job.only: watches[job.only]},
    )


def _run(pool: Any, jobs: Sequence[Job], *, started: float, what: str) -> list[tuple[Observation, ...]]:
    found = list(pool.imap(_work, jobs, chunksize=4))
    print(f"{len(jobs)} {what}, {time.time() - started:.0f} s", file=sys.stderr, flush=True)
    return found


def _sensitivity(pool: Any, cases: Iterable[Case], *, started: float) -> Iterator[Sensitivity]:
    """Yield what another behaviour of AWS makes of every tenth incident."""
    every = tuple(cases)[::_SUBSET]
    for group, delay_s, world, also in (*trail_worlds(), *switch_worlds(), *same_calls()):
        jobs = [Job(case=case, world=world, also=tuple(also), delay_s=delay_s, only=OURS) for case in every]
        found = _run(pool, jobs, started=started, what=f"incidents: {group}")
        for place, here in enumerate((world, *also)):
            yield Sensitivity(group=group, world=here.name, observations=tuple(seen[place] for seen in found))


def _details(results: Results) -> Iterator[str]:
    name = results.names[0]
    for item in scored(results.incidents, name):
        seen, verdict = item.observation, item.verdict
        if verdict.outcome != "right" and (item.deep or not seen.truth.pages):
            pages = [
                (round((page.at_s - (seen.truth.onset_s or 0)) / 60, 1), page.cause) for page in seen.told[name].pages
            ]
            length = ((seen.truth.end_s or 0) - (seen.truth.onset_s or 0)) / 60
            yield f"{seen.case.incident} {seen.case.model} {seen.case.seed} {verdict.outcome} depth={seen.depth} length={length:.0f} {seen.truth.page} {seen.truth.broken} {pages}"
    for week in results.weeks:
        if week.told[name].pages:
            pages = [(round(page.at_s / 60) % 10080, page.cause) for page in week.told[name].pages]
            yield f"{week.case.incident} {week.case.model} {week.case.seed} week {pages}"


if __name__ == "__main__":
    sys.exit(main())
