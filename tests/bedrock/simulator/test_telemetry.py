"""What CloudWatch would hold: which series there are, when they can be read, and both details alike."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from bedrock.models import LatencyMode, OptimizedSeries
from bedrock.simulator import Detail, Effect, InvocationsCount, Recording, TelemetrySettings, simulate, to_store
from bedrock.simulator.gate import Status
from bedrock.simulator.service import ServiceSettings, plan_calls
from cloudwatch.metric import Metric, MetricQuery
from tests.bedrock.simulator.models import OPTIMIZED, STANDARD, START_S, own_series, scenario

if TYPE_CHECKING:
    from cloudwatch.series import Samples

TROUBLE = (
    (Effect.OPTIMIZED_QUOTA, 20, 60, 0.4),
    (Effect.RPM, 70, 100, 0.7),
    (Effect.CLIENT_ERRORS, 20, 60, 0.1),
    (Effect.SERVER_ERRORS, 20, 60, 0.1),
)


def series(recording: Recording, name: str, model_id: str | None = None) -> Samples | None:
    """Return the rows of a metric by its ModelId alone, or None where it was never published."""
    wanted = (("ModelId", model_id or recording.scenario.model.model_ids[0]),)
    return recording.series.get(Metric(namespace="AWS/Bedrock", name=name, dimensions=wanted))


def per_minute(samples: Samples, column: np.ndarray, minutes: int = 120) -> np.ndarray:
    """Add a column up by minute."""
    return np.bincount((samples.timestamps - START_S) // 60, weights=column, minlength=minutes)


@pytest.mark.parametrize("model", [OPTIMIZED, STANDARD, own_series(OPTIMIZED)], ids=["repeat", "standard", "own"])
def test_minutes_hold_the_sums_and_counts_of_the_requests_and_nearly_their_percentiles(model: object) -> None:
    """The fast path is the request path added up: same series, same minutes, same clocks."""
    happening = scenario(model, *TROUBLE)  # type: ignore[arg-type]
    fine = simulate(happening, detail="requests", one_by_one=True)
    coarse = simulate(happening, detail="minutes")
    assert fine.series.keys() == coarse.series.keys()
    assert len(fine.series) > 10
    for metric, exact in fine.series.items():
        rows = coarse.series[metric]
        assert np.array_equal(per_minute(exact, exact.counts), per_minute(rows, rows.counts)), metric
        assert np.allclose(per_minute(exact, exact.sums), per_minute(rows, rows.sums), rtol=1e-12), metric
        clocks = dict(zip(exact.timestamps.tolist(), exact.available_at.tolist(), strict=True))
        assert clocks == dict(zip(rows.timestamps.tolist(), rows.available_at.tolist(), strict=True)), metric
        spread = np.sort(np.repeat(rows.maxima, rows.counts.astype(int)))
        assert np.allclose(spread, np.sort(np.repeat(exact.maxima, exact.counts.astype(int))), rtol=0.0202), metric
    assert fine.truth == coarse.truth


def test_percentiles_can_be_asked_of_both_details() -> None:
    """A minute's rows stand for values: the engine answers p90 and TC of them, within a cell of the grid."""
    happening = scenario(STANDARD, requests_per_minute=200, fitted=False)
    fine, coarse = (to_store(simulate(happening, detail=detail)) for detail in ("requests", "minutes"))
    starts = START_S + 60 * np.arange(2, 110)
    for name in ("InvocationLatency", "TimeToFirstToken", "InputTokenCount"):
        metric = Metric(namespace="AWS/Bedrock", name=name, dimensions=(("ModelId", STANDARD.model_ids[0]),))
        for stat, tolerance in (("p90", 0.021), ("Sum", 1e-12), ("SampleCount", 0), ("TC(1:1000000)", 1e-12)):
            query = MetricQuery(id="m", metric=metric, stat=stat, period_s=60)
            exact = fine.column(query, starts=starts)
            assert not np.isnan(exact).any()
            assert np.allclose(coarse.column(query, starts=starts), exact, rtol=tolerance), (name, stat)


def test_minutes_need_fewer_rows_than_calls() -> None:
    """At a thousand calls a minute a minute is a few hundred rows."""
    happening = scenario(STANDARD, minutes=10, requests_per_minute=1000, fitted=False)
    fine = series(simulate(happening, detail=Detail.REQUESTS), "InvocationLatency")
    coarse = series(simulate(happening, detail=Detail.MINUTES), "InvocationLatency")
    assert fine is not None
    assert coarse is not None
    assert len(coarse) < len(fine) / 3


