"""`bedrock-monitor deploy-policy`: what must the role be allowed that deploys?"""

from __future__ import annotations

from typing import Annotated

import typer

from monitoring.cli.output import data, fail, refuse

__all__ = ["print_policy"]


def print_policy(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="Configuration; default BEDROCK_MONITOR_CONFIG, then ./monitoring.yaml.",
            show_default=False,
        ),
    ] = None,
    *,
    account: Annotated[
        str | None, typer.Option(metavar="ALIAS", help="Account; needed where there are several.")
    ] = None,
) -> None:
    """Print the IAM policy for the CloudFormation execution role of an account: its names, nothing it does not deploy.

    Exit code 0: printed. 2: the configuration or the call is wrong.
    """
    import json  # noqa: PLC0415 - after --help

    from cloudwatch.problems import ProblemsError  # noqa: PLC0415
    from monitoring.config import configuration_file, load_deployments  # noqa: PLC0415
    from monitoring.deploy_policy import deploy_policy  # noqa: PLC0415

    try:
        deployments = load_deployments(configuration_file(file))
    except ProblemsError as error:
        fail(error)
    aliases = list(dict.fromkeys(each.site.alias for each in deployments))
    if account is None and len(aliases) == 1:
        account = aliases[0]
    if account not in aliases:
        asked = "name one account with --account" if account is None else f"there is no account {account}"
        refuse(f"{asked}. The configuration has: {', '.join(aliases)}.")
    chosen = [each for each in deployments if each.site.alias == account]
    same = [each for each in deployments if each.site.account_id == chosen[0].site.account_id]
    data(json.dumps(deploy_policy(same), indent=2))
