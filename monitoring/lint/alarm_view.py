"""What does a check want to know of an alarm? Its entries, its numbers, as far as they are known."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from monitoring.lint.finding import Found
from monitoring.lint.known import flag, has_hole, items, mapping, number, text, whole
from monitoring.lint.math_queries import Entry, Queries

if TYPE_CHECKING:
    from monitoring.lint.math_queries import Mistake
    from monitoring.lint.subjects import Path_, Subject

__all__ = ["AlarmView", "View"]

_ABOVE = ("GreaterThanThreshold", "GreaterThanOrEqualToThreshold", "GreaterThanUpperThreshold")
_BELOW = ("LessThanThreshold", "LessThanOrEqualToThreshold", "LessThanLowerThreshold")


class View:
    """What all subjects have.

    Args:
        subject: The subject.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.properties = subject.properties

    @property
    def name(self) -> str:
        """Its name; may hold `${...}`."""
        return self.subject.name

    def found(
        self,
        message: str,
        *,
        path: Path_ = (),
        hint: str = "",
        inner: Path_ | None = None,
        span: tuple[int, int] | None = None,
    ) -> Found:
        """Return something that was found at one of its properties."""
        return Found(subject=self.subject, path=path, message=message, hint=hint, inner=inner, span=span)

    def actions(self, *properties: str) -> list[tuple[Path_, str]]:
        """Return the actions of the states given, with their places."""
        return [
            ((name, position), action)
            for name in properties or ("AlarmActions", "OKActions", "InsufficientDataActions")
            for position, action in enumerate(items(self.properties.get(name)))
            if isinstance(action, str)
        ]

    @property
    def acts(self) -> bool:
        """Whether somebody hears of it when it goes into ALARM."""
        return bool(self.properties.get("AlarmActions")) and flag(self.properties.get("ActionsEnabled"), default=True)


class AlarmView(View):
    """A metric alarm."""

    @cached_property
    def queries(self) -> Queries:
        """Its metrics and expressions."""
        metrics = self.properties.get("Metrics")
        if isinstance(metrics, list):
            return Queries([_entry(one, ("Metrics", position)) for position, one in enumerate(metrics)])
        return Queries([self._plain()] if "MetricName" in self.properties or "Namespace" in self.properties else [])

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Metrics and expressions, in their order."""
        return self.queries.entries

    @property
    def mistakes(self) -> list[Mistake]:
        """What is wrong in its expressions."""
        return self.queries.mistakes

    @cached_property
    def result(self) -> Entry | None:
        """The entry that is compared with the threshold, None where that is not clear."""
        band = text(self.properties.get("ThresholdMetricId"))
        returned = [entry for entry in self.entries if entry.returned and (entry.id is None or entry.id != band)]
        return returned[0] if len(returned) == 1 else None

    @property
    def threshold(self) -> float | None:
        """The threshold, where it is a known number."""
        return number(self.properties.get("Threshold"))

    @property
    def periods(self) -> int | None:
        """N."""
        return whole(self.properties.get("EvaluationPeriods"))

    @property
    def datapoints(self) -> int | None:
        """M; N where it is not written."""
        value = self.properties.get("DatapointsToAlarm")
        return self.periods if value is None else whole(value)

    @cached_property
    def period_s(self) -> float | None:
        """Seconds of the period that its metrics share, None where it is not known or differs."""
        found = {entry.period_s for entry in self.queries.metrics}
        return next(iter(found)) if len(found) == 1 else None

    @property
    def comparison(self) -> str | None:
        """ComparisonOperator."""
        return text(self.properties.get("ComparisonOperator"))

    @property
    def breaches_above(self) -> bool:
        """Whether high values breach."""
        return self.comparison in _ABOVE

    @property
    def breaches_below(self) -> bool:
        """Whether low values breach."""
        return self.comparison in _BELOW

    @property
    def missing_data(self) -> str | None:
        """TreatMissingData, `missing` where it is not written; None where it is not known."""
        value = self.properties.get("TreatMissingData")
        return "missing" if value is None else text(value)

    @property
    def missing_data_path(self) -> Path_:
        """Where TreatMissingData is, or the alarm itself where it is not written."""
        return ("TreatMissingData",) if "TreatMissingData" in self.properties else ()

    def _plain(self) -> Entry:
        properties = self.properties
        extended = "ExtendedStatistic" in properties and "Statistic" not in properties
        return Entry(
            path=(),
            paths={
                "Namespace": ("Namespace",),
                "MetricName": ("MetricName",),
                "Dimensions": ("Dimensions",),
                "Stat": ("ExtendedStatistic",) if extended else ("Statistic",),
                "Period": ("Period",),
                "Unit": ("Unit",),
            },
            namespace=text(properties.get("Namespace")),
            name=text(properties.get("MetricName")),
            dimensions=_dimensions(properties.get("Dimensions")),
            stat=text(properties.get("ExtendedStatistic" if extended else "Statistic")),
            period_s=number(properties.get("Period")),
            unit=text(properties.get("Unit")),
            dimension_paths=_value_paths(properties.get("Dimensions"), ("Dimensions",)),
        )


def _entry(value: Any, path: Path_) -> Entry:
    entry = mapping(value)
    returned = flag(entry.get("ReturnData"), default=True)
    identifier = text(entry.get("Id"))
    if "Expression" in entry:
        expression = entry.get("Expression")
        return Entry(
            path=path,
            paths={"Period": (*path, "Period")},
            id=identifier,
            returned=returned,
            expression=expression if isinstance(expression, str) else None,
            expression_path=(*path, "Expression"),
            period_s=number(entry.get("Period")),
            is_metric=False,
        )
    stat, root = mapping(entry.get("MetricStat")), (*path, "MetricStat")
    metric = mapping(stat.get("Metric"))
    return Entry(
        path=path,
        paths={
            "Namespace": (*root, "Metric", "Namespace"),
            "MetricName": (*root, "Metric", "MetricName"),
            "Dimensions": (*root, "Metric", "Dimensions"),
            "Stat": (*root, "Stat"),
            "Period": (*root, "Period"),
            "Unit": (*root, "Unit"),
        },
        id=identifier,
        returned=returned,
        namespace=text(metric.get("Namespace")),
        name=text(metric.get("MetricName")),
        dimensions=_dimensions(metric.get("Dimensions")),
        stat=text(stat.get("Stat")),
        period_s=number(stat.get("Period")),
        unit=text(stat.get("Unit")),
        account=text(entry.get("AccountId")),
        dimension_paths=_value_paths(metric.get("Dimensions"), (*root, "Metric", "Dimensions")),
    )


def _dimensions(value: Any) -> tuple[tuple[str, Any], ...] | None:
    if value is None:
        return ()
    found = []
    for one in items(value):
        name = mapping(one).get("Name")
        if not isinstance(name, str) or has_hole(name):
            return None
        found.append((name, mapping(one).get("Value")))
    return tuple(found) if isinstance(value, list) else None


def _value_paths(value: Any, root: Path_) -> tuple[Path_, ...]:
    return tuple((*root, position, "Value") for position in range(len(items(value))))
