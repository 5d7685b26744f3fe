"""What would another threshold, N or M have done? Calls a week for each, and which of the labelled incidents are missed.

The alarm that is varied runs anew for every setting; every other alarm keeps its states, and the composites over it follow, so
that what is counted is what people would have heard: pages where any of them pages, tickets and notes where none does. The
suggestion is a setting that misses no labelled incident and stays within the budget, the quickest of them, then the one nearest
to what is configured.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import mean
from typing import TYPE_CHECKING

from alarms.alarm_set import Severity
from cloudwatch.alarm import AlarmState, CompositeAlarm, MetricAlarm
from cloudwatch.problems import InvalidValueError
from cloudwatch.timeline import rerun_timeline, run_timeline
from monitoring.backtest.run import firings, referred, runnable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alarms.alarm_set import AlarmEntry
    from cloudwatch.store import MetricStore
    from cloudwatch.timeline import Timeline

__all__ = ["Incident", "Variant", "WhatIf", "find_alarm", "what_if"]

_AFTER_S = 900
_WEEK_S = 7 * 86_400
FACTORS = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """A time in which somebody has to be called.

    Attributes:
        name: What it is called.
        start_s, end_s: When, epoch seconds; a call up to 15 minutes after its end counts.
        slugs: Causes that may call; empty means any.
    """

    name: str
    start_s: int
    end_s: int
    slugs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One setting.

    Attributes:
        threshold: Threshold.
        m, n: M out of N.
        fired: How often the alarm itself would have fired.
        calls: When people would have been called by it or by a composite over it.
        per_week: Calls a week.
        noise_per_week: Calls a week beyond the first one of each incident: what a budget counts.
        missed: Names of the incidents in which nobody would have been called.
        delay_s: Mean seconds from the start of an incident to the first call; None without one.
        current: Whether this is what is configured.
    """

    threshold: float
    m: int
    n: int
    fired: int
    calls: tuple[int, ...]
    per_week: float
    noise_per_week: float
    missed: tuple[str, ...]
    delay_s: float | None
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """A grid of settings.

    Attributes:
        alarm: Name of the alarm.
        counted: `page`, or `call` where nothing over it pages.
        variants: By threshold, then N, then M.
        suggestion: See the module; None where no setting fits.
        incidents: How many labelled incidents it could have called for.
    """

    alarm: str
    counted: str
    variants: tuple[Variant, ...]
    suggestion: Variant | None
    incidents: int


def find_alarm(entries: Sequence[AlarmEntry], name: str) -> AlarmEntry:
    """Return the metric alarm of a name, of `model/slug`, or of a slug that only one has.

    Raises:
        InvalidValueError: There is none, several are, or it is a composite.
    """
    wanted = [entry for entry in entries if name in {entry.alarm.name, f"{entry.model}/{entry.slug}", entry.slug}]
    single = [entry for entry in wanted if isinstance(entry.alarm, MetricAlarm)]
    if len(single) == 1:
        return single[0]
    if wanted and not single:
        composites = [entry.alarm for entry in wanted if isinstance(entry.alarm, CompositeAlarm)]
        under = ", ".join(child for composite in composites for child in referred(composite))
        raise InvalidValueError(f"{name} is a composite; vary one of the alarms under it: {under}")
    if single:
        raise InvalidValueError(f"{name} is several: {', '.join(entry.alarm.name for entry in single[:8])}")
    known = ", ".join(entry.alarm.name for entry in entries if isinstance(entry.alarm, MetricAlarm))
    raise InvalidValueError(f"there is no alarm {name}; there are {known}")


def what_if(
    entries: Sequence[AlarmEntry],
    *,
    alarm: str,
    store: MetricStore,
    start_s: int,
    end_s: int,
    thresholds: Sequence[float] = (),
    windows: Sequence[tuple[int, int]] = (),
    incidents: Sequence[Incident] = (),
    budget: float | None = None,
) -> WhatIf:
    """Run a grid of settings of one metric alarm.

    Args:
        entries: All alarms of the account and Region.
        alarm: Name of the one that is varied; see `find_alarm`.
        store: What was recorded.
        start_s: From, a whole minute, epoch seconds.
        end_s: To, a whole minute.
        thresholds: To try; default: the configured one times 0.5 to 2.
        windows: Pairs of M and N; default: around the configured one.
        incidents: Labelled incidents.
        budget: Calls a week that are acceptable beyond the first of each incident, or None.

    Raises:
        InvalidValueError: The alarm has no threshold, or cannot be computed from the recording.
    """
    entry = find_alarm(entries, alarm)
    base = entry.alarm
    if not isinstance(base, MetricAlarm) or base.threshold is None:
        raise InvalidValueError(f"{base.name} has no threshold to vary")
    kept, skipped = runnable(entries, store=store, start_s=start_s)
    if base.name in skipped:
        raise InvalidValueError(f"{base.name} cannot be computed from this recording: {skipped[base.name]}")
    family, over = _family(kept, base.name)
    timeline = run_timeline([one.alarm for one in family], store=store, start=start_s, end=end_s)
    pages = [one for one in over if one.severity is Severity.PAGE]
    counted = {one.alarm.name: one for one in (pages or over)}
    relevant = [
        one for one in incidents if not one.slugs or {_cause(each.slug) for each in counted.values()} & set(one.slugs)
    ]
    variants = []
    for threshold in thresholds or _thresholds(base.threshold):
        for m, n in windows or _windows(base):
            try:
                changed = replace(base, threshold=threshold, evaluation_periods=n, datapoints_to_alarm=m)
            except InvalidValueError:
                continue  # a window longer than CloudWatch takes
            run = _rerun(timeline, changed)
            variants.append(_variant(run, changed, base=base, counted=counted, incidents=relevant))
    return WhatIf(
        alarm=base.name,
        counted="page" if pages else "call",
        variants=tuple(variants),
        suggestion=_suggested(variants, base=base, budget=budget),
        incidents=len(relevant),
    )


