"""Is a call refused, served otherwise than asked, answered with an error, or not seen at all? Symptoms from counts.

How expressions are written is said in `alarms.measures`; symptoms of speed are in `alarms.speed`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from alarms.measures import Measure, Reader, measures_of
from alarms.policy import Cadence, cadence_for, override_for, policy_for, trough_per_minute
from alarms.queries import Queries, groups, number
from alarms.thresholds import server_error_threshold, throttle_threshold
from bedrock.metrics import BedrockMetric, account_metric, invocation_metric, tier_metric
from cloudwatch import limits
from cloudwatch.alarm import Comparison

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bedrock.models import MonitoredModel
    from cloudwatch.metric import Metric

__all__ = [
    "blind",
    "caller_errors",
    "fallback_chronic",
    "fallback_share",
    "no_traffic",
    "quota_use",
    "server_errors",
    "throttled",
    "tier_overflow",
]


def throttled(model: MonitoredModel) -> tuple[Measure, ...]:
    """Per cent of attempts throttled. Attempts = calls + throttles, which are apart under both definitions of Invocations."""

    def value(reader: Reader) -> str:
        part = reader.read("t", BedrockMetric.THROTTLES)
        calls = reader.read("i", BedrockMetric.INVOCATIONS)
        return reader.share(reader.queries.total("t", part), reader.queries.total("att", (*part, *calls)))

    return measures_of(model, "throttled", metrics_each=2, threshold=throttle_threshold(model), value=value)


def quota_use(model: MonitoredModel) -> tuple[Measure, ...]:
    """Per cent of the TPM or RPM quota used in a minute, the higher of the two; () where neither quota is known.

    Quotas are per minute, so the period is a minute. Usage is an estimate made when a call ends, without the reservation at
    its start: that is what tells an oversized max_tokens from a quota that is too small. On a model that asks for optimized
    latency the usage of both quotas is one number, so both must be known.

    It is held as long as throttling is: minutes that throttle fill the quota, and if they left this window before that of
    `throttled`, the end of plain throttling would look like throttling with room left.
    """
    quotas = model.quotas
    tokens = quotas.tpm
    if model.latency == "optimized":
        tokens = None if quotas.tpm is None or quotas.optimized_tpm is None else quotas.tpm + quotas.optimized_tpm
        if tokens is None:
            return ()
    if tokens is None and quotas.rpm is None:
        return ()
    each = (tokens is not None) + (quotas.rpm is not None)

    def value(reader: Reader) -> str:
        shares: list[str] = []
        if tokens is not None:
            used = reader.total("q", BedrockMetric.TPM_USAGE)
            shares.append(reader.queries.express("tokens", f"100*{used}/{number(tokens)}"))
        if quotas.rpm is not None:
            calls = reader.total("i", BedrockMetric.INVOCATIONS)
            shares.append(reader.queries.express("requests", f"100*{calls}/{number(quotas.rpm)}"))
        return shares[0] if len(shares) == 1 else f"MAX([{','.join(shares)}])"

    # Split over groups the usage of one group would be compared with the whole quota; each group gets its equal part of it.
    parts = len(groups(model.series_ids, metrics_each=each))
    threshold = (policy_for("quota-use").threshold or 0) / parts
    measures = measures_of(model, "quota-use", metrics_each=each, threshold=threshold, value=value)
    if override_for(model, "quota-use").evaluation_periods is not None:
        return measures
    return tuple(replace(one, cadence=_as_long(one.cadence, throttled(model)[0].cadence)) for one in measures)


def _as_long(cadence: Cadence, other: Cadence) -> Cadence:
    """Return the cadence with a window that covers the other one and two minutes: usage is counted when a call has ended."""
    periods = -(-(other.evaluation_periods * other.period_s + 120) // cadence.period_s)
    return replace(cadence, evaluation_periods=max(cadence.evaluation_periods, periods))


def fallback_share(
    model: MonitoredModel, *, optimized: Sequence[Metric], standard: Sequence[Metric]
) -> tuple[Measure, ...]:
    """Per cent of the calls with a known served mode that were served standard. The series come from evidence."""
    return (_evidence_share(model, "fallback-share", part=standard, rest=optimized),)


def fallback_chronic(
    model: MonitoredModel, *, optimized: Sequence[Metric], standard: Sequence[Metric]
) -> tuple[Measure, ...]:
    """The same for four hours: by then it is how things are, and throttling on top of it pages by itself again."""
    return (_evidence_share(model, "fallback-chronic", part=standard, rest=optimized),)


def _evidence_share(model: MonitoredModel, slug: str, *, part: Sequence[Metric], rest: Sequence[Metric]) -> Measure:
    policy = policy_for(slug)
    override = override_for(model, slug)
    cadence = cadence_for(slug, per_minute=trough_per_minute(model), override=override)
    queries = Queries(period_s=cadence.period_s)
    optimized = queries.read("o", rest)
    standard = queries.read("s", part)
    known = queries.total("known", (*optimized, *standard))
    served = queries.total("standard", standard)
    # No healthy number for few calls: in the last records before an outage it would clear what it should keep.
    share = f"IF({known}>={policy.minimum}, 100*({served}+0*{known})/{known})"
    threshold = policy.threshold if override.threshold is None else override.threshold
    return Measure(
        slug=slug,
        queries=queries.returning(share, label=policy.unit),
        threshold=threshold or 0,
        cadence=cadence,
    )


def server_errors(model: MonitoredModel) -> tuple[Measure, ...]:
    """Per cent of calls answered 5xx, of calls and errors: 5 % reads 4.8 % under the newer definition of Invocations."""

    def value(reader: Reader) -> str:
        errors = reader.read("e", BedrockMetric.SERVER_ERRORS)
        calls = reader.read("i", BedrockMetric.INVOCATIONS)
        return reader.share(reader.queries.total("e", errors), reader.queries.total("all", (*errors, *calls)))

    threshold = server_error_threshold(model)
    return measures_of(model, "service-errors", metrics_each=2, threshold=threshold, value=value)


def caller_errors() -> Measure:
    """Per cent of the account's calls answered 4xx, from the series without dimensions. Never a sign of a quota."""
    policy = policy_for("caller-errors")
    cadence = policy.cadences[0]
    queries = Queries(period_s=cadence.period_s)
    errors = queries.read("e", (account_metric(BedrockMetric.CLIENT_ERRORS),))
    calls = queries.read("i", (account_metric(BedrockMetric.INVOCATIONS),))
    reader = Reader(queries=queries, ids=(), minimum=policy.minimum, events=policy.events)
    expression = reader.share(errors[0], queries.total("all", (*errors, *calls)))
    return Measure(
        slug="caller-errors",
        queries=queries.returning(expression, label=policy.unit),
        threshold=policy.threshold or 0,
        cadence=cadence,
    )


