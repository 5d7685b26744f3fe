"""What is one monitored model? The effective description of a model in one account and Region.

One model that users see has several ModelId values in CloudWatch: the bare id, a geo or global inference profile, an ARN, an
application inference profile and, where published, a `+latency-optimized` series. Everything above asks the values here and
never the configuration. Defaults come from `models.toml` (see `bedrock.catalogue`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

__all__ = [
    "AlarmOverride",
    "Baselines",
    "LatencyMode",
    "MonitoredModel",
    "Objectives",
    "OptimizedSeries",
    "Prices",
    "Quotas",
]

OPTIMIZED_SUFFIX = "+latency-optimized"


class LatencyMode(StrEnum):
    """performanceConfig.latency that the callers of a model ask for."""

    STANDARD = "standard"
    OPTIMIZED = "optimized"


class OptimizedSeries(StrEnum):
    """Whether the `+latency-optimized` series is traffic of its own or a repeat of the plain series."""

    INCLUDE = "include"
    EXCLUDE = "exclude"


@dataclass(frozen=True, slots=True, kw_only=True)
class Objectives:
    """What users were promised. Milliseconds; success rate is a fraction (0 to 1); None where nothing was promised."""

    ttft_p90_ms: float | None = None
    ttft_p99_ms: float | None = None
    latency_p90_ms: float | None = None
    success_rate: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Baselines:
    """How the model behaves on a good day.

    Attributes:
        otps: Output tokens per second, as asked for (the optimized rate on an optimized model).
        standard_otps: The same when served standard, on an optimized model; None where unknown.
        output_tokens: Output tokens per request, mean.
        input_tokens: Input tokens to process per request, mean: InputTokenCount (which excludes cached tokens) and
            CacheWriteInputTokenCount, so all that was not read from the cache.
        cache_hit_rate: Fraction (0 to 1) of prompt tokens read from the cache; 0 without prompt caching.
    """

    otps: float
    output_tokens: float
    input_tokens: float
    standard_otps: float | None = None
    cache_hit_rate: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    """Account quotas of the model in the Region; None where there is none or it is not known.

    Attributes:
        tpm: Tokens per minute, on demand, cross-Region where the model is called through a profile.
        rpm: Requests per minute.
        tpd: Tokens per day.
        optimized_tpm: Tokens per minute of latency-optimized inference.
        burndown: How many quota tokens an output token costs at settlement.
        max_tokens: max_tokens the callers send: with the input it is reserved when a request starts.
    """

    tpm: float | None = None
    rpm: float | None = None
    tpd: float | None = None
    optimized_tpm: float | None = None
    burndown: float = 1.0
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """US dollars per million tokens; None where unknown."""

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmOverride:
    """What the configuration changes on one alarm of the model; None keeps the policy's value.

    Attributes:
        threshold: In the unit of the alarm's expression.
        evaluation_periods: N.
        datapoints_to_alarm: M.
        severity: `page`, `ticket` or `note`.
        off: True leaves the alarm out.
    """

    threshold: float | None = None
    evaluation_periods: int | None = None
    datapoints_to_alarm: int | None = None
    severity: str | None = None
    off: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitoredModel:
    """A model in one account and Region, with every effective value.

    Attributes:
        key: Key in the configuration, `[a-z][a-z0-9-]{0,39}`; names alarms, dashboard and stack.
        title: What people call it, for example "Amazon Nova Pro".
        model_ids: ModelId dimension values that are this model, at least one, in configuration order, without
            `+latency-optimized`.
        cloudtrail_ids: Values of requestParameters.modelId that are this model; empty means `model_ids`.
        latency: What its callers ask for.
        optimized_series: Whether `<id>+latency-optimized` series are added to the sums.
        streaming_share: Fraction (0 to 1) of calls that stream. 0: no TTFT, so no OTPS.
        requests_per_minute: Expected daytime traffic per minute, or None; picks periods that hold enough requests.
        sdk_max_attempts: Attempts a client makes: throttles below the last are hidden from users.
        reserved_tier: Whether callers ask for the reserved service tier.
        prompt_caching: Whether callers use prompt caching.
        objectives, baselines, quotas, prices: See there.
        overrides: Changes per alarm slug.
        links: Pairs of label and https URL shown on the model page and in runbooks (team runbook, repository).
    """

    key: str
    title: str
    model_ids: tuple[str, ...]
    baselines: Baselines
    cloudtrail_ids: tuple[str, ...] = ()
    latency: LatencyMode = LatencyMode.STANDARD
    optimized_series: OptimizedSeries = OptimizedSeries.EXCLUDE
    streaming_share: float = 1.0
    requests_per_minute: float | None = None
    sdk_max_attempts: int = 3
    reserved_tier: bool = False
    prompt_caching: bool = False
    objectives: Objectives = field(default_factory=Objectives)
    quotas: Quotas = field(default_factory=Quotas)
    prices: Prices = field(default_factory=Prices)
    overrides: tuple[tuple[str, AlarmOverride], ...] = ()
    links: tuple[tuple[str, str], ...] = ()

    @property
    def series_ids(self) -> tuple[str, ...]:
        """ModelId values whose series are summed: the aliases, and their optimized series where they are traffic of their own."""
        if self.optimized_series is OptimizedSeries.EXCLUDE:
            return self.model_ids
        return tuple(name for model_id in self.model_ids for name in (model_id, model_id + OPTIMIZED_SUFFIX))

    @property
    def trail_ids(self) -> tuple[str, ...]:
        """requestParameters.modelId values that are this model."""
        return self.cloudtrail_ids or self.model_ids

    @property
    def streams(self) -> bool:
        """Whether any call streams, so that TimeToFirstToken exists."""
        return self.streaming_share > 0

    def override(self, slug: str) -> AlarmOverride:
        """Return the changes for an alarm slug, an empty one where there are none."""
        return dict(self.overrides).get(slug, AlarmOverride())
