"""What does a CloudFormation template define?

Any template, ours or foreign, as a parsed JSON or YAML document: alarms, composite alarms, metric filters, dashboards and
log groups, with functions, conditions and parameters resolved as far as they can be without deploying it
(`cloudwatch.readers.intrinsics`). Resources whose condition is false do not exist. What cannot be resolved is one problem
that names resource and property, and everything else is still read. A resource without a name of its own gets its logical
id as name, as the physical name is invented at deployment.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from cloudwatch.cloudformation import ALARM_TYPE, COMPOSITE_TYPE, DASHBOARD_TYPE, METRIC_FILTER_TYPE
from cloudwatch.problems import Place, Problem, ProblemSeverity
from cloudwatch.readers.alarms import (
    COMPOSITE_FIELDS,
    METRIC_ALARM_FIELDS,
    composite_alarm_from,
    metric_alarm_from,
)
from cloudwatch.readers.definitions import DashboardText, Definitions
from cloudwatch.readers.fields import Fields, pointer, shown
from cloudwatch.readers.intrinsics import NO_VALUE, Resolver, UnresolvedError
from cloudwatch.readers.metric_filters import TEMPLATE_FIELDS, metric_filter_from

if TYPE_CHECKING:
    from cloudwatch.alarm import CompositeAlarm, MetricAlarm
    from cloudwatch.metric_filter import MetricFilter

__all__ = ["UNRESOLVED_PREFIX", "read_template"]

UNRESOLVED_PREFIX = "unresolved:"
"""Start of the text that stands for an action or description that cannot be resolved: that there is one still matters."""

_LOG_GROUP_TYPE = "AWS::Logs::LogGroup"
_NOT_READ = {"AWS::CloudWatch::LogAlarm", "AWS::CloudWatch::AlarmMuteRule", "AWS::CloudWatch::AnomalyDetector"}
_FIELDS = {ALARM_TYPE: METRIC_ALARM_FIELDS, COMPOSITE_TYPE: COMPOSITE_FIELDS}
_NAME_FIELDS = {
    ALARM_TYPE: "AlarmName",
    COMPOSITE_TYPE: "AlarmName",
    DASHBOARD_TYPE: "DashboardName",
    METRIC_FILTER_TYPE: "FilterName",
    _LOG_GROUP_TYPE: "LogGroupName",
}
# An alarm with an unknown value here is still the same alarm for evaluation.
_STAND_IN = {"AlarmActions", "AlarmDescription", "InsufficientDataActions", "OKActions"}
_DROPPED = {"Tags", "ActionsEnabled"}


def read_template(
    template: Any,
    *,
    parameters: Mapping[str, Any] | None = None,
    region: str = "us-east-1",
    account_id: str = "111122223333",
    partition: str = "aws",
    stack_name: str = "stack",
    file: str | None = None,
) -> Definitions:
    """Read a template.

    Args:
        template: The parsed document; `!Sub x` arrives as `{"Fn::Sub": "x"}`.
        parameters: Values for parameters; defaults of the template stand in for the others.
        region: AWS::Region. Like the next ones a sample that only shows in ARNs, unless given.
        account_id: AWS::AccountId, twelve digits.
        partition: AWS::Partition.
        stack_name: AWS::StackName.
        file: File for the places of problems.

    Returns:
        Definitions in the order of the template; `source_names` maps logical id to name.
    """
    suffix = "amazonaws.com.cn" if partition == "aws-cn" else "amazonaws.com"
    pseudo = {
        "AWS::Region": region,
        "AWS::AccountId": account_id,
        "AWS::Partition": partition,
        "AWS::StackName": stack_name,
        "AWS::StackId": f"arn:{partition}:cloudformation:{region}:{account_id}:stack/{stack_name}/sample",
        "AWS::URLSuffix": suffix,
    }
    reading = _Reading(file)
    resources = template.get("Resources") if isinstance(template, Mapping) else None
    if not isinstance(resources, Mapping):
        reading.say("", "not-a-template", "The document has no Resources", hint="Give a CloudFormation template.")
        return reading.definitions()
    resolver = Resolver(template, parameters=parameters or {}, pseudo=pseudo)
    for logical_id, resource in resources.items():
        reading.resource(str(logical_id), resource, resolver)
    return reading.definitions()


class _Reading:
    """What was found so far in one template."""

    def __init__(self, file: str | None) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.names: dict[str, str] = {}
        self.alarms: list[MetricAlarm] = []
        self.composites: list[CompositeAlarm] = []
        self.filters: list[MetricFilter] = []
        self.dashboards: list[DashboardText] = []
        self.log_groups: list[str] = []
        self.taken: dict[tuple[str, str], str] = {}

    def definitions(self) -> Definitions:
        return Definitions(
            alarms=tuple(self.alarms),
            composites=tuple(self.composites),
            metric_filters=tuple(self.filters),
            dashboards=tuple(self.dashboards),
            log_groups=tuple(self.log_groups),
            problems=tuple(self.problems),
            source_names=self.names,
        )

    def say(
        self,
        path: str,
        code: str,
        message: str,
        *,
        hint: str = "",
        severity: ProblemSeverity = ProblemSeverity.ERROR,
    ) -> None:
        place = Place(file=self.file, path=path)
        self.problems.append(Problem(code=code, message=message, severity=severity, place=place, hint=hint))

    def resource(self, logical_id: str, resource: Any, resolver: Resolver) -> None:
        path = pointer("Resources", logical_id)
        if logical_id.startswith("Fn::"):
            self.say(path, "unresolved", f"{logical_id} is expanded at deployment", hint="Give the expanded template.")
            return
        if not isinstance(resource, Mapping):
            self.say(path, "not-a-resource", f"Resource {logical_id} is {shown(resource)}, it must be an object")
            return
        kind = resource.get("Type")
        if kind is not None and not isinstance(kind, str):
            self.say(f"{path}/Type", "not-a-resource", f"Type is {shown(kind)}, it must be text")
            return
        if kind in _NOT_READ:
            self.say(path, "resource-not-read", f"{kind} {logical_id} is not read", severity=ProblemSeverity.WARNING)
        if kind not in _NAME_FIELDS or not self._exists(path, resource, resolver):
            return
        properties = resource.get("Properties", {})
        if not isinstance(properties, Mapping):
            self.say(f"{path}/Properties", "not-a-resource", f"Properties is {shown(properties)}, not an object")
            return
        if kind == _LOG_GROUP_TYPE:  # only its name matters here; its key is often known after deployment only
            properties = {name: value for name, value in properties.items() if name == "LogGroupName"}
        fields = self._resolved(f"{path}/Properties", properties, resolver)
        self._check_names(fields, kind)
        name_field = _NAME_FIELDS[kind]
        if name_field in fields.unknown:
            name: str | None = logical_id
        else:
            name = fields.text(name_field) or logical_id
        self._read(kind, logical_id, str(name), fields)

    def _read(self, kind: str, logical_id: str, name: str, fields: Fields) -> None:
        found = True
        match kind:
            case "AWS::CloudWatch::Alarm":
                alarm = metric_alarm_from(fields, name=name)
                found = alarm is not None and self._first(("alarm", name), logical_id, fields)
                self.alarms += [alarm] if alarm is not None and found else []
            case "AWS::CloudWatch::CompositeAlarm":
                composite = composite_alarm_from(fields, name=name)
                found = composite is not None and self._first(("alarm", name), logical_id, fields)
                self.composites += [composite] if composite is not None and found else []
            case "AWS::Logs::MetricFilter":
                metric_filter = metric_filter_from(fields, names=TEMPLATE_FIELDS, name=name)
                found = metric_filter is not None
                self.filters += [metric_filter] if metric_filter is not None else []
            case "AWS::CloudWatch::Dashboard":
                body = fields.text("DashboardBody", required=True)
                found = body is not None and self._first(("dashboard", name), logical_id, fields)
                self.dashboards += [DashboardText(name=name, body=body)] if body is not None and found else []
            case _:
                self.log_groups.append(name)
        if found:
            self.names[logical_id] = name

    def _first(self, key: tuple[str, str], logical_id: str, fields: Fields) -> bool:
        other = self.taken.setdefault(key, logical_id)
        if other == logical_id:
            return True
        fields.problem(
            "AlarmName" if key[0] == "alarm" else "DashboardName",
            f"{logical_id} and {other} are both called {key[1]!r}",
            hint="Give each its own name.",
            code="duplicate-name",
        )
        return False

    def _exists(self, path: str, resource: Mapping[str, Any], resolver: Resolver) -> bool:
        name = resource.get("Condition")
        if name is None:
            return True
        try:
            return resolver.condition(str(name))
        except UnresolvedError as unresolved:
            self.say(
                f"{path}/Condition",
                "unresolved",
                f"{unresolved.message}; the resource is read as if the condition held",
                hint=unresolved.hint,
                severity=ProblemSeverity.WARNING,
            )
            return True

    def _check_names(self, fields: Fields, kind: str) -> None:
        known = _FIELDS.get(kind)
        if known is None:
            return
        for name in fields.values:
            if name not in known:
                close = get_close_matches(str(name), sorted(known), n=1)
                fields.problem(
                    str(name),
                    f"{kind} has no property {name}",
                    hint=f"Did you mean {close[0]}?" if close else "Remove it.",
                    code="unknown-property",
                    severity=ProblemSeverity.WARNING,
                )

    def _resolved(self, path: str, properties: Mapping[str, Any], resolver: Resolver) -> Fields:
        values: dict[str, Any] = {}
        unknown: set[str] = set()
        for name, value in properties.items():
            minor = name in _STAND_IN or name in _DROPPED
            before = len(self.problems)
            resolved = self._value(f"{path}{pointer(name)}", value, resolver, minor=minor)
            if resolved is NO_VALUE:
                continue
            if len(self.problems) > before and name not in _STAND_IN:
                unknown.add(name)
            else:
                values[name] = resolved
        return Fields(values, path=path, report=self.problems.append, file=self.file, unknown=unknown)

    def _value(self, path: str, value: Any, resolver: Resolver, *, minor: bool) -> Any:
        """Resolve a value; each outermost function that cannot be resolved is one problem at its own place."""
        if isinstance(value, Mapping) and not resolver.is_function(value) and path.count("/") < 50:
            found = {
                key: self._value(f"{path}{pointer(key)}", item, resolver, minor=minor) for key, item in value.items()
            }
            return {key: item for key, item in found.items() if item is not NO_VALUE}
        if isinstance(value, list) and path.count("/") < 50:
            items = [
                self._value(f"{path}{pointer(position)}", item, resolver, minor=minor)
                for position, item in enumerate(value)
            ]
            return [item for item in items if item is not NO_VALUE]
        try:
            return resolver.resolve(value)
        except UnresolvedError as unresolved:
            self.say(
                path,
                "unresolved",
                f"{path.rsplit('/', maxsplit=1)[-1] if not path.rsplit('/', maxsplit=1)[-1].isdigit() else 'The value'}: {unresolved.message}",
                hint=unresolved.hint,
                severity=ProblemSeverity.WARNING if minor else ProblemSeverity.ERROR,
            )
            return f"{UNRESOLVED_PREFIX}{path}"
