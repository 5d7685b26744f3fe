"""What do calls of our own show? Where their records say how they were served, how errors are spelt, and what was published.

A handful of tokens settle what AWS does not document. The calls carry a fixed sentence, their answers are thrown away unread,
and their records are found by request id. Pure: `monitoring.live.verify_active` calls and waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bedrock.catalogue import catalogue, is_foundation_model
from bedrock.evidence import EvidenceRoute
from bedrock.models import LatencyMode
from bedrock.trail_records import leaves, value_at
from cloudwatch.patterns import compile_pattern, parse_pattern
from monitoring.drift import Finding, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from bedrock.models import MonitoredModel
    from cloudwatch.metric_filter import MetricFilter
    from monitoring.deployment import Deployment

__all__ = ["MAX_TOKENS", "MISSING_MODEL", "Call", "PlannedCall", "check_active", "cost_dollars", "planned_calls"]

MAX_TOKENS = 16
_INPUT_TOKENS = 20
MISSING_MODEL = "bedrock-monitor.no-such-model-v1:0"
"""A model that does not exist: the call fails and costs nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """One call to make.

    Attributes:
        operation: `Converse` or `ConverseStream`.
        model_id: What is passed.
        latency: performanceConfig.latency that is asked for; None asks for none.
        fails: Whether it is meant to fail.
    """

    operation: str
    model_id: str
    latency: str | None = None
    fails: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call that was made.

    Attributes:
        planned: What was asked.
        request_id: Id under which CloudTrail records it.
        at_s: When, epoch seconds.
        served: performanceConfig.latency of the answer, or None.
        error: Code of the error that the SDK saw, "" where it succeeded.
    """

    planned: PlannedCall
    request_id: str
    at_s: float
    served: str | None = None
    error: str = ""


def planned_calls(deployment: Deployment, *, model: str | None = None) -> tuple[PlannedCall, ...]:
    """Return the calls: one, one streaming, and one that fails; () where no model can be called.

    Args:
        deployment: Whose models.
        model: Key of the model to call; default: the first one that asks for optimized latency, else the first.
    """
    wanted = [each for each in deployment.models if model is None or each.key == model]
    chosen = next((each for each in wanted if each.latency is LatencyMode.OPTIMIZED), wanted[0] if wanted else None)
    if chosen is None:
        return ()
    model_id = chosen.trail_ids[0]
    latency = "optimized" if chosen.latency is LatencyMode.OPTIMIZED and not is_foundation_model(model_id) else None
    calls = [PlannedCall(operation="Converse", model_id=model_id, latency=latency)]
    if chosen.streams:
        calls.append(PlannedCall(operation="ConverseStream", model_id=model_id, latency=latency))
    return (*calls, PlannedCall(operation="Converse", model_id=MISSING_MODEL, fails=True))


def cost_dollars(calls: Iterable[PlannedCall], *, models: Iterable[MonitoredModel]) -> float | None:
    """Return what the calls cost at most, US dollars; None where a price is not known."""
    known = {name: model for model in models for name in model.trail_ids}
    total = 0.0
    for call in calls:
        if call.fails:
            continue
        model = known[call.model_id]
        entry = catalogue().find(model.model_ids[0])
        prices = entry.optimized_prices if entry is not None and call.latency else model.prices
        if prices.input is None or prices.output is None:
            prices = model.prices
        if prices.input is None or prices.output is None:
            return None
        total += (_INPUT_TOKENS * prices.input + MAX_TOKENS * prices.output) / 1e6
    return total


def check_active(
    deployment: Deployment,
    *,
    calls: Sequence[Call],
    records: Mapping[str, Sequence[tuple[float, Mapping[str, object]]]],
    filters: Iterable[MetricFilter],
    waited_s: float,
) -> tuple[Finding, ...]:
    """Return what the calls showed.

    Args:
        deployment: Effective configuration.
        calls: What was called.
        records: Request id -> when each of its CloudTrail records was first seen (epoch seconds), and the record.
        filters: Metric filters that the configuration makes.
        waited_s: How long was waited for records.
    """
    found: list[Finding] = []
    for call in calls:
        found += _answer(call)
        seen = records.get(call.request_id, ())
        if not seen:
            found.append(
                Finding(
                    check=f"record of {call.planned.operation}",
                    status=Status.UNKNOWN,
                    saw=f"no CloudTrail record of request {call.request_id} came within {waited_s / 60:.0f} minutes",
                    do="Wait longer (--wait), or check that management events are recorded.",
                )
            )
            continue
        found += _record(deployment, call, [record for _, record in seen])
        delay = min(at for at, _ in seen) - call.at_s
        found.append(
            Finding(
                check=f"delay of {call.planned.operation}",
                status=Status.OK,
                saw=f"its record was in the event history after {delay:.0f} s at most",
            )
        )
    found += _matched(deployment, calls, records, filters)
    return tuple(found)


def _answer(call: Call) -> Iterator[Finding]:
    planned = call.planned
    check = f"answer of {planned.operation}"
    if planned.fails:
        if not call.error:
            yield Finding(check=check, status=Status.UNKNOWN, saw=f"{planned.model_id} answered, it was to fail")
        return
    if call.error:
        yield Finding(
            check=check,
            status=Status.WRONG,
            saw=f"{planned.model_id} answered {call.error}",
            do="Check that the id may be called here with this latency mode.",
        )
        return
    if planned.latency is None:
        return
    served = call.served or "nothing said"
    yield Finding(
        check=check,
        status=Status.OK if call.served else Status.UNKNOWN,
        saw=f"asked {planned.latency}, the answer says {served}",
    )


def _record(deployment: Deployment, call: Call, records: Sequence[Mapping[str, object]]) -> Iterator[Finding]:
    own = [record for record in records if record.get("eventType", "AwsApiCall") == "AwsApiCall"]
    second = [record for record in records if record not in own]
    if second:
        yield Finding(
            check=f"second record of {call.planned.operation}",
            status=Status.OK,
            saw=f"{len(second)} {second[0].get('eventType')}; the filters leave it out, so no call counts twice",
        )
    for record in own[:1]:
        if call.planned.fails:
            yield _error_code(deployment, record, call)
            continue
        yield from _model_id(deployment, record, call)
        route = deployment.evidence.route
        if call.served and route is not EvidenceRoute.INVOCATION_LOG and _is_classed(deployment, call):
            yield _served_path(deployment, record, call, second)


def _error_code(deployment: Deployment, record: Mapping[str, object], call: Call) -> Finding:
    code = record.get("errorCode")
    check = "error code"
    if code is None:
        return Finding(
            check=check,
            status=Status.WRONG,
            saw=f"a call that failed with {call.error} has no errorCode in its record",
            do="Throttling cannot be read from CloudTrail here.",
        )
    return Finding(
        check=check,
        status=Status.OK,
        saw=f"what the SDK calls {call.error} is {code} in CloudTrail; throttles are matched by "
        f"{deployment.evidence.throttle_error_code}",
    )


def _model_id(deployment: Deployment, record: Mapping[str, object], call: Call) -> Iterator[Finding]:
    written = value_at(record, "requestParameters.modelId")
    known = {name for model in deployment.models for name in model.trail_ids}
    if written in known:
        yield Finding(check="modelId in CloudTrail", status=Status.OK, saw=f"{written}, as configured")
    else:
        yield Finding(
            check="modelId in CloudTrail",
            status=Status.WRONG,
            saw=f"{call.planned.model_id} is written as {written}",
            do="Add it to the model's cloudtrail_ids.",
            lines=(f"cloudtrail_ids: [{written}]",),
        )


def _served_path(
    deployment: Deployment, record: Mapping[str, object], call: Call, second: Sequence[Mapping[str, object]]
) -> Finding:
    check = f"served latency of {call.planned.operation}"
    configured = deployment.evidence.served_latency_path
    places = [
        path
        for path, value in leaves(record)
        if isinstance(value, str) and value.lower() == call.served and not path.startswith("requestParameters")
    ]
    if value_at(record, configured) == call.served:
        return Finding(check=check, status=Status.OK, saw=f"{configured} is {call.served}, as the answer said")
    if places:
        return Finding(
            check=check,
            status=Status.WRONG,
            saw=f"it is at {places[0]}, not at {configured}",
            do="Change the path.",
            lines=("evidence:", f"  served_latency_path: {places[0]}"),
        )
    elsewhere = [path for each in second for path, value in leaves(each) if value == call.served]
    more = f"; the {second[0].get('eventType')} has it at {elsewhere[0]}" if elsewhere else ""
    return Finding(
        check=check,
        status=Status.WRONG,
        saw=f"its record says nowhere that it was served {call.served}{more}",
        do="Fallback cannot be seen in CloudTrail here; use the invocation log, or route none to say so.",
    )


def _is_classed(deployment: Deployment, call: Call) -> bool:
    """Tell whether calls of this model are counted by how they were served: its callers ask for optimized latency."""
    optimized = [model for model in deployment.models if model.latency is LatencyMode.OPTIMIZED]
    return any(call.planned.model_id in model.trail_ids for model in optimized)


def _matched(
    deployment: Deployment,
    calls: Sequence[Call],
    records: Mapping[str, Sequence[tuple[float, Mapping[str, object]]]],
    filters: Iterable[MetricFilter],
) -> Iterator[Finding]:
    served = [call for call in calls if call.served and records.get(call.request_id) and _is_classed(deployment, call)]
    known = list(filters)
    route = deployment.evidence.route
    if not served or not known or route in {EvidenceRoute.INVOCATION_LOG, EvidenceRoute.RULE_COUNTERS}:
        return  # the filters read other records, or rules count what was served
    wrapped = route is EvidenceRoute.EVENTBRIDGE
    for call in served:
        hits = []
        for each in known:
            match = compile_pattern(parse_pattern(each.pattern))
            for _, record in records[call.request_id]:
                if match({"detail": record} if wrapped else record):
                    hits.append(each.name)
        yield Finding(
            check=f"filters for {call.planned.operation}",
            status=Status.OK if len(hits) == 1 else Status.WRONG,
            saw=f"its records match {', '.join(hits) or 'none'} of {len(known)} filters",
            do="" if len(hits) == 1 else "One filter has to match one record of a call; look at the findings above.",
        )
