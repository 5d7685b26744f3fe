"""Is the watch itself alive? What is deployed in an account against what has to be there for a page to arrive.

A watch dies quietly: an alarm without actions, a disabled rule or key, a subscription nobody confirmed, a trail that was turned
off. Each of these leaves every light green. Pure: `monitoring.live.alive` gathers, and asking it from outside the account, by a
scheduler that is paged another way, closes the circle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from alarms.alarm_set import Severity
from bedrock.event_rules import ALL_MANAGEMENT_EVENTS
from bedrock.evidence import EvidenceRoute
from monitoring.drift import Finding, Status
from monitoring.evidence_check import Report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from alarms.alarm_set import AlarmEntry
    from monitoring.plan import Plan

__all__ = ["AlarmSeen", "Pulse", "TopicSeen", "check_pulse"]

_NAMED = 5
_HOUR_S = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmSeen:
    """An alarm as it is deployed: whether its actions are on, its state, and what ALARM calls."""

    actions_enabled: bool
    state: str
    alarm_actions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicSeen:
    """A topic: confirmed subscriptions, and those that wait for confirmation."""

    confirmed: int
    pending: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """What was seen in one account and Region; None where it could not be asked.

    Attributes:
        alarms: Deployed alarms by name.
        muted: Names of alarms that a mute rule silences now.
        rules: EventBridge rule -> its state and number of targets; None for a rule that is not there.
        filters: Metric filters of the evidence log group, name -> pattern.
        log_group_missing: Whether that group is not there or has no filter.
        key_state: State of the KMS key.
        topics: Topic ARN -> what was seen; None for a topic that is not there.
        trails: Whether any trail logs management events here now.
        evidence_s: Second of the newest point of an evidence metric within a day, 0 where there is none.
        calls_s: Second of the newest hour with calls of a watched model within a day, 0 where there is none.
        problems: What could not be asked, one sentence each.
    """

    alarms: Mapping[str, AlarmSeen] | None = None
    muted: frozenset[str] | None = None
    rules: Mapping[str, tuple[str, int] | None] | None = None
    filters: Mapping[str, str] | None = None
    log_group_missing: bool = False
    key_state: str | None = None
    topics: Mapping[str, TopicSeen | None] | None = None
    trails: bool | None = None
    evidence_s: int | None = None
    calls_s: int | None = None
    problems: tuple[str, ...] = ()


def check_pulse(plan: Plan, pulse: Pulse) -> Report:
    """Return every check of an account and Region; UNKNOWN where it could not be asked.

    Args:
        plan: What should be there.
        pulse: What was seen.
    """
    findings = [
        *_alarms(plan, pulse),
        *_topics(pulse),
        *_key(pulse),
        *_rules(pulse),
        *_trail(plan, pulse),
        *_filters(plan, pulse),
        *_evidence(plan, pulse),
        *(_unknown("permission", text) for text in pulse.problems),
    ]
    site = plan.deployment.site
    return Report(account=site.alias, region=site.region, findings=tuple(findings))


def _ok(check: str, saw: str, /) -> Finding:
    return Finding(check=check, status=Status.OK, saw=saw)


def _wrong(check: str, saw: str, do: str, /) -> Finding:
    return Finding(check=check, status=Status.WRONG, saw=saw, do=do)


def _unknown(check: str, saw: str, do: str = "", /) -> Finding:
    return Finding(check=check, status=Status.UNKNOWN, saw=saw, do=do)


def _entries(plan: Plan) -> list[AlarmEntry]:
    return [entry for group in (plan.alarms, *(model.alarms for model in plan.models)) for entry in group]


def _alarms(plan: Plan, pulse: Pulse) -> Iterator[Finding]:
    if pulse.alarms is None:
        return
    entries = _entries(plan)
    missing = [entry.alarm.name for entry in entries if entry.alarm.name not in pulse.alarms]
    if missing:
        yield _wrong("alarms", f"{len(missing)} of {len(entries)} are not there: {_some(missing)}", "Deploy again.")
    else:
        yield _ok("alarms", f"all {len(entries)} are there")
    told = [entry for entry in entries if entry.alarm.alarm_actions and entry.alarm.name in pulse.alarms]
    off = [entry.alarm.name for entry in told if not pulse.alarms[entry.alarm.name].actions_enabled]
    if off:
        do = "Turn them on (aws cloudwatch enable-alarm-actions), or deploy again."
        yield _wrong("alarm actions", f"{len(off)} alarms call nobody, their actions are off: {_some(off)}", do)
    lost = [
        entry.alarm.name
        for entry in told
        if set(entry.alarm.alarm_actions) - set(pulse.alarms[entry.alarm.name].alarm_actions)
    ]
    if lost:
        yield _wrong(
            "alarm actions", f"{len(lost)} alarms call other targets than configured: {_some(lost)}", "Deploy again."
        )
    if told and not off and not lost:
        yield _ok("alarm actions", f"{len(told)} alarms call who is configured")
    silent = sorted({entry.alarm.name for entry in told} & (pulse.muted or frozenset()))
    if silent:
        yield _unknown(
            "mute rules", f"{len(silent)} alarms are muted now: {_some(silent)}", "Nothing, if that is meant."
        )
    pages = [entry for entry in entries if entry.severity is Severity.PAGE]
    if pages and not any(entry.alarm.alarm_actions for entry in pages):
        yield _wrong(
            "page target", "no alarm that pages has a target", "Add notifications: page: to the configuration."
        )


def _topics(pulse: Pulse) -> Iterator[Finding]:
    for arn, seen in (pulse.topics or {}).items():
        name = arn.rsplit(":", 1)[-1]
        if seen is None:
            yield _wrong(f"topic {name}", "it is not there", "Deploy the account stack, or name another topic.")
        elif not seen.confirmed:
            waiting = f", {seen.pending} wait for confirmation" if seen.pending else ""
            yield _wrong(f"topic {name}", f"nobody receives it{waiting}", "Confirm the subscription, or add one.")
        elif seen.pending:
            yield _unknown(f"topic {name}", f"{seen.confirmed} receivers, {seen.pending} wait for confirmation")
        else:
            yield _ok(f"topic {name}", f"{seen.confirmed} receivers")


def _key(pulse: Pulse) -> Iterator[Finding]:
    if pulse.key_state is None:
        return
    if pulse.key_state == "Enabled":
        yield _ok("KMS key", "it is enabled")
    else:
        yield _wrong(
            "KMS key", f"it is {pulse.key_state}", "Enable it: with a disabled key no alarm reaches its topic."
        )


def _rules(pulse: Pulse) -> Iterator[Finding]:
    for name, seen in (pulse.rules or {}).items():
        check = f"rule {name}"
        if seen is None:
            yield _wrong(check, "it is not there", "Deploy the account stack.")
        elif seen[0] != ALL_MANAGEMENT_EVENTS:
            yield _wrong(check, f"it is {seen[0]}", f"Deploy the account stack again; it sets {ALL_MANAGEMENT_EVENTS}.")
        else:
            yield _ok(check, f"it is enabled, {seen[1]} targets")


def _trail(plan: Plan, pulse: Pulse) -> Iterator[Finding]:
    if pulse.trails is None or not _from_trail(plan):
        return
    if pulse.trails:
        yield _ok("trail", "one logs management events here")
    else:
        do = "Start one (read and write management events); without it no evidence comes."
        yield _wrong("trail", "none logs management events here", do)


def _filters(plan: Plan, pulse: Pulse) -> Iterator[Finding]:
    wanted = plan.evidence.filters
    if not wanted:
        return
    if pulse.log_group_missing:
        saw = f"{plan.evidence.log_group} is not there, or has no filter"
        yield _wrong("metric filters", saw, "Deploy the account stack.")
        return
    if pulse.filters is None:
        return
    lost = [each.name for each in wanted if each.name not in pulse.filters]
    other = [each.name for each in wanted if each.name in pulse.filters and pulse.filters[each.name] != each.pattern]
    if lost:
        yield _wrong("metric filters", f"{len(lost)} of {len(wanted)} are not there: {_some(lost)}", "Deploy again.")
    if other:
        yield _wrong("metric filters", f"{len(other)} have another pattern: {_some(other)}", "Deploy again.")
    if not lost and not other:
        yield _ok("metric filters", f"all {len(wanted)} are there")


def _evidence(plan: Plan, pulse: Pulse) -> Iterator[Finding]:
    check = "evidence"
    if plan.deployment.evidence.route is EvidenceRoute.NONE or pulse.evidence_s is None or pulse.calls_s is None:
        return
    if not pulse.calls_s:
        yield _unknown(check, "no watched model was called in the last day, so there is nothing to see")
        return
    late = _HOUR_S + max(900, plan.deployment.evidence.expected_delay_s)
    if not pulse.evidence_s:
        yield _wrong(
            check,
            "models were called in the last day and no evidence came",
            "Run verify-evidence: it says where it ends.",
        )
    elif pulse.calls_s - pulse.evidence_s > late:
        hours = (pulse.calls_s - pulse.evidence_s) / _HOUR_S
        yield _wrong(
            check,
            f"it stopped {hours:.1f} hours before the last calls",
            "Look at the trail, the rule and the log group.",
        )
    else:
        yield _ok(check, "it comes with the calls")


def _from_trail(plan: Plan) -> bool:
    return plan.deployment.evidence.route in {
        EvidenceRoute.EVENTBRIDGE,
        EvidenceRoute.RULE_COUNTERS,
        EvidenceRoute.TRAIL,
    }


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
