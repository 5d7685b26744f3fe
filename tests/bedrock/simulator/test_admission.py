"""Quotas, fallback, throttles and retries: who is served, and does anybody get more than there is?"""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from bedrock.models import Baselines, MonitoredModel, Quotas
from bedrock.quotas import consumed_tokens, reserved_tokens
from bedrock.simulator import Effect, Recording, ServiceSettings, TrafficShape, simulate
from bedrock.simulator.fast import decide, steps_in_doubt
from bedrock.simulator.gate import Outcome, Status, luck_of_attempt
from bedrock.simulator.limits import limits_of
from bedrock.simulator.service import plan_calls
from tests.bedrock.simulator.models import OPTIMIZED, STANDARD, scenario

DISTURBANCES = {
    "nothing": (),
    "optimized quota partly left": ((Effect.OPTIMIZED_QUOTA, 30, 80, 0.5),),
    "no optimized quota": ((Effect.OPTIMIZED_QUOTA, 30, 80, 0.0),),
    "fallback into a small standard quota": ((Effect.OPTIMIZED_QUOTA, 30, 80, 0.1), (Effect.TPM, 30, 80, 0.5)),
    "few requests a minute": ((Effect.RPM, 30, 80, 0.7),),
    "few tokens a day": ((Effect.TPD_LEFT, 30, 80, 4.0),),
    "errors of the service": ((Effect.SERVER_ERRORS, 30, 80, 0.2),),
    "oversized max_tokens": ((Effect.MAX_TOKENS, 30, 80, 40.0),),
    "hasty clients": ((Effect.RPM, 30, 80, 0.8), (Effect.ATTEMPTS, 30, 80, 3.0), (Effect.BACKOFF, 30, 80, 0.05)),
    "many users": ((Effect.TRAFFIC, 30, 80, 6.0),),
}


@pytest.mark.parametrize("model", [OPTIMIZED, STANDARD], ids=["optimized", "standard"])
@pytest.mark.parametrize("name", DISTURBANCES)
@pytest.mark.parametrize("rate", [3.0, 30.0])
def test_calm_stretches_computed_at_once_equal_the_calls_gone_through_one_by_one(
    name: str, model: MonitoredModel, rate: float
) -> None:
    """Where nobody hinders anybody the plan is the outcome, to the last bit; the rest goes one by one."""
    shape = TrafficShape(noise=0.3, bursts_per_day=40, fan_outs_per_day=20)
    happening = scenario(model, *DISTURBANCES[name], requests_per_minute=rate, traffic=shape)
    plan = plan_calls(happening, settings=ServiceSettings(client_concurrency=25))
    limits = limits_of(happening, plan)
    fast, slow = decide(plan, limits), decide(plan, limits, everything=True)
    assert np.array_equal(fast.status, slow.status)
    assert np.array_equal(fast.start_s, slow.start_s)
    assert np.array_equal(fast.end_s, slow.end_s)
    assert sorted(fast.earlier) == sorted(slow.earlier)


def test_random_scenarios_are_the_same_one_by_one() -> None:
    """Any mixture of effects, days that start anew in between and calls that wait from one into the next."""
    dice = random.Random(4)
    ranges = {
        Effect.TRAFFIC: (0.0, 6.0),
        Effect.OPTIMIZED_QUOTA: (0.0, 1.2),
        Effect.TPM: (0.0, 1.2),
        Effect.RPM: (0.0, 1.2),
        Effect.TPD_LEFT: (1.0, 10.0),
        Effect.WAIT: (0.0, 30.0),
        Effect.SERVER_ERRORS: (0.0, 0.6),
        Effect.BACKOFF: (0.0, 2.0),
    }
    for number in range(150):
        effects = [(Effect.TPD_LEFT, 15, dice.randint(20, 60), dice.uniform(3, 12))]
        for _ in range(dice.randint(0, 3)):
            effect, start = dice.choice(list(ranges)), dice.randint(0, 40)
            effects.append((effect, start, dice.randint(start, 60), dice.uniform(*ranges[effect])))
        happening = scenario(
            dice.choice([OPTIMIZED, STANDARD]),
            *effects,
            minutes=60,
            requests_per_minute=dice.choice([2, 10, 40]),
            seed=number,
        )
        plan = plan_calls(happening, settings=ServiceSettings(client_concurrency=dice.choice([None, 3, 12])))
        limits = limits_of(happening, plan)
        fast, slow = decide(plan, limits), decide(plan, limits, everything=True)
        assert np.array_equal(fast.status, slow.status), happening.windows
        assert np.array_equal(fast.end_s, slow.end_s), happening.windows
        assert sorted(fast.earlier) == sorted(slow.earlier), happening.windows


