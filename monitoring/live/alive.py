"""What is there of the watch? Gathers, read-only; `monitoring.liveness` judges.

Calls: cloudwatch:DescribeAlarms, cloudwatch:ListAlarmMuteRules, cloudwatch:GetAlarmMuteRule, cloudwatch:GetMetricData,
events:DescribeRule, events:ListTargetsByRule, logs:DescribeMetricFilters, kms:DescribeKey, sns:ListSubscriptionsByTopic,
cloudtrail:DescribeTrails, cloudtrail:GetTrailStatus, cloudtrail:GetEventSelectors. A denied call costs its own checks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from bedrock.metrics import BedrockMetric, invocation_metric
from monitoring.live.discover import trails_of
from monitoring.live.metric_data import DataRequest, metric_data
from monitoring.live.session import AwsError, Connection, doing
from monitoring.liveness import AlarmSeen, Pulse, TopicSeen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from cloudwatch.metric import Metric
    from monitoring.plan import Plan

__all__ = ["gather_pulse"]

_PER_CALL = 100
_DAY_S = 86_400

_T = TypeVar("_T")


def gather_pulse(
    connection: Connection, plan: Plan, *, now_s: int, progress: Callable[[str], None] = lambda _: None
) -> Pulse:
    """Ask one account and Region.

    Args:
        connection: Credentials and Region.
        plan: What should be there.
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

    deployment = plan.deployment
    names = [entry.alarm.name for group in (plan.alarms, *(model.alarms for model in plan.models)) for entry in group]
    topics = [arn for target in deployment.notifications for arn in target.topic_arns]
    topics += [topic.arn for topic in plan.notify.topics]
    key = deployment.kms_key_arn or (plan.notify.key.alias if plan.notify.key else None)
    group = plan.evidence.log_group
    filters = None if group is None else ask("metric filters", lambda: _filters(connection, log_group=group))
    evidence = dict.fromkeys(
        metric
        for series in (plan.evidence.served_series, plan.evidence.throttled_series)
        for _, metrics in series
        for metric in metrics
    )
    calls = [
        invocation_metric(model_id, BedrockMetric.INVOCATIONS)
        for model in deployment.models
        for model_id in model.series_ids
    ]
    return Pulse(
        alarms=ask("alarms", lambda: _alarms(connection, names=names)),
        muted=ask("mute rules", lambda: _muted(connection)),
        rules=ask("rules", lambda: {rule.name: _rule(connection, name=rule.name) for rule in plan.evidence.rules}),
        filters=filters or None,
        log_group_missing=filters is not None and not filters,
        key_state=None if key is None else ask("KMS key", lambda: _key_state(connection, key=key)),
        topics=ask("topics", lambda: {arn: _topic(connection, arn=arn) for arn in dict.fromkeys(topics)}),
        trails=ask("trails", lambda: any(trail.usable for trail in trails_of(connection))),
        evidence_s=ask("evidence", lambda: _newest(connection, evidence, now_s=now_s, period_s=300, told=problems)),
        calls_s=ask("calls", lambda: _newest(connection, calls, now_s=now_s, period_s=300, told=problems)),
        problems=tuple(problems),
    )


def _alarms(connection: Connection, *, names: list[str]) -> dict[str, AlarmSeen]:
    client = connection.client("cloudwatch")
    seen: dict[str, AlarmSeen] = {}
    for begin in range(0, len(names), _PER_CALL):
        with doing("Reading alarms (cloudwatch:DescribeAlarms)"):
            answer = client.describe_alarms(
                AlarmNames=names[begin : begin + _PER_CALL],
                AlarmTypes=["MetricAlarm", "CompositeAlarm"],
                MaxRecords=_PER_CALL,
            )
        for alarm in (*answer.get("MetricAlarms", ()), *answer.get("CompositeAlarms", ())):
            seen[str(alarm["AlarmName"])] = AlarmSeen(
                actions_enabled=bool(alarm.get("ActionsEnabled", True)),
                state=str(alarm.get("StateValue", "")),
                alarm_actions=tuple(alarm.get("AlarmActions", ())),
            )
    return seen


def _muted(connection: Connection) -> frozenset[str]:
    found: set[str] = set()
    client = connection.client("cloudwatch")
    for page in connection.pages("cloudwatch", "list_alarm_mute_rules", Statuses=["ACTIVE"]):
        for summary in page.get("AlarmMuteRuleSummaries", ()):
            name = str(summary.get("AlarmMuteRuleArn", "")).rsplit(":", 1)[-1]
            with doing(f"Reading mute rule {name} (cloudwatch:GetAlarmMuteRule)"):
                rule = client.get_alarm_mute_rule(AlarmMuteRuleName=name)
            found.update(str(alarm) for alarm in rule.get("MuteTargets", {}).get("AlarmNames", ()))
    return frozenset(found)


def _rule(connection: Connection, *, name: str) -> tuple[str, int] | None:
    client = connection.client("events")
    try:
        with doing(f"Reading rule {name} (events:DescribeRule, events:ListTargetsByRule)"):
            state = str(client.describe_rule(Name=name)["State"])
            targets = client.list_targets_by_rule(Rule=name).get("Targets", ())
    except AwsError as error:
        if "ResourceNotFound" in error.problem.message:
            return None
        raise
    return state, len(targets)


def _filters(connection: Connection, *, log_group: str) -> dict[str, str]:
    """Return name -> pattern; empty where the group is not there or holds none."""
    try:
        pages = list(connection.pages("logs", "describe_metric_filters", logGroupName=log_group))
    except AwsError as error:
        if "ResourceNotFound" in error.problem.message:
            return {}
        raise
    return {
        str(each["filterName"]): str(each.get("filterPattern", ""))
        for page in pages
        for each in page.get("metricFilters", ())
    }


def _key_state(connection: Connection, *, key: str) -> str:
    with doing(f"Reading key {key} (kms:DescribeKey)"):
        return str(connection.client("kms").describe_key(KeyId=key)["KeyMetadata"]["KeyState"])


def _topic(connection: Connection, *, arn: str) -> TopicSeen | None:
    states = []
    try:
        for page in connection.pages("sns", "list_subscriptions_by_topic", region=arn.split(":")[3], TopicArn=arn):
            states += [str(entry.get("SubscriptionArn")) for entry in page.get("Subscriptions", ())]
    except AwsError as error:
        if "NotFound" in error.problem.message:
            return None
        raise
    pending = states.count("PendingConfirmation")
    return TopicSeen(confirmed=len(states) - pending - states.count("Deleted"), pending=pending)


def _newest(connection: Connection, metrics: Iterable[Metric], *, now_s: int, period_s: int, told: list[str]) -> int:
    """Return the second of the newest point above 0 within a day, 0 where there is none."""
    end = now_s - now_s % period_s
    requests = [
        DataRequest(metric=metric, stat="Sum", period_s=period_s, start_s=end - _DAY_S, end_s=end) for metric in metrics
    ]
    newest = 0
    for _, points in metric_data(connection, requests=requests, tell=told.append):
        newest = max([newest, *(at for at, value in points if value > 0)])
    return newest
