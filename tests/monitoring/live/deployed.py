"""A configuration and an account in which exactly it is deployed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cloudwatch.alarm import MetricAlarm
from monitoring.config import load_deployments
from monitoring.plan import plan
from tests.monitoring.live.fake_aws import ACCOUNT, REGION, Refused, moment

if TYPE_CHECKING:
    from pathlib import Path

    from monitoring.plan import Plan

__all__ = ["CONFIG", "MODEL_ID", "deployed_answers", "planned"]

MODEL_ID = "us.amazon.nova-pro-v1:0"
CONFIG = f"""\
organisation: {{name: Acme}}
accounts:
  prod:
    id: "{ACCOUNT}"
    regions: [{REGION}]
    notifications: {{page: {{create: {{emails: [oncall@example.com]}}}}}}
    models:
      chat:
        ids: [{MODEL_ID}]
        latency: optimized
        objectives: {{ttft_p90_ms: 900}}
        quotas: {{tpm: 800000}}
"""


def planned(path: Path) -> Plan:
    """Write the configuration and return its plan."""
    path.write_text(CONFIG)
    (deployment,) = load_deployments(path)
    return plan(deployment)


def described(made: Plan) -> dict[str, list[dict[str, Any]]]:
    """Return the alarms of a plan as DescribeAlarms has them, all OK."""
    found: dict[str, list[dict[str, Any]]] = {"MetricAlarms": [], "CompositeAlarms": []}
    for entry in (entry for group in (made.alarms, *(model.alarms for model in made.models)) for entry in group):
        alarm = entry.alarm
        row: dict[str, Any] = {
            "AlarmName": alarm.name,
            "AlarmArn": f"arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:{alarm.name}",
            "AlarmDescription": alarm.description,
            "ActionsEnabled": True,
            "AlarmActions": list(alarm.alarm_actions),
            "OKActions": list(alarm.ok_actions),
            "InsufficientDataActions": [],
            "StateValue": "OK",
        }
        if isinstance(alarm, MetricAlarm):
            row |= {
                "Metrics": [_query(query) for query in alarm.queries],
                "EvaluationPeriods": alarm.evaluation_periods,
                "DatapointsToAlarm": alarm.datapoints_to_alarm,
                "Threshold": alarm.threshold,
                "ComparisonOperator": str(alarm.comparison),
                "TreatMissingData": str(alarm.treat_missing_data),
            }
            found["MetricAlarms"].append(row)
        else:
            row["AlarmRule"] = alarm.rule
            if alarm.suppressor is not None:
                row |= {
                    "ActionsSuppressor": alarm.suppressor.alarm,
                    "ActionsSuppressorWaitPeriod": alarm.suppressor.wait_s,
                    "ActionsSuppressorExtensionPeriod": alarm.suppressor.extension_s,
                }
            found["CompositeAlarms"].append(row)
    return found


def _query(query: Any) -> dict[str, Any]:
    row: dict[str, Any] = {"Id": query.id, "ReturnData": query.return_data}
    if hasattr(query, "expression"):
        row["Expression"] = query.expression
        return row
    metric = query.metric
    row["MetricStat"] = {
        "Metric": {
            "Namespace": metric.namespace,
            "MetricName": metric.name,
            "Dimensions": [{"Name": name, "Value": value} for name, value in metric.dimensions],
        },
        "Period": query.period_s,
        "Stat": query.stat,
    }
    return row


def deployed_answers(made: Plan, *, now_s: int) -> dict[str, Any]:
    """Return answers of an account in which a plan is deployed, called every minute, and seen."""
    alarms = described(made)
    trail = f"arn:aws:cloudtrail:{REGION}:{ACCOUNT}:trail/all"

    def describe_alarms(asked: dict[str, Any]) -> dict[str, Any]:
        names = asked.get("AlarmNames")
        return {
            kind: [row for row in rows if names is None or row["AlarmName"] in names] for kind, rows in alarms.items()
        }

    def metric_data(asked: dict[str, Any]) -> dict[str, Any]:
        newest = now_s - now_s % 300 - 300
        results = [
            {"Id": query["Id"], "Label": "", "Timestamps": [moment(newest)], "Values": [5.0], "StatusCode": "Complete"}
            for query in asked["MetricDataQueries"]
        ]
        return {"MetricDataResults": results, "Messages": []}

    def rule(asked: dict[str, Any]) -> dict[str, Any] | Exception:
        known = {each.name: each for each in made.evidence.rules}
        if asked["Name"] not in known:
            return Refused("ResourceNotFoundException", "no such rule")
        return {"Name": asked["Name"], "State": known[asked["Name"]].state}

    subscription = {
        "SubscriptionArn": f"arn:aws:sns:{REGION}:{ACCOUNT}:llm-prod-page:1",
        "Owner": ACCOUNT,
        "Protocol": "email",
        "Endpoint": "oncall@example.com",
        "TopicArn": f"arn:aws:sns:{REGION}:{ACCOUNT}:llm-prod-page",
    }
    filters = [
        {
            "filterName": each.name,
            "filterPattern": each.pattern,
            "logGroupName": each.log_group,
            "metricTransformations": [
                {"metricName": each.metric, "metricNamespace": each.namespace, "metricValue": "1"}
            ],
        }
        for each in made.evidence.filters
    ]
    return {
        "cloudwatch.DescribeAlarms": describe_alarms,
        "cloudwatch.ListAlarmMuteRules": {"AlarmMuteRuleSummaries": []},
        "cloudwatch.GetMetricData": metric_data,
        "events.DescribeRule": rule,
        "events.ListTargetsByRule": {"Targets": [{"Id": "1", "Arn": "arn:aws:logs:x"}]},
        "logs.DescribeMetricFilters": {"metricFilters": filters},
        "kms.DescribeKey": {"KeyMetadata": {"KeyId": "k", "KeyState": "Enabled"}},
        "sns.ListSubscriptionsByTopic": {"Subscriptions": [subscription]},
        "cloudtrail.DescribeTrails": {"trailList": [{"Name": "all", "TrailARN": trail, "HomeRegion": REGION}]},
        "cloudtrail.GetTrailStatus": {"IsLogging": True},
        "cloudtrail.GetEventSelectors": {"EventSelectors": [{"ReadWriteType": "All", "IncludeManagementEvents": True}]},
    }
