"""Which alarms a model gets, whom they call, and what happens past ten metrics."""

from __future__ import annotations

from dataclasses import replace

import pytest

from alarms.alarm_set import AlarmSet, Profile, Role, Severity
from alarms.causes import CACHE_METRICS, model_alarms, site_alarms
from alarms.policy import SLUGS, base_slug, policy_for
from bedrock.evidence import EvidenceRoute
from bedrock.models import AlarmOverride, MonitoredModel, Objectives, Quotas
from cloudwatch.alarm import CompositeAlarm, MetricAlarm
from cloudwatch.alarm_rule import children, find_cycles, parse_rule, rule_findings
from tests.alarms.samples import (
    OK_TARGETS,
    OPTIMIZED,
    SITE,
    STANDARD,
    TARGETS,
    alarms_of,
    aliased,
    evidence_for,
    overridden,
)

VARIANTS = {
    "standard": STANDARD,
    "optimized": OPTIMIZED,
    "not streaming": replace(STANDARD, streaming_share=0),
    "hardly streaming": replace(STANDARD, streaming_share=0.1),
    "half streaming": replace(OPTIMIZED, streaming_share=0.5),
    "caching": replace(STANDARD, prompt_caching=True),
    "reserved": replace(STANDARD, reserved_tier=True),
    "no objectives": replace(STANDARD, objectives=Objectives()),
    "no quotas": replace(STANDARD, quotas=Quotas()),
    "only RPM": replace(STANDARD, quotas=Quotas(rpm=100)),
    "eleven aliases": aliased(OPTIMIZED, 11),
    "thirty aliases": aliased(replace(STANDARD, prompt_caching=True, streaming_share=0.5), 30),
}


def slugs(alarms: AlarmSet) -> set[str]:
    """Return the slugs of a set."""
    return {entry.slug for entry in alarms}


@pytest.mark.parametrize("profile", list(Profile))
@pytest.mark.parametrize("model", VARIANTS.values(), ids=VARIANTS)
def test_every_model_gets_alarms_that_cloudwatch_takes(model: MonitoredModel, profile: Profile) -> None:
    """Values are checked at birth; here: references exist and come first, names are unique, rules are plain."""
    alarms = alarms_of(model, profile=profile)
    seen: set[str] = set()
    for entry in alarms:
        alarm = entry.alarm
        assert alarm.name not in seen
        if isinstance(alarm, CompositeAlarm):
            needed = {*children(parse_rule(alarm.rule)), *([alarm.suppressor.alarm] if alarm.suppressor else [])}
            assert needed <= seen, entry.slug
            assert rule_findings(alarm.rule) == ()
        seen.add(alarm.name)
    assert not find_cycles([entry.alarm for entry in alarms if isinstance(entry.alarm, CompositeAlarm)])


@pytest.mark.parametrize("model", VARIANTS.values(), ids=VARIANTS)
def test_every_slug_is_there_or_its_absence_is_explained(model: MonitoredModel) -> None:
    """Nothing that could be watched is silently left out."""
    alarms = alarms_of(model)
    known = {base_slug(slug) for slug in slugs(alarms)} | {one.slug for one in alarms.omitted}
    helpers = {"explained", "already-paged", "throttled-held", "decode-rate-held"}
    helpers |= {"fallback-recent", "fallback-chronic", "caller-errors"}
    helpers |= {"shape-known", "objective-held"}
    conditional = {"fallback-share", "fallback-and-throttling", "blind", "decode-rate"}
    assert set(SLUGS) - known <= helpers | conditional
    assert all(one.reason for one in alarms.omitted)


