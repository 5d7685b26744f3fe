"""What alarms would have done over a recording."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from alarms.alarm_set import Severity
from cloudwatch.problems import InvalidValueError
from monitoring.backtest.run import backtest, history_of
from monitoring.backtest.tell import as_rows, as_text, difference_rows, difference_text
from monitoring.backtest.what_if import Incident, find_alarm, what_if
from tests.monitoring.backtest.samples import END, START, at, entries, store, symptom

if TYPE_CHECKING:
    from monitoring.backtest.run import Backtest

BURST = dict.fromkeys((30, 31, 32, 33, 90, 91), 20.0) | {130: 12.0, 150: 12.0}


def run(values: dict[int, float] | None = None, **changes: object) -> Backtest:
    """Run the small world."""
    return backtest(entries(), store=store(BURST if values is None else values), start_s=START, end_s=END, **changes)  # type: ignore[arg-type]


def test_firings_and_calls_are_those_of_cloudwatch() -> None:
    """Two of three minutes: from the second breaching minute's end until fewer than two of three breach; pages wait 60 s."""
    result = run()
    symptom_row, _, page_row = result.rows
    assert symptom_row.firings == ((at(32), at(36)), (at(92), at(94)))
    assert page_row.calls == (at(33), at(93))
    assert (result.pages, symptom_row.pages, symptom_row.minutes) == (2, 0, 6)


def test_only_pages_count_as_pages() -> None:
    """The same composite as a ticket calls, and pages nobody."""
    result = backtest(entries(severity=Severity.TICKET), store=store(BURST), start_s=START, end_s=END)
    assert (result.pages, len(result.rows[2].calls)) == (0, 2)


def test_history_says_what_really_fired() -> None:
    """A firing within ten minutes of a real one is the same; one that never was is not."""
    items = [
        (
            at(95),
            {
                "alarm": "llm-prod-m-service-errors-1",
                "type": "StateUpdate",
                "data": {"newState": {"stateValue": "ALARM"}},
            },
        ),
        (
            at(99),
            {"alarm": "llm-prod-m-service-errors-1", "type": "StateUpdate", "data": {"newState": {"stateValue": "OK"}}},
        ),
        (at(99), {"alarm": "llm-prod-m-service-errors-1", "type": "Action", "data": None}),
    ]
    history = history_of(items, end_s=END)
    row = run(history=history).rows[0]
    assert row.real == ((at(95), at(99)),)
    assert row.matched == 1
    assert run().rows[0].real is None


def test_a_real_firing_that_is_still_on_ends_with_the_recording() -> None:
    """Without a way back it lasts to the end."""
    items = [(at(5), {"alarm": "a", "type": "StateUpdate", "data": {"newState": {"stateValue": "ALARM"}}})]
    assert history_of(items, end_s=END) == {"a": [(at(5), END)]}


def test_what_cannot_be_computed_is_left_out_with_what_needs_it() -> None:
    """A percentile of which only counts are known costs its alarm and the composite over it; the rest runs."""
    import numpy as np

    from cloudwatch.series import GivenStatistic
    from cloudwatch.stat import parse_stat
    from cloudwatch.store import MetricStore
    from tests.monitoring.backtest.samples import ERRORS

    times = START + 60 * np.arange(180)
    only_sums = MetricStore.of(
        [(ERRORS, GivenStatistic.of_points(times, np.ones(180), stat=parse_stat("Sum"), period_s=60))]
    )
    result = backtest(entries(symptom(stat="p90")), store=only_sums, start_s=START, end_s=END)
    assert "p90 cannot be derived" in result.rows[0].skipped
    assert result.rows[1].skipped == ""
    assert result.rows[2].skipped == "it needs llm-prod-m-service-errors-1, which was left out"


def test_nothing_recorded_is_said() -> None:
    """An alarm whose metrics are not in the recording is not a quiet alarm."""
    from cloudwatch.store import MetricStore

    result = backtest(entries(), store=MetricStore.of([]), start_s=START, end_s=END)
    assert [row.has_data for row in result.rows] == [False, False, True]
    assert "nothing recorded of what 2 alarms read" in as_text(result, place="prod")


