"""`bedrock-monitor cost`: what does a month of this monitoring cost at AWS?"""

from enum import StrEnum
from typing import Annotated

import typer

from cloudwatch.problems import ProblemsError
from monitoring.cli.output import data, fail

__all__ = ["CostFormat", "cost"]


class CostFormat(StrEnum):
    """How a bill is printed."""

    TEXT = "text"
    JSON = "json"


def cost(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="Configuration; default BEDROCK_MONITOR_CONFIG, then ./monitoring.yaml.",
            show_default=False,
        ),
    ] = None,
    *,
    output_format: Annotated[CostFormat, typer.Option("--format", help="text for people, json for programs.")] = (
        CostFormat.TEXT
    ),
) -> None:
    """Print what each account and Region costs a month, at list price.

    Exit code 0: printed. 2: the configuration is wrong.
    """
    import json  # noqa: PLC0415 - after --help

    from monitoring.config import configuration_file, load_deployments  # noqa: PLC0415
    from monitoring.cost import bill, bills_as_json, bills_as_text  # noqa: PLC0415
    from monitoring.plan import plans  # noqa: PLC0415

    try:
        found = [bill(plan) for plan in plans(load_deployments(configuration_file(file)))]
    except ProblemsError as error:
        fail(error)
    if output_format is CostFormat.JSON:
        data(json.dumps(bills_as_json(found), indent=2))
    else:
        data(bills_as_text(found))
