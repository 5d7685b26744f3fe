"""`bedrock-monitor review`: how was the week? Live, from a recording, or simulated."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from monitoring.cli.output import FINE, FOUND, data, fail, refuse, tell
from monitoring.cli.places import (
    AccountOption,
    FileArgument,
    ProfileOption,
    RegionOption,
    RoleOption,
    connect,
    planned_place,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from monitoring.live.session import Connection
    from monitoring.plan import Plan
    from monitoring.review.report import Review
    from monitoring.review.sources import Fortnight
    from monitoring.review.week import Week

__all__ = ["review"]


def review(
    file: FileArgument = None,
    *,
    week: Annotated[
        str | None, typer.Option(metavar="WEEK", help="ISO week, for example 2026-W48; default: the last whole one.")
    ] = None,
    timezone: Annotated[
        str, typer.Option(metavar="ZONE", help="Time zone of its days, for example Europe/Berlin.")
    ] = "UTC",
    out: Annotated[str, typer.Option(metavar="DIR", help="Folder for the page and the Markdown.")] = ".",
    account: AccountOption = None,
    region: RegionOption = None,
    recording: Annotated[
        str | None, typer.Option(metavar="DIR", help="Read a recording instead of an account.")
    ] = None,
    simulated: Annotated[bool, typer.Option("--simulate", help="Show a simulated fortnight.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the simulation.")] = 0,
    publish: Annotated[bool, typer.Option("--publish", help="Also write the week as a frozen dashboard.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Write the dashboard without asking.")] = False,
    profile: ProfileOption = None,
    role_arn: RoleOption = None,
) -> None:
    """Review a week of one account and Region: a page and Markdown, for a meeting of five minutes.

    Reads only, unless --publish is given: that writes one dashboard for the week, and says which before it does. Exit code 0:
    written. 1: written, and part of the week could not be seen. 2: called wrongly, or nothing can be read.
    """
    from cloudwatch.problems import InvalidValueError, ProblemsError  # noqa: PLC0415 - after --help
    from monitoring.review.report import build_review  # noqa: PLC0415
    from monitoring.review.week import parse_week, week_before  # noqa: PLC0415

    if recording is not None and simulated:
        refuse("--recording and --simulate exclude each other.")
    if publish and (recording is not None or simulated):
        refuse("--publish writes what the account's own metrics say; it goes with neither --recording nor --simulate.")
    deployment, plan = planned_place(file, account=account, region=region)
    try:
        chosen = parse_week(week or _last_week(datetime.now(tz=UTC)), zone=timezone)
        weeks = (chosen, week_before(chosen))
        connection = None
        quotas: Mapping[str, Mapping[str, float]] = {}
        if recording is not None or simulated:
            fortnight = _offline(plan, weeks, recording=recording, seed=seed)
        else:
            connection = connect(deployment, profile=profile, role_arn=role_arn)
            fortnight, quotas = _live(plan, weeks, connection=connection)
        found = build_review(
            plan,
            weeks=weeks,
            this=fortnight.this,
            last=fortnight.last,
            history=fortnight.history,
            quotas=quotas,
            missing=fortnight.missing,
            source=fortnight.source,
        )
    except ProblemsError as error:
        fail(error)
    except InvalidValueError as error:
        refuse(f"{error}.")
    _write(found, out=Path(out))
    tell(found.headline)
    for each in found.missing:
        tell(f"not seen: {each}")
    if publish and connection is not None:
        _publish(found, connection=connection, yes=yes)
    raise typer.Exit(FOUND if found.missing else FINE)


def _offline(plan: Plan, weeks: tuple[Week, Week], *, recording: str | None, seed: int) -> Fortnight:
    from monitoring.review.sources import recorded_fortnight, simulated_fortnight  # noqa: PLC0415 - numpy

    if recording is None:
        return simulated_fortnight(plan, weeks=weeks, seed=seed)
    from monitoring.dataset import read_dataset  # noqa: PLC0415 - pyarrow

    return recorded_fortnight(read_dataset(recording), plan=plan, weeks=weeks)


def _live(
    plan: Plan, weeks: tuple[Week, Week], *, connection: Connection
) -> tuple[Fortnight, Mapping[str, Mapping[str, float]]]:
    from dataclasses import replace  # noqa: PLC0415

    from monitoring.live.review import gather_fortnight, gather_quotas  # noqa: PLC0415 - boto3
    from monitoring.live.session import AwsError  # noqa: PLC0415

    now_s = int(datetime.now(tz=UTC).timestamp())
    if now_s <= weeks[0].start_s:
        refuse(f"{weeks[0].name} has not begun.")
    try:
        found = gather_fortnight(
            connection, plan=plan, weeks=weeks, now_s=now_s, progress=lambda what: tell(f"reading {what} ...")
        )
    except AwsError as error:
        fail([error.problem])
    try:
        return found, gather_quotas(connection, models=[each.model for each in plan.models])
    except AwsError as error:
        return replace(found, missing=(*found.missing, f"quotas: {error.problem.message}")), {}


def _write(found: Review, *, out: Path) -> None:
    from monitoring.review.render import as_html, as_markdown  # noqa: PLC0415 - jinja2

    site = found.plan.deployment.site
    stem = f"review-{site.alias}-{site.region}-{found.week.name}"
    try:
        out.mkdir(parents=True, exist_ok=True)
        for suffix, text in (("html", as_html(found)), ("md", as_markdown(found))):
            path = out / f"{stem}.{suffix}"
            path.write_text(text, encoding="utf-8")
            data(str(path))
    except OSError as error:
        refuse(f"{out} cannot be written: {error.strerror}.")


def _publish(found: Review, *, connection: Connection, yes: bool) -> None:
    from monitoring.live.review import publish  # noqa: PLC0415 - boto3
    from monitoring.live.session import AwsError  # noqa: PLC0415
    from monitoring.review.publish import frozen_pages  # noqa: PLC0415

    pages = frozen_pages(found)
    for page in pages:
        tell(
            f"Writes dashboard {page.name} in account {found.plan.deployment.site.account_id} (replaced if it exists)."
        )
    if not yes and not typer.confirm("Write?", default=False, err=True):
        tell("Nothing was written to the account.")
        return
    try:
        for name in publish(connection, pages=pages):
            tell(f"written: {name}")
    except AwsError as error:
        fail([error.problem])


def _last_week(now: datetime) -> str:
    year, week, _ = (now - timedelta(days=7)).isocalendar()
    return f"{year}-W{week:02d}"
