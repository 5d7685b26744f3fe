"""Which numbers stand in the table of a model, how are they written, and is a change good or bad?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from bedrock.models import LatencyMode
from monitoring.review.readings import ALL_CALLS
from monitoring.review.summary import PERCENTS, token_quota

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bedrock.models import MonitoredModel
    from monitoring.review.summary import ModelWeek

__all__ = ["NOTICEABLE", "Judgement", "Line", "amount", "dollars", "lines_for", "milliseconds", "percent"]

NOTICEABLE = 0.05
"""Relative change under which nothing is judged."""


class Judgement(StrEnum):
    """Whether a change is for the better."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "same"
    NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One number of a model.

    Attributes:
        group: Heading in the table.
        label: What it is.
        this, last: Its values as text; empty where nothing is known.
        change: Against last week, as text.
        judgement: Of the change.
        against: What it is compared with, as text: `900 ms promised`.
        missed: Whether the comparison is missed.
        of: What a percentile is of where it is not of all calls.
    """

    group: str
    label: str
    this: str
    last: str
    change: str
    judgement: Judgement
    against: str = ""
    missed: bool = False
    of: str = ""


def lines_for(model: MonitoredModel, *, week: ModelWeek, before: ModelWeek | None) -> tuple[Line, ...]:
    """Return the table of a model."""
    return tuple(_lines(model, week, before))


def _lines(model: MonitoredModel, week: ModelWeek, before: ModelWeek | None) -> Iterator[Line]:
    goals, base = model.objectives, model.baselines

    def line(
        group: str,
        label: str,
        value: Callable[[ModelWeek], float | None],
        text: Callable[[float], str],
        *,
        lower: bool | None = True,
        points: bool = False,
        against: str = "",
        missed: bool = False,
        of: str = "",
    ) -> Line:
        this, last = value(week), None if before is None else value(before)
        change, judgement = _change(this, last, lower=lower, points=points)
        return Line(
            group=group,
            label=label,
            this="" if this is None else text(this),
            last="" if last is None else text(last),
            change=change,
            judgement=judgement,
            against=against,
            missed=missed,
            of=of,
        )

    def tail(which: str, percent_: int) -> Callable[[ModelWeek], float | None]:
        def value(of: ModelWeek) -> float | None:
            found = getattr(of, which).get(percent_)
            return None if found is None else float(found.value)

        return value

    promised = {
        ("ttft_ms", 90): goals.ttft_p90_ms,
        ("ttft_ms", 99): goals.ttft_p99_ms,
        ("latency_ms", 90): goals.latency_p90_ms,
    }
    for which, words in (("ttft_ms", "Time to first token"), ("latency_ms", "Latency")):
        for percent_ in PERCENTS:
            found = getattr(week, which).get(percent_)
            if found is None:
                continue
            goal = promised.get((which, percent_))
            yield line(
                "Speed",
                f"{words} p{percent_}",
                tail(which, percent_),
                milliseconds,
                against="" if goal is None else f"{milliseconds(goal)} promised",
                missed=goal is not None and found.value > goal,
                of="" if found.of == ALL_CALLS else found.of,
            )
    if week.otps is not None:
        yield line(
            "Speed",
            "Output tokens per second",
            lambda of: of.otps,
            amount,
            lower=False,
            against=f"{amount(base.otps)} baseline",
            missed=week.otps < 0.9 * base.otps,
        )
    yield line(
        "Shape",
        "Output tokens per request",
        lambda of: of.output_tokens,
        amount,
        lower=None,
        against=f"{amount(base.output_tokens)} baseline",
    )
    yield line(
        "Shape",
        "Input tokens to process per request",
        lambda of: None if of.input_tokens is None else of.input_tokens + of.cache_write_tokens,
        amount,
        lower=None,
        against=f"{amount(base.input_tokens)} baseline",
    )
    if model.prompt_caching:
        yield line(
            "Shape",
            "Prompt tokens read from the cache",
            lambda of: of.cache_hit_rate,
            percent,
            lower=False,
            points=True,
            against=f"{percent(base.cache_hit_rate)} baseline",
            missed=week.cache_hit_rate is not None and week.cache_hit_rate < base.cache_hit_rate - 0.1,
        )
    yield line("Trouble", "Attempts throttled", lambda of: of.throttle_share, percent, points=True)
    if model.latency is LatencyMode.OPTIMIZED and week.fallback_share is not None:
        yield line(
            "Trouble", "Calls served standard instead of optimized", lambda of: of.fallback_share, percent, points=True
        )
    success = goals.success_rate
    yield line(
        "Trouble",
        "Calls answered with a server error",
        lambda of: of.error_share,
        percent,
        points=True,
        against="" if success is None else f"{percent(1 - success)} promised at most",
        missed=success is not None and (week.error_share or 0) > 1 - success,
    )
    yield line("Volume", "Requests", lambda of: of.calls, amount, lower=None)
    if week.peak_requests is not None:
        rpm = model.quotas.rpm
        yield line(
            "Volume",
            "Attempts in the busiest minute",
            lambda of: of.peak_requests,
            amount,
            lower=None,
            against="" if rpm is None else f"{amount(rpm)} RPM quota",
            missed=rpm is not None and week.peak_requests > rpm,
        )
    quota = token_quota(model)
    if week.peak_tokens is not None and quota is not None:
        yield line(
            "Volume",
            "Quota headroom in the busiest minute",
            lambda of: None if of.peak_tokens is None else 1 - of.peak_tokens / quota[1],
            percent,
            lower=False,
            points=True,
            against=f"of {amount(quota[1])} {quota[0]}",
            missed=week.peak_tokens > quota[1],
        )
    if week.cost is not None:
        yield line("Cost", "Cost of the week", lambda of: of.cost, dollars, lower=None)
        yield line("Cost", "Cost per thousand requests", lambda of: of.cost_per_thousand, dollars)


def _change(this: float | None, last: float | None, *, lower: bool | None, points: bool) -> tuple[str, Judgement]:
    if this is None or last is None:
        return "", Judgement.NEUTRAL
    if points:
        difference = 100 * (this - last)
        text = f"{difference:+.1f} pts" if round(difference, 1) else "same"
        is_small = abs(difference) < 0.5
    else:
        if not last:
            return ("new" if this else "same"), Judgement.NEUTRAL
        relative = this / last - 1
        text = f"{100 * relative:+.0f} %" if round(100 * relative) else "same"
        is_small = abs(relative) < NOTICEABLE
        difference = relative
    if lower is None:
        return text, Judgement.NEUTRAL
    if is_small:
        return text, Judgement.SAME
    return text, Judgement.BETTER if (difference < 0) == lower else Judgement.WORSE


def milliseconds(value: float) -> str:
    """Return `840 ms` or `4.2 s`."""
    return f"{value:.0f} ms" if value < 1000 else f"{value / 1000:.2f} s" if value < 10_000 else f"{value / 1000:.1f} s"


def percent(share: float) -> str:
    """Return a share of 0 to 1 in percent, with more digits where it is small."""
    value = 100 * share
    if value and abs(value) < 0.01:
        return "< 0.01 %"
    if not value:
        return "0 %"
    return f"{value:.2f} %" if abs(value) < 1 else f"{value:.1f} %" if abs(value) < 10 else f"{value:.0f} %"


def amount(value: float) -> str:
    """Return a number for people: 2.1M, 450k, 1,900, 74.5."""
    for size, letter in ((1_000_000, "M"), (1000, "k")):
        if abs(value) >= 10 * size or (letter == "M" and abs(value) >= size):
            scaled = value / size
            digits = 0 if abs(scaled) >= 100 else 1 if abs(scaled) >= 10 else 2
            text = f"{scaled:.{digits}f}"
            return (text.rstrip("0").rstrip(".") if "." in text else text) + letter
    if abs(value) >= 100 or float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:.1f}"


def dollars(value: float) -> str:
    """Return `$1,240`, `$4.20`, `$0.0031`."""
    if value >= 1000:
        return f"${value:,.0f}"
    return f"${value:.2f}" if value >= 0.1 or not value else f"${value:.2g}"
