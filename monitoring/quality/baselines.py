"""What would people have had otherwise? Two sets of alarms that are common, as CloudFormation templates.

* `otps-recipe`: what the Bedrock User Guide shows under output tokens per second: p50 of tokens, latency and time to first
  token, 300 s, below 80 % of a baseline, 3 of 5. It says "slow"; that is counted as fallback
  on a model that is asked for optimized latency and as slow-decode on others, the reading that favours it.
* `four-alarms`: what a first hour with the console leads to: average latency half as long again, and at least five throttles,
  5xx or 4xx in five minutes. Latency is read as the recipe is. Every alarm pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bedrock.models import LatencyMode
from bedrock.simulator.profile import profile_for
from cloudwatch.readers.cloudformation import read_template
from monitoring.quality.watch import watch_of

if TYPE_CHECKING:
    from bedrock.models import MonitoredModel
    from monitoring.quality.watch import Watch

__all__ = ["BASELINES", "baseline_watches", "four_alarms", "otps_recipe"]

BASELINES: tuple[str, ...] = ("otps-recipe", "four-alarms")

_Template = tuple[dict[str, Any], dict[str, str]]


def otps_recipe(model: MonitoredModel) -> _Template:
    """Return the recipe's template for a model, and what its alarms stand for."""
    resources: dict[str, Any] = {}
    causes: dict[str, str] = {}
    for place, model_id in enumerate(model.model_ids if model.streams else ()):
        name = f"{model.key}-otps-{place}"
        metrics = [
            _stat(model_id, query_id=query_id, name=metric, stat="p50")
            for query_id, metric in (
                ("m1", "InvocationLatency"),
                ("m2", "OutputTokenCount"),
                ("m3", "TimeToFirstToken"),
            )
        ]
        resources[f"Otps{place}"] = {
            "Type": "AWS::CloudWatch::Alarm",
            "Properties": {
                "AlarmName": name,
                "Metrics": [*metrics, {"Id": "otps", "Expression": "m2 / (m1 - m3) * 1000", "ReturnData": True}],
                "ComparisonOperator": "LessThanThreshold",
                "Threshold": 0.8 * model.baselines.otps,
                "EvaluationPeriods": 5,
                "DatapointsToAlarm": 3,
                "TreatMissingData": "notBreaching",
            },
        }
        causes[name] = _slow(model)
    return {"Resources": resources}, causes


def four_alarms(model: MonitoredModel) -> _Template:
    """Return the template of the four alarms for a model, and what they stand for."""
    profile = profile_for(model)
    usual_ms = 1000 * profile.mean_duration_s[profile.asks_optimized]
    wanted = (
        ("latency", "InvocationLatency", "Average", 1.5 * usual_ms, 3, 2, _slow(model)),
        ("throttles", "InvocationThrottles", "Sum", 5.0, 1, 1, "throttled"),
        ("5xx", "InvocationServerErrors", "Sum", 5.0, 1, 1, "service-errors"),
        ("4xx", "InvocationClientErrors", "Sum", 5.0, 1, 1, "caller-errors"),
    )
    resources: dict[str, Any] = {}
    causes: dict[str, str] = {}
    for place, model_id in enumerate(model.model_ids):
        for word, metric, stat, threshold, n, m, cause in wanted:
            name = f"{model.key}-{word}-{place}"
            resources[f"A{word}{place}"] = {
                "Type": "AWS::CloudWatch::Alarm",
                "Properties": {
                    "AlarmName": name,
                    "Namespace": "AWS/Bedrock",
                    "MetricName": metric,
                    "Dimensions": [{"Name": "ModelId", "Value": model_id}],
                    "Statistic": stat,
                    "Period": 300,
                    "ComparisonOperator": "GreaterThanOrEqualToThreshold",
                    "Threshold": threshold,
                    "EvaluationPeriods": n,
                    "DatapointsToAlarm": m,
                    "TreatMissingData": "notBreaching",
                },
            }
            causes[name] = cause
    return {"Resources": resources}, causes


def baseline_watches(model: MonitoredModel) -> dict[str, Watch]:
    """Return both sets for a model, read from their templates."""
    templates = zip(BASELINES, (otps_recipe(model), four_alarms(model)), strict=True)
    return {
        name: watch_of([read_template(template)], pages=causes, tickets={}) for name, (template, causes) in templates
    }


def _slow(model: MonitoredModel) -> str:
    return "fallback" if model.latency is LatencyMode.OPTIMIZED else "slow-decode"


def _stat(model_id: str, *, query_id: str, name: str, stat: str) -> dict[str, Any]:
    metric = {"Namespace": "AWS/Bedrock", "MetricName": name, "Dimensions": [{"Name": "ModelId", "Value": model_id}]}
    return {"Id": query_id, "MetricStat": {"Metric": metric, "Period": 300, "Stat": stat}, "ReturnData": False}
