"""`bedrock-monitor lint`: faults in alarms, metric filters and dashboards from any source."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from monitoring.cli.output import FINE, FOUND, USAGE, data, fail, refuse, tell
from monitoring.lint.report import LintFormat

__all__ = ["lint_files"]


def lint_files(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Templates, a cdk.out folder, terraform show -json, describe-alarms, dashboards, or a configuration.",
        ),
    ],
    *,
    config: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Configuration with a section lint; default BEDROCK_MONITOR_CONFIG, then ./monitoring.yaml.",
        ),
    ] = None,
    base: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE_OR_FOLDER", help="Earlier version: report only what changed since."),
    ] = None,
    output_format: Annotated[
        LintFormat,
        typer.Option("--format", help="text for people, json for programs, sarif for code hosts, junit for builds."),
    ] = LintFormat.TEXT,
) -> None:
    """Find faults in alarms, metric filters and dashboards, without an AWS account.

    Exit code 0: no bug (there may be risks and style). 1: bugs. 2: called wrongly, or no such file.
    """
    from cloudwatch.problems import ProblemsError  # noqa: PLC0415 - after --help
    from monitoring.audit_findings import LIVE_CHECKS  # noqa: PLC0415
    from monitoring.lint.finding import Severity  # noqa: PLC0415
    from monitoring.lint.registry import CHECKS  # noqa: PLC0415
    from monitoring.lint.report import rendered, summary  # noqa: PLC0415
    from monitoring.lint.run import lint  # noqa: PLC0415
    from monitoring.lint.settings import LintSettings, load_settings  # noqa: PLC0415

    given = config or os.environ.get("BEDROCK_MONITOR_CONFIG")
    if given is None and Path("monitoring.yaml").is_file():
        given = "monitoring.yaml"
    try:
        settings = (
            load_settings(given, checks=[*(check.name for check in CHECKS), *LIVE_CHECKS]) if given else LintSettings()
        )
    except ProblemsError as error:
        fail(error)
    for path in base or ():
        if not Path(path).exists():
            refuse(f"--base {path}: there is no such file or folder.")
    report = lint(files, today=datetime.now(UTC).date(), settings=settings, base=base or ())
    for message in report.missing:
        tell(f"bedrock-monitor: {message}")
    if report.findings or output_format is not LintFormat.TEXT:
        data(rendered(report, output_format))
    tell(f"{summary(report)}.")
    raise typer.Exit(USAGE if report.missing else FOUND if report.count(Severity.BUG) else FINE)
