"""The filter patterns in docs/evidence.md, from the plan itself.

`python -m tests.bedrock.evidence_page` rewrites them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from bedrock.evidence import EvidenceRoute, EvidenceSettings
from bedrock.evidence_plan import EvidencePlan, plan_evidence
from bedrock.models import Baselines, LatencyMode, MonitoredModel

PAGE = Path(__file__).parents[2] / "docs" / "evidence.md"
MODEL = MonitoredModel(
    key="assistant",
    title="Amazon Nova Pro",
    model_ids=("us.amazon.nova-pro-v1:0",),
    baselines=Baselines(otps=90, output_tokens=300, input_tokens=1200),
    latency=LatencyMode.OPTIMIZED,
)
_EXISTING: dict[EvidenceRoute, dict[str, Any]] = {
    EvidenceRoute.TRAIL: {"log_group": "management-events", "trail_home_region": "us-east-1"},
    EvidenceRoute.INVOCATION_LOG: {"log_group": "bedrock-invocations"},
}
_BLOCK = re.compile(r"(<!-- patterns (\S+) -->\n).*?(<!-- /patterns -->)", re.DOTALL)


def evidence(route: EvidenceRoute) -> EvidencePlan:
    """Return the evidence of one optimized model on a route, with the settings that the route cannot do without."""
    return plan_evidence(
        [MODEL],
        settings=EvidenceSettings(route=route, **_EXISTING.get(route, {})),
        region="us-east-1",
        namespace="BedrockMonitor/llm-prod",
        log_group="/aws/events/llm-prod-bedrock-calls",
        rule_prefix="llm-prod",
    )


def block(route: EvidenceRoute) -> str:
    """Return the metric filters of a route, and its rules where they count."""
    found = evidence(route)
    lines = [f"{item.name}\n    {item.pattern}" for item in found.filters]
    if route is EvidenceRoute.RULE_COUNTERS:
        lines = [f"{rule.name}{'' if rule.targets else ' (no target)'}\n    {rule.pattern}" for rule in found.rules]
    return "```\n" + "\n".join(lines) + "\n```\n"


def fresh(text: str) -> str:
    """Return the page with the patterns in it."""
    return _BLOCK.sub(lambda found: found[1] + block(EvidenceRoute(found[2])) + found[3], text)


if __name__ == "__main__":
    PAGE.write_text(fresh(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stderr.write(f"{PAGE} written\n")
