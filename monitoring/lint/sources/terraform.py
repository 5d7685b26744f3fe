"""Which subjects does Terraform know? Plans and states as `terraform show -json` prints them, with all nested modules.

Attributes are put into CloudFormation's spelling by two rules (snake case to capitals; blocks are lists of one) and the
exceptions below. What a plan knows only after apply is absent from its values and named in `after_unknown`: it reads as a
placeholder, so that an alarm with a topic of the same plan has an action. (Terraform documentation, JSON output format; AWS
provider documentation.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from monitoring.lint.subjects import Kind, Piece, Subject

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.documents import Document
    from monitoring.lint.subjects import Path_

__all__ = ["is_terraform", "terraform_subjects"]

_KINDS = {
    "aws_cloudwatch_metric_alarm": (Kind.ALARM, "alarm_name"),
    "aws_cloudwatch_composite_alarm": (Kind.COMPOSITE, "alarm_name"),
    "aws_cloudwatch_log_metric_filter": (Kind.FILTER, "name"),
    "aws_cloudwatch_dashboard": (Kind.DASHBOARD, "dashboard_name"),
}
_ALARM = {
    "AlarmName": "alarm_name",
    "AlarmDescription": "alarm_description",
    "ActionsEnabled": "actions_enabled",
    "AlarmActions": "alarm_actions",
    "OKActions": "ok_actions",
    "InsufficientDataActions": "insufficient_data_actions",
    "ComparisonOperator": "comparison_operator",
    "DatapointsToAlarm": "datapoints_to_alarm",
    "EvaluationPeriods": "evaluation_periods",
    "EvaluateLowSampleCountPercentile": "evaluate_low_sample_count_percentiles",
    "ExtendedStatistic": "extended_statistic",
    "MetricName": "metric_name",
    "Namespace": "namespace",
    "Period": "period",
    "Statistic": "statistic",
    "Threshold": "threshold",
    "ThresholdMetricId": "threshold_metric_id",
    "TreatMissingData": "treat_missing_data",
    "Unit": "unit",
}
_COMPOSITE = {name: _ALARM[name] for name in list(_ALARM)[:6]} | {"AlarmRule": "alarm_rule"}
_QUERY = {
    "Id": "id",
    "Expression": "expression",
    "Label": "label",
    "Period": "period",
    "ReturnData": "return_data",
    "AccountId": "account_id",
}
_STAT = {"Stat": "stat", "Period": "period", "Unit": "unit"}
_METRIC = {"Namespace": "namespace", "MetricName": "metric_name"}
_FILTER = {"FilterName": "name", "FilterPattern": "pattern", "LogGroupName": "log_group_name"}
_TRANSFORMATION = {
    "MetricName": "name",
    "MetricNamespace": "namespace",
    "MetricValue": "value",
    "DefaultValue": "default_value",
    "Unit": "unit",
}
_DASHBOARD = {"DashboardName": "dashboard_name", "DashboardBody": "dashboard_body"}
_EVERY = {
    **_ALARM,
    **_COMPOSITE,
    **_QUERY,
    **_STAT,
    **_METRIC,
    "FilterName": "name",
    "FilterPattern": "pattern",
    "LogGroupName": "log_group_name",
    "MetricNamespace": "namespace",
    "MetricValue": "value",
    "DefaultValue": "default_value",
    **_DASHBOARD,
}
_HOLE = "${known after apply}"
_MOST_MODULES = 10_000


def is_terraform(data: Any) -> bool:
    """Whether a document is a plan or a state."""
    if not isinstance(data, Mapping) or "format_version" not in data:
        return False
    return any(key in data for key in ("planned_values", "values", "resource_changes", "terraform_version"))


def terraform_subjects(document: Document) -> list[Subject]:
    """Return the subjects of a plan (as planned) or of a state."""
    data: Mapping[str, Any] = document.data
    unknown = {}
    for change in data["resource_changes"] if isinstance(data.get("resource_changes"), list) else ():
        if isinstance(change, Mapping) and isinstance(change.get("change"), Mapping):
            unknown[str(change.get("address"))] = change["change"].get("after_unknown")
    key = "planned_values" if "planned_values" in data else "values"
    found = []
    for resource, path in _resources(data.get(key), (key,)):
        if resource.get("mode", "managed") == "managed" and str(resource.get("type")) in _KINDS:
            found.append(_subject(document, resource, path, unknown.get(str(resource.get("address")))))
    return found


def _resources(values: Any, path: Path_) -> Iterator[tuple[Mapping[str, Any], Path_]]:
    waiting: list[tuple[Any, Path_]] = []
    if isinstance(values, Mapping):
        waiting.append((values.get("root_module"), (*path, "root_module")))
    seen = 0
    while waiting and seen < _MOST_MODULES:
        module, place = waiting.pop(0)
        seen += 1
        if not isinstance(module, Mapping):
            continue
        resources = module.get("resources")
        for position, resource in enumerate(resources if isinstance(resources, list) else ()):
            if isinstance(resource, Mapping) and isinstance(resource.get("values"), Mapping):
                yield resource, (*place, "resources", position, "values")
        children = module.get("child_modules")
        for position, child in enumerate(children if isinstance(children, list) else ()):
            waiting.append((child, (*place, "child_modules", position)))


def _subject(document: Document, resource: Mapping[str, Any], path: Path_, unknown: Any) -> Subject:
    kind, name_key = _KINDS[resource["type"]]
    values = _with_holes(resource["values"], unknown)
    name, arn, address = values.get(name_key), values.get("arn"), str(resource.get("address"))
    parts = arn.split(":") if isinstance(arn, str) else []
    region = values.get("region") or (parts[3] if len(parts) > 4 else None)
    return Subject(
        kind=kind,
        name=name if isinstance(name, str) and name else address,
        identity=address,
        properties=_properties(kind, values),
        document=document,
        places=TerraformPlaces(root=path, values=values),
        named=isinstance(name, str),
        region=region if isinstance(region, str) else None,
    )


def _with_holes(values: Mapping[str, Any], unknown: Any) -> dict[str, Any]:
    found = dict(values)
    for key, what in unknown.items() if isinstance(unknown, Mapping) else ():
        if what is True:
            found[key] = [_HOLE] if key.endswith("_actions") else _HOLE
        elif isinstance(what, list) and any(item is True for item in what):
            given = found.get(key)
            known = given if isinstance(given, list) and given else [None]
            found[key] = [_HOLE if item is None else item for item in known]
        elif isinstance(what, Mapping) and isinstance(found.get(key), Mapping):
            found[key] = {**found[key], **{name: _HOLE for name, open_ in what.items() if open_ is True}}
    return found


def _named(values: Mapping[str, Any], table: Mapping[str, str]) -> dict[str, Any]:
    """Return what is set: Terraform writes null, and an empty text or list, for what is not."""
    return {name: values[key] for name, key in table.items() if values.get(key) not in (None, "", [])}


def _properties(kind: Kind, values: Mapping[str, Any]) -> dict[str, Any]:
    match kind:
        case Kind.ALARM:
            return _alarm(values)
        case Kind.COMPOSITE:
            found = _named(values, _COMPOSITE)
            suppressor = _block(values.get("actions_suppressor"))
            if suppressor:
                found["ActionsSuppressor"] = suppressor.get("alarm")
                found["ActionsSuppressorWaitPeriod"] = suppressor.get("wait_period")
                found["ActionsSuppressorExtensionPeriod"] = suppressor.get("extension_period")
            return found
        case Kind.FILTER:
            found = {"FilterPattern": values.get("pattern") or "", **_named(values, _FILTER)}
            blocks = values.get("metric_transformation")
            if isinstance(blocks, list):
                found["MetricTransformations"] = [
                    {**_named(block, _TRANSFORMATION), **_dimensions(block, "Key", "Value")}
                    for block in blocks
                    if isinstance(block, Mapping)
                ]
            return found
        case _:
            return _named(values, _DASHBOARD)


def _alarm(values: Mapping[str, Any]) -> dict[str, Any]:
    found = _named(values, _ALARM)
    queries = values.get("metric_query")
    if isinstance(queries, list) and queries:
        if values.get("threshold_metric_id") not in (None, ""):
            found.pop("Threshold", None)  # written as 0 where it is not set
        for name in ("Namespace", "MetricName", "Period", "Statistic", "Dimensions"):
            if found.get(name) in (0, None, {}):
                found.pop(name, None)
        found["Metrics"] = [_query(query) for query in queries if isinstance(query, Mapping)]
    else:
        found |= _dimensions(values, "Name", "Value")
    if found.get("DatapointsToAlarm") == 0:
        del found["DatapointsToAlarm"]
    return found


def _query(query: Mapping[str, Any]) -> dict[str, Any]:
    found = _named(query, _QUERY)
    metric = _block(query.get("metric"))
    if metric:
        found.pop("Period", None)
        inner = _named(metric, _METRIC) | _dimensions(metric, "Name", "Value")
        found["MetricStat"] = {"Metric": inner, **_named(metric, _STAT)}
    if found.get("Period") == 0:
        del found["Period"]
    found.setdefault("ReturnData", False)
    return found


def _block(value: Any) -> Mapping[str, Any]:
    first = value[0] if isinstance(value, list) and value else value
    return first if isinstance(first, Mapping) else {}


def _dimensions(values: Mapping[str, Any], key: str, value: str) -> dict[str, Any]:
    given = values.get("dimensions")
    if isinstance(given, str):
        return {"Dimensions": [{key: given, value: given}]}
    if not isinstance(given, Mapping) or not given:
        return {}
    return {"Dimensions": [{key: name, value: one} for name, one in given.items()]}


@dataclass(frozen=True, slots=True, kw_only=True)
class TerraformPlaces:
    """From CloudFormation's spelling back to attributes and blocks."""

    root: Path_
    values: Mapping[str, Any]

    def original(self, path: Path_) -> Path_:
        """Return the place of a property, or of the block that should hold it."""
        found: list[str | int] = list(self.root)
        node: Any = self.values
        steps = list(path)
        while steps:
            step = steps.pop(0)
            names = self._names(step, steps, node)
            for name in names:
                try:
                    node = node[name]
                except (KeyError, IndexError, TypeError):
                    return tuple(found)
                found.append(name)
        return tuple(found)

    def _names(self, step: str | int, steps: list[str | int], node: Any) -> list[str | int]:
        if isinstance(step, int):
            return [step]
        match step:
            case "Metrics":
                return ["metric_query"]
            case "MetricTransformations":
                return ["metric_transformation"]
            case "MetricStat":
                return ["metric", 0]
            case "Metric":
                return []
            case "Dimensions":
                return ["dimensions", *self._dimension(steps, node)]
            case "MetricName" if isinstance(node, Mapping) and "metric_name" not in node:
                return ["name"]
            case "ActionsSuppressor":
                return ["actions_suppressor", 0, "alarm"]
            case _:
                return [_EVERY.get(step, step)]

    def _dimension(self, steps: list[str | int], node: Any) -> list[str | int]:
        position = steps[0] if steps else None
        steps.clear()
        given = node.get("dimensions") if isinstance(node, Mapping) else None
        if not isinstance(given, Mapping) or not isinstance(position, int):
            return []
        return [name for index, name in enumerate(given) if index == position]

    def pieces(self, path: Path_, text: str) -> list[Piece]:
        """Return the one place of a text."""
        return [Piece(path=self.original(path), start=0, end=len(text))]
