"""How do alarms look in the CDK? A loop over values, each handed over as one raw resource.

Raw resources are about a third of the price of typed ones (see bench/synth.py), and nothing looks at an alarm's type: the
values were checked at birth. A composite is created after its children and its suppressor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import CfnResource
from constructs import Construct

from alarms.naming import logical_id
from cloudwatch.alarm import CompositeAlarm
from cloudwatch.alarm_rule import children, parse_rule
from cloudwatch.cloudformation import alarm_resource
from cloudwatch.rule_nodes import referenced_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from alarms.alarm_set import AlarmSet

__all__ = ["Alarms"]


class Alarms(Construct):
    """Every alarm of a set as a CloudFormation resource.

    Attributes:
        by_name: The resources by alarm name.

    Args:
        scope: Where they go.
        id: Id in that scope.
        entries: The set, children before the composites over them.
    """

    by_name: dict[str, CfnResource]

    def __init__(self, scope: Construct, id: str, *, entries: AlarmSet) -> None:  # noqa: A002 - the CDK's own name
        super().__init__(scope, id)
        self.by_name = {}
        for entry in entries:
            rendered = alarm_resource(entry.alarm)
            resource = CfnResource(
                self, logical_id(entry.slug), type=rendered["Type"], properties=rendered["Properties"]
            )
            if isinstance(entry.alarm, CompositeAlarm):
                self._order(resource, after=_referred_to(entry.alarm))
            self.by_name[entry.alarm.name] = resource

    def _order(self, resource: CfnResource, *, after: Iterable[str]) -> None:
        first = [self.by_name[name].logical_id for name in after if name in self.by_name]
        if first:
            resource.add_override("DependsOn", first)


def _referred_to(alarm: CompositeAlarm) -> tuple[str, ...]:
    """Return names of alarms that must exist first, sorted, each once."""
    names = {referenced_name(child) for child in children(parse_rule(alarm.rule))}
    if alarm.suppressor is not None:
        names.add(referenced_name(alarm.suppressor.alarm))
    return tuple(sorted(names))
