"""Bills of reference deployments, and the page docs/cost.md that prints them.

`python -m tests.monitoring.reference_bills` rewrites the page.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from alarms.alarm_set import Profile, Severity
from alarms.naming import Site
from bedrock.evidence import EvidenceRoute, EvidenceSettings
from bedrock.models import Baselines, LatencyMode, MonitoredModel, Objectives, Quotas
from monitoring.cost import Bill, bill
from monitoring.deployment import Deployment, Notification
from monitoring.plan import plan

PAGE = Path(__file__).parents[2] / "docs" / "cost.md"

PLAIN = MonitoredModel(
    key="plain",
    title="A model",
    model_ids=("us.meta.llama3-3-70b-instruct-v1:0",),
    baselines=Baselines(otps=60, output_tokens=300, input_tokens=1500),
    requests_per_minute=100,
    objectives=Objectives(ttft_p90_ms=1500, latency_p90_ms=10_000),
    quotas=Quotas(tpm=1_000_000, rpm=800, max_tokens=2000),
)
OPTIMIZED = replace(
    PLAIN,
    key="optimized",
    model_ids=("us.amazon.nova-pro-v1:0",),
    latency=LatencyMode.OPTIMIZED,
    baselines=replace(PLAIN.baselines, standard_otps=35),
)
CACHING = replace(PLAIN, key="caching", prompt_caching=True)
BATCH = replace(PLAIN, key="batch", streaming_share=0)
FIVE = (OPTIMIZED, PLAIN, CACHING, BATCH, replace(PLAIN, key="plain-two"))


def copies(model: MonitoredModel, count: int) -> tuple[MonitoredModel, ...]:
    """Return a model that many times under keys of its own."""
    return tuple(replace(model, key=f"{model.key}-{place}") for place in range(1, count + 1))


def with_aliases(models: tuple[MonitoredModel, ...], count: int) -> tuple[MonitoredModel, ...]:
    """Return models with that many ModelId values each."""
    return tuple(
        replace(model, model_ids=tuple(f"{model.model_ids[0]}-{place}" for place in range(count))) for model in models
    )


def bill_for(
    models: tuple[MonitoredModel, ...],
    *,
    profile: Profile = Profile.DEFAULT,
    route: EvidenceRoute = EvidenceRoute.EVENTBRIDGE,
) -> Bill:
    """Return the bill of one account and Region with these models."""
    deployment = Deployment(
        site=Site(prefix="llm", alias="prod", account_id="111122223333", region="us-east-1"),
        organisation="Acme",
        models=models,
        evidence=EvidenceSettings(route=route),
        notifications=tuple(Notification(severity=severity, emails=("a@acme.example",)) for severity in Severity),
        profile=profile,
    )
    return bill(plan(deployment))


REFERENCES: dict[str, tuple[MonitoredModel, ...]] = {
    "Five models, one of them optimized, one alias each": FIVE,
    "The same with three aliases each": with_aliases(FIVE, 3),
    "Five models, none optimized": copies(PLAIN, 5),
    "Five models, four of them optimized": (*copies(OPTIMIZED, 4), PLAIN),
    "One model": (PLAIN,),
    "One optimized model": (OPTIMIZED,),
    "One optimized model with three aliases": with_aliases((OPTIMIZED,), 3),
}


def page() -> str:
    """Return docs/cost.md."""
    lines = [
        "# What a month costs",
        "",
        "`bedrock-monitor cost` prints the bill of your configuration. List prices in US dollars, without free tier, from the dated",
        "file `bedrock/prices.toml`; they are second hand: compare with your bill. One account in one Region, evidence by EventBridge,",
        "a key of its own. (`python -m tests.monitoring.reference_bills` rewrites this page.)",
        "",
        "| deployment | default, all | default, a model | lean, all | lean, a model |",
        "|---|---|---|---|---|",
    ]
    for name, models in REFERENCES.items():
        bills = [bill_for(models, profile=profile) for profile in (Profile.DEFAULT, Profile.LEAN)]
        cells = [text for one in bills for text in (f"{one.amount:.2f}", f"{one.per_model:.2f}")]
        lines.append("| " + " | ".join((name, *cells)) + " |")
    reference = bill_for(FIVE)
    lines += ["", "The first line in full:", "", "| | count | each | a month |", "|---|---|---|---|"]
    for each in reference.models:
        lines += [
            f"| {each.model}: {line.what} | {line.count} | {line.price:.2f} | {line.amount:.2f} |"
            for line in each.lines
        ]
    lines += [
        f"| shared: {line.what} | {line.count} | {line.price:.2f} | {line.amount:.2f} |" for line in reference.shared
    ]
    counters = bill_for(FIVE, route=EvidenceRoute.RULE_COUNTERS)
    assert reference.logs is not None
    assert counters.logs is not None
    assert reference.occasional is not None
    lines += [
        "",
        "Not in these sums, because they follow traffic:",
        "",
        f"* log ingestion, {reference.logs.per_million:.2f} for a million calls {reference.logs.what} (about 2 KB each, unverified on",
        f"  AWS); with route `rule-counters` {counters.logs.per_million:.2f} for a million of those {counters.logs.what};",
        f"* {reference.occasional.count} series of throttles by kind, published only in hours in which calls are throttled: at most",
        f"  {reference.occasional.amount:.2f}. CloudWatch bills a custom metric by the hour in which it is published.",
        "",
        "What a model that asks for optimized latency costs more: evidence, and the alarms that tell fallback, throttling and slowness",
        "apart without calling twice (docs/adr/0012). Bedrock offers it for four models. The lean profile gives up objectives, quotas,",
        "request shape and the page for a slower model, which is a ticket there (docs/adr/0013).",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stderr.write(f"{PAGE} written\n")
