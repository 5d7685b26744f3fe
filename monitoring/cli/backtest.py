"""`bedrock-monitor backtest`: what would alarms have done over a recording? Needs no AWS account."""

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from monitoring.cli.output import FINE, FOUND, data, fail, refuse
from monitoring.cli.places import AccountOption, FileArgument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alarms.alarm_set import AlarmEntry
    from monitoring.backtest.run import Backtest
    from monitoring.backtest.what_if import Incident
    from monitoring.dataset import Dataset
    from monitoring.plan import Plan

__all__ = ["backtest"]


class _Format(StrEnum):
    TEXT = "text"
    JSON = "json"


def backtest(
    file: FileArgument = None,
    *,
    recording: Annotated[Path, typer.Option(metavar="DIR", help="Recording of `record` or `simulate`.")],
    against: Annotated[
        str | None, typer.Option(metavar="FILE", help="Another configuration: print what it would do differently.")
    ] = None,
    current: Annotated[
        bool, typer.Option("--current", help="The alarms as they were in the account when it was recorded.")
    ] = False,
    vary: Annotated[
        str | None,
        typer.Option("--what-if", metavar="ALARM", help="Try other settings of an alarm (name, slug, model/slug)."),
    ] = None,
    thresholds: Annotated[str | None, typer.Option(metavar="A,B,...", help="Thresholds to try.")] = None,
    windows: Annotated[
        str | None, typer.Option(metavar="M/N,...", help="M out of N to try, for example 3/5,2/10.")
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(min=0, help="Pages a week that are acceptable; with --what-if beyond the first of each incident."),
    ] = None,
    account: AccountOption = None,
    region: Annotated[
        str | None, typer.Option("--region", metavar="REGION", help="Region of the configuration.")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Also the alarms that never fired.")] = False,
    output_format: Annotated[_Format, typer.Option("--format", help="text or json.")] = _Format.TEXT,
) -> None:
    """Run alarms over a recording: how often each fires and pages, against what really fired.

    Exit code 0: done. 1: more pages a week than --budget, or no setting of --what-if fits. 2: called wrongly.
    """
    from cloudwatch.problems import InvalidValueError, ProblemsError  # noqa: PLC0415 - after --help
    from monitoring.dataset import read_dataset  # noqa: PLC0415
    from monitoring.recording.sources import ALARM_DEFINITIONS, ALARM_HISTORY  # noqa: PLC0415

    if (thresholds or windows) and vary is None:
        refuse("--thresholds and --windows go with --what-if ALARM.")
    try:
        dataset = read_dataset(recording, log_groups=(ALARM_DEFINITIONS, ALARM_HISTORY))
        plans = _plans(file, dataset, account=account, region=region)
        others = None if against is None else _plans(against, dataset, account=account, region=region)
        found = False
        rows: list[dict[str, Any]] = []
        for plan in plans:
            entries = _current(plan, dataset) if current else _entries(plan)
            if vary is not None:
                grid = _grid(thresholds, windows)
                found = (
                    _vary(plan, entries, dataset, vary=vary, grid=grid, budget=budget, rows=rows, form=output_format)
                    or found
                )
                continue
            result = _run(entries, dataset, plan)
            found = found or (budget is not None and result.pages / result.weeks > budget)
            _tell(plan, result, others, dataset, verbose=verbose, rows=rows, form=output_format)
    except ProblemsError as error:
        fail(error)
    except InvalidValueError as error:
        refuse(f"{error}.")
    if output_format is _Format.JSON:
        data(json.dumps(rows, indent=2))
    raise typer.Exit(FOUND if found else FINE)


def _plans(file: str | None, dataset: "Dataset", *, account: str | None, region: str | None) -> "list[Plan]":
    from monitoring.config import configuration_file, load_deployments  # noqa: PLC0415
    from monitoring.plan import plans  # noqa: PLC0415

    name = configuration_file(file)
    made = [
        each
        for each in plans(load_deployments(name))
        if account in {None, each.deployment.site.alias, each.deployment.site.account_id}
        and region in {None, each.deployment.site.region}
    ]
    places = dataset.places
    if (None, None) in places or not places:
        chosen = made
    else:
        chosen = [each for each in made if (each.deployment.site.account_id, each.deployment.site.region) in places]
    if not chosen:
        known = ", ".join(sorted(f"{one} in {other}" for one, other in places))
        refuse(f"{name} watches nothing of what was recorded ({known}).")
    return chosen


def _entries(plan: "Plan") -> "list[AlarmEntry]":
    return [entry for group in (plan.alarms, *(model.alarms for model in plan.models)) for entry in group]


def _current(plan: "Plan", dataset: "Dataset") -> "list[AlarmEntry]":
    from monitoring.backtest.recorded import recorded_alarms  # noqa: PLC0415

    found = recorded_alarms(dataset, known=_entries(plan))
    if not found:
        refuse("the recording holds no alarm definitions; `record` keeps them.")
    return found


def _span(dataset: "Dataset") -> tuple[int, int]:
    return dataset.start_s + -dataset.start_s % 60, dataset.end_s - dataset.end_s % 60


def _run(entries: "Sequence[AlarmEntry]", dataset: "Dataset", plan: "Plan") -> "Backtest":
    from monitoring.backtest.recorded import recorded_history  # noqa: PLC0415
    from monitoring.backtest.run import backtest as run  # noqa: PLC0415

    site = plan.deployment.site
    start, end = _span(dataset)
    history = recorded_history(dataset)
    return run(entries, store=dataset.store((site.account_id, site.region)), start_s=start, end_s=end, history=history)


def _tell(
    plan: "Plan",
    result: "Backtest",
    others: "list[Plan] | None",
    dataset: "Dataset",
    *,
    verbose: bool,
    rows: list[dict[str, Any]],
    form: _Format,
) -> None:
    from monitoring.backtest.tell import as_rows, as_text, difference_rows, difference_text  # noqa: PLC0415

    site = plan.deployment.site
    place = f"{site.alias} in {site.region}"
    head = {"account": site.alias, "region": site.region, "start_s": result.start_s, "end_s": result.end_s}
    if others is None:
        rows.append(head | {"alarms": as_rows(result), "pages": result.pages, "notes": result.notes})
        if form is _Format.TEXT:
            data(as_text(result, place=place, verbose=verbose))
        return
    same = next(
        (
            each
            for each in others
            if each.deployment.site.account_id == site.account_id and each.deployment.site.region == site.region
        ),
        None,
    )
    other = _run([] if same is None else _entries(same), dataset, plan)
    rows.append(head | {"differences": difference_rows(result, other)})
    if form is _Format.TEXT:
        data(difference_text(result, other, place=place))


def _vary(
    plan: "Plan",
    entries: "Sequence[AlarmEntry]",
    dataset: "Dataset",
    *,
    vary: str,
    grid: tuple[list[float], list[tuple[int, int]]],
    budget: float | None,
    rows: list[dict[str, Any]],
    form: _Format,
) -> bool:
    from monitoring.backtest.recorded import labelled  # noqa: PLC0415
    from monitoring.backtest.tell import what_if_rows, what_if_text  # noqa: PLC0415
    from monitoring.backtest.what_if import what_if  # noqa: PLC0415

    site = plan.deployment.site
    start, end = _span(dataset)
    incidents: list[Incident] = labelled(dataset)
    result = what_if(
        entries,
        alarm=vary,
        store=dataset.store((site.account_id, site.region)),
        start_s=start,
        end_s=end,
        thresholds=grid[0],
        windows=grid[1],
        incidents=incidents,
        budget=budget,
    )
    rows.append({"account": site.alias, "region": site.region, "alarm": result.alarm, "settings": what_if_rows(result)})
    if form is _Format.TEXT:
        data(what_if_text(result, budget=budget))
    return result.suggestion is None


def _grid(thresholds: str | None, windows: str | None) -> tuple[list[float], list[tuple[int, int]]]:
    try:
        numbers = [float(part) for part in thresholds.split(",")] if thresholds else []
        pairs = []
        for part in windows.split(",") if windows else []:
            m, n = part.split("/")
            pairs.append((int(m), int(n)))
    except ValueError:
        refuse("--thresholds takes numbers (5,10), --windows takes M/N (3/5,2/10).")
    return numbers, pairs
