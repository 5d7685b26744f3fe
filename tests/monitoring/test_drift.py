"""Drift: what the account shows against what the configuration says, and the lines that settle it."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO

import pytest
from ruamel.yaml import YAML

from bedrock.models import Baselines, Quotas
from cloudwatch.metric import Metric
from monitoring.drift import Finding, Seen, Status, baseline_drift, decide_drift, quota_drift
from tests.monitoring.sample_plans import deployment, model

REGION = "us-east-1"


@dataclass(frozen=True, kw_only=True)
class Use:
    """A measurement."""

    calls: float = 1000
    otps: float | None = None
    output_tokens: float | None = None
    input_tokens: float | None = None
    cache_hit_rate: float | None = None


def only(findings: list[Finding]) -> Finding:
    """The one finding."""
    assert len(findings) == 1, findings
    return findings[0]


def test_a_quota_that_differs_is_written_for_its_region() -> None:
    """The lines are YAML that sets this quota of this model in this Region to the value in force."""
    watched = model(quotas=Quotas(tpm=800_000, rpm=200))
    found = only(quota_drift(watched, {"tpm": 400_000.0}, region=REGION))
    assert (found.status, found.setting, found.value) == (Status.WRONG, ("quotas", "tpm"), 400_000)
    parsed = YAML(typ="safe").load(StringIO("\n".join(found.lines)))
    assert parsed == {"models": {"nova-pro": {"in_regions": {REGION: {"quotas": {"tpm": 400_000}}}}}}
    assert "was 800000" in found.lines[-1]


def test_a_quota_is_ok_only_when_it_is_the_same() -> None:
    """The same value is ok, one that is not configured is wrong, one that was not found is not judged."""
    watched = model(quotas=Quotas(tpm=800_000, rpm=200))
    statuses = [each.status for each in quota_drift(watched, {"tpm": 800_000.0, "tpd": 5e9}, region=REGION)]
    assert statuses == [Status.OK, Status.WRONG]


@pytest.mark.parametrize(
    ("use", "status"),
    [
        pytest.param(Use(otps=82), Status.OK, id="nine percent slower is within the margin"),
        pytest.param(Use(otps=80), Status.WRONG, id="eleven percent slower is not"),
        pytest.param(Use(otps=100), Status.WRONG, id="eleven percent faster hides a fall"),
        pytest.param(Use(output_tokens=370), Status.OK, id="answers a quarter longer"),
        pytest.param(Use(output_tokens=380), Status.WRONG, id="answers more than a quarter longer"),
        pytest.param(Use(otps=40, calls=199), Status.UNKNOWN, id="too few calls say nothing"),
    ],
)
def test_a_baseline_drifts_when_its_alarm_has_lost_half_its_margin(use: Use, status: Status) -> None:
    """Against 90 tokens a second and 300 tokens an answer."""
    assert only(baseline_drift(model(), use, region=REGION)).status is status


def test_a_worse_baseline_is_not_adopted_without_a_thought() -> None:
    """Lower speed might be an incident; higher speed is simply the new yardstick."""
    slower = only(baseline_drift(model(), Use(otps=60), region=REGION))
    faster = only(baseline_drift(model(), Use(otps=120), region=REGION, source="measured 2026-W48"))
    assert "incident" in slower.do
    assert "incident" not in faster.do
    assert faster.lines[-1].strip() == "otps: 120 # was 90, measured 2026-W48"


def test_a_cache_rate_counts_only_where_there_is_a_cache() -> None:
    """A hit rate drifts in points, on a model that uses prompt caching."""
    base = Baselines(otps=90, output_tokens=300, input_tokens=2000, cache_hit_rate=0.7)
    use = Use(cache_hit_rate=0.5)
    assert baseline_drift(model(baselines=base), use, region=REGION) == []
    found = only(baseline_drift(model(baselines=base, prompt_caching=True), use, region=REGION))
    assert found.status is Status.WRONG
    assert "20 points below" in found.saw


def test_what_nobody_looked_at_is_not_judged() -> None:
    """Nothing seen gives no finding; one look gives the findings of that look."""
    place = deployment()
    assert decide_drift(place, seen=Seen()) == ()
    stranger = Metric(namespace="AWS/Bedrock", name="Invocations", dimensions=(("ModelId", "other"),))
    found = only(list(decide_drift(place, seen=Seen(metrics=(stranger,)))))
    assert found.status is Status.WRONG
    assert "nova-pro" in found.saw
    assert "other" in found.saw


def test_every_kind_is_decided_in_one_call() -> None:
    """Quotas and baselines by model, then aliases, then evidence."""
    place = deployment()
    alias = Metric(namespace="AWS/Bedrock", name="Invocations", dimensions=(("ModelId", place.models[0].model_ids[0]),))
    seen = Seen(
        measured={"nova-pro": Use(otps=60)},
        quotas={"nova-pro": {"tpm": 1e6}},
        metrics=(alias,),
        calls=(),
        delays_s=(700.0,),
    )
    checks = [(found.check, found.status) for found in decide_drift(place, seen=seen)]
    assert checks == [
        ("quota tpm of nova-pro", Status.WRONG),
        ("baseline otps of nova-pro", Status.WRONG),
        ("ModelId values", Status.OK),
        ("served-latency path", Status.UNKNOWN),
        ("throttle error code", Status.UNKNOWN),
        ("CloudTrail delay", Status.WRONG),
    ]