def _rerun(timeline: Timeline, changed: MetricAlarm) -> Timeline:
    alarms = {name: changed if name == changed.name else alarm for name, alarm in timeline.alarms.items()}
    return rerun_timeline(replace(timeline, alarms=alarms), switches=timeline.switches, affected=[changed.name])


def _family(entries: Sequence[AlarmEntry], name: str) -> tuple[list[AlarmEntry], list[AlarmEntry]]:
    """Return every alarm needed to know what is called, and the ones whose calls may change: the alarm and all above it."""
    reads = {
        entry.alarm.name: referred(entry.alarm) if isinstance(entry.alarm, CompositeAlarm) else () for entry in entries
    }
    over = {name}
    while more := {each for each, names in reads.items() if each not in over and over & set(names)}:
        over |= more
    needed = set(over)
    while more := {child for each in needed for child in reads[each] if child not in needed}:
        needed |= more
    family = [entry for entry in entries if entry.alarm.name in needed]
    return family, [entry for entry in family if entry.alarm.name in over and entry.severity is not None]


def _cause(slug: str) -> str:
    head, _, tail = slug.rpartition("-")
    return head if tail.isdigit() else slug


def _variant(
    timeline: Timeline,
    alarm: MetricAlarm,
    *,
    base: MetricAlarm,
    counted: dict[str, AlarmEntry],
    incidents: Sequence[Incident],
) -> Variant:
    heard = [
        (notification.at_s, _cause(counted[notification.alarm].slug))
        for notification in timeline.notifications
        if notification.state is AlarmState.ALARM and notification.alarm in counted
    ]
    first: dict[str, int] = {}
    for one in incidents:
        times = [
            at
            for at, cause in heard
            if one.start_s <= at <= one.end_s + _AFTER_S and (not one.slugs or cause in one.slugs)
        ]
        if times:
            first[one.name] = times[0] - one.start_s
    m, n = alarm.datapoints_to_alarm, alarm.evaluation_periods
    weeks = (timeline.end_s - timeline.start_s) / _WEEK_S
    return Variant(
        threshold=alarm.threshold or 0.0,
        m=m,
        n=n,
        fired=len(firings(timeline, alarm.name)),
        calls=tuple(at for at, _ in heard),
        per_week=len(heard) / weeks,
        noise_per_week=(len(heard) - len(first)) / weeks,
        missed=tuple(one.name for one in incidents if one.name not in first),
        delay_s=mean(first.values()) if first else None,
        current=(alarm.threshold, m, n) == (base.threshold, base.datapoints_to_alarm, base.evaluation_periods),
    )


def _suggested(variants: Sequence[Variant], *, base: MetricAlarm, budget: float | None) -> Variant | None:
    fitting = [one for one in variants if not one.missed and (budget is None or one.noise_per_week <= budget)]
    return min(fitting, key=lambda one: (one.delay_s or 0.0, _distance(one, base)), default=None)


def _distance(variant: Variant, base: MetricAlarm) -> float:
    configured = base.threshold or 0.0
    ratio = (
        abs(math.log(variant.threshold / configured))
        if variant.threshold * configured > 0
        else abs(variant.threshold - configured)
    )
    return ratio + 0.1 * abs(variant.n - base.evaluation_periods) + 0.1 * abs(variant.m - base.datapoints_to_alarm)


def _thresholds(configured: float) -> tuple[float, ...]:
    return tuple(float(f"{configured * factor:.6g}") for factor in FACTORS) if configured else (0.0,)


def _windows(alarm: MetricAlarm) -> tuple[tuple[int, int], ...]:
    n, m = alarm.evaluation_periods, alarm.datapoints_to_alarm
    pairs = {(m, n), (max(1, m - 1), n), (min(n, m + 1), n), (m + 1, n + 2), (m, n + 2), (n, n)}
    return tuple(sorted(pairs, key=lambda pair: (pair[1], pair[0])))
