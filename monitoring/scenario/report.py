"""How is the outcome of a scenario told? Text for people, JSON and JUnit for programs; one evaluation step by step."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import SequenceMatcher
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

from cloudwatch.alarm import AlarmState, CompositeAlarm, MetricAlarm
from cloudwatch.alarm_rule import children, parse_rule, referenced_name
from cloudwatch.metric import MetricQuery
from cloudwatch.suppression import Hold, HoldKind
from monitoring.durations import print_duration
from monitoring.scenario.run import is_metric_alarm, timeline_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cloudwatch.problems import Problem
    from cloudwatch.timeline import Timeline, Window
    from monitoring.scenario.run import Failure, Fragile, Outcome

__all__ = ["Broken", "as_json", "as_junit", "as_text", "explained", "sparkline"]

_BARS = "▁▂▃▄▅▆▇█"
_GAP = "·"
_SIGNS = {
    "GreaterThanOrEqualToThreshold": ">=",
    "GreaterThanThreshold": ">",
    "LessThanThreshold": "<",
    "LessThanOrEqualToThreshold": "<=",
    "LessThanLowerOrGreaterThanUpperThreshold": "outside",
    "LessThanLowerThreshold": "below",
    "GreaterThanUpperThreshold": "above",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A scenario that could not be run."""

    file: str
    problems: tuple[Problem, ...]


def as_text(outcomes: Iterable[Outcome], *, strict: bool) -> str:
    """Return each scenario with its failures, windows and fragile verdicts."""
    return "\n".join(_told(outcome, strict=strict) for outcome in outcomes)


def as_json(outcomes: Sequence[Outcome], broken: Sequence[Broken], *, strict: bool) -> str:
    """Return `{"scenarios": [{name, file, passed, claims, failures, fragile, notes}], "broken": [...]}`."""
    rows = [
        {
            "name": outcome.scenario.name,
            "file": outcome.scenario.file,
            "passed": _passed(outcome, strict=strict),
            "claims": len(outcome.scenario.claims),
            "failures": [_failure_row(failure, outcome.timeline) for failure in outcome.failures],
            "fragile": [
                {
                    "line": fragile.claim.place.line,
                    "switch": fragile.switch,
                    "setting": fragile.setting,
                    "instead": fragile.instead,
                }
                for fragile in outcome.fragile
            ],
            "notes": [_note_line(note) for note in outcome.notes],
        }
        for outcome in outcomes
    ]
    lost = [{"file": each.file, "problems": [str(problem) for problem in each.problems]} for each in broken]
    return json.dumps({"scenarios": rows, "broken": lost}, indent=2)


def as_junit(outcomes: Sequence[Outcome], broken: Sequence[Broken], *, strict: bool) -> str:
    """Return JUnit XML: a case for each scenario."""
    failed = sum(not _passed(outcome, strict=strict) for outcome in outcomes)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        (
            f'<testsuite name="bedrock-monitor test" tests="{len(outcomes) + len(broken)}" failures="{failed}" '
            f'errors="{len(broken)}">'
        ),
    ]
    for outcome in outcomes:
        case = f"  <testcase classname={quoteattr(outcome.scenario.file)} name={quoteattr(outcome.scenario.name)}"
        if _passed(outcome, strict=strict):
            lines.append(f"{case}/>")
        else:
            text = _told(outcome, strict=strict)
            message = quoteattr(f"{len(outcome.failures)} of {len(outcome.scenario.claims)} claims fail")
            lines += [f"{case}>", f"    <failure message={message}>{_cdata(text)}</failure>", "  </testcase>"]
    for each in broken:
        text = "\n".join(map(str, each.problems))
        lines += [
            f"  <testcase classname={quoteattr(each.file)} name={quoteattr(each.file)}>",
            f'    <error message="the scenario cannot be run">{_cdata(text)}</error>',
            "  </testcase>",
        ]
    return "\n".join([*lines, "</testsuite>"])


