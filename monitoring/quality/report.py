"""What was measured, as a page for docs/alarm-quality.md, and as sentences for runbooks."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from monitoring.quality.cases import Family
from monitoring.quality.intervals import count_interval, quantile_interval, wilson
from monitoring.quality.score import Outcome
from monitoring.quality.summary import Scored, Summary, healthy, scored, summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from monitoring.quality.world import Observation

__all__ = ["Results", "Sensitivity", "measured_texts", "report"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """Some incidents in another world.

    Attributes:
        group: What is varied.
        world: To what.
        observations: The incidents there.
    """

    group: str
    world: str
    observations: tuple[Observation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Everything that was run.

    Attributes:
        names: Sets of alarms; the first is the one that the page is about.
        incidents: Incidents.
        weeks: Healthy weeks.
        sensitivity: The same alarms in other worlds.
        command: What writes the page anew.
    """

    names: tuple[str, ...]
    incidents: tuple[Observation, ...]
    weeks: tuple[Observation, ...]
    sensitivity: tuple[Sensitivity, ...]
    command: str


_CAUSES = ("fallback", "throttled", "slow-decode", "service-errors", "caller-errors")


def report(results: Results) -> str:
    """Return the page."""
    items = scored(results.incidents, results.names[0])
    deep = [item for item in items if item.deep]
    parts = [
        _head(results, items),
        _side_by_side(results),
        _confusion(deep),
        _families(deep),
        _quiet(items),
        _rows("By traffic (requests a minute by day)", deep, lambda item: f"{item.observation.requests_per_minute:g}"),
        _rows("By depth (what the tightest quota turned away, or how much slower)", deep, _depth_of),
        _rows("By incident", deep, lambda item: item.observation.case.incident),
        _rows("By model", deep, lambda item: item.observation.case.model.rsplit("-", 1)[0]),
        _weeks(results),
        *_sensitivity(results),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def measured_texts(results: Results) -> str:
    """Return TOML: for each cause a sentence of what was measured, for its runbook."""
    items = scored(results.incidents, results.names[0])
    lines = [f"# Written by `{results.command}`.", ""]
    lines += [f"{slug} = {json.dumps(text, ensure_ascii=False)}" for slug, text in _sentences(items, results)]
    return "\n".join(lines) + "\n"


def _head(results: Results, items: Sequence[Scored]) -> str:
    models = {each.case.model for each in results.incidents}
    return "\n".join(
        [
            "# Alarm quality",
            "",
            f"Written by `{results.command}`; change it there. How to read it, what was tried and what remains is in",
            "[alarm-tuning.md](alarm-tuning.md). Everything here is a simulation ([simulator.md](simulator.md)): **nothing was compared",
            "with a live account.**",
            "",
            (
                f"{len(items):,} incidents of {len({each.case.incident for each in results.incidents})} kinds and {len(results.weeks):,} healthy model-weeks on {len(models)} models. "
                f"{sum(item.deep for item in items):,} incidents are deep and must wake somebody: those"
            ),
            "are the incidents below, unless something else is said. Right is exactly one page, of the right cause, from the start of",
            "the recording to its end. Brackets are 95 % intervals.",
        ]
    )


def _side_by_side(results: Results) -> str:
    lines = [
        "## Side by side",
        "",
        "| alarms | right, % | again | wrong | missed, % | fallback and throttling confused | look-alikes left alone, % | false pages a healthy week |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in results.names:
        items = scored(results.incidents, name)
        total, calm = summary(item for item in items if item.deep), healthy(results.weeks, name)
        quiet = [item.verdict.outcome is Outcome.RIGHT for item in items if not item.observation.truth.pages]
        low, high = count_interval(calm.pages, calm.weeks or math.nan)
        lines.append(
            f"| {name} | {_share(total.right, total.incidents)} | {total.again} | {total.wrong} | {_share(total.missed, total.incidents)} "
            f"| {total.confused} | {_share(sum(quiet), len(quiet))} | {calm.per_week:.3f} [{low:.3f}, {high:.3f}] |"
        )
    return "\n".join(lines)


def _confusion(deep: Sequence[Scored]) -> str:
    lines = [
        "## Confusion matrix",
        "",
        "Rows: what happened. Columns: the first page.",
        "",
        "| | " + " | ".join(_CAUSES) + " | nobody |",
        "|---" * (len(_CAUSES) + 2) + "|",
    ]
    for family in Family:
        first = Counter(item.verdict.first for item in deep if item.observation.family is family)
        if first:
            cells = [str(first[cause]) if first[cause] else "·" for cause in (*_CAUSES, None)]
            lines.append(f"| {family} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _families(deep: Sequence[Scored]) -> str:
    lines = [
        "## By cause",
        "",
        "Detection from onset to the right page, clear from the end of the incident until the alarm that paged was over; minutes.",
        "",
        "| what happened | incidents | right, % | detection median | p95 | clear median | p95 | flaps |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for family in Family:
        found = summary(item for item in deep if item.observation.family is family)
        if found.incidents:
            lines.append(
                f"| {family} | {found.incidents} | {_share(found.right, found.incidents)} | {_minutes(found.detection(0.5))} {_between(found, 0.5)} "
                f"| {_minutes(found.detection(0.95))} {_between(found, 0.95)} | {_minutes(found.clear(0.5))} | {_minutes(found.clear(0.95))} | {found.flaps} |"
            )
    both = [item for item in deep if item.observation.family is Family.BOTH]
    if both:
        seen = sum(item.verdict.first_seen for item in both)
        noted = sum(item.verdict.noted for item in both)
        lines += [
            "",
            f"Of {len(both)} incidents of fallback and throttling {seen} were first told as what the service did first; a ticket followed in {noted}.",
        ]
    return "\n".join(lines)


def _quiet(items: Sequence[Scored]) -> str:
    lines = ["## Where nobody may be woken, and where it was not deep", ""]
    names = sorted({item.observation.case.incident for item in items if not item.observation.truth.pages})
    lines += ["| look-alike | incidents | left alone | pages | its ticket came |", "|---|---|---|---|---|"]
    for name in names:
        some = [item for item in items if item.observation.case.incident == name]
        alone = sum(item.verdict.outcome is Outcome.RIGHT for item in some)
        woken = Counter(cause for item in some for cause in item.verdict.causes)
        told = ", ".join(f"{cause} {count}" for cause, count in woken.most_common()) or "none"
        expected = any(item.observation.truth.tickets for item in some)
        noted = str(sum(item.verdict.noted for item in some)) if expected else "none to come"
        lines.append(f"| {name} | {len(some)} | {alone} | {told} | {noted} |")
    shallow = [item for item in items if item.observation.truth.pages and not item.observation.truth.deep]
    if shallow:
        outcomes = Counter(item.verdict.outcome for item in shallow)
        spelt = ", ".join(f"{outcome} {outcomes[outcome]}" for outcome in Outcome)
        lines += ["", f"{len(shallow)} incidents never had users outside their objectives for 15 minutes: {spelt}."]
    return "\n".join(lines) if names or shallow else ""


def _rows(title: str, deep: Sequence[Scored], key: Callable[[Scored], str]) -> str:
    groups: dict[str, list[Scored]] = {}
    for item in deep:
        groups.setdefault(key(item), []).append(item)
    lines = [
        f"## {title}",
        "",
        "| | incidents | right, % | again | wrong | missed | detection median | p95 |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in sorted(groups, key=lambda name: (len(name) if name.isdigit() else 0, name)):
        found = summary(groups[name])
        lines.append(
            f"| {name} | {found.incidents} | {_share(found.right, found.incidents)} | {found.again} | {found.wrong} | {found.missed} "
            f"| {_minutes(found.detection(0.5))} | {_minutes(found.detection(0.95))} |"
        )
    return "\n".join(lines)


def _weeks(results: Results) -> str:
    name = results.names[0]
    lines = [
        "## Healthy weeks",
        "",
        "| week | model-weeks | pages | of which | tickets and notes a week |",
        "|---|---|---|---|---|",
    ]
    for kind in sorted({week.case.incident for week in results.weeks}):
        found = healthy([week for week in results.weeks if week.case.incident == kind], name)
        causes = ", ".join(f"{cause} {count}" for cause, count in found.by_cause) or "none"
        lines.append(f"| {kind} | {found.weeks:.0f} | {found.pages} | {causes} | {found.tickets / found.weeks:.2f} |")
    return "\n".join(lines)


def _sensitivity(results: Results) -> Iterator[str]:
    groups = list(dict.fromkeys(each.group for each in results.sensitivity))
    if groups:
        yield "## In other worlds\n\nEvery tenth incident again, one thing changed. Confused: fallback told as throttling or the other way round."
    for group in groups:
        lines = [
            f"### {group[0].upper()}{group[1:]}",
            "",
            "| | incidents | right, % | again | wrong | missed | confused | fallback median | throttled median |",
            "|---|---|---|---|---|---|---|---|---|",
        ]
        for each in (one for one in results.sensitivity if one.group == group):
            deep = [item for item in scored(each.observations, results.names[0]) if item.deep]
            found = summary(deep)
            medians = [
                _minutes(summary(item for item in deep if item.observation.family is family).detection(0.5))
                for family in (Family.FALLBACK, Family.THROTTLED)
            ]
            lines.append(
                f"| {each.world} | {found.incidents} | {_share(found.right, found.incidents)} | {found.again} | {found.wrong} "
                f"| {found.missed} | {found.confused} | {medians[0]} | {medians[1]} |"
            )
        yield "\n".join(lines)


def _sentences(items: Sequence[Scored], results: Results) -> Iterator[tuple[str, str]]:
    calm = dict(healthy(results.weeks, results.names[0]).by_cause)
    weeks = healthy(results.weeks, results.names[0]).weeks
    families = {
        "fallback": (Family.FALLBACK,),
        "throttled": (Family.THROTTLED,),
        "slow-decode": (Family.SLOW, Family.UNSEEN),
        "service-errors": (Family.ERRORS,),
    }
    for slug, rows in families.items():
        found = summary(item for item in items if item.deep and item.observation.family in rows)
        if found.incidents:
            yield (
                slug,
                (
                    f"In {found.incidents} simulated incidents it alone paged, once, in {100 * found.share(found.right):.1f} %; median "
                    f"{_minutes(found.detection(0.5))} minutes after the onset, 95 % within {_minutes(found.detection(0.95))}. Nobody was woken in "
                    f"{found.missed}. {calm.get(slug, 0)} false pages in {weeks:.0f} healthy model-weeks."
                ),
            )
    for slug in (
        "fallback-and-throttling",
        "request-shape",
        "caller-errors",
        "blind",
        "tier-overflow",
        "no-traffic",
        "fallback-share",
        "throttled-by-reservation",
    ):
        some = [item for item in items if slug in item.observation.truth.tickets]
        came = sum(_noted(item, slug, results.names[0]) for item in some)
        if some:
            false = sum(
                ticket.cause == slug for week in results.weeks for ticket in week.told[results.names[0]].tickets
            )
            yield (
                slug,
                f"Came in {came} of {len(some)} simulated incidents that it may follow; {false} times in {weeks:.0f} healthy model-weeks.",
            )


def _noted(item: Scored, slug: str, name: str) -> bool:
    return any(ticket.cause == slug for ticket in item.observation.told[name].tickets)


def _depth_of(item: Scored) -> str:
    depth = item.observation.depth
    if depth is None:
        return "no scale"
    return next(
        text
        for limit, text in ((0.2, "under 20 %"), (0.5, "20 to 50 %"), (0.8, "50 to 80 %"), (9, "from 80 %"))
        if depth < limit
    )


def _share(hits: int, of: int) -> str:
    if not of:
        return "none"
    low, high = wilson(hits, of)
    return f"{100 * hits / of:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def _between(found: Summary, quantile: float) -> str:
    low, high = quantile_interval(found.detection_s, quantile)
    return f"[{_minutes(low)}, {_minutes(high)}]"


def _minutes(seconds: float) -> str:
    return "-" if math.isnan(seconds) else f"{seconds / 60:.1f}"