def test_the_table_fits_and_names_what_fired() -> None:
    """One line for each alarm that fired, and the count of the others."""
    text = as_text(run(), place="prod in us-east-1")
    assert "llm-prod-m-service-errors  " in text
    assert "2 pages; 1 alarms never fired." in text
    assert max(map(len, text.splitlines())) <= 120
    assert json.loads(json.dumps(as_rows(run())))[2]["calls"] == [at(33), at(93)]


def test_a_difference_names_only_what_differs() -> None:
    """A higher threshold drops one firing of the symptom and one page; the quiet alarm is not named."""
    values = BURST | {90: 12.0, 91: 12.0}
    before = run(values)
    after = backtest(entries(symptom(threshold=15)), store=store(values), start_s=START, end_s=END)
    rows = difference_rows(before, after)
    assert [(row["alarm"], row["pages_before"], row["pages_after"]) for row in rows] == [
        ("llm-prod-m-service-errors-1", 0, 0),
        ("llm-prod-m-service-errors", 2, 1),
    ]
    assert "pages 2 before, 1 after" in difference_text(before, after, place="prod")
    assert "no alarm would have done anything else" in difference_text(before, before, place="prod")


INCIDENT = Incident(name="outage", start_s=at(29), end_s=at(40), slugs=("service-errors",))


def grid(budget: float | None, **changes: object) -> object:
    """Vary the symptom."""
    options: dict[str, object] = {
        "thresholds": (10, 15, 25),
        "windows": ((1, 1), (2, 3), (4, 4)),
        "incidents": (INCIDENT,),
    }
    return what_if(
        entries(),
        alarm="m/service-errors-1",
        store=store(BURST),
        start_s=START,
        end_s=END,
        budget=budget,
        **(options | changes),  # type: ignore[arg-type]
    )


def test_a_setting_runs_as_if_it_were_configured() -> None:
    """Every cell of the grid is what a backtest of that setting says."""
    found = what_if(entries(), alarm="service-errors-1", store=store(BURST), start_s=START, end_s=END)
    assert sum(variant.current for variant in found.variants) == 1
    for variant in found.variants:
        alone = backtest(
            entries(symptom(variant.threshold, variant.m, variant.n)), store=store(BURST), start_s=START, end_s=END
        )
        assert (variant.calls, variant.fired) == (alone.rows[2].calls, len(alone.rows[0].firings))


def test_the_suggestion_misses_nothing_within_the_budget() -> None:
    """Without a budget the quickest setting; with none to spare one that calls for nothing but the incident."""
    quickest = grid(None)
    assert (quickest.suggestion.threshold, quickest.suggestion.m, quickest.suggestion.n) == (10, 1, 1)  # type: ignore[attr-defined]
    sparing = grid(0)
    assert sparing.suggestion is not None  # type: ignore[attr-defined]
    assert (sparing.suggestion.m, sparing.suggestion.n, sparing.suggestion.noise_per_week) == (4, 4, 0)  # type: ignore[attr-defined]
    deaf = [variant for variant in sparing.variants if variant.threshold == 25]  # type: ignore[attr-defined]
    assert all(variant.missed == ("outage",) for variant in deaf)
    assert grid(0, thresholds=(25,)).suggestion is None  # type: ignore[attr-defined]


def test_an_incident_of_another_cause_does_not_count() -> None:
    """An incident that this alarm cannot call for is left out."""
    found = grid(None, incidents=(Incident(name="x", start_s=at(1), end_s=at(2), slugs=("throttled",)),))
    assert found.incidents == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "said"), [("service-errors", "is a composite"), ("nothing", "there is no alarm nothing; there are")]
)
def test_what_cannot_be_varied_is_said(name: str, said: str) -> None:
    """A composite names the alarms under it, an unknown name those that there are."""
    with pytest.raises(InvalidValueError, match=said):
        find_alarm(entries(), name)