def explained(timeline: Timeline, *, alarm: str, at_s: int) -> str:
    """Return one evaluation of one alarm step by step.

    Args:
        timeline: What was run.
        alarm: An alarm of it.
        at_s: Epoch seconds of the evaluation.
    """
    definition = timeline.alarms[alarm]
    head = f"{alarm} at {_clock(at_s)} (start + {print_duration(at_s - timeline.start_s)})"
    match definition:
        case MetricAlarm():
            body = _metric_steps(timeline, definition, at_s=at_s)
        case CompositeAlarm():
            body = _composite_steps(timeline, definition, at_s=at_s)
    return "\n".join([head, "=" * len(head), *body])


def sparkline(values: Sequence[float | None]) -> str:
    """Return values as bars from 0 to their maximum; a gap is a dot."""
    real = [value for value in values if value is not None]
    low, high = min([0.0, *real]), max([0.0, *real])
    scale = (len(_BARS) - 1) / (high - low) if high > low else 0.0
    return "".join(_GAP if value is None else _BARS[round((value - low) * scale)] for value in values)


def _told(outcome: Outcome, *, strict: bool) -> str:
    claims = len(outcome.scenario.claims)
    verdict = "ok  " if _passed(outcome, strict=strict) else "FAIL"
    fragile = {found.claim for found in outcome.fragile}
    extra = f", {len(fragile)} fragile" if fragile else ""
    held = claims - len(outcome.failures)
    lines = [f"{verdict} {outcome.scenario.file}: {outcome.scenario.name} ({held} of {claims} claims hold{extra})"]
    for failure in outcome.failures:
        lines += ["", *_indented(_failure_lines(failure, outcome.timeline)), ""]
    lines += [f"  fragile: {_fragile_line(found)}" for found in outcome.fragile]
    lines += [f"  note: {_note_line(note)}" for note in outcome.notes]
    return "\n".join(lines)


def _note_line(note: Problem) -> str:
    return f"line {note.place.line}: {note.message}{f' {note.hint}' if note.hint else ''}"


def _passed(outcome: Outcome, *, strict: bool) -> bool:
    return not outcome.failures and not (strict and outcome.fragile)


def _failure_lines(failure: Failure, timeline: Timeline) -> list[str]:
    where = f"line {failure.claim.place.line}"
    if failure.at_s is None:
        return [f"{where}: who was notified of ALARM", *_run_lines(failure, timeline)]
    moment = f"{_clock(failure.at_s)} (start + {print_duration(failure.at_s - timeline.start_s)})"
    lines = [
        f"{where}: {failure.alarm}",
        f"  at        {moment}",
        f"  expected  {failure.expected}",
        f"  got       {failure.got}",
    ]
    reason = timeline.reason_at(failure.alarm, failure.at_s)
    if not failure.got.startswith("reason: "):
        lines.append(f"  reason    {reason}")
    if is_metric_alarm(timeline, failure.alarm):
        window = timeline.window(failure.alarm, failure.at_s)
        if window is not None:
            lines += _window_lines(window, timeline.alarms[failure.alarm])
    else:
        lines += _children_lines(timeline, failure.alarm, at_s=failure.at_s)
    return lines


def _window_lines(window: Window, alarm: object) -> list[str]:
    assert isinstance(alarm, MetricAlarm)
    points = " ".join(_number(value) for value in window.values)
    counted = set(window.evaluation.used)
    marks = "".join("^" if index in counted else " " for index in range(len(window.values)))
    filled = f", {window.evaluation.filled} filled as {alarm.treat_missing_data}" if window.evaluation.filled else ""
    return [
        (
            f"  window    {sparkline(window.values)}   {_clock(window.starts[0])} to {_clock(window.starts[-1])}, "
            f"{alarm.period_s} s a point"
        ),
        *([f"  counted   {marks}"] if len(counted) != len(window.values) else []),
        f"  points    {points}",
        (
            f"  rule      {alarm.datapoints_to_alarm} of {alarm.evaluation_periods} points {_bound(alarm)}; "
            f"{window.evaluation.breaching} breach{filled}"
        ),
    ]


