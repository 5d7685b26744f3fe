"""What does a template say once its functions are resolved, as far as that is possible without deploying it?

Intrinsic functions, conditions, pseudo parameters and parameters of CloudFormation (template reference, Intrinsic
functions): Ref, Fn::Sub, Fn::Join, Fn::Select, Fn::Split, Fn::If, Fn::FindInMap, Fn::GetAtt, Fn::ToJsonString,
Fn::Length, Fn::Base64 and the condition functions. A name that CloudFormation would invent is replaced by the logical id.
What only a deployment can know (Fn::ImportValue, dynamic references, foreign attributes) is an `UnresolvedError`.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["NO_VALUE", "Resolver", "UnresolvedError"]


class _NoValue:
    """The value of AWS::NoValue: whatever holds it is left out."""

    def __repr__(self) -> str:
        return "AWS::NoValue"


NO_VALUE = _NoValue()

_MAX_DEPTH = 100
_MAX_TEXT = 4_000_000  # characters; a template itself has at most 1 MB
_SUB = re.compile(r"\$\{(!?)([^}]*)\}")
_DYNAMIC = re.compile(r"\{\{resolve:[^}]*\}\}")
_SSM = "AWS::SSM::Parameter::"

# Type -> property that names the resource; Ref returns that name.
_NAME_PROPERTY = {
    "AWS::CloudWatch::Alarm": "AlarmName",
    "AWS::CloudWatch::CompositeAlarm": "AlarmName",
    "AWS::CloudWatch::Dashboard": "DashboardName",
    "AWS::Logs::LogGroup": "LogGroupName",
    "AWS::Logs::MetricFilter": "FilterName",
    "AWS::SNS::Topic": "TopicName",
    "AWS::SQS::Queue": "QueueName",
    "AWS::Lambda::Function": "FunctionName",
    "AWS::DynamoDB::Table": "TableName",
    "AWS::S3::Bucket": "BucketName",
    "AWS::Events::Rule": "Name",
    "AWS::IAM::Role": "RoleName",
    "AWS::SageMaker::Endpoint": "EndpointName",
}
# Type -> what Ref returns where it is not the name. {p} partition, {r} Region, {a} account, {n} name.
_REF = {
    "AWS::SNS::Topic": "arn:{p}:sns:{r}:{a}:{n}",
    "AWS::SQS::Queue": "https://sqs.{r}.amazonaws.com/{a}/{n}",
}
_ATTRIBUTE = {
    ("AWS::CloudWatch::Alarm", "Arn"): "arn:{p}:cloudwatch:{r}:{a}:alarm:{n}",
    ("AWS::CloudWatch::CompositeAlarm", "Arn"): "arn:{p}:cloudwatch:{r}:{a}:alarm:{n}",
    ("AWS::Logs::LogGroup", "Arn"): "arn:{p}:logs:{r}:{a}:log-group:{n}:*",
    ("AWS::SNS::Topic", "TopicArn"): "arn:{p}:sns:{r}:{a}:{n}",
    ("AWS::SNS::Topic", "TopicName"): "{n}",
    ("AWS::SQS::Queue", "Arn"): "arn:{p}:sqs:{r}:{a}:{n}",
    ("AWS::SQS::Queue", "QueueName"): "{n}",
    ("AWS::SQS::Queue", "QueueUrl"): "https://sqs.{r}.amazonaws.com/{a}/{n}",
    ("AWS::Lambda::Function", "Arn"): "arn:{p}:lambda:{r}:{a}:function:{n}",
    ("AWS::DynamoDB::Table", "Arn"): "arn:{p}:dynamodb:{r}:{a}:table/{n}",
    ("AWS::S3::Bucket", "Arn"): "arn:{p}:s3:::{n}",
    ("AWS::Events::Rule", "Arn"): "arn:{p}:events:{r}:{a}:rule/{n}",
    ("AWS::IAM::Role", "Arn"): "arn:{p}:iam::{a}:role/{n}",
    ("AWS::SageMaker::Endpoint", "EndpointName"): "{n}",
}


class UnresolvedError(Exception):
    """A value cannot be known from the template alone; `hint` says what would help."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Resolver:
    """Resolves values of one template.

    Args:
        template: The parsed template; short-form tags already written as `{"Fn::Sub": ...}`.
        parameters: Values given for parameters; defaults of the template stand in for the others.
        pseudo: Values of pseudo parameters by full name, for example `{"AWS::Region": "us-east-1"}`.
    """

    def __init__(
        self, template: Mapping[str, Any], *, parameters: Mapping[str, Any], pseudo: Mapping[str, str]
    ) -> None:
        self._resources = _section(template, "Resources")
        self._declared = _section(template, "Parameters")
        self._conditions = _section(template, "Conditions")
        self._mappings = _section(template, "Mappings")
        self._given = parameters
        self._pseudo = pseudo
        self._active: list[str] = []
        self._names: dict[str, str] = {}
        self._truths: dict[str, bool] = {}
        self._depth = 0

    def resolve(self, value: Any) -> Any:
        """Return the value without functions; `NO_VALUE` entries of lists and objects are left out.

        Raises:
            UnresolvedError: Part of it cannot be known.
        """
        self._depth += 1
        try:
            if self._depth > _MAX_DEPTH:
                raise UnresolvedError(f"it is nested deeper than {_MAX_DEPTH} levels")
            if isinstance(value, Mapping):
                return self._resolve_mapping(value)
            if isinstance(value, list):
                items = [self.resolve(item) for item in value]
                return [item for item in items if item is not NO_VALUE]
            if isinstance(value, str) and (found := _DYNAMIC.search(value)):
                raise UnresolvedError(
                    f"dynamic reference {found.group()} is looked up at deployment", hint="Write the value itself."
                )
            return value
        finally:
            self._depth -= 1

    def is_function(self, value: Any) -> bool:
        """Tell whether a value is an intrinsic function call rather than plain JSON."""
        if not isinstance(value, Mapping) or len(value) != 1:
            return False
        key = next(iter(value))
        return isinstance(key, str) and (key in {"Ref", "Condition"} or key.startswith("Fn::"))

    def condition(self, name: str) -> bool:
        """Return the value of a named condition.

        Raises:
            UnresolvedError: It is not declared, or depends on something that cannot be known.
        """
        if name not in self._conditions:
            raise UnresolvedError(f"condition {name} is not declared", hint="Declare it under Conditions.")
        if name not in self._truths:
            self._enter(f"condition {name}")
            try:
                self._truths[name] = self._truth(self._conditions[name])
            finally:
                self._active.pop()
        return self._truths[name]

    def name_of(self, logical_id: str) -> str:
        """Return the name of a resource: its name property, or its logical id where CloudFormation would invent one.

        Raises:
            UnresolvedError: The name property is there and cannot be known.
        """
        if logical_id in self._names:
            return self._names[logical_id]
        resource = self._resources.get(logical_id)
        if not isinstance(resource, Mapping):
            raise UnresolvedError(f"{logical_id} is neither a parameter nor a resource of this template")
        properties = resource.get("Properties")
        key = _NAME_PROPERTY.get(str(resource.get("Type")))
        name: Any = NO_VALUE
        if key is not None and isinstance(properties, Mapping) and key in properties:
            self._enter(logical_id)
            try:
                name = self.resolve(properties[key])
            finally:
                self._active.pop()
        self._names[logical_id] = logical_id if name is NO_VALUE else str(name)
        return self._names[logical_id]

    def _enter(self, what: str) -> None:
        if what in self._active:
            raise UnresolvedError(f"{what} refers to itself ({' -> '.join([*self._active, what])})")
        self._active.append(what)

    def _resolve_mapping(self, value: Mapping[str, Any]) -> Any:
        if self.is_function(value):
            key, argument = next(iter(value.items()))
            if key != "Condition":
                return self._call(key, argument)
        resolved = {key: self.resolve(item) for key, item in value.items()}
        return {key: item for key, item in resolved.items() if item is not NO_VALUE}

    def _call(self, function: str, argument: Any) -> Any:
        match function:
            case "Ref":
                return self._ref(_text(argument, function))
            case "Fn::GetAtt":
                parts = argument.split(".", 1) if isinstance(argument, str) else argument
                return self._get_att(*_texts(self.resolve(parts), function, 2))
            case "Fn::Sub":
                return self._sub(argument)
            case "Fn::Join":
                separator, items = _list(argument, function, 2)
                return self._join(self.resolve(separator), self.resolve(items))
            case "Fn::Split":
                separator, text = _texts(self.resolve(argument), function, 2)
                if not separator:
                    raise UnresolvedError("Fn::Split needs a separator")
                return text.split(separator)
            case "Fn::Select":
                return self._select(argument)
            case "Fn::If":
                name, yes, no = _list(argument, function, 3)
                return self.resolve(yes if self.condition(_text(name, function)) else no)
            case "Fn::FindInMap":
                return self._find_in_map(argument)
            case "Fn::ToJsonString":
                value = self.resolve(argument)
                if value is NO_VALUE:
                    raise UnresolvedError("Fn::ToJsonString has nothing to write")
                return json.dumps(value, separators=(",", ":"))
            case "Fn::Length":
                return len(_list(self.resolve(argument), function, None))
            case "Fn::Base64":
                return base64.b64encode(_text(self.resolve(argument), function).encode()).decode()
            case "Fn::Equals" | "Fn::And" | "Fn::Or" | "Fn::Not":
                return self._truth({function: argument})
            case "Fn::ImportValue":
                raise UnresolvedError(
                    "Fn::ImportValue takes its value from another stack", hint="Give it as a parameter instead."
                )
            case _:
                raise UnresolvedError(f"{function} cannot be resolved without deploying the template")

    def _ref(self, name: str) -> Any:
        if name == "AWS::NoValue":
            return NO_VALUE
        if name in self._pseudo:
            return self._pseudo[name]
        if name in self._declared:
            return self._parameter(name)
        resource = self._resources.get(name)
        if not isinstance(resource, Mapping):
            raise UnresolvedError(
                f"{name} is neither a parameter nor a resource of this template", hint="Check the spelling of the name."
            )
        form = _REF.get(str(resource.get("Type")), "{n}")
        return self._format(form, self.name_of(name))

    def _parameter(self, name: str) -> Any:
        declared = self._declared[name] if isinstance(self._declared[name], Mapping) else {}
        kind = str(declared.get("Type", "String"))
        if name in self._given:
            value = self._given[name]
        elif "Default" in declared and not kind.startswith(_SSM):
            value = declared["Default"]
        else:
            raise UnresolvedError(f"parameter {name} has no value", hint=f"Give a value for parameter {name}.")
        if isinstance(value, str) and (kind == "CommaDelimitedList" or "List<" in kind):
            return [item.strip() for item in value.split(",")]
        return value

    def _get_att(self, logical_id: str, attribute: str) -> str:
        resource = self._resources.get(logical_id)
        if not isinstance(resource, Mapping):
            raise UnresolvedError(
                f"{logical_id} is not a resource of this template", hint="Check the spelling of the name."
            )
        form = _ATTRIBUTE.get((str(resource.get("Type")), attribute))
        if form is None:
            raise UnresolvedError(f"attribute {attribute} of {logical_id} is known only after deployment")
        return self._format(form, self.name_of(logical_id))

    def _format(self, form: str, name: str) -> str:
        return form.format(
            p=self._pseudo.get("AWS::Partition", "aws"),
            r=self._pseudo.get("AWS::Region", ""),
            a=self._pseudo.get("AWS::AccountId", ""),
            n=name,
        )

    def _sub(self, argument: Any) -> str:
        text, local = (argument, {}) if isinstance(argument, str) else _list(argument, "Fn::Sub", 2)
        if not isinstance(local, Mapping):
            raise UnresolvedError("the second entry of Fn::Sub is not an object")
        known: dict[str, str] = {}

        def replaced(found: re.Match[str]) -> str:
            literal, name = found.group(1), found.group(2).strip()
            if literal:
                return "${" + name + "}"
            if name not in known:
                if name in local:
                    value = self.resolve(local[name])
                elif "." in name:
                    value = self._get_att(*name.split(".", 1))
                else:
                    value = self._ref(name)
                known[name] = _scalar(value, f"${{{name}}}")
            return known[name]

        return self._bounded(_SUB.sub(replaced, _text(self.resolve(text), "Fn::Sub")))

    def _join(self, separator: Any, items: Any) -> str:
        texts = [_scalar(item, "an entry of Fn::Join") for item in _list(items, "Fn::Join", None)]
        return self._bounded(_text(separator, "Fn::Join").join(texts))

    def _bounded(self, text: str) -> str:
        if len(text) > _MAX_TEXT:
            raise UnresolvedError(f"the text grows beyond {_MAX_TEXT} characters")
        return text

    def _select(self, argument: Any) -> Any:
        position, items = _list(argument, "Fn::Select", 2)
        entries = _list(self.resolve(items), "Fn::Select", None)
        try:
            index = int(self.resolve(position))
        except (TypeError, ValueError, OverflowError):
            raise UnresolvedError("the position of Fn::Select is not a whole number") from None
        if not 0 <= index < len(entries):
            raise UnresolvedError(f"Fn::Select asks for entry {index} of {len(entries)}")
        return entries[index]

    def _find_in_map(self, argument: Any) -> Any:
        if not isinstance(argument, list) or len(argument) not in {3, 4}:
            raise UnresolvedError("Fn::FindInMap takes a map name and two keys")
        names = [str(self.resolve(part)) for part in argument[:3]]
        found: Any = self._mappings
        for name in names:
            if not isinstance(found, Mapping) or name not in found:
                if len(argument) == 4 and isinstance(argument[3], Mapping) and "DefaultValue" in argument[3]:
                    return self.resolve(argument[3]["DefaultValue"])
                raise UnresolvedError(f"Fn::FindInMap finds no {' / '.join(names)}", hint="Check Mappings.")
            found = found[name]
        return found

    def _truth(self, rule: Any) -> bool:
        self._depth += 1
        try:
            if self._depth > _MAX_DEPTH:
                raise UnresolvedError(f"a condition is nested deeper than {_MAX_DEPTH} levels")
            if isinstance(rule, bool):
                return rule
            if not isinstance(rule, Mapping) or len(rule) != 1:
                raise UnresolvedError("a condition is one condition function")
            function, argument = next(iter(rule.items()))
            match function:
                case "Condition":
                    return self.condition(_text(argument, "Condition"))
                case "Fn::Equals":
                    left, right = (self.resolve(side) for side in _list(argument, "Fn::Equals", 2))
                    return bool(_comparable(left) == _comparable(right))
                case "Fn::Not":
                    (inner,) = _list(argument, "Fn::Not", 1)
                    return not self._truth(inner)
                case "Fn::And":
                    return all(self._truth(part) for part in _list(argument, "Fn::And", None))
                case "Fn::Or":
                    return any(self._truth(part) for part in _list(argument, "Fn::Or", None))
                case _:
                    raise UnresolvedError(f"{function} is not a condition function that can be resolved")
        finally:
            self._depth -= 1


def _section(template: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    section = template.get(name)
    return section if isinstance(section, Mapping) else {}


def _comparable(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value


def _text(value: Any, function: str) -> str:
    if not isinstance(value, str):
        raise UnresolvedError(f"{function} needs text, found {type(value).__name__}")
    return value


def _list(value: Any, function: str, length: int | None) -> list[Any]:
    if not isinstance(value, list) or (length is not None and len(value) != length):
        raise UnresolvedError(f"{function} takes a list" + ("" if length is None else f" of {length}"))
    return value


def _texts(value: Any, function: str, length: int) -> tuple[str, ...]:
    return tuple(_text(item, function) for item in _list(value, function, length))


def _scalar(value: Any, what: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise UnresolvedError(f"{what} is not text")
