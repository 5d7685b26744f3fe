"""How does a stretch of an account's telemetry come onto this disk? GetMetricData, alarm history, definitions, log matches.

Calls: cloudwatch:GetMetricData, cloudwatch:DescribeAlarms, cloudwatch:DescribeAlarmHistory, logs:FilterLogEvents. Every answer
is kept in a part of its own (`monitoring.recording.parts`) before the next is waited for, so nothing is lost when the run is
interrupted, and nothing is asked twice. A denied call costs its own part and is said. Bodies never reach the disk.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from bedrock.trail_records import unwrap
from cloudwatch.retention import DAY_S
from monitoring.dataset import LoggedEvent
from monitoring.live.metric_data import DataRequest, batches, call, in_parallel
from monitoring.live.session import AwsError, Connection, doing
from monitoring.recording.kept import kept_record
from monitoring.recording.merge import event_id
from monitoring.recording.needs import missing, needed_series, spans
from monitoring.recording.sources import ALARM_DEFINITIONS, ALARM_HISTORY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from cloudwatch.metric import Metric
    from cloudwatch.metric_filter import MetricFilter
    from monitoring.plan import Plan
    from monitoring.recording.needs import Interval, Series
    from monitoring.recording.parts import Answered, Parts

__all__ = ["SETTLE_S", "Work", "planned_work", "record_events", "record_points"]

SETTLE_S = 600
"""Points younger than this may still change."""
HISTORY_DAYS = 30
_ALARMS_PER_CALL = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What is still to ask of one account and Region.

    Attributes:
        plan: What is deployed there.
        batches: Calls of GetMetricData, each with the series of its requests.
        interval: From and to, epoch seconds.
    """

    plan: Plan
    batches: tuple[tuple[tuple[DataRequest, Series], ...], ...]
    interval: Interval

    @property
    def queries(self) -> int:
        """Metrics that are asked for, as AWS bills them."""
        return sum(len(batch) for batch in self.batches)


def planned_work(plan: Plan, *, answered: Answered, now_s: int, days: int) -> Work:
    """Return what is not in the recording yet.

    Args:
        plan: What is deployed.
        answered: What was recorded before, parts of an interrupted run included.
        now_s: Present time, epoch seconds.
        days: How far back.
    """
    end = now_s - SETTLE_S
    end -= end % 60
    start = now_s - days * DAY_S + 60
    start += -start % 60
    asked: dict[DataRequest, Series] = {}
    for series in needed_series(plan):
        for gap in missing((start, end), answered.covered.get(series.key, ())):
            for (from_, to), period in spans(series, gap, now_s=now_s):
                own = plan.deployment.site.account_id == series.metric.account_id
                metric = _plain(series, own=own)
                request = DataRequest(metric=metric, stat=series.stat, period_s=period, start_s=from_, end_s=to)
                asked[request] = series
    groups = tuple(
        tuple((request, asked[request]) for request in batch) for batch in batches(sorted(asked, key=_oldest_first))
    )
    return Work(plan=plan, batches=groups if asked else (), interval=(start, end))


def record_points(
    connection: Connection, work: Work, *, parts: Parts, tell: Callable[[str], None], advance: Callable[[int], None]
) -> None:
    """Ask for all points and keep each answer.

    Raises:
        AwsError: A call failed; the answers before it are kept.
    """

    def ask(batch: Sequence[tuple[DataRequest, Series]]) -> int:
        keys = {request: series.key for request, series in batch}
        answers = call(connection, list(keys), tell=tell)
        points = {keys[request]: found for request, found in answers.items()}
        covered = {keys[request]: (request.start_s, request.end_s) for request in answers}
        if covered:
            parts.add_points(points, covered=covered)
        return len(batch)

    for done in in_parallel([partial(ask, batch) for batch in work.batches]):
        advance(done)


def record_events(
    connection: Connection,
    work: Work,
    *,
    answered: Answered,
    parts: Parts,
    tell: Callable[[str], None],
    matches: int = 10_000,
) -> None:
    """Ask for alarm definitions, alarm history and log events that filters match, and keep each answer.

    Args:
        connection: Credentials and Region.
        work: Where, and from when to when.
        answered: What was recorded before.
        parts: Where answers are kept.
        tell: Told what is not in the recording, and why.
        matches: Log events of each filter to read at most.
    """
    site = work.plan.deployment.site
    place = f"{site.account_id}/{site.region}"
    alarms = _alarm_names(work.plan)
    start, end = work.interval

    def keep(source: str, interval: Interval, found: Callable[[], Iterator[tuple[str, LoggedEvent]]]) -> None:
        try:
            events = list(found())
        except AwsError as error:
            tell(f"{source} is not in the recording. {error.problem.message}")
            return
        parts.add_events(events, covered={source: interval})

    keep(f"alarms {place}", (end, end + 1), partial(_definitions, connection, alarms=alarms, at_s=end))
    since = max(start, end - HISTORY_DAYS * DAY_S)
    source = f"history {place}"
    for gap in missing((since, end), answered.covered.get(source, ())):
        keep(source, gap, partial(_history, connection, alarms=alarms, interval=gap))
    log_group = work.plan.evidence.log_group
    for each in work.plan.evidence.filters if log_group is not None else ():
        source = f"matches {place} {each.name} {hashlib.sha256(each.pattern.encode()).hexdigest()[:8]}"
        for gap in missing((start, end), answered.covered.get(source, ())):
            read = partial(_matches, connection, work, metric_filter=each, interval=gap, most=matches, tell=tell)
            keep(source, gap, read)


