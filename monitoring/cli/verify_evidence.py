"""`bedrock-monitor verify-evidence`: is the evidence where the configuration says? Read-only."""

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

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
from monitoring.problem_output import OutputFormat

if TYPE_CHECKING:
    from monitoring.drift import Finding
    from monitoring.live.session import Connection
    from monitoring.plan import Plan

__all__ = ["verify_evidence"]


def verify_evidence(
    file: FileArgument = None,
    *,
    account: AccountOption = None,
    region: RegionOption = None,
    profile: ProfileOption = None,
    role_arn: RoleOption = None,
    records: Annotated[int, typer.Option(min=1, max=5000, help="Records of each source to read at most.")] = 200,
    active: Annotated[
        bool, typer.Option("--active", help="Also make three short calls of our own, after showing what they cost.")
    ] = False,
    model: Annotated[str | None, typer.Option(metavar="KEY", help="With --active: the model to call.")] = None,
    wait: Annotated[
        int, typer.Option(min=0, max=60, metavar="MINUTES", help="With --active: how long to wait for records.")
    ] = 15,
    yes: Annotated[bool, typer.Option("--yes", help="With --active: do not ask for confirmation.")] = False,
    output_format: Annotated[OutputFormat, typer.Option("--format", help="text, json or junit.")] = OutputFormat.TEXT,
) -> None:
    """Look at the account's own records, metrics, rules, key and subscriptions, and print the lines to change.

    Everything that the documentation calls unverified on AWS is answered here. Reads only, unless --active; never a prompt or an answer.
    Exit code 0: nothing is wrong. 1: the configuration does not fit the account. 2: it cannot be asked.
    """
    from dataclasses import replace  # noqa: PLC0415 - after --help

    from bedrock.evidence import EvidenceRoute  # noqa: PLC0415
    from monitoring.evidence_check import check_evidence  # noqa: PLC0415
    from monitoring.evidence_report import as_json, as_junit, as_text  # noqa: PLC0415
    from monitoring.live.session import AwsError  # noqa: PLC0415
    from monitoring.live.verify_evidence import TRAIL_PATTERN, gather_evidence  # noqa: PLC0415

    deployment, plan = planned_place(file, account=account, region=region)
    connection = connect(deployment, profile=profile, role_arn=role_arn)
    key = deployment.kms_key_arn or (plan.notify.key.alias if plan.notify.key else None)
    topics = [arn for target in deployment.notifications for arn in target.topic_arns]
    topics += [topic.arn for topic in plan.notify.topics]
    try:
        observed = gather_evidence(
            connection,
            now=datetime.now(tz=UTC),
            log_group=plan.evidence.log_group,
            rules=[rule.name for rule in plan.evidence.rules],
            key=key,
            topic_arns=topics,
            pattern=TRAIL_PATTERN if deployment.evidence.route is EvidenceRoute.TRAIL else "",
            records=records,
            progress=lambda what: tell(f"reading {what} ..."),
        )
    except AwsError as error:
        fail([error.problem])
    report = check_evidence(deployment, filters=plan.evidence.filters, observed=observed)
    if active:
        found = _active(connection, plan, model=model, wait_s=60 * wait, yes=yes)
        report = replace(report, findings=(*report.findings, *found))
    printer = {OutputFormat.TEXT: as_text, OutputFormat.JSON: as_json, OutputFormat.JUNIT: as_junit}[output_format]
    data(printer(report))
    raise typer.Exit(FOUND if report.wrong else FINE)


def _active(
    connection: "Connection", plan: "Plan", *, model: str | None, wait_s: int, yes: bool
) -> "tuple[Finding, ...]":
    """Make calls of our own and return what they showed."""
    from monitoring.active_check import check_active, cost_dollars, planned_calls  # noqa: PLC0415
    from monitoring.live.session import AwsError  # noqa: PLC0415
    from monitoring.live.verify_active import find_records, make_call  # noqa: PLC0415

    deployment = plan.deployment
    planned = planned_calls(deployment, model=model)
    if not planned:
        refuse(f"no model {model} in {deployment.site.alias}, {deployment.site.region}.")
    cost = cost_dollars(planned, models=deployment.models)
    for call in planned:
        kind = "has to fail, costs nothing" if call.fails else f"latency {call.latency or 'standard'}"
        tell(f"  {call.operation:<14} {call.model_id} ({kind})")
    tell(f"These calls cost {'an unknown amount' if cost is None else f'at most ${cost:.6f}'} at list price.")
    if not yes:
        typer.confirm("Make them?", abort=True, err=True)
    try:
        calls = [make_call(connection, each, now=time.time) for each in planned]
        tell(f"waiting up to {wait_s // 60} minutes for their CloudTrail records ...")
        until = time.time() + wait_s
        records = find_records(connection, calls=calls, until_s=until, now=time.time, sleep=time.sleep)
    except AwsError as error:
        fail([error.problem])
    return check_active(deployment, calls=calls, records=records, filters=plan.evidence.filters, waited_s=wait_s)
