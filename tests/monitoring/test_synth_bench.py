"""Is the comparison of the synthesis bench one of equal work?"""

from __future__ import annotations

import pytest

from bench.equal_work import model_plans, specification
from bench.synth import assert_equal_work
from cloudwatch.alarm import CompositeAlarm

COUNTS = {"alarms": 13, "metrics per alarm": [(2, 8)], "widgets": 44, "body bytes": 29_000}


def test_the_specification_holds_every_alarm_metric_and_widget() -> None:
    """What the other side builds from is as much as our values hold."""
    (plan,) = model_plans(1)
    (spec,) = specification((plan,))
    assert plan.page is not None
    composites = sum(isinstance(entry.alarm, CompositeAlarm) for entry in plan.alarms)
    assert len(spec["composites"]) == composites
    assert len(spec["alarms"]) == len(plan.alarms.entries) - composites
    assert len(spec["widgets"]) == len(plan.page.body.widgets)
    assert [sum("name" in query for query in alarm["queries"]) for alarm in spec["alarms"]] == [
        len(entry.alarm.metrics) for entry in plan.alarms if not isinstance(entry.alarm, CompositeAlarm)
    ]


@pytest.mark.parametrize(
    "theirs",
    [{"alarms": 12}, {"metrics per alarm": [(1, 8)]}, {"widgets": 43}, {"body bytes": 20_000}],
    ids=["an alarm less", "fewer metrics", "a widget less", "a much smaller body"],
)
def test_less_work_is_refused(theirs: dict[str, object]) -> None:
    """A side that did less stops the bench."""
    with pytest.raises(AssertionError, match=next(iter(theirs))):
        assert_equal_work([COUNTS], [COUNTS | theirs], who="them")


def test_equal_work_passes() -> None:
    """The same counts, and a body a little smaller."""
    assert_equal_work([COUNTS], [COUNTS | {"body bytes": 25_000}], who="them")
