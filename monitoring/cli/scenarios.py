"""`bedrock-monitor test` and `explain`: unit tests of alarms, without an AWS account."""

from pathlib import Path
from typing import Annotated

import typer

from monitoring.cli.output import FINE, FOUND, USAGE, data, fail, refuse, tell
from monitoring.problem_output import OutputFormat

__all__ = ["explain_alarm", "run_tests"]


def run_tests(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Scenario files, or folders of them.")],
    *,
    strict: Annotated[bool, typer.Option("--strict", help="Fragile verdicts fail too.")] = False,
    output_format: Annotated[
        OutputFormat, typer.Option("--format", help="text for people, json for programs, junit for build servers.")
    ] = OutputFormat.TEXT,
) -> None:
    """Run scenarios through an exact model of CloudWatch and compare states and notifications.

    Exit code 0: every claim holds. 1: one does not. 2: called wrongly, or a scenario cannot be run.
    """
    from cloudwatch.problems import ProblemsError  # noqa: PLC0415 - after --help
    from monitoring.cli.output import problems_text  # noqa: PLC0415
    from monitoring.scenario import report  # noqa: PLC0415
    from monitoring.scenario.document import load_scenario  # noqa: PLC0415
    from monitoring.scenario.run import Outcome, run_scenario  # noqa: PLC0415

    outcomes: list[Outcome] = []
    broken: list[report.Broken] = []
    for file in _scenario_files(files):
        try:
            outcomes.append(run_scenario(load_scenario(file)))
        except ProblemsError as error:
            broken.append(report.Broken(file=str(file), problems=error.problems))
            continue
        if output_format is OutputFormat.TEXT:
            data(report.as_text(outcomes[-1:], strict=strict))
    if output_format is OutputFormat.JSON:
        data(report.as_json(outcomes, broken, strict=strict))
    elif output_format is OutputFormat.JUNIT:
        data(report.as_junit(outcomes, broken, strict=strict))
    for each in broken:
        tell(problems_text(each.problems))
    failed = sum(bool(outcome.failures or (strict and outcome.fragile)) for outcome in outcomes)
    cannot = f", {len(broken)} cannot be run" if broken else ""
    tell(f"{len(outcomes) - failed} passed, {failed} failed{cannot}")
    raise typer.Exit(USAGE if broken else FOUND if failed else FINE)


def explain_alarm(
    scenario: Annotated[str, typer.Argument(metavar="SCENARIO", help="A scenario file.")],
    alarm: Annotated[str, typer.Argument(metavar="ALARM", help="AlarmName or logical id.")],
    *,
    at: Annotated[str, typer.Option("--at", metavar="T", help="Time after the start, for example +35m.")],
) -> None:
    """Show one evaluation of one alarm step by step: what it saw, what counted, what follows."""
    from cloudwatch.problems import InvalidValueError, ProblemsError  # noqa: PLC0415 - after --help
    from monitoring.durations import parse_duration, print_duration  # noqa: PLC0415
    from monitoring.scenario.document import load_scenario  # noqa: PLC0415
    from monitoring.scenario.report import explained  # noqa: PLC0415
    from monitoring.scenario.run import alarm_hint, replay  # noqa: PLC0415

    try:
        offset_s = parse_duration(at)
        timeline, names = replay(load_scenario(scenario))
    except InvalidValueError as error:
        if isinstance(error, ProblemsError):
            fail(error)
        refuse(f"--at: {error}.")
    except ProblemsError as error:
        fail(error)
    name = alarm if alarm in timeline.alarms else names.get(alarm, alarm)
    if name not in timeline.alarms:
        refuse(f"there is no alarm {alarm!r}. {alarm_hint(alarm, list(timeline.alarms))}")
    at_s = timeline.start_s + offset_s
    if at_s > timeline.end_s:
        refuse(
            f"--at {at} lies after the end of the scenario, which lasts {print_duration(timeline.end_s - timeline.start_s)}."
        )
    data(explained(timeline, alarm=name, at_s=at_s))


def _scenario_files(files: list[str]) -> list[Path]:
    found: list[Path] = []
    for file in map(Path, files):
        inside = sorted([*file.rglob("*.yaml"), *file.rglob("*.yml")]) if file.is_dir() else [file]
        if not inside:
            refuse(f"{file} is a folder without scenario files (*.yaml).")
        found += inside
    return found
