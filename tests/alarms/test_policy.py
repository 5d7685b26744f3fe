"""Periods, thresholds and overrides: the policy follows the model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from alarms.policy import SLUGS, base_slug, cadence_for, override_for, policies, severity_for
from alarms.thresholds import server_error_threshold, standard_decode_threshold, throttle_threshold
from bedrock.models import AlarmOverride, MonitoredModel, Objectives
from cloudwatch.alarm import CompositeAlarm, MetricAlarm
from tests.alarms.samples import OPTIMIZED, STANDARD, alarms_of, overridden

FIXED = {
    "throttled",
    "throttled-by-reservation",
    "fallback",
    "fallback-share",
    "fallback-and-throttling",
    "slow-decode",
    "request-shape",
    "service-errors",
    "caller-errors",
    "blind",
    "tier-overflow",
    "no-traffic",
    "decode-rate",
    "ttft-objective",
    "latency-objective",
    "prefill-size",
    "quota-use",
}


def alarm(model: MonitoredModel, slug: str) -> MetricAlarm:
    """Return a metric alarm of a model."""
    entry = alarms_of(model).get(slug)
    assert entry is not None
    assert isinstance(entry.alarm, MetricAlarm)
    return entry.alarm


def test_the_fixed_slugs_are_there() -> None:
    """They name alarms, runbooks and rows of benchmarks."""
    assert set(SLUGS) >= FIXED


def test_no_paging_policy_asks_for_n_of_n_over_a_minute() -> None:
    """3 of 3 clears at each good minute and pages again; M below N holds."""
    for policy in policies().values():
        for cadence in policy.cadences:
            if policy.slug != "blind":
                assert cadence.datapoints_to_alarm < cadence.evaluation_periods, policy.slug
            assert cadence.period_s * cadence.evaluation_periods <= 86_400


@pytest.mark.parametrize(
    ("rpm", "period_s"), [(500, 60), (50, 60), (49, 300), (10, 300), (9, 900), (1, 900), (None, 300)]
)
def test_the_period_holds_twenty_attempts_at_the_trough(rpm: float | None, period_s: int) -> None:
    """The trough is 40 % of daytime traffic; a model that states none is taken for a quiet one."""
    assert alarm(replace(STANDARD, requests_per_minute=rpm), "service-errors").period_s == period_s


@pytest.mark.parametrize("rpm", [1, 10, 100, None])
def test_throttling_is_counted_by_the_minute_at_every_traffic(rpm: float | None) -> None:
    """Two periods of five minutes are one burst across a boundary; five minutes of twenty are not."""
    found = alarm(replace(STANDARD, requests_per_minute=rpm), "throttled")
    assert (found.period_s, found.datapoints_to_alarm) == (60, 5)


@pytest.mark.parametrize(("rpm", "period_s"), [(100, 60), (20, 60), (12, 300), (3, 300), (2, 900)])
def test_the_decode_rate_needs_few_answers(rpm: float, period_s: int) -> None:
    """Tokens are many where calls are few."""
    assert alarm(replace(STANDARD, requests_per_minute=rpm), "decode-rate").period_s == period_s


def test_evidence_is_never_read_at_a_minute() -> None:
    """Whether a filter stamps event or delivery time is open; a minute would miss late records."""
    for slug in ("fallback-share", "blind", "fallback-chronic"):
        assert alarm(replace(OPTIMIZED, requests_per_minute=10_000), slug).period_s >= 300


@pytest.mark.parametrize(
    ("attempts", "success", "threshold"), [(1, None, 5), (2, None, 5), (3, None, 10.8), (5, None, 19.9)]
)
def test_more_attempts_hide_more_throttles(attempts: int, success: float | None, threshold: float) -> None:
    """Half of the attempts that use up an error budget of 1 %, at least 5 %."""
    model = replace(STANDARD, sdk_max_attempts=attempts, objectives=Objectives(success_rate=success))
    assert throttle_threshold(model) == threshold
    assert alarm(model, "throttled").threshold == threshold


def test_a_stricter_promise_lowers_the_thresholds() -> None:
    """99.9 % allows a tenth of what 99 % allows."""
    strict = replace(STANDARD, objectives=Objectives(success_rate=0.999))
    assert throttle_threshold(strict) == 5
    assert server_error_threshold(strict) == 2
    assert server_error_threshold(STANDARD) == 5
    assert throttle_threshold(replace(STANDARD, objectives=Objectives(success_rate=1.0))) == 5


def test_the_standard_baseline_decides_what_is_slow_in_a_fallback() -> None:
    """80 % of 55 tokens per second is 51.1 % below 90."""
    assert standard_decode_threshold(OPTIMIZED) == 51.1
    assert standard_decode_threshold(STANDARD) is None


def test_an_override_changes_what_it_names() -> None:
    """Threshold, N, M and severity; nothing else moves but the window of quota-use, which covers that of throttling."""
    change = AlarmOverride(threshold=33, evaluation_periods=7, datapoints_to_alarm=6, severity="ticket")
    before, after = alarms_of(STANDARD), alarms_of(overridden(STANDARD, throttled=change))
    changed = [a.slug for a, b in zip(before, after, strict=True) if a != b]
    assert changed == ["throttled", "quota-use"]
    entry = after.get("throttled")
    assert entry is not None
    assert isinstance(entry.alarm, MetricAlarm)
    assert (entry.alarm.threshold, entry.alarm.evaluation_periods, entry.alarm.datapoints_to_alarm) == (33, 7, 6)
    assert entry.severity == "ticket"
    assert entry.alarm.alarm_actions == ("arn:aws:sns:us-east-1:111122223333:llm-prod-ticket",)


def test_a_smaller_n_takes_m_with_it() -> None:
    """N of 2 with the table's M of 3 would be refused by CloudWatch."""
    assert (
        alarm(overridden(STANDARD, throttled=AlarmOverride(evaluation_periods=2)), "throttled").datapoints_to_alarm == 2
    )


