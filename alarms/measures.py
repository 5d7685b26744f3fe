"""How does a series list with a threshold become a metric alarm, whatever it measures?

Two rules of metric math carry every expression (UG, Using metric math): a missing side of arithmetic counts as 0 where the
other side has a point, so `x+0*att` is 0 where there was traffic and no x; and the else-branch of `IF` is an explicit healthy
number, so that each minute with traffic is a real point and the verdict does not depend on how far back CloudWatch looks.
Comparisons and AND are parenthesised, because AWS does not document precedence.

Past ten metrics in an alarm the ids are split into groups (`decode-rate-1`, `decode-rate-2`): whoever reads the symptom asks
for any of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from alarms.policy import Cadence, cadence_for, override_for, policy_for, trough_per_minute
from alarms.queries import Queries, groups
from bedrock.metrics import invocation_metric
from cloudwatch.alarm import Comparison

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bedrock.models import MonitoredModel
    from cloudwatch.metric import Query

__all__ = ["Measure", "Reader", "at_threshold", "longer", "measures_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One metric alarm before it has a name, actions and a description.

    Attributes:
        slug: Slug in the policy table.
        queries: Its metric math list.
        threshold: Compared with the result.
        comparison: How.
        cadence: Period, N and M.
        ids: ModelId values in it.
    """

    slug: str
    queries: tuple[Query, ...]
    threshold: float
    cadence: Cadence
    comparison: Comparison = Comparison.GREATER_OR_EQUAL
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """The series of some ModelId values, read into one list."""

    queries: Queries
    ids: tuple[str, ...]
    minimum: int
    events: int

    def read(self, letter: str, name: str, *, stat: str = "Sum") -> tuple[str, ...]:
        """Read an AWS/Bedrock metric of each id; return the entries."""
        return self.queries.read(letter, (invocation_metric(model_id, name) for model_id in self.ids), stat=stat)

    def total(self, letter: str, name: str, *, stat: str = "Sum") -> str:
        """Read an AWS/Bedrock metric of each id; return what stands for the sum."""
        return self.queries.total(letter, self.read(letter, name, stat=stat))

    def share(self, part: str, whole: str) -> str:
        """Per cent of `whole`, 0 below the minimum of the whole and of events."""
        enough = f"{whole}>={self.minimum}"
        if self.events:
            enough = f"({enough}) AND (({part}+0*{whole})>={self.events})"
        return f"IF({enough}, 100*({part}+0*{whole})/{whole}, 0)"


def measures_of(
    model: MonitoredModel,
    slug: str,
    *,
    metrics_each: int,
    threshold: float,
    value: Callable[[Reader], str],
    comparison: Comparison = Comparison.GREATER_OR_EQUAL,
    share_of_calls: float = 1.0,
    cadence: Cadence | None = None,
) -> tuple[Measure, ...]:
    """Return the measures of a slug: one, or one for each group of ids where ten metrics do not hold all.

    Args:
        model: The model.
        slug: In the policy table.
        metrics_each: Metrics that one id needs.
        threshold: Where the configuration has no other.
        value: Reads series and returns the expression that is compared.
        comparison: How.
        share_of_calls: Share of the calls that the value rests on; picks the cadence.
        cadence: In place of the table's.
    """
    policy = policy_for(slug)
    override = override_for(model, slug)
    chosen = cadence or cadence_for(slug, per_minute=trough_per_minute(model) * share_of_calls, override=override)
    found: list[Measure] = []
    for ids in groups(model.series_ids, metrics_each=metrics_each):
        queries = Queries(period_s=chosen.period_s)
        expression = value(Reader(queries=queries, ids=ids, minimum=policy.minimum, events=policy.events))
        found.append(
            Measure(
                slug=slug,
                queries=queries.returning(expression, label=policy.unit),
                threshold=threshold if override.threshold is None else override.threshold,
                comparison=comparison,
                cadence=chosen,
                ids=ids,
            )
        )
    return tuple(found)


def longer(measures: Sequence[Measure], *, slug: str, by_s: int) -> tuple[Measure, ...]:
    """Return the same measures held for longer: N and M grow by the periods in `by_s`.

    In a steady incident the longer alarm goes into ALARM that much after the first; a flap restarts neither.
    """
    return tuple(
        replace(
            measure,
            slug=slug,
            cadence=Cadence(
                period_s=measure.cadence.period_s,
                evaluation_periods=measure.cadence.evaluation_periods + math.ceil(by_s / measure.cadence.period_s),
                datapoints_to_alarm=measure.cadence.datapoints_to_alarm + math.ceil(by_s / measure.cadence.period_s),
            ),
        )
        for measure in measures
    )


def at_threshold(measures: Sequence[Measure], *, slug: str, threshold: float) -> tuple[Measure, ...]:
    """Return the same measures under another slug, compared with another threshold."""
    return tuple(replace(measure, slug=slug, threshold=threshold) for measure in measures)
