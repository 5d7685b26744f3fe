"""Which account and Region does a live command mean, and how does it connect? Options that those commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from monitoring.cli.output import fail, refuse

if TYPE_CHECKING:
    from monitoring.deployment import Deployment
    from monitoring.live.session import Connection
    from monitoring.plan import Plan

__all__ = ["AccountOption", "FileArgument", "ProfileOption", "RegionOption", "RoleOption", "connect", "planned_place"]

FileArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="FILE",
        help="Configuration; default BEDROCK_MONITOR_CONFIG, then ./monitoring.yaml.",
        show_default=False,
    ),
]
AccountOption = Annotated[str | None, typer.Option("--account", metavar="ALIAS", help="Account of the configuration.")]
RegionOption = Annotated[str | None, typer.Option("--region", metavar="REGION", help="Region of the configuration.")]
ProfileOption = Annotated[
    str | None, typer.Option("--profile", metavar="NAME", help="Profile of the AWS configuration.")
]
RoleOption = Annotated[str | None, typer.Option("--role-arn", metavar="ARN", help="Role to assume.")]


def planned_place(file: str | None, *, account: str | None, region: str | None) -> tuple[Deployment, Plan]:
    """Return the one account and Region that is meant, and what is deployed there; ends the command where there is none."""
    from cloudwatch.problems import InvalidValueError, ProblemsError  # noqa: PLC0415 - after --help
    from monitoring.config import configuration_file, load_deployments  # noqa: PLC0415
    from monitoring.plan import plan  # noqa: PLC0415
    from monitoring.scenario.definitions import choose_deployment  # noqa: PLC0415

    name = configuration_file(file)
    try:
        deployments = load_deployments(name)
        chosen = choose_deployment(deployments, account=account, region=region)
        if isinstance(chosen, str):
            refuse(f"{name}: {chosen} (--account, --region).")
        same = [each for each in deployments if each.site.account_id == chosen.site.account_id]
        return chosen, plan(chosen, account=same)
    except ProblemsError as error:
        fail(error)
    except InvalidValueError as error:
        refuse(f"{name}: {error}.")


def connect(deployment: Deployment, *, profile: str | None, role_arn: str | None) -> Connection:
    """Return a connection to an account and Region, after making sure that the credentials are of that account."""
    from monitoring.live.session import AwsError, Connection  # noqa: PLC0415 - boto3 is slow to import

    connection = Connection(region=deployment.site.region, profile=profile, role_arn=role_arn)
    try:
        account_id = connection.account_id
    except AwsError as error:
        fail([error.problem])
    if account_id != deployment.site.account_id:
        refuse(
            f"these credentials are of account {account_id}, but {deployment.site.alias} is {deployment.site.account_id}. "
            "Name the right profile with --profile, or a role with --role-arn."
        )
    return connection
