"""`bedrock-monitor fire-drill`: does a page arrive? Writes: sets one alarm of each severity to ALARM, marked as a drill."""

import time
from datetime import UTC, datetime
from typing import Annotated

import typer

from monitoring.cli.output import FINE, FOUND, data, fail, refuse, tell
from monitoring.cli.places import (
    AccountOption,
    FileArgument,
    ProfileOption,
    RegionOption,
    RoleOption,
    connect,
    planned_place,
)

__all__ = ["fire_drill"]


def fire_drill(
    file: FileArgument = None,
    *,
    account: AccountOption = None,
    region: RegionOption = None,
    profile: ProfileOption = None,
    role_arn: RoleOption = None,
    severity: Annotated[
        list[str] | None, typer.Option(metavar="SEVERITY", help="page, ticket or note; default: each of them.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Set one alarm of each severity to ALARM, with a reason that says it is a drill, and say what has to arrive.

    Metric alarms return to their true state at their next evaluation; composites are set back at the end.
    Exit code 0: everything was sent. 1: something was not.
    """
    from alarms.alarm_set import Severity  # noqa: PLC0415 - after --help
    from monitoring.drill import drill_steps  # noqa: PLC0415
    from monitoring.live.fire_drill import DrillOutcome, run_drill  # noqa: PLC0415
    from monitoring.live.session import AwsError  # noqa: PLC0415

    try:
        wanted = [Severity(word) for word in severity] if severity else list(Severity)
    except ValueError:
        refuse(f"--severity {' '.join(severity or ())}: page, ticket or note.")
    deployment, plan = planned_place(file, account=account, region=region)
    entries = [*plan.alarms, *(entry for model in plan.models for entry in model.alarms)]
    steps = drill_steps(entries, severities=wanted)
    if not steps:
        refuse("no alarm of these severities has an action; add notifications to the configuration.")
    connection = connect(deployment, profile=profile, role_arn=role_arn)
    tell(
        f"Account {deployment.site.alias} ({deployment.site.account_id}), {deployment.site.region}. These alarms are set to ALARM:"
    )
    for step in steps:
        topics = ", ".join(arn.rsplit(":", 1)[-1] for arn in step.topic_arns)
        tell(f"  {step.severity:<7} {step.alarm} -> {topics}")
    if not yes:
        typer.confirm("Send the drill?", abort=True, err=True)
    mark = datetime.now(tz=UTC).strftime("%Y-%m-%d %H:%MZ")
    failed = False
    try:
        for result in run_drill(connection, steps=steps, mark=mark, sleep=_wait):
            failed = failed or result.outcome is not DrillOutcome.SENT or bool(result.pending) or not result.confirmed
            data(_told(result.step.severity, result.outcome, result.confirmed, result.pending, result.said))
    except AwsError as error:
        fail([error.problem])
    data(f"\nEach receiver has to see 'FIRE DRILL {mark}' now. Whoever does not is not being paged.")
    raise typer.Exit(FOUND if failed else FINE)


def _told(severity: str, outcome: str, confirmed: int, pending: int, said: str, /) -> str:
    words = {
        "sent": "sent",
        "missing": "NOT SENT: there is no such alarm; deploy first",
        "muted": "NOT SENT: its actions are disabled",
        "busy": "NOT SENT: it is in ALARM already, so nothing new would go out",
        "failed": "NOT SENT",
    }
    receivers = f"; {confirmed} confirmed receivers" if outcome == "sent" else ""
    waiting = f"; {pending} WAIT FOR CONFIRMATION" if pending else ""
    more = f"; {said}" if said else ""
    return f"{severity:<7} {words[outcome]}{receivers}{waiting}{more}"


def _wait(seconds: float) -> None:
    from rich.console import Console  # noqa: PLC0415 - only a composite needs it
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("waiting for the suppressor, then setting the composites back", total=seconds)
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            progress.update(task, completed=seconds - left)
            time.sleep(min(1.0, left))