def _metric_steps(timeline: Timeline, alarm: MetricAlarm, *, at_s: int) -> list[str]:
    window = timeline.window(alarm.name, at_s)
    steps = ["", "1. What is compared"]
    for query in alarm.queries:
        mark = "*" if query.id == alarm.returned.id else " "
        if isinstance(query, MetricQuery):
            dimensions = ", ".join(f"{name}={value}" for name, value in query.metric.dimensions) or "no dimension"
            steps.append(
                f"  {mark} {query.id:<6} {query.stat} of {query.metric.namespace} {query.metric.name} ({dimensions})"
            )
        else:
            steps.append(f"  {mark} {query.id:<6} {query.expression}")
    if window is None:
        return [*steps, "", "2. No evaluation has taken place yet: the alarm has just been created."]
    steps += ["", f"2. What the evaluation of {_clock(window.at_s)} saw, oldest first"]
    for index, (start, value, breach) in enumerate(zip(window.starts, window.values, window.breaching, strict=True)):
        said = "missing" if breach is None else "breaches" if breach else "does not breach"
        used = "" if index in window.evaluation.used else "   (extra point, not counted)"
        steps.append(f"    {_clock(start)}  {_number(value):>12}  {said}{used}")
    evaluation = window.evaluation
    steps += [
        "",
        "3. What follows",
        (
            f"    a point breaches when it is {_bound(alarm)}; ALARM needs {alarm.datapoints_to_alarm} of "
            f"{alarm.evaluation_periods}"
        ),
        f"    {evaluation.breaching} breach{_filled(evaluation.filled, alarm)}",
        f"    decided by: {evaluation.ruling}",
        f"    state: {evaluation.state}",
        f"    reason: {window.reason}",
    ]
    return steps


def _filled(count: int, alarm: MetricAlarm) -> str:
    if not count:
        return "; no point is missing"
    return f"; {count} missing {'point is' if count == 1 else 'points are'} treated as {alarm.treat_missing_data}"


def _composite_steps(timeline: Timeline, alarm: CompositeAlarm, *, at_s: int) -> list[str]:
    lines = ["", "1. The rule", f"    {alarm.rule}", "", "2. Its children at that time"]
    lines += _children_lines(timeline, alarm.name, at_s=at_s)
    lines += ["", "3. What follows", f"    state: {timeline.state_at(alarm.name, at_s)}"]
    if alarm.suppressor is not None:
        name = referenced_name(alarm.suppressor.alarm)
        lines.append(
            f"    actions wait {alarm.suppressor.wait_s} s for {name} ({timeline.state_at(name, at_s)}) and stay held "
            f"{alarm.suppressor.extension_s} s after it"
        )
    lines.append(f"    reason: {timeline.reason_at(alarm.name, at_s)}")
    told = _action_lines(timeline, alarm.name, until_s=at_s)
    return [*lines, "", "4. Its actions until then", *[f"    {line}" for line in told or ["none ran or waited"]]]


def _children_lines(timeline: Timeline, name: str, *, at_s: int) -> list[str]:
    alarm = timeline.alarms[name]
    if not isinstance(alarm, CompositeAlarm):
        return []
    names = [referenced_name(child) for child in children(parse_rule(alarm.rule))]
    width = max(map(len, names))
    return [
        f"    {timeline.state_at(child, at_s):<18} {child:<{width}}  {_child_words(timeline, child, at_s=at_s)}".rstrip()
        for child in names
    ]


def _child_words(timeline: Timeline, name: str, *, at_s: int) -> str:
    """Return what a metric alarm under a composite saw, in one line."""
    alarm = timeline.alarms[name]
    window = timeline.window(name, at_s) if isinstance(alarm, MetricAlarm) else None
    if window is None or not isinstance(alarm, MetricAlarm):
        return ""
    return (
        f"{sparkline(window.values)} {window.evaluation.breaching} of {alarm.evaluation_periods} are {_bound(alarm)}, "
        f"{alarm.datapoints_to_alarm} needed"
    )


def _run_lines(failure: Failure, timeline: Timeline) -> list[str]:
    """Return a line for each run that was expected or took place, in order, and where they differ why."""
    ran = timeline_runs(timeline)
    expected, got = list(failure.runs), [each.alarm for each in ran]
    lines: list[str] = []
    for kind, first, last, start, end in SequenceMatcher(None, expected, got, autojunk=False).get_opcodes():
        if kind != "equal":
            lines += [f"  missing     {name}{_why_not(name, timeline)}" for name in expected[first:last]]
        said = "as expected" if kind == "equal" else "unexpected "
        lines += [f"  {said} {each.alarm}, at {_clock(each.at_s)} ({each.why})" for each in ran[start:end]]
    return [*([] if expected else ["  expected    nobody"]), *lines, *([] if got else ["  got         nobody"])]