def test_first_tokens_are_timed_for_streamed_successes_only() -> None:
    """TimeToFirstToken has one sample for each streamed success that ended inside, and none for anything else."""
    recording = simulate(scenario(STANDARD, *TROUBLE))
    attempts, plan = recording.attempts, recording.plan
    inside = (attempts.status <= Status.OPTIMIZED) & (attempts.end_s < 120 * 60)
    first = plan.alias[attempts.call] == 0
    timed = series(recording, "TimeToFirstToken")
    whole = series(recording, "InvocationLatency")
    assert timed is not None
    assert whole is not None
    assert timed.counts.sum() == (inside & first & plan.streams[attempts.call]).sum()
    assert whole.counts.sum() == (inside & first).sum()
    assert timed.counts.sum() < whole.counts.sum()


def test_what_never_happened_has_no_series() -> None:
    """Absent, not zero: no throttle, no TTFT without streaming, no cache metric without caching."""
    quiet = replace(STANDARD, streaming_share=0.0, prompt_caching=False, reserved_tier=False, model_ids=("m",))
    recording = simulate(scenario(quiet, minutes=30))
    names = {metric.name for metric in recording.series}
    assert names.isdisjoint({"InvocationThrottles", "TimeToFirstToken", "CacheReadInputTokenCount"})
    assert {metric.dimensions for metric in recording.series} == {(("ModelId", "m"),), ()}
    assert all((samples.counts > 0).all() for samples in recording.series.values())


def test_throttles_are_neither_invocations_nor_errors() -> None:
    """Every throttled attempt counts once under InvocationThrottles and nowhere else."""
    recording = simulate(scenario(STANDARD, *TROUBLE), telemetry=TelemetrySettings())
    status = recording.attempts.status[recording.attempts.end_s < 120 * 60]

    def total(name: str) -> float:
        per_model = sum(s.sums.sum() for m, s in recording.series.items() if m.name == name and m.dimensions)
        assert recording.series[Metric(namespace="AWS/Bedrock", name=name)].sums.sum() == per_model
        return float(per_model)

    assert total("InvocationThrottles") == (status >= Status.THROTTLED_RPM).sum() > 0
    assert total("InvocationClientErrors") == (status == Status.CLIENT_ERROR).sum() > 0
    assert total("InvocationServerErrors") == (status == Status.SERVER_ERROR).sum() > 0
    assert total("Invocations") == (status < Status.THROTTLED_RPM).sum()
    older = simulate(recording.scenario, telemetry=TelemetrySettings(invocations=InvocationsCount.SUCCESSES))
    assert older.series[Metric(namespace="AWS/Bedrock", name="Invocations")].sums.sum() == (status <= 1).sum()


def test_quota_usage_is_what_was_settled_without_the_reservation() -> None:
    """EstimatedTPMQuotaUsage adds up to input, cache writes and output times burndown of successes."""
    recording = simulate(scenario(STANDARD, (Effect.MAX_TOKENS, 0, 120, 4.0)))
    attempts, plan = recording.attempts, recording.plan
    picked = (attempts.status <= Status.OPTIMIZED) & (attempts.end_s < 7200) & (plan.alias[attempts.call] == 0)
    call = attempts.call[picked]
    usage = series(recording, "EstimatedTPMQuotaUsage")
    assert usage is not None
    assert usage.sums.sum() == (plan.uncached + plan.cache_write + 5.0 * plan.output)[call].sum()


def test_calls_served_optimized_have_series_of_their_own_where_the_model_adds_them_up() -> None:
    """With own series every call is in one of the two; as a repeat the plain series holds all."""
    trouble = (Effect.OPTIMIZED_QUOTA, 0, 120, 0.5)
    own = simulate(scenario(own_series(OPTIMIZED), trouble))
    plain = simulate(scenario(OPTIMIZED, trouble))
    model_id = OPTIMIZED.model_ids[0]

    def calls(recording: Recording, name: str) -> float:
        samples = series(recording, "InvocationLatency", name)
        return 0.0 if samples is None else float(samples.counts.sum())

    assert calls(own, model_id) > 0
    assert calls(own, f"{model_id}+latency-optimized") > 0
    assert calls(own, model_id) + calls(own, f"{model_id}+latency-optimized") == calls(plain, model_id)
    assert calls(plain, f"{model_id}+latency-optimized") == 0
    repeat = TelemetrySettings(optimized_series=OptimizedSeries.EXCLUDE, account_series=False)
    both = simulate(scenario(OPTIMIZED, trouble), telemetry=repeat)
    assert calls(both, model_id) == calls(plain, model_id)
    assert calls(both, f"{model_id}+latency-optimized") == calls(own, f"{model_id}+latency-optimized")
    assert all(metric.dimensions for metric in both.series)


