"""`bedrock-monitor synth`: CloudFormation for every account and Region of a configuration."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cloudwatch.problems import ProblemsError
from monitoring.cli.output import fail, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from monitoring.plan import Plan

__all__ = ["synth"]


def synth(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="Configuration; default BEDROCK_MONITOR_CONFIG, then ./monitoring.yaml.",
            show_default=False,
        ),
    ] = None,
    *,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder of the cloud assembly.")] = Path("cdk.out"),
    account: Annotated[str | None, typer.Option(metavar="ALIAS", help="Only this account.")] = None,
    region: Annotated[str | None, typer.Option(metavar="REGION", help="Only this Region.")] = None,
    check_templates: Annotated[
        bool,
        typer.Option(
            "--check-templates", help="Also run the CDK's template validation, as a deployment does (5 to 10 s)."
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar and no summary.")] = False,
) -> None:
    """Write a cloud assembly that `npx cdk deploy --app cdk.out` deploys.

    Exit code 0: written. 2: the configuration or the call is wrong; nothing was written.
    """
    from monitoring.config import configuration_file, load_deployments  # noqa: PLC0415 - after --help
    from monitoring.synthesis.run import checked_plans  # noqa: PLC0415

    try:
        made = checked_plans(load_deployments(configuration_file(file)), account=account, region=region)
        _write(made, out=out, check_templates=check_templates, quiet=quiet)
    except ProblemsError as error:
        fail(error)
    if not quiet:
        _summarise(made, out=out)


def _write(made: "Sequence[Plan]", *, out: Path, check_templates: bool, quiet: bool) -> None:
    from rich.console import Console  # noqa: PLC0415 - only this command draws
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    from monitoring.synthesis.run import synthesise  # noqa: PLC0415

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as progress:
        total = sum(1 + len(plan.models) for plan in made)
        task = progress.add_task("starting the CDK", total=total)
        synthesise(
            made,
            out=out,
            check_templates=check_templates,
            report=lambda stack: progress.update(task, advance=1, description=stack),
        )


def _summarise(made: "Sequence[Plan]", *, out: Path) -> None:
    from rich.console import Console  # noqa: PLC0415

    from monitoring.synthesis.summary import summary_table  # noqa: PLC0415

    console = Console(stderr=True)
    console.print(summary_table(made))
    tell("USD: a month at list price, without what depends on traffic; `bedrock-monitor cost` has the lines.")
    tell(f"Written to {out}. Deploy it with: npx cdk deploy --app {out} --all")
