"""What a woken person reads: how much, where, and nothing about what the model does not have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from alarms.alarm_set import AlarmEntry, Profile, Role
from alarms.policy import policy_for
from alarms.runbook import runbook
from alarms.wording import number
from bedrock.evidence import EvidenceRoute
from bedrock.models import AlarmOverride, MonitoredModel, Objectives, Quotas
from cloudwatch.alarm import MetricAlarm
from tests.alarms.samples import OPTIMIZED, SITE, STANDARD, alarms_of, evidence_for, overridden

BATCH = replace(
    STANDARD,
    key="lister",
    title="Product lister",
    streaming_share=0,
    quotas=Quotas(),
    objectives=Objectives(latency_p90_ms=3500),
)
MODELS = {"standard": STANDARD, "optimized": OPTIMIZED, "batch": BATCH}


def entry_of(model: MonitoredModel, slug: str, *, profile: Profile = Profile.DEFAULT) -> AlarmEntry:
    """Return an entry of a model."""
    found = alarms_of(model, profile=profile).get(slug)
    assert found is not None
    return found


def said_of(model: MonitoredModel, slug: str) -> str:
    """Return the description and the runbook of an entry as one text."""
    entry = entry_of(model, slug)
    return f"{entry.alarm.description}\n{runbook(entry, model=model, site=SITE, evidence=evidence_for(model))}"


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_every_description_says_what_where_and_how_much(model: MonitoredModel) -> None:
    """Model, account and Region stand first; what compares something says threshold and minutes."""
    for entry in alarms_of(model):
        text = entry.alarm.description
        assert text.startswith(f"{model.title} ({model.key}) in prod, us-east-1"), entry.slug
        if isinstance(entry.alarm, MetricAlarm):
            assert f"{number(entry.alarm.threshold)} {policy_for(entry.slug).unit}" in text, entry.slug
            assert f" in {entry.alarm.datapoints_to_alarm} of {entry.alarm.evaluation_periods} " in text, entry.slug


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_nothing_is_unknown_and_no_sentence_is_broken(model: MonitoredModel) -> None:
    """What is not configured is called that; no shorthand that reads two ways at night."""
    for entry in alarms_of(model):
        text = said_of(model, entry.slug) if entry.role is Role.CAUSE else entry.alarm.description
        assert "  " not in entry.alarm.description, entry.slug
        for wrong in ("unknown", "quiet =", "ling, or 5xx explains", "neither throttled", "at at ", "evidence log"):
            assert wrong not in text, (entry.slug, wrong)


def test_the_threshold_of_throttling_says_where_it_comes_from() -> None:
    """10.8 % follows from the error budget and the attempts; an override is as configured."""
    text = entry_of(STANDARD, "throttled").alarm.description
    assert "at least 10.8 % of attempts throttled" in text
    assert "half of what uses up the error budget of 1 % when clients make 3 attempts" in text
    asked = overridden(STANDARD, throttled=AlarmOverride(threshold=12))
    assert "The threshold is as configured." in entry_of(asked, "throttled").alarm.description


@pytest.mark.parametrize("slug", ["throttled", "slow-decode", "service-errors", "request-shape"])
def test_fallback_is_named_only_where_there_can_be_one(slug: str) -> None:
    """On a model that is never asked for optimized latency "not: fallback" is noise."""
    assert "fallback" not in said_of(STANDARD, slug).lower().replace("use another profile", "")


def test_a_model_that_does_not_stream_may_be_slower() -> None:
    """Its missed objective does not claim that requests changed, and names no symptom that it does not have."""
    text = said_of(BATCH, "request-shape")
    assert "A slower model is not excluded" in text
    assert "the model is not slower" not in text
    assert "ttft-objective" not in text
    assert "cache" not in text
    assert "first token" not in text.split("## Numbers")[0]


def test_symptoms_are_named_only_where_they_exist() -> None:
    """Without an objective for the whole answer there is no latency-objective to look for."""
    model = replace(STANDARD, objectives=Objectives(ttft_p90_ms=1200))
    text = said_of(model, "request-shape")
    assert "ttft-objective" in text
    assert "latency-objective" not in text


def test_callers_stand_where_the_text_says() -> None:
    """The table of the model's page, the log group where no such page exists, CloudTrail where nothing is logged."""
    evidence = evidence_for(OPTIMIZED)
    assert '"Whose calls?"' in entry_of(OPTIMIZED, "throttled").alarm.description
    lean = alarms_of(OPTIMIZED, profile=Profile.LEAN, evidence=evidence).get("throttled")
    assert lean is not None
    assert f"log group {evidence.log_group}" in lean.alarm.description
    bare = alarms_of(STANDARD, evidence=evidence_for(STANDARD, route=EvidenceRoute.NONE)).get("throttled")
    assert bare is not None
    assert "CloudTrail event history" in bare.alarm.description


