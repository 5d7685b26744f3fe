"""Where is there a quota per minute against a sum over more than a minute? What it does and why: docs/checks/quota-against-other-period.md."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


_TOKENS = {"EstimatedTPMQuotaUsage", "InputTokenCount", "OutputTokenCount", "Invocations"}
_PER_MINUTE = re.compile(r"\b(tpm|rpm|tokens?[ -]?per[ -]?min|requests?[ -]?per[ -]?min|per[ -]minute)", re.IGNORECASE)


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        result = alarm.result
        if result is None or result.namespace != "AWS/Bedrock" or result.stat != "Sum" or result.name not in _TOKENS:
            continue
        words = f"{alarm.name} {alarm.properties.get('AlarmDescription', '')}".replace("_", "-")
        by_name = result.name == "EstimatedTPMQuotaUsage" or _PER_MINUTE.search(words)
        if by_name and result.period_s is not None and result.period_s > 60:
            factor = result.period_s / 60
            message = f"quotas are per minute, this is a sum over {result.period_s:g} s: at {100 / factor:g} % of the quota all the time it reaches 100 %, and one bad minute of {factor:g} is averaged away."
            yield alarm.found(message, path=result.paths["Period"], hint="Take a period of 60 s, and M of N for calm.")


CHECK = Check(
    name="quota-against-other-period",
    severity=Severity.RISK,
    title="A quota per minute against a sum over more than a minute",
    find=_find,
)
