"""Models that the simulator's tests happen to."""

from __future__ import annotations

from dataclasses import replace

from bedrock.models import Baselines, LatencyMode, MonitoredModel, Objectives, OptimizedSeries, Quotas
from bedrock.simulator import Effect, Label, Scenario, TrafficShape, Window, fit_quotas

OPTIMIZED = MonitoredModel(
    key="nova-pro",
    title="Amazon Nova Pro",
    model_ids=("us.amazon.nova-pro-v1:0", "amazon.nova-pro-v1:0"),
    baselines=Baselines(otps=120, standard_otps=75, output_tokens=350, input_tokens=2000, cache_hit_rate=0.5),
    latency=LatencyMode.OPTIMIZED,
    streaming_share=0.9,
    prompt_caching=True,
    reserved_tier=True,
    objectives=Objectives(ttft_p90_ms=800, success_rate=0.99),
)
STANDARD = replace(
    OPTIMIZED,
    key="sonnet",
    title="Claude Sonnet",
    model_ids=("us.anthropic.claude-sonnet-4-v1:0", "anthropic.claude-sonnet-4-v1:0"),
    baselines=Baselines(otps=60, output_tokens=400, input_tokens=1800, cache_hit_rate=0.6),
    latency=LatencyMode.STANDARD,
    quotas=Quotas(burndown=5.0),
)
START_S = 1_793_577_600


def scenario(
    model: MonitoredModel = OPTIMIZED,
    *effects: tuple[Effect, int, int, float],
    minutes: int = 120,
    requests_per_minute: float = 30.0,
    seed: int = 7,
    traffic: TrafficShape | None = None,
    fitted: bool = True,
) -> Scenario:
    """Return a scenario with the given effects: effect, first minute, minute after the last, value."""
    return Scenario(
        name="test",
        title="Test",
        model=fit_quotas(model, requests_per_minute) if fitted else model,
        seed=seed,
        requests_per_minute=requests_per_minute,
        start_s=START_S,
        minutes=minutes,
        onset_minute=None,
        end_minute=None,
        traffic=traffic or TrafficShape(),
        windows=tuple(
            Window(effect=effect, start_minute=start, end_minute=end, value=value)
            for effect, start, end, value in effects
        ),
        label=Label(),
        objectives=Objectives(ttft_p90_ms=800, success_rate=0.99),
    )


def own_series(model: MonitoredModel) -> MonitoredModel:
    """Return the model with `+latency-optimized` series as traffic of their own."""
    return replace(model, optimized_series=OptimizedSeries.INCLUDE)
