"""`bedrock-monitor record`: the telemetry of a configuration onto this disk. Reads AWS, writes one folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from monitoring.cli.aws_output import counting, now_s
from monitoring.cli.output import FINE, FOUND, fail, refuse, tell
from monitoring.cli.places import AccountOption, FileArgument, ProfileOption, RegionOption

if TYPE_CHECKING:
    from monitoring.live.record import Work
    from monitoring.plan import Plan
    from monitoring.recording.parts import Answered, Parts

__all__ = ["record"]

DOLLARS_PER_METRIC = 0.01 / 1000  # GetMetricData, US list price (Amazon CloudWatch pricing)


def record(
    file: FileArgument = None,
    *,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the recording; continued if it is there.")],
    days: Annotated[
        int, typer.Option(min=1, max=455, help="How far back; one-minute points are kept for 15 days.")
    ] = 15,
    account: AccountOption = None,
    region: RegionOption = None,
    profile: ProfileOption = None,
    role_arn: Annotated[
        str | None,
        typer.Option("--role-arn", metavar="ARN", help="Role to assume; {account_id} becomes the account's id."),
    ] = None,
    matches: Annotated[int, typer.Option(min=1, help="Log events of each filter to read at most.")] = 10_000,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before spending more than a dollar.")] = False,
) -> None:
    """Record series, alarm history, alarm definitions and matched log events of every account and Region.

    An interrupted run goes on where it stopped; a second one asks only for what is new. Never a prompt or an answer.
    Exit code 0: recorded. 1: recorded, but something could not be asked. 2: called wrongly, or AWS did not answer.
    """
    from cloudwatch.problems import ProblemsError  # noqa: PLC0415 - after --help
    from monitoring.live.record import planned_work  # noqa: PLC0415
    from monitoring.recording.parts import Parts  # noqa: PLC0415

    told: list[str] = []
    try:
        plans = _plans(file, account=account, region=region)
        parts = Parts(out)
        answered, interrupted = _before(out, parts)
        if interrupted:
            tell(f"going on with an interrupted run: {interrupted} parts are there already.")
        now = now_s()
        work = [planned_work(plan, answered=answered, now_s=now, days=days) for plan in plans]
        _ask_about_cost(work, yes=yes)
        done = [
            _one(each, answered=answered, parts=parts, asked=(profile, role_arn), told=told, matches=matches)
            for each in work
        ]
        _finish(out, parts, work)
    except ProblemsError as error:
        fail(error)
    for sentence in dict.fromkeys(told):
        tell(f"warning: {sentence}")
    if not any(done):
        refuse("no account could be asked; the parts that were there are in the recording.")
    raise typer.Exit(FOUND if told else FINE)


def _plans(file: str | None, *, account: str | None, region: str | None) -> "tuple[Plan, ...]":
    from monitoring.config import configuration_file, load_deployments  # noqa: PLC0415
    from monitoring.plan import plans  # noqa: PLC0415

    made = plans(load_deployments(configuration_file(file)))
    chosen = tuple(
        each
        for each in made
        if account in {None, each.deployment.site.alias, each.deployment.site.account_id}
        and region in {None, each.deployment.site.region}
    )
    if not chosen:
        refuse(f"{configuration_file(file)}: no account and Region of that name (--account, --region).")
    return chosen


def _before(out: Path, parts: "Parts") -> "tuple[Answered, int]":
    from monitoring.dataset import read_dataset  # noqa: PLC0415
    from monitoring.recording.merge import recorded_before  # noqa: PLC0415
    from monitoring.recording.parts import Answered  # noqa: PLC0415

    there = out.exists() and (not out.is_dir() or any(out.iterdir()))
    dataset = read_dataset(out) if there else None
    if dataset is not None and dataset.about.get("source") != "aws":
        refuse(
            f"{out} is a recording of {dataset.about.get('source', 'something else')}, which is not continued from AWS."
        )
    answered = Answered() if dataset is None else recorded_before(dataset)
    return answered, parts.read_into(answered)


def _ask_about_cost(work: "list[Work]", *, yes: bool) -> None:
    queries = sum(each.queries for each in work)
    dollars = queries * DOLLARS_PER_METRIC
    places = len(work)
    tell(
        f"{queries} metrics to ask of {places} account{'s and Regions' if places > 1 else ' and Region'}: about ${dollars:.2f}."
    )
    if dollars > 1 and not yes:
        typer.confirm("Go on?", abort=True, err=True)


def _one(
    work: "Work",
    *,
    answered: "Answered",
    parts: "Parts",
    asked: tuple[str | None, str | None],
    told: list[str],
    matches: int,
) -> bool:
    from monitoring.live.record import record_events, record_points  # noqa: PLC0415 - boto3 is slow to import
    from monitoring.live.session import AwsError, Connection  # noqa: PLC0415

    site = work.plan.deployment.site
    profile, role_arn = asked
    role = role_arn.replace("{account_id}", site.account_id) if role_arn else None
    connection = Connection(region=site.region, profile=profile, role_arn=role)
    title = f"{site.alias} {site.region}"
    try:
        if connection.account_id != site.account_id:
            told.append(
                f"{title} is left out: these credentials are of account {connection.account_id}; "
                "give a role with {account_id} in its ARN, or run it again with another profile."
            )
            return False
        with counting(title, total=work.queries) as advance:
            record_points(connection, work, parts=parts, tell=told.append, advance=advance)
        record_events(connection, work, answered=answered, parts=parts, tell=told.append, matches=matches)
    except AwsError as error:
        told.append(f"{title}: {error.problem.message} {error.problem.hint}".rstrip())
        return False
    return True


def _finish(out: Path, parts: "Parts", work: "list[Work]") -> None:
    from monitoring.dataset import write_dataset  # noqa: PLC0415
    from monitoring.recording.merge import merged  # noqa: PLC0415

    answered, _ = _before(out, parts)
    if not answered.covered:
        return
    places = [f"{each.plan.deployment.site.account_id} {each.plan.deployment.site.region}" for each in work]
    dataset = merged(answered, about={"title": f"recorded from {', '.join(dict.fromkeys(places))}"})
    events = sorted(answered.events.values(), key=lambda event: (event.log_group, event.ingestion_s, event.event_s))
    write_dataset(out, dataset, events=events)
    parts.remove()
    tell(f"{out}: {len(dataset.series)} series, {len(events)} events.")
