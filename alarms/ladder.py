"""Which of a model's alarms may wake a person, and when? The default profile.

The law: one incident pages once, with the right cause; what only refines a page is a ticket or a note; a paged cause is never
taken back by evidence that comes later. Three things follow (UG, Combining alarms and Composite alarm action suppression):

* no paging rule holds a NOT. Evidence that arrives later must not turn a paging rule false, so what speaks against a page
  holds back its actions, as a suppressor, and never its state;
* on a model whose callers ask for optimized latency three causes compete: throttled, fallback and slow-decode. Once one has
  paged, the next is held back. What tells that one has paged is a copy of its symptom that needs more breaching periods: two
  causes seen in the same minute would otherwise hold back each other, and nobody would be called (docs/adr/0060);
* a slow model shows before the evidence of a fallback arrives. So slow-decode waits as long as evidence takes; if it comes,
  fallback pages, else slow-decode does, and a fallback that is proven afterwards is a ticket.

After four hours a fallback is how things are, and throttling on top of it pages again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from alarms import speed, symptoms
from alarms.assembly import any_alarm
from alarms.measures import Measure, at_threshold, longer
from alarms.policy import waits
from alarms.thresholds import may_reserve_too_much, standard_decode_threshold
from bedrock.models import LatencyMode
from cloudwatch.alarm import Suppressor
from cloudwatch.alarm_rule import all_of, negated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alarms.assembly import Assembly
    from bedrock.models import MonitoredModel

__all__ = ["Facts", "Ladder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Measures of a model that both profiles start from; () where one does not apply."""

    throttled: tuple[Measure, ...]
    fallback: tuple[Measure, ...]
    chronic: tuple[Measure, ...]
    slow: tuple[Measure, ...]
    errors: tuple[Measure, ...]
    blind: tuple[Measure, ...]
    evidence_wait_s: int


