"""`bedrock-monitor triage`: somebody was called. What is it? Live, or at a moment of a recording."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from monitoring.cli.output import FINE, FOUND, data, fail, refuse
from monitoring.cli.places import AccountOption, ProfileOption, RegionOption, RoleOption, connect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alarms.alarm_set import AlarmEntry
    from monitoring.deployment import Deployment
    from monitoring.plan import ModelPlan, Plan
    from monitoring.triage.snapshot import Snapshot

__all__ = ["triage"]


class _Format(StrEnum):
    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


def triage(
    alarm: Annotated[
        str | None,
        typer.Argument(metavar="ALARM", help="Name of the alarm; left out with --model.", show_default=False),
    ] = None,
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="Configuration; default BEDROCK_MONITOR_CONFIG, then ./monitoring.yaml.",
            show_default=False,
        ),
    ] = None,
    *,
    model: Annotated[str | None, typer.Option(metavar="KEY", help="Key of the model, in place of an alarm.")] = None,
    account: AccountOption = None,
    region: RegionOption = None,
    recording: Annotated[str | None, typer.Option(metavar="DIR", help="Look at a recording instead.")] = None,
    at: Annotated[
        str | None, typer.Option(metavar="TIME", help="Moment of the recording, 2026-11-02T09:35Z; default: its end.")
    ] = None,
    output_format: Annotated[_Format, typer.Option("--format", help="text, json or markdown.")] = _Format.TEXT,
    profile: ProfileOption = None,
    role_arn: RoleOption = None,
) -> None:
    """Say what is wrong, how that is known, what it is not, who is affected, and what to do first. Reads only.

    Exit code 0: no cause is in ALARM. 1: one is. 2: called wrongly, or nothing can be read.
    """
    from cloudwatch.problems import InvalidValueError, ProblemsError  # noqa: PLC0415 - after --help
    from monitoring.config import configuration_file, load_deployments  # noqa: PLC0415
    from monitoring.triage.render import as_json, as_markdown, as_text  # noqa: PLC0415
    from monitoring.triage.report import triage as answer  # noqa: PLC0415

    if model is not None and alarm is not None:
        if file is not None:
            refuse("name an alarm or a model with --model, not both.")
        alarm, file = None, alarm  # the one argument beside --model is the file
    if model is None and alarm is None:
        refuse("name the alarm that called, or a model with --model.")
    if at is not None and recording is None:
        refuse("--at goes with --recording.")
    name = configuration_file(file)
    try:
        deployment, plan, chosen, focus = _find(
            load_deployments(name), alarm=alarm, model=model, account=account, region=region
        )
        if recording is not None:
            snapshot = _recorded(recording, plan, chosen, focus=focus, at=at)
        else:
            snapshot = _live(deployment, plan, chosen, focus=focus, profile=profile, role_arn=role_arn)
        found = answer(snapshot)
    except ProblemsError as error:
        fail(error)
    except InvalidValueError as error:
        refuse(f"{error}.")
    printer = {_Format.TEXT: as_text, _Format.JSON: as_json, _Format.MARKDOWN: as_markdown}[output_format]
    data(printer(found))
    raise typer.Exit(FINE if found.cause is None else FOUND)


def _find(
    deployments: Sequence[Deployment], *, alarm: str | None, model: str | None, account: str | None, region: str | None
) -> tuple[Deployment, Plan, ModelPlan, AlarmEntry | None]:
    from monitoring.plan import plan as plan_for  # noqa: PLC0415

    fitting = [
        each
        for each in deployments
        if account in {None, each.site.alias, each.site.account_id} and region in {None, each.site.region}
    ]
    found: list[tuple[Deployment, Plan, ModelPlan, AlarmEntry | None]] = []
    known: list[str] = []
    for deployment in fitting:
        if model is not None and model not in {each.key for each in deployment.models}:
            known += [each.key for each in deployment.models]
            continue
        plan = plan_for(deployment)
        for each in plan.models:
            entries = {entry.alarm.name: entry for entry in each.alarms}
            known += entries if alarm is not None else [each.model.key]
            if each.model.key == model or (alarm is not None and alarm in entries):
                found.append((deployment, plan, each, None if alarm is None else entries[alarm]))
        account_wide = {entry.alarm.name: entry for entry in plan.alarms}
        if alarm is not None and alarm in account_wide and plan.models:
            found.append((deployment, plan, plan.models[0], account_wide[alarm]))
    if len(found) == 1:
        return found[0]
    if found:
        places = ", ".join(f"{each.site.alias} in {each.site.region}" for each, *_ in found)
        refuse(f"{alarm or model} is in several places ({places}): say which with --account and --region.")
    return _unknown(alarm or model or "", known)


def _unknown(name: str, known: Sequence[str]) -> NoReturn:
    from difflib import get_close_matches  # noqa: PLC0415

    close = get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f" Did you mean {close[0]}?" if close else ""
    refuse(f"the configuration has no {name!r} there.{hint}")


def _recorded(folder: str, plan: Plan, model: ModelPlan, *, focus: AlarmEntry | None, at: str | None) -> Snapshot:
    from cloudwatch.problems import InvalidValueError  # noqa: PLC0415
    from monitoring.dataset import read_dataset  # noqa: PLC0415 - pyarrow
    from monitoring.triage.offline import recorded_snapshot  # noqa: PLC0415 - numpy

    dataset = read_dataset(folder)
    moment = dataset.end_s
    if at is not None:
        try:
            parsed = datetime.fromisoformat(at)
        except ValueError:
            raise InvalidValueError(f"--at {at!r} is no time; write 2026-11-02T09:35Z") from None
        if parsed.tzinfo is None:
            raise InvalidValueError(f"--at {at!r} has no time zone; write {at}Z for UTC")
        moment = int(parsed.timestamp())
    return recorded_snapshot(dataset, plan=plan, model=model, at_s=moment, focus=focus)


def _live(
    deployment: Deployment,
    plan: Plan,
    model: ModelPlan,
    *,
    focus: AlarmEntry | None,
    profile: str | None,
    role_arn: str | None,
) -> Snapshot:
    from monitoring.live.session import AwsError  # noqa: PLC0415 - boto3
    from monitoring.live.triage import gather_snapshot  # noqa: PLC0415

    connection = connect(deployment, profile=profile, role_arn=role_arn)
    try:
        return gather_snapshot(
            connection, plan=plan, model=model, now_s=int(datetime.now(tz=UTC).timestamp()), focus=focus
        )
    except AwsError as error:
        fail([error.problem])
