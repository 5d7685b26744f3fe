"""What metric filters make of log events, and which filters would be refused."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cloudwatch.metric_filter import MetricFilter
from cloudwatch.metric_filter_events import FilterOutput, filter_events
from cloudwatch.metric_filter_limits import filter_problems, log_group_problems, regex_count
from cloudwatch.patterns import parse_pattern
from cloudwatch.problems import InvalidValueError, ProblemsError
from cloudwatch.switches import Switches

HITS = MetricFilter(
    name="hits", log_group="g", pattern='{ $.mode = "standard" }', namespace="N", metric="Standard", default_value=0
)
STANDARD, OPTIMIZED = {"mode": "standard"}, {"mode": "optimized"}


def rows(output: FilterOutput) -> list[tuple[int, int, float]]:
    """Timestamp, clock and value of each sample of the only metric."""
    ((_, samples),) = output.samples
    return list(zip(samples.timestamps.tolist(), samples.available_at.tolist(), samples.sums.tolist(), strict=True))


def test_matches_publish_and_quiet_minutes_publish_the_default() -> None:
    """A minute with a match has its value only, one without a match the default of each event, an empty one nothing."""
    output = filter_events(
        HITS,
        events=[STANDARD, OPTIMIZED, OPTIMIZED, OPTIMIZED],
        event_times_s=[600, 610, 665, 670],
    )
    assert rows(output) == [(600, 600, 1.0), (660, 670, 0.0), (660, 670, 0.0)]
    assert (output.matches, output.unusable) == (1, 0)


def test_no_events_publish_nothing() -> None:
    """Without log events there is no sample, default value or not."""
    assert filter_events(HITS, events=[], event_times_s=[]).samples == ()


def test_late_events_count_when_they_are_ingested() -> None:
    """The sample lies in the minute of ingestion; under the other switch in that of the event, seen as late as before."""
    given: dict[str, Any] = {"events": [STANDARD], "event_times_s": [605], "ingestion_times_s": [1205]}
    assert rows(filter_events(HITS, **given)) == [(1200, 1205, 1.0)]
    by_event = Switches(filter_timestamp="event")
    assert rows(filter_events(HITS, **given, switches=by_event)) == [(600, 1205, 1.0)]


def test_one_record_sent_again_counts_as_its_copies_do() -> None:
    """A feed that repeats one object gives the same samples as one of equal objects, whatever stands between."""
    order = [STANDARD, STANDARD, OPTIMIZED, OPTIMIZED, STANDARD, STANDARD]
    times = [600, 610, 665, 670, 730, 735]
    same = filter_events(HITS, events=order, event_times_s=times)
    copies = filter_events(HITS, events=[dict(event) for event in order], event_times_s=times)
    assert rows(same) == rows(copies)
    assert (same.matches, copies.matches) == (4, 4)


def test_publishing_may_take_time() -> None:
    """A publish delay moves when samples are seen, not where they lie."""
    output = filter_events(HITS, events=[STANDARD], event_times_s=[605], publish_delay_s=30)
    assert rows(output) == [(600, 635, 1.0)]


def test_the_default_can_count_beside_matches() -> None:
    """Under the other switch every event without a match publishes the default value."""
    nonzero = replace(HITS, default_value=5)
    switches = Switches(filter_default_with_match="yes")
    output = filter_events(nonzero, events=[STANDARD, OPTIMIZED], event_times_s=[600, 601], switches=switches)
    assert sorted(value for _, _, value in rows(output)) == [1.0, 5.0]


def test_values_come_from_events() -> None:
    """Numbers and numeric text are published; what is no number is counted."""
    values = replace(HITS, pattern="{ $.mode = * }", value="$.ms", default_value=None)
    events = [{"mode": "a", "ms": ms} for ms in (12, "1.5e1", "fast", None, True, [1], 1e300)]
    output = filter_events(values, events=events, event_times_s=[600] * len(events))
    assert sorted(value for _, _, value in rows(output)) == [12.0, 15.0]
    assert (output.matches, output.unusable) == (7, 5)


def test_messages_are_events_too() -> None:
    """Lines and JSON texts are read; a line that is no JSON matches no JSON pattern."""
    line = replace(HITS, pattern="[mode = standard, ms]", value="$ms", default_value=None)
    assert rows(filter_events(line, events=["standard 7"], event_times_s=[600])) == [(600, 600, 7.0)]
    texts = ['{"mode": "standard"}', "standard", "{"]
    assert filter_events(HITS, events=texts, event_times_s=[600] * 3).matches == 1


def test_dimensions_split_the_metric() -> None:
    """Each combination of values is its own metric; an event without one of them publishes nothing."""
    split = replace(
        HITS, pattern="{ $.mode = * }", default_value=None, dimensions=(("Model", "$.model"), ("Ok", "$.ok"))
    )
    events = [
        {"mode": 1, "model": m, "ok": ok} for m, ok in (("a", True), ("b", True), ("a", True), ("", True), ("a", None))
    ]
    output = filter_events(split, events=events, event_times_s=range(600, 605))
    found = {metric.dimensions: len(samples) for metric, samples in output.samples}
    assert found == {(("Model", "a"), ("Ok", "true")): 2, (("Model", "b"), ("Ok", "true")): 1}
    assert output.unusable == 2


def test_samples_do_not_depend_on_the_order_of_events() -> None:
    """Events may come in any order."""
    rng = np.random.default_rng(7)
    events = [STANDARD if rng.random() < 0.5 else OPTIMIZED for _ in range(60)]
    times = rng.integers(600, 1200, 60)
    order = rng.permutation(60)
    one = filter_events(HITS, events=events, event_times_s=times)
    other = filter_events(HITS, events=[events[k] for k in order], event_times_s=times[order])
    assert sorted(rows(one)) == sorted(rows(other))


def test_an_event_is_not_ingested_before_it_happened() -> None:
    """Clocks that run backwards are refused, and so are columns of another length."""
    with pytest.raises(InvalidValueError, match="before it happened"):
        filter_events(HITS, events=[STANDARD], event_times_s=[600], ingestion_times_s=[599])
    with pytest.raises(InvalidValueError, match="there are 1 events"):
        filter_events(HITS, events=[STANDARD], event_times_s=[600, 601])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"pattern": "{ $.mode = "}, "value is missing"),
        ({"value": "many"}, "neither a number nor a selector"),
        ({"value": "$mode"}, "names no field"),
        ({"pattern": "ERROR", "value": "$.ms"}, "text pattern has no fields"),
        ({"pattern": "[a, b]", "value": "$c"}, "$a, $b"),
        ({"pattern": "ERROR", "default_value": None, "dimensions": (("D", "$.d"),)}, "no fields for dimensions"),
        ({"default_value": None, "dimensions": (("D", "d"),)}, "dimension D"),
    ],
)
def test_filters_that_would_be_refused(change: dict[str, Any], says: str) -> None:
    """One thing is broken at a time; evaluation refuses the filter with the same words."""
    broken = replace(HITS, **change)
    (problem,) = filter_problems(broken)
    assert says in problem.message
    with pytest.raises(ProblemsError):
        filter_events(broken, events=[], event_times_s=[])


def test_a_good_filter_has_no_problems() -> None:
    """The filter that the refused ones start from is fine."""
    assert filter_problems(HITS) == ()
    assert log_group_problems([HITS]) == ()


def test_limits_of_a_log_group() -> None:
    """100 filters and 5 with regular expressions are the most, names are unique, groups are counted apart."""
    many = [replace(HITS, name=f"f{number}") for number in range(101)]
    regexes = [replace(HITS, name=f"r{number}", pattern="[a = %x%, b]") for number in range(6)]
    assert [problem.code for problem in log_group_problems(many)] == ["too-many-filters"]
    assert [problem.code for problem in log_group_problems(regexes)] == ["too-many-regex-filters"]
    assert [problem.code for problem in log_group_problems([HITS, HITS])] == ["duplicate-name"]
    assert log_group_problems([*many[:100], replace(many[100], log_group="h")]) == ()


@pytest.mark.parametrize(
    ("pattern", "count"),
    [("%a% -%b%", 2), ("a", 0), ("{ $.a = %x% || ($.b = 1 && $.c != %y%) }", 2), ("[a = %x%, b, ...]", 1)],
)
def test_regular_expressions_are_counted(pattern: str, count: int) -> None:
    """In every kind of pattern."""
    assert regex_count(parse_pattern(pattern)) == count
