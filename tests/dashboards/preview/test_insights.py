"""Logs Insights queries over events: what the pages ask, and a refusal of what is not run."""

from __future__ import annotations

from typing import Any

import pytest

from cloudwatch.problems import InvalidValueError
from dashboards.preview.insights import answer
from dashboards.preview.source import LogEvents
from dashboards.preview.timespan import Span

START = 1_793_577_600
EVENTS: list[Any] = [
    {"level": "error", "ms": 12, "user": {"arn": "a"}, "tags": ["x", "y"]},
    {"level": "info", "ms": 30, "user": {"arn": "b"}},
    '{"level": "error", "ms": "7", "user": {"arn": "a"}}',
    "plain text with Throttling",
]
LOGS = {"/g": LogEvents(records=EVENTS, arrived_s=[START, START + 60, START + 400, START + 500])}
SPAN = Span(start_s=START, end_s=START + 3600)


def rows(query: str) -> list[tuple[str, ...]]:
    """Return the rows of a query over the events above."""
    return list(answer(f"SOURCE '/g' | {query}", logs=LOGS, span=SPAN).rows)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("filter level = 'error' | fields ms", [("12",), ("7",)]),
        ("filter level != 'error' and ms >= 30 | fields ms", [("30",)]),
        ("filter ms < 10 or ms > 20 | fields ms | sort ms desc", [("30",), ("7",)]),
        ("filter not (level = 'error') and ispresent(level) | fields level", [("info",)]),
        ("filter user.arn in ['b', 'c'] | fields user.arn", [("b",)]),
        ("filter user.arn not in ['b'] and ispresent(ms) | fields ms", [("12",), ("7",)]),
        ("filter ms in [7, 12] | fields ms", [("12",), ("7",)]),
        ("filter @message like /Throttl.*/ | fields @message", [("plain text with Throttling",)]),
        ("filter @message like 'with' | display @message", [("plain text with Throttling",)]),
        (
            "filter ispresent(ms) | stats count(*) as n, sum(ms) as s, avg(ms) as a, min(ms), max(ms), pct(ms, 50) by level | sort level",
            [("2", "19", "9.5", "7", "12", "7", "error"), ("1", "30", "30", "30", "30", "30", "info")],
        ),
        ("stats count(*) as n by bin(5m)", [("2", "2026-11-02 00:00:00"), ("2", "2026-11-02 00:05:00")]),
        (
            "stats max(@timestamp) as newest by user.arn | sort newest desc | limit 2",
            [("2026-11-02 00:08:20", ""), ("2026-11-02 00:06:40", "a")],
        ),
        ("fields coalesce(nope, user.arn) as who | filter ispresent(who) | dedup who | display who", [("a",), ("b",)]),
        ("fields tags.1 as t | filter ispresent(t) | display t", [("y",)]),
        ("filter level = 'none' | stats count(*) as n", [("0",)]),
        ("fields toupper(level) as l, strlen(level) as n | filter n = 4 | display l, n", [("INFO", "4")]),
        ("stats count_distinct(user.arn) as n, earliest(ms), latest(ms)", [("2", "12", "7")]),
    ],
)
def test_queries(query: str, expected: list[tuple[str, ...]]) -> None:
    """The rows are those that Logs Insights describes for these commands."""
    assert rows(query) == expected


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("parse @message 'a *' as x", "The command parse"),
        ("fields md5(a)", "The function md5"),
        ("stats stddev(ms)", "The aggregate stddev"),
        ("filter a like /(x+)+y/", "more than is run here"),
        ("filter " + "(" * 60 + "a" + ")" * 60, "nested too deep"),
        ("fields a ; b", "not read here"),
        ("limit many", "a number is expected"),
    ],
)
def test_what_is_not_run_is_named(query: str, told: str) -> None:
    """A wrong table would be worse than none."""
    with pytest.raises(InvalidValueError, match=told):
        rows(query)


def test_events_outside_the_range_and_unknown_groups() -> None:
    """Only events that arrived in the range count; a group without events is an error with its name."""
    table = answer("SOURCE '/g' | fields level", logs=LOGS, span=Span(start_s=START + 60, end_s=START + 120))
    assert table.rows == (("info",),)
    with pytest.raises(InvalidValueError, match="/other"):
        answer("SOURCE '/other' | fields a", logs=LOGS, span=SPAN)
    with pytest.raises(InvalidValueError, match="no log events"):
        answer("SOURCE '/g' | fields a", logs={}, span=SPAN)
