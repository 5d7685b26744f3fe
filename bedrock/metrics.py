"""Which metrics does Bedrock publish, and what are they?

The catalogue is data (`metrics.toml`): names, units in words, sets of dimensions, the usual statistic and how sure it is.
It also holds the namespaces around Bedrock, so that a misspelt name in anybody's template can be found. Units are words for
people: a unit is never set on a metric, because a unit filter that does not match empties the series without an error.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from cloudwatch.metric import Metric

__all__ = [
    "NAMESPACE",
    "BedrockMetric",
    "CatalogueMetric",
    "account_metric",
    "catalogue",
    "catalogue_metric",
    "invocation_metric",
    "namespaces",
    "tier_metric",
]

NAMESPACE = "AWS/Bedrock"


class BedrockMetric(StrEnum):
    """Names in AWS/Bedrock that the alarms and pages use. Cache metric names are configurable, these are the defaults."""

    INVOCATIONS = "Invocations"
    LATENCY = "InvocationLatency"
    TTFT = "TimeToFirstToken"
    CLIENT_ERRORS = "InvocationClientErrors"
    SERVER_ERRORS = "InvocationServerErrors"
    THROTTLES = "InvocationThrottles"
    INPUT_TOKENS = "InputTokenCount"
    OUTPUT_TOKENS = "OutputTokenCount"
    CACHE_READ = "CacheReadInputTokenCount"
    CACHE_WRITE = "CacheWriteInputTokenCount"
    TPM_USAGE = "EstimatedTPMQuotaUsage"


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueMetric:
    """One metric as AWS publishes it.

    Attributes:
        namespace: For example `AWS/Bedrock`.
        name: For example `InvocationLatency`.
        unit: In words: `ms`, `quota tokens`, `microseconds`. Never to be set on a metric.
        dimensions: Sets of dimension names under which a series exists; the empty set is the series without any.
        stat: The statistic that answers the usual question.
        sure: `documented`, `aws` (blog, sample or service model), `observed` or `unverified`.
        meaning: One sentence.
    """

    namespace: str
    name: str
    unit: str
    dimensions: tuple[frozenset[str], ...]
    stat: str
    sure: str
    meaning: str


@cache
def catalogue() -> tuple[CatalogueMetric, ...]:
    """Return every known metric, in the order of the file."""
    data = tomllib.loads(Path(__file__).with_name("metrics.toml").read_text(encoding="utf-8"))
    return tuple(
        CatalogueMetric(
            namespace=namespace["name"],
            name=row["name"],
            unit=row["unit"],
            dimensions=tuple(frozenset(names) for names in row["dimensions"]),
            stat=row["stat"],
            sure=row["sure"],
            meaning=row["meaning"],
        )
        for namespace in data["namespace"]
        for row in namespace["metric"]
    )


def namespaces() -> tuple[str, ...]:
    """Return the namespaces of the catalogue, each once."""
    return tuple(dict.fromkeys(metric.namespace for metric in catalogue()))


def catalogue_metric(namespace: str, name: str) -> CatalogueMetric | None:
    """Return what is known of a metric, or None. Case matters, as it does to CloudWatch."""
    return next((metric for metric in catalogue() if (metric.namespace, metric.name) == (namespace, name)), None)


def invocation_metric(model_id: str, name: str) -> Metric:
    """Return the series of one ModelId value.

    Args:
        model_id: As the caller passes it: a model id, a profile id, an ARN, `<id>+latency-optimized`.
        name: For example `BedrockMetric.INVOCATIONS`.
    """
    return Metric(namespace=NAMESPACE, name=str(name), dimensions=(("ModelId", model_id),))


def account_metric(name: str) -> Metric:
    """Return the series without dimensions: the total of the account in the Region."""
    return Metric(namespace=NAMESPACE, name=str(name))


def tier_metric(model_id: str, *, name: str, asked: str, served: str) -> Metric:
    """Return the series of a service tier as asked for and as served. The tier values are unverified on AWS."""
    return Metric(
        namespace=NAMESPACE,
        name=str(name),
        dimensions=(("ModelId", model_id), ("ResolvedServiceTier", served), ("ServiceTier", asked)),
    )