def _why_not(name: str, timeline: Timeline) -> str:
    """Return why an alarm's ALARM actions ran less often than expected."""
    alarm = timeline.alarms.get(name)
    if alarm is None:
        return ": there is no such alarm"
    if not alarm.alarm_actions:
        return ": it has no ALARM actions"
    entered = [change.at_s for change in timeline.changes if change.alarm == name and change.state is AlarmState.ALARM]
    if not entered:
        return ": it was never in ALARM"
    held = [line for _, line in _hold_lines(timeline, name, until_s=timeline.end_s)]
    times = ", ".join(_clock(at_s) for at_s in entered[:4]) + (" ..." if len(entered) > 4 else "")
    return f": in ALARM from {times}" + "".join(f"\n                {line}" for line in held)


def _action_lines(timeline: Timeline, name: str, *, until_s: int) -> list[str]:
    """Return what ran and what waited or was held back, in order of time."""
    runs = timeline.action_log(name).runs
    ran = [(run.at_s, f"{_clock(run.at_s)}  ran for {run.state} ({run.why})") for run in runs if run.at_s <= until_s]
    held = _hold_lines(timeline, name, until_s=until_s)
    return [line for _, line in sorted([*ran, *held], key=itemgetter(0))]


def _hold_lines(timeline: Timeline, name: str, *, until_s: int) -> list[tuple[int, str]]:
    """Return each hold that lasted, with its beginning."""
    alarm = timeline.alarms[name]
    by = referenced_name(alarm.suppressor.alarm) if isinstance(alarm, CompositeAlarm) and alarm.suppressor else "?"
    said = {
        HoldKind.WAIT: f"waited for {by}",
        HoldKind.SUPPRESSED: f"held back by {by}",
        HoldKind.EXTENSION: f"held back after {by}",
        HoldKind.MUTED: "muted",
    }
    return [
        (hold.start_s, f"{_clock(hold.start_s)}  {said[hold.kind]} {_until(hold)}")
        for hold in timeline.action_log(name).holds
        if hold.start_s <= until_s and hold.end_s != hold.start_s
    ]


def _until(hold: Hold) -> str:
    return "to the end" if hold.end_s is None else f"until {_clock(hold.end_s)}"


def _fragile_line(found: Fragile) -> str:
    return f"line {found.claim.place.line} would be {found.instead} if {found.switch} were {found.setting}"


def _failure_row(failure: Failure, timeline: Timeline) -> dict[str, Any]:
    row: dict[str, Any] = {
        "line": failure.claim.place.line,
        "alarm": failure.alarm or None,
        "at": None if failure.at_s is None else _clock(failure.at_s),
        "expected": failure.expected,
        "got": failure.got,
    }
    if failure.at_s is not None:
        row["reason"] = timeline.reason_at(failure.alarm, failure.at_s)
        window = timeline.window(failure.alarm, failure.at_s) if is_metric_alarm(timeline, failure.alarm) else None
        if window is not None:
            row["window"] = {"starts": [_clock(start) for start in window.starts], "points": list(window.values)}
    return row


def _bound(alarm: MetricAlarm) -> str:
    sign = _SIGNS[alarm.comparison]
    return (
        f"{sign} the band {alarm.threshold_metric_id}"
        if alarm.threshold is None
        else f"{sign} {_number(alarm.threshold)}"
    )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}" if abs(value) < 1e6 else f"{value:,.0f}"


def _clock(at_s: int) -> str:
    form = "%Y-%m-%d %H:%M:%S" if at_s % 60 else "%Y-%m-%d %H:%M"
    return datetime.fromtimestamp(at_s, tz=UTC).strftime(form) + "Z"


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _cdata(text: str) -> str:
    kept = "".join(char for char in text if char.isprintable() or char in "\n\t")
    return "<![CDATA[" + kept.replace("]]>", "]]]]><![CDATA[>") + "]]>"