def blind(model: MonitoredModel, *, optimized: Sequence[Metric], standard: Sequence[Metric]) -> tuple[Measure, ...]:
    """Per cent of calls for which evidence names a served mode: near 0 means that a wrong path or a dead rule looks healthy.

    Past ten metrics the last ids are left out of the calls: fewer calls can only delay the verdict, not turn it.
    """
    policy = policy_for("blind")
    override = override_for(model, "blind")
    cadence = cadence_for("blind", per_minute=trough_per_minute(model), override=override)
    queries = Queries(period_s=cadence.period_s)
    evidence = queries.read("o", (*optimized, *standard))
    ids = model.series_ids[: limits.METRICS_PER_ALARM - len(evidence)]
    calls = queries.total("i", queries.read("i", (invocation_metric(name, BedrockMetric.INVOCATIONS) for name in ids)))
    known = queries.total("known", evidence)
    expression = f"IF({calls}>={policy.minimum}, 100*({known}+0*{calls})/{calls}, 100)"
    threshold = policy.threshold if override.threshold is None else override.threshold
    return (
        Measure(
            slug="blind",
            queries=queries.returning(expression, label=policy.unit),
            threshold=threshold or 0,
            comparison=Comparison.LESS,
            cadence=cadence,
            ids=ids,
        ),
    )


def tier_overflow(model: MonitoredModel) -> tuple[Measure, ...]:
    """Per cent of calls that asked for the reserved tier and were served by the default one. Tier values are unverified."""

    def value(reader: Reader) -> str:
        def read(letter: str, served: str) -> tuple[str, ...]:
            series = (
                tier_metric(model_id, name=BedrockMetric.TPM_USAGE, asked="reserved", served=served)
                for model_id in reader.ids
            )
            return reader.queries.read(letter, series, stat="SampleCount")

        spilled, kept = read("x", "default"), read("y", "reserved")
        return reader.share(reader.queries.total("x", spilled), reader.queries.total("all", (*spilled, *kept)))

    threshold = policy_for("tier-overflow").threshold or 0
    return measures_of(model, "tier-overflow", metrics_each=2, threshold=threshold, value=value)


def no_traffic(model: MonitoredModel) -> tuple[Measure, ...]:
    """Calls in a period, 0 where nothing is published."""

    def value(reader: Reader) -> str:
        return f"FILL({reader.total('i', BedrockMetric.INVOCATIONS)}, 0)"

    threshold = policy_for("no-traffic").threshold or 0
    return measures_of(
        model, "no-traffic", metrics_each=1, threshold=threshold, value=value, comparison=Comparison.LESS
    )
