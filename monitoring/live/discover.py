"""What is in an account and Region? Gathers, read-only; `monitoring.discovery` groups and `monitoring.proposal` writes.

Calls: cloudwatch:ListMetrics, cloudwatch:GetMetricData, bedrock:ListInferenceProfiles, servicequotas:ListServiceQuotas,
bedrock:GetModelInvocationLoggingConfiguration, cloudtrail:DescribeTrails, cloudtrail:GetTrailStatus,
cloudtrail:GetEventSelectors, sns:ListTopics, iam:ListAccountAliases. A denied call costs its own part and is said.

ListMetrics is asked without RecentlyActive: it then lists what had data within two weeks (API, ListMetrics), so that a
nightly job is found at noon too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from bedrock.metrics import NAMESPACE
from cloudwatch.metric import Metric
from cloudwatch.problems import InvalidValueError
from monitoring.discovery import Account, FoundProfile, FoundTrail
from monitoring.live.metric_data import DataRequest, metric_data
from monitoring.live.session import AwsError, Connection, doing
from monitoring.measurement import HourlyUse
from monitoring.quota_match import FoundQuota

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["DAYS", "gather_account", "trails_of"]

DAYS = 14
_HOUR_S = 3600
_STATS = (
    ("Invocations", "Sum"),
    ("InvocationThrottles", "Sum"),
    ("InvocationClientErrors", "Sum"),
    ("InvocationServerErrors", "Sum"),
    ("InvocationLatency", "Sum"),
    ("InvocationLatency", "SampleCount"),
    ("InvocationLatency", "p90"),
    ("TimeToFirstToken", "Sum"),
    ("TimeToFirstToken", "SampleCount"),
    ("TimeToFirstToken", "p90"),
    ("InputTokenCount", "Sum"),
    ("InputTokenCount", "SampleCount"),
    ("OutputTokenCount", "Sum"),
    ("OutputTokenCount", "SampleCount"),
    ("CacheReadInputTokenCount", "Sum"),
    ("CacheWriteInputTokenCount", "Sum"),
    ("CacheReadInputTokens", "Sum"),
    ("CacheWriteInputTokens", "Sum"),
)

_T = TypeVar("_T")


def gather_account(
    connection: Connection, *, region: str, now_s: int, progress: Callable[[str], None] = lambda _: None
) -> Account:
    """Ask one account and Region.

    Args:
        connection: Credentials and Region.
        region: The Region, for the answer.
        now_s: Present time, epoch seconds.
        progress: Told what is being read.

    Raises:
        AwsError: The credentials are not accepted at all.
    """
    account_id = connection.account_id
    problems: list[str] = []

    def ask(what: str, call: Callable[[], _T]) -> _T | None:
        progress(what)
        try:
            return call()
        except AwsError as error:
            problems.append(error.problem.message)
            return None

    end_s = now_s - now_s % _HOUR_S
    start_s = end_s - DAYS * 24 * _HOUR_S
    metrics = ask("published metrics", lambda: tuple(_metrics(connection))) or ()
    uses = ask("two weeks of metrics", lambda: _uses(connection, metrics, start_s=start_s, end_s=end_s, told=problems))
    aliases = ask("account alias", lambda: _aliases(connection))
    return Account(
        account_id=account_id,
        region=region,
        start_s=start_s,
        end_s=end_s,
        name=aliases[0] if aliases else None,
        uses=uses or (),
        metrics=metrics,
        tiers=frozenset(
            (asked, metric.dimension("ResolvedServiceTier") or "unknown")
            for metric in metrics
            if (asked := metric.dimension("ServiceTier"))
        ),
        profiles=ask("inference profiles", lambda: tuple(_profiles(connection))),
        quotas=ask("quotas", lambda: tuple(_quotas(connection))),
        trails=ask("trails", lambda: tuple(trails_of(connection))),
        topics=ask("topics", lambda: tuple(_topics(connection))),
        invocation_log_group=ask("invocation logging", lambda: _invocation_log(connection)),
        problems=tuple(problems),
    )


def _metrics(connection: Connection) -> Iterator[Metric]:
    for page in connection.pages("cloudwatch", "list_metrics", Namespace=NAMESPACE):
        for entry in page.get("Metrics", ()):
            try:
                yield Metric(
                    namespace=entry["Namespace"],
                    name=entry["MetricName"],
                    dimensions=tuple((pair["Name"], pair["Value"]) for pair in entry.get("Dimensions", ())),
                )
            except InvalidValueError:
                continue


def _uses(
    connection: Connection, metrics: tuple[Metric, ...], *, start_s: int, end_s: int, told: list[str]
) -> tuple[HourlyUse, ...]:
    published = {
        metric for metric in metrics if len(metric.dimensions) == 1 and metric.dimension("ModelId") is not None
    }
    requests = [
        DataRequest(metric=metric, stat=stat, period_s=_HOUR_S, start_s=start_s, end_s=end_s)
        for metric in sorted(published, key=lambda metric: (metric.dimensions, metric.name))
        for name, stat in _STATS
        if metric.name == name
    ]
    columns: dict[str, dict[tuple[str, str], dict[int, float]]] = {}
    for request, points in metric_data(connection, requests=requests, tell=told.append):
        model_id = request.metric.dimension("ModelId") or ""
        columns.setdefault(model_id, {})[(request.metric.name, request.stat)] = dict(points)
    return tuple(HourlyUse(model_id=model_id, columns=found) for model_id, found in columns.items())


def _profiles(connection: Connection) -> Iterator[FoundProfile]:
    for kind in ("SYSTEM_DEFINED", "APPLICATION"):
        for page in connection.pages("bedrock", "list_inference_profiles", typeEquals=kind):
            for entry in page.get("inferenceProfileSummaries", ()):
                arns = [str(model.get("modelArn", "")) for model in entry.get("models", ())]
                yield FoundProfile(
                    profile_id=str(entry["inferenceProfileId"]),
                    arn=str(entry["inferenceProfileArn"]),
                    name=str(entry.get("inferenceProfileName", "")),
                    application=kind == "APPLICATION",
                    model_ids=tuple(dict.fromkeys(arn.rsplit("/", 1)[-1] for arn in arns)),
                )


def _quotas(connection: Connection) -> Iterator[FoundQuota]:
    for page in connection.pages("service-quotas", "list_service_quotas", ServiceCode="bedrock"):
        for entry in page.get("Quotas", ()):
            if "Value" in entry:
                yield FoundQuota(
                    code=str(entry.get("QuotaCode", "")),
                    name=str(entry.get("QuotaName", "")),
                    value=float(entry["Value"]),
                )


def trails_of(connection: Connection) -> Iterator[FoundTrail]:
    """Yield the trails that record in this Region, those of other home Regions and of the organisation included.

    Raises:
        AwsError: A call was refused.
    """
    client = connection.client("cloudtrail")
    with doing("Reading trails (cloudtrail:DescribeTrails)"):
        found = client.describe_trails(includeShadowTrails=True).get("trailList", ())
    for entry in found:
        home = entry.get("HomeRegion")
        with doing(f"Reading trail {entry['Name']} (cloudtrail:GetTrailStatus, cloudtrail:GetEventSelectors)"):
            status = client.get_trail_status(Name=entry["TrailARN"])
            selectors = client.get_event_selectors(TrailName=entry["TrailARN"])
        yield FoundTrail(
            name=str(entry["Name"]),
            logging=bool(status.get("IsLogging")),
            management=_logs_management(selectors),
            log_group=_log_group(entry.get("CloudWatchLogsLogGroupArn")),
            home_region=home,
        )


def _logs_management(answer: dict[str, Any]) -> bool:
    for selector in answer.get("EventSelectors", ()):
        if selector.get("IncludeManagementEvents") and selector.get("ReadWriteType") == "All":
            return True
    for selector in answer.get("AdvancedEventSelectors", ()):
        fields = {field.get("Field"): field for field in selector.get("FieldSelectors", ())}
        if "Management" in fields.get("eventCategory", {}).get("Equals", ()) and "readOnly" not in fields:
            return True
    return False


def _log_group(arn: str | None) -> str | None:
    return arn.split(":log-group:", 1)[1].removesuffix(":*") if arn and ":log-group:" in arn else None


def _topics(connection: Connection) -> Iterator[str]:
    for page in connection.pages("sns", "list_topics"):
        for entry in page.get("Topics", ()):
            yield str(entry["TopicArn"])


def _aliases(connection: Connection) -> list[str]:
    return [alias for page in connection.pages("iam", "list_account_aliases") for alias in page["AccountAliases"]]


def _invocation_log(connection: Connection) -> str:
    with doing("Reading invocation logging (bedrock:GetModelInvocationLoggingConfiguration)"):
        answer = connection.client("bedrock").get_model_invocation_logging_configuration()
    return str(answer.get("loggingConfig", {}).get("cloudWatchConfig", {}).get("logGroupName", ""))
