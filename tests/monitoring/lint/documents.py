"""Small documents of each kind that lint reads, made from the same faults."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

from monitoring.lint.documents import text_document
from monitoring.lint.run import lint_documents

if TYPE_CHECKING:
    from monitoring.lint.finding import Finding

__all__ = ["TODAY", "alarm", "found", "plan", "template"]

TODAY = date(2026, 11, 1)


def alarm(**changes: Any) -> dict[str, Any]:
    """Return the properties of an alarm without a fault, with changes; None removes a property."""
    properties: dict[str, Any] = {
        "AlarmName": "prod-throttled",
        "AlarmDescription": "https://runbooks.example.com/throttled",
        "Namespace": "AWS/Bedrock",
        "MetricName": "InvocationThrottles",
        "Dimensions": [{"Name": "ModelId", "Value": "us.amazon.nova-pro-v1:0"}],
        "Statistic": "Sum",
        "Period": 60,
        "EvaluationPeriods": 3,
        "DatapointsToAlarm": 2,
        "Threshold": 5,
        "ComparisonOperator": "GreaterThanThreshold",
        "TreatMissingData": "notBreaching",
        "AlarmActions": ["arn:aws:sns:us-east-1:111122223333:prod-chat"],
    }
    return {key: value for key, value in {**properties, **changes}.items() if value is not None}


def template(**resources: dict[str, Any]) -> dict[str, Any]:
    """Return a template with alarms of these properties."""
    return {"Resources": {key: {"Type": "AWS::CloudWatch::Alarm", "Properties": one} for key, one in resources.items()}}


def plan(kind: str, values: dict[str, Any], *, unknown: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return what `terraform show -json` prints of a plan with one resource in a nested module."""
    address = f"module.a.{kind}.x"
    resource = {"address": address, "mode": "managed", "type": kind, "name": "x", "values": values}
    change = {"address": address, "type": kind, "change": {"after_unknown": unknown or {}}}
    return {
        "format_version": "1.2",
        "terraform_version": "1.9.0",
        "planned_values": {"root_module": {"child_modules": [{"address": "module.a", "resources": [resource]}]}},
        "resource_changes": [change],
    }


def found(document: Any, *, file: str = "x.json", check: str | None = None) -> list[Finding]:
    """Return what lint finds in a document, given as text or as JSON value."""
    text = document if isinstance(document, str) else json.dumps(document, indent=1)
    findings = lint_documents([text_document(text, file=file)], today=TODAY).findings
    return [one for one in findings if check is None or one.check == check]
