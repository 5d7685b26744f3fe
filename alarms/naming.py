"""What is everything called? Every name that a deployment creates, from keys alone.

Keys match `[a-z][a-z0-9-]{0,39}`. Nothing else in the project joins names, so reordering a configuration or adding a model
renames nothing, and `collisions` sees every clash: of the joined names, and of CloudFormation logical ids, which drop
hyphens (`a-b` + `c` against `a` + `b-c`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "CAUSES",
    "FLEET",
    "SYMPTOMS",
    "WEEKLY",
    "Collision",
    "Site",
    "alarm_name",
    "collisions",
    "dashboard_name",
    "key_alias",
    "log_group_name",
    "log_policy_name",
    "logical_id",
    "metric_namespace",
    "rule_prefix",
    "stack_name",
    "topic_arn",
    "topic_name",
]

FLEET = "fleet"
WEEKLY = "weekly"

# Slugs never change: they name alarms, runbooks and the rows of reports.
CAUSES = (
    "throttled",
    "throttled-by-reservation",
    "fallback",
    "fallback-share",
    "fallback-and-throttling",
    "slow-decode",
    "request-shape",
    "service-errors",
    "caller-errors",
    "blind",
    "tier-overflow",
    "no-traffic",
)
SYMPTOMS = (
    "decode-rate",
    "ttft-objective",
    "latency-objective",
    "prefill-size",
    "quota-use",
    "answer-length",
    "cache-hit",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One account in one Region: where alarms and pages live.

    Attributes:
        prefix: First part of names, default `llm`.
        alias: Alias of the account in the configuration; carries the stage, unique.
        account_id: Twelve digits, as text.
        region: For example `us-east-1`.
        partition: `aws`, `aws-us-gov` or `aws-cn`.
    """

    prefix: str
    alias: str
    account_id: str
    region: str
    partition: str = "aws"

    @property
    def console(self) -> str:
        """Host of the AWS console of the partition, with scheme, without a slash at the end."""
        host = {
            "aws": f"{self.region}.console.aws.amazon.com",
            "aws-us-gov": "console.amazonaws-us-gov.com",
            "aws-cn": "console.amazonaws.cn",
        }[self.partition]
        return f"https://{host}"


def alarm_name(site: Site, *, model: str | None, slug: str) -> str:
    """Return `<prefix>-<alias>-<model>-<slug>`; account-wide alarms (`model` None) leave the model out."""
    return "-".join(part for part in (site.prefix, site.alias, model, slug) if part)


def dashboard_name(site: Site, page: str) -> str:
    """Return the name of a page: `page` is a model key, `FLEET` or `WEEKLY`. Dashboards are global in an account."""
    return f"{site.prefix}-{site.alias}-{site.region}-{page}"


def stack_name(site: Site, *, model: str | None = None) -> str:
    """Return the name of the account-and-Region stack, or of a model's stack in it."""
    return "-".join(part for part in ("BedrockMonitor", site.alias, site.region, model) if part)


def topic_name(site: Site, severity: str) -> str:
    """Return the name of the SNS topic that carries one severity (`page`, `ticket`, `note`)."""
    return f"{site.prefix}-{site.alias}-{severity}"


def topic_arn(site: Site, severity: str) -> str:
    """Return the ARN of that topic: known before it exists, so model stacks need no cross-stack export."""
    return f"arn:{site.partition}:sns:{site.region}:{site.account_id}:{topic_name(site, severity)}"


def log_group_name(site: Site) -> str:
    """Return the name of the log group that holds CloudTrail records of Bedrock calls only."""
    return f"/aws/events/{site.prefix}-{site.alias}-bedrock-calls"


def metric_namespace(site: Site) -> str:
    """Return the namespace of the metrics derived from evidence."""
    return f"BedrockMonitor/{site.prefix}-{site.alias}"


def log_policy_name(site: Site) -> str:
    """Return the name of the CloudWatch Logs resource policy that lets EventBridge write the evidence."""
    return f"{site.prefix}-{site.alias}-bedrock-events"


def rule_prefix(site: Site) -> str:
    """Return the first part of the name of every EventBridge rule."""
    return f"{site.prefix}-{site.alias}"


def key_alias(site: Site) -> str:
    """Return the alias of the KMS key that encrypts topics and the evidence log group."""
    return f"alias/{site.prefix}-{site.alias}-bedrock-monitor"


def logical_id(*parts: str) -> str:
    """Return a CloudFormation logical id: the parts in CamelCase, letters and digits only."""
    words = "-".join(parts).replace("_", "-").replace(".", "-").split("-")
    return "".join(word[:1].upper() + word[1:] for word in words if word)


@dataclass(frozen=True, slots=True, kw_only=True)
class Collision:
    """Two things that would have one name.

    Attributes:
        kind: `alarm`, `dashboard`, `stack` or `logical id`.
        name: The name.
        first, second: Alias and model key (None for the account's own) of the two.
    """

    kind: str
    name: str
    first: tuple[str, str | None]
    second: tuple[str, str | None]


def collisions(sites: Iterable[tuple[Site, Sequence[str]]]) -> tuple[Collision, ...]:
    """Return every clash of names between the sites, each given with the keys of its models.

    Alarms are unique in an account and Region, dashboards in an account, stacks in the whole app, logical ids in a stack.
    """
    taken: dict[tuple[str, ...], tuple[str, str | None]] = {}
    found: dict[tuple[str, tuple[str, str | None], tuple[str, str | None]], Collision] = {}
    for site, models in sites:
        for kind, scope, name, model in _names(site, models):
            owner = (site.alias, model)
            first = taken.setdefault((kind, scope, name), owner)
            if first != owner:
                found.setdefault((kind, first, owner), Collision(kind=kind, name=name, first=first, second=owner))
    return tuple(found.values())


def _names(site: Site, models: Sequence[str]) -> Iterator[tuple[str, str, str, str | None]]:
    here = f"{site.account_id} {site.region}"
    for model in (None, *models):
        stack = stack_name(site, model=model)
        yield "stack", "", stack, model
        yield "logical id", "", logical_id(stack), model
        for slug in (*CAUSES, *SYMPTOMS):
            yield "alarm", here, alarm_name(site, model=model, slug=slug), model
    for model in models:
        yield "logical id", f"{site.alias} {site.region}", logical_id(model), model
        yield "dashboard", site.account_id, dashboard_name(site, model), model
    for page in (FLEET, WEEKLY):
        yield "dashboard", site.account_id, dashboard_name(site, page), None
