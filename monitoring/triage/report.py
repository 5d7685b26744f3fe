"""What does the person who was woken up read? One verdict with its evidence, what it is not, who, and what first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from alarms.alarm_set import AlarmSet, Severity
from alarms.links import alarm_link, evidence_query, insights_link, page_link, quotas_link
from alarms.policy import base_slug
from alarms.runbook import runbook
from cloudwatch.alarm import AlarmState
from monitoring.triage.callers import Affected, affected_callers
from monitoring.triage.numbers import FEWEST_CALLS, Number, calls_in_window, measure_window
from monitoring.triage.verdicts import FELT, decide, symptoms_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from alarms.alarm_set import AlarmEntry
    from monitoring.triage.snapshot import AlarmNow, Snapshot
    from monitoring.triage.verdicts import Verdict

__all__ = ["AlarmLine", "Triage", "triage"]

# cause -> what it is, and the symptoms whose numbers are its evidence
_SAYS: dict[str, tuple[str, tuple[str, ...]]] = {
    "fallback": (
        "is served standard instead of optimized, and users feel it",
        ("fallback-share", "decode-rate", "ttft-objective"),
    ),
    "throttled": ("is throttled: Bedrock refuses calls", ("throttled", "quota-use")),
    "service-errors": ("answers with server errors", ("service-errors",)),
    "slow-decode": ("writes its tokens more slowly than its baseline, and nothing else explains it", ("decode-rate",)),
    "fallback-share": ("is partly served standard instead of optimized; users hardly feel it", ("fallback-share",)),
    "decode-rate-standard": ("is slower than even a call served standard", ("decode-rate",)),
    "request-shape": (
        "misses an objective, but is not slower: the requests changed, or time passes before the model",
        ("ttft-objective", "latency-objective", "answer-length", "prefill-size", "cache-hit"),
    ),
    "tier-overflow": ("overflows its reserved tier", ()),
    "caller-errors": ("is called wrongly: client errors (4xx) over all its models", ()),
    "no-traffic": ("is not called", ("no-traffic",)),
    "blind": ("leaves no evidence of how its calls are served", ("blind",)),
    "throttled-by-reservation": ("is throttled while its quota is not used up", ("throttled", "quota-use")),
    "fallback-and-throttling": ("is throttled and served standard", ("throttled", "fallback-share")),
}
# alarms that only hold other alarms back: nobody is told of them
_BOOKKEEPING = {
    "already-paged",
    "explained",
    "fallback-recent",
    "fallback-chronic",
    "throttled-held",
    "decode-rate-held",
    "objective-held",
    "shape-known",
}
_SHOWN_CHANGES = 12
_SHAPE = {
    "prefill-size": "Prompts are longer, or the cache is lost.",
    "answer-length": "Answers are longer.",
    "cache-hit": "The prompt cache is lost.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmLine:
    """One alarm in ALARM, or the one that somebody was called for; a page may be held back by another cause."""

    name: str
    severity: str
    state: str
    since_s: int | None
    reason: str
    focus: bool
    held_back: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Triage:
    """The answer.

    Attributes:
        account, region, model, title: What it is about.
        at_s: The moment, epoch seconds.
        cause: Slug of the verdict, or None.
        sentence: The verdict in one sentence.
        evidence: Numbers that speak for it.
        numbers: All numbers of the window.
        causes: Every cause that holds, the verdict first.
        is_not: What it is not, one sentence each.
        alarms: The alarm asked for, and every other that is in ALARM.
        changes: Changes of the last hours, newest first: second, alarm, state.
        affected: Who is, or None where it could not be seen.
        steps: What to do first.
        links: Label and address.
        missing: What could not be seen and why.
        sure: False where the verdict rests on numbers alone, because no state could be read.
    """

    account: str
    region: str
    model: str
    title: str
    at_s: int
    cause: str | None
    sentence: str
    evidence: tuple[str, ...]
    numbers: tuple[Number, ...]
    causes: tuple[str, ...]
    is_not: tuple[str, ...]
    alarms: tuple[AlarmLine, ...]
    changes: tuple[tuple[int, str, str], ...]
    affected: Affected | None
    steps: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]
    sure: bool


def triage(snapshot: Snapshot) -> Triage:
    """Return the answer for a moment."""
    plan, model = snapshot.plan, snapshot.model.model
    alarms = AlarmSet(entries=snapshot.entries)
    numbers = measure_window(snapshot)
    verdict = _verdict(snapshot, alarms=alarms, numbers=numbers)
    entry = _entry(alarms, verdict.cause)
    sentence, evidence = _sentence(snapshot, verdict=verdict, numbers=numbers)
    steps: tuple[str, ...] = ()
    is_not: tuple[str, ...] = ()
    told = entry or snapshot.focus
    if told is not None:
        of_model = None if told.model is None else model
        text = runbook(
            told,
            model=of_model,
            site=plan.deployment.site,
            evidence=plan.evidence,
            profile=plan.deployment.profile,
        )
        steps, is_not = _items(text, "First three steps"), _items(text, "What it is not")
    affected = None
    if snapshot.calls is not None:
        affected = affected_callers(snapshot.calls, model=model, evidence=plan.deployment.evidence)
    return Triage(
        account=plan.deployment.site.alias,
        region=plan.deployment.site.region,
        model=model.key,
        title=model.title,
        at_s=snapshot.at_s,
        cause=verdict.cause,
        sentence=sentence,
        evidence=evidence,
        numbers=numbers,
        causes=verdict.causes,
        is_not=is_not,
        alarms=_alarm_lines(snapshot, verdict),
        changes=_changes(snapshot),
        affected=affected,
        steps=steps,
        links=_links(snapshot, entry=told),
        missing=snapshot.missing,
        sure=snapshot.states is not None,
    )


def _verdict(snapshot: Snapshot, *, alarms: AlarmSet, numbers: Iterable[Number]) -> Verdict:
    profile = snapshot.plan.deployment.profile
    if snapshot.states is None:
        off = {number.slug for number in numbers if number.off}
        if off & {"decode-rate", "ttft-objective"}:
            off.add(FELT)
        return decide(alarms, off, profile=profile)
    states = {name: now.state for name, now in snapshot.states.items()}
    since = {
        entry.slug: now.since_s
        for entry in alarms
        if (now := snapshot.states.get(entry.alarm.name)) is not None and now.since_s is not None
    }
    return decide(alarms, symptoms_of(alarms, states), profile=profile, since=since)


def _sentence(snapshot: Snapshot, *, verdict: Verdict, numbers: tuple[Number, ...]) -> tuple[str, tuple[str, ...]]:
    model = snapshot.model.model
    if verdict.cause is None:
        return _nothing(snapshot), tuple(number.text for number in numbers if number.off)
    says, slugs = _SAYS[verdict.cause]
    mine = [number for slug in slugs for number in numbers if number.slug == slug]
    shown = [number for number in mine if number.off] or mine
    site = snapshot.plan.deployment.site
    subject = f"{site.alias} in {site.region}" if verdict.cause == "caller-errors" else f"{model.title} ({model.key})"
    head = f"{subject} {says}"
    if snapshot.states is None:
        head = f"By its numbers alone, {head}"
    told = "; ".join(number.text for number in shown[:3])
    sentence = f"{head}: {told}." if told else f"{head}."
    if verdict.cause == "request-shape":
        sentence += "".join(f" {_SHAPE[number.slug]}" for number in shown if number.off and number.slug in _SHAPE)
    if verdict.both:
        other = "throttling" if verdict.cause == "fallback" else "a fallback to standard"
        sentence += f" {other.capitalize()} came on top of it: one incident."
    return sentence, tuple(number.text for number in mine)


def _nothing(snapshot: Snapshot) -> str:
    model = snapshot.model.model
    name = f"{model.title} ({model.key})"
    calls = calls_in_window(snapshot)
    if snapshot.states is None and calls is None:
        return f"Nothing can be said of {name}: neither alarms nor metrics could be read."
    if calls is not None and calls < FEWEST_CALLS:
        return f"{name} is not evaluable: {calls:.0f} calls in a quarter of an hour, {FEWEST_CALLS} are needed."
    focus = snapshot.focus
    now = None if focus is None or snapshot.states is None else snapshot.states.get(focus.alarm.name)
    if focus is not None and now is not None and now.state is AlarmState.ALARM:
        return f"{focus.title} of {name} is out of bounds, and no cause follows from it yet."
    if focus is not None and now is not None:
        return f"{focus.alarm.name} is {now.state} again: no cause of {name} is in ALARM now."
    return f"No cause of {name} is in ALARM."


def _entry(alarms: AlarmSet, cause: str | None) -> AlarmEntry | None:
    return None if cause is None else alarms.get(cause)


def _items(text: str, heading: str) -> tuple[str, ...]:
    """Return the items of a section of a runbook: steps or bullets, each on one line, links as their words."""
    match = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if match is None:
        return ()
    plain = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", match[1]).replace("**", "").replace("`", "")
    items: list[str] = []
    for line in plain.splitlines():
        if re.match(r"\d+\. |- ", line):
            items.append(re.sub(r"^(\d+\. |- )", "", line).strip())
        elif line.strip() and items:
            items[-1] += " " + re.sub(r"^- ", "", line.strip())
    return tuple(items)


def _changes(snapshot: Snapshot) -> tuple[tuple[int, str, str], ...]:
    told = {entry.alarm.name for entry in snapshot.entries if base_slug(entry.slug) not in _BOOKKEEPING}
    kept = [change for change in snapshot.changes or () if change.alarm in told]
    return tuple((change.at_s, change.alarm, change.state.value) for change in reversed(kept[-_SHOWN_CHANGES:]))


def _alarm_lines(snapshot: Snapshot, verdict: Verdict) -> tuple[AlarmLine, ...]:
    lines = []
    order = {"page": 0, "ticket": 1, "note": 2, "": 3}
    for entry in snapshot.entries:
        now: AlarmNow | None = (snapshot.states or {}).get(entry.alarm.name)
        focus = snapshot.focus is not None and entry.alarm.name == snapshot.focus.alarm.name
        if not focus and (now is None or now.state is not AlarmState.ALARM or base_slug(entry.slug) in _BOOKKEEPING):
            continue
        lines.append(
            AlarmLine(
                name=entry.alarm.name,
                severity=str(entry.severity or ""),
                state="not seen" if now is None else now.state.value,
                since_s=None if now is None else now.since_s,
                reason="" if now is None else now.reason,
                focus=focus,
                held_back=entry.severity is Severity.PAGE
                and now is not None
                and now.state is AlarmState.ALARM
                and entry.slug not in verdict.pages,
            )
        )
    lines.sort(key=lambda line: (not line.focus, order[line.severity]))
    return tuple(lines)


def _links(snapshot: Snapshot, *, entry: AlarmEntry | None) -> tuple[tuple[str, str], ...]:
    site, model, evidence = snapshot.plan.deployment.site, snapshot.model.model, snapshot.plan.evidence
    links = [("page of the model", page_link(site, model.key))]
    if entry is not None:
        links.append(("alarm", alarm_link(site, entry.alarm.name)))
    query, group = evidence_query(model, evidence), evidence.log_group
    if query is not None and group is not None:
        links.append(("callers, in Logs Insights", insights_link(site, log_group=group, query=query)))
    links.append(("quotas", quotas_link(site)))
    return (*links, *model.links)
