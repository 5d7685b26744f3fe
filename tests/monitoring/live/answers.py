"""What an account with two models answers: as recorded answers look, with numbers of our own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.monitoring.live.fake_aws import ACCOUNT, REGION, moment

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["HOUR", "account_answers", "metric_data"]

HOUR = 3600
NOVA = "us.amazon.nova-pro-v1:0"
PROFILE = "cypje2y15yrd"
# By ModelId: calls an hour, ms to the last and first token (means), tokens in and out.
TRAFFIC: dict[str, dict[str, float]] = {
    NOVA: {"calls": 1200, "latency": 4000, "ttft": 500, "in": 1800, "out": 350},
    PROFILE: {"calls": 240, "latency": 3000, "ttft": 800, "in": 900, "out": 110},
}


def _value(name: str, stat: str, traffic: Mapping[str, float]) -> float | None:
    calls = traffic["calls"]
    means = {
        "InvocationLatency": traffic["latency"],
        "TimeToFirstToken": traffic["ttft"],
        "InputTokenCount": traffic["in"],
        "OutputTokenCount": traffic["out"],
    }
    if name == "Invocations":
        return calls
    if name not in means:
        return None
    return {"Sum": calls * means[name], "SampleCount": calls, "p90": 1.5 * means[name]}[stat]


def metric_data(parameters: dict[str, Any], traffic: Mapping[str, Mapping[str, float]] = TRAFFIC) -> dict[str, Any]:
    """Answer GetMetricData in two pages, the later half of the time first: no order is promised."""
    start, end = (int(float(parameters[name])) for name in ("StartTime", "EndTime"))
    results = []
    for query in parameters["MetricDataQueries"]:
        stat = query["MetricStat"]
        dimensions = {pair["Name"]: pair["Value"] for pair in stat["Metric"]["Dimensions"]}
        period = stat["Period"]
        times = range(start, end, period)
        middle = start + (end - start) // 2
        wanted = [at for at in times if (at >= middle) != ("NextToken" in parameters)]
        value = _value(
            stat["Metric"]["MetricName"],
            stat["Stat"],
            traffic.get(dimensions.get("ModelId", ""), {"calls": 0, "latency": 0, "ttft": 0, "in": 0, "out": 0}),
        )
        if value is None or dimensions.get("ModelId", "") not in traffic:
            wanted = []
        results.append(
            {
                "Id": query["Id"],
                "Label": query["Id"],
                "Timestamps": [moment(at) for at in wanted],
                "Values": [float(value or 0.0)] * len(wanted),
                "StatusCode": "Complete" if "NextToken" in parameters else "PartialData",
            }
        )
    answer: dict[str, Any] = {"MetricDataResults": results, "Messages": []}
    return answer if "NextToken" in parameters else answer | {"NextToken": "second"}


def _metrics(names: tuple[str, ...], model_id: str) -> list[dict[str, Any]]:
    return [
        {"Namespace": "AWS/Bedrock", "MetricName": name, "Dimensions": [{"Name": "ModelId", "Value": model_id}]}
        for name in names
    ]


def account_answers() -> dict[str, Any]:
    """Return answers to everything that `discover` asks."""
    names = ("Invocations", "InvocationLatency", "TimeToFirstToken", "InputTokenCount", "OutputTokenCount")
    arn = f"arn:aws:bedrock:{REGION}:{ACCOUNT}:application-inference-profile/{PROFILE}"
    haiku = f"arn:aws:bedrock:{REGION}::foundation-model/anthropic.claude-haiku-4-5-20251001-v1:0"
    trail = f"arn:aws:cloudtrail:{REGION}:{ACCOUNT}:trail/all"

    def profiles(parameters: dict[str, Any]) -> dict[str, Any]:
        if parameters.get("type") != "APPLICATION":
            return {"inferenceProfileSummaries": []}
        summary = {
            "inferenceProfileName": "search",
            "inferenceProfileArn": arn,
            "inferenceProfileId": PROFILE,
            "models": [{"modelArn": haiku}],
            "status": "ACTIVE",
            "type": "APPLICATION",
        }
        return {"inferenceProfileSummaries": [summary]}

    return {
        "cloudwatch.ListMetrics": {"Metrics": [*_metrics(names, NOVA), *_metrics(names, PROFILE)]},
        "cloudwatch.GetMetricData": metric_data,
        "bedrock.ListInferenceProfiles": profiles,
        "bedrock.GetModelInvocationLoggingConfiguration": {},
        "service-quotas.ListServiceQuotas": {
            "Quotas": [
                {
                    "QuotaCode": "L-1",
                    "QuotaName": "Cross-region model inference tokens per minute for Amazon Nova Pro",
                    "Value": 800000.0,
                },
                {
                    "QuotaCode": "L-2",
                    "QuotaName": "On-demand model inference tokens per minute for Amazon Nova Pro",
                    "Value": 400000.0,
                },
                {
                    "QuotaCode": "L-3",
                    "QuotaName": "Cross-region model inference requests per minute for Amazon Nova Pro",
                    "Value": 200.0,
                },
            ]
        },
        "cloudtrail.DescribeTrails": {
            "trailList": [{"Name": "all", "TrailARN": trail, "HomeRegion": REGION, "IsMultiRegionTrail": True}]
        },
        "cloudtrail.GetTrailStatus": {"IsLogging": True},
        "cloudtrail.GetEventSelectors": {"EventSelectors": [{"ReadWriteType": "All", "IncludeManagementEvents": True}]},
        "sns.ListTopics": {"Topics": [{"TopicArn": f"arn:aws:sns:{REGION}:{ACCOUNT}:oncall"}]},
        "iam.ListAccountAliases": {"AccountAliases": ["acme-prod"], "IsTruncated": False},
    }
