"""What should the meeting know? Sentences with a tone, each from one rule.

The rules are those of the tables below them: an objective that was missed, a decode rate under its baseline, throttles and fallback in
numbers that users felt, a change of latency with its cause, bursts that no hourly graph shows, and room that is running out.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from monitoring.review.decomposition import Verdict
from monitoring.review.lines import NOTICEABLE, amount, dollars, milliseconds, percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bedrock.models import MonitoredModel
    from monitoring.review.alarm_week import AlarmWeek
    from monitoring.review.bursts import Burst
    from monitoring.review.capacity import CapacityPlan
    from monitoring.review.decomposition import Decomposition
    from monitoring.review.report import ModelReview
    from monitoring.review.summary import ModelWeek
    from monitoring.review.week import Week

__all__ = ["Sentence", "Tone", "burst_text", "findings_of", "overall"]


_SHORT_MINUTES = 5
_VISIBLE = 0.02
_LOST_CACHE = 0.1
_COST_CHANGE = 0.1


class Tone(IntEnum):
    """How much a sentence matters, rising."""

    QUIET = 0
    GOOD = 1
    NOTE = 2
    WATCH = 3
    BAD = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One finding about one model."""

    model: str
    tone: Tone
    text: str


def findings_of(
    model: MonitoredModel,
    *,
    week: ModelWeek,
    before: ModelWeek | None,
    why: Decomposition | None,
    bursts: Sequence[Burst],
    capacity: CapacityPlan | None,
    calendar: Week,
) -> tuple[Sentence, ...]:
    """Return the findings about a model, worst first; one sentence says so where there is nothing to say."""
    if not week.calls:
        return (Sentence(model=model.key, tone=Tone.NOTE, text="No call was seen this week."),)
    found = [
        Sentence(model=model.key, tone=tone, text=text)
        for tone, text in (
            *_promises(model, week),
            *_trouble(week, before),
            *_speed(model, week, why),
            *_unsplit(week, before),
            *_cache_and_cost(model, week, before),
            *_hidden(week, bursts, calendar),
            *_room(capacity),
        )
    ]
    found.sort(key=lambda sentence: -sentence.tone)
    if not found or found[0].tone <= Tone.GOOD:
        found.insert(0, Sentence(model=model.key, tone=Tone.GOOD, text="A good week: promises kept, nothing unusual."))
    return tuple(found)


def overall(models: Sequence[ModelReview], *, alarms: AlarmWeek | None) -> str:
    """Return the week in one sentence."""
    served = [each for each in models if each.week.calls]
    calls = sum(each.week.calls for each in served)
    bad = [each.model.key for each in served if each.tone is Tone.BAD]
    watch = [each.model.key for each in served if each.tone is Tone.WATCH]
    if bad:
        state = f"users of {_listed(bad)} were let down"
    elif watch:
        state = f"users were served well, {_listed(watch)} wants watching"
    else:
        state = "users were served well"
    pages = ""
    if alarms is not None:
        pages = f"; {_counted(alarms.pages, 'page')}" + (f", {alarms.noise} of them noise" if alarms.noise else "")
    return f"{amount(calls)} requests to {_counted(len(served), 'model')}: {state}{pages}."


def burst_text(burst: Burst, calendar: Week) -> str:
    """Return one burst in one sentence."""
    when = calendar.local(burst.start_s)
    long = "one minute" if burst.minutes == 1 else f"{burst.minutes} minutes"
    if burst.kind == "throttled":
        return f"{when}, {long}: {percent(burst.peak)} of attempts throttled; the hour shows {percent(burst.around)}."
    if burst.kind == "quota":
        return f"{when}, {long}: {percent(burst.peak)} of the token quota; the hour's mean is {percent(burst.around)}."
    return f"{when}, {long}: {amount(burst.peak)} attempts a minute; the hour's mean is {amount(burst.around)}."


def _promises(model: MonitoredModel, week: ModelWeek) -> Iterator[tuple[Tone, str]]:
    goals = model.objectives
    for words, found, goal in (
        ("Time to first token p90", week.ttft_ms.get(90), goals.ttft_p90_ms),
        ("Time to first token p99", week.ttft_ms.get(99), goals.ttft_p99_ms),
        ("Latency p90", week.latency_ms.get(90), goals.latency_p90_ms),
    ):
        if found is not None and goal is not None and found.value > goal:
            of = "" if found.exact else f" ({found.of})"
            yield Tone.BAD, f"{words} was {milliseconds(found.value)}{of}; {milliseconds(goal)} are promised."
    if goals.success_rate is not None and (week.error_share or 0) > 1 - goals.success_rate:
        yield (
            Tone.BAD,
            (
                f"{percent(week.error_share or 0)} of calls failed with a server error; {percent(1 - goals.success_rate)} "
                "are allowed."
            ),
        )


