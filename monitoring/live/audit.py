"""What lives in an account and Region? Gathers, read-only; lint and `monitoring.audit_findings` judge.

Calls: cloudwatch:DescribeAlarms, cloudwatch:DescribeAlarmHistory, cloudwatch:ListMetrics, cloudwatch:GetMetricData,
cloudwatch:ListDashboards, cloudwatch:GetDashboard, logs:DescribeMetricFilters. A denied call costs its own checks and is said.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from bedrock.metrics import NAMESPACE
from cloudwatch.metric import Metric
from monitoring.audit_findings import Inventory
from monitoring.live.metric_data import DataRequest, in_parallel, metric_data
from monitoring.live.session import AwsError, Connection, doing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["gather_inventory"]

_DAY_S = 86_400
_WEEKS_S = 14 * _DAY_S

_T = TypeVar("_T")
Published = dict[tuple[str, str], frozenset[frozenset[tuple[str, str]]]]


def gather_inventory(
    connection: Connection, *, now_s: int, progress: Callable[[str], None] = lambda _: None
) -> Inventory:
    """Ask one account and Region.

    Args:
        connection: Credentials and Region.
        now_s: Present time, epoch seconds.
        progress: Told what is being read.

    Raises:
        AwsError: The credentials are not accepted at all.
    """
    _ = connection.account_id
    problems: list[str] = []

    def ask(what: str, call: Callable[[], _T]) -> _T | None:
        progress(what)
        try:
            return call()
        except AwsError as error:
            problems.append(error.problem.message)
            return None

    found = ask("alarms", lambda: _alarms(connection))
    metric_alarms, composites = found if found is not None else (None, None)
    filters = ask("metric filters", lambda: _filters(connection))
    published = None
    if metric_alarms is not None:
        published = ask("metrics of the alarms", lambda: _published(connection, _names(metric_alarms)))
    groups = sorted({str(each.get("logGroupName")) for each in filters or ()})
    return Inventory(
        alarms=metric_alarms,
        composites=composites,
        filters=filters,
        dashboards=ask("dashboards", lambda: _dashboards(connection)) or {},
        published=published,
        bedrock=ask("Bedrock metrics", lambda: _bedrock(connection)),
        fired=ask("alarm history", lambda: _fired(connection, now_s=now_s)),
        incoming=ask("log groups", lambda: _incoming(connection, groups, now_s=now_s, told=problems)) if groups else {},
        problems=tuple(problems),
    )


def _alarms(connection: Connection) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    alarms: list[dict[str, Any]] = []
    composites: list[dict[str, Any]] = []
    pages = connection.pages("cloudwatch", "describe_alarms", AlarmTypes=["MetricAlarm", "CompositeAlarm"])
    for page in pages:
        alarms += page.get("MetricAlarms", ())
        composites += page.get("CompositeAlarms", ())
    return alarms, composites


def _filters(connection: Connection) -> list[dict[str, Any]]:
    pages = connection.pages("logs", "describe_metric_filters")
    return [each for page in pages for each in page.get("metricFilters", ())]


def _dashboards(connection: Connection) -> dict[str, str]:
    names = [
        str(entry["DashboardName"])
        for page in connection.pages("cloudwatch", "list_dashboards")
        for entry in page.get("DashboardEntries", ())
    ]
    client = connection.client("cloudwatch")

    def body(name: str) -> tuple[str, str]:
        with doing(f"Reading dashboard {name} (cloudwatch:GetDashboard)"):
            return name, str(client.get_dashboard(DashboardName=name)["DashboardBody"])

    return dict(sorted(in_parallel([partial(body, name) for name in names])))


def _names(alarms: Iterable[dict[str, Any]]) -> list[tuple[str, str]]:
    found: dict[tuple[str, str], None] = {}
    for alarm in alarms:
        metrics = [alarm] if alarm.get("MetricName") else []
        metrics += [entry["MetricStat"]["Metric"] for entry in alarm.get("Metrics", ()) if entry.get("MetricStat")]
        for metric in metrics:
            found.setdefault((str(metric.get("Namespace", "")), str(metric.get("MetricName", ""))))
    return list(found)


def _published(connection: Connection, names: list[tuple[str, str]]) -> Published:
    _ = connection.client("cloudwatch")

    def one(key: tuple[str, str]) -> Published:
        return {key: frozenset(), **_listed(connection, Namespace=key[0], MetricName=key[1])}

    merged: Published = {}
    for part in in_parallel([partial(one, key) for key in names]):
        merged |= part
    return merged


def _bedrock(connection: Connection) -> Published:
    return _listed(connection, Namespace=NAMESPACE)


def _listed(connection: Connection, **which: str) -> Published:
    found: dict[tuple[str, str], set[frozenset[tuple[str, str]]]] = {}
    for page in connection.pages("cloudwatch", "list_metrics", **which):
        for entry in page.get("Metrics", ()):
            dimensions = frozenset((str(pair["Name"]), str(pair["Value"])) for pair in entry.get("Dimensions", ()))
            found.setdefault((str(entry["Namespace"]), str(entry["MetricName"])), set()).add(dimensions)
    return {key: frozenset(series) for key, series in found.items()}


def _fired(connection: Connection, *, now_s: int) -> dict[str, int]:
    now = datetime.fromtimestamp(now_s, tz=UTC)
    pages = connection.pages(
        "cloudwatch",
        "describe_alarm_history",
        AlarmTypes=["MetricAlarm", "CompositeAlarm"],
        HistoryItemType="StateUpdate",
        StartDate=now - timedelta(days=7),
        EndDate=now,
    )
    counts: Counter[str] = Counter()
    for page in pages:
        for item in page.get("AlarmHistoryItems", ()):
            if str(item.get("HistorySummary", "")).endswith("to ALARM"):
                counts[str(item.get("AlarmName"))] += 1
    return dict(counts)


def _incoming(connection: Connection, groups: list[str], *, now_s: int, told: list[str]) -> dict[str, float]:
    end = now_s - now_s % 3600
    requests = [
        DataRequest(
            metric=Metric(namespace="AWS/Logs", name="IncomingLogEvents", dimensions=(("LogGroupName", group),)),
            stat="Sum",
            period_s=_DAY_S,
            start_s=end - _WEEKS_S,
            end_s=end,
        )
        for group in groups
    ]
    found: dict[str, float] = {}
    for request, points in metric_data(connection, requests=requests, tell=told.append):
        found[request.metric.dimension("LogGroupName") or ""] = sum(value for _, value in points)
    return found