def test_lean_texts_link_to_the_page_that_exists() -> None:
    """In the lean profile all models share one page; a page of the model is not deployed."""
    for entry in alarms_of(OPTIMIZED, profile=Profile.LEAN):
        assert entry.alarm.description.endswith("llm-prod-us-east-1-fleet"), entry.slug
    entry = entry_of(OPTIMIZED, "throttled", profile=Profile.LEAN)
    text = runbook(entry, model=OPTIMIZED, site=SITE, evidence=evidence_for(OPTIMIZED), profile=Profile.LEAN)
    assert "llm-prod-us-east-1-nova)" not in text


def test_the_note_on_reservations_names_what_else_it_can_be() -> None:
    """A quota of requests that is not configured, and a real quota below the configured one, look the same."""
    model = replace(STANDARD, quotas=replace(STANDARD.quotas, rpm=None))
    text = entry_of(model, "throttled-by-reservation").alarm.description
    assert "requests-per-minute quota, which is not configured" in text
    assert "the real quota is below the configured one of 2M tokens a minute (compare: https://" in text
    assert "requests-per-minute quota" not in entry_of(STANDARD, "throttled-by-reservation").alarm.description


def test_no_note_where_a_call_reserves_no_more_than_it_uses() -> None:
    """Reserved 2,000 + 300, used 2,000 + 400 x 5: reservations cannot be the reason, and the page says why there is no note."""
    model = replace(STANDARD, quotas=replace(STANDARD.quotas, max_tokens=300))
    alarms = alarms_of(model)
    assert alarms.get("throttled-by-reservation") is None
    reasons = {one.slug: one.reason for one in alarms.omitted}
    assert "reserves no more than it uses" in reasons["throttled-by-reservation"]
    unknown = replace(STANDARD, quotas=replace(STANDARD.quotas, max_tokens=None))
    assert alarms_of(unknown).get("throttled-by-reservation") is not None


@pytest.mark.parametrize("requests_per_minute", [2, 20, 300])
def test_quota_use_is_held_as_long_as_throttling(requests_per_minute: float) -> None:
    """Else the end of plain throttling would be told as throttling with quota left."""
    model = replace(STANDARD, requests_per_minute=requests_per_minute)
    windows = {}
    for slug in ("throttled", "quota-use"):
        alarm = entry_of(model, slug).alarm
        assert isinstance(alarm, MetricAlarm)
        windows[slug] = alarm.evaluation_periods * alarm.period_s
    assert windows["quota-use"] >= windows["throttled"] + 120


def test_an_asked_window_of_quota_use_stays() -> None:
    """What the configuration says counts."""
    alarm = entry_of(overridden(STANDARD, quota_use=AlarmOverride(evaluation_periods=5)), "quota-use").alarm
    assert isinstance(alarm, MetricAlarm)
    assert alarm.evaluation_periods == 5


@pytest.mark.parametrize(
    ("value", "words"), [(None, "not configured"), (2_000_000, "2M"), (450_000, "450k"), (8.5, "8.5"), (0, "0")]
)
def test_numbers_are_short(value: float | None, words: str) -> None:
    """As a person would write them."""
    assert number(value) == words
