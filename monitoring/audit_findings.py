"""What is wrong in an account that no file can show? Alarms against the metrics, firings and log groups that are really there.

`audit` lints what lives in an account and adds these: alarms that read OK and have nothing to read, alarms without data for
days, metrics that are published under another name or other dimensions, models with traffic that no alarm watches, filters on log
groups that receive nothing, and alarms that fire so often that nobody listens. Drift is decided by `monitoring.drift`. Each check
is skipped where what it needs could not be asked. Pure: `monitoring.live.audit` gathers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from bedrock.metrics import NAMESPACE
from bedrock.models import OPTIMIZED_SUFFIX
from monitoring.lint.finding import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from monitoring.drift import Finding

__all__ = ["LIVE_CHECKS", "Inventory", "LiveFinding", "live_findings"]

_DAY_S = 86_400
_STUCK_DAYS = 2
LIVE_CHECKS = {
    "live-ok-without-data": "an alarm reads OK, and nothing that it reads had data in two weeks",
    "live-insufficient-data": "an alarm has been in INSUFFICIENT_DATA for days",
    "live-other-series": "the account publishes the metric under another name or other dimensions",
    "live-unwatched-model": "a model has traffic, and no alarm reads any of its metrics",
    "live-silent-log-group": "a metric filter reads a log group that receives nothing",
    "live-noisy-alarm": "an alarm fires so often that nobody listens",
    "live-drift": "the configuration does not fit the account any more",
}
Key = tuple[str, str]
Dimensions = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """What lives in an account and Region; None where it could not be asked.

    Attributes:
        alarms: MetricAlarms of DescribeAlarms.
        composites: CompositeAlarms.
        filters: metricFilters of DescribeMetricFilters.
        dashboards: Name -> body as text.
        published: Namespace and name -> sets of dimensions with data in two weeks, for every metric that an alarm reads.
        bedrock: The same for all of AWS/Bedrock.
        fired: Alarm -> times that it went into ALARM in the last week.
        incoming: Log group -> events that it received in two weeks.
        problems: What could not be asked, one sentence each.
    """

    alarms: Sequence[Mapping[str, Any]] | None = None
    composites: Sequence[Mapping[str, Any]] | None = None
    filters: Sequence[Mapping[str, Any]] | None = None
    dashboards: Mapping[str, str] = field(default_factory=dict)
    published: Mapping[Key, frozenset[Dimensions]] | None = None
    bedrock: Mapping[Key, frozenset[Dimensions]] | None = None
    fired: Mapping[str, int] | None = None
    incoming: Mapping[str, float] | None = None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveFinding:
    """One thing that is wrong.

    Attributes:
        check: A key of `LIVE_CHECKS`.
        severity: As of lint.
        subject: Name of the alarm, filter or model.
        message: What, and what follows.
        hint: What to do.
    """

    check: str
    severity: Severity
    subject: str
    message: str
    hint: str


def live_findings(
    inventory: Inventory, *, now_s: float, fired_most: int = 5, drift: Sequence[Finding] = ()
) -> tuple[LiveFinding, ...]:
    """Return everything that is wrong.

    Args:
        inventory: What was found.
        now_s: Present time, epoch seconds.
        fired_most: Firings in a week above which an alarm is noisy.
        drift: What `monitoring.drift` found wrong.
    """
    return (
        *_data(inventory, now_s=now_s),
        *_unwatched(inventory),
        *_silent_groups(inventory),
        *_noisy(inventory, fired_most=fired_most),
        *(
            LiveFinding(
                check="live-drift",
                severity=Severity.RISK,
                subject=one.model or one.check,
                message=f"{one.check}: {one.saw}.",
                hint=" ".join([one.do, *(line.strip() for line in one.lines)]).strip(),
            )
            for one in drift
            if one.status == "wrong"
        ),
    )


def _data(inventory: Inventory, *, now_s: float) -> Iterator[LiveFinding]:
    for alarm in inventory.alarms or ():
        name, state = str(alarm.get("AlarmName")), alarm.get("StateValue")
        reads = _reads(alarm)
        absent = [] if inventory.published is None else [each for each in reads if not _has_data(inventory, each)]
        if reads and len(absent) == len(reads) and state == "OK":
            yield LiveFinding(
                check="live-ok-without-data",
                severity=Severity.BUG,
                subject=name,
                message=f"it reads OK, and {_metric(absent[0])} had no data in two weeks: it cannot fire.",
                hint="Correct the metric, or delete the alarm; with treat_missing_data missing it would say so itself.",
            )
        for each in absent:
            other = _other(inventory, each)
            if other:
                yield LiveFinding(
                    check="live-other-series",
                    severity=Severity.BUG,
                    subject=name,
                    message=f"{_metric(each)} has no data in two weeks; {other}.",
                    hint="Read the series that is published.",
                )
        since = _epoch(alarm.get("StateTransitionedTimestamp") or alarm.get("StateUpdatedTimestamp"))
        if state == "INSUFFICIENT_DATA" and since is not None and now_s - since >= _STUCK_DAYS * _DAY_S:
            days = (now_s - since) / _DAY_S
            yield LiveFinding(
                check="live-insufficient-data",
                severity=Severity.RISK,
                subject=name,
                message=f"it has been in INSUFFICIENT_DATA for {days:.0f} days: nobody would be called.",
                hint="Correct the metric, or treat missing data as notBreaching where silence is healthy.",
            )


def _unwatched(inventory: Inventory) -> Iterator[LiveFinding]:
    if inventory.bedrock is None or inventory.alarms is None:
        return
    watched = {
        value for alarm in inventory.alarms for each in _reads(alarm) for key, value in each[2] if key == "ModelId"
    }
    active = {
        value.removesuffix(OPTIMIZED_SUFFIX)
        for (_, name), series in inventory.bedrock.items()
        if name == "Invocations"
        for dimensions in series
        for key, value in dimensions
        if key == "ModelId"
    }
    for model_id in sorted(active - watched - {each.removesuffix(OPTIMIZED_SUFFIX) for each in watched}):
        yield LiveFinding(
            check="live-unwatched-model",
            severity=Severity.RISK,
            subject=model_id,
            message="it was called in the last two weeks, and no alarm reads a metric of it.",
            hint="Add it to the configuration: bedrock-monitor discover proposes the lines.",
        )


def _silent_groups(inventory: Inventory) -> Iterator[LiveFinding]:
    for each in inventory.filters or ():
        group = str(each.get("logGroupName"))
        if inventory.incoming is not None and inventory.incoming.get(group) == 0:
            yield LiveFinding(
                check="live-silent-log-group",
                severity=Severity.RISK,
                subject=str(each.get("filterName")),
                message=f"its log group {group} received nothing in two weeks, so its metric is never written.",
                hint="Look at what should write there (trail, EventBridge rule, resource policy), or delete the filter.",
            )


def _noisy(inventory: Inventory, *, fired_most: int) -> Iterator[LiveFinding]:
    for name, count in sorted((inventory.fired or {}).items(), key=lambda item: -item[1]):
        if count > fired_most:
            yield LiveFinding(
                check="live-noisy-alarm",
                severity=Severity.RISK,
                subject=name,
                message=f"it fired {count} times in the last week; over {fired_most} nobody listens.",
                hint="Record the account and try other settings: bedrock-monitor record, then backtest --what-if.",
            )


def _reads(alarm: Mapping[str, Any]) -> list[tuple[str, str, Dimensions]]:
    metrics = [alarm] if alarm.get("MetricName") else []
    metrics += [
        entry["MetricStat"]["Metric"]
        for entry in alarm.get("Metrics", ())
        if entry.get("MetricStat") and not entry.get("AccountId")
    ]
    return list(
        dict.fromkeys(
            (
                str(metric.get("Namespace", "")),
                str(metric.get("MetricName", "")),
                frozenset((str(pair["Name"]), str(pair["Value"])) for pair in metric.get("Dimensions", ())),
            )
            for metric in metrics
        )
    )


def _has_data(inventory: Inventory, read: tuple[str, str, Dimensions]) -> bool:
    namespace, name, dimensions = read
    return dimensions in (inventory.published or {}).get((namespace, name), frozenset())


def _other(inventory: Inventory, read: tuple[str, str, Dimensions]) -> str:
    """Return what is published instead, in words; empty where nothing like it is."""
    namespace, name, dimensions = read
    same = (inventory.published or {}).get((namespace, name), frozenset())
    keys = {key for key, _ in dimensions}
    if same and not any({key for key, _ in other} == keys for other in same):
        shown = " or ".join(sorted({"+".join(sorted(key for key, _ in other)) or "no dimension" for other in same})[:3])
        return f"the account publishes it by {shown}"
    if namespace == NAMESPACE and not same:
        names = [known for (_, known), series in (inventory.bedrock or {}).items() if dimensions in series]
        close = get_close_matches(name, names, n=1, cutoff=0.7)
        if close:
            return f"the account publishes {close[0]}"
    return ""


def _metric(read: tuple[str, str, Dimensions]) -> str:
    namespace, name, dimensions = read
    shown = ", ".join(f"{key}={value}" for key, value in sorted(dimensions))
    return f"{namespace} {name}" + (f" ({shown})" if shown else "")


def _epoch(moment: Any) -> float | None:
    return moment.timestamp() if hasattr(moment, "timestamp") else None
