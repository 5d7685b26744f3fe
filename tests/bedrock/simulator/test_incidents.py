"""The library: every entry is readable, deep where it says so, and right about what people should be told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bedrock.simulator
from bedrock.models import Baselines, MonitoredModel
from bedrock.simulator import Effect, Kind, Need, draw, fit_quotas, load_incidents, simulate, unmet_needs
from bedrock.simulator.gate import Status
from bedrock.simulator.library import parse_incident
from cloudwatch.problems import InvalidValueError
from tests.bedrock.simulator.models import OPTIMIZED, STANDARD

CAUSES = {
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
}
LIBRARY = {incident.name: incident for incident in load_incidents()}
INCIDENTS = [name for name, incident in LIBRARY.items() if incident.kind is Kind.INCIDENT]
WEEKS = [name for name, incident in LIBRARY.items() if incident.kind is Kind.WEEK]
MODELS = {"optimized": OPTIMIZED, "standard": STANDARD}
HAPPENS = [
    (name, kind) for name in INCIDENTS for kind, model in MODELS.items() if not unmet_needs(LIBRARY[name], model)
]


def test_the_library_holds_every_file_and_every_kind() -> None:
    """Each TOML file is an entry, incidents and weeks are both there, and slugs are known ones."""
    here = Path(bedrock.simulator.__file__).parent
    assert len(list(here.rglob("*.toml"))) == len(LIBRARY)
    assert len(INCIDENTS) >= 25
    assert len(WEEKS) >= 8
    for incident in LIBRARY.values():
        assert {*incident.label.pages, *incident.label.tickets} <= CAUSES
        assert set(incident.label.pages).isdisjoint(incident.label.tickets)
        if incident.kind is Kind.WEEK:
            assert incident.label.pages == ()


@pytest.mark.parametrize(("name", "kind"), HAPPENS)
def test_an_incident_is_deep_where_its_file_says_so(name: str, kind: str) -> None:
    """The default draw breaks users' objectives for 15 minutes after the onset, or never, as labelled."""
    incident, model = LIBRARY[name], fit_quotas(MODELS[kind], 20)
    scenario = draw(incident, model, seed=0)
    truth = simulate(scenario).truth
    assert scenario.onset_minute is not None
    assert scenario.end_minute is not None
    assert truth.deep or not incident.deep
    assert not truth.deep or incident.deep is not False
    if truth.deep_at_s is not None:
        assert truth.onset_s is not None
        assert truth.end_s is not None
        assert truth.onset_s + 240 <= truth.deep_at_s <= truth.end_s + 900
    assert truth.pages == incident.label.pages
    assert (truth.page is None) == (not incident.label.pages)


@pytest.mark.parametrize(("name", "kind"), HAPPENS)
def test_every_incident_is_the_same_when_gone_through_one_by_one(name: str, kind: str) -> None:
    """Over the whole library, what is computed at once equals the reference."""
    scenario = draw(LIBRARY[name], fit_quotas(MODELS[kind], 15), seed=11)
    fast, slow = simulate(scenario), simulate(scenario, one_by_one=True)
    assert np.array_equal(fast.outcome.status, slow.outcome.status)
    assert np.array_equal(fast.outcome.end_s, slow.outcome.end_s)
    assert sorted(fast.outcome.earlier) == sorted(slow.outcome.earlier)
    assert fast.truth == slow.truth


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("name", WEEKS)
def test_a_healthy_week_never_breaks_an_objective(name: str, kind: str) -> None:
    """Users' objectives hold in every 15 minutes of the default week."""
    model = fit_quotas(MODELS[kind], 12)
    recording = simulate(draw(LIBRARY[name], model, seed=0))
    assert recording.scenario.minutes == 10_080
    assert recording.truth.deep_at_s is None
    assert recording.truth.onset_s is None


def test_bursts_beyond_the_quota_are_there_and_harmless() -> None:
    """The bursty week has throttles or fallback, else it would prove nothing."""
    recording = simulate(draw(LIBRARY["bursty"], fit_quotas(OPTIMIZED, 60), seed=1))
    assert (recording.outcome.status == Status.STANDARD).sum() > 20
    assert not recording.truth.deep


@pytest.mark.parametrize(
    ("name", "kind", "status", "least"),
    [
        ("optimized-quota-exhausted", "optimized", {Status.STANDARD}, 0.6),
        ("optimized-quota-partly", "optimized", {Status.STANDARD}, 0.25),
        ("throttled-tpm", "standard", {Status.THROTTLED_TPM}, 0.03),
        ("throttled-rpm", "standard", {Status.THROTTLED_RPM}, 0.05),
        ("throttled-tpd", "standard", {Status.THROTTLED_TPD}, 0.5),
        ("throttled-max-tokens", "standard", {Status.THROTTLED_TPM}, 0.05),
        ("throttled-quota-cut", "standard", {Status.THROTTLED_TPM}, 0.05),
        ("server-errors", "standard", {Status.SERVER_ERROR}, 0.2),
        ("client-release", "standard", {Status.CLIENT_ERROR}, 0.1),
        ("retry-storm", "standard", {Status.THROTTLED_RPM}, 0.3),
    ],
)
@pytest.mark.parametrize("rate", [2.0, 40.0])
def test_an_incident_does_what_its_name_says(
    name: str, kind: str, status: set[Status], least: float, rate: float
) -> None:
    """Attempts of its kind make up the incident, at sparse and at busy traffic, and none come before it."""
    scenario = draw(LIBRARY[name], fit_quotas(MODELS[kind], rate), seed=3)
    recording = simulate(scenario)
    assert scenario.onset_minute is not None
    assert scenario.end_minute is not None
    minute = recording.attempts.start_s / 60
    inside = (minute >= scenario.onset_minute) & (minute < scenario.end_minute)
    hit = np.isin(recording.attempts.status, list(status))
    assert hit[inside].mean() > least
    assert hit[minute < scenario.onset_minute].mean() < 0.03


