"""`bedrock-monitor simulate`: what would the telemetry of a model look like in an incident?"""

import json
from enum import StrEnum
from typing import Annotated

import typer

from monitoring.cli.output import FINE, data, fail, refuse, tell

__all__ = ["simulate"]


class _ListFormat(StrEnum):
    TEXT = "text"
    JSON = "json"


class _Detail(StrEnum):
    REQUESTS = "requests"
    MINUTES = "minutes"


def simulate(
    incident: Annotated[
        str | None, typer.Argument(metavar="INCIDENT", help="Name of an incident or a healthy week; see --list.")
    ] = None,
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="Configuration; default BEDROCK_MONITOR_CONFIG, then ./monitoring.yaml.",
            show_default=False,
        ),
    ] = None,
    *,
    model: Annotated[str | None, typer.Option(metavar="KEY", help="Key of the model that it happens to.")] = None,
    account: Annotated[
        str | None, typer.Option(metavar="ALIAS", help="Where the model is in several accounts.")
    ] = None,
    region: Annotated[str | None, typer.Option(metavar="REGION", help="Where it is in several Regions.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed: the same one gives the same recording.")] = 0,
    out: Annotated[
        str | None, typer.Option(metavar="DIR", help="Folder to write; replaced if it is a recording.")
    ] = None,
    requests_per_minute: Annotated[
        float | None, typer.Option(min=0.01, max=100_000, help="Traffic by day; default: the model's.")
    ] = None,
    start: Annotated[
        str | None, typer.Option(metavar="TIME", help="Start, for example 2026-11-02T09:00:00Z, a full minute.")
    ] = None,
    delay: Annotated[
        float | None,
        typer.Option(min=0, max=86_400, help="Mean seconds of CloudTrail's delay; default: expected_delay."),
    ] = None,
    detail: Annotated[
        _Detail, typer.Option(help="A value for each call, or some rows for each minute: smaller.")
    ] = _Detail.REQUESTS,
    events: Annotated[
        bool, typer.Option(help="Write log events; without them the metrics that filters would make of them.")
    ] = True,
    listing: Annotated[bool, typer.Option("--list", help="List what can be simulated.")] = False,
    output_format: Annotated[_ListFormat, typer.Option("--format", help="Form of --list.")] = _ListFormat.TEXT,
) -> None:
    """Write a simulated recording of an incident: series, log events and the truth about it.

    `test`, `preview` and `backtest` read it as they read a recording from AWS. Exit code 0: written. 2: called wrongly,
    wrong configuration, or the folder holds something else.
    """
    if listing:
        _print_list(output_format)
        raise typer.Exit(FINE)
    if incident is None or model is None or out is None:
        missing = [
            name for name, value in (("INCIDENT", incident), ("--model", model), ("--out", out)) if value is None
        ]
        refuse(
            f"missing {', '.join(missing)}. Example: simulate throttled-tpm --model nova-pro --seed 1 --out recording"
        )
    from bedrock.simulator import Detail  # noqa: PLC0415 - numpy is not needed for --help
    from cloudwatch.problems import InvalidValueError, ProblemsError  # noqa: PLC0415
    from monitoring.config import configuration_file, load_deployments  # noqa: PLC0415
    from monitoring.dataset import write_dataset  # noqa: PLC0415
    from monitoring.simulation import dataset_of, events_of, find_deployment, find_incident, simulate_incident  # noqa: PLC0415

    try:
        entry = find_incident(incident)
        deployments = load_deployments(configuration_file(file))
        deployment = find_deployment(deployments, model=model, account=account, region=region)
        recording = simulate_incident(
            entry,
            deployment,
            model=model,
            seed=seed,
            requests_per_minute=requests_per_minute,
            start_s=None if start is None else _second(start),
            detail=Detail(detail),
            delay_s=delay,
        )
        sent = events_of(recording, deployment) if events else ()
        written = write_dataset(out, dataset_of(recording, deployment, derived=not events), events=sent)
    except ProblemsError as error:
        fail(error)
    except InvalidValueError as error:
        refuse(f"{error}")
    page = recording.truth.page
    told = f"must page {page}" if page else "must not page"
    tell(f"{out}: {entry.title}, {len(recording.series)} series of AWS/Bedrock, {written} events; {told}.")


def _second(text: str) -> int:
    from datetime import datetime  # noqa: PLC0415

    from cloudwatch.problems import InvalidValueError  # noqa: PLC0415

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidValueError(f"--start {text!r} is no time; write 2026-11-02T09:00:00Z.") from None
    if moment.tzinfo is None:
        raise InvalidValueError(f"--start {text!r} has no time zone; write {text}Z for UTC.")
    if moment.second or moment.microsecond:
        raise InvalidValueError(f"--start {text!r} is not a full minute.")
    return int(moment.timestamp())


def _print_list(output_format: _ListFormat) -> None:
    from monitoring.simulation import library_rows  # noqa: PLC0415 - numpy is not needed for --help

    rows = library_rows()
    if output_format is _ListFormat.JSON:
        data(json.dumps(rows, indent=2))
        return
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        told = f"pages {' or '.join(row['pages'])}" if row["pages"] else "no page"
        needs = f"; needs {', '.join(row['needs'])}" if row["needs"] else ""
        data(f"{row['name']:{width}}  {row['kind']:8}  {row['title']} ({told}{needs})")
