"""The verdict table says what the alarms page, for every combination of symptoms."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, combinations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from alarms.alarm_set import AlarmSet, Profile, Severity
from alarms.policy import base_slug
from bedrock.models import AlarmOverride, LatencyMode, MonitoredModel, Objectives, Quotas
from cloudwatch.alarm import AlarmState, CompositeAlarm, MetricAlarm
from cloudwatch.alarm_rule import parse_rule
from cloudwatch.composites import composite_transitions, evaluation_order
from cloudwatch.suppression import run_actions
from monitoring.plan import plan
from monitoring.triage.verdicts import TABLE, decide, symptoms_of, table_markdown
from tests.monitoring.sample_plans import deployment, model

if TYPE_CHECKING:
    from collections.abc import Iterator

GOALS = Objectives(ttft_p90_ms=900, latency_p90_ms=6000)
FULL = Quotas(tpm=8e5, rpm=200, optimized_tpm=4e5, max_tokens=2000)
KINDS: dict[str, tuple[MonitoredModel, Profile]] = {
    "optimized": (model(objectives=GOALS, quotas=FULL, reserved_tier=True), Profile.DEFAULT),
    "optimized without objectives": (model(quotas=FULL), Profile.DEFAULT),
    "optimized with a latency objective only": (
        model(objectives=Objectives(latency_p90_ms=6000), streaming_share=0.1),
        Profile.DEFAULT,
    ),
    "standard": (model(latency=LatencyMode.STANDARD, objectives=GOALS, quotas=FULL), Profile.DEFAULT),
    "standard, not streaming": (
        model(latency=LatencyMode.STANDARD, objectives=GOALS, streaming_share=0.0),
        Profile.DEFAULT,
    ),
    "fallback off": (
        model(objectives=GOALS, quotas=FULL, overrides=(("fallback", AlarmOverride(off=True)),)),
        Profile.DEFAULT,
    ),
    "slow-decode off": (
        model(objectives=GOALS, quotas=FULL, overrides=(("slow-decode", AlarmOverride(off=True)),)),
        Profile.DEFAULT,
    ),
    "throttled off": (
        model(objectives=GOALS, quotas=FULL, overrides=(("throttled", AlarmOverride(off=True)),)),
        Profile.DEFAULT,
    ),
    "throttled is a ticket": (
        model(latency=LatencyMode.STANDARD, overrides=(("throttled", AlarmOverride(severity="ticket")),)),
        Profile.DEFAULT,
    ),
    "seven ids": (model(model_ids=tuple(f"us.amazon.m{n}-v1:0" for n in range(7)), objectives=GOALS), Profile.DEFAULT),
    "lean": (model(objectives=GOALS), Profile.LEAN),
    "lean, standard": (model(latency=LatencyMode.STANDARD), Profile.LEAN),
}
CHOSEN = (
    "throttled",
    "fallback-share",
    "decode-rate",
    "slow-decode",
    "ttft-objective",
    "latency-objective",
    "service-errors",
    "quota-use",
    "fallback-chronic",
)
HELD = {"throttled-held": ("throttled", 120), "decode-rate-held": ("decode-rate", 600)}
START_S, END_S = 3600, 4 * 3600


def alarms_of(kind: str) -> tuple[AlarmSet, Profile]:
    """The alarms of a kind of model."""
    watched, profile = KINDS[kind]
    planned = plan(deployment(models=(watched,), profile=profile))
    return planned.models[0].alarms, profile


def combinations_of(alarms: AlarmSet) -> Iterator[frozenset[str]]:
    """Every combination of the symptoms that a model has; a chronic fallback is a fallback."""
    slugs = {base_slug(entry.slug) for entry in alarms if isinstance(entry.alarm, MetricAlarm)}
    there = [slug for slug in CHOSEN if slug in slugs]
    every = chain.from_iterable(combinations(there, size) for size in range(len(there) + 1))
    for chosen in map(frozenset, every):
        if "fallback-chronic" not in chosen or "fallback-share" in chosen:
            yield chosen


def engine(
    alarms: AlarmSet, chosen: frozenset[str], *, later: frozenset[str] = frozenset()
) -> tuple[dict[str, AlarmState], set[str]]:
    """States at the end, and the slugs that page, by rules and suppressors; `later` begins half an hour after the rest."""
    changes: dict[str, list[tuple[int, AlarmState]]] = {}
    for entry in alarms:
        if isinstance(entry.alarm, MetricAlarm):
            slug, wait = HELD.get(base_slug(entry.slug), (base_slug(entry.slug), 0))
            at = START_S + wait + (1800 if slug in later else 0)
            fires = slug in chosen
            changes[entry.alarm.name] = [(0, AlarmState.OK), *([(at, AlarmState.ALARM)] if fires else [])]
    composites = [entry.alarm for entry in alarms if isinstance(entry.alarm, CompositeAlarm)]
    for alarm in evaluation_order(composites):
        found = composite_transitions(parse_rule(alarm.rule), changes, created_s=0)
        changes[alarm.name] = [(each.at_s, each.state) for each in found]
    paged = set()
    for entry in alarms:
        if entry.severity is not Severity.PAGE:
            continue
        held = entry.alarm.suppressor if isinstance(entry.alarm, CompositeAlarm) else None
        log = run_actions(
            changes[entry.alarm.name],
            until_s=END_S,
            suppressor=None if held is None else changes[held.alarm],
            wait_s=held.wait_s if held else 0,
            extension_s=held.extension_s if held else 0,
        )
        if any(run.state is AlarmState.ALARM for run in log.runs):
            paged.add(entry.slug)
    return {name: made[-1][1] for name, made in changes.items()}, paged


@pytest.mark.parametrize("kind", list(KINDS))
def test_the_verdict_is_what_the_composites_page(kind: str) -> None:
    """Every combination of symptoms that begin together: the same pages, and the same causes in ALARM."""
    alarms, profile = alarms_of(kind)
    number = 0
    for chosen in combinations_of(alarms):
        states, paged = engine(alarms, chosen)
        verdict = decide(alarms, symptoms_of(alarms, states), profile=profile)
        assert set(verdict.pages) == paged, sorted(chosen)
        in_alarm = {
            row.slug
            for row in TABLE
            if (entry := alarms.get(row.slug)) is not None and states[entry.alarm.name] is AlarmState.ALARM
        }
        assert set(verdict.causes) == in_alarm, sorted(chosen)
        if paged:
            assert verdict.cause in paged
        number += 1
    assert number >= 4


@pytest.mark.parametrize("first", ["throttled", "fallback"])
def test_of_two_the_one_that_began_first_is_the_answer(first: str) -> None:
    """Half an hour apart: the engine pages the first alone, and the verdict is the first."""
    alarms, profile = alarms_of("optimized")
    fallback = frozenset({"fallback-share", "decode-rate", "ttft-objective"})
    later = fallback if first == "throttled" else frozenset({"throttled"})
    states, paged = engine(alarms, fallback | {"throttled", "quota-use"}, later=later)
    since = {"throttled": START_S, "fallback": START_S} | {
        "fallback" if first == "throttled" else "throttled": START_S + 1800
    }
    verdict = decide(alarms, symptoms_of(alarms, states), profile=profile, since=since)
    assert paged == {first}
    assert verdict.cause == first
    assert set(verdict.pages) == {first}


def test_an_alarm_that_cannot_be_seen_is_not_in_alarm() -> None:
    """Without a state nothing is claimed."""
    alarms, _ = alarms_of("optimized")
    assert symptoms_of(alarms, {}) == frozenset()
    assert decide(alarms, frozenset()).cause is None


def test_a_planted_difference_is_seen() -> None:
    """The comparison can fail: with another rule for fallback the table no longer agrees."""
    alarms, _ = alarms_of("optimized")
    share = alarms.get("fallback-share")
    assert share is not None
    wrong = tuple(
        replace(entry, alarm=replace(entry.alarm, rule=f'ALARM("{share.alarm.name}")'))
        if entry.slug == "fallback" and isinstance(entry.alarm, CompositeAlarm)
        else entry
        for entry in alarms
    )
    changed = AlarmSet(entries=wrong)
    states, paged = engine(changed, frozenset({"fallback-share"}))
    assert set(decide(changed, symptoms_of(changed, states)).pages) != paged


def test_the_documented_table_is_this_table() -> None:
    """docs/triage.md holds the table as it is generated."""
    document = Path(__file__).resolve().parents[3] / "docs" / "triage.md"
    assert table_markdown() in document.read_text(encoding="utf-8")