def test_calls_that_wait_into_another_count_of_the_day_use_its_tokens() -> None:
    """The plan has them in the count before; what they take from the new one is known to the end of it."""
    burst = (Effect.TRAFFIC, 12, 15, 16.0)
    settings = ServiceSettings(client_concurrency=20)
    free = plan_calls(scenario(STANDARD, burst, minutes=60, requests_per_minute=20, fitted=False), settings=settings)
    minute = free.arrivals.minute
    needed = free.settled[(minute >= 15) & (minute < 45)].sum() + 3 * free.reserved.max()
    left = needed / (20 * free.profile.charge_tokens)
    happening = scenario(
        STANDARD, burst, (Effect.TPD_LEFT, 15, 45, left), minutes=60, requests_per_minute=20, fitted=False
    )
    plan = plan_calls(happening, settings=settings)
    limits = limits_of(happening, plan)
    fast, slow = decide(plan, limits), decide(plan, limits, everything=True)
    assert (slow.status == Status.THROTTLED_TPD).any()
    assert np.array_equal(fast.status, slow.status)
    assert steps_in_doubt(plan, limits, Outcome(plan, limits))[25 * 6 : 45 * 6].mean() < 0.2


def test_most_of_a_calm_day_is_computed_at_once() -> None:
    """The comparison above would be empty if every step were in doubt."""
    happening = scenario(STANDARD, (Effect.RPM, 30, 80, 0.7))
    plan = plan_calls(happening, settings=ServiceSettings())
    limits = limits_of(happening, plan)
    doubt = steps_in_doubt(plan, limits, Outcome(plan, limits))
    assert not doubt[: 25 * 6].any()
    assert doubt[30 * 6 : 80 * 6].mean() > 0.5


@pytest.mark.parametrize("name", DISTURBANCES)
def test_every_attempt_is_served_refused_or_throttled_and_every_call_ends_once(name: str) -> None:
    """Attempts = served + errors + throttles; a call has one last attempt and only failures before it."""
    recording = simulate(scenario(OPTIMIZED, *DISTURBANCES[name]))
    attempts, count = recording.attempts, recording.plan.count
    served = int((attempts.status <= Status.OPTIMIZED).sum())
    errors = int(np.isin(attempts.status, [Status.CLIENT_ERROR, Status.SERVER_ERROR]).sum())
    throttled = int((attempts.status >= Status.THROTTLED_RPM).sum())
    assert served + errors + throttled == len(attempts.call) == count + len(recording.outcome.earlier)
    assert (attempts.status[count:] >= Status.SERVER_ERROR).all()
    assert np.array_equal(attempts.call[:count], np.arange(count))
    assert (attempts.end_s > attempts.start_s).all()
    assert (recording.outcome.start_s >= recording.plan.arrivals.time_s).all()


def in_window(recording: Recording, *, amount: np.ndarray, picked: np.ndarray) -> np.ndarray:
    """What the picked attempts hold at each admission: reserved while they run, `amount` once settled, for 60 seconds."""
    attempts, plan = recording.attempts, recording.plan
    order = np.flatnonzero(picked)
    order = order[np.argsort(attempts.start_s[order], kind="stable")]
    start, end, call = attempts.start_s[order], attempts.end_s[order], attempts.call[order]
    held = np.zeros(len(order))
    for index, now in enumerate(start):
        alive = (start <= now) & (start > now - 60)
        held[index] = np.where(end[alive] <= now, amount[call[alive]], plan.reserved[call[alive]]).sum()
    return held


