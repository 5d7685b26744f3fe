"""How do alarms look in the CDK? A loop over values, each handed over as one raw resource.

Raw resources are about a third of the price of typed ones (see bench/synth.py), and nothing looks at an alarm's type: the
values were checked at birth. A composite is created after its children and its suppressor.

Every call into the CDK costs about as much as a small resource. Straight under a stack a resource's logical id is its
construct id, so composites name their children without asking; under any other construct the CDK is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import CfnResource, Stack

from alarms.naming import logical_id
from cloudwatch.alarm import CompositeAlarm
from cloudwatch.alarm_rule import children, parse_rule
from cloudwatch.cloudformation import alarm_resource
from cloudwatch.rule_nodes import referenced_name

if TYPE_CHECKING:
    from constructs import Construct

    from alarms.alarm_set import AlarmSet

__all__ = ["add_alarms"]


def add_alarms(scope: Construct, *, entries: AlarmSet) -> dict[str, CfnResource]:
    """Add every alarm of a set as a CloudFormation resource and return the resources by alarm name.

    Args:
        scope: Where they go: a stack, or a construct inside one.
        entries: The set, children before the composites over them.
    """
    made: dict[str, CfnResource] = {}
    ids: dict[str, str] = {}
    literal = isinstance(scope, Stack)
    for entry in entries:
        name = entry.alarm.name
        ids[name] = logical_id("alarm", entry.slug)
        rendered = alarm_resource(entry.alarm)
        made[name] = CfnResource(scope, ids[name], type=rendered["Type"], properties=rendered["Properties"])
        if isinstance(entry.alarm, CompositeAlarm):
            first = [other for other in _referred_to(entry.alarm) if other in made]
            made[name].add_override("DependsOn", [ids[other] if literal else made[other].logical_id for other in first])
    return made


def _referred_to(alarm: CompositeAlarm) -> tuple[str, ...]:
    """Return names of alarms that must exist first, sorted, each once."""
    names = {referenced_name(child) for child in children(parse_rule(alarm.rule))}
    if alarm.suppressor is not None:
        names.add(referenced_name(alarm.suppressor.alarm))
    return tuple(sorted(names))