def test_an_override_of_a_cause_reaches_its_measure() -> None:
    """People change slow-decode, not decode-rate; a change of the measure itself comes first."""
    model = overridden(OPTIMIZED, slow_decode=AlarmOverride(threshold=35), fallback=AlarmOverride(threshold=50))
    assert alarm(model, "decode-rate").threshold == 35
    assert alarm(model, "decode-rate-held").threshold == 35
    assert alarm(model, "fallback-share").threshold == 50
    assert alarm(model, "fallback-chronic").threshold == 50
    both = overridden(model, slow_decode=AlarmOverride(threshold=35), decode_rate=AlarmOverride(threshold=25))
    assert override_for(both, "decode-rate").threshold == 25


def test_an_alarm_that_is_off_is_said_to_be_off() -> None:
    """What is not watched is never silently left out."""
    alarms = alarms_of(overridden(STANDARD, service_errors=AlarmOverride(off=True)))
    assert alarms.get("service-errors") is None
    assert ("service-errors", "off in the configuration") in [(one.slug, one.reason) for one in alarms.omitted]


def test_opt_in_alarms_come_with_an_override() -> None:
    """An override that is not off asks for the alarm."""
    assert alarms_of(STANDARD).get("no-traffic") is None
    assert alarms_of(overridden(STANDARD, no_traffic=AlarmOverride())).get("no-traffic") is not None
    assert alarms_of(overridden(STANDARD, no_traffic=AlarmOverride(off=True))).get("no-traffic") is None


def test_ladder_slugs_lead_back_to_the_table() -> None:
    """`decode-rate-2` is a `decode-rate`; a slug that ends otherwise is itself."""
    assert base_slug("decode-rate-2") == "decode-rate"
    assert base_slug("decode-rate-held") == "decode-rate-held"
    assert severity_for(STANDARD, "throttled-1") == "page"


def test_no_cadence_is_longer_than_needed() -> None:
    """The shortest period that holds the calls is taken."""
    assert cadence_for("blind", per_minute=1000).period_s == 900
    assert cadence_for("fallback-share", per_minute=1.6).period_s == 300
    assert cadence_for("fallback-share", per_minute=1.5).period_s == 900


@pytest.mark.parametrize("rpm", [1, 2, 4, 5, 10, 20, 50, 500])
def test_what_people_feel_clears_in_order(rpm: float) -> None:
    """First token first, then slowness, evidence last.

    Evidence that cleared first would turn the end of every fallback into a page for a slow model; a first-token alarm that flickers
    after the slowness is gone would page the fallback again.
    """
    model = replace(OPTIMIZED, requests_per_minute=rpm)

    def held_s(slug: str) -> int:
        found = alarm(model, slug)
        return (found.evaluation_periods - found.datapoints_to_alarm + 1) * found.period_s

    assert held_s("ttft-objective") <= held_s("decode-rate") <= held_s("fallback-share")


@pytest.mark.parametrize(("rpm", "wait_s", "held"), [(100, 510, (36, 17)), (10, 570, (9, 3)), (2, 870, (5, 2))])
def test_slowness_pages_before_it_counts_as_paged(rpm: float, wait_s: int, held: tuple[int, int]) -> None:
    """By the minute, minutes before: several can arrive at once. With longer periods half a minute."""
    alarms = alarms_of(replace(OPTIMIZED, requests_per_minute=rpm))
    page, copy = alarms.get("slow-decode"), alarms.get("decode-rate-held")
    assert page is not None
    assert copy is not None
    assert isinstance(page.alarm, CompositeAlarm)
    assert isinstance(copy.alarm, MetricAlarm)
    assert page.alarm.suppressor is not None
    assert page.alarm.suppressor.wait_s == wait_s
    assert (copy.alarm.evaluation_periods, copy.alarm.datapoints_to_alarm) == held
