"""What is deployed where? The configuration after merging, one value for each account and Region.

`monitoring.config` makes it from YAML; `monitoring.plan` turns it into alarms, pages and evidence; stacks render it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from alarms.alarm_set import Profile, Severity
    from alarms.naming import Site
    from bedrock.evidence import EvidenceSettings
    from bedrock.models import MonitoredModel

__all__ = ["ChatTarget", "Deployment", "HttpsTarget", "Notification"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpsTarget:
    """An HTTPS endpoint whose URL is kept in Secrets Manager.

    Attributes:
        secret_arn: Name or ARN of the secret.
        json_key: Key inside the secret's JSON, or None for the whole string.
    """

    secret_arn: str
    json_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTarget:
    """An Amazon Q Developer in chat applications configuration for Slack.

    Attributes:
        name: Name of the chat configuration.
        workspace_id: Slack workspace id.
        channel_id: Slack channel id.
    """

    name: str
    workspace_id: str
    channel_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """Where one severity goes: existing topics, or a topic that is created with its subscribers.

    Attributes:
        severity: Page, ticket or note.
        topic_arns: Existing topics (1 to 5), used as they are; empty when a topic is created.
        emails: E-mail subscribers of the created topic.
        https: HTTPS subscribers of the created topic.
        chat: Chat configurations that read the created topic.
        ok_actions: Whether recovery is announced too.
    """

    severity: Severity
    topic_arns: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    https: tuple[HttpsTarget, ...] = ()
    chat: tuple[ChatTarget, ...] = ()
    ok_actions: bool = True

    @property
    def creates_topic(self) -> bool:
        """Whether a topic is created."""
        return not self.topic_arns


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """One account in one Region with everything that is watched there.

    Attributes:
        site: Where, and how names start.
        organisation: Name of the organisation.
        models: Effective models in this Region, in configuration order.
        evidence: How evidence is read here.
        notifications: One for each severity that has targets, in the order page, ticket, note.
        profile: Default or lean.
        tags: Pairs of key and value on every resource that takes tags.
        bootstrap_qualifier: CDK bootstrap qualifier, or None for CDK's default.
        permissions_boundary: Name of an IAM policy set on every role that is created, or None.
        kms_key_arn: Existing key for topics and log group, or None to create one.
        log_resource_policy: False when the account already lets EventBridge write to the log group.
        cache_metrics: Names of the cache read and cache write metrics in AWS/Bedrock.
    """

    site: Site
    organisation: str
    models: tuple[MonitoredModel, ...]
    evidence: EvidenceSettings
    notifications: tuple[Notification, ...]
    profile: Profile
    tags: tuple[tuple[str, str], ...] = ()
    bootstrap_qualifier: str | None = None
    permissions_boundary: str | None = None
    kms_key_arn: str | None = None
    log_resource_policy: bool = True
    cache_metrics: tuple[str, str] = ("CacheReadInputTokenCount", "CacheWriteInputTokenCount")

    def notification(self, severity: Severity) -> Notification | None:
        """Return the targets of a severity, or None."""
        return next((target for target in self.notifications if target.severity is severity), None)
