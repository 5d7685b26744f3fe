"""`bedrock-monitor init`: a first monitoring.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from monitoring.cli.output import refuse, tell

__all__ = ["init"]


def init(
    file: Annotated[
        Path, typer.Argument(metavar="[FILE]", help="File to write; default ./monitoring.yaml.", show_default=False)
    ] = Path("monitoring.yaml"),
) -> None:
    """Write a small configuration with comments to start from; an existing file is never touched.

    Exit code 0: written. 2: the file exists, or cannot be written.
    """
    from monitoring.config.starting_file import starting_text  # noqa: PLC0415 - after --help

    try:
        with file.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(starting_text(file))
    except FileExistsError:
        refuse(f"{file} exists already. Give another name, or edit it.")
    except OSError as error:
        refuse(f"{file} cannot be written: {error.strerror or error}.")
    tell(f"Written to {file}. Edit what is marked, then run: bedrock-monitor validate {file}")
