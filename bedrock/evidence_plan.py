"""Which metric filters, rules and log groups does an account need, and which series do they give?

Alarms and pages ask `plan.served(model, "standard")` and sum what they get: an empty tuple means that the route gives no
evidence for that model. Served classes are kept only for models whose callers ask for latency-optimized inference; they are
one series a model whatever the number of its ids. Kinds of throttles are four filters for the whole account, with the model
id as a dimension: they are published, and billed, only in the hours in which something throttles (docs/adr/0010).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from bedrock.event_rules import (
    EventRule,
    LogTarget,
    calls_rule,
    matched_events,
    rule_name,
    served_rule,
    shrunk_record,
    throttled_rule,
)
from bedrock.evidence import EvidenceRoute, EvidenceSettings, ServedAs, ThrottleKind
from bedrock.evidence_patterns import (
    RecordShape,
    record_shape,
    served_classes,
    served_patterns,
    throttle_kinds,
    throttle_pattern,
)
from bedrock.models import LatencyMode, MonitoredModel
from cloudwatch import limits
from cloudwatch.metric import Metric
from cloudwatch.metric_filter import MetricFilter
from cloudwatch.problems import InvalidValueError, Place, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["EvidenceLogGroup", "EvidencePlan", "evidence_problems", "plan_evidence"]

_DIMENSION = "ModelId"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceLogGroup:
    """The log group that holds the evidence.

    Attributes:
        name: Name of the log group.
        create: Whether it is ours to create.
        retention_days: Days it keeps events, where it is created.
    """

    name: str
    create: bool
    retention_days: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidencePlan:
    """What gives evidence in one account and Region, and the series that come out.

    Attributes:
        settings: What was asked for.
        filters: Metric filters, each on a log group of `log_groups`.
        rules: EventBridge rules.
        log_groups: None or one.
        served_series: Series by model key and class.
        throttled_series: Series by model key and kind.
    """

    settings: EvidenceSettings
    filters: tuple[MetricFilter, ...] = ()
    rules: tuple[EventRule, ...] = ()
    log_groups: tuple[EvidenceLogGroup, ...] = ()
    served_series: tuple[tuple[tuple[str, ServedAs], tuple[Metric, ...]], ...] = ()
    throttled_series: tuple[tuple[tuple[str, ThrottleKind], tuple[Metric, ...]], ...] = ()

    def served(self, model: MonitoredModel | str, served_as: ServedAs | str) -> tuple[Metric, ...]:
        """Return the series to sum for the calls of a model that were served so; empty without evidence."""
        return dict(self.served_series).get((_key(model), ServedAs(served_as)), ())

    def throttled(self, model: MonitoredModel | str, kind: ThrottleKind | str) -> tuple[Metric, ...]:
        """Return the series to sum for the throttled calls of a model of one kind; empty without evidence."""
        return dict(self.throttled_series).get((_key(model), ThrottleKind(kind)), ())

    def sees_fallback(self, model: MonitoredModel | str) -> bool:
        """Tell whether standard-served calls of a model can be told from optimized ones."""
        return bool(self.served(model, ServedAs.OPTIMIZED) and self.served(model, ServedAs.STANDARD))

    @property
    def log_group(self) -> str | None:
        """Name of the log group that holds the records, or None."""
        return self.log_groups[0].name if self.log_groups else None


def evidence_problems(settings: EvidenceSettings, *, region: str) -> tuple[Problem, ...]:
    """Return why evidence cannot be read as asked in a Region, as problems with a hint."""
    found: list[Problem] = []

    def add(code: str, path: str, message: str, hint: str) -> None:
        found.append(Problem(code=code, message=message, hint=hint, place=Place(path=f"evidence.{path}")))

    if settings.route in {EvidenceRoute.TRAIL, EvidenceRoute.INVOCATION_LOG} and settings.log_group is None:
        add(
            "evidence-log-group",
            "log_group",
            f"evidence route {settings.route} reads an existing log group, none is named.",
            "Name the log group, or use route eventbridge.",
        )
    if settings.route is EvidenceRoute.TRAIL and settings.trail_home_region != region:
        add(
            "evidence-home-region",
            "trail_home_region",
            f"a trail writes its log group in its home Region only, which is {settings.trail_home_region or 'not named'}, "
            f"not {region}.",
            f"Use route eventbridge in {region}, or set trail_home_region if the trail's home is {region}.",
        )
    return tuple(found)


def plan_evidence(
    models: Iterable[MonitoredModel],
    *,
    settings: EvidenceSettings,
    region: str,
    namespace: str,
    log_group: str,
    rule_prefix: str,
) -> EvidencePlan:
    """Return what gives evidence for these models.

    Args:
        models: Models of the account in the Region.
        settings: Route, paths and values.
        region: The Region.
        namespace: Namespace of the metrics that filters write.
        log_group: Name of the log group to create, where none is given.
        rule_prefix: First part of the names of rules.

    Raises:
        InvalidValueError: The route cannot work here, or a limit of CloudWatch Logs or EventBridge is passed.
    """
    problems = evidence_problems(settings, region=region)
    if problems:
        raise InvalidValueError(f"{problems[0].message} {problems[0].hint}")
    route = settings.route
    if route is EvidenceRoute.NONE:
        return EvidencePlan(settings=settings)
    group = EvidenceLogGroup(
        name=settings.log_group or log_group,
        create=settings.log_group is None,
        retention_days=settings.retention_days,
    )
    known = tuple(models)
    optimized = tuple(model for model in known if model.latency is LatencyMode.OPTIMIZED)
    builder = _Builder(settings=settings, shape=record_shape(settings, region=region), group=group, namespace=namespace)
    match route:
        case EvidenceRoute.EVENTBRIDGE:
            rules: tuple[EventRule, ...] = (
                calls_rule(rule_name(rule_prefix, "calls"), target=LogTarget(log_group=group.name)),
            )
            counted = builder.served_by_filters(optimized)
        case EvidenceRoute.RULE_COUNTERS:
            rules, counted = builder.served_by_rules(optimized, prefix=rule_prefix)
        case EvidenceRoute.TRAIL | EvidenceRoute.INVOCATION_LOG:
            rules, counted = (), builder.served_by_filters(optimized)
        case _:
            assert_never(route)
    filters = (*counted.filters, *builder.throttle_filters())
    if len(filters) > limits.FILTERS_PER_LOG_GROUP:
        raise InvalidValueError(
            f"evidence needs {len(filters)} metric filters on {group.name}, a log group takes "
            f"{limits.FILTERS_PER_LOG_GROUP}: use route rule-counters, or ask fewer models for optimized latency"
        )
    return EvidencePlan(
        settings=settings,
        filters=filters,
        rules=rules,
        log_groups=(group,),
        served_series=counted.series,
        throttled_series=builder.throttled_series(known),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Served:
    filters: tuple[MetricFilter, ...]
    series: tuple[tuple[tuple[str, ServedAs], tuple[Metric, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Builder:
    settings: EvidenceSettings
    shape: RecordShape
    group: EvidenceLogGroup
    namespace: str

    def served_by_filters(self, models: Iterable[MonitoredModel]) -> _Served:
        filters: list[MetricFilter] = []
        series: list[tuple[tuple[str, ServedAs], tuple[Metric, ...]]] = []
        for model in models:
            for served in served_classes(model.trail_ids):
                name = f"{model.key}-served-{served}"
                patterns = served_patterns(served, shape=self.shape, settings=self.settings, ids=model.trail_ids)
                filters.extend(
                    self._filter(name if number == 1 else f"{name}-{number}", metric=name, pattern=pattern)
                    for number, pattern in enumerate(patterns, start=1)
                )
                series.append(((model.key, served), (Metric(namespace=self.namespace, name=name),)))
        return _Served(filters=tuple(filters), series=tuple(series))

    def served_by_rules(
        self, models: Iterable[MonitoredModel], *, prefix: str
    ) -> tuple[tuple[EventRule, ...], _Served]:
        target = LogTarget(log_group=self.group.name, transformer=shrunk_record(self.settings))
        rules = [throttled_rule(rule_name(prefix, "throttled"), settings=self.settings, target=target)]
        series: list[tuple[tuple[str, ServedAs], tuple[Metric, ...]]] = []
        for model in models:
            for served in served_classes(model.trail_ids):
                rule = served_rule(
                    rule_name(prefix, model.key, served),
                    served=served,
                    ids=model.trail_ids,
                    settings=self.settings,
                    target=target if served is ServedAs.STANDARD else None,
                )
                rules.append(rule)
                series.append(((model.key, served), (matched_events(rule.name),)))
        return tuple(rules), _Served(filters=(), series=tuple(series))

    def throttle_filters(self) -> tuple[MetricFilter, ...]:
        return tuple(
            self._filter(
                f"throttled-{kind}",
                metric=f"throttled-{kind}",
                pattern=throttle_pattern(kind, shape=self.shape, settings=self.settings),
                dimensions=((_DIMENSION, self.shape.model),),
            )
            for kind in throttle_kinds(self.shape)
        )

    def throttled_series(
        self, models: Iterable[MonitoredModel]
    ) -> tuple[tuple[tuple[str, ThrottleKind], tuple[Metric, ...]], ...]:
        return tuple(
            (
                (model.key, kind),
                tuple(
                    Metric(namespace=self.namespace, name=f"throttled-{kind}", dimensions=((_DIMENSION, model_id),))
                    for model_id in model.trail_ids
                ),
            )
            for model in models
            for kind in throttle_kinds(self.shape)
        )

    def _filter(
        self, name: str, *, metric: str, pattern: str, dimensions: tuple[tuple[str, str], ...] = ()
    ) -> MetricFilter:
        return MetricFilter(
            name=name,
            log_group=self.group.name,
            pattern=pattern,
            namespace=self.namespace,
            metric=metric,
            dimensions=dimensions,
        )


def _key(model: MonitoredModel | str) -> str:
    return model if isinstance(model, str) else model.key
