"""What may stand in monitoring.yaml?

One pydantic model for each mapping of the file; `docs/monitoring.schema.json` is generated from them, so every field carries a
description that an editor shows. The models decide form only (types, ranges, unknown keys): what depends on two places of
the file is decided by `monitoring.config.checks`. Wording of errors is ours, see `monitoring.config.errors`.
Everything is optional where a lower level or the model catalogue may give it. Building validators waits until they are used.
"""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from alarms.alarm_set import Profile, Severity
from bedrock.evidence import AbsentMeans, EvidenceRoute
from bedrock.models import LatencyMode, OptimizedSeries

__all__ = [
    "Account",
    "AccountRegion",
    "AlarmChange",
    "Baselines",
    "CacheMetrics",
    "Configuration",
    "Evidence",
    "Model",
    "ModelSettings",
    "Organisation",
    "SharedSettings",
]


def _digits(value: Any) -> Any:
    """Account ids are text; an unquoted one without leading zero is read as a number, which loses nothing."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


# Patterns use ASCII classes and few counted repetitions: the regular expressions are compiled at every start.
Key = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$", max_length=40)]
AccountId = Annotated[
    str, BeforeValidator(_digits), Field(pattern=r"^[0-9]{12}$", json_schema_extra={"type": "string"})
]
RegionName = Annotated[str, Field(pattern=r"^[a-z][a-z]-[a-z-]*[a-z]-[0-9]$", max_length=30)]
TopicArn = Annotated[str, Field(pattern=r"^arn:aws[a-z-]*:sns:[a-z0-9-]+:[0-9]{12}:[A-Za-z0-9_.-]+$", max_length=320)]
KmsKeyArn = Annotated[str, Field(pattern=r"^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+$")]
HttpsUrl = Annotated[str, Field(pattern=r"^https://[^ ]+$", max_length=1024)]
Email = Annotated[str, Field(pattern=r"^[^@ ]+@[^@ ]+[.][^@ .]+$", max_length=320)]
Text = Annotated[str, Field(min_length=1, max_length=256)]
ModelId = Annotated[str, Field(pattern=r"^[^ ]+$", max_length=1024)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Whole = Annotated[int, Field(gt=0)]
Periods = Annotated[int, Field(ge=1, le=1440)]


class _Mapping(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class Objectives(_Mapping):
    """What users were promised. Leave out what was not promised: no alarm is made for it."""

    ttft_p90_ms: Positive | None = Field(None, description="Time to first token that 90 % of calls stay below, ms.")
    ttft_p99_ms: Positive | None = Field(None, description="Time to first token that 99 % of calls stay below, ms.")
    latency_p90_ms: Positive | None = Field(None, description="Time to last token that 90 % of calls stay below, ms.")
    success_rate: Fraction | None = Field(None, description="Share of calls that succeed, 0 to 1, for example 0.995.")


class Baselines(_Mapping):
    """How the model behaves on a good day. Catalogue values are estimates: replace them by measured ones."""

    otps: Positive | None = Field(
        None, description="Output tokens per second as asked for (the optimized rate on an optimized model)."
    )
    standard_otps: Positive | None = Field(
        None, description="Output tokens per second when an optimized model is served standard."
    )
    output_tokens: Positive | None = Field(None, description="Output tokens per request, mean.")
    input_tokens: Positive | None = Field(None, description="Uncached input tokens per request, mean.")
    cache_hit_rate: Fraction | None = Field(
        None, description="Share of prompt tokens read from the cache, 0 to 1: read / (input + read + write)."
    )


class Quotas(_Mapping):
    """Quotas of the account for this model in the Region (Service Quotas, Amazon Bedrock)."""

    tpm: Positive | None = Field(None, description="Tokens per minute, on demand (cross-Region if called by profile).")
    rpm: Positive | None = Field(None, description="Requests per minute; some models have none.")
    tpd: Positive | None = Field(None, description="Tokens per day.")
    optimized_tpm: Positive | None = Field(None, description="Tokens per minute of latency-optimized inference.")
    burndown: Positive | None = Field(
        None, description="Quota tokens that one output token costs; known for each model family, see the catalogue."
    )
    max_tokens: Whole | None = Field(
        None, description="max_tokens that callers send: reserved together with the input when a request starts."
    )


class Prices(_Mapping):
    """US dollars per million tokens; only for the cost lines on pages and in reviews."""

    input: NotNegative | None = Field(None, description="Input tokens, $ per million.")
    output: NotNegative | None = Field(None, description="Output tokens, $ per million.")
    cache_read: NotNegative | None = Field(None, description="Tokens read from the prompt cache, $ per million.")
    cache_write: NotNegative | None = Field(None, description="Tokens written to the prompt cache, $ per million.")


class AlarmChange(_Mapping):
    """What is different about one alarm of the model. Give n and m together."""

    threshold: float | None = Field(None, allow_inf_nan=False, description="Threshold, in the unit of the alarm.")
    n: Periods | None = Field(None, description="Periods that are looked at (N).")
    m: Periods | None = Field(None, description="Breaching periods that raise the alarm (M of N).")
    severity: Severity | None = Field(None, strict=False, description="Who hears of it: page, ticket or note.")
    off: bool | None = Field(None, description="true leaves the alarm out.")


class ModelSettings(_Mapping):
    """Everything about a model that may also be a default for many models."""

    title: Text | None = Field(None, description="What people call the model; default is the catalogue's title.")
    latency: LatencyMode | None = Field(
        None,
        strict=False,
        description="performanceConfig.latency that callers ask for: standard (default) or optimized.",
    )
    optimized_series: OptimizedSeries | None = Field(
        None,
        strict=False,
        description="include: the '<id>+latency-optimized' series is traffic of its own; exclude (default): it repeats the plain one.",
    )
    streaming_share: Fraction | None = Field(
        None, description="Share of calls that stream, 0 to 1. 0: no time to first token, so no tokens per second."
    )
    requests_per_minute: Positive | None = Field(
        None, description="Expected daytime traffic; chooses alarm periods that hold enough requests."
    )
    sdk_max_attempts: Annotated[int, Field(ge=1, le=100)] | None = Field(
        None, description="Attempts that clients make; throttled attempts before the last are hidden from users."
    )
    reserved_tier: bool | None = Field(None, description="Whether callers ask for the reserved service tier.")
    prompt_caching: bool | None = Field(None, description="Whether callers use prompt caching.")
    objectives: Objectives | None = Field(None, description="What users were promised.")
    baselines: Baselines | None = Field(None, description="How the model behaves on a good day.")
    quotas: Quotas | None = Field(None, description="Quotas of the account for this model.")
    prices: Prices | None = Field(None, description="Token prices in US dollars per million.")
    alarms: dict[str, AlarmChange | None] | None = Field(
        None, description="Changes by alarm slug, for example 'throttled: {threshold: 10}'."
    )
    links: dict[Text, HttpsUrl] | None = Field(
        None, description="Label and https address of pages worth a click during an incident."
    )


class RegionModel(ModelSettings):
    """What is different about a model in one Region."""

    ids: Annotated[list[ModelId], Field(min_length=1)] | None = Field(
        None,
        description="ModelId values in CloudWatch that are this model: model id, inference profile id, application profile id, ARN.",
    )
    cloudtrail_ids: list[ModelId] | None = Field(
        None, description="requestParameters.modelId values in CloudTrail, where they differ from ids."
    )


class Model(RegionModel):
    """One model as users see it, behind one or several ModelId values."""

    foundation_model: Text | None = Field(
        None,
        description="Catalogue key or model id that is behind the ids, where they do not say (application inference profile).",
    )
    regions: Annotated[list[RegionName], Field(min_length=1)] | None = Field(
        None, description="Regions in which the model is called; default: all Regions of the account."
    )
    in_regions: dict[RegionName, RegionModel | None] | None = Field(
        None, description="What is different in one Region."
    )


class HttpsSubscriber(_Mapping):
    """An HTTPS endpoint; its URL stays in Secrets Manager."""

    secret: Text = Field(description="Name or ARN of the secret that holds the URL.")
    json_key: Text | None = Field(None, description="Key inside the secret's JSON; default: the whole secret.")


class ChatSubscriber(_Mapping):
    """A Slack channel, by Amazon Q Developer in chat applications."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+$", max_length=128)] = Field(
        description="Name of the chat configuration."
    )
    workspace_id: Annotated[str, Field(pattern=r"^[0-9A-Z]+$", max_length=255)] = Field(
        description="Slack workspace id, T..."
    )
    channel_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9]+$", max_length=256)] = Field(
        description="Slack channel id, C..."
    )