def test_oversized_max_tokens_leave_usage_under_the_quota() -> None:
    """What tells it from a quota that is too small: settled tokens stay under 70 % of TPM."""
    model = fit_quotas(STANDARD, 40)
    scenario = draw(LIBRARY["throttled-max-tokens"], model, seed=2)
    recording = simulate(scenario)
    assert scenario.onset_minute is not None
    assert scenario.end_minute is not None
    assert model.quotas.tpm is not None
    usage = np.zeros(scenario.minutes + 60)
    served = recording.attempts.status <= Status.OPTIMIZED
    ended = (recording.attempts.end_s[served] // 60).astype(int)
    np.add.at(usage, ended, recording.plan.settled[recording.attempts.call[served]])
    assert usage[scenario.onset_minute + 2 : scenario.end_minute].mean() < 0.7 * model.quotas.tpm


def test_the_cause_of_both_is_the_one_that_came_first() -> None:
    """Fallback with throttling later: fallback; where throttles come at once, either may stand."""
    for seed in range(4):
        truth = simulate(draw(LIBRARY["fallback-and-throttling"], fit_quotas(OPTIMIZED, 20), seed=seed)).truth
        assert truth.pages == ("fallback", "throttled")
        assert truth.page in truth.pages
    incident = LIBRARY["fallback-and-throttling"]
    late = draw(incident, fit_quotas(OPTIMIZED, 20), seed=0)
    windows = tuple(
        replace(window, start_minute=window.start_minute + 40) if window.effect is Effect.OPTIMIZED_QUOTA else window
        for window in late.windows
    )
    throttles_first = (*windows, replace(windows[1], effect=Effect.RPM, value=0.5))
    assert simulate(replace(late, windows=throttles_first)).truth.page == "throttled"


def test_draws_reproduce_and_differ_by_seed_and_incident() -> None:
    """Depth, time and length come from the seed and the name."""
    model = fit_quotas(STANDARD, 20)
    first = draw(LIBRARY["throttled-tpm"], model, seed=5)
    assert first == draw(LIBRARY["throttled-tpm"], model, seed=5)
    assert first.windows != draw(LIBRARY["throttled-tpm"], model, seed=6).windows
    assert first.onset_minute != draw(LIBRARY["throttled-rpm"], model, seed=5).onset_minute


def test_depths_fill_their_range() -> None:
    """Depth is drawn evenly from the range of the file."""
    values = [draw(LIBRARY["model-slower"], STANDARD, seed=seed).windows[0].value for seed in range(60)]
    low, high = LIBRARY["model-slower"].effects[0].value
    assert low <= min(values) < low + 0.2 * (high - low)
    assert high - 0.2 * (high - low) < max(values) <= high


def test_an_incident_needs_its_kind_of_model() -> None:
    """Fallback cannot happen to a model that nobody asks optimized; the message says what is missing."""
    assert unmet_needs(LIBRARY["optimized-quota-exhausted"], STANDARD) == (Need.OPTIMIZED,)
    with pytest.raises(InvalidValueError, match="optimized-quota-exhausted needs a model that is optimized"):
        draw(LIBRARY["optimized-quota-exhausted"], STANDARD, seed=0)


def test_any_configured_model_will_do() -> None:
    """No objective, no quota, no streaming, no traffic named: every incident that fits still runs."""
    bare = MonitoredModel(
        key="bare",
        title="Bare",
        model_ids=("m",),
        streaming_share=0.0,
        baselines=Baselines(otps=30, output_tokens=50, input_tokens=200),
    )
    for incident in LIBRARY.values():
        if incident.kind is Kind.INCIDENT and not unmet_needs(incident, bare):
            truth = simulate(draw(incident, bare, seed=0)).truth
            assert truth.deep or not incident.deep, incident.name


def test_fitted_quotas_hold_a_steady_week() -> None:
    """At any traffic a fitted quota lets everybody through and is not ten times too large."""
    for rate in (2.0, 20.0, 100.0):
        model = fit_quotas(STANDARD, rate)
        recording = simulate(draw(LIBRARY["steady"], model, seed=0, requests_per_minute=rate))
        assert (recording.attempts.status >= Status.THROTTLED_RPM).mean() < 0.001
        assert model.quotas.rpm is not None
        assert model.quotas.rpm < 8 * rate


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"title": "x", "depht": 1}, "unknown key 'depht'"),
        ({}, "title"),
        ({"title": "x", "effects": [{"effect": "ttfd", "value": 1}]}, "ttfd"),
        ({"title": "x", "hour": [9, 3]}, "upside down"),
        ({"title": "x", "needs": ["fast"]}, "fast"),
        ({"title": "x", "traffic": {"troughs": 1}}, "troughs"),
    ],
)
def test_a_mistake_in_a_file_is_named(data: dict[str, object], message: str) -> None:
    """Unknown keys, effects, needs and ranges are refused with the file's name."""
    with pytest.raises(InvalidValueError, match=f"bad: .*{message}"):
        parse_incident("bad", data, kind=Kind.INCIDENT)