@pytest.mark.parametrize("model", VARIANTS.values(), ids=VARIANTS)
def test_causes_call_their_severity_and_symptoms_nobody(model: MonitoredModel) -> None:
    """And a composite whose actions can be held back announces no recovery."""
    for entry in alarms_of(model):
        alarm = entry.alarm
        if entry.role is Role.SYMPTOM:
            assert alarm.alarm_actions == alarm.ok_actions == ()
            continue
        assert entry.severity is not None
        assert alarm.alarm_actions == TARGETS[entry.severity]
        held_back = isinstance(alarm, CompositeAlarm) and alarm.suppressor is not None
        assert alarm.ok_actions == (() if held_back else OK_TARGETS.get(entry.severity, ()))


def test_a_severity_without_targets_calls_nobody() -> None:
    """The alarm stays: its state is on the page."""
    alarms = model_alarms(STANDARD, site=SITE, evidence=evidence_for(STANDARD), targets={})
    assert all(entry.alarm.alarm_actions == () for entry in alarms)


def test_a_model_that_nobody_asks_optimized_has_no_fallback() -> None:
    """Such an alarm would be INSUFFICIENT_DATA for ever."""
    alarms = alarms_of(STANDARD)
    assert not slugs(alarms) & {"fallback", "fallback-share", "blind", "fallback-and-throttling"}
    assert ("fallback", "nobody asks for optimized latency") in [(one.slug, one.reason) for one in alarms.omitted]


@pytest.mark.parametrize("route", list(EvidenceRoute))
def test_fallback_needs_a_route_that_tells_modes(route: EvidenceRoute) -> None:
    """Every route but none does; without, the optimized model is watched like a standard one, and that is said."""
    changes = {"log_group": "group", "trail_home_region": "us-east-1"}
    if route in {EvidenceRoute.EVENTBRIDGE, EvidenceRoute.RULE_COUNTERS, EvidenceRoute.NONE}:
        changes = {}
    alarms = alarms_of(OPTIMIZED, evidence=evidence_for(OPTIMIZED, route=route, **changes))
    sees = route is not EvidenceRoute.NONE
    assert ({"fallback", "fallback-share", "blind"} <= slugs(alarms)) is sees
    throttled = alarms.get("throttled")
    assert throttled is not None
    assert isinstance(throttled.alarm, CompositeAlarm if sees else MetricAlarm)


def test_without_first_tokens_there_is_no_decode_alarm() -> None:
    """And no alarm that reads the latency in its place; the reason is kept."""
    for share in (0, 0.1):
        alarms = alarms_of(replace(STANDARD, streaming_share=share))
        assert not slugs(alarms) & {"decode-rate", "slow-decode"}
        assert any(one.slug == "slow-decode" and "stream" in one.reason for one in alarms.omitted)


def test_fallback_on_a_model_that_does_not_stream_is_felt_by_latency() -> None:
    """Without any way to tell that users feel it, it stays a ticket."""
    alarms = alarms_of(replace(OPTIMIZED, streaming_share=0))
    fallback = alarms.get("fallback")
    assert fallback is not None
    assert isinstance(fallback.alarm, CompositeAlarm)
    assert set(children(parse_rule(fallback.alarm.rule))) == {
        "llm-prod-nova-fallback-share",
        "llm-prod-nova-latency-objective",
    }
    blunt = alarms_of(replace(OPTIMIZED, streaming_share=0, objectives=Objectives()))
    assert "fallback" not in slugs(blunt)
    assert "fallback-share" in slugs(blunt)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 10, 11, 30])
def test_past_ten_metrics_a_symptom_splits_and_is_never_refused(count: int) -> None:
    """Groups of ids, numbered, each within ten metrics, together every id once; whoever reads the symptom reads all groups."""
    model = aliased(STANDARD, count)
    alarms = alarms_of(model)
    for slug in ("throttled", "decode-rate", "service-errors", "ttft-objective"):
        parts = [entry for entry in alarms if base_slug(entry.slug) == slug and isinstance(entry.alarm, MetricAlarm)]
        ids = [query.metric.dimension("ModelId") for entry in parts for query in entry.alarm.metrics]  # type: ignore[union-attr]
        assert set(ids) == set(model.model_ids)
        assert len({ids.count(model_id) for model_id in model.model_ids}) == 1
    slow = alarms.get("slow-decode")
    assert slow is not None
    assert isinstance(slow.alarm, CompositeAlarm)
    read = children(parse_rule(slow.alarm.rule))
    assert len(read) == len([entry for entry in alarms if base_slug(entry.slug) == "decode-rate"])


