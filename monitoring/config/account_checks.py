"""Can alarms, topics, keys and evidence of an account work where they are put?

Alarms notify topics of their own Region (CloudWatch User Guide, Notify users on alarm changes) and take five actions a state;
a trail's log group is in its home Region (CloudTrail User Guide, Sending events to CloudWatch Logs).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloudwatch.limits import ACTIONS_PER_STATE, TAGS
from monitoring.config.finder import Finder
from monitoring.config.merge import value_at
from monitoring.config.regions import KNOWN_REGIONS
from monitoring.config.settings import account_settings, partition_of
from monitoring.config.source import did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from monitoring.config.finder import Finding
    from monitoring.config.merge import Effective
    from monitoring.config.settings import ModelHere
    from monitoring.config.source import Path_

__all__ = ["AccountChecks"]

# Logs API, PutRetentionPolicy
# fmt: off
RETENTION_DAYS = (
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
)
# fmt: on


LONG_DELAY_S = 3600
LONGEST_DELAY_S = 20_000  # with the widest window that is not looked at more closely, a day is not passed


class AccountChecks(Finder):
    """Checks of accounts: Regions, targets, keys, evidence."""

    def regions(self, alias: str, account: dict[str, Any]) -> Iterator[Finding]:
        """Regions that are known, once in the list, in one partition; in_regions and tags that fit."""
        base: Path_ = ("accounts", alias)
        partitions = {partition_of(region) for region in account["regions"]}
        given = account.get("partition")
        for index, region in enumerate(account["regions"]):
            path: Path_ = (*base, "regions", index)
            if region in account["regions"][:index]:
                yield self.found(
                    path, "repeated-region", f"the Region {region} stands in the list twice.", "Remove one."
                )
            yield from self.known_region(path, region)
            if given is not None and partition_of(region) != given:
                message = f"{region} is in the partition {partition_of(region)}, not in {given}."
                yield self.found(path, "wrong-partition", message, "Remove 'partition': it follows from the Regions.")
        if given is None and len(partitions) > 1:
            message = f"the Regions of {alias} are in several partitions: {', '.join(sorted(partitions))}."
            hint = "An account is in one partition: write one account for each."
            yield self.found((*base, "regions"), "wrong-partition", message, hint)
        for region in account.get("in_regions") or {}:
            if region not in account["regions"]:
                message = f"in_regions names {region}, which is not a Region of {alias}."
                hint = f"Add it to regions, or use one of {', '.join(account['regions'])}."
                yield self.found((*base, "in_regions", region), "unknown-region", message, hint, of_key=True)
        tags = {**(self.data["organisation"].get("tags") or {}), **(account.get("tags") or {})}
        if len(tags) > TAGS:
            message = f"{alias} has {len(tags)} tags, AWS takes {TAGS}."
            yield self.found((*base, "tags"), "too-many-tags", message, "Remove some.")

    def known_region(self, path: Path_, region: str) -> Iterator[Finding]:
        """A Region of the right form that nobody knows."""
        if region in KNOWN_REGIONS:
            return
        close = did_you_mean(region, KNOWN_REGIONS)
        if close:
            yield self.warned(path, "unknown-region", f"the Region {shown(region)} is not known.", close)

    def key_arn(self, region: str, settings: Effective) -> Iterator[Finding]:
        """A key is in the Region of what it encrypts."""
        arn, path = settings.get("kms_key"), settings.path("kms_key")
        if arn is None or path is None or arn.split(":")[3] == region:
            return
        message = f"the key is in {arn.split(':')[3]}, the topics and log group that use it are in {region}."
        yield self.found(
            path, "wrong-region", message, f"Give the key of {region} under in_regions: {region}: kms_key."
        )

    def targets(self, base: Path_) -> Iterator[Finding]:
        """A severity that is named has a target."""
        for severity, target in (value_at(self.data, (*base, "notifications")) or {}).items():
            if target is not None and not target.get("topics") and not any((target.get("create") or {}).values()):
                path: Path_ = (*base, "notifications", severity)
                message = f"{severity} has no target: neither topics nor a subscriber in create."
                hint = "Add topics: [ARN] or create: {emails: [...]}."
                yield self.found(path, "no-target", message, hint, of_key=True)

    def chats(self, alias: str) -> Iterator[Finding]:
        """A chat configuration's name means one channel in an account."""
        channels: dict[str, str] = {}
        regions: Iterable[str] = self.data["accounts"][alias]["regions"]
        for region in regions:
            settings = account_settings(self.source, alias=alias, region=region)
            for key, chats in settings.values.items():
                if key[0] != "notifications" or key[2:] != ("create", "chat"):
                    continue
                for index, chat in enumerate(chats):
                    channel = f"{chat['workspace_id']} {chat['channel_id']}"
                    if channels.setdefault(chat["name"], channel) != channel:
                        path: Path_ = (*(settings.path(*key) or ()), index, "name")
                        message = f"the chat configuration {shown(chat['name'])} would be two channels of {alias}."
                        yield self.found(path, "chat-name", message, "Give each channel a name of its own.")

    def notifications(self, alias: str, region: str, settings: Effective) -> Iterator[Finding]:
        """One kind of target, topics that alarms can notify, and somebody to page."""
        account_id = str(self.data["accounts"][alias]["id"])
        given = [key for key in settings.values if key[0] == "notifications"]
        for severity in dict.fromkeys(key[1] for key in given):
            names = {key[2] for key in given if key[1] == severity}
            first = next(settings.path(*key) for key in given if key[1] == severity)
            path: Path_ = (first or ())[: (first or ()).index(severity) + 1]
            if {"topics", "create"} <= names:
                message = f"{severity} has both topics and create."
                yield self.found(
                    path, "two-targets", message, "Keep one: existing topics, or a created one.", of_key=True
                )
            if ("create", "chat") in {key[2:] for key in given} and partition_of(region) != "aws":
                where = settings.path("notifications", severity, "create", "chat")
                if where is not None:
                    message = f"CloudFormation has no chat configuration in {region} ({partition_of(region)})."
                    yield self.found(
                        where, "no-chat-here", message, "Use emails, https or existing topics.", of_key=True
                    )
            if "topics" in names:
                yield from self.topics(region, account_id, settings, severity)

    def reach(self, alias: str, region: str, settings: Effective, told: list[dict[str, str]], /) -> Iterator[Finding]:
        """Whoever is told by a severity that causes have; `told` has the severity of each cause of each model.

        Notes without a target are kept on pages: that is what a note is, unless a model asks for it.
        """
        given = {key[1] for key in settings.values if key[0] == "notifications"}
        for severity, consequence in (("page", "nobody is woken"), ("ticket", "nobody hears")):
            if severity in given or self._written(alias, region, severity):
                continue
            causes = list(dict.fromkeys(slug for model in told for slug in model if model[slug] == severity))
            if severity == "ticket" and told:
                causes.append("caller-errors")
            if severity == "ticket" and not causes:
                continue
            of = f" of {', '.join(causes)}" if causes else ""
            message = f"{alias} has no target for {severity}: {consequence}{of} in {region}."
            hint = f"Add notifications: {severity}: with topics or create."
            if severity == "ticket":
                hint += " Pages in CloudWatch show these causes all the same."
            yield self.warned(("accounts", alias), f"no-{severity}-target", message, hint, of_key=True)

    def _written(self, alias: str, region: str, severity: str) -> bool:
        """Whether any level names a target of the severity, right or wrong."""
        levels: tuple[Path_, ...] = (
            ("organisation", "defaults"),
            ("accounts", alias),
            ("accounts", alias, "in_regions", region),
        )
        return any(value_at(self.data, (*level, "notifications", severity)) is not None for level in levels)

    def topics(self, region: str, account_id: str, settings: Effective, severity: str, /) -> Iterator[Finding]:
        """Topics are in the Region of the alarms, not FIFO, and at most five."""
        arns: list[str] = settings.get("notifications", severity, "topics")
        path = settings.path("notifications", severity, "topics") or ()
        regions = self.data["accounts"][self._alias_of(path)]["regions"] if path[0] == "accounts" else None
        here = [arn for arn in arns if arn.split(":")[3] == region]
        for index, arn in enumerate(arns):
            topic_region, topic_account = arn.split(":")[3:5]
            if regions is not None and topic_region not in regions:
                message = f"the topic is in {topic_region}, where {self._alias_of(path)} has no alarms."
                hint = f"An alarm can only notify a topic of its own Region: {', '.join(regions)}."
                yield self.found((*path, index), "wrong-region", message, hint)
            elif topic_account != account_id:
                message = f"the topic belongs to account {topic_account}, the alarms to {account_id}."
                hint = "Its policy has to let cloudwatch.amazonaws.com of this account publish; bedrock-monitor does not set it."
                yield self.warned((*path, index), "other-account", message, hint)
            if arn.endswith(".fifo"):
                yield self.found(
                    (*path, index), "fifo-topic", "alarms cannot notify a FIFO topic.", "Use a standard topic."
                )
        if not here and (regions is None or any(arn.split(":")[3] in regions for arn in arns)):
            message = f"no topic for {severity} is in {region}: an alarm can only notify a topic of its own Region."
            yield self.found(path, "wrong-region", message, f"Add a topic of {region} to the list, or use create.")
        if len(here) > ACTIONS_PER_STATE:
            message = f"{len(here)} topics for {severity} in {region}; an alarm takes {ACTIONS_PER_STATE}."
            yield self.found(path, "too-many-topics", message, "Remove some.")

    @staticmethod
    def _alias_of(path: Path_) -> str:
        return str(path[1])

    def evidence(self, alias: str, region: str, settings: Effective, here: list[ModelHere], /) -> Iterator[Finding]:
        """A route has what it needs, in the Region where it works."""
        evidence = settings.group("evidence")
        route = evidence.get("route", "eventbridge")
        path = settings.path("evidence", "route") or ("accounts", alias)
        of_key = path == ("accounts", alias)
        if route in {"trail", "invocation_log"} and "log_group" not in evidence:
            message = f"route {route} needs the log group that is written already."
            yield self.found(path, "no-log-group", message, "Add evidence: log_group: NAME.")
        if route == "trail":
            home = evidence.get("trail_home_region")
            if home is None:
                message = "route trail needs the home Region of the trail: its log group is there."
                yield self.found(path, "no-home-region", message, "Add evidence: trail_home_region: REGION.")
            elif home != region:
                message = (
                    f"route trail cannot be used in {region}: the log group of the trail is in its home Region {home}, "
                    "and the trail must log read and write management events."
                )
                hint = f"Write in_regions: {region}: evidence: route: eventbridge under {alias}."
                yield self.found(path, "trail-elsewhere", message, hint)
        days = evidence.get("retention_days")
        if days is not None and days not in RETENTION_DAYS:
            nearest = next((allowed for allowed in RETENTION_DAYS if allowed > days), RETENTION_DAYS[-1])
            message = f"CloudWatch Logs has no retention of {days} days."
            where = settings.path("evidence", "retention_days") or path
            yield self.found(where, "retention", message, f"Write {nearest}, the next longer one.")
        delay = evidence.get("expected_delay_s", 0)
        where = settings.path("evidence", "expected_delay_s") or path
        if delay > LONGEST_DELAY_S:
            message = f"no alarm can wait {delay} s for evidence: CloudWatch looks at a day at most."
            yield self.found(where, "delay-too-long", message, "Write seconds: CloudTrail delivers within about 900.")
        elif delay > LONG_DELAY_S:
            message = f"a slower model pages only after {delay / 3600:.2g} h: it waits for evidence that long."
            yield self.warned(where, "long-delay", message, "Write seconds: CloudTrail delivers within about 900.")
        if route == "none":
            for model in here:
                if model.effective.get("latency") == "optimized":
                    message = (
                        f"fallback cannot be seen: {model.key} asks for optimized, and the evidence route is none."
                    )
                    yield self.warned(path, "fallback-unseen", message, "Use route eventbridge.", of_key=of_key)
