"""Where is there `missing` on a metric that is absent while all is well? What it does and why: docs/checks/missing-data-on-sparse-metric.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.lint.catalogue import is_rare, known_metric
from monitoring.lint.finding import Check, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.lint.finding import Found
    from monitoring.lint.world import World

__all__ = ["CHECK"]


# Services that publish no zeros. Lambda and API Gateway report 0 for each good call, and DynamoDB alarms ignore gaps.
_NO_ZEROS = {
    *("AWS/Bedrock", "AWS/Bedrock/Agents", "AWS/Bedrock/Guardrails", "AWS/BedrockMantle"),
    *("AWS/ApplicationELB", "AWS/ELB", "AWS/Events"),
}


def _find(world: World) -> Iterator[Found]:
    for alarm in world.alarms:
        result = alarm.result
        known = None if result is None else known_metric(result.namespace, result.name)
        n, m = alarm.periods, alarm.datapoints
        if known is None or n is None or m is None or n < 2 or not is_rare(known) or not alarm.breaches_above:
            continue
        if known.namespace not in _NO_ZEROS:
            continue
        if alarm.missing_data == "missing":
            message = (
                f"{known.name} has no point while all is well. After one lone breach this alarm of {m} of {n} can go into ALARM "
                "minutes later, when the breach is the only point left to look at."
            )
            hint = "Write TreatMissingData: notBreaching: no errors means no breach."
            yield alarm.found(message, path=alarm.missing_data_path, hint=hint)


CHECK = Check(
    name="missing-data-on-sparse-metric",
    severity=Severity.RISK,
    title="`missing` on a metric that is absent while all is well",
    find=_find,
)