def test_a_cause_over_a_ladder_calls_once() -> None:
    """Its groups call nobody; the composite with the slug does."""
    alarms = alarms_of(aliased(STANDARD, 6))
    throttled = [entry for entry in alarms if base_slug(entry.slug) == "throttled"]
    assert [entry.slug for entry in throttled] == ["throttled-1", "throttled-2", "throttled"]
    assert [bool(entry.alarm.alarm_actions) for entry in throttled] == [False, False, True]


def test_no_traffic_over_a_ladder_wants_every_group_silent() -> None:
    """One alias without traffic is no silence."""
    alarms = alarms_of(overridden(aliased(STANDARD, 11), no_traffic=AlarmOverride()))
    entry = alarms.get("no-traffic")
    assert entry is not None
    assert isinstance(entry.alarm, CompositeAlarm)
    assert " AND " in entry.alarm.rule


def test_a_symptom_with_a_severity_calls() -> None:
    """A team without streaming may want its latency objective to page."""
    model = overridden(replace(STANDARD, streaming_share=0), latency_objective=AlarmOverride(severity="page"))
    entry = alarms_of(model).get("latency-objective")
    assert entry is not None
    assert entry.role is Role.CAUSE
    assert entry.alarm.alarm_actions == TARGETS[Severity.PAGE]


def test_reservation_needs_a_known_token_quota() -> None:
    """On an optimized model both quotas, because usage adds them up."""
    assert "throttled-by-reservation" in slugs(alarms_of(STANDARD))
    assert "throttled-by-reservation" not in slugs(alarms_of(replace(STANDARD, quotas=Quotas(rpm=100))))
    assert "throttled-by-reservation" not in slugs(alarms_of(OPTIMIZED))
    both = replace(OPTIMIZED, quotas=replace(OPTIMIZED.quotas, optimized_tpm=500_000))
    assert "throttled-by-reservation" in slugs(alarms_of(both))


def test_cache_metric_names_are_configurable() -> None:
    """One edition of the AWS page has other names."""
    model = replace(STANDARD, prompt_caching=True)
    names = ("CacheReadInputTokens", "CacheWriteInputTokens")
    alarms = model_alarms(model, site=SITE, evidence=evidence_for(model), targets=TARGETS, cache_metrics=names)
    read = {
        query.metric.name for entry in alarms if isinstance(entry.alarm, MetricAlarm) for query in entry.alarm.metrics
    }
    assert "CacheWriteInputTokens" in read
    assert not read & set(CACHE_METRICS)


def test_no_alarm_sets_a_unit() -> None:
    """A unit filter that does not match empties the series without an error."""
    for model in VARIANTS.values():
        for entry in alarms_of(model):
            if isinstance(entry.alarm, MetricAlarm):
                assert all(query.unit is None for query in entry.alarm.metrics)
                assert entry.unit == policy_for(entry.slug).unit


def test_other_models_do_not_matter() -> None:
    """Adding a model changes nothing of another's alarms."""
    alone = alarms_of(OPTIMIZED)
    assert alarms_of(OPTIMIZED, evidence=evidence_for(STANDARD, OPTIMIZED)) == alone


def test_the_account_has_one_alarm_of_its_own() -> None:
    """Client errors have no model to blame; an account without models has none."""
    (entry,) = site_alarms([STANDARD, OPTIMIZED], site=SITE, evidence=evidence_for(STANDARD), targets=TARGETS)
    assert (entry.slug, entry.model, entry.alarm.name) == ("caller-errors", None, "llm-prod-caller-errors")
    assert site_alarms([], site=SITE, evidence=evidence_for(), targets=TARGETS).entries == ()
