"""Which topics, subscribers and chat configurations does an account need in a Region, and which key protects them?

Severities that name existing topics create nothing. A chat configuration belongs to a whole account (one channel cannot be
configured twice in it), so it lives in the stack of the account's first Region and reads the topics of all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from alarms.naming import key_alias, topic_arn, topic_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from alarms.alarm_set import Severity
    from alarms.naming import Site
    from monitoring.deployment import Deployment, HttpsTarget

__all__ = ["ChatPlan", "KeyPlan", "NotifyPlan", "TopicPlan", "notify_plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicPlan:
    """A topic that is created.

    Attributes:
        severity: What it carries.
        name: TopicName.
        arn: Known before the topic exists.
        display_name: Sender that subscribers see.
        emails: E-mail subscribers; each confirms once.
        https: HTTPS subscribers, URL in Secrets Manager.
    """

    severity: Severity
    name: str
    arn: str
    display_name: str
    emails: tuple[str, ...] = ()
    https: tuple[HttpsTarget, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatPlan:
    """One Slack channel of an account and every topic it reads, over all Regions of the account."""

    name: str
    workspace_id: str
    channel_id: str
    topic_arns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPlan:
    """A key that is created.

    Attributes:
        alias: Its alias.
        log_group: Name of the log group that CloudWatch Logs may encrypt with it, or None.
    """

    alias: str
    log_group: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NotifyPlan:
    """Everything that carries a notification out of one account and Region.

    Attributes:
        topics: Topics that are created, in the order page, ticket, note.
        chats: Chat configurations that live in this stack.
        key: The key that is created, or None.
        existing_key_arn: The key that is used instead, or None.
        chat_regions: Other Regions whose topics the chats read: their stacks are deployed first.
    """

    topics: tuple[TopicPlan, ...] = ()
    chats: tuple[ChatPlan, ...] = ()
    key: KeyPlan | None = None
    existing_key_arn: str | None = None
    chat_regions: tuple[str, ...] = ()


def notify_plan(
    deployment: Deployment, *, account: Sequence[Deployment] = (), encrypted_log_group: str | None = None
) -> NotifyPlan:
    """Return what is created here.

    Args:
        deployment: The account and Region.
        account: All Regions of that account in configuration order, this one among them; empty means this one alone.
        encrypted_log_group: Name of a log group that is created here and encrypted with the key, or None.
    """
    regions = tuple(account) or (deployment,)
    topics = _topics(deployment)
    wants_key = deployment.kms_key_arn is None and (topics or encrypted_log_group is not None)
    at_home = regions[0].site == deployment.site
    chats = _chats(regions) if at_home else ()
    return NotifyPlan(
        topics=topics,
        chats=chats,
        key=KeyPlan(alias=key_alias(deployment.site), log_group=encrypted_log_group) if wants_key else None,
        existing_key_arn=deployment.kms_key_arn,
        chat_regions=_other_regions(regions, home=deployment.site) if chats else (),
    )


def _topics(deployment: Deployment) -> tuple[TopicPlan, ...]:
    site = deployment.site
    return tuple(
        TopicPlan(
            severity=target.severity,
            name=topic_name(site, target.severity),
            arn=topic_arn(site, target.severity),
            display_name=f"Bedrock {target.severity} {site.alias}"[:100],
            emails=target.emails,
            https=target.https,
        )
        for target in deployment.notifications
        if target.creates_topic
    )


def _chats(regions: Iterable[Deployment]) -> tuple[ChatPlan, ...]:
    found: dict[tuple[str, str], ChatPlan] = {}
    for region in regions:
        for target in region.notifications:
            for chat in target.chat if target.creates_topic else ():
                key = (chat.workspace_id, chat.channel_id)
                known = found[key].topic_arns if key in found else ()
                arn = topic_arn(region.site, target.severity)
                found[key] = ChatPlan(
                    name=found[key].name if key in found else chat.name,
                    workspace_id=chat.workspace_id,
                    channel_id=chat.channel_id,
                    topic_arns=known if arn in known else (*known, arn),
                )
    return tuple(found.values())


def _other_regions(regions: Iterable[Deployment], *, home: Site) -> tuple[str, ...]:
    return tuple(
        region.site.region
        for region in regions
        if region.site != home and any(target.chat and target.creates_topic for target in region.notifications)
    )
