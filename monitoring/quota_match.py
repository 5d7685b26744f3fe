"""Which of the account's quotas is a model's?

Service Quotas names them in words: "Cross-region model inference tokens per minute for Amazon Nova Pro". The model is what
follows "for", compared word by word without vendor names; the scope (on demand, cross-Region, global) has to be that of the
ids the model is called by; latency-optimized inference has rows of its own. A name that is not understood is no quota of
anybody: nothing is guessed. The wording is AWS's and may change: unverified on AWS.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from bedrock.catalogue import geography_prefix

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["FoundQuota", "ModelQuota", "QuotaScope", "quotas_for", "scope_of"]

_NAME = re.compile(
    r"^(?P<scope>.*?)\b(?P<unit>tokens|requests) per (?P<span>minute|day) for (?P<model>.+?)(?: \(.*\))?$",
    re.IGNORECASE,
)
_VENDORS = frozenset(
    {"amazon", "anthropic", "meta", "mistral", "ai", "cohere", "deepseek", "openai", "qwen", "instruct"}
)


class QuotaScope(StrEnum):
    """How the model is called: by its own id, by an inference profile of a geography, or by a global one."""

    ON_DEMAND = "on-demand"
    CROSS_REGION = "cross-region"
    GLOBAL = "global"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundQuota:
    """A quota of the account: code (`L-...`), name and value in force."""

    code: str
    name: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelQuota:
    """A quota of a model.

    Attributes:
        key: `tpm`, `rpm`, `tpd` or `optimized_tpm`, as in the configuration.
        quota: Where it comes from.
        optimized: Whether it is of latency-optimized inference.
    """

    key: str
    quota: FoundQuota
    optimized: bool


def scope_of(model_id: str) -> QuotaScope:
    """Return the scope of a call by this id; of an application profile give the id of what it wraps."""
    prefix = geography_prefix(model_id)
    if prefix is None:
        return QuotaScope.ON_DEMAND
    return QuotaScope.GLOBAL if prefix == "global" else QuotaScope.CROSS_REGION


def quotas_for(title: str, *, scope: QuotaScope, quotas: Iterable[FoundQuota]) -> tuple[ModelQuota, ...]:
    """Return the quotas of a model.

    Args:
        title: What AWS calls the model, for example "Amazon Nova Pro".
        scope: How it is called.
        quotas: All quotas of Amazon Bedrock in the account and Region.

    Returns:
        At most one for each key, in the order tpm, rpm, tpd, optimized_tpm. Two that claim one key cancel each other.
    """
    wanted = _words(title)
    found: dict[str, list[ModelQuota]] = {}
    for quota in quotas:
        match = _NAME.match(" ".join(quota.name.split()))
        if match is None or _words(match["model"]) != wanted:
            continue
        words = re.split(r"[^a-z]+", match["scope"].lower())
        optimized = "optimized" in words
        if _scope(words, match["scope"].lower()) is not scope:
            continue
        key = ("tp" if match["unit"].lower() == "tokens" else "rp") + match["span"][0].lower()
        if optimized:
            key = f"optimized_{key}"
        found.setdefault(key, []).append(ModelQuota(key=key, quota=quota, optimized=optimized))
    order: Sequence[str] = ("tpm", "rpm", "tpd", "optimized_tpm")
    return tuple(found[key][0] for key in order if len(found.get(key, ())) == 1)


def _scope(words: Sequence[str], text: str) -> QuotaScope:
    if "global" in words:
        return QuotaScope.GLOBAL
    return QuotaScope.CROSS_REGION if re.search(r"cross[- ]region", text) else QuotaScope.ON_DEMAND


def _words(text: str) -> tuple[str, ...]:
    words = re.findall(r"[a-z]+|[0-9]+", text.lower())
    kept = [word for word in words if word not in _VENDORS]
    if len(kept) > 1 and kept[-2:] == ["v", "1"]:  # "Claude 3.5 Sonnet V1" is what others call "Claude 3.5 Sonnet"
        kept = kept[:-2]
    return tuple(sorted(kept))
