"""`bedrock-monitor discover`: what is in the account, and does the configuration fit it? Reads AWS, writes one file."""

import json
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from monitoring.cli.aws_output import now_s, working
from monitoring.cli.output import FINE, FOUND, data, fail, refuse, tell
from monitoring.cli.places import ProfileOption, RoleOption

if TYPE_CHECKING:
    from monitoring.discovery import Account
    from monitoring.proposal import Proposal

__all__ = ["discover"]


class _Format(StrEnum):
    TEXT = "text"
    JSON = "json"


def discover(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="Configuration to begin or to complete; default BEDROCK_MONITOR_CONFIG, then ./monitoring.yaml.",
            show_default=False,
        ),
    ] = None,
    *,
    region: Annotated[
        list[str] | None, typer.Option("--region", metavar="REGION", help="Region to look at; may be repeated.")
    ] = None,
    profile: ProfileOption = None,
    role_arn: RoleOption = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit code 1 if the file does not fit.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the file instead of writing it.")] = False,
    output_format: Annotated[
        _Format, typer.Option("--format", help="Form of the report: text or json.")
    ] = _Format.TEXT,
) -> None:
    """Propose a monitoring.yaml from what is in the account, or add to one what is new.

    What you wrote stays: values, comments, order. What is gone or has drifted is told with the lines that settle it.
    Exit code 0: done, or it fits. 1: with --check, it does not fit. 2: called wrongly, wrong file, or AWS did not answer.
    """
    from cloudwatch.problems import ProblemsError  # noqa: PLC0415 - after --help
    from monitoring.atomic_file import replace_text  # noqa: PLC0415
    from monitoring.config import configuration_file  # noqa: PLC0415

    name = configuration_file(file)
    before = _read(name)
    if check and before is None:
        refuse(f"{name}: there is no such file to check.")
    wanted: list[str | None] = [*region] if region else [None]
    accounts = [_gathered(one, profile=profile, role_arn=role_arn) for one in wanted]
    text = None if before is None else before.removeprefix("\ufeff").replace("\r\n", "\n")
    proposals = []
    for account in accounts:
        proposal = _proposal(account, name=name, text=text)
        proposals.append((account, proposal))
        text = proposal.text
    if output_format is _Format.JSON:
        data(json.dumps([_row(*each) for each in proposals], indent=2))
    else:
        for account, proposal in proposals:
            _tell(account, proposal, check=check)
    if check:
        fits = all(proposal.matches for _, proposal in proposals)
        tell(f"{name}: fits the account." if fits else f"{name}: does not fit the account.")
        raise typer.Exit(FINE if fits else FOUND)
    text = _as_before(text or "", before)
    if dry_run:
        data(text)
        raise typer.Exit(FINE)
    if text == before:
        tell(f"{name}: nothing to add.")
        raise typer.Exit(FINE)
    try:
        replace_text(name, text, before=before)
    except ProblemsError as error:
        fail(error)
    tell(f"{name}: {'written' if before is None else 'completed'}. Check it with: bedrock-monitor validate {name}")


def _read(name: str) -> str | None:
    path = Path(name)
    if not path.exists():
        return None
    from monitoring.config import load_configuration  # noqa: PLC0415

    loaded = load_configuration(name)
    if loaded.errors:
        fail(loaded.errors)
    return path.read_bytes().decode("utf-8")


def _as_before(text: str, before: str | None) -> str:
    """Return the text with the line ends and the byte order mark that the file had."""
    if before is None:
        return text
    if "\r\n" in before:
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    return f"\ufeff{text}" if before.startswith("\ufeff") and not text.startswith("\ufeff") else text


def _gathered(region: str | None, *, profile: str | None, role_arn: str | None) -> "Account":
    from monitoring.live.discover import gather_account  # noqa: PLC0415 - boto3 is slow to import
    from monitoring.live.session import AwsError, Connection  # noqa: PLC0415

    connection = Connection(region=region, profile=profile, role_arn=role_arn)
    try:
        name = region or str(connection.client("cloudwatch").meta.region_name)
        with working(f"reading {name}") as progress:
            return gather_account(connection, region=name, now_s=now_s(), progress=progress)
    except AwsError as error:
        fail([error.problem])


def _proposal(account: "Account", *, name: str, text: str | None) -> "Proposal":
    from monitoring.config.load import load_text  # noqa: PLC0415
    from monitoring.proposal import new_file, propose  # noqa: PLC0415

    deployments = load_text(text, file=name).deployments if text is not None else ()
    proposal = propose(account, text=text if text is not None else new_file(account), deployments=deployments)
    problems = load_text(proposal.text, file=name).errors
    if problems:
        tell(f"{name}: the additions would not be valid together with what the file says; nothing was written.")
        fail(problems)
    return proposal


def _row(account: "Account", proposal: "Proposal") -> dict[str, object]:
    return {
        "account": account.account_id,
        "region": account.region,
        "added": proposal.added,
        "findings": [asdict(finding) for finding in proposal.findings],
        "notes": proposal.notes,
    }


def _tell(account: "Account", proposal: "Proposal", *, check: bool) -> None:
    data(f"Account {account.account_id} in {account.region}")
    for finding in proposal.findings:
        if finding.status == "wrong" and (check or finding.check != "account"):
            data(f"  DRIFT  {finding.check}: {finding.saw}")
            for line in finding.lines:
                data(f"             {line}")
    for added in proposal.added:
        data(f"  {'missing' if check else 'new  '}  {added}")
    for note in proposal.notes:
        data(f"  seen   {note}")
