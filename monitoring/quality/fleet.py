"""Which models are the alarms measured on? Kinds of use that differ in what alarms rest on, each at every traffic.

Numbers are those of a configuration: baselines, an objective with the usual margin over the healthy p90, quotas that fit the
traffic. Nothing here comes out of an incident.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alarms.alarm_set import Profile, Severity
from alarms.naming import Site
from bedrock.evidence import EvidenceSettings
from bedrock.models import AlarmOverride, Baselines, LatencyMode, MonitoredModel, Objectives, Quotas
from bedrock.simulator import fit_quotas
from monitoring.deployment import Deployment, Notification

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["KINDS", "TRAFFIC_MIXES", "deployment_for", "fleet"]

TRAFFIC_MIXES: tuple[int, ...] = (2, 20, 100)
"""Requests a minute in the day: from a tool that few people use to a busy application."""

ACCOUNT_ID = "111122223333"
REGION = "us-east-1"

_CHAT = MonitoredModel(
    key="chat",
    title="Chat",
    model_ids=("us.anthropic.claude-sonnet-4-20250514-v1:0",),
    baselines=Baselines(otps=60, output_tokens=400, input_tokens=1800, cache_hit_rate=0.6),
    prompt_caching=True,
    objectives=Objectives(ttft_p90_ms=1400, success_rate=0.99),
    quotas=Quotas(burndown=5.0),
)
_ASSISTANT = MonitoredModel(
    key="assistant",
    title="Assistant",
    model_ids=("us.amazon.nova-pro-v1:0",),
    baselines=Baselines(otps=120, standard_otps=75, output_tokens=350, input_tokens=2000, cache_hit_rate=0.5),
    latency=LatencyMode.OPTIMIZED,
    prompt_caching=True,
    reserved_tier=True,
    objectives=Objectives(ttft_p90_ms=800, success_rate=0.99),
)

KINDS: tuple[MonitoredModel, ...] = (
    _CHAT,
    # Two names for one model, a few calls that do not stream, an objective for the whole answer too.
    MonitoredModel(
        key="agent",
        title="Agent",
        model_ids=("us.meta.llama3-3-70b-instruct-v1:0", "meta.llama3-3-70b-instruct-v1:0"),
        baselines=Baselines(otps=80, output_tokens=150, input_tokens=3000),
        streaming_share=0.9,
        sdk_max_attempts=4,
        objectives=Objectives(ttft_p90_ms=900, latency_p90_ms=5200, success_rate=0.995),
        overrides=(("no-traffic", AlarmOverride()),),
    ),
    # Half of the calls stream.
    replace(
        _CHAT,
        key="mixed",
        title="Mixed",
        model_ids=("us.amazon.nova-premier-v1:0",),
        baselines=Baselines(otps=50, output_tokens=400, input_tokens=2500),
        prompt_caching=False,
        streaming_share=0.5,
        quotas=Quotas(),
    ),
    # Nothing streams: neither time to first token nor decode rate.
    MonitoredModel(
        key="batch",
        title="Batch",
        model_ids=("us.amazon.nova-lite-v1:0",),
        baselines=Baselines(otps=120, output_tokens=200, input_tokens=1500),
        streaming_share=0.0,
        objectives=Objectives(latency_p90_ms=6000, success_rate=0.99),
    ),
    _ASSISTANT,
    replace(
        _ASSISTANT,
        key="copilot",
        title="Copilot",
        model_ids=("us.anthropic.claude-3-5-haiku-20241022-v1:0", "anthropic.claude-3-5-haiku-20241022-v1:0"),
        baselines=Baselines(otps=110, standard_otps=60, output_tokens=350, input_tokens=2500),
        prompt_caching=False,
        reserved_tier=False,
        streaming_share=0.9,
        objectives=Objectives(ttft_p90_ms=1000, success_rate=0.99),
    ),
    # Nobody has measured how fast it is when served standard.
    replace(
        _ASSISTANT,
        key="writer",
        title="Writer",
        model_ids=("us.meta.llama3-1-70b-instruct-v1:0",),
        baselines=Baselines(otps=100, output_tokens=600, input_tokens=900),
        prompt_caching=False,
        reserved_tier=False,
        objectives=Objectives(ttft_p90_ms=600, success_rate=0.99),
    ),
)


def fleet(kinds: Sequence[MonitoredModel] = KINDS) -> tuple[MonitoredModel, ...]:
    """Return each kind at each traffic, called `<kind>-<requests a minute>`, with quotas that fit."""
    return tuple(
        replace(fit_quotas(kind, rate), key=f"{kind.key}-{rate}", title=f"{kind.title} at {rate}/min")
        for rate in TRAFFIC_MIXES
        for kind in kinds
    )


def deployment_for(
    models: Sequence[MonitoredModel], *, expected_delay_s: int = 300, profile: Profile = Profile.DEFAULT
) -> Deployment:
    """Return one account that watches the models; each severity calls one topic, `...:page`, `...:ticket`, `...:note`."""
    site = Site(prefix="llm", alias="bench", account_id=ACCOUNT_ID, region=REGION)
    return Deployment(
        site=site,
        organisation="bench",
        models=tuple(models),
        evidence=EvidenceSettings(expected_delay_s=expected_delay_s),
        notifications=tuple(
            Notification(
                severity=severity, topic_arns=(f"arn:aws:sns:{REGION}:{ACCOUNT_ID}:{severity}",), ok_actions=False
            )
            for severity in Severity
        ),
        profile=profile,
    )
