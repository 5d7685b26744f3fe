"""Composites through time, and alarms over several series."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloudwatch.alarm import AlarmState, CompositeAlarm, MissingData
from cloudwatch.alarm_rule import parse_rule
from cloudwatch.composites import composite_transitions, evaluation_order, rule_truth
from cloudwatch.multi_series import insights_state, log_alarm_state, log_result, promql_state, promql_states
from cloudwatch.problems import InvalidValueError
from cloudwatch.state_series import STATES

A, O, I = AlarmState.ALARM, AlarmState.OK, AlarmState.INSUFFICIENT_DATA  # noqa: E741
RULES = [
    "ALARM(a) AND NOT ALARM(b)",
    "(ALARM(a) OR OK(b)) AND TRUE",
    "AT_LEAST(2, NOT OK, (a, b, c))",
    "AT_LEAST(50%, ALARM, (a, b, c))",
    "INSUFFICIENT_DATA(c) OR FALSE",
]


def test_the_first_evaluation_leaves_insufficient_data() -> None:
    """Children without data do not keep a composite in INSUFFICIENT_DATA."""
    found = composite_transitions(parse_rule("ALARM(a)"), {"a": [(5, A)]}, created_s=1)
    assert [(change.at_s, change.state, change.triggers) for change in found] == [(1, O, ()), (5, A, ("a",))]
    before = composite_transitions(parse_rule("ALARM(a)"), {"a": [(5, O), (7, A)]}, created_s=9)
    assert [(change.at_s, change.state) for change in before] == [(9, A)]


def test_children_that_change_together_are_judged_together() -> None:
    """No flicker between two changes of one second, and every child that changed is named."""
    changes = {"a": [(1, A), (9, O)], "b": [(9, A)]}
    found = composite_transitions(parse_rule("ALARM(a) OR ALARM(b)"), changes, created_s=0)
    assert [(change.at_s, change.state) for change in found] == [(0, O), (1, A)]
    both = composite_transitions(parse_rule("OK(a) AND ALARM(b)"), changes, created_s=0)
    assert both[-1].triggers == ("a", "b")
    repeated = composite_transitions(parse_rule("ALARM(b)"), {"a": [(1, A), (9, A)], "b": [(9, A)]}, created_s=0)
    assert repeated[-1].triggers == ("b",)


@given(st.sampled_from(RULES), st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=12))
@settings(max_examples=80, derandomize=True)
def test_truth_over_arrays_equals_the_walk_through_events(rule_text: str, rows: list[tuple[int, int, int]]) -> None:
    """Both forms give the same changes."""
    rule = parse_rule(rule_text)
    table = np.array(rows, dtype=np.uint8).T
    codes = dict(zip("abc", table, strict=True))
    truth = rule_truth(rule, codes, length=len(rows))
    changes = {name: [(at, STATES[code]) for at, code in enumerate(row)] for name, row in codes.items()}
    walked = composite_transitions(rule, changes, created_s=0)
    flips = [at for at in range(len(rows)) if at == 0 or truth[at] != truth[at - 1]]
    assert [(change.at_s, change.state) for change in walked] == [(at, A if truth[at] else O) for at in flips]


def test_composites_are_evaluated_after_their_children() -> None:
    """Whatever the order they are given in; a circle is refused by name."""
    rules = {"top": "ALARM(mid)", "mid": "ALARM(low) OR ALARM(m)", "low": "ALARM(m)"}
    composites = [CompositeAlarm(name=name, rule=rule) for name, rule in rules.items()]
    assert [composite.name for composite in evaluation_order(composites)] == ["low", "mid", "top"]
    with pytest.raises(InvalidValueError, match="a -> b"):
        evaluation_order([CompositeAlarm(name="a", rule="OK(b)"), CompositeAlarm(name="b", rule="OK(a)")])


def test_a_child_that_does_not_exist_is_refused() -> None:
    """A rule over an unknown alarm is an error, not OK."""
    with pytest.raises(InvalidValueError, match="'ghost'"):
        rule_truth(parse_rule("ALARM(ghost)"), {}, length=3)


@pytest.mark.parametrize(
    ("returned", "treat", "expected"),
    [
        (["x", "y"], MissingData.MISSING, A),
        (["y"], MissingData.BREACHING, O),  # x vanished: OK whatever the setting
        (["z"], MissingData.MISSING, I),
        ([], MissingData.BREACHING, A),
        ([], MissingData.MISSING, I),
        ([], MissingData.IGNORE, O),
        ([], MissingData.NOT_BREACHING, O),
    ],
)
def test_metrics_insights_is_in_alarm_if_one_series_is(
    returned: list[str], treat: MissingData, expected: AlarmState
) -> None:
    """Vanished series do not count; nothing at all is a missing evaluation."""
    states = {"x": A, "y": O, "z": I}
    assert insights_state(states, returned=returned, treat=treat, previous=O) == expected


def test_a_log_alarm_counts_results() -> None:
    """M of the last N, with fewer than N results too; an empty count is 0, an empty average is missing."""
    assert log_alarm_state([142, 135, 120], threshold=100, n=5, m=3) == A
    assert log_alarm_state([142, 135, 120, 0, 0, 0], threshold=100, n=5, m=3) == O
    treatments = [MissingData.IGNORE, MissingData.MISSING, MissingData.BREACHING]
    assert [log_alarm_state([142, None], threshold=100, n=2, m=2, treat=treat) for treat in treatments] == [O, A, A]
    assert [log_result("count(*)", []), log_result("avg(ms) by host", []), log_result("avg(ms)", [1, 2])] == [
        0,
        None,
        1.5,
    ]
    with pytest.raises(InvalidValueError):
        log_result("median(ms)", [1])


def test_promql_waits_to_alarm_and_to_recover() -> None:
    """Pending 300 s, recovery 600 s, every minute: ALARM at 300 s, OK 600 s after the series went."""
    states = promql_states([True] * 10 + [False] * 15, interval_s=60, pending_s=300, recovery_s=600)
    assert (states.index(A), states[10:].index(O)) == (5, 10)
    assert promql_states([True, False, True], interval_s=60, pending_s=60) == (O, O, O)
    assert promql_state([O, A]) == A
    with pytest.raises(InvalidValueError):
        promql_states([True], interval_s=45)