def test_tokens_per_minute_are_never_exceeded_in_either_mode() -> None:
    """Over any 60 seconds calls hold at most the quota that was left when the last of them was admitted."""
    happening = scenario(OPTIMIZED, (Effect.OPTIMIZED_QUOTA, 0, 120, 0.4), (Effect.TPM, 0, 120, 0.3))
    recording = simulate(happening)
    limits = limits_of(happening, recording.plan)
    for mode, quota in ((Status.OPTIMIZED, limits.optimized_tpm), (Status.STANDARD, limits.tpm)):
        picked = recording.attempts.status == mode
        held = in_window(recording, amount=recording.plan.settled, picked=picked)
        assert picked.sum() > 100
        assert held.max() <= quota.max()
        assert held.max() > 0.8 * quota.max()
    assert (recording.attempts.status == Status.THROTTLED_TPM).sum() > 100


def test_requests_per_minute_are_never_exceeded() -> None:
    """Admitted requests of any 60 seconds, failed ones included, keep within RPM."""
    happening = scenario(STANDARD, (Effect.RPM, 0, 120, 0.6))
    recording = simulate(happening)
    quota = float(limits_of(happening, recording.plan).rpm[0])
    status = recording.attempts.status
    admitted = np.sort(recording.attempts.start_s[(status <= Status.OPTIMIZED) | (status == Status.SERVER_ERROR)])
    within = np.arange(len(admitted)) - np.searchsorted(admitted, admitted - 60, side="right") + 1
    assert within.max() == np.floor(quota)


def test_tokens_of_the_day_are_never_exceeded_and_start_anew_at_midnight() -> None:
    """A configured daily quota throttles in the evening and lets calls through again after midnight UTC."""
    model = replace(STANDARD, quotas=Quotas(burndown=1.0, tpd=3_000_000))
    happening = replace(scenario(model, minutes=1500, requests_per_minute=4, fitted=False))
    recording = simulate(happening)
    attempts, plan = recording.attempts, recording.plan
    served = attempts.status <= Status.OPTIMIZED
    day = attempts.start_s // 86_400
    for number in (0, 1):
        assert plan.settled[attempts.call[served & (day == number)]].sum() <= 3_000_000
    assert (attempts.status[day == 0] == Status.THROTTLED_TPD).any()
    assert (attempts.status[day == 1] <= Status.OPTIMIZED).mean() > 0.95


def one_call_model(**quotas: float) -> MonitoredModel:
    """Return a model whose calls all ask 2,500 tokens, reserve 6,000 and answer 300: see the arithmetic below."""
    base = Baselines(otps=60, output_tokens=300, input_tokens=2500)
    return MonitoredModel(
        key="one",
        title="One",
        model_ids=("one",),
        baselines=base,
        quotas=Quotas(burndown=5.0, max_tokens=6000, **quotas),
    )


def test_a_call_reserves_its_input_and_max_tokens_and_settles_with_burndown() -> None:
    """2,500 in, max_tokens 6,000, 300 out, five quota tokens an output token: 8,500 reserved, 4,000 used."""
    plan = plan_calls(scenario(one_call_model(), fitted=False), settings=ServiceSettings())
    for call in range(50):
        assert plan.reserved[call] == reserved_tokens(input_tokens=float(plan.uncached[call]), max_tokens=6000)
        assert plan.settled[call] == consumed_tokens(
            input_tokens=float(plan.uncached[call]), output_tokens=float(plan.output[call]), burndown=5.0
        )
    assert reserved_tokens(input_tokens=2500, max_tokens=6000) == 8500
    assert consumed_tokens(input_tokens=2500, output_tokens=300, burndown=5.0) == 4000


def test_an_oversized_max_tokens_throttles_while_usage_is_far_below_the_quota() -> None:
    """The quota holds three times the usage, and yet reservations exhaust it."""
    rate, usage = 30.0, 30.0 * 4000
    modest = one_call_model(tpm=3 * usage)
    greedy = replace(modest, quotas=replace(modest.quotas, max_tokens=100_000))
    assert not (simulate(scenario(modest, requests_per_minute=rate, fitted=False)).attempts.status >= 4).any()
    status = simulate(scenario(greedy, requests_per_minute=rate, fitted=False)).attempts.status
    assert (status == Status.THROTTLED_TPM).mean() > 0.3


