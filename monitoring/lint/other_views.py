"""What does a check want to know of composites, metric filters and mute rules?"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from cloudwatch.alarm_rule import children, parse_rule, referenced_name
from cloudwatch.patterns import parse_pattern
from cloudwatch.problems import InvalidValueError, TextSyntaxError
from monitoring.lint.alarm_view import View
from monitoring.lint.known import has_hole, items, mapping, texts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cloudwatch.alarm_rule import Rule
    from cloudwatch.patterns import Pattern

__all__ = ["CompositeView", "FilterView", "MuteView"]


class CompositeView(View):
    """A composite alarm."""

    @property
    def rule_text(self) -> str | None:
        """Its rule; holes are plain characters of names and do not hinder reading."""
        rule = self.properties.get("AlarmRule")
        return rule if isinstance(rule, str) else None

    @cached_property
    def rule(self) -> Rule | None:
        """The rule, None where it cannot be read."""
        return self._read[0]

    @cached_property
    def mistake(self) -> TextSyntaxError | None:
        """What is wrong with the rule."""
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[Rule | None, TextSyntaxError | None]:
        rule = self.rule_text
        if rule is None:
            return None, None
        try:
            return parse_rule(rule), None
        except TextSyntaxError as wrong:
            return None, None if has_hole(rule) else wrong
        except InvalidValueError:
            return None, None

    @cached_property
    def children(self) -> tuple[str, ...]:
        """References to other alarms, by name or ARN."""
        return () if self.rule is None else children(self.rule)

    @cached_property
    def child_names(self) -> frozenset[str]:
        """Names of the alarms it refers to, its suppressor included."""
        suppressor = self.properties.get("ActionsSuppressor")
        more = (suppressor,) if isinstance(suppressor, str) else ()
        return frozenset(referenced_name(child) for child in (*self.children, *more))


class FilterView(View):
    """A metric filter."""

    @property
    def log_group(self) -> str:
        """Its log group; may hold `${...}`."""
        return str(self.properties.get("LogGroupName", ""))

    @property
    def pattern_text(self) -> str | None:
        """Its pattern, where it is known."""
        value = self.properties.get("FilterPattern")
        return value if isinstance(value, str) and not has_hole(value) else None

    @cached_property
    def pattern(self) -> Pattern | None:
        """The pattern, None where it cannot be read."""
        return self._read[0]

    @cached_property
    def mistake(self) -> TextSyntaxError | None:
        """What is wrong with the pattern."""
        return self._read[1]

    @cached_property
    def _read(self) -> tuple[Pattern | None, TextSyntaxError | None]:
        pattern = self.pattern_text
        if pattern is None:
            return None, None
        try:
            return parse_pattern(pattern), None
        except TextSyntaxError as wrong:
            return None, wrong

    @property
    def transformations(self) -> list[Mapping[str, Any]]:
        """Its transformations."""
        return [mapping(one) for one in items(self.properties.get("MetricTransformations"))]

    @property
    def metrics(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """What it writes: namespace, name and sorted names of dimensions, holes included."""
        return [
            (
                str(one.get("MetricNamespace")),
                str(one.get("MetricName")),
                tuple(sorted(str(mapping(pair).get("Key")) for pair in items(one.get("Dimensions")))),
            )
            for one in self.transformations
        ]


class MuteView(View):
    """A mute rule."""

    @property
    def targets(self) -> frozenset[str]:
        """Names of the alarms it mutes."""
        names = texts(mapping(self.properties.get("MuteTargets")).get("AlarmNames"))
        return frozenset(referenced_name(name) for name in names)