def _plain(series: Series, *, own: bool) -> Metric:
    return replace(series.metric, region=None, account_id=None if own else series.metric.account_id)


def _oldest_first(request: DataRequest) -> tuple[int, int]:
    return request.start_s, request.end_s


def _alarm_names(plan: Plan) -> list[str]:
    return [entry.alarm.name for group in (plan.alarms, *(model.alarms for model in plan.models)) for entry in group]


def _definitions(connection: Connection, *, alarms: list[str], at_s: int) -> Iterator[tuple[str, LoggedEvent]]:
    client = connection.client("cloudwatch")
    for begin in range(0, len(alarms), _ALARMS_PER_CALL):
        names = alarms[begin : begin + _ALARMS_PER_CALL]
        with doing("Reading alarms (cloudwatch:DescribeAlarms)"):
            answer = client.describe_alarms(
                AlarmNames=names, AlarmTypes=["MetricAlarm", "CompositeAlarm"], MaxRecords=_ALARMS_PER_CALL
            )
        for kind in ("MetricAlarms", "CompositeAlarms"):
            for alarm in answer.get(kind, ()):
                event = LoggedEvent(ALARM_DEFINITIONS, at_s, at_s, {"kind": kind, "alarm": _definition(alarm)})
                yield event_id(event), event


def _history(connection: Connection, *, alarms: list[str], interval: Interval) -> Iterator[tuple[str, LoggedEvent]]:
    def ask(name: str) -> list[tuple[str, LoggedEvent]]:
        pages = connection.pages(
            "cloudwatch",
            "describe_alarm_history",
            AlarmName=name,
            AlarmTypes=["MetricAlarm", "CompositeAlarm"],
            StartDate=datetime.fromtimestamp(interval[0], tz=UTC),
            EndDate=datetime.fromtimestamp(interval[1], tz=UTC),
            ScanBy="TimestampAscending",
        )
        found = []
        for page in pages:
            for item in page.get("AlarmHistoryItems", ()):
                at = int(item["Timestamp"].timestamp())
                kept = {
                    "alarm": item.get("AlarmName", name),
                    "type": item.get("HistoryItemType", ""),
                    "summary": item.get("HistorySummary", ""),
                    "data": _parsed(item.get("HistoryData")),
                }
                event = LoggedEvent(ALARM_HISTORY, at, at, kept)
                found.append((event_id(event), event))
        return found

    _ = connection.client("cloudwatch")
    for rows in in_parallel([partial(ask, name) for name in alarms]):
        yield from rows


def _matches(
    connection: Connection,
    work: Work,
    *,
    metric_filter: MetricFilter,
    interval: Interval,
    most: int,
    tell: Callable[[str], None],
) -> Iterator[tuple[str, LoggedEvent]]:
    plan = work.plan
    pages = connection.pages(
        "logs",
        "filter_log_events",
        logGroupName=metric_filter.log_group,
        filterPattern=metric_filter.pattern,
        startTime=interval[0] * 1000,
        endTime=interval[1] * 1000,
        PaginationConfig={"MaxItems": most},
    )
    count = 0
    for page in pages:
        for item in page.get("events", ()):
            record = _parsed(item.get("message"))
            if not isinstance(record, dict):
                continue
            count += 1
            kept = kept_record(record, latency_path=plan.deployment.evidence.latency_path)
            arrived = int(item.get("ingestionTime", item.get("timestamp", 0)) / 1000)
            happened = _event_time(unwrap(kept), default=int(item.get("timestamp", 0) / 1000))
            event = LoggedEvent(metric_filter.log_group, min(happened, arrived), arrived, kept)
            yield event_id(event), event
    if count >= most:
        tell(f"{metric_filter.name} matches more than {most} events; only that many are in the recording.")


def _parsed(text: object) -> Any:
    try:
        return json.loads(str(text))
    except (ValueError, RecursionError):
        return None


def _definition(alarm: dict[str, Any]) -> Any:
    """Return what defines an alarm, without its state, as JSON."""
    kept = {name: value for name, value in alarm.items() if not name.startswith("State") and "Updated" not in name}
    return json.loads(json.dumps(kept, default=str))


def _event_time(record: Any, *, default: int) -> int:
    try:
        return int(datetime.fromisoformat(str(record["eventTime"])).timestamp())
    except (KeyError, ValueError):
        return default
