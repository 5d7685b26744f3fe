"""Which answer do we give where the CloudWatch documentation gives none, or two?

One frozen value holds every open choice of the engine. Each field says what it changes, what the documentation says and what
the default is; none of the defaults is verified on AWS. A caller that wants to know whether a verdict depends on a choice
evaluates again with `dataclasses.replace(switches, field=...)`: `alternatives` lists the values worth trying.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from cloudwatch.problems import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["DEFAULT_SWITCHES", "Switches", "alternatives"]

_RANGE_EXTRAS = (0, 1, 2, 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """Every choice that AWS leaves open, with the default of this engine.

    Alarm states (User Guide, Alarm evaluation; Configuring how alarms treat missing data):

    Attributes:
        evaluation_range_extra: How many points beyond EvaluationPeriods an evaluation retrieves. The guide says "more than
            N" and shows 5 for N = 3; the number is not published.
        premature_scope: Where the only breaching points may lie for an early ALARM on missing data. One sentence of the
            guide says in the evaluation periods, the next says in the evaluation range.
        low_sample_window: Over what the samples of a low-sample percentile are counted: each evaluated `period`, or the
            whole `window` of N periods. Not documented.
        if_missing: Edition of the metric math page whose IF tables apply. In 2026 false with a missing third argument gives
            0; in 2023 it gives no point.

    Metric math (User Guide, Using metric math):

    Attributes:
        scalar_missing: What `series OP scalar` gives where the series has no point: `no_point`, or `zero` when the scalar
            counts as a point on the other side, so that the series counts as 0. The guide states the rule for two series.
        average_missing: What AVG of one sparse series divides by: its `existing` points, or every slot (missing is `zero`).
            The guide says both "all the data points" and "missing values are treated as 0".
        stddev: Divisor of STDDEV: n (`population`) or n - 1 (`sample`). Not documented.
        band_last: Which bound LAST(ANOMALY_DETECTION_BAND(...)) is. The 2026 page says `upper`, the 2023 page said `lower`.

    Statistics (User Guide, CloudWatch statistics definitions):

    Attributes:
        percentile: How a percentile falls between two samples: the `nearest_rank`, or `linear` interpolation over n - 1
            intervals. The page calls p99 the maximum value of the remaining 99 %, which is the nearest rank; it gives no
            formula.

    Composite alarms (User Guide, Combining alarms):

    Attributes:
        composite_precedence: Whether AND binds tighter than OR (`and_first`) or both read from left to right (`flat`) where
            parentheses do not say. Not documented.
        at_least_rounding: How AT_LEAST(p%, ...) turns a share into a count: `ceil` or `floor`. The only example is exact.

    Metric filters (Logs User Guide, Filter pattern syntax; Creating metrics from log events):

    Attributes:
        filter_timestamp: Whether a point of a metric filter lies at the `ingestion` or at the `event` time of a log event.
        filter_not_equal_absent: Whether `!=` matches an event without the field. Reported from the console as `no_match`.
        filter_inner_wildcard: Whether `*` inside a text, `Ev*ent`, is a `literal` asterisk or a `wildcard` as it is in front
            and behind. A page of 2019 says literal; later pages do not say.
        filter_is_null_absent: Whether `IS NULL` matches an event without the field. Not documented.
        filter_number_text: Whether `$.a = 400` matches the text "400" (`equal`) or only a number (`different`).
        filter_not_equal_wildcard: Whether `!=` with a wildcard selector wants `any` element or `all` to differ.
        filter_default_with_match: Whether events without a match add the default value in a minute that has a match. The page
            only shows minutes in which all events match, or none.

    AWS/DynamoDB (User Guide, Configuring how alarms treat missing data; API PutMetricAlarm):

    Attributes:
        dynamodb_missing: Whether an alarm on AWS/DynamoDB may override `ignore` (the guide) or never does (the API page).
    """

    evaluation_range_extra: int = 2
    premature_scope: Literal["range", "periods"] = "range"
    low_sample_window: Literal["period", "window"] = "period"
    if_missing: Literal["2026", "2023"] = "2026"
    scalar_missing: Literal["no_point", "zero"] = "no_point"
    average_missing: Literal["existing", "zero"] = "existing"
    stddev: Literal["population", "sample"] = "population"
    band_last: Literal["upper", "lower"] = "upper"
    percentile: Literal["nearest_rank", "linear"] = "nearest_rank"
    composite_precedence: Literal["and_first", "flat"] = "and_first"
    at_least_rounding: Literal["ceil", "floor"] = "ceil"
    filter_timestamp: Literal["ingestion", "event"] = "ingestion"
    filter_not_equal_absent: Literal["no_match", "match"] = "no_match"
    filter_inner_wildcard: Literal["literal", "wildcard"] = "literal"
    filter_is_null_absent: Literal["no_match", "match"] = "no_match"
    filter_number_text: Literal["equal", "different"] = "different"
    filter_not_equal_wildcard: Literal["any", "all"] = "any"
    filter_default_with_match: Literal["no", "yes"] = "no"
    dynamodb_missing: Literal["override", "ignore"] = "override"

    def __post_init__(self) -> None:
        if not 0 <= self.evaluation_range_extra <= 100:
            raise InvalidValueError(f"evaluation_range_extra {self.evaluation_range_extra}: 0 to 100 points")
        for name, values in _CHOICES.items():
            if getattr(self, name) not in values:
                raise InvalidValueError(f"{name} {getattr(self, name)!r}: one of {', '.join(values)}")


_CHOICES: dict[str, tuple[str, ...]] = {
    name: get_args(hint) for name, hint in get_type_hints(Switches).items() if get_origin(hint) is Literal
}

DEFAULT_SWITCHES = Switches()


def alternatives(switches: Switches) -> Iterator[tuple[str, Switches]]:
    """Yield every setting that differs from `switches` in one field, with the name of that field."""
    for field in fields(Switches):
        values = _RANGE_EXTRAS if field.name == "evaluation_range_extra" else _CHOICES[field.name]
        for value in values:
            if value != getattr(switches, field.name):
                change: dict[str, Any] = {field.name: value}
                yield field.name, replace(switches, **change)
