"""How do alarms look in the CDK? A loop over values, all handed over as finished resources in one call.

Nothing looks at an alarm's type, and the values were checked at birth. A composite is created after its children and its
suppressor: CloudFormation learns it from DependsOn, because rules name children by text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import Stack

from alarms.naming import logical_id
from alarms.raw.construct import RawResources, id_prefix
from cloudwatch.alarm import CompositeAlarm
from cloudwatch.alarm_rule import children, parse_rule
from cloudwatch.cloudformation import alarm_resource
from cloudwatch.rule_nodes import referenced_name

if TYPE_CHECKING:
    from constructs import Construct

    from alarms.alarm_set import AlarmSet

__all__ = ["add_alarms"]


def add_alarms(scope: Construct, *, entries: AlarmSet) -> None:
    """Add every alarm of a set as a CloudFormation resource.

    Args:
        scope: Where they go: a stack, or a construct inside one.
        entries: The set, children before the composites over them.
    """
    prefix = id_prefix(scope, stack=isinstance(scope, Stack))
    ids = {entry.alarm.name: prefix + logical_id("alarm", entry.slug) for entry in entries}
    resources = {
        ids[entry.alarm.name]: alarm_resource(
            entry.alarm,
            depends_on=[ids[name] for name in _referred_to(entry.alarm) if name in ids]
            if isinstance(entry.alarm, CompositeAlarm)
            else (),
        )
        for entry in entries
    }
    if resources:
        RawResources(scope, "Alarms", resources=resources)


def _referred_to(alarm: CompositeAlarm) -> tuple[str, ...]:
    """Return names of alarms that must exist first, sorted, each once."""
    names = {referenced_name(child) for child in children(parse_rule(alarm.rule))}
    if alarm.suppressor is not None:
        names.add(referenced_name(alarm.suppressor.alarm))
    return tuple(sorted(names))
