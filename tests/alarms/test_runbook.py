"""Descriptions and runbooks: short enough, with numbers, steps, links and what it is not."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import alarms
from alarms.alarm_set import AlarmEntry, Profile, Role
from alarms.causes import site_alarms
from alarms.links import evidence_query, insights_link
from alarms.policy import SLUGS, base_slug, policy_for
from alarms.runbook import runbook
from bedrock.evidence import EvidenceRoute
from bedrock.models import AlarmOverride, MonitoredModel
from tests.alarms.samples import OPTIMIZED, SITE, STANDARD, TARGETS, alarms_of, aliased, evidence_for, overridden

EVERYTHING = overridden(replace(OPTIMIZED, reserved_tier=True, prompt_caching=True), no_traffic=AlarmOverride())
CASES = [
    (entry, model, profile)
    for model in (EVERYTHING, STANDARD)
    for profile in Profile
    for entry in alarms_of(model, profile=profile)
    if entry.role is Role.CAUSE
] + [
    (entry, None, Profile.DEFAULT)
    for entry in site_alarms([STANDARD], site=SITE, evidence=evidence_for(STANDARD), targets=TARGETS)
]


def text_of(entry: AlarmEntry, model: MonitoredModel | None) -> str:
    """Return the runbook of an entry."""
    evidence = evidence_for(*([model] if model else []))
    return runbook(entry, model=model, site=SITE, evidence=evidence)


def entry_of(model: MonitoredModel, slug: str) -> AlarmEntry:
    """Return an entry of a model."""
    entry = alarms_of(model).get(slug)
    assert entry is not None
    return entry


@pytest.mark.parametrize(
    ("entry", "model", "profile"), CASES, ids=lambda case: getattr(case, "slug", getattr(case, "key", case))
)
def test_every_cause_has_a_runbook_with_all_its_parts(
    entry: AlarmEntry, model: MonitoredModel | None, profile: Profile
) -> None:
    """What happened, what users feel, three steps with links, what it is not, how to silence; nothing left unrendered."""
    text = text_of(entry, model)
    for heading in ("What happened", "What users feel", "First three steps", "What it is not", "How to silence"):
        body = text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
        assert len(body.strip()) > 20, (profile, heading)
    steps = text.split("## First three steps\n", 1)[1].split("\n## ", 1)[0]
    assert re.findall(r"^(\d)\. ", steps, flags=re.MULTILINE) == ["1", "2", "3"]
    assert entry.alarm.name in text
    assert not re.search(r"\{\{|\}\}|\{%|Undefined|None", text)
    assert "https://us-east-1.console.aws.amazon.com/" in text


@pytest.mark.parametrize(
    ("entry", "model", "profile"), CASES, ids=lambda case: getattr(case, "slug", getattr(case, "key", case))
)
def test_a_description_says_what_to_do(entry: AlarmEntry, model: MonitoredModel | None, profile: Profile) -> None:
    """Three steps, what it is not and the page, in what CloudWatch takes."""
    text = entry.alarm.description
    assert len(text) <= 1024
    assert re.findall(r"^(\d)\. ", text, flags=re.MULTILINE) == ["1", "2", "3"], profile
    assert "in prod, us-east-1: " in text.splitlines()[0]
    assert text.splitlines()[1].startswith("Goes off: ") or entry.slug == "throttled-by-reservation"
    assert "\nNot: " in text
    assert text.splitlines()[-1].startswith("Page: https://")
    assert model is None or model.title in text


def test_the_longest_names_still_fit() -> None:
    """Keys of 40 characters, a long title: links give way, steps stay."""
    site = replace(SITE, alias="a" * 40, prefix="p" * 40, region="ap-southeast-2")
    model = replace(EVERYTHING, key="m" * 40, title="A model with a very long name " * 3)
    for entry in alarms_of(model, site=site):
        assert len(entry.alarm.description) <= 1024
        if entry.role is Role.CAUSE:
            assert "\n3. " in entry.alarm.description, entry.slug


def test_the_throttling_runbook_tells_the_three_quotas_apart() -> None:
    """Too many tokens per day is not TPM, although its text starts the same."""
    model = replace(STANDARD, quotas=replace(STANDARD.quotas, tpd=50_000_000))
    text = text_of(entry_of(model, "throttled"), model)
    assert re.search(r'"Too many requests"\W+requests a minute \(RPM\), 400', text)
    assert re.search(r'"Too many tokens"\W+tokens a minute \(TPM\), 2M', text)
    assert re.search(r'"Too many tokens per day"\W+tokens a day \(TPD\), 50M', text)
    assert "It is not TPM" in text


def test_the_reservation_runbook_works_the_numbers() -> None:
    """2,000 in + 6,000 max_tokens = 8,000 reserved; 2,000 + 400 x 5 = 4,000 used; 250 calls a minute instead of 500."""
    text = " ".join(text_of(entry_of(STANDARD, "throttled-by-reservation"), STANDARD).split())
    assert "2000 input + 6000 max_tokens = 8000 reserved" in text
    assert "4000 used at the end (2000 + 400 x 5): 2 times" in text
    assert "lets 250 calls start in a minute, although it would carry 500" in text


def test_runbooks_speak_of_the_models_own_numbers() -> None:
    """Baselines and quotas, not examples."""
    assert "90 tokens per second" in text_of(entry_of(OPTIMIZED, "fallback"), OPTIMIZED)
    assert "60 tokens per second" in text_of(entry_of(STANDARD, "slow-decode"), STANDARD)


def test_slow_says_what_would_have_held_it_back() -> None:
    """In the lean profile nothing does, and the text must not claim it."""
    default = entry_of(OPTIMIZED, "slow-decode")
    lean = alarms_of(OPTIMIZED, profile=Profile.LEAN).get("slow-decode")
    assert lean is not None
    assert "would have held this back" in text_of(default, OPTIMIZED)
    assert "nothing holds this alarm back" in text_of(lean, OPTIMIZED)


@pytest.mark.parametrize(
    "route", [EvidenceRoute.EVENTBRIDGE, EvidenceRoute.RULE_COUNTERS, EvidenceRoute.TRAIL, EvidenceRoute.INVOCATION_LOG]
)
def test_the_query_reads_where_the_route_writes(route: EvidenceRoute) -> None:
    """Fields start with detail. only where EventBridge wrote them."""
    changes = {"log_group": "group", "trail_home_region": "us-east-1"} if route.value[0] in "ti" else {}
    evidence = evidence_for(OPTIMIZED, route=route, **changes)
    query = evidence_query(OPTIMIZED, evidence)
    assert query is not None
    assert ("detail." in query) is (route in {EvidenceRoute.EVENTBRIDGE, EvidenceRoute.RULE_COUNTERS})
    assert "us.amazon.nova-pro-v1:0" in query
    assert evidence_query(OPTIMIZED, evidence_for(OPTIMIZED, route=EvidenceRoute.NONE)) is None


def test_links_carry_no_character_that_breaks_them() -> None:
    """A space or quote would end the link in a mail program."""
    evidence = evidence_for(aliased(OPTIMIZED, 3))
    query = evidence_query(OPTIMIZED, evidence)
    assert query is not None
    link = insights_link(SITE, log_group="/aws/events/llm", query=query)
    assert re.fullmatch(r"https://[!-~]+", link)
    assert '"' not in link
    assert " " not in link


def test_every_cause_of_the_table_has_a_template() -> None:
    """A cause without its own runbook would get the one for symptoms."""
    folder = Path(alarms.__file__).with_name("runbooks")
    for slug in SLUGS:
        if policy_for(slug).severity:
            assert (folder / f"{base_slug(slug)}.md.j2").exists(), slug
