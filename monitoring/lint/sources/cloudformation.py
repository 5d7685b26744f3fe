"""Which subjects does a CloudFormation template hold? Also what the CDK synthesises, and SAM templates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cloudwatch.readers.intrinsics import NO_VALUE
from monitoring.lint.placeholders import PlaceholderResolver, TemplatePlaces
from monitoring.lint.silence import disabled_in
from monitoring.lint.subjects import Kind, Subject

if TYPE_CHECKING:
    from datetime import date

    from monitoring.lint.documents import Document

__all__ = ["is_template", "template_subjects"]

_KINDS = {
    "AWS::CloudWatch::Alarm": (Kind.ALARM, "AlarmName"),
    "AWS::CloudWatch::CompositeAlarm": (Kind.COMPOSITE, "AlarmName"),
    "AWS::Logs::MetricFilter": (Kind.FILTER, "FilterName"),
    "AWS::CloudWatch::Dashboard": (Kind.DASHBOARD, "DashboardName"),
    "AWS::CloudWatch::AlarmMuteRule": (Kind.MUTE, "Name"),
}


def is_template(data: Any) -> bool:
    """Whether a document is a CloudFormation template."""
    return isinstance(data, Mapping) and isinstance(data.get("Resources"), Mapping)


def template_subjects(document: Document) -> list[Subject]:
    """Return the subjects of a template, in its order."""
    template: Mapping[str, Any] = document.data
    resolver = PlaceholderResolver(template)
    everywhere = disabled_in(template.get("Metadata"))
    found = []
    for logical_id, resource in template["Resources"].items():
        if isinstance(resource, Mapping) and str(resource.get("Type")) in _KINDS:
            found.append(_subject(document, str(logical_id), resource, resolver, everywhere))
    return found


def _subject(
    document: Document,
    logical_id: str,
    resource: Mapping[str, Any],
    resolver: PlaceholderResolver,
    everywhere: Mapping[str, date | None],
) -> Subject:
    kind, name_property = _KINDS[resource["Type"]]
    raw = resource.get("Properties")
    raw = raw if isinstance(raw, Mapping) else {}
    properties = {
        str(key): resolved for key, value in raw.items() if (resolved := resolver.resolve(value)) is not NO_VALUE
    }
    name = properties.get(name_property)
    return Subject(
        kind=kind,
        name=name if isinstance(name, str) and name else logical_id,
        identity=logical_id,
        properties=properties,
        document=document,
        places=TemplatePlaces(raw, root=("Resources", logical_id, "Properties"), resolver=resolver),
        named=isinstance(name, str),
        conditional="Condition" in resource,
        disabled={**everywhere, **disabled_in(resource.get("Metadata"))},
    )