class CreatedTopic(_Mapping):
    """A topic that the deployment creates, with its subscribers."""

    emails: list[Email] | None = Field(None, description="E-mail addresses; each has to confirm once.")
    https: list[HttpsSubscriber] | None = Field(None, description="HTTPS endpoints, by secret.")
    chat: list[ChatSubscriber] | None = Field(None, description="Slack channels.")


class Target(_Mapping):
    """Where one severity goes: existing topics or a created one."""

    topics: Annotated[list[TopicArn], Field(min_length=1)] | None = Field(
        None, description="Existing SNS topics; each Region uses the ones that are in it (1 to 5)."
    )
    create: CreatedTopic | None = Field(None, description="Create a topic in each Region, with these subscribers.")
    ok_actions: bool | None = Field(None, description="Whether recovery is announced too; default true.")


class Notifications(_Mapping):
    """Where alarms go, by severity. A severity without a target is visible on pages only."""

    page: Target | None = Field(None, description="Wakes somebody.")
    ticket: Target | None = Field(None, description="Worked on in the day.")
    note: Target | None = Field(None, description="Kept, read in the review.")


class Evidence(_Mapping):
    """How is seen what AWS/Bedrock metrics do not tell: served latency mode and kinds of throttling, from CloudTrail."""

    route: EvidenceRoute | None = Field(
        None, strict=False, description="Where evidence comes from; default eventbridge."
    )
    served_latency_path: Text | None = Field(
        None, description="Path of the served latency mode inside a CloudTrail record; unverified on AWS."
    )
    optimized_value: Text | None = Field(None, description="Value of that field when served optimized.")
    standard_value: Text | None = Field(None, description="Value of that field when served standard.")
    absent_means: AbsentMeans | None = Field(
        None, strict=False, description="How a record without the field counts: unknown (default) or standard."
    )
    throttle_error_code: Text | None = Field(None, description="errorCode of a throttled call; * is a wildcard.")
    log_group: Annotated[str, Field(pattern=r"^[._/#A-Za-z0-9-]+$", max_length=512)] | None = Field(
        None, description="Existing log group (needed by trail and invocation_log)."
    )
    retention_days: Whole | None = Field(None, description="Retention of a log group that is created, in days.")
    trail_home_region: RegionName | None = Field(None, description="Home Region of the trail (route trail only).")
    expected_delay_s: Whole | None = Field(None, description="Delay of CloudTrail to plan for, seconds; default 300.")


