"""What may stand in monitoring.yaml?

One type for each mapping of the file, validated by pydantic; `docs/monitoring.schema.json` is generated from them, so every
field carries a description that an editor shows. They are typed dictionaries and not model classes because those take longer to
define than everything else that `validate` does. The types decide form only (types, ranges, unknown keys): what depends on two places of
the file is decided by `monitoring.config.checks`. Wording of errors is ours, see `monitoring.config.errors`.
Everything is optional where a lower level or the model catalogue may give it.
"""

from functools import cache
from typing import Annotated, Any, Literal, Required

from pydantic import BeforeValidator, ConfigDict, Field, TypeAdapter, with_config
from typing_extensions import TypedDict

__all__ = ["Configuration", "validator"]


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
# What filter patterns and event patterns can hold: no quotes, backslashes or asterisks.
ModelId = Annotated[str, Field(pattern=r'^[^ "*\\\x00-\x1f]+$', max_length=1024)]
RecordPath = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9_-]+(\[[0-9]+\])?([.][A-Za-z0-9_-]+(\[[0-9]+\])?)*$", max_length=256)
]
RecordValue = Annotated[str, Field(pattern=r'^[^"*\\\x00-\x1f]+$', max_length=256)]
RecordPattern = Annotated[str, Field(pattern=r'^[^"\\\x00-\x1f]+$', max_length=256)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Whole = Annotated[int, Field(gt=0)]
Periods = Annotated[int, Field(ge=1, le=1440)]

# The values of the enumerations in bedrock/ and alarms/, which are not imported for the sake of a quick start; a test compares.
LatencyMode = Literal["standard", "optimized"]
OptimizedSeries = Literal["include", "exclude"]
Severity = Literal["page", "ticket", "note"]
Profile = Literal["default", "lean"]
EvidenceRoute = Literal["eventbridge", "rule-counters", "trail", "invocation_log", "none"]
AbsentMeans = Literal["unknown", "standard"]
LintSeverity = Literal["bug", "risk", "style"]


_strict = with_config(ConfigDict(extra="forbid", strict=True))


@_strict
class Objectives(TypedDict, total=False):
    """What users were promised. Leave out what was not promised: no alarm is made for it."""

    ttft_p90_ms: Annotated[Positive | None, Field(description="Time to first token that 90 % of calls stay below, ms.")]
    ttft_p99_ms: Annotated[Positive | None, Field(description="Time to first token that 99 % of calls stay below, ms.")]
    latency_p90_ms: Annotated[
        Positive | None, Field(description="Time to last token that 90 % of calls stay below, ms.")
    ]
    success_rate: Annotated[
        Fraction | None, Field(description="Share of calls that succeed, 0 to 1, for example 0.995.")
    ]


@_strict
class Baselines(TypedDict, total=False):
    """How the model behaves on a good day. Catalogue values are estimates: replace them by measured ones."""

    otps: Annotated[
        Positive | None,
        Field(description="Output tokens per second as asked for (the optimized rate on an optimized model)."),
    ]
    standard_otps: Annotated[
        Positive | None, Field(description="Output tokens per second when an optimized model is served standard.")
    ]
    output_tokens: Annotated[Positive | None, Field(description="Output tokens per request, mean.")]
    input_tokens: Annotated[
        Positive | None,
        Field(
            description="Input tokens to process per request, mean: InputTokenCount and, with prompt caching, cache writes; "
            "not what is read from the cache."
        ),
    ]
    cache_hit_rate: Annotated[
        Fraction | None,
        Field(description="Share of prompt tokens read from the cache, 0 to 1: read / (input + read + write)."),
    ]


@_strict
class Quotas(TypedDict, total=False):
    """Quotas of the account for this model in the Region (Service Quotas, Amazon Bedrock)."""

    tpm: Annotated[
        Positive | None, Field(description="Tokens per minute, on demand (cross-Region if called by profile).")
    ]
    rpm: Annotated[Positive | None, Field(description="Requests per minute; some models have none.")]
    tpd: Annotated[Positive | None, Field(description="Tokens per day.")]
    optimized_tpm: Annotated[Positive | None, Field(description="Tokens per minute of latency-optimized inference.")]
    burndown: Annotated[
        Positive | None,
        Field(description="Quota tokens that one output token costs; known for each model family, see the catalogue."),
    ]
    max_tokens: Annotated[
        Whole | None,
        Field(description="max_tokens that callers send: reserved together with the input when a request starts."),
    ]


@_strict
class Prices(TypedDict, total=False):
    """US dollars per million tokens; only for the cost lines on pages and in reviews."""

    input: Annotated[NotNegative | None, Field(description="Input tokens, $ per million.")]
    output: Annotated[NotNegative | None, Field(description="Output tokens, $ per million.")]
    cache_read: Annotated[NotNegative | None, Field(description="Tokens read from the prompt cache, $ per million.")]
    cache_write: Annotated[NotNegative | None, Field(description="Tokens written to the prompt cache, $ per million.")]


@_strict
class AlarmChange(TypedDict, total=False):
    """What is different about one alarm of the model. Give n and m together."""

    threshold: Annotated[float | None, Field(allow_inf_nan=False, description="Threshold, in the unit of the alarm.")]
    n: Annotated[Periods | None, Field(description="Periods that are looked at (N).")]
    m: Annotated[Periods | None, Field(description="Breaching periods that raise the alarm (M of N).")]
    severity: Annotated[Severity | None, Field(description="Who hears of it: page, ticket or note.")]
    off: Annotated[bool | None, Field(description="true leaves the alarm out.")]


@_strict
class ModelSettings(TypedDict, total=False):
    """Everything about a model that may also be a default for many models."""

    title: Annotated[Text | None, Field(description="What people call the model; default is the catalogue's title.")]
    latency: Annotated[
        LatencyMode | None,
        Field(description="performanceConfig.latency that callers ask for: standard (default) or optimized."),
    ]
    optimized_series: Annotated[
        OptimizedSeries | None,
        Field(
            description="include: the '<id>+latency-optimized' series is traffic of its own; exclude (default): it repeats the plain one."
        ),
    ]
    streaming_share: Annotated[
        Fraction | None,
        Field(description="Share of calls that stream, 0 to 1. 0: no time to first token, so no tokens per second."),
    ]
    requests_per_minute: Annotated[
        Positive | None, Field(description="Expected daytime traffic; chooses alarm periods that hold enough requests.")
    ]
    sdk_max_attempts: Annotated[
        Annotated[int, Field(ge=1, le=100)] | None,
        Field(description="Attempts that clients make; throttled attempts before the last are hidden from users."),
    ]
    reserved_tier: Annotated[bool | None, Field(description="Whether callers ask for the reserved service tier.")]
    prompt_caching: Annotated[bool | None, Field(description="Whether callers use prompt caching.")]
    objectives: Annotated[Objectives | None, Field(description="What users were promised.")]
    baselines: Annotated[Baselines | None, Field(description="How the model behaves on a good day.")]
    quotas: Annotated[Quotas | None, Field(description="Quotas of the account for this model.")]
    prices: Annotated[Prices | None, Field(description="Token prices in US dollars per million.")]
    alarms: Annotated[
        dict[str, AlarmChange] | None,
        Field(description="Changes by alarm slug, for example 'throttled: {threshold: 10}'."),
    ]
    links: Annotated[
        dict[Text, HttpsUrl] | None,
        Field(description="Label and https address of pages worth a click during an incident."),
    ]


@_strict
class RegionModel(ModelSettings, total=False):
    """What is different about a model in one Region."""

    ids: Annotated[
        Annotated[list[ModelId], Field(min_length=1)] | None,
        Field(
            description="ModelId values in CloudWatch that are this model: model id, inference profile id, application profile id, ARN."
        ),
    ]
    cloudtrail_ids: Annotated[
        list[ModelId] | None,
        Field(description="requestParameters.modelId values in CloudTrail, where they differ from ids."),
    ]


@_strict
class Model(RegionModel, total=False):
    """One model as users see it, behind one or several ModelId values."""

    foundation_model: Annotated[
        Text | None,
        Field(
            description="Catalogue key or model id that is behind the ids, where they do not say (application inference profile)."
        ),
    ]
    regions: Annotated[
        Annotated[list[RegionName], Field(min_length=1)] | None,
        Field(description="Regions in which the model is called; default: all Regions of the account."),
    ]
    in_regions: Annotated[
        dict[RegionName, RegionModel | None] | None, Field(description="What is different in one Region.")
    ]


@_strict
class HttpsSubscriber(TypedDict, total=False):
    """An HTTPS endpoint; its URL stays in Secrets Manager."""

    secret: Required[Annotated[Text, Field(description="Name or ARN of the secret that holds the URL.")]]
    json_key: Annotated[Text | None, Field(description="Key inside the secret's JSON; default: the whole secret.")]


@_strict
class ChatSubscriber(TypedDict, total=False):
    """A Slack channel, by Amazon Q Developer in chat applications."""

    name: Required[
        Annotated[
            Annotated[str, Field(pattern="^[A-Za-z0-9_-]+$", max_length=128)],
            Field(description="Name of the chat configuration."),
        ]
    ]
    workspace_id: Required[
        Annotated[
            Annotated[str, Field(pattern="^[0-9A-Z]+$", max_length=255)], Field(description="Slack workspace id, T...")
        ]
    ]
    channel_id: Required[
        Annotated[
            Annotated[str, Field(pattern="^[A-Za-z0-9]+$", max_length=256)], Field(description="Slack channel id, C...")
        ]
    ]


@_strict
class CreatedTopic(TypedDict, total=False):
    """A topic that the deployment creates, with its subscribers."""

    emails: Annotated[list[Email] | None, Field(description="E-mail addresses; each has to confirm once.")]
    https: Annotated[list[HttpsSubscriber] | None, Field(description="HTTPS endpoints, by secret.")]
    chat: Annotated[list[ChatSubscriber] | None, Field(description="Slack channels.")]


@_strict
class Target(TypedDict, total=False):
    """Where one severity goes: existing topics or a created one."""

    topics: Annotated[
        Annotated[list[TopicArn], Field(min_length=1)] | None,
        Field(description="Existing SNS topics; each Region uses the ones that are in it (1 to 5)."),
    ]
    create: Annotated[CreatedTopic | None, Field(description="Create a topic in each Region, with these subscribers.")]
    ok_actions: Annotated[bool | None, Field(description="Whether recovery is announced too; default true.")]


@_strict
class Notifications(TypedDict, total=False):
    """Where alarms go, by severity. A severity without a target is visible on pages only."""

    page: Annotated[Target | None, Field(description="Wakes somebody.")]
    ticket: Annotated[Target | None, Field(description="Worked on in the day.")]
    note: Annotated[Target | None, Field(description="Kept, read in the review.")]


@_strict
class Evidence(TypedDict, total=False):
    """How is seen what AWS/Bedrock metrics do not tell: served latency mode and kinds of throttling, from CloudTrail."""

    route: Annotated[EvidenceRoute | None, Field(description="Where evidence comes from; default eventbridge.")]
    served_latency_path: Annotated[
        RecordPath | None,
        Field(description="Path of the served latency mode inside a CloudTrail record; unverified on AWS."),
    ]
    optimized_value: Annotated[RecordValue | None, Field(description="Value of that field when served optimized.")]
    standard_value: Annotated[RecordValue | None, Field(description="Value of that field when served standard.")]
    absent_means: Annotated[
        AbsentMeans | None, Field(description="How a record without the field counts: unknown (default) or standard.")
    ]
    throttle_error_code: Annotated[
        RecordPattern | None, Field(description="errorCode of a throttled call; * is a wildcard.")
    ]
    log_group: Annotated[
        Annotated[str, Field(pattern="^[._/#A-Za-z0-9-]+$", max_length=512)] | None,
        Field(description="Existing log group (needed by trail and invocation_log)."),
    ]
    retention_days: Annotated[Whole | None, Field(description="Retention of a log group that is created, in days.")]
    trail_home_region: Annotated[RegionName | None, Field(description="Home Region of the trail (route trail only).")]
    expected_delay_s: Annotated[
        Whole | None, Field(description="Delay of CloudTrail to plan for, seconds; default 300.")
    ]


@_strict
class CacheMetrics(TypedDict, total=False):
    """Names under which the account publishes the prompt cache metrics; the documentation has two spellings."""

    read: Annotated[Text, Field(description="Metric of tokens read from the prompt cache.")]
    write: Annotated[Text, Field(description="Metric of tokens written to the prompt cache.")]


@_strict
class SharedSettings(TypedDict, total=False):
    """Settings of an account that may also be defaults of the organisation."""

    profile: Annotated[
        Profile | None, Field(description="default: everything; lean: the least that tells fallback from throttling.")
    ]
    notifications: Annotated[Notifications | None, Field(description="Where alarms go, by severity.")]
    evidence: Annotated[Evidence | None, Field(description="How served latency mode and throttling are seen.")]
    model_defaults: Annotated[
        ModelSettings | None, Field(description="Settings of every model, unless the model says otherwise.")
    ]
    bootstrap_qualifier: Annotated[
        Annotated[str, Field(pattern="^[a-z0-9]+$", max_length=10)] | None,
        Field(description="CDK bootstrap qualifier; default is CDK's own."),
    ]
    permissions_boundary: Annotated[
        Annotated[str, Field(pattern="^[A-Za-z0-9_+=,.@/-]+$", max_length=512)] | None,
        Field(description="Name of the IAM policy that is set as boundary on every created role."),
    ]
    log_resource_policy: Annotated[
        bool | None,
        Field(
            description="false: the account already lets EventBridge write to the log group. Default true: create the policy."
        ),
    ]
    cache_metrics: Annotated[CacheMetrics | None, Field(description="Names of the prompt cache metrics.")]


@_strict
class AccountRegion(TypedDict, total=False):
    """What is different about the account in one Region."""

    notifications: Annotated[Notifications | None, Field(description="Targets in this Region, by severity.")]
    evidence: Annotated[Evidence | None, Field(description="Evidence in this Region.")]
    kms_key: Annotated[KmsKeyArn | None, Field(description="Existing key in this Region.")]


@_strict
class Account(SharedSettings, total=False):
    """One AWS account: one stage of one product."""

    id: Required[Annotated[AccountId, Field(description="Account id: twelve digits, in quotes.")]]
    regions: Required[
        Annotated[
            Annotated[list[RegionName], Field(min_length=1)], Field(description="Regions in which Bedrock is called.")
        ]
    ]
    partition: Annotated[
        Annotated[str, Field(pattern="^aws(-us-gov|-cn)?$")] | None,
        Field(description="aws, aws-us-gov or aws-cn; default: as the Regions say."),
    ]
    tags: Annotated[
        dict[Text, str] | None, Field(description="Tags on the account's resources, added to the organisation's.")
    ]
    kms_key: Annotated[
        KmsKeyArn | None, Field(description="Existing KMS key for topics and log group; default: one is created.")
    ]
    models: Annotated[
        dict[Key, Model | None] | None,
        Field(
            description="Models of the account. 'name:' alone takes a model of the organisation as it is; left out: all of them."
        ),
    ]
    in_regions: Annotated[
        dict[RegionName, AccountRegion | None] | None, Field(description="What is different in one Region.")
    ]


@_strict
class Organisation(TypedDict, total=False):
    """Who this is, and what holds for every account."""

    name: Required[Annotated[Text, Field(description="Name of the organisation, shown on pages.")]]
    prefix: Annotated[
        Annotated[str, Field(pattern="^[a-z][a-z0-9-]*$", max_length=20)] | None,
        Field(description="First part of every name; default llm."),
    ]
    tags: Annotated[dict[Text, str] | None, Field(description="Tags on every resource that takes tags.")]
    defaults: Annotated[
        SharedSettings | None, Field(description="Settings of every account, unless the account says otherwise.")
    ]


@_strict
class LintCheck(TypedDict, total=False):
    """What is different about one check of `bedrock-monitor lint`."""

    severity: Annotated[LintSeverity | None, Field(description="bug, risk or style; only bugs give exit code 1.")]
    off: Annotated[bool | None, Field(description="true: the check does not run.")]
    until: Annotated[
        Annotated[str, Field(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$")] | None,
        Field(description="Last day of off, for example 2026-12-31; left out: for good."),
    ]


@_strict
class Lint(TypedDict, total=False):
    """Settings of `bedrock-monitor lint`, for this and for any other file."""

    checks: Annotated[
        dict[Key, LintCheck] | None, Field(description="Changes by check, for example 'no-runbook: {off: true}'.")
    ]


@_strict
class Configuration(TypedDict, total=False):
    """monitoring.yaml of bedrock-monitor: one file for an organisation."""

    organisation: Required[Annotated[Organisation, Field(description="Who this is, and what holds for every account.")]]
    models: Annotated[dict[Key, Model] | None, Field(description="Models that several accounts share, by key.")]
    accounts: Required[
        Annotated[
            Annotated[dict[Key, Account], Field(min_length=1)],
            Field(description="Accounts by alias; the alias carries the stage, for example prod-assistant."),
        ]
    ]
    lint: Annotated[Lint | None, Field(description="Settings of lint: checks with another severity, or off.")]


@cache
def validator() -> TypeAdapter[Configuration]:
    """Return what validates a configuration; it is built once, when it is first needed."""
    return TypeAdapter(Configuration)