@dataclass(slots=True, kw_only=True)
class Ladder:
    """The default profile. Names of alarms are collected on the way; () where there is none."""

    assembly: Assembly
    facts: Facts
    model: MonitoredModel
    cache_metrics: tuple[str, str]
    throttled: tuple[str, ...] = ()
    share: tuple[str, ...] = ()
    chronic: tuple[str, ...] = ()
    slow: tuple[str, ...] = ()
    ttft: tuple[str, ...] = ()
    latency: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    quota: tuple[str, ...] = ()

    def build(self) -> None:
        """Add every alarm of the default profile to the assembly, children and suppressors first."""
        self._speed()
        competing = self._fallback_share()
        self._throttle_rate(composite=competing)
        if self.assembly.wants("service-errors"):
            self.errors = self.assembly.measured_cause("service-errors", self.facts.errors)
        if competing:
            self._competing_causes()
        elif self.slow and self.assembly.wants("slow-decode"):
            self._slow_page(wait_s=self._slow_wait_s() if self.share else waits("slow_standard"))
        self._refinements()
        self._conditions()

    def _symptom(self, slug: str, measures: Sequence[Measure], *, absent: str) -> tuple[str, ...]:
        if not measures:
            self.assembly.omit(slug, absent)
            return ()
        return self.assembly.symptom(slug, measures) if self.assembly.wants(slug) else ()

    def _speed(self) -> None:
        model = self.model
        if self.facts.slow and self.assembly.wants("decode-rate"):
            self.slow = self.assembly.symptom("decode-rate", self.facts.slow)
        why = "no objective" if model.streams else "no call streams"
        self.ttft = self._symptom("ttft-objective", speed.ttft_objective(model), absent=why)
        self.latency = self._symptom("latency-objective", speed.latency_objective(model), absent="no objective")
        prefill = speed.prefill_size(model, cache_write=self.cache_metrics[1])
        self._symptom("prefill-size", prefill, absent="")
        self._symptom("answer-length", speed.answer_length(model), absent="")
        read, write = self.cache_metrics
        hits = speed.cache_hit(model, cache_read=read, cache_write=write)
        self._symptom("cache-hit", hits, absent="no prompt caching, or no baseline of its hit rate")

    def _fallback_share(self) -> bool:
        """Add the share served standard; return whether a page for fallback is possible and wanted."""
        if not self.facts.fallback or not self.assembly.wants("fallback-share"):
            return False
        self.share = self.assembly.measured_cause("fallback-share", self.facts.fallback)
        if not self._felt():
            self.assembly.omit(
                "fallback", "neither decode rate nor an objective tells whether users feel it: a ticket only"
            )
            return False
        return self.assembly.wants("fallback")

    def _felt(self) -> tuple[str, ...]:
        """Return the alarms that tell that users feel a fallback."""
        return (*self.slow, *self.ttft) or self.latency

    def _throttle_rate(self, *, composite: bool) -> None:
        if not self.assembly.wants("throttled"):
            return
        if composite:
            self.throttled = self.assembly.symptom("throttled", self.facts.throttled, numbered=True)
        else:
            self.throttled = self.assembly.measured_cause("throttled", self.facts.throttled)

    def _competing_causes(self) -> None:
        """Whichever of throttled, fallback and slow-decode comes first pages; the others are held back."""
        assembly, facts = self.assembly, self.facts
        slow_pages = bool(self.slow) and assembly.wants("slow-decode")
        held: tuple[str, ...] = ()
        if self.throttled:
            measures = longer(facts.throttled, slug="throttled-held", by_s=waits("throttled_held"))
            held = assembly.symptom("throttled-held", measures)
        paged = held
        if slow_pages:
            measures = longer(facts.slow, slug="decode-rate-held", by_s=self._held_s())
            paged += assembly.symptom("decode-rate-held", measures)
        felt = all_of(any_alarm(self.share), any_alarm(self._felt()))
        fallback = assembly.composite(
            "fallback",
            felt,
            severity=assembly.severity("fallback"),
            suppressor=self._suppressor("already-paged", paged, wait_s=0, extension_s=waits("fallback_extension")),
        )
        if self.throttled:
            self.chronic = assembly.symptom("fallback-chronic", facts.chronic)
            # Metrics of several minutes can arrive at once: throttling, its copy and a fallback are then seen in one minute. The
            # copy speaks against a fallback that came first; else each would hold back the other, and nobody would be called.
            recent = assembly.composite(
                "fallback-recent",
                all_of(any_alarm((fallback,)), negated(any_alarm(self.chronic)), negated(any_alarm(held))),
            )
            assembly.composite(
                "throttled",
                any_alarm(self.throttled),
                severity=assembly.severity("throttled"),
                suppressor=Suppressor(alarm=recent, wait_s=0, extension_s=waits("throttled_extension")),
            )
        if slow_pages:
            self._slow_page(wait_s=self._slow_wait_s())

    def _held_s(self) -> int:
        """Return how long after `decode-rate` its longer copy goes off, seconds: the wait for evidence, in whole periods.

        By the minute it is some minutes more: metrics of several minutes can arrive at once, and the copy must never go off
        before slow-decode has paged, else evidence of that minute would hold back both and nobody would be called.
        """
        period_s = self.facts.slow[0].cadence.period_s
        wait_s = self.facts.evidence_wait_s + (waits("slow_held") if period_s == 60 else 0)
        return -(-wait_s // period_s) * period_s

    def _slow_wait_s(self) -> int:
        """Return how long slow-decode waits: for evidence, half a minute past a minute; with long periods nearly as the copy."""
        period_s = self.facts.slow[0].cadence.period_s
        if period_s == 60:
            return self.facts.evidence_wait_s + waits("half")
        return self._held_s() - waits("half")

    def _slow_page(self, *, wait_s: int) -> None:
        explained = (*self.share, *self.throttled, *self.errors)
        suppressor = self._suppressor("explained", explained, wait_s=wait_s, extension_s=waits("slow_extension"))
        severity = self.assembly.severity("slow-decode")
        self.assembly.composite("slow-decode", any_alarm(self.slow), severity=severity, suppressor=suppressor)

    def _suppressor(self, slug: str, names: Sequence[str], *, wait_s: int, extension_s: int) -> Suppressor | None:
        """Return a suppressor for any of the alarms: the alarm itself, or a composite over several."""
        if not names:
            return None
        alarm = names[0] if len(names) == 1 else self.assembly.composite(slug, any_alarm(names))
        return Suppressor(alarm=alarm, wait_s=wait_s, extension_s=extension_s)

    def _refinements(self) -> None:
        """Tickets and notes about what is known already, or what needs nobody at night."""
        assembly, model = self.assembly, self.model
        missed = (*self.latency, *self.ttft)
        if missed and assembly.wants("request-shape"):
            against = [negated(any_alarm(names)) for names in (self.slow, self.share, self.throttled) if names]
            rule = all_of(any_alarm(missed), *against)
            told = (
                *(speed.ttft_objective(model) if self.ttft else ()),
                *(speed.latency_objective(model) if self.latency else ()),
            )
            memory = speed.objectives_missed(model, of=told, window_s=waits("shape_memory"))
            held = self._suppressor(
                "shape-known",
                assembly.symptom("objective-held", memory),
                wait_s=waits("shape"),
                extension_s=waits("shape_extension"),
            )
            assembly.composite("request-shape", rule, severity=assembly.severity("request-shape"), suppressor=held)
        elif not missed:
            assembly.omit("request-shape", "no objective")
        quota = symptoms.quota_use(model)
        why = "neither quota, tokens or requests a minute, is configured"
        if model.latency is LatencyMode.OPTIMIZED:
            why = "usage adds up the standard and the optimized quota, and not both are configured"
        self.quota = self._symptom("quota-use", quota, absent=why)
        if not self.quota or model.quotas.tpm is None:
            assembly.omit("throttled-by-reservation", "needs quota-use of a quota of tokens a minute")
        elif not may_reserve_too_much(model):
            why = "a call reserves no more than it uses at the configured max_tokens and baselines"
            assembly.omit("throttled-by-reservation", why)
        elif self.throttled and assembly.wants("throttled-by-reservation"):
            wait, extension = waits("reservation"), waits("reservation_extension")
            held = Suppressor(alarm=self.quota[0], wait_s=wait, extension_s=extension) if len(self.quota) == 1 else None
            rule = all_of(any_alarm(self.throttled), negated(any_alarm(self.quota)))
            severity = assembly.severity("throttled-by-reservation")
            assembly.composite("throttled-by-reservation", rule, severity=severity, suppressor=held)
        if self.throttled and self.share and assembly.wants("fallback-and-throttling"):
            rule = all_of(any_alarm(self.throttled), any_alarm(self.share))
            severity = assembly.severity("fallback-and-throttling")
            assembly.composite("fallback-and-throttling", rule, severity=severity)

    def _conditions(self) -> None:
        assembly, model, facts = self.assembly, self.model, self.facts
        deep = standard_decode_threshold(model)
        if self.share and self.slow and deep is not None and deep > facts.slow[0].threshold:
            if assembly.wants("decode-rate-standard"):
                asked = model.override("decode-rate-standard").threshold
                threshold = deep if asked is None else asked
                measures = at_threshold(facts.slow, slug="decode-rate-standard", threshold=threshold)
                assembly.measured_cause("decode-rate-standard", measures)
        else:
            assembly.omit("decode-rate-standard", "needs a fallback to tell, and the rate of a call served standard")
        if facts.blind and assembly.wants("blind"):
            assembly.measured_cause("blind", facts.blind)
        if not model.reserved_tier:
            assembly.omit("tier-overflow", "nobody asks for the reserved tier")
        elif assembly.wants("tier-overflow"):
            assembly.measured_cause("tier-overflow", symptoms.tier_overflow(model))
        if assembly.wants("no-traffic"):
            assembly.measured_cause("no-traffic", symptoms.no_traffic(model), every=True)
