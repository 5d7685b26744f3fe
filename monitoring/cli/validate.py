"""`bedrock-monitor validate`: is the configuration right, and which values are in force?"""

import gc
from typing import Annotated

import typer

from monitoring.cli.output import FINE, FOUND, USAGE, data, refuse, tell
from monitoring.problem_output import OutputFormat, rendered, summary

__all__ = ["validate"]

MOST_SHOWN = 2_000_000
NO_FILE = ("file-not-found", "file-is-directory", "file-unreadable")


def validate(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="Configuration; default BEDROCK_MONITOR_CONFIG, then ./monitoring.yaml.",
            show_default=False,
        ),
    ] = None,
    *,
    explain: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Print a model's effective values and where each comes from.")
    ] = None,
    account: Annotated[str | None, typer.Option(metavar="ALIAS", help="With --explain: only this account.")] = None,
    region: Annotated[str | None, typer.Option(metavar="REGION", help="With --explain: only this Region.")] = None,
    output_format: Annotated[
        OutputFormat, typer.Option("--format", help="text for people, json for programs, junit for build servers.")
    ] = OutputFormat.TEXT,
) -> None:
    """Check a configuration and print every problem at once.

    Exit code 0: no error (there may be warnings). 1: errors. 2: called wrongly, or no such file.
    """
    gc.set_threshold(
        1_000_000
    )  # the process ends soon after: looking for garbage among what was just made takes longer
    from monitoring.config import configuration_file, load_configuration  # noqa: PLC0415 - after --help

    if explain is None and (account or region):
        refuse("--account and --region go with --explain MODEL.")
    name = configuration_file(file)
    loaded = load_configuration(name)
    lines = {name: loaded.source.lines if loaded.source else _lines(name)}
    if explain is not None and not loaded.errors and loaded.source is not None:
        from monitoring.config.explain import explained  # noqa: PLC0415 - rich is slow

        text, problem = explained(
            loaded.source, model=explain, account=account, region=region, as_json=output_format is OutputFormat.JSON
        )
        if problem:
            refuse(problem)
        data(text)
        raise typer.Exit(FINE)
    if loaded.problems or output_format is not OutputFormat.TEXT:
        data(rendered(loaded.problems, output_format, lines=lines, suite="validate"))
    if loaded.errors:
        tell(f"{name}: {summary(loaded.problems)}.")
        raise typer.Exit(USAGE if loaded.errors[0].code in NO_FILE else FOUND)
    models, places = loaded.counts
    tell(f"{name}: {summary(loaded.problems)}; {_count(models, 'model')} in {_count(places, 'account and Region')}.")


def _lines(name: str) -> tuple[str, ...]:
    """Return the lines of a file that is not YAML, to show the one that is wrong; none where it cannot be read."""
    try:
        with open(name, encoding="utf-8-sig", errors="replace") as stream:  # noqa: PTH123 - pathlib is not needed else
            return tuple(stream.read(MOST_SHOWN).splitlines())
    except (OSError, ValueError):
        return ()


def _count(number: int, noun: str) -> str:
    plural = noun.replace("account and Region", "accounts and Regions") if " " in noun else f"{noun}s"
    return f"{number} {noun if number == 1 else plural}"
