"""How does a measure become a named alarm with a role, actions and a description?

A symptom has no action. A cause has the actions of its severity; its OK action too, unless a suppressor holds its actions
back: then OK could reach people without the ALARM before it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from alarms.alarm_set import AlarmEntry, AlarmSet, Omission, Role, Severity
from alarms.naming import alarm_name
from alarms.policy import policy_for, severity_for, wanted
from cloudwatch.alarm import CompositeAlarm, MetricAlarm, Suppressor
from cloudwatch.alarm_rule import all_of, any_of, in_alarm, print_rule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from alarms.measures import Measure
    from alarms.naming import Site
    from bedrock.models import MonitoredModel
    from cloudwatch.alarm import Alarm
    from cloudwatch.rule_nodes import Rule

__all__ = ["Assembly", "Describe", "any_alarm"]


class Describe(Protocol):
    """Text of an alarm, at most 1,024 characters."""

    def __call__(self, slug: str, *, alarm: Alarm, role: Role, severity: Severity | None) -> str:
        """Return the description."""


def any_alarm(names: Sequence[str]) -> Rule:
    """Return the condition that any of these alarms is in ALARM."""
    return any_of(*(in_alarm(name) for name in names))


@dataclass(slots=True, kw_only=True)
class Assembly:
    """The alarms of one model, or of the account, while they are put together in the order of creation.

    Attributes:
        site: Where.
        model: The model, or None for account-wide alarms.
        targets: ARNs that a severity calls on entry into ALARM.
        ok_targets: ARNs that a severity calls on entry into OK.
        describe: Writes descriptions.
    """

    site: Site
    model: MonitoredModel | None
    targets: Mapping[Severity, tuple[str, ...]]
    ok_targets: Mapping[Severity, tuple[str, ...]]
    describe: Describe
    entries: list[AlarmEntry] = field(default_factory=list)
    omitted: list[Omission] = field(default_factory=list)

    def name(self, slug: str) -> str:
        """Return the name of the alarm of a slug."""
        return alarm_name(self.site, model=self.model.key if self.model else None, slug=slug)

    def wants(self, slug: str) -> bool:
        """Tell whether the configuration wants the alarm, and note where it does not."""
        if self.model is None or wanted(self.model, slug):
            return True
        opt_in = policy_for(slug).opt_in and slug not in dict(self.model.overrides)
        self.omit(slug, "off unless the configuration turns it on" if opt_in else "off in the configuration")
        return False

    def omit(self, slug: str, reason: str) -> None:
        """Note that an alarm is left out, and why."""
        self.omitted.append(Omission(slug=slug, reason=reason))

    def symptom(self, slug: str, measures: Sequence[Measure], *, numbered: bool = False) -> tuple[str, ...]:
        """Add the metric alarms of a symptom; return their names.

        A severity that the configuration gives a symptom makes it a cause with actions of its own.

        Args:
            slug: In the policy table.
            measures: One, or one for each group of ids.
            numbered: Whether even a single one is numbered, because a composite carries the slug.
        """
        severity = None if numbered or self.model is None else severity_for(self.model, slug)
        names: list[str] = []
        for place, measure in enumerate(measures, start=1):
            own = f"{slug}-{place}" if numbered or len(measures) > 1 else slug
            self._metric(own, measure, role=Role.CAUSE if severity else Role.SYMPTOM, severity=severity)
            names.append(self.name(own))
        return tuple(names)

    def measured_cause(
        self, slug: str, measures: Sequence[Measure], *, severity: Severity | None = None, every: bool = False
    ) -> tuple[str, ...]:
        """Add a cause that a metric alarm tells by itself; return the names to ask for.

        Several groups of ids get a composite over them that carries the slug and the actions, so that one incident calls once.

        Args:
            slug: In the policy table.
            measures: One, or one for each group of ids.
            severity: Default in place of the table's.
            every: Whether all groups must be in ALARM, not any.
        """
        told = self.severity(slug, severity)
        if len(measures) == 1:
            self._metric(slug, measures[0], role=Role.CAUSE, severity=told)
            return (self.name(slug),)
        names = self.symptom(slug, measures, numbered=True)
        rule = all_of(*(in_alarm(name) for name in names)) if every else any_alarm(names)
        return (self.composite(slug, rule, severity=told),)

    def composite(
        self,
        slug: str,
        rule: Rule,
        *,
        severity: Severity | None = None,
        suppressor: Suppressor | None = None,
    ) -> str:
        """Add a composite, a cause where it has a severity, else a symptom; return its name."""
        role = Role.CAUSE if severity else Role.SYMPTOM
        bare = CompositeAlarm(name=self.name(slug), rule=print_rule(rule), suppressor=suppressor)
        alarm = CompositeAlarm(
            name=bare.name,
            rule=bare.rule,
            suppressor=suppressor,
            description=self.describe(slug, alarm=bare, role=role, severity=severity),
            alarm_actions=self.targets.get(severity, ()) if severity else (),
            ok_actions=self.ok_targets.get(severity, ()) if severity and suppressor is None else (),
        )
        self._add(slug, alarm, role=role, severity=severity)
        return alarm.name

    def severity(self, slug: str, default: Severity | None = None) -> Severity | None:
        """Return who hears of a cause: as configured, else `default`, else as in the table."""
        configured = self.model.override(slug).severity if self.model else None
        return Severity(configured) if configured else default or severity_for(self.model, slug)

    def done(self) -> AlarmSet:
        """Return what was put together."""
        return AlarmSet(entries=tuple(self.entries), omitted=tuple(self.omitted))

    def _metric(self, slug: str, measure: Measure, *, role: Role, severity: Severity | None) -> None:
        def alarm(description: str) -> MetricAlarm:
            return MetricAlarm(
                name=self.name(slug),
                queries=measure.queries,
                comparison=measure.comparison,
                threshold=measure.threshold,
                evaluation_periods=measure.cadence.evaluation_periods,
                datapoints_to_alarm=measure.cadence.datapoints_to_alarm,
                treat_missing_data=policy_for(measure.slug).missing,
                description=description,
                alarm_actions=self.targets.get(severity, ()) if severity else (),
                ok_actions=self.ok_targets.get(severity, ()) if severity else (),
            )

        text = self.describe(slug, alarm=alarm(""), role=role, severity=severity)
        self._add(slug, alarm(text), role=role, severity=severity)

    def _add(self, slug: str, alarm: Alarm, *, role: Role, severity: Severity | None) -> None:
        policy = policy_for(slug)
        unit = policy.unit if isinstance(alarm, MetricAlarm) else ""
        self.entries.append(
            AlarmEntry(
                slug=slug,
                role=role,
                severity=severity,
                alarm=alarm,
                model=self.model.key if self.model else None,
                unit=unit,
                title=policy.title,
            )
        )
