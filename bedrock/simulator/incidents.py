"""How does a scenario come of an entry of the library? Depth, time and length are ranges, drawn from the seed.

The entry fixes what people should be told and what users were promised. Anything relative (a quota's remainder, a slower model) is relative to the monitored model, so that every incident
works for every model that meets its `needs`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, assert_never

from bedrock.models import LatencyMode, MonitoredModel, Objectives, Quotas
from bedrock.simulator.draws import stream
from bedrock.simulator.profile import Profile, profile_for
from bedrock.simulator.scenario import Effect, Label, Scenario, TrafficShape, Window
from cloudwatch.problems import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EffectDraw", "Incident", "Kind", "Need", "OverQuota", "Range", "draw", "unmet_needs"]

DEFAULT_START_S = 1_793_577_600
"""Monday 2 November 2026, 00:00 UTC."""

_DEFAULT_REQUESTS_PER_MINUTE = 30.0
_MOST_TRAFFIC = 12.0
_MOST_MAX_TOKENS = 64_000
_RESERVATION_USE = 0.55  # how full the quota is, by usage, when reservations exhaust it

_LATENCY_SPREAD = 1.3  # whole times vary more than first tokens: answers differ in length

Range = tuple[float, float]


class Kind(StrEnum):
    """An incident has an onset and an end; a week is healthy from one end to the other."""

    INCIDENT = "incident"
    WEEK = "week"


class Need(StrEnum):
    """What a model must be for an incident to make sense."""

    OPTIMIZED = "optimized"
    STANDARD = "standard"
    STREAMING = "streaming"
    CACHING = "caching"
    RESERVED = "reserved"
    ALIASES = "aliases"


class OverQuota(StrEnum):
    """A quota that the demand exceeds: traffic grows up to it, up to twelvefold; what is missing then, the quota shrinks."""

    TPM = "tpm"
    RPM = "rpm"
    RESERVATION = "reservation"


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectDraw:
    """One effect, drawn from ranges.

    Attributes:
        effect: What changes: an effect with its value, or a quota that the demand exceeds with the fraction refused.
        value: Range of the value.
        after_minutes: Range of minutes between the onset and the start of the effect; negative begins before it.
        length_minutes: Range of its length, or None until the end of the incident.
        on_minutes, off_minutes: Ranges of a repetition inside the length, or None for one window.
        whole: Whether it holds over the whole recording, before the onset and after the end too.
    """

    effect: Effect | OverQuota
    value: Range
    after_minutes: Range = (0.0, 0.0)
    length_minutes: Range | None = None
    on_minutes: Range | None = None
    off_minutes: Range | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """One entry of the library.

    Attributes:
        name: File name without its ending.
        title: A few words.
        kind: Incident or healthy week.
        needs: What a model must be.
        minutes: Length of the recording.
        hour: Range of the hour (UTC) at which the recording starts.
        onset_minutes: Range of the onset.
        length_minutes: Range of the length.
        label: What people should be told.
        ttft_margin: Users' TTFT p90 objective over the healthy p90, or None where there is none.
        latency_margin: The same for the whole time.
        success_rate: Fraction of calls that must succeed, or None.
        deep: Whether users' objectives are outside for 15 minutes; None where that depends on the model.
        traffic: How arrivals vary.
        traffic_scale: Times the traffic that was asked for.
        ample_quotas: Whether quotas play no part.
        effects: What happens.
    """

    name: str
    title: str
    kind: Kind
    needs: tuple[Need, ...]
    minutes: int
    hour: Range
    onset_minutes: Range
    length_minutes: Range
    label: Label
    ttft_margin: float | None
    latency_margin: float | None
    success_rate: float | None
    deep: bool | None
    traffic: TrafficShape
    traffic_scale: float
    ample_quotas: bool
    effects: tuple[EffectDraw, ...]


def unmet_needs(incident: Incident, model: MonitoredModel) -> tuple[Need, ...]:
    """Return what the model is not, and would have to be for the incident to make sense."""
    met = {
        Need.OPTIMIZED: model.latency is LatencyMode.OPTIMIZED,
        Need.STANDARD: model.latency is LatencyMode.STANDARD,
        Need.STREAMING: model.streams,
        Need.CACHING: model.prompt_caching and model.baselines.cache_hit_rate > 0,
        Need.RESERVED: model.reserved_tier,
        Need.ALIASES: len(model.model_ids) > 1,
    }
    return tuple(need for need in incident.needs if not met[need])


def draw(
    incident: Incident,
    model: MonitoredModel,
    *,
    seed: int,
    requests_per_minute: float | None = None,
    start_s: int | None = None,
) -> Scenario:
    """Draw one scenario of an incident.

    Args:
        incident: Entry of the library.
        model: The model that it happens to.
        seed: Seed, 0 or more.
        requests_per_minute: Daytime traffic, or None for the model's own.
        start_s: Start, seconds since 1970, or None for an hour of Monday 2 November 2026.

    Raises:
        InvalidValueError: The model does not meet the incident's needs.
    """
    unmet = unmet_needs(incident, model)
    if unmet:
        raise InvalidValueError(f"{incident.name} needs a model that is {', '.join(unmet)}: {model.key} is not")
    wanted = requests_per_minute or model.requests_per_minute or _DEFAULT_REQUESTS_PER_MINUTE
    requests = wanted * incident.traffic_scale
    dice = _Dice(seed, incident.name)
    if start_s is None:
        start_s = DEFAULT_START_S + 3600 * dice.whole("hour", incident.hour)
    onset = end = None
    if incident.kind is Kind.INCIDENT:
        onset = dice.whole("onset", incident.onset_minutes)
        end = min(onset + dice.whole("length", incident.length_minutes), incident.minutes)
    if incident.ample_quotas:
        none = Quotas(burndown=model.quotas.burndown, max_tokens=model.quotas.max_tokens)
        model = replace(model, quotas=none)
    profile = profile_for(model)
    windows = [
        window
        for index, effect in enumerate(incident.effects)
        for window in _windows(
            effect,
            dice=dice.inside(str(index)),
            incident=incident,
            onset=onset or 0,
            end=end,
            model=model,
            requests=requests,
        )
    ]
    return Scenario(
        name=incident.name,
        title=incident.title,
        model=model,
        seed=seed,
        requests_per_minute=requests,
        start_s=start_s,
        minutes=incident.minutes,
        onset_minute=onset,
        end_minute=end,
        traffic=incident.traffic,
        windows=tuple(windows),
        label=incident.label,
        objectives=_objectives(incident, model, profile),
    )


class _Dice:
    """Numbers of a draw by name, so that a new field of a file shifts no other."""

    def __init__(self, seed: int, prefix: str) -> None:
        self._seed = seed
        self._prefix = prefix

    def inside(self, name: str) -> _Dice:
        return _Dice(self._seed, f"{self._prefix}/{name}")

    def real(self, name: str, span: Range) -> float:
        return float(stream(self._seed, f"{self._prefix}/{name}").uniform(span[0], span[1]))

    def whole(self, name: str, span: Range) -> int:
        return int(stream(self._seed, f"{self._prefix}/{name}").integers(round(span[0]), round(span[1]) + 1))


def _objectives(incident: Incident, model: MonitoredModel, profile: Profile) -> Objectives:
    ttft = incident.ttft_margin and incident.ttft_margin * profile.ttft_p90_ms
    latency = incident.latency_margin and incident.latency_margin * profile.latency_p90_ms
    if incident.ttft_margin and not model.streams:
        ttft, latency = None, incident.ttft_margin * _LATENCY_SPREAD * profile.latency_p90_ms
    return Objectives(ttft_p90_ms=ttft, latency_p90_ms=latency, success_rate=incident.success_rate)


def _windows(
    effect: EffectDraw,
    *,
    dice: _Dice,
    incident: Incident,
    onset: int,
    end: int | None,
    model: MonitoredModel,
    requests: float,
) -> Iterator[Window]:
    last = incident.minutes
    if effect.whole:
        begin, finish = 0, last
    else:
        begin = min(max(onset + dice.whole("after", effect.after_minutes), 0), last)
        finish = last if end is None else max(end, begin)
        if effect.length_minutes is not None:
            finish = min(begin + dice.whole("length", effect.length_minutes), last)
    value = dice.real("value", effect.value)
    if isinstance(effect.effect, OverQuota):
        changes = _over(effect.effect, refused=value, model=model, requests=requests)
    else:
        changes = [(effect.effect, value)]
    for start, stop in _spans(effect, dice, begin, finish):
        for what, amount in changes:
            yield Window(effect=what, start_minute=start, end_minute=stop, value=amount)


def _spans(effect: EffectDraw, dice: _Dice, begin: int, finish: int) -> Iterator[tuple[int, int]]:
    if effect.on_minutes is None or effect.off_minutes is None:
        yield begin, finish
        return
    count = 0
    while begin < finish:
        stop = min(begin + max(dice.whole(f"on-{count}", effect.on_minutes), 1), finish)
        yield begin, stop
        begin = stop + max(dice.whole(f"off-{count}", effect.off_minutes), 1)
        count += 1


def _over(over: OverQuota, *, refused: float, model: MonitoredModel, requests: float) -> list[tuple[Effect, float]]:
    """Return what makes the demand exceed a quota by so much that a fraction of it does not fit."""
    profile, quotas = profile_for(model), model.quotas
    fits = 1 - refused
    match over:
        case OverQuota.RPM:
            factor = 1.0 if quotas.rpm is None else quotas.rpm / (requests * fits)
            return [(Effect.TRAFFIC, _between(factor, 1.0, _MOST_TRAFFIC)), (Effect.RPM, fits)]
        case OverQuota.TPM:
            factor = 1.0 if quotas.tpm is None else quotas.tpm / (requests * profile.charge_tokens * fits)
            return [(Effect.TRAFFIC, _between(factor, 1.0, _MOST_TRAFFIC)), (Effect.TPM, fits)]
        case OverQuota.RESERVATION:
            return _over_by_reservation(fits, profile=profile, quotas=quotas, requests=requests)
        case _:
            assert_never(over)


def _over_by_reservation(
    fits: float, *, profile: Profile, quotas: Quotas, requests: float
) -> list[tuple[Effect, float]]:
    settled = profile.input_tokens + profile.output_tokens * profile.burndown
    running = profile.mean_duration_s[profile.asks_optimized] / 60
    tokens = quotas.tpm or 2.0 * requests * settled
    traffic = _between(_RESERVATION_USE * tokens / (requests * settled), 1.0, _MOST_TRAFFIC)
    wanted = (tokens / fits / (requests * traffic) - settled) / running + settled - profile.input_tokens
    most = max(min(_MOST_MAX_TOKENS, 0.5 * tokens), float(profile.max_tokens))
    limit = _between(wanted, float(profile.max_tokens), most)
    held = settled + max(profile.input_tokens + limit - settled, 0.0) * running
    left = fits * held / profile.charge_tokens
    return [
        (Effect.TRAFFIC, traffic),
        (Effect.MAX_TOKENS, limit / profile.max_tokens),
        (Effect.TPM, left),
    ]


def _between(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)
