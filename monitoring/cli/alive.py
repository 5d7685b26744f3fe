"""`bedrock-monitor alive`: would a page arrive? For a scheduler outside the account. Read-only."""

from typing import Annotated

import typer

from monitoring.cli.aws_output import now_s, working
from monitoring.cli.output import FINE, FOUND, USAGE, data, fail
from monitoring.cli.places import (
    AccountOption,
    FileArgument,
    ProfileOption,
    RegionOption,
    RoleOption,
    connect,
    planned_place,
)
from monitoring.problem_output import OutputFormat

__all__ = ["alive"]


def alive(
    file: FileArgument = None,
    *,
    account: AccountOption = None,
    region: RegionOption = None,
    profile: ProfileOption = None,
    role_arn: RoleOption = None,
    strict: Annotated[bool, typer.Option("--strict", help="What cannot be told counts as wrong.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only what is not well.")] = False,
    output_format: Annotated[OutputFormat, typer.Option("--format", help="text, json or junit.")] = OutputFormat.TEXT,
) -> None:
    """Check rule, key, filters, topics, subscriptions, trail, alarm actions, and when evidence was last seen.

    Exit code 0: alive. 1: something is dead. 2: called wrongly, or the account could not be asked at all.
    """
    from dataclasses import replace  # noqa: PLC0415 - after --help

    from monitoring.drift import Status  # noqa: PLC0415
    from monitoring.evidence_report import as_json, as_junit, as_text  # noqa: PLC0415
    from monitoring.live.alive import gather_pulse  # noqa: PLC0415
    from monitoring.live.session import AwsError  # noqa: PLC0415
    from monitoring.liveness import check_pulse  # noqa: PLC0415

    deployment, plan = planned_place(file, account=account, region=region)
    connection = connect(deployment, profile=profile, role_arn=role_arn)
    try:
        with working(f"asking {deployment.site.alias} in {deployment.site.region}") as progress:
            pulse = gather_pulse(connection, plan, now_s=now_s(), progress=progress)
    except AwsError as error:
        fail([error.problem])
    report = check_pulse(plan, pulse)
    unknown = [finding for finding in report.findings if finding.status is Status.UNKNOWN]
    asked = any(finding.status is not Status.UNKNOWN for finding in report.findings)
    shown = report
    if quiet:
        shown = replace(
            report, findings=tuple(finding for finding in report.findings if finding.status is not Status.OK)
        )
    printer = {OutputFormat.TEXT: as_text, OutputFormat.JSON: as_json, OutputFormat.JUNIT: as_junit}[output_format]
    if not quiet or shown.findings:
        data(printer(shown).replace("Evidence of", "Watch over", 1))
    if not asked:
        raise typer.Exit(USAGE)
    raise typer.Exit(FOUND if report.wrong or (strict and unknown) else FINE)
