"""What is known of a model: sums add up, percentiles are of all calls or say what they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bedrock.metrics import BedrockMetric, invocation_metric
from bedrock.models import Quotas
from cloudwatch.series import GivenStatistic, Samples
from cloudwatch.stat import parse_stat
from cloudwatch.store import MetricStore
from monitoring.plan import plan
from monitoring.review.bursts import find_bursts
from monitoring.review.capacity import plan_capacity
from monitoring.review.readings import Readings
from monitoring.review.summary import ModelWeek, summarise
from monitoring.review.week import parse_week
from tests.monitoring.sample_plans import deployment, model

WEEK = parse_week("2026-W48")
IDS = ("us.amazon.nova-pro-v1:0", "amazon.nova-pro-v1:0")
LATENCY = BedrockMetric.LATENCY


def readings(store: MetricStore, **changes: object) -> Readings:
    """Readings of a model with two ids."""
    watched = replace(model(model_ids=IDS), **changes)  # type: ignore[arg-type]
    planned = plan(deployment(models=(watched,)))
    return Readings(
        store=store, model=watched, evidence=planned.evidence, cache_metrics=planned.deployment.cache_metrics
    )


def samples(name: str, values: list[float], *, model_id: str = IDS[0], at: int = 0) -> tuple[object, Samples]:
    """One value a minute from a minute of the week on."""
    times = WEEK.start_s + 60 * (at + np.arange(len(values)))
    return invocation_metric(model_id, name), Samples.of_values(times, np.array(values))


def test_a_percentile_over_ids_is_of_all_their_calls() -> None:
    """Where calls are known the p50 of two ids is that of the calls together, not a mean of two p50s."""
    store = MetricStore.of(
        [samples(LATENCY, [100.0] * 9), samples(LATENCY, [1000.0], model_id=IDS[1])]  # type: ignore[list-item]
    )
    found = readings(store).quantile(LATENCY, percent=50, start_s=WEEK.start_s, end_s=WEEK.end_s)
    assert found is not None
    assert (found.value, found.of, found.exact) == (100.0, "of all calls", True)


def test_points_of_a_percentile_are_named_for_what_they_are() -> None:
    """Hourly p90s have a median, of the worst id, and the median says so; they are never averaged."""

    def hours(model_id: str, values: list[float]) -> tuple[object, GivenStatistic]:
        points = GivenStatistic.of_points(
            WEEK.start_s + 3600 * np.arange(len(values)), values, stat=parse_stat("p90"), period_s=3600
        )
        return invocation_metric(model_id, LATENCY), points

    store = MetricStore.of([hours(IDS[0], [100, 200, 9000]), hours(IDS[1], [50, 60, 70])])  # type: ignore[list-item]
    found = readings(store).quantile(LATENCY, percent=90, start_s=WEEK.start_s, end_s=WEEK.end_s)
    assert found is not None
    assert (found.value, found.of) == (200.0, "median of hourly p90s, worst ModelId")
    assert not found.exact
    assert readings(store).quantile(LATENCY, percent=50, start_s=WEEK.start_s, end_s=WEEK.end_s) is None


def test_a_burst_of_one_minute_is_found_with_what_its_hour_shows() -> None:
    """Ten throttles in one quiet minute are two thirds of it and a few per cent of the hour."""
    store = MetricStore.of(
        [
            samples(BedrockMetric.INVOCATIONS, [1.0] * 600 * 5 + [0.0] * 0),  # type: ignore[list-item]
            samples(BedrockMetric.THROTTLES, [1.0] * 1, at=700),  # type: ignore[list-item]
            (
                invocation_metric(IDS[0], BedrockMetric.THROTTLES),
                Samples.of_values(np.full(9, WEEK.start_s + 60 * 700), np.ones(9)),
            ),
        ]
    )
    burst = next(each for each in find_bursts(readings(store), WEEK) if each.kind == "throttled")
    assert burst.start_s == WEEK.start_s + 60 * 700
    assert burst.minutes == 1
    assert burst.peak == pytest.approx(10 / 11)
    assert burst.around == pytest.approx(10 / 70)
    assert burst.around < burst.peak


def test_neighbouring_minutes_are_one_burst() -> None:
    """Two bad minutes with one good minute between them are told once; an hour later is another burst."""
    calls = samples(BedrockMetric.INVOCATIONS, [30.0] * 300)
    bad = [samples(BedrockMetric.THROTTLES, [20.0], at=at) for at in (100, 102, 180)]
    store = MetricStore.of([calls, *bad])  # type: ignore[list-item]
    found = [each for each in find_bursts(readings(store), WEEK) if each.kind == "throttled"]
    assert [each.minutes for each in found] == [3, 1]


def week(**changes: object) -> ModelWeek:
    """A week with 300 requests in its busiest minute."""
    empty = summarise(readings(MetricStore.of([])), WEEK)
    return replace(
        empty,
        **{"calls": 1e6, "peak_requests": 300.0, "input_tokens": 3000.0, "output_tokens": 500.0, **changes},  # type: ignore[arg-type]
    )


def test_the_capacity_plan_is_the_sum_that_the_documentation_gives() -> None:
    """300 requests x (3,000 + 500 x 5) are 1.65M tokens a minute; reserved are 300 x (3,000 + max_tokens)."""
    watched = model(latency="standard", quotas=Quotas(tpm=2e6, burndown=5, max_tokens=6000))
    found = plan_capacity(watched, week=week(), before=None)
    assert found is not None
    assert found.consumed == 1_650_000
    assert found.reserved == 2_700_000
    assert found.headroom == pytest.approx(0.175)
    assert found.fitting_max_tokens == 3600
    assert "max_tokens of 3,600 would fit" in found.sentence


def test_growth_is_planned_for_and_a_fall_is_not() -> None:
    """A week with a quarter more calls plans a quarter more; one with fewer plans the same."""
    watched = model(latency="standard", quotas=Quotas(tpm=2e6, burndown=5))
    more = plan_capacity(watched, week=week(), before=week(calls=8e5))
    fewer = plan_capacity(watched, week=week(), before=week(calls=2e6))
    assert more is not None
    assert fewer is not None
    assert more.planned_requests == pytest.approx(375)
    assert more.sentence.startswith("Ask for more")
    assert fewer.planned_requests == 300


def test_an_empty_week_is_empty_and_not_zero() -> None:
    """Without calls there is no share, no rate and no cost per request."""
    found = summarise(readings(MetricStore.of([])), WEEK)
    assert found.calls == 0
    assert (found.throttle_share, found.otps, found.cost_per_thousand, found.typical) == (None, None, None, None)
    assert found.ttft_ms == {}