def test_reserved_calls_say_which_tier_served_them() -> None:
    """Asked reserved, served reserved or default: two series that add up to the plain one."""
    recording = simulate(scenario(STANDARD, (Effect.OVERFLOW, 60, 120, 0.5)))
    tiers = {
        metric.dimension("ResolvedServiceTier"): samples.counts.sum()
        for metric, samples in recording.series.items()
        if metric.name == "EstimatedTPMQuotaUsage"
        and metric.dimension("ServiceTier") == "reserved"
        and metric.dimension("ModelId") == STANDARD.model_ids[0]
    }
    plain = series(recording, "EstimatedTPMQuotaUsage")
    assert plain is not None
    assert 0.15 < tiers["default"] / plain.counts.sum() < 0.35
    assert tiers["default"] + tiers["reserved"] == plain.counts.sum()


def test_metrics_can_be_read_one_to_two_minutes_late_and_later_when_delayed() -> None:
    """A minute's values come 30 to 90 seconds after its end; a delay comes on top."""
    recording = simulate(scenario(STANDARD, (Effect.METRIC_DELAY, 60, 120, 600.0)))
    samples = series(recording, "InvocationLatency")
    assert samples is not None
    late = samples.available_at - samples.timestamps - 60
    before = samples.timestamps < START_S + 3600
    assert late[before].min() >= 30
    assert late[before].max() <= 90
    assert late[~before].min() >= 630


def test_the_served_rate_is_the_models_baseline() -> None:
    """Tokens over decode time is the configured rate, cached share the configured one, for any model."""
    for model in (OPTIMIZED, STANDARD):
        plan = plan_calls(scenario(model, minutes=600), settings=ServiceSettings())
        mode = int(model.latency is LatencyMode.OPTIMIZED)
        rate = plan.output.sum() / (plan.duration_s[mode] - plan.ttft_s[mode]).sum()
        assert rate == pytest.approx(model.baselines.otps, rel=0.05)
        read, written = plan.cache_read.sum(), plan.cache_write.sum()
        hit = read / (read + written + plan.uncached.sum())
        assert hit == pytest.approx(model.baselines.cache_hit_rate, rel=0.05)
        assert plan.uncached.mean() == pytest.approx(model.baselines.input_tokens, rel=0.03)
        assert plan.output.mean() == pytest.approx(model.baselines.output_tokens, rel=0.03)
        ttft = np.quantile(plan.ttft_s[mode], 0.9) * 1000
        assert ttft == pytest.approx(800 / 1.4, rel=0.1)


def test_seeds_reproduce_and_differ() -> None:
    """One seed is one recording; another seed is another."""
    first, again = simulate(scenario(OPTIMIZED, *TROUBLE)), simulate(scenario(OPTIMIZED, *TROUBLE))
    other = simulate(scenario(OPTIMIZED, *TROUBLE, seed=8))
    metric = next(iter(first.series))
    assert np.array_equal(first.series[metric].sums, again.series[metric].sums)
    assert np.array_equal(first.outcome.end_s, again.outcome.end_s)
    assert not np.array_equal(first.outcome.end_s[:100], other.outcome.end_s[:100])


def test_a_new_effect_shifts_no_other_draw() -> None:
    """Each part draws from a stream of its own: longer answers leave arrivals, prompts and first tokens alone."""
    plain = plan_calls(scenario(STANDARD), settings=ServiceSettings())
    longer = plan_calls(scenario(STANDARD, (Effect.OUTPUT, 0, 120, 2.0)), settings=ServiceSettings())
    assert np.array_equal(plain.arrivals.time_s, longer.arrivals.time_s)
    assert np.array_equal(plain.uncached, longer.uncached)
    assert np.array_equal(plain.ttft_s[0], longer.ttft_s[0])
    assert longer.output.sum() > 1.5 * plain.output.sum()
