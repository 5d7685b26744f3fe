"""The fire drill: which alarms it picks, what it sets and sets back, and what it says of receivers."""

from __future__ import annotations

import pytest

from alarms.alarm_set import AlarmEntry, Role, Severity
from cloudwatch.alarm import Comparison, CompositeAlarm, MetricAlarm, Suppressor
from cloudwatch.metric import Metric, MetricQuery
from monitoring.drill import DrillStep, drill_reason, drill_steps
from monitoring.live.fire_drill import DrillOutcome, run_drill
from monitoring.live.session import Connection

TOPIC = "arn:aws:sns:us-east-1:123456789012:llm-test-page"


def metric_alarm(name: str, *, actions: tuple[str, ...] = (TOPIC,)) -> MetricAlarm:
    """A small metric alarm."""
    query = MetricQuery(id="m1", metric=Metric(namespace="N", name="M"), stat="Sum", period_s=60, return_data=True)
    return MetricAlarm(
        name=name,
        queries=(query,),
        comparison=Comparison.GREATER,
        threshold=1,
        evaluation_periods=1,
        datapoints_to_alarm=1,
        alarm_actions=actions,
    )


def composite(name: str, *, wait_s: int | None = None) -> CompositeAlarm:
    """A small composite, with a suppressor when it has a wait."""
    suppressor = None if wait_s is None else Suppressor(alarm="s", wait_s=wait_s, extension_s=60)
    return CompositeAlarm(name=name, rule='ALARM("s")', suppressor=suppressor, alarm_actions=(TOPIC,))


def entry(alarm: MetricAlarm | CompositeAlarm, severity: Severity, role: Role = Role.CAUSE) -> AlarmEntry:
    """A cause."""
    return AlarmEntry(slug="x", role=role, alarm=alarm, title="x", severity=severity)


def test_a_metric_alarm_is_preferred_because_its_next_evaluation_undoes_the_drill() -> None:
    """Of three causes of a severity the metric alarm is set, never a symptom and never one without an action."""
    entries = [
        entry(composite("with-suppressor", wait_s=300), Severity.PAGE),
        entry(composite("composite"), Severity.PAGE),
        entry(metric_alarm("silent", actions=()), Severity.PAGE),
        entry(metric_alarm("symptom"), Severity.PAGE, Role.SYMPTOM),
        entry(metric_alarm("metric"), Severity.PAGE),
        entry(composite("note", wait_s=180), Severity.NOTE),
    ]
    steps = drill_steps(entries)
    assert [(step.severity, step.alarm, step.wait_s) for step in steps] == [
        (Severity.PAGE, "metric", 0),
        (Severity.NOTE, "note", 180),
    ]


@pytest.mark.usefixtures("aws")
def test_the_drill_sets_the_alarm_with_a_reason_that_nobody_can_mistake() -> None:
    """The alarm goes into ALARM, its reason is marked, and the receivers are counted."""
    connection = Connection(region="us-east-1")
    client = connection.client("cloudwatch")
    sns = connection.client("sns")
    sns.create_topic(Name="llm-test-page")
    sns.subscribe(TopicArn=TOPIC, Protocol="sqs", Endpoint="arn:aws:sqs:us-east-1:123456789012:q")
    put_alarm(client, "present")
    steps = [step("present"), step("absent")]
    present, absent = run_drill(connection, steps=steps, mark="2026-11-02 09:00Z", sleep=pytest.fail)
    alarm = client.describe_alarms(AlarmNames=["present"])["MetricAlarms"][0]
    assert (present.outcome, present.confirmed, present.pending) == (DrillOutcome.SENT, 1, 0)
    assert alarm["StateValue"] == "ALARM"
    assert "FIRE DRILL 2026-11-02 09:00Z" in alarm["StateReason"]
    assert "do nothing" in alarm["StateReason"]
    assert absent.outcome is DrillOutcome.MISSING


@pytest.mark.usefixtures("aws")
def test_an_alarm_that_could_not_call_anybody_is_not_set() -> None:
    """Disabled actions and an alarm that rings already are said instead of being counted as sent."""
    connection = Connection(region="us-east-1")
    client = connection.client("cloudwatch")
    put_alarm(client, "muted", ActionsEnabled=False)
    put_alarm(client, "ringing")
    client.set_alarm_state(AlarmName="ringing", StateValue="ALARM", StateReason="real")
    results = run_drill(connection, steps=[step("muted"), step("ringing")], mark="m", sleep=pytest.fail)
    assert [result.outcome for result in results] == [DrillOutcome.MUTED, DrillOutcome.BUSY]
    assert client.describe_alarms(AlarmNames=["ringing"])["MetricAlarms"][0]["StateReason"] == "real"


@pytest.mark.usefixtures("aws")
def test_a_composite_is_set_back_even_when_the_wait_is_interrupted() -> None:
    """Ctrl-C during the wait leaves no composite in ALARM."""
    connection = Connection(region="us-east-1")
    client = connection.client("cloudwatch")
    put_alarm(client, "stands-for-a-composite")
    client.set_alarm_state(AlarmName="stands-for-a-composite", StateValue="OK", StateReason="quiet")
    waited: list[float] = []

    def interrupted(seconds: float) -> None:
        waited.append(seconds)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(
            run_drill(
                connection,
                steps=[step("stands-for-a-composite", composite=True, wait_s=180)],
                mark="m",
                sleep=interrupted,
            )
        )
    alarm = client.describe_alarms(AlarmNames=["stands-for-a-composite"])["MetricAlarms"][0]
    assert waited == [240]
    assert alarm["StateValue"] == "OK"
    assert "over" in alarm["StateReason"]


def step(name: str, *, composite: bool = False, wait_s: int = 0) -> DrillStep:
    """A step of the page path."""
    return DrillStep(severity=Severity.PAGE, alarm=name, composite=composite, topic_arns=(TOPIC,), wait_s=wait_s)


def put_alarm(client: object, name: str, **more: object) -> None:
    """Create an alarm through the API."""
    client.put_metric_alarm(  # type: ignore[attr-defined]
        AlarmName=name,
        Namespace="N",
        MetricName="M",
        Statistic="Sum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=1,
        ComparisonOperator="GreaterThanThreshold",
        AlarmActions=[TOPIC],
        **more,
    )


def test_the_reason_names_the_path() -> None:
    """Whoever reads the page knows which path was tried."""
    assert "page path" in drill_reason(step("a"), mark="m")
