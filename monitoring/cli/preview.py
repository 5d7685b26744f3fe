"""`bedrock-monitor preview`: look at dashboards without an AWS account."""

from typing import Annotated

import typer

from monitoring.cli.output import FINE, data, fail, refuse, tell

__all__ = ["preview"]


def preview(
    source: Annotated[
        str,
        typer.Argument(
            metavar="INPUT",
            help="Configuration, dashboard body, get-dashboard JSON, template, or a folder of these (cdk.out).",
        ),
    ],
    *,
    out: Annotated[str, typer.Option("--out", metavar="OUT", help="A file.html for one dashboard, else a folder.")],
    recording: Annotated[
        str | None,
        typer.Option(
            "--data", metavar="DATA", help="A recording (what `simulate` or `record` wrote), or a scenario file."
        ),
    ] = None,
    sample: Annotated[
        bool, typer.Option("--sample-data", help="Draw a simulated healthy week; waves for what is no Bedrock metric.")
    ] = False,
    against: Annotated[
        str | None, typer.Option(metavar="OTHER", help="Show what changed since OTHER, side by side.")
    ] = None,
    page: Annotated[str | None, typer.Option(metavar="NAME", help="Only the dashboard of this name.")] = None,
    account: Annotated[str | None, typer.Option(metavar="ALIAS", help="Only this account of a configuration.")] = None,
    region: Annotated[str | None, typer.Option(metavar="REGION", help="Only this Region of a configuration.")] = None,
    png: Annotated[bool, typer.Option("--png", help="Write a PNG beside each page; needs Chrome or Chromium.")] = False,
) -> None:
    """Draw dashboards into HTML files that work offline: what CloudWatch would show, computed here.

    Exit code 0: written. 2: called wrongly, or the input cannot be read.
    """
    if recording is not None and sample:
        refuse("--data and --sample-data exclude each other.")
    from cloudwatch.problems import InvalidValueError, ProblemsError  # noqa: PLC0415 - after --help
    from monitoring.preview.compare import write_comparison  # noqa: PLC0415
    from monitoring.preview.inputs import read_pages  # noqa: PLC0415
    from monitoring.preview.picture import write_picture  # noqa: PLC0415
    from monitoring.preview.write import counted, write_pages  # noqa: PLC0415

    try:
        pages = read_pages(source, account=account, region=region)
        recorded = None
        if recording is not None:
            from monitoring.preview.series import read_recorded  # noqa: PLC0415

            recorded = read_recorded(recording)
        if page is not None:
            names = [each.name for each in pages]
            pages = tuple(each for each in pages if each.name == page)
            if not pages:
                refuse(f"there is no dashboard {page!r}; there are: {', '.join(names)}")
        for each in pages:
            if each.problems:
                tell(f"{each.name}: {counted(len(each.problems), 'problem')} in the body; the page lists them.")
        if against is not None:
            older = read_pages(against, account=account, region=region)
            written = write_comparison(pages, older, out, recorded=recorded, sample=sample, report=tell)
        else:
            written = write_pages(pages, out, recorded=recorded, sample=sample, report=tell)
        for file in written:
            data(str(file.path))
            if png:
                picture = file.path.with_suffix(".png")
                write_picture(file.path, picture, height_px=file.height_px)
                data(str(picture))
    except ProblemsError as error:
        fail(error)
    except InvalidValueError as error:
        refuse(f"{error}")
    raise typer.Exit(FINE)
