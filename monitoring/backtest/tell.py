"""How is a backtest told? Tables at 100 columns, or JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from monitoring.backtest.run import Backtest, Row
    from monitoring.backtest.what_if import WhatIf

__all__ = ["as_rows", "as_text", "difference_rows", "difference_text", "what_if_rows", "what_if_text"]

_SHOWN = 3


def as_text(result: Backtest, *, place: str, verbose: bool = False) -> str:
    """Return what fired, what called, and what does not fit what really happened."""
    lines = [f"{place}: {_day(result.start_s)} to {_day(result.end_s)}, {7 * result.weeks:.1f} days", ""]
    rows = [row for row in result.rows if verbose or row.firings or row.real]
    width = max((len(row.entry.alarm.name) for row in rows), default=10)
    lines.append(f"{'alarm':{width}}  {'severity':8}  fired  calls  minutes  real  when")
    lines += [_line(row, width=width) for row in rows]
    quiet = sum(not row.firings and not row.skipped for row in result.rows)
    lines += ["", f"{result.pages} pages{_rate(result)}; {quiet} alarms never fired."]
    lines += [f"left out: {row.entry.alarm.name}: {row.skipped}" for row in result.rows if row.skipped]
    blind = [row.entry.alarm.name for row in result.rows if not row.has_data and not row.skipped]
    if blind:
        lines.append(f"nothing recorded of what {len(blind)} alarms read: {', '.join(blind[:8])}")
    lines += [f"note: {note}" for note in result.notes]
    return "\n".join(lines)


def _line(row: Row, *, width: int) -> str:
    real = "-" if row.real is None else f"{row.matched}/{len(row.real)}"
    when = ", ".join(_day(start) for start, _ in row.firings[:_SHOWN])
    more = f" and {len(row.firings) - _SHOWN} more" if len(row.firings) > _SHOWN else ""
    severity = row.entry.severity or ""
    return (
        f"{row.entry.alarm.name:{width}}  {severity:8}  {len(row.firings):5}  {len(row.calls):5}  {row.minutes:7.0f}"
        f"  {real:>4}  {when}{more}"
    ).rstrip()


def as_rows(result: Backtest) -> list[dict[str, Any]]:
    """Return the rows as JSON values."""
    return [
        {
            "alarm": row.entry.alarm.name,
            "model": row.entry.model,
            "severity": row.entry.severity,
            "firings": row.firings,
            "calls": row.calls,
            "minutes": row.minutes,
            "real": row.real,
            "matched": row.matched,
            "has_data": row.has_data,
            "skipped": row.skipped,
        }
        for row in result.rows
    ]


def difference_rows(before: Backtest, after: Backtest) -> list[dict[str, Any]]:
    """Return the alarms that would have called differently: counts before and after, None where there is no such alarm."""
    old, new = _by_name(before), _by_name(after)
    found = []
    for name in dict.fromkeys((*old, *new)):
        one, other = old.get(name), new.get(name)
        if one is None or other is None or (one.firings, one.calls) != (other.firings, other.calls):
            found.append(
                {
                    "alarm": name,
                    "fired_before": None if one is None else len(one.firings),
                    "fired_after": None if other is None else len(other.firings),
                    "pages_before": None if one is None else one.pages,
                    "pages_after": None if other is None else other.pages,
                }
            )
    return found


def difference_text(before: Backtest, after: Backtest, *, place: str) -> str:
    """Return the difference of two configurations over the same recording."""
    rows = difference_rows(before, after)
    lines = [f"{place}: pages {before.pages} before, {after.pages} after"]
    if not rows:
        return f"{lines[0]}; no alarm would have done anything else"
    width = max(len(row["alarm"]) for row in rows)
    lines.append(f"{'alarm':{width}}  fired before  after  pages before  after")
    lines += [
        f"{row['alarm']:{width}}  {_count(row['fired_before']):>12}  {_count(row['fired_after']):>5}"
        f"  {_count(row['pages_before']):>12}  {_count(row['pages_after']):>5}"
        for row in rows
    ]
    return "\n".join(lines)


def what_if_text(result: WhatIf, *, budget: float | None) -> str:
    """Return the grid: calls a week for each setting, incidents missed, and the suggestion."""
    word = f"{result.counted}s a week"
    lines = [f"{result.alarm}: {word}, {result.incidents} labelled incidents", ""]
    lines.append(f"  threshold  M of N    fired  {word:>13}  beyond incidents  missed  minutes to call")
    for one in result.variants:
        mark = "=" if one.current else ">" if one == result.suggestion else " "
        delay = "-" if one.delay_s is None else f"{one.delay_s / 60:.0f}"
        lines.append(
            f"{mark} {one.threshold:9.6g}  {one.m:>2} of {one.n:<3} {one.fired:6}  {one.per_week:13.1f}  {one.noise_per_week:16.1f}"
            f"  {len(one.missed):6}  {delay:>15}"
        )
    lines.append("")
    wanted = "misses no incident" if result.incidents else "fits"
    within = "" if budget is None else f" within {budget:g} {word}"
    found = result.suggestion
    if found is None:
        lines.append(f"No setting {wanted}{within}.")
    elif found.current:
        lines.append(f"What is configured (=) {wanted}{within}.")
    else:
        lines.append(f"Suggested (>): threshold: {found.threshold:g}, n: {found.n}, m: {found.m}; it {wanted}{within}.")
    return "\n".join(lines)


def what_if_rows(result: WhatIf) -> list[dict[str, Any]]:
    """Return the grid as JSON values."""
    return [
        {
            "threshold": one.threshold,
            "m": one.m,
            "n": one.n,
            "fired": one.fired,
            "calls": one.calls,
            "per_week": one.per_week,
            "noise_per_week": one.noise_per_week,
            "missed": one.missed,
            "delay_s": one.delay_s,
            "current": one.current,
            "suggested": one == result.suggestion,
        }
        for one in result.variants
    ]


def _by_name(result: Backtest) -> Mapping[str, Row]:
    return {row.entry.alarm.name: row for row in result.rows}


def _rate(result: Backtest) -> str:
    """Return pages a week, of recordings that are long enough to say so."""
    return f", {result.pages / result.weeks:.1f} a week" if result.weeks >= 1 else ""


def _count(value: int | None) -> str:
    return "-" if value is None else str(value)


def _day(second: int) -> str:
    return datetime.fromtimestamp(second, tz=UTC).strftime("%m-%d %H:%M")
