"""Which lines of monitoring.yaml does an account ask for? A new file, or what is missing in one that people have edited.

Nothing that stands in the file is changed: missing accounts, Regions, models, ids, quotas and baselines are added, each with
its source as a comment; what is gone or has drifted is reported with the lines that would settle it, and left alone.
Objectives are promises to users, so they are suggested for new models only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bedrock.evidence import EvidenceRoute
from monitoring.additions import FEWEST_HOURS, Additions, measured_here, quotas_here
from monitoring.config.editing import EditableSource
from monitoring.discovery import model_key
from monitoring.drift import Finding, Seen, Status, decide_drift

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from monitoring.deployment import Deployment
    from monitoring.discovery import Account

__all__ = ["Proposal", "new_file", "propose"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What would be written, and what was seen.

    Attributes:
        text: The file with additions; the given text where there are none.
        added: What was added, one sentence each.
        findings: What was compared, before the additions.
        notes: What else was found and where nothing is decided, one sentence each.
    """

    text: str
    added: tuple[str, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]

    @property
    def matches(self) -> bool:
        """Whether the configuration fits the account."""
        return not any(finding.status is Status.WRONG for finding in self.findings)


def new_file(account: Account) -> str:
    """Return the beginning of a file that has no account yet."""
    return (
        "# Proposed by bedrock-monitor discover from what was found in the account; every value says where it comes from.\n"
        "# Edit it: running discover again keeps what you write and only adds what is new.\n"
        "organisation:\n"
        f"  name: {model_key(account.name or 'my-organisation', taken=())}\n"
        "accounts: {}\n"
    )


def propose(account: Account, *, text: str, deployments: Sequence[Deployment]) -> Proposal:
    """Return a file that fits an account.

    Args:
        account: What was found.
        text: The file as it is, without errors, or `new_file`.
        deployments: What it deploys everywhere.
    """
    here = next(
        (
            each
            for each in deployments
            if (each.site.account_id, each.site.region) == (account.account_id, account.region)
        ),
        None,
    )
    work = Additions(account=account, source=EditableSource(text), deployments=deployments)
    findings = tuple(_drifts(account, here)) if here is not None else (_not_there(account),)
    if here is None:
        work.add_place()
    for model in here.models if here is not None else ():
        work.fill(model)
    work.add_models(here)
    return Proposal(
        text=work.source.text(), added=tuple(work.added), findings=findings, notes=(*work.notes, *_notes(account))
    )


def _drifts(account: Account, here: Deployment) -> Iterator[Finding]:
    uses = {model.key: measured_here(account, model) for model in here.models}
    quotas = {model.key: {each.key: each.quota.value for each in quotas_here(account, model)} for model in here.models}
    seen = Seen(
        measured={key: use for key, use in uses.items() if use.hours >= FEWEST_HOURS},
        quotas=quotas if account.quotas is not None else {},
        metrics=account.metrics,
        source=f"measured in {account.days} days",
    )
    yield from decide_drift(here, seen=seen)
    known = None if account.topics is None else set(account.topics)
    for target in here.notifications:
        for arn in target.topic_arns:
            same = arn.split(":")[3:5] == [account.region, account.account_id]
            if known is not None and same and arn not in known:
                yield _wrong(f"{target.severity} topic", f"{arn} does not exist", "Create it, or name another one.")
    from_trail = {EvidenceRoute.EVENTBRIDGE, EvidenceRoute.RULE_COUNTERS, EvidenceRoute.TRAIL}
    trails = account.trails
    if trails is not None and here.evidence.route in from_trail and not any(each.usable for each in trails):
        yield _wrong(
            "trail",
            "no trail logs management events here, so evidence from CloudTrail never arrives",
            "Create one (read and write management events), or route none to say so.",
        )
    if account.invocation_log_group == "" and here.evidence.route is EvidenceRoute.INVOCATION_LOG:
        yield _wrong("invocation logging", "it is off in the account", "Turn it on, or take another route.")


def _not_there(account: Account) -> Finding:
    return _wrong("account", f"{account.account_id} in {account.region} is not in the file", "Add it.")


def _wrong(check: str, saw: str, do: str, /) -> Finding:
    return Finding(check=check, status=Status.WRONG, saw=saw, do=do)


def _notes(account: Account) -> Iterator[str]:
    for arn in account.topics or ():
        yield f"topic {arn} could be the target of a severity"
    for trail in account.trails or ():
        where = f", log group {trail.log_group}" if trail.log_group else ""
        state = "logs" if trail.logging else "does NOT log"
        kind = "management events" if trail.management else "no management events"
        yield f"trail {trail.name} {state} {kind}{where}"
    if account.invocation_log_group is not None:
        where = account.invocation_log_group
        yield f"model invocation logging goes to {where}" if where else "model invocation logging to a log group is off"
    for asked, served in sorted(account.tiers):
        yield f"service tier {asked} is published, served as {served}"
    yield from account.problems
