"""What did AWS record of a week and the one before? Gathers for the review, read-only but for `publish`.

Calls: cloudwatch:GetMetricData, cloudwatch:DescribeAlarmHistory, servicequotas:ListServiceQuotas; `publish` calls
cloudwatch:PutDashboard. What is denied or not answered is missing from the review, which says so. Counts of single minutes are asked
for only where CloudWatch still has them (15 days); the rest is hourly.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from bedrock.catalogue import catalogue
from bedrock.evidence import ServedAs
from bedrock.metrics import BedrockMetric, invocation_metric
from cloudwatch.dashboard.render import to_json
from cloudwatch.retention import retention_s
from cloudwatch.series import GivenStatistic
from cloudwatch.stat import parse_stat
from cloudwatch.store import MetricStore
from monitoring.live.metric_data import DataRequest, metric_data
from monitoring.live.session import AwsError, Connection, doing
from monitoring.quota_match import FoundQuota, quotas_for, scope_of
from monitoring.review.alarm_week import AlarmHistory, HistoryItem, history_from_items
from monitoring.review.report import Known
from monitoring.review.sources import Fortnight

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from bedrock.models import MonitoredModel
    from dashboards.page import Dashboard
    from monitoring.plan import Plan
    from monitoring.review.week import Week

__all__ = ["alarm_history", "gather_fortnight", "gather_quotas", "publish"]

STOPPED = "Reading was stopped: only what had been read by then is in the review."
_HOUR_S = 3600
_HISTORY_KEPT_S = 30 * 86_400
_COUNTED = (BedrockMetric.INVOCATIONS, BedrockMetric.THROTTLES, BedrockMetric.TPM_USAGE)
_HOURLY = (
    (BedrockMetric.CLIENT_ERRORS, ("Sum",)),
    (BedrockMetric.SERVER_ERRORS, ("Sum",)),
    (BedrockMetric.INPUT_TOKENS, ("Sum",)),
    (BedrockMetric.OUTPUT_TOKENS, ("Sum", "SampleCount")),
    (BedrockMetric.LATENCY, ("Sum", "SampleCount", "p50", "p90", "p99")),
    (BedrockMetric.TTFT, ("Sum", "SampleCount", "p50", "p90", "p99")),
)

_T = TypeVar("_T")


def gather_fortnight(
    connection: Connection,
    *,
    plan: Plan,
    weeks: tuple[Week, Week],
    now_s: int,
    progress: Callable[[str], None] = lambda _: None,
) -> Fortnight:
    """Read a week and the one before it; stopped by Ctrl-C, what had been read by then.

    Args:
        connection: Credentials and Region.
        plan: What is deployed there.
        weeks: The week, and the one before.
        now_s: Present time, epoch seconds.
        progress: Told what is being read.

    Raises:
        AwsError: The credentials are not accepted at all, or nothing of the week can be read.
    """
    _ = connection.account_id
    week, before = weeks
    missing: list[str] = []
    if now_s < week.end_s:
        missing.append(f"{week.name} is not over: it ends on {week.local(week.end_s, '%a %-d %b %H:%M')}.")

    def ask(lost: str, call: Callable[[], _T]) -> _T | None:
        if STOPPED in missing:
            return None
        progress(lost)
        try:
            return call()
        except AwsError as error:
            missing.append(f"{lost}: {error.problem.message}")
        except KeyboardInterrupt:
            missing.append(STOPPED)
        return None

    this = _known(connection, plan, week=week, now_s=now_s, told=missing, progress=progress)
    last = ask(
        f"metrics of {before.name}",
        lambda: _known(connection, plan, week=before, now_s=now_s, told=missing, progress=progress),
    )
    if now_s - week.start_s > _HISTORY_KEPT_S:
        missing.append("CloudWatch keeps the history of alarms for 30 days; older pages of the week are not counted.")
    names = [entry.alarm.name for entry in (*plan.alarms, *(entry for each in plan.models for entry in each.alarms))]
    history = ask(
        "history of the alarms",
        lambda: alarm_history(connection, names=names, start_s=before.start_s, end_s=min(week.end_s, now_s)),
    )
    if not this.minutes:
        missing.append("Single minutes of the week are not kept any more, so bursts and peaks are not shown.")
    return Fortnight(
        this=this, last=last, history=history, missing=tuple(missing), source="CloudWatch, points as it keeps them"
    )


def gather_quotas(connection: Connection, *, models: Iterable[MonitoredModel]) -> dict[str, Mapping[str, float]]:
    """Return the quotas in force by model key; a model whose ids the catalogue does not know has none.

    Raises:
        AwsError: They cannot be listed.
    """
    found = [
        FoundQuota(code=entry["QuotaCode"], name=entry["QuotaName"], value=float(entry["Value"]))
        for page in connection.pages("service-quotas", "list_service_quotas", ServiceCode="bedrock")
        for entry in page.get("Quotas", ())
        if "Value" in entry
    ]
    quotas: dict[str, Mapping[str, float]] = {}
    for model in models:
        known = catalogue().find(model.model_ids[0])
        if known is not None:
            mine = quotas_for(known.title, scope=scope_of(model.model_ids[0]), quotas=found)
            quotas[model.key] = {each.key: each.quota.value for each in mine}
    return quotas


def alarm_history(connection: Connection, *, names: Iterable[str], start_s: int, end_s: int) -> AlarmHistory:
    """Return what alarms did between two times, from their own history.

    Raises:
        AwsError: It cannot be read.
    """
    items: list[HistoryItem] = []
    for kind in ("StateUpdate", "Action"):
        pages = connection.pages(
            "cloudwatch",
            "describe_alarm_history",
            AlarmTypes=["MetricAlarm", "CompositeAlarm"],
            HistoryItemType=kind,
            StartDate=datetime.fromtimestamp(start_s, tz=UTC),
            EndDate=datetime.fromtimestamp(end_s, tz=UTC),
            ScanBy="TimestampAscending",
        )
        items += [
            HistoryItem(
                at_s=int(item["Timestamp"].timestamp()),
                alarm=str(item.get("AlarmName", "")),
                kind=kind,
                summary=str(item.get("HistorySummary", "")),
                data=_parsed(item.get("HistoryData")),
            )
            for page in pages
            for item in page.get("AlarmHistoryItems", ())
        ]
    return history_from_items(items, names=names, source="history of the alarms, CloudWatch")


def publish(connection: Connection, *, pages: Iterable[Dashboard]) -> Iterator[str]:
    """Write frozen pages, and yield the name of each that is written.

    Raises:
        AwsError: AWS refused one; those before it are written.
    """
    for page in pages:
        with doing(f"Writing dashboard {page.name} (cloudwatch:PutDashboard)"):
            connection.client("cloudwatch").put_dashboard(DashboardName=page.name, DashboardBody=to_json(page.body))
        yield page.name


def _known(
    connection: Connection,
    plan: Plan,
    *,
    week: Week,
    now_s: int,
    told: list[str],
    progress: Callable[[str], None],
) -> Known:
    minutes = now_s - week.start_s < retention_s(60)
    end_s = max(week.start_s + _HOUR_S, min(week.end_s, now_s - now_s % _HOUR_S))
    requests = list(_requests(plan, start_s=week.start_s, end_s=end_s, count_s=60 if minutes else _HOUR_S))
    progress(f"{len(requests)} series of {week.name}")
    pairs = []
    try:
        for request, points in metric_data(connection, requests=requests, tell=told.append):
            if points:
                source = GivenStatistic.of_points(
                    [at for at, _ in points],
                    [value for _, value in points],
                    stat=parse_stat(request.stat),
                    period_s=request.period_s,
                )
                pairs.append((request.metric, source))
    except AwsError as error:
        if not pairs:
            raise
        told.append(f"Part of the metrics of {week.name}: {error.problem.message}")
    except KeyboardInterrupt:
        if not pairs:
            raise
        told.append(STOPPED)
    return Known(store=MetricStore.of(pairs), minutes=minutes)


def _requests(plan: Plan, *, start_s: int, end_s: int, count_s: int) -> Iterator[DataRequest]:
    span = {"start_s": start_s, "end_s": end_s}
    for each in plan.models:
        model = each.model
        hourly = [*_HOURLY]
        if model.prompt_caching:
            hourly += [(name, ("Sum",)) for name in plan.deployment.cache_metrics]  # type: ignore[misc]
        for model_id in model.series_ids:
            for name in _COUNTED:
                yield DataRequest(metric=invocation_metric(model_id, name), stat="Sum", period_s=count_s, **span)
            for name, stats in hourly:
                for stat in stats:
                    metric = invocation_metric(model_id, name)
                    yield DataRequest(metric=metric, stat=stat, period_s=_HOUR_S, **span)
        for mode in (ServedAs.OPTIMIZED, ServedAs.STANDARD):
            for metric in plan.evidence.served(model, mode):
                yield DataRequest(metric=metric, stat="Sum", period_s=_HOUR_S, **span)


def _parsed(text: object) -> Any:
    try:
        return json.loads(str(text))
    except (ValueError, RecursionError):
        return None
