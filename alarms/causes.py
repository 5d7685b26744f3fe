"""Which alarms does a model get, and what does it not get?

The default profile is `alarms.ladder`; the lean one, and the account-wide alarms, are here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from alarms import speed, symptoms
from alarms.alarm_set import AlarmSet, Profile, Severity
from alarms.assembly import Assembly, any_alarm
from alarms.ladder import Facts, Ladder
from alarms.policy import SLUGS, base_slug, policy_for, waits
from alarms.runbook import describer
from alarms.thresholds import evidence_wait_s
from bedrock.evidence import ServedAs
from bedrock.metrics import BedrockMetric
from bedrock.models import LatencyMode
from cloudwatch.alarm import Suppressor
from cloudwatch.alarm_rule import all_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from alarms.naming import Site
    from bedrock.evidence_plan import EvidencePlan
    from bedrock.models import MonitoredModel

__all__ = ["CACHE_METRICS", "model_alarms", "site_alarms"]

CACHE_METRICS: tuple[str, str] = (BedrockMetric.CACHE_READ.value, BedrockMetric.CACHE_WRITE.value)


def model_alarms(
    model: MonitoredModel,
    *,
    site: Site,
    evidence: EvidencePlan,
    targets: Mapping[Severity, tuple[str, ...]],
    ok_targets: Mapping[Severity, tuple[str, ...]] | None = None,
    profile: Profile = Profile.DEFAULT,
    cache_metrics: tuple[str, str] = CACHE_METRICS,
) -> AlarmSet:
    """Return the alarms of a model, and what it does not get and why.

    Args:
        model: The model with every effective value.
        site: Account and Region.
        evidence: What tells how its calls are served.
        targets: Topic ARNs of each severity, called on entry into ALARM; a severity without targets calls nobody.
        ok_targets: The same for entry into OK.
        profile: How much is watched.
        cache_metrics: Names of the cache read and cache write metrics.
    """
    assembly = Assembly(
        site=site,
        model=model,
        targets=targets,
        ok_targets=ok_targets or {},
        describe=describer(site=site, model=model, evidence=evidence, profile=profile),
    )
    facts = _facts(model, evidence=evidence, assembly=assembly)
    if profile is Profile.LEAN:
        _lean(assembly, facts)
    else:
        Ladder(assembly=assembly, facts=facts, model=model, cache_metrics=cache_metrics).build()
    return assembly.done()


def site_alarms(
    models: Iterable[MonitoredModel],
    *,
    site: Site,
    evidence: EvidencePlan,
    targets: Mapping[Severity, tuple[str, ...]],
    ok_targets: Mapping[Severity, tuple[str, ...]] | None = None,
) -> AlarmSet:
    """Return the account-wide alarms: client errors, from the series that AWS publishes without a model.

    The arguments are those of `model_alarms`.
    """
    if not tuple(models):
        return AlarmSet(entries=())
    assembly = Assembly(
        site=site,
        model=None,
        targets=targets,
        ok_targets=ok_targets or {},
        describe=describer(site=site, model=None, evidence=evidence),
    )
    assembly.measured_cause("caller-errors", (symptoms.caller_errors(),))
    return assembly.done()


def _facts(model: MonitoredModel, *, evidence: EvidencePlan, assembly: Assembly) -> Facts:
    optimized = evidence.served(model, ServedAs.OPTIMIZED)
    standard = evidence.served(model, ServedAs.STANDARD)
    asks = model.latency is LatencyMode.OPTIMIZED
    sees = asks and evidence.sees_fallback(model)
    if not asks:
        assembly.omit("fallback", "nobody asks for optimized latency")
    elif not sees:
        assembly.omit("fallback", f"evidence route {evidence.settings.route} does not tell how calls are served")
    slow = speed.decode_rate(model)
    if not slow:
        share = f"{100 * model.streaming_share:g} % of calls stream"
        assembly.omit("slow-decode", f"{share}: too few have a time to first token to judge the decode rate")
    series = {"optimized": optimized, "standard": standard}
    return Facts(
        throttled=symptoms.throttled(model),
        fallback=symptoms.fallback_share(model, **series) if sees else (),
        chronic=symptoms.fallback_chronic(model, **series) if sees else (),
        slow=slow,
        errors=symptoms.server_errors(model),
        blind=symptoms.blind(model, **series) if sees else (),
        evidence_wait_s=evidence_wait_s(evidence.settings.expected_delay_s),
    )


def _lean(assembly: Assembly, facts: Facts) -> None:
    """Throttled and fallback told apart, errors, blindness; a slower model is a ticket. No cause waits for another.

    What it gives up: a fallback that turns into throttling pages twice, and objectives, quotas and request shape are not
    watched.
    """
    throttled: tuple[str, ...] = ()
    slow: tuple[str, ...] = ()
    share: tuple[str, ...] = ()
    if assembly.wants("throttled"):
        throttled = assembly.measured_cause("throttled", facts.throttled)
    if facts.slow and assembly.wants("slow-decode"):
        slow = assembly.measured_cause("slow-decode", facts.slow, severity=Severity.TICKET)
    if facts.fallback and assembly.wants("fallback-share"):
        share = assembly.measured_cause("fallback-share", facts.fallback)
    if share and slow and assembly.wants("fallback"):
        held = Suppressor(alarm=throttled[0], wait_s=0, extension_s=waits("fallback_extension")) if throttled else None
        rule = all_of(any_alarm(share), any_alarm(slow))
        assembly.composite("fallback", rule, severity=assembly.severity("fallback"), suppressor=held)
    if assembly.wants("service-errors"):
        assembly.measured_cause("service-errors", facts.errors)
    if facts.blind and assembly.wants("blind"):
        assembly.measured_cause("blind", facts.blind)
    known = {base_slug(entry.slug) for entry in assembly.entries} | {item.slug for item in assembly.omitted}
    for slug in SLUGS:
        policy = policy_for(slug)
        if slug not in known and not policy.lean and (policy.severity or policy.cadences):
            assembly.omit(slug, "not in the lean profile")
