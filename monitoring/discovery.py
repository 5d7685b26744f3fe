"""What is in an account, and which models would we watch there?

`Account` is what was found; `grouped` puts the ModelId values of one foundation model together: the bare id, its inference
profiles, ARNs and the application profiles that wrap it. The id of an application profile says nothing, so what it wraps is
looked up among the profiles that the account lists.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bedrock.catalogue import base_id, catalogue
from bedrock.models import OPTIMIZED_SUFFIX
from monitoring.measurement import Measured, measure
from monitoring.quota_match import FoundQuota, ModelQuota, QuotaScope, quotas_for, scope_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bedrock.catalogue import CatalogueEntry
    from cloudwatch.metric import Metric
    from monitoring.measurement import HourlyUse

__all__ = ["Account", "FoundModel", "FoundProfile", "FoundTrail", "grouped", "model_key"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundProfile:
    """An inference profile.

    Attributes:
        profile_id: As CloudWatch shows it: `us.amazon.nova-pro-v1:0`, or the bare id of an application profile.
        arn: Its ARN.
        name: What it is called.
        application: Whether it is an application inference profile.
        model_ids: Foundation models that it wraps.
    """

    profile_id: str
    arn: str
    name: str
    application: bool
    model_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundTrail:
    """A trail: name, whether it logs management events just now, its log group (or None), and its home Region."""

    name: str
    logging: bool
    management: bool
    log_group: str | None
    home_region: str | None

    @property
    def usable(self) -> bool:
        """Whether evidence comes from it."""
        return self.logging and self.management


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What was found in an account and Region; None where a call was denied.

    Attributes:
        account_id, region: Where.
        name: Alias of the account in IAM, or None.
        start_s, end_s: Time that `uses` covers, epoch seconds.
        uses: Hours of every ModelId value that has published metrics in the last two weeks.
        metrics: Metrics of AWS/Bedrock with data in the last two weeks.
        tiers: Pairs of ServiceTier and ResolvedServiceTier values that are published.
        profiles, quotas, trails, topics: See there; topics are ARNs.
        invocation_log_group: Log group of model invocation logging, "" where logging is off, None where unknown.
        problems: What could not be asked, one sentence each.
    """

    account_id: str
    region: str
    start_s: int
    end_s: int
    name: str | None = None
    uses: tuple[HourlyUse, ...] = ()
    metrics: tuple[Metric, ...] = ()
    tiers: frozenset[tuple[str, str]] = frozenset()
    profiles: tuple[FoundProfile, ...] | None = None
    quotas: tuple[FoundQuota, ...] | None = None
    trails: tuple[FoundTrail, ...] | None = None
    topics: tuple[str, ...] | None = None
    invocation_log_group: str | None = None
    problems: tuple[str, ...] = ()

    @property
    def cache_metrics(self) -> tuple[str, str] | None:
        """Names under which the cache metrics are published here, or None where they are not."""
        pairs = (
            ("CacheReadInputTokenCount", "CacheWriteInputTokenCount"),
            ("CacheReadInputTokens", "CacheWriteInputTokens"),
        )
        names = {metric.name for metric in self.metrics}
        return next((pair for pair in pairs if names & set(pair)), None)

    @property
    def days(self) -> int:
        """Days that were looked at."""
        return (self.end_s - self.start_s) // 86_400

    @property
    def calls(self) -> Mapping[str, float]:
        """ModelId value -> calls in the time that was looked at."""
        return {use.model_id: use.calls for use in self.uses}

    def profile(self, model_id: str) -> FoundProfile | None:
        """Return the profile that a ModelId value names, by id or ARN."""
        return next((each for each in self.profiles or () if model_id in {each.profile_id, each.arn}), None)

    def wrapped(self, model_id: str) -> str:
        """Return the id that says which model it is: of an application profile one that it wraps."""
        profile = self.profile(model_id)
        if profile is not None and profile.application and profile.model_ids:
            return profile.model_ids[0]
        return model_id


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundModel:
    """ModelId values of one foundation model.

    Attributes:
        key: Key for the configuration.
        model_ids: Values without `+latency-optimized`, the busiest first.
        names: For a value that is an application profile: its name.
        entry: The model in the catalogue, or None.
        foundation_model: What it is, where the ids do not say.
        optimized: Whether a `+latency-optimized` series is published.
        scope: How the busiest id is called.
        measured: How it behaves.
        quotas: Its quotas.
    """

    key: str
    model_ids: tuple[str, ...]
    names: Mapping[str, str]
    entry: CatalogueEntry | None
    foundation_model: str | None
    optimized: bool
    scope: QuotaScope
    measured: Measured
    quotas: tuple[ModelQuota, ...]


def grouped(account: Account, *, taken: Iterable[str] = ()) -> tuple[FoundModel, ...]:
    """Return the models with calls, the busiest first.

    Args:
        account: What was found.
        taken: Keys that are in use for something else.
    """
    groups: dict[str, list[HourlyUse]] = {}
    for use in account.uses:
        plain = account.wrapped(use.model_id.removesuffix(OPTIMIZED_SUFFIX))
        entry = catalogue().find(plain)
        groups.setdefault(entry.key if entry else base_id(plain), []).append(use)
    keys = set(taken)
    found = []
    for uses in sorted(groups.values(), key=lambda uses: -sum(use.calls for use in uses)):
        if not any(use.calls for use in uses):
            continue
        model = _model(account, uses, taken=keys)
        keys.add(model.key)
        found.append(model)
    return tuple(found)


def model_key(text: str, *, taken: Iterable[str]) -> str:
    """Return a configuration key made of a name: `[a-z][a-z0-9-]{0,39}`, with a number where it is taken."""
    base = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    base = (base if base[:1].isalpha() else f"m-{base}".rstrip("-"))[:36].rstrip("-")
    used = set(taken)
    return next(key for key in (base, *(f"{base}-{number}" for number in range(2, 1000))) if key not in used)


def _model(account: Account, uses: Sequence[HourlyUse], *, taken: Iterable[str]) -> FoundModel:
    by_id: dict[str, float] = {}
    for use in uses:
        plain = use.model_id.removesuffix(OPTIMIZED_SUFFIX)
        by_id[plain] = max(by_id.get(plain, 0.0), use.calls)
    ids = tuple(sorted(by_id, key=lambda name: (-by_id[name], name)))
    wrapped = account.wrapped(ids[0])
    entry = catalogue().find(wrapped)
    profiles = {name: profile for name in ids if (profile := account.profile(name)) is not None and profile.application}
    foundation = wrapped if profiles and not any(catalogue().find(name) for name in ids) else None
    scope = scope_of(wrapped)
    if ids[0] in profiles and len(profiles[ids[0]].model_ids) > 1:
        scope = QuotaScope.CROSS_REGION
    # The optimized series repeats the plain one, or is traffic of its own: only the plain ones are added up.
    plain_uses = [use for use in uses if not use.model_id.endswith(OPTIMIZED_SUFFIX)] or list(uses)
    return FoundModel(
        key=model_key(entry.key if entry else base_id(wrapped), taken=taken),
        model_ids=ids,
        names={name: profile.name for name, profile in profiles.items()},
        entry=entry,
        foundation_model=(entry.key if entry else base_id(foundation)) if foundation else None,
        optimized=any(use.model_id.endswith(OPTIMIZED_SUFFIX) for use in uses),
        scope=scope,
        measured=measure(plain_uses, start_s=account.start_s, end_s=account.end_s, cache_metrics=account.cache_metrics),
        quotas=() if entry is None else quotas_for(entry.title, scope=scope, quotas=account.quotas or ()),
    )
