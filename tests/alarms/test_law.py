"""One incident pages once, with the right cause, and no page is taken back by evidence that comes later.

Every combination of symptom states, and every order of arrival of symptoms with many gaps, through the rules and suppressors.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from alarms.alarm_set import AlarmSet, Profile, Role, Severity
from alarms.policy import base_slug
from alarms.thresholds import evidence_wait_s
from cloudwatch.alarm import AlarmState, CompositeAlarm, MetricAlarm
from cloudwatch.alarm_rule import children, evaluate_rule, parse_rule
from tests.alarms.incidents import calls, states_at
from tests.alarms.samples import OPTIMIZED, STANDARD, alarms_of, aliased, evidence_for

if TYPE_CHECKING:
    from bedrock.models import MonitoredModel

MODELS = {
    "optimized": OPTIMIZED,
    "standard": STANDARD,
    "optimized, not streaming": replace(OPTIMIZED, streaming_share=0),
    "optimized, four aliases": aliased(OPTIMIZED, 4),
    "standard, seven aliases": aliased(STANDARD, 7),
    "optimized, both quotas known": replace(OPTIMIZED, quotas=replace(OPTIMIZED.quotas, optimized_tpm=500_000)),
}
COMPETING = {"throttled", "fallback", "slow-decode"}
START = 3600
LONG = 5 * 3600
GAPS = (0, 60, 240, 420, 480, 900)  # whole minutes, as alarms are evaluated
WAIT = evidence_wait_s(300)
# How long after a symptom its copy goes off that tells that it has paged. What comes between a page and that is told too.
THROTTLED_HELD, SLOW_HELD = 120, WAIT + 180


def spans(arrivals: dict[str, int]) -> dict[str, tuple[int, int]]:
    """Return spans of symptoms that arrive at seconds after the start and stay; held copies follow theirs."""
    found = {slug: (START + at, START + LONG) for slug, at in arrivals.items()}
    if "throttled" in arrivals:
        found["throttled-held"] = (START + arrivals["throttled"] + THROTTLED_HELD, START + LONG)
    if "decode-rate" in arrivals:
        found["decode-rate-held"] = (START + arrivals["decode-rate"] + SLOW_HELD, START + LONG)
    return {slug: span for slug, span in found.items() if span[0] < span[1]}


def pages(alarms: AlarmSet, arrivals: dict[str, int]) -> list[str]:
    """Return the slugs that page while symptoms arrive, without those after two hours."""
    return [slug for at, slug in calls(alarms, spans(arrivals)) if at < START + 7200]


def paging_rules(alarms: AlarmSet) -> list[tuple[str, CompositeAlarm]]:
    """Return the composites that page."""
    return [
        (entry.slug, entry.alarm)
        for entry in alarms
        if entry.severity is Severity.PAGE and isinstance(entry.alarm, CompositeAlarm)
    ]


@pytest.mark.parametrize("profile", list(Profile))
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_no_page_is_withdrawn_by_more_symptoms(model: MonitoredModel, profile: Profile) -> None:
    """In every combination of states a paging rule that holds still holds when one more symptom goes into ALARM."""
    for slug, alarm in paging_rules(alarms_of(model, profile=profile)):
        rule = parse_rule(alarm.rule)
        names = sorted(set(children(rule)))
        for combination in itertools.product((AlarmState.OK, AlarmState.ALARM), repeat=len(names)):
            states = dict(zip(names, combination, strict=True))
            if not evaluate_rule(rule, states):
                continue
            for name in names:
                assert evaluate_rule(rule, states | {name: AlarmState.ALARM}), (slug, name)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_no_state_has_two_pages_for_one_cause(model: MonitoredModel) -> None:
    """In every combination of symptom states at most one of the competing causes is neither OK nor held back."""
    alarms = alarms_of(model)
    symptoms = sorted({base_slug(entry.slug) for entry in alarms if isinstance(entry.alarm, MetricAlarm)})
    watched = [
        slug
        for slug in symptoms
        if slug
        in {"throttled", "throttled-held", "decode-rate", "decode-rate-held", "fallback-share", "ttft-objective"}
        or slug in {"service-errors", "latency-objective"}
    ]
    for combination in itertools.product((False, True), repeat=len(watched)):
        on = {slug for slug, is_on in zip(watched, combination, strict=True) if is_on}
        if ("throttled-held" in on and "throttled" not in on) or ("decode-rate-held" in on and "decode-rate" not in on):
            continue
        states = states_at(alarms, dict.fromkeys(on, (START, START + LONG)), START)
        by_name = {entry.alarm.name: states[entry.slug] for entry in alarms}
        heard = [
            entry.slug
            for entry in alarms
            if entry.role is Role.CAUSE
            and entry.severity is Severity.PAGE
            and entry.slug in COMPETING
            and states[entry.slug] is AlarmState.ALARM
            and not _is_held(entry.alarm, by_name)
        ]
        allowed = 2 if "throttled" in heard and "fallback" in heard else 1
        assert len(heard) <= allowed, on
        # Between the first minute of throttling and the next the two can only both be heard if neither has held back yet.
        if len(heard) == 2:
            assert "throttled-held" not in on


def _is_held(alarm: object, states: dict[str, AlarmState]) -> bool:
    held = alarm.suppressor if isinstance(alarm, CompositeAlarm) else None
    return held is not None and states[held.alarm] is AlarmState.ALARM


def orders(symptoms: tuple[str, ...]) -> list[dict[str, int]]:
    """Return every order of arrival with every combination of gaps."""
    return [
        dict(zip(order, itertools.accumulate((0, *gaps)), strict=True))
        for order in itertools.permutations(symptoms)
        for gaps in itertools.product(GAPS, repeat=len(order) - 1)
    ]


@pytest.mark.parametrize("arrivals", orders(("fallback-share", "decode-rate", "ttft-objective")), ids=str)
def test_a_fallback_pages_once(arrivals: dict[str, int]) -> None:
    """In every order: as fallback if its evidence comes before the wait ends, else as slow; twice only in a gap of minutes."""
    found = pages(alarms_of(OPTIMIZED), arrivals)
    late_s = arrivals["fallback-share"] - arrivals["decode-rate"]
    if late_s <= WAIT:
        assert found == ["fallback"]
    else:
        assert found == (["slow-decode", "fallback"] if late_s < SLOW_HELD else ["slow-decode"])


@pytest.mark.parametrize("arrivals", orders(("throttled", "fallback-share", "decode-rate")), ids=str)
def test_fallback_and_throttling_page_once(arrivals: dict[str, int]) -> None:
    """Whichever comes first pages, and somebody is always called.

    Two are told only where a model that paged as slow begins to fail calls, and in the minutes before a copy goes off.
    """
    found = pages(alarms_of(OPTIMIZED), arrivals)
    slow, throttled, share = (arrivals[slug] for slug in ("decode-rate", "throttled", "fallback-share"))
    felt = max(slow, share)
    expected: list[tuple[int, str]] = []
    if min(throttled, share) - slow > WAIT:
        expected.append((slow + WAIT, "slow-decode"))
    if felt < min(throttled + THROTTLED_HELD, slow + SLOW_HELD):
        expected.append((felt, "fallback"))
    if throttled < felt:
        expected.append((throttled, "throttled"))
    assert found == [slug for _, slug in sorted(expected)]
    gap = 0 < felt - throttled < THROTTLED_HELD
    assert 1 <= len(found) <= 1 + gap + (expected[0][1] == "slow-decode")


def test_metrics_that_arrive_all_at_once_call_somebody() -> None:
    """Throttling, its copy and a fallback in one minute, as after late metrics: exactly one page."""
    found = spans({"throttled": 0, "fallback-share": 0, "decode-rate": 0})
    found["throttled-held"] = found["throttled"]
    assert calls(alarms_of(OPTIMIZED), found) == [(START, "throttled")]


@pytest.mark.parametrize("arrivals", orders(("throttled", "decode-rate", "service-errors")), ids=str)
def test_a_standard_model_pages_for_what_explains_slowness(arrivals: dict[str, int]) -> None:
    """Throttling and server errors page for themselves; slow-decode pages only if it was there well before them."""
    found = pages(alarms_of(STANDARD), arrivals)
    first = min(arrivals["throttled"], arrivals["service-errors"]) - arrivals["decode-rate"]
    assert ("slow-decode" in found) is (first >= 60)
    assert sorted(set(found) - {"slow-decode"}) == ["service-errors", "throttled"]
    assert len(found) == len(set(found))


def test_slowness_alone_waits_for_evidence_and_pages() -> None:
    """The page comes half a minute after the time of evidence, and is the only one."""
    found = calls(alarms_of(OPTIMIZED), spans({"decode-rate": 0}))
    assert found == [(START + WAIT + 30, "slow-decode")]


@pytest.mark.parametrize(("delay_s", "wait_s"), [(120, 480), (300, 480), (600, 900), (900, 1200), (1800, 2100)])
def test_the_wait_follows_the_delay_of_evidence(delay_s: int, wait_s: int) -> None:
    """Later evidence, longer wait; what marks slowness as paged comes some minutes after that."""
    alarms = alarms_of(OPTIMIZED, evidence=evidence_for(OPTIMIZED, expected_delay_s=delay_s))
    slow, held, rate = (alarms.get(slug) for slug in ("slow-decode", "decode-rate-held", "decode-rate"))
    assert rate is not None
    assert isinstance(rate.alarm, MetricAlarm)
    slow_periods = rate.alarm.evaluation_periods
    assert slow is not None
    assert isinstance(slow.alarm, CompositeAlarm)
    assert slow.alarm.suppressor is not None
    assert slow.alarm.suppressor.wait_s == wait_s + 30
    assert held is not None
    assert isinstance(held.alarm, MetricAlarm)
    assert held.alarm.evaluation_periods == slow_periods + (wait_s + 180) // 60


def test_throttling_on_top_of_a_chronic_fallback_pages() -> None:
    """After four hours a fallback no longer holds back the page that calls fail."""
    alarms = alarms_of(OPTIMIZED)
    chronic = spans({"fallback-share": 0, "decode-rate": 0})
    chronic["fallback-chronic"] = (START + 14_400, START + LONG)
    chronic["throttled"] = (START + 15_000, START + LONG)
    chronic["throttled-held"] = (START + 15_060, START + LONG)
    assert calls(alarms, chronic) == [(START, "fallback"), (START + 15_000, "throttled")]


def test_the_second_half_of_a_double_incident_is_a_ticket() -> None:
    """Fallback paged, then throttling: nobody is paged again, and the ticket says so."""
    alarms = alarms_of(OPTIMIZED)
    both = spans({"fallback-share": 0, "decode-rate": 0, "throttled": 1200})
    assert pages(alarms, {"fallback-share": 0, "decode-rate": 0, "throttled": 1200}) == ["fallback"]
    tickets = calls(alarms, both, severity=Severity.TICKET)
    assert (START + 1200, "fallback-and-throttling") in tickets


def test_a_fallback_that_stops_while_the_model_is_slow_pages_as_slow() -> None:
    """When what explained the slowness is gone and the slowness stays, somebody is told."""
    found = spans({"fallback-share": 0, "decode-rate": 60})
    found["fallback-share"] = (START, START + 3600)
    assert calls(alarms_of(OPTIMIZED), found) == [(START + 60, "fallback"), (START + 3600 + 900, "slow-decode")]


def test_request_shape_is_silent_while_a_cause_explains() -> None:
    """A missed objective during throttling, fallback or slowness gets no ticket of its own."""
    alarms = alarms_of(OPTIMIZED)
    for cause in ("throttled", "fallback-share", "decode-rate"):
        found = calls(alarms, spans({cause: 0, "latency-objective": 120}), severity=Severity.TICKET)
        assert all(slug != "request-shape" for _, slug in found), cause
    alone = calls(alarms, spans({"latency-objective": 0}), severity=Severity.TICKET)
    assert alone == [(START + 600, "request-shape")]


def test_reservation_is_noted_unless_the_quota_is_used_up() -> None:
    """The note waits for usage, which is recorded when calls end."""
    alarms = alarms_of(STANDARD)
    assert calls(alarms, spans({"throttled": 0}), severity=Severity.NOTE) == [(START + 180, "throttled-by-reservation")]
    assert calls(alarms, spans({"throttled": 0, "quota-use": 120}), severity=Severity.NOTE) == []


def test_the_lean_profile_gives_up_one_thing() -> None:
    """It tells fallback from throttling with one page each; only a fallback that becomes throttling pages twice."""
    alarms = alarms_of(OPTIMIZED, profile=Profile.LEAN)

    def lean_pages(arrivals: dict[str, int]) -> list[str]:
        found = spans(arrivals)
        if "decode-rate" in found:
            found["slow-decode"] = found["decode-rate"]
        return [slug for _, slug in calls(alarms, found)]

    assert lean_pages({"throttled": 0}) == ["throttled"]
    assert lean_pages({"decode-rate": 0}) == []
    assert lean_pages({"fallback-share": 300, "decode-rate": 0}) == ["fallback"]
    assert lean_pages({"throttled": 0, "fallback-share": 300, "decode-rate": 300}) == ["throttled"]
    assert lean_pages({"fallback-share": 0, "decode-rate": 0, "throttled": 300}) == ["fallback", "throttled"]
