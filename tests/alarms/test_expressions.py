"""What each alarm computes, through the engine."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from alarms.causes import site_alarms
from bedrock.metrics import BedrockMetric, account_metric, invocation_metric
from bedrock.models import OPTIMIZED_SUFFIX, AlarmOverride, OptimizedSeries
from cloudwatch.alarm import Comparison, MetricAlarm
from cloudwatch.alarm_points import reader_for
from cloudwatch.math.findings import alarm_findings
from cloudwatch.math.program import compile_queries
from cloudwatch.series import Samples
from cloudwatch.store import MetricStore
from cloudwatch.switches import DEFAULT_SWITCHES, Switches, alternatives
from tests.alarms.samples import OPTIMIZED, SITE, STANDARD, TARGETS, alarms_of, aliased, evidence_for, overridden
from tests.alarms.telemetry import EPOCH, HEALTHY, Minute, changed, rows_of, span, store_of, without

if TYPE_CHECKING:
    from bedrock.models import MonitoredModel
    from tests.alarms.telemetry import Rows

CACHING = replace(
    overridden(OPTIMIZED, cache_hit=AlarmOverride(), answer_length=AlarmOverride(), no_traffic=AlarmOverride()),
    prompt_caching=True,
    reserved_tier=True,
    baselines=replace(OPTIMIZED.baselines, cache_hit_rate=0.8),
    quotas=replace(OPTIMIZED.quotas, optimized_tpm=500_000),
)


def metric_alarm(model: MonitoredModel, slug: str) -> MetricAlarm:
    """Return a metric alarm of a model."""
    entry = alarms_of(model).get(slug)
    assert entry is not None, slug
    assert isinstance(entry.alarm, MetricAlarm)
    return entry.alarm


def value_of(alarm: MetricAlarm, rows: Rows, *, switches: Switches = DEFAULT_SWITCHES) -> float:
    """Return what the alarm compares in its period from the epoch; NaN is missing."""
    starts = np.array([EPOCH], dtype=np.int64)
    points = reader_for(alarm, switches=switches).points(store_of(rows), starts=starts)
    return float(points.values[0])


def value(model: MonitoredModel, slug: str, minute: Minute = HEALTHY, *, gone: tuple[str, ...] = ()) -> float:
    """Return what the alarm of a slug compares when every minute of its period is like this; `gone` is not published."""
    alarm = metric_alarm(model, slug)
    rows = rows_of(model, evidence=evidence_for(model), minutes=span(0, alarm.period_s // 60, minute))
    missing = [invocation_metric(model_id, name) for model_id in model.series_ids for name in gone]
    return value_of(alarm, without(rows, missing))


def test_throttle_rate_is_of_attempts() -> None:
    """100 calls and 25 throttles are 20 % of 125 attempts."""
    assert value(STANDARD, "throttled", changed(throttles=25)) == pytest.approx(20)


def test_no_throttle_ever_published_is_zero_per_cent() -> None:
    """InvocationThrottles is absent, not 0, on a quiet model."""
    assert value(STANDARD, "throttled") == 0


def test_when_every_attempt_is_throttled_the_rate_is_100() -> None:
    """No call is accepted, so Invocations is absent."""
    assert value(STANDARD, "throttled", changed(calls=0, throttles=40)) == 100


def test_a_single_attempt_in_a_minute_is_not_judged() -> None:
    """Under two attempts the value is the healthy number; a quiet minute is judged, and M asks for enough of them."""
    assert value(STANDARD, "throttled", changed(calls=0, throttles=1)) == 0
    assert value(STANDARD, "throttled", changed(calls=1, throttles=1)) == 50


def test_without_traffic_nothing_has_a_point() -> None:
    """Every alarm but no-traffic has no point where nothing was published, so an idle model cannot page."""
    for entry in alarms_of(CACHING):
        if isinstance(entry.alarm, MetricAlarm):
            found = value_of(entry.alarm, {})
            assert (found == 0) if entry.slug == "no-traffic" else math.isnan(found), entry.slug


def test_fallback_share_is_of_calls_with_a_known_mode() -> None:
    """30 standard of 100 known."""
    assert value(OPTIMIZED, "fallback-share", changed(served_optimized=70, served_standard=30)) == pytest.approx(30)
    assert value(OPTIMIZED, "fallback-share", changed(served_optimized=None, served_standard=30)) == 100
    assert value(OPTIMIZED, "fallback-share", changed(served_standard=None)) == 0


def test_decode_rate_is_per_cent_below_the_baseline() -> None:
    """300 tokens in 3.5 s of decoding are 85.7 tokens per second: 4.8 % below 90."""
    assert value(OPTIMIZED, "decode-rate") == pytest.approx(100 * (1 - 300 / 3.5 / 90))
    assert value(OPTIMIZED, "decode-rate", changed(latency_ms=7667)) == pytest.approx(50, abs=0.1)


def test_without_first_token_times_there_is_no_slowness() -> None:
    """It must never become tokens over the whole latency."""
    assert value(OPTIMIZED, "decode-rate", changed(ttft_ms=None, latency_ms=60_000)) == 0


def test_a_latency_below_the_first_token_is_not_judged() -> None:
    """A negative time of decoding would be a negative rate."""
    assert value(OPTIMIZED, "decode-rate", changed(ttft_ms=5000, latency_ms=4000)) == 0


def test_one_short_answer_at_night_is_not_judged() -> None:
    """Fewer tokens than five answers have."""
    assert value(OPTIMIZED, "decode-rate", changed(calls=4, latency_ms=60_000)) == 0


def test_calls_that_do_not_stream_get_the_first_token_time_of_the_others() -> None:
    """With half of the calls streaming the rate is that of all calls, not half of it."""
    mixed = replace(OPTIMIZED, streaming_share=0.5)
    half = changed(streamed=50)
    assert value(mixed, "decode-rate", half) == pytest.approx(value(OPTIMIZED, "decode-rate"))
    assert value(mixed, "decode-rate", changed(streamed=0)) == 0


def test_aliases_add_up() -> None:
    """Three ModelId values are one model: rates are over their sums."""
    model = aliased(OPTIMIZED, 3)
    evidence = evidence_for(model)
    rows = rows_of(model, evidence=evidence, minutes=span(0, 1, changed(throttles=25)))
    rows = without(rows, [invocation_metric(model.model_ids[0], BedrockMetric.THROTTLES)])
    assert value_of(metric_alarm(model, "throttled-1"), rows) == pytest.approx(100 * 50 / 350)


def test_an_objective_looks_at_the_worst_alias_with_enough_calls() -> None:
    """A slow alias with three calls is not judged; with fifty it is."""
    model = aliased(OPTIMIZED, 2)
    alarm = metric_alarm(model, "ttft-objective")
    evidence = evidence_for(model)
    for calls, expected in ((3, 1000), (50, 4000)):
        rows = rows_of(model, evidence=evidence, minutes=span(0, 1))
        rows[invocation_metric(model.model_ids[1], BedrockMetric.TTFT)] = [(EPOCH, 4000, calls)]
        assert value_of(alarm, rows) == expected


def test_optimized_series_are_summed_only_where_they_are_traffic_of_their_own() -> None:
    """A repeat of the plain series would count calls twice."""
    included = replace(STANDARD, optimized_series=OptimizedSeries.INCLUDE)
    names = {query.metric.dimension("ModelId") for query in metric_alarm(included, "throttled").metrics}
    assert names == {STANDARD.model_ids[0], STANDARD.model_ids[0] + OPTIMIZED_SUFFIX}
    assert len(metric_alarm(STANDARD, "throttled").metrics) == 2


def test_quota_use_is_the_higher_of_tokens_and_requests() -> None:
    """100 calls of 15,000 quota tokens are 75 % of 2 M; 100 of 400 requests are 25 %."""
    assert value(STANDARD, "quota-use", changed(quota_tokens=15_000)) == pytest.approx(75)
    assert value(STANDARD, "quota-use", changed(quota_tokens=None)) == pytest.approx(25)
    assert metric_alarm(STANDARD, "quota-use").period_s == 60


@pytest.mark.parametrize(("calls", "errors", "share"), [(95, 5, 5.0), (100, 5, 4.76)])
def test_server_errors_read_alike_under_both_definitions_of_invocations(calls: int, errors: int, share: float) -> None:
    """Successful calls only, or accepted ones: 5 % reads 5 or 4.8 %."""
    assert value(STANDARD, "service-errors", changed(calls=calls, server_errors=errors)) == pytest.approx(
        share, abs=0.01
    )


def test_caller_errors_are_the_account_total() -> None:
    """One alarm for all models, from the series without dimensions."""
    (entry,) = site_alarms([STANDARD], site=SITE, evidence=evidence_for(STANDARD), targets=TARGETS)
    assert isinstance(entry.alarm, MetricAlarm)
    store = MetricStore.of(
        (account_metric(name), Samples.of_values([EPOCH], [1], counts=[count]))
        for name, count in ((BedrockMetric.CLIENT_ERRORS, 25), (BedrockMetric.INVOCATIONS, 75))
    )
    points = reader_for(entry.alarm, switches=DEFAULT_SWITCHES).points(store, starts=np.array([EPOCH]))
    assert points.values[0] == 25


def test_blind_sees_traffic_without_evidence() -> None:
    """With calls and no served-latency field at all, the value is 0 % and breaches."""
    assert value(OPTIMIZED, "blind", changed(served_optimized=None)) == 0
    assert value(OPTIMIZED, "blind") == 100
    assert metric_alarm(OPTIMIZED, "blind").comparison is Comparison.LESS


def test_prefill_counts_uncached_input_and_cache_writes() -> None:
    """A lost cache shows as writes or as input; both are tokens to process."""
    assert value(CACHING, "prefill-size", changed(cache_write=1200)) == pytest.approx(200)
    assert value(CACHING, "prefill-size", changed(input_tokens=2400)) == pytest.approx(200)
    assert value(CACHING, "prefill-size") == pytest.approx(100)


def test_cache_hit_rate_stays_between_0_and_100() -> None:
    """Traffic without reads is 0; its definition is read / (input + read + write)."""
    assert value(CACHING, "cache-hit") == 0
    assert value(CACHING, "cache-hit", changed(cache_read=4800)) == pytest.approx(80)
    assert value(CACHING, "cache-hit", changed(input_tokens=0, cache_read=4800)) == 100
    assert metric_alarm(CACHING, "cache-hit").threshold == pytest.approx(48)


def test_tier_overflow_is_of_calls_that_asked_for_the_reserved_tier() -> None:
    """30 of 100 spilled."""
    assert value(CACHING, "tier-overflow", changed(reserved_kept=70, reserved_spilled=30)) == pytest.approx(30)


def test_longer_answers_are_per_cent_of_the_baseline() -> None:
    """600 tokens of 300."""
    assert value(CACHING, "answer-length", changed(output_tokens=600)) == pytest.approx(200)


SLUGS = [entry.slug for entry in alarms_of(CACHING) if isinstance(entry.alarm, MetricAlarm)]
CHOICES = [
    (name, switches) for name, switches in alternatives(DEFAULT_SWITCHES) if name in {"if_missing", "scalar_missing"}
]


@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_no_verdict_hangs_on_what_aws_leaves_open(slug: str, choice: tuple[str, Switches]) -> None:
    """Whatever metrics are absent, what breaches is the same under every reading of the page; a missing point does not breach."""
    alarm = metric_alarm(CACHING, slug)
    minute = changed(throttles=30, server_errors=30, cache_read=10, cache_write=10, served_standard=50, latency_ms=9000)
    minute = replace(minute, reserved_kept=50, reserved_spilled=50)
    rows = rows_of(CACHING, evidence=evidence_for(CACHING), minutes=span(0, alarm.period_s // 60, minute))
    metrics = sorted({query.metric for query in alarm.metrics}, key=str)
    for size in range(len(metrics) + 1):
        for gone in itertools.combinations(metrics, size):
            left = without(rows, gone)
            default, other = value_of(alarm, left), value_of(alarm, left, switches=choice[1])
            assert _breaches(alarm, default) == _breaches(alarm, other), [metric.name for metric in gone]


def _breaches(alarm: MetricAlarm, found: float) -> bool:
    if math.isnan(found):
        return False
    assert alarm.threshold is not None
    match alarm.comparison:
        case Comparison.GREATER_OR_EQUAL:
            return found >= alarm.threshold
        case Comparison.GREATER:
            return found > alarm.threshold
        case _:
            return found < alarm.threshold


@pytest.mark.parametrize(
    "model", [CACHING, aliased(CACHING, 2), replace(CACHING, streaming_share=0.5)], ids=["one", "two", "mixed"]
)
def test_nothing_in_an_expression_is_doubtful(model: MonitoredModel) -> None:
    """No finding on any alarm, but that no-traffic fills on purpose, with M below N."""
    for entry in alarms_of(model):
        if not isinstance(entry.alarm, MetricAlarm):
            continue
        findings = alarm_findings(compile_queries(entry.alarm.queries, result_id=entry.alarm.returned.id))
        expected = ["alarm-fill"] if entry.slug == "no-traffic" else []
        assert [problem.code for problem in findings] == expected, (entry.slug, findings)
