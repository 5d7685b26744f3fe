"""Does a page arrive? Sets one alarm of each severity to ALARM, marked as a drill, and says what to look for.

Writes: cloudwatch:SetAlarmState. Metric alarms return to their true state at their next evaluation (CloudWatch API,
SetAlarmState). A composite keeps the state that is set until a child changes, so the drill waits until its suppressor has
let the action pass and then sets it back, also when it is interrupted.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from monitoring.drill import DrillStep, drill_reason
from monitoring.live.session import AwsError, Connection, doing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["DrillOutcome", "DrillResult", "run_drill"]

SETTLE_S = 60


class DrillOutcome(StrEnum):
    """What happened to one step."""

    SENT = "sent"
    MISSING = "missing"
    MUTED = "muted"
    BUSY = "busy"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DrillResult:
    """One step and its outcome.

    Attributes:
        step: What was tried.
        outcome: SENT; MISSING: no such alarm; MUTED: its actions are disabled; BUSY: it is in ALARM already, so setting
            it again would send nothing; FAILED: AWS refused.
        confirmed: Confirmed subscriptions of the topics that were asked.
        pending: Subscriptions nobody has confirmed yet.
        said: What AWS said, for FAILED or where subscriptions could not be listed.
    """

    step: DrillStep
    outcome: DrillOutcome
    confirmed: int = 0
    pending: int = 0
    said: str = ""


def run_drill(
    connection: Connection, *, steps: Iterable[DrillStep], mark: str, sleep: Callable[[float], None]
) -> Iterator[DrillResult]:
    """Run the steps one after the other and yield each result; set composites back at the end.

    Args:
        connection: Account and Region of the alarms.
        steps: What to set.
        mark: Text that makes this drill recognisable, for example its UTC time.
        sleep: Waits that many seconds; called at most once, when a composite was set.
    """
    set_composites: list[tuple[DrillStep, str]] = []
    try:
        for step in steps:
            try:
                outcome, before = _set(connection, step=step, mark=mark)
            except AwsError as error:
                yield DrillResult(step=step, outcome=DrillOutcome.FAILED, said=error.problem.message)
                continue
            if outcome is DrillOutcome.SENT and step.composite:
                set_composites.append((step, before))
            confirmed, pending, said = _subscriptions(connection, topic_arns=step.topic_arns)
            yield DrillResult(step=step, outcome=outcome, confirmed=confirmed, pending=pending, said=said)
        if set_composites:
            sleep(max(step.wait_s for step, _ in set_composites) + SETTLE_S)
    finally:
        for step, before in set_composites:
            _put(connection, step=step, state=before, reason=f"{drill_reason(step, mark=mark)} The drill is over.")


def _set(connection: Connection, *, step: DrillStep, mark: str) -> tuple[DrillOutcome, str]:
    client = connection.client("cloudwatch")
    with doing(f"Reading alarm {step.alarm} (cloudwatch:DescribeAlarms)"):
        found = client.describe_alarms(AlarmNames=[step.alarm], AlarmTypes=["MetricAlarm", "CompositeAlarm"])
    alarms = [*found.get("MetricAlarms", ()), *found.get("CompositeAlarms", ())]
    if not alarms:
        return DrillOutcome.MISSING, ""
    if not alarms[0].get("ActionsEnabled", True):
        return DrillOutcome.MUTED, ""
    if alarms[0].get("StateValue") == "ALARM":
        return DrillOutcome.BUSY, ""
    before = str(alarms[0].get("StateValue", "OK"))
    _put(connection, step=step, state="ALARM", reason=drill_reason(step, mark=mark))
    return DrillOutcome.SENT, before


def _put(connection: Connection, *, step: DrillStep, state: str, reason: str) -> None:
    client = connection.client("cloudwatch")
    with doing(f"Setting alarm {step.alarm} to {state} (cloudwatch:SetAlarmState)"):
        client.set_alarm_state(AlarmName=step.alarm, StateValue=state, StateReason=reason)


def _subscriptions(connection: Connection, *, topic_arns: Iterable[str]) -> tuple[int, int, str]:
    confirmed = pending = 0
    try:
        for arn in topic_arns:
            for page in connection.pages("sns", "list_subscriptions_by_topic", TopicArn=arn):
                states = [entry.get("SubscriptionArn") for entry in page.get("Subscriptions", ())]
                pending += states.count("PendingConfirmation")
                confirmed += len(states) - states.count("PendingConfirmation")
    except AwsError as error:
        return confirmed, pending, error.problem.message
    return confirmed, pending, ""
