"""What does AWS say of a model right now? Gathers for the triage, read-only, in a few calls at once.

Calls: cloudwatch:DescribeAlarms, cloudwatch:DescribeAlarmHistory, cloudwatch:GetMetricData, logs:FilterLogEvents. What is denied or
fails is missing from the answer, which says so. Of each record only the fields that name the caller, the model, the Region, the error and
the served mode are kept; a prompt or an answer in an invocation log is dropped on arrival.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

from bedrock.evidence import ServedAs
from bedrock.metrics import BedrockMetric, invocation_metric
from bedrock.models import LatencyMode
from bedrock.trail_records import unwrap, value_at
from cloudwatch.alarm import AlarmState
from cloudwatch.series import GivenStatistic
from cloudwatch.stat import parse_stat
from cloudwatch.store import MetricStore
from monitoring.live.metric_data import DataRequest, in_parallel, metric_data
from monitoring.live.review import alarm_history
from monitoring.live.session import AwsError, Connection
from monitoring.triage.numbers import window_of
from monitoring.triage.snapshot import AlarmNow, SeenCall, Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from alarms.alarm_set import AlarmEntry
    from monitoring.plan import ModelPlan, Plan
    from monitoring.review.alarm_week import Change

__all__ = ["gather_snapshot"]

_STEP_S = 300
_HISTORY_S = 6 * 3600
_RECORDS_S = 1800
_MOST_RECORDS = 300
_NAMES_PER_CALL = 100
_KEPT = ("eventTime", "timestamp", "eventType", "errorCode", "awsRegion", "region", "inferenceRegion", "modelId")
_KEPT_PATHS = (
    "requestParameters.modelId",
    "additionalEventData.inferenceRegion",
    "userIdentity.arn",
    "userIdentity.sessionContext.sessionIssuer.arn",
    "identity.arn",
)
_STATS = (
    (BedrockMetric.INVOCATIONS, ("Sum",)),
    (BedrockMetric.THROTTLES, ("Sum",)),
    (BedrockMetric.SERVER_ERRORS, ("Sum",)),
    (BedrockMetric.INPUT_TOKENS, ("Sum",)),
    (BedrockMetric.OUTPUT_TOKENS, ("Sum", "SampleCount")),
    (BedrockMetric.LATENCY, ("Sum", "SampleCount", "p90")),
    (BedrockMetric.TTFT, ("Sum", "SampleCount", "p90")),
)

_T = TypeVar("_T")


def gather_snapshot(
    connection: Connection, *, plan: Plan, model: ModelPlan, now_s: int, focus: AlarmEntry | None = None
) -> Snapshot:
    """Ask about one model.

    Args:
        connection: Credentials and Region.
        plan: What is deployed there.
        model: The model.
        now_s: Present time, epoch seconds.
        focus: The alarm that somebody was called for.

    Raises:
        AwsError: The credentials are not accepted at all.
    """
    _ = connection.account_id
    for service in ("cloudwatch", "logs"):
        connection.client(service)  # what a session loads for its first client it loads before threads share it
    missing: list[str] = []
    names = [entry.alarm.name for entry in (*model.alarms, *plan.alarms)]

    def ask(lost: str, question: Callable[[], _T]) -> Callable[[], tuple[str, _T | None]]:
        def answer() -> tuple[str, _T | None]:
            try:
                return lost, question()
            except AwsError as error:
                missing.append(f"{lost}: {error.problem.message}")
                return lost, None

        return answer

    jobs: list[Callable[[], tuple[str, Any]]] = [
        ask("states of the alarms", lambda: _states(connection, names)),
        ask("history of the alarms", lambda: _changes(connection, names, now_s=now_s)),
        ask("metrics", lambda: _store(connection, plan, model, now_s=now_s, told=missing)),
    ]
    if plan.evidence.log_group is not None:
        jobs.append(ask("callers", lambda: tuple(_calls(connection, plan, model, now_s=now_s))))
    else:
        missing.append(f"callers: evidence route {plan.evidence.settings.route} keeps no records")
    found = dict(in_parallel(jobs))
    states: Mapping[str, AlarmNow] | None = found["states of the alarms"]
    absent = [] if states is None else [name for name in names if name not in states]
    if absent:
        more = f" and {len(absent) - 1} more" if len(absent) > 1 else ""
        missing.append(f"{absent[0]}{more}: no such alarm in the account; is this configuration deployed?")
    return Snapshot(
        at_s=now_s,
        plan=plan,
        model=model,
        focus=focus,
        states=states,
        changes=found["history of the alarms"],
        store=found["metrics"],
        calls=found.get("callers"),
        missing=tuple(missing),
    )


def _states(connection: Connection, names: Sequence[str]) -> dict[str, AlarmNow]:
    found = {}
    for start in range(0, len(names), _NAMES_PER_CALL):
        pages = connection.pages(
            "cloudwatch",
            "describe_alarms",
            AlarmNames=list(names[start : start + _NAMES_PER_CALL]),
            AlarmTypes=["MetricAlarm", "CompositeAlarm"],
        )
        for page in pages:
            for alarm in (*page.get("MetricAlarms", ()), *page.get("CompositeAlarms", ())):
                since = alarm.get("StateTransitionedTimestamp") or alarm.get("StateUpdatedTimestamp")
                found[str(alarm["AlarmName"])] = AlarmNow(
                    state=AlarmState(alarm.get("StateValue", "INSUFFICIENT_DATA")),
                    since_s=None if since is None else int(since.timestamp()),
                    reason=str(alarm.get("StateReason", "")),
                )
    return found


def _changes(connection: Connection, names: Sequence[str], *, now_s: int) -> tuple[Change, ...]:
    return alarm_history(connection, names=names, start_s=now_s - _HISTORY_S, end_s=now_s).changes


def _store(connection: Connection, plan: Plan, model: ModelPlan, *, now_s: int, told: list[str]) -> MetricStore:
    pairs = []
    for request, points in metric_data(
        connection, requests=list(_requests(plan, model, now_s=now_s)), tell=told.append
    ):
        if points:
            source = GivenStatistic.of_points(
                [at for at, _ in points],
                [value for _, value in points],
                stat=parse_stat(request.stat),
                period_s=request.period_s,
            )
            pairs.append((request.metric, source))
    return MetricStore.of(pairs)


def _requests(plan: Plan, model: ModelPlan, *, now_s: int) -> Iterator[DataRequest]:
    start_s, end_s = window_of(now_s)
    span = {"start_s": start_s - 3600, "end_s": end_s}
    watched = model.model
    stats = [*_STATS]
    if watched.prompt_caching:
        stats += [(name, ("Sum",)) for name in plan.deployment.cache_metrics]  # type: ignore[misc]
    for model_id in watched.series_ids:
        for name, wanted in stats:
            for stat in wanted:
                yield DataRequest(metric=invocation_metric(model_id, name), stat=stat, period_s=_STEP_S, **span)
        yield DataRequest(metric=invocation_metric(model_id, BedrockMetric.TPM_USAGE), stat="Sum", period_s=60, **span)
    if watched.latency is LatencyMode.OPTIMIZED:
        for mode in (ServedAs.OPTIMIZED, ServedAs.STANDARD):
            for metric in plan.evidence.served(watched, mode):
                yield DataRequest(metric=metric, stat="Sum", period_s=_STEP_S, **span)


def _calls(connection: Connection, plan: Plan, model: ModelPlan, *, now_s: int) -> Iterator[SeenCall]:
    """Yield records of throttled and standard-served calls, by the patterns of the metric filters."""
    standard = {metric.name for metric in plan.evidence.served(model.model, ServedAs.STANDARD)}
    throttled = {
        metric.name for key, series in plan.evidence.throttled_series if key[0] == model.model.key for metric in series
    }
    path = plan.deployment.evidence.latency_path
    seen: set[str] = set()
    for each in plan.evidence.filters:
        if each.metric not in standard | throttled:
            continue
        pages = connection.pages(
            "logs",
            "filter_log_events",
            logGroupName=each.log_group,
            filterPattern=each.pattern,
            startTime=(now_s - _RECORDS_S) * 1000,
            endTime=now_s * 1000,
            PaginationConfig={"MaxItems": _MOST_RECORDS},
        )
        for event in (event for page in pages for event in page.get("events", ())):
            if event.get("eventId") in seen:
                continue
            seen.add(str(event.get("eventId")))
            record = _kept(event.get("message"), path=path)
            if record is not None:
                yield SeenCall(arrived_s=event.get("ingestionTime", event.get("timestamp", 0)) / 1000, record=record)


def _kept(message: object, *, path: str) -> dict[str, Any] | None:
    try:
        parsed = json.loads(str(message))
    except (ValueError, RecursionError):
        return None
    if not isinstance(parsed, dict):
        return None
    record = unwrap(parsed)
    kept: dict[str, Any] = {name: record[name] for name in _KEPT if isinstance(record.get(name), str)}
    for wanted in (*_KEPT_PATHS, path):
        value = value_at(record, wanted)
        if isinstance(value, str):
            at = kept
            *parents, last = wanted.split(".")
            for parent in parents:
                at = at.setdefault(parent, {})
            at[last] = value
    return kept
