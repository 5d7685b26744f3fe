"""`bedrock-monitor verify-evidence`: is the evidence where the configuration says? Read-only."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from monitoring.cli.output import FINE, FOUND, data, fail, tell
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

__all__ = ["verify_evidence"]


def verify_evidence(
    file: FileArgument = None,
    *,
    account: AccountOption = None,
    region: RegionOption = None,
    profile: ProfileOption = None,
    role_arn: RoleOption = None,
    records: Annotated[int, typer.Option(min=1, max=5000, help="Records of each source to read at most.")] = 200,
    output_format: Annotated[OutputFormat, typer.Option("--format", help="text, json or junit.")] = OutputFormat.TEXT,
) -> None:
    """Look at the account's own records, metrics, rules, key and subscriptions, and print the lines to change.

    Everything that the documentation calls unverified on AWS is answered here. Reads only; never a prompt or an answer.
    Exit code 0: nothing is wrong. 1: the configuration does not fit the account. 2: it cannot be asked.
    """
    from monitoring.evidence_check import check_evidence  # noqa: PLC0415 - after --help
    from monitoring.evidence_report import as_json, as_junit, as_text  # noqa: PLC0415
    from monitoring.live.session import AwsError  # noqa: PLC0415
    from monitoring.live.verify_evidence import gather_evidence  # noqa: PLC0415

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
            records=records,
            progress=lambda what: tell(f"reading {what} ..."),
        )
    except AwsError as error:
        fail([error.problem])
    report = check_evidence(deployment, filters=plan.evidence.filters, observed=observed)
    printer = {OutputFormat.TEXT: as_text, OutputFormat.JSON: as_json, OutputFormat.JUNIT: as_junit}[output_format]
    data(printer(report))
    raise typer.Exit(FOUND if report.wrong else FINE)
