"""A verdict is what a person on call would say of it: once and right, once and wrong, twice, or never."""

from __future__ import annotations

import pytest

from bedrock.simulator import Truth
from monitoring.quality.cases import Case, Family
from monitoring.quality.score import Outcome, verdict_for
from monitoring.quality.summary import Scored, healthy, summary
from monitoring.quality.watch import Call, Told
from monitoring.quality.world import Observation

ONSET, END = 6000, 12_000


def observation(
    *calls: tuple[int, str],
    pages: tuple[str, ...] = ("fallback",),
    family: Family = Family.FALLBACK,
    spans: dict[str, tuple[tuple[int, int], ...]] | None = None,
) -> Observation:
    """Return an incident in which `calls` (second, cause) were paged."""
    truth = Truth(
        name="incident",
        onset_s=ONSET,
        end_s=END,
        deep_at_s=ONSET + 900,
        broken="ttft",
        page=pages[0] if pages else None,
        pages=pages,
        tickets=("fallback-share",),
    )
    told = Told(
        pages=tuple(Call(at_s=at, cause=cause) for at, cause in calls),
        tickets=(Call(at_s=ONSET + 60, cause="fallback-share"),),
        spans=spans or {},
    )
    return Observation(
        case=Case(incident="incident", model="model", seed=1),
        family=family,
        requests_per_minute=20,
        truth=truth,
        depth=None,
        told={"ours": told},
        minutes=300,
    )


@pytest.mark.parametrize(
    ("calls", "pages", "outcome"),
    [
        ([(ONSET + 600, "fallback")], ("fallback",), Outcome.RIGHT),
        ([(ONSET + 600, "throttled")], ("fallback", "throttled"), Outcome.RIGHT),
        ([(ONSET + 600, "fallback"), (END + 60, "fallback")], ("fallback",), Outcome.AGAIN),
        ([(ONSET + 600, "fallback"), (ONSET + 900, "throttled")], ("fallback", "throttled"), Outcome.AGAIN),
        ([(ONSET + 600, "slow-decode")], ("fallback",), Outcome.WRONG),
        ([(ONSET + 600, "slow-decode"), (ONSET + 700, "fallback")], ("fallback",), Outcome.WRONG),
        ([(ONSET - 600, "fallback")], ("fallback",), Outcome.WRONG),
        ([], ("fallback",), Outcome.MISSED),
        ([], (), Outcome.RIGHT),
        ([(ONSET + 600, "fallback")], (), Outcome.WRONG),
    ],
)
def test_outcome(calls: list[tuple[int, str]], pages: tuple[str, ...], outcome: Outcome) -> None:
    """Only one page of a right cause after the onset is right, and silence where nobody may be woken."""
    assert verdict_for(observation(*calls, pages=pages), "ours").outcome is outcome


def test_a_second_page_of_the_other_cause_is_a_confusion() -> None:
    """Throttling told in a fallback counts even where the first page was right; in both at once it does not."""
    calls = [(ONSET + 600, "fallback"), (ONSET + 900, "throttled")]
    assert verdict_for(observation(*calls), "ours").confused
    both = observation(*calls, pages=("fallback", "throttled"), family=Family.BOTH)
    assert not verdict_for(both, "ours").confused


def test_delays_are_counted_from_onset_and_end() -> None:
    """Detection runs from the onset, clearing from the end, and going off again inside the incident is a flap."""
    spans = {"fallback": ((ONSET + 600, ONSET + 900), (ONSET + 1200, END + 240))}
    verdict = verdict_for(observation((ONSET + 600, "fallback"), spans=spans), "ours")
    assert (verdict.detection_s, verdict.clear_s, verdict.flaps) == (600, 240, 1)


def test_summary_counts_each_incident_once() -> None:
    """Outcomes add up to the incidents, and a missed one has no delay."""
    some = [observation((ONSET + 600, "fallback")), observation(), observation((ONSET + 60, "slow-decode"))]
    total = summary(Scored(observation=each, verdict=verdict_for(each, "ours")) for each in some)
    assert (total.incidents, total.right, total.missed, total.wrong, total.again) == (3, 1, 1, 1, 0)
    assert total.detection(0.5) == 600


def test_false_pages_are_counted_by_the_week() -> None:
    """Two pages in one tenth of a week and none in another are ten a week."""
    short = [observation((60, "throttled"), (120, "throttled")), observation()]
    found = healthy([week for week in short for _ in range(1)], "ours")
    assert found.by_cause == (("throttled", 2),)
    assert found.per_week == pytest.approx(2 / (600 / 10_080))