def _trouble(week: ModelWeek, before: ModelWeek | None) -> Iterator[tuple[Tone, str]]:
    throttled, last = week.throttle_share or 0, (before.throttle_share or 0) if before else None
    if throttled >= 0.001:
        compared = "" if last is None else f", after {percent(last)} the week before"
        tone = Tone.BAD if throttled >= 0.01 else Tone.WATCH
        yield tone, f"{percent(throttled)} of attempts were throttled ({amount(week.throttles)}){compared}."
    standard = week.fallback_share or 0
    if standard >= 0.01:
        worst = max((day for day in week.days if day.fallback_share), key=lambda day: day.fallback_share or 0)
        tone = Tone.BAD if standard >= 0.05 else Tone.WATCH
        yield (
            tone,
            (
                f"{percent(standard)} of calls were served standard although optimized was asked for; most on {worst.label} "
                f"({percent(worst.fallback_share or 0)})."
            ),
        )


def _speed(model: MonitoredModel, week: ModelWeek, why: Decomposition | None) -> Iterator[tuple[Tone, str]]:
    base = model.baselines.otps
    if week.otps is not None and week.otps < 0.9 * base:
        tone = Tone.BAD if week.otps < 0.8 * base else Tone.WATCH
        yield (
            tone,
            f"The model decoded at {week.otps:.0f} tokens/s, {percent(1 - week.otps / base)} under its baseline.",
        )
    if why is not None and why.verdict is not Verdict.UNCHANGED:
        tone = Tone.WATCH if why.change_ms > 0 else Tone.GOOD
        yield tone, why.sentence


def _unsplit(week: ModelWeek, before: ModelWeek | None) -> Iterator[tuple[Tone, str]]:
    """Tell what can be told of a model that does not stream: latency and length, side by side."""
    if before is None or week.typical is not None:
        return
    now, then = week.latency_ms.get(50), before.latency_ms.get(50)
    if now is None or then is None or abs(now.value / then.value - 1) < NOTICEABLE:
        return
    if week.output_tokens is None or before.output_tokens is None:
        return
    tone = Tone.WATCH if now.value > then.value else Tone.GOOD
    lengths = week.output_tokens / before.output_tokens - 1
    cause = f"answers went from {amount(before.output_tokens)} to {amount(week.output_tokens)} tokens ({100 * lengths:+.0f} %)"
    text = f"Latency p50 went from {milliseconds(then.value)} to {milliseconds(now.value)}; {cause}."
    yield tone, f"{text} It does not stream, so the change cannot be split."


def _cache_and_cost(model: MonitoredModel, week: ModelWeek, before: ModelWeek | None) -> Iterator[tuple[Tone, str]]:
    hit, base = week.cache_hit_rate, model.baselines.cache_hit_rate
    if hit is not None and base - hit >= _LOST_CACHE:
        yield (
            Tone.WATCH,
            f"{percent(hit)} of prompt tokens came from the cache, {percent(base)} usually: more to read before each answer.",
        )
    now, then = week.cost_per_thousand, None if before is None else before.cost_per_thousand
    if now and then and abs(now / then - 1) >= _COST_CHANGE:
        tone = Tone.NOTE if now > then else Tone.GOOD
        yield tone, f"A thousand requests cost {dollars(now)}, after {dollars(then)} ({100 * (now / then - 1):+.0f} %)."


def _hidden(week: ModelWeek, bursts: Sequence[Burst], calendar: Week) -> Iterator[tuple[Tone, str]]:
    hidden = [burst for burst in bursts if burst.kind == "throttled" and burst.minutes <= _SHORT_MINUTES]
    share = week.throttle_share or 0
    if hidden and share < _VISIBLE:
        worst = max(hidden, key=lambda burst: burst.peak)
        count = "One burst hides" if len(hidden) == 1 else f"{len(hidden)} bursts hide"
        which = "" if len(hidden) == 1 else "the worst "
        yield (
            Tone.WATCH,
            f"{count} in the week's {percent(share)} of throttled attempts: {which}{burst_text(worst, calendar)}",
        )


def _room(capacity: CapacityPlan | None) -> Iterator[tuple[Tone, str]]:
    if capacity is None or capacity.quota is None:
        return
    if (capacity.headroom or 0) < 0 or (capacity.rpm_headroom is not None and capacity.rpm_headroom < 0):
        yield Tone.BAD, f"Next week does not fit. {capacity.sentence}"
    elif capacity.fitting_max_tokens is not None or (capacity.headroom or 0) < 0.3:
        yield Tone.WATCH, capacity.sentence


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _counted(number: int, word: str) -> str:
    return f"one {word}" if number == 1 else f"{number or 'no'} {word}s"
