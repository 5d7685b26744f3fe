"""`bedrock-monitor audit`: what is wrong with the alarms, filters and dashboards that live in an account? Read-only."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from monitoring.cli.aws_output import now_s, working
from monitoring.cli.output import FINE, FOUND, USAGE, data, fail, tell
from monitoring.cli.places import ProfileOption, RoleOption
from monitoring.lint.report import LintFormat

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from monitoring.audit_findings import Inventory
    from monitoring.drift import Finding
    from monitoring.live.session import Connection

__all__ = ["audit"]


def audit(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="Configuration: its section lint, and whether it still fits. Default as everywhere, where it is there.",
            show_default=False,
        ),
    ] = None,
    *,
    region: Annotated[str | None, typer.Option("--region", metavar="REGION", help="Region to look at.")] = None,
    profile: ProfileOption = None,
    role_arn: RoleOption = None,
    fired: Annotated[int, typer.Option(min=1, help="Firings in a week above which an alarm is noisy.")] = 5,
    output_format: Annotated[
        LintFormat,
        typer.Option("--format", help="text for people, json for programs, sarif for code hosts, junit for builds."),
    ] = LintFormat.TEXT,
) -> None:
    """Run the checks of lint on what lives in the account, and those that only its metrics can answer.

    Needs nothing of ours to be deployed. Exit code 0: no bug. 1: bugs. 2: called wrongly, or the account could not be asked.
    """
    from cloudwatch.problems import ProblemsError  # noqa: PLC0415 - after --help
    from monitoring.audit_findings import LIVE_CHECKS, live_findings  # noqa: PLC0415
    from monitoring.audit_report import audit_report  # noqa: PLC0415
    from monitoring.lint.finding import Severity  # noqa: PLC0415
    from monitoring.lint.registry import CHECKS  # noqa: PLC0415
    from monitoring.lint.report import rendered, summary  # noqa: PLC0415
    from monitoring.lint.settings import LintSettings, load_settings  # noqa: PLC0415
    from monitoring.live.audit import gather_inventory  # noqa: PLC0415 - boto3 is slow to import
    from monitoring.live.session import AwsError, Connection  # noqa: PLC0415

    name = (
        file
        or os.environ.get("BEDROCK_MONITOR_CONFIG")
        or ("monitoring.yaml" if Path("monitoring.yaml").is_file() else None)
    )
    known = [*(check.name for check in CHECKS), *LIVE_CHECKS]
    try:
        settings = load_settings(name, checks=known) if name else LintSettings()
    except ProblemsError as error:
        fail(error)
    connection = Connection(region=region, profile=profile, role_arn=role_arn)
    try:
        here = region or str(connection.client("cloudwatch").meta.region_name)
        with working(f"reading {here}") as progress:
            inventory = gather_inventory(connection, now_s=now_s(), progress=progress)
            drift = _drift(connection, name, region=here, progress=progress) if name else ()
    except AwsError as error:
        fail([error.problem])
    live = live_findings(inventory, now_s=now_s(), fired_most=fired, drift=drift)
    report = audit_report(
        inventory,
        live=live,
        today=datetime.now(UTC).date(),
        settings=settings,
        place=f"{connection.account_id}/{here}",
    )
    for sentence in dict.fromkeys(inventory.problems):
        tell(f"warning: {sentence}")
    if report.findings or output_format is not LintFormat.TEXT:
        data(rendered(report, output_format))
    tell(f"{summary(report)}{_lost(inventory)}.")
    if inventory.alarms is None and inventory.filters is None and not inventory.dashboards:
        raise typer.Exit(USAGE)
    raise typer.Exit(FOUND if report.count(Severity.BUG) else FINE)


def _lost(inventory: "Inventory") -> str:
    count = len(dict.fromkeys(inventory.problems))
    return f"; {count} question{'s' if count > 1 else ''} could not be asked" if count else ""


def _drift(
    connection: "Connection", name: str, *, region: str, progress: "Callable[[str], None]"
) -> "Sequence[Finding]":
    """Return how far the account has moved from the configuration; nothing where it is not of this account and Region."""
    from monitoring.config import load_configuration  # noqa: PLC0415
    from monitoring.live.discover import gather_account  # noqa: PLC0415
    from monitoring.proposal import propose  # noqa: PLC0415

    loaded = load_configuration(name)
    if loaded.errors:
        fail(loaded.errors)
    here = (connection.account_id, region)
    if here not in {(each.site.account_id, each.site.region) for each in loaded.deployments}:
        tell(f"{name} is not about account {here[0]} in {region}: whether it fits is not checked.")
        return ()
    account = gather_account(connection, region=region, now_s=now_s(), progress=progress)
    for sentence in account.problems:
        tell(f"warning: {sentence}")
    return propose(account, text=Path(name).read_text(encoding="utf-8"), deployments=loaded.deployments).findings