class CacheMetrics(_Mapping):
    """Names under which the account publishes the prompt cache metrics; the documentation has two spellings."""

    read: Text = Field("CacheReadInputTokenCount", description="Metric of tokens read from the prompt cache.")
    write: Text = Field("CacheWriteInputTokenCount", description="Metric of tokens written to the prompt cache.")


class SharedSettings(_Mapping):
    """Settings of an account that may also be defaults of the organisation."""

    profile: Profile | None = Field(
        None, strict=False, description="default: everything; lean: the least that tells fallback from throttling."
    )
    notifications: Notifications | None = Field(None, description="Where alarms go, by severity.")
    evidence: Evidence | None = Field(None, description="How served latency mode and throttling are seen.")
    model_defaults: ModelSettings | None = Field(
        None, description="Settings of every model, unless the model says otherwise."
    )
    bootstrap_qualifier: Annotated[str, Field(pattern=r"^[a-z0-9]+$", max_length=10)] | None = Field(
        None, description="CDK bootstrap qualifier; default is CDK's own."
    )
    permissions_boundary: Annotated[str, Field(pattern=r"^[A-Za-z0-9_+=,.@/-]+$", max_length=512)] | None = Field(
        None, description="Name of the IAM policy that is set as boundary on every created role."
    )
    log_resource_policy: bool | None = Field(
        None,
        description="false: the account already lets EventBridge write to the log group. Default true: create the policy.",
    )
    cache_metrics: CacheMetrics | None = Field(None, description="Names of the prompt cache metrics.")


class AccountRegion(_Mapping):
    """What is different about the account in one Region."""

    notifications: Notifications | None = Field(None, description="Targets in this Region, by severity.")
    evidence: Evidence | None = Field(None, description="Evidence in this Region.")
    kms_key: KmsKeyArn | None = Field(None, description="Existing key in this Region.")


class Account(SharedSettings):
    """One AWS account: one stage of one product."""

    id: AccountId = Field(description="Account id: twelve digits, in quotes.")
    regions: Annotated[list[RegionName], Field(min_length=1)] = Field(description="Regions in which Bedrock is called.")
    partition: Annotated[str, Field(pattern=r"^aws(-us-gov|-cn)?$")] | None = Field(
        None, description="aws, aws-us-gov or aws-cn; default: as the Regions say."
    )
    tags: dict[Text, str] | None = Field(
        None, description="Tags on the account's resources, added to the organisation's."
    )
    kms_key: KmsKeyArn | None = Field(
        None, description="Existing KMS key for topics and log group; default: one is created."
    )
    models: dict[Key, Model | None] | None = Field(
        None,
        description="Models of the account. 'name:' alone takes a model of the organisation as it is; left out: all of them.",
    )
    in_regions: dict[RegionName, AccountRegion | None] | None = Field(
        None, description="What is different in one Region."
    )


class Organisation(_Mapping):
    """Who this is, and what holds for every account."""

    name: Text = Field(description="Name of the organisation, shown on pages.")
    prefix: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$", max_length=20)] | None = Field(
        None, description="First part of every name; default llm."
    )
    tags: dict[Text, str] | None = Field(None, description="Tags on every resource that takes tags.")
    defaults: SharedSettings | None = Field(
        None, description="Settings of every account, unless the account says otherwise."
    )


class Configuration(_Mapping):
    """monitoring.yaml of bedrock-monitor: one file for an organisation."""

    organisation: Organisation = Field(description="Who this is, and what holds for every account.")
    models: dict[Key, Model] | None = Field(None, description="Models that several accounts share, by key.")
    accounts: Annotated[dict[Key, Account], Field(min_length=1)] = Field(
        description="Accounts by alias; the alias carries the stage, for example prod-assistant."
    )