def test_cache_reads_touch_no_quota_unless_the_reservation_is_said_to_hold_them() -> None:
    """Read tokens are in neither number; with the switch on they are reserved, and still never settled."""
    happening = scenario(STANDARD)
    free = plan_calls(happening, settings=ServiceSettings())
    held = plan_calls(happening, settings=ServiceSettings(reserve_cache_reads=True))
    assert free.cache_read.sum() > 0
    assert np.array_equal(held.reserved - free.reserved, free.cache_read)
    assert np.array_equal(held.settled, free.settled)


def test_calls_past_the_optimized_quota_are_served_standard_without_an_error() -> None:
    """Fallback is silent: nobody is throttled, and what fell back is slower."""
    recording = simulate(scenario(OPTIMIZED, (Effect.OPTIMIZED_QUOTA, 0, 120, 0.5)))
    status, plan = recording.outcome.status, recording.plan
    assert not (recording.attempts.status >= Status.THROTTLED_RPM).any()
    assert 0.3 < (status == Status.STANDARD).mean() < 0.8
    rate = plan.output / (recording.outcome.end_s - recording.outcome.start_s)
    assert np.median(rate[status == Status.STANDARD]) < 0.75 * np.median(rate[status == Status.OPTIMIZED])


def test_long_requests_to_llama_405b_are_always_served_standard() -> None:
    """Above 11,000 tokens in all, whatever quota is left."""
    model = replace(
        OPTIMIZED,
        model_ids=("us.meta.llama3-1-405b-instruct-v1:0",),
        baselines=Baselines(otps=60, standard_otps=30, output_tokens=400, input_tokens=9500),
        prompt_caching=False,
    )
    recording = simulate(scenario(model))
    total = recording.plan.uncached + recording.plan.output
    served = recording.outcome.status <= Status.OPTIMIZED
    assert np.array_equal(recording.outcome.status[served] == Status.STANDARD, total[served] > 11_000)
    assert 0.05 < (total > 11_000).mean() < 0.95


def test_clients_keep_no_more_calls_in_flight_than_they_may() -> None:
    """More calls wait their turn, in order, and their wait is not part of the service's latency."""
    happening = scenario(STANDARD, requests_per_minute=60)
    recording = simulate(happening, service=ServiceSettings(client_concurrency=6))
    outcome = recording.outcome
    inflight = [int(((outcome.start_s <= now) & (outcome.end_s > now)).sum()) for now in outcome.start_s[:2000]]
    assert max(inflight) == 6
    waited = outcome.start_s > recording.plan.arrivals.time_s
    assert waited.mean() > 0.1
    plain = waited & (outcome.status == Status.STANDARD)
    took = (outcome.end_s - outcome.start_s)[plain]
    assert np.allclose(took, recording.plan.duration_s[0][plain])


def test_a_throttled_call_is_tried_as_often_as_the_sdk_says() -> None:
    """Nobody is tried more often than the model's sdk_max_attempts, and pauses grow."""
    recording = simulate(scenario(replace(STANDARD, sdk_max_attempts=4), (Effect.TPD_LEFT, 20, 120, 1.0)))
    tries = np.bincount(recording.attempts.call)
    assert tries.max() == 4
    lost = np.flatnonzero(recording.outcome.status == Status.THROTTLED_TPD)
    assert (tries[lost] == 4).all()
    pauses = np.zeros((len(lost), 3))
    for row, call in enumerate(lost):
        mine = np.sort(recording.attempts.start_s[recording.attempts.call == call])
        pauses[row] = np.diff(mine)
    assert (np.diff(pauses.mean(axis=0)) > 0).all()


def test_the_luck_of_later_attempts_is_spread_like_the_first() -> None:
    """Three attempts fail together as often as three independent ones: retries do hide errors."""
    first = (np.arange(20_000) + 0.5) / 20_000
    fails = [first < 0.3, *([luck_of_attempt(float(value), number) < 0.3 for value in first] for number in (1, 2))]
    together = np.logical_and.reduce([np.asarray(failed) for failed in fails]).mean()
    assert together == pytest.approx(0.3**3, rel=0.1)
