"""What is told of a recorded fallback, minute by minute."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from bedrock.evidence import EvidenceSettings
from bedrock.models import AlarmOverride
from cloudwatch.problems import InvalidValueError
from monitoring.plan import plan
from monitoring.triage.callers import affected_callers
from monitoring.triage.numbers import window_of
from monitoring.triage.offline import recorded_snapshot
from monitoring.triage.render import as_json, as_markdown, as_text
from monitoring.triage.report import _SAYS, triage
from monitoring.triage.snapshot import SeenCall, Snapshot, known_by
from monitoring.triage.verdicts import TABLE
from tests.monitoring.sample_plans import model

if TYPE_CHECKING:
    from monitoring.dataset import Dataset
    from monitoring.plan import Plan


def snapshot(planned: Plan, fallback: tuple[Dataset, int], minutes: int, focus: str | None = None) -> Snapshot:
    """The moment some minutes after the fallback began."""
    dataset, onset_s = fallback
    of = planned.models[0]
    entry = None if focus is None else of.alarms.get(focus)
    return recorded_snapshot(dataset, plan=planned, model=of, at_s=onset_s + 60 * minutes, focus=entry)


def test_a_fallback_is_told_with_its_evidence(planned: Plan, fallback: tuple[Dataset, int]) -> None:
    """Half an hour in: which share, which rate against which baseline, who, how old the evidence is, what it is not."""
    found = triage(snapshot(planned, fallback, 30))
    assert found.cause == "fallback"
    assert found.sure
    assert "served standard instead of optimized" in found.sentence
    assert "calls served standard" in found.sentence
    assert "baseline 90" in found.sentence
    assert {number.slug for number in found.numbers if number.off} >= {"fallback-share", "decode-rate"}
    assert found.affected is not None
    assert found.affected.callers[0].standard > 0
    assert found.affected.newest_s is not None
    assert found.affected.newest_s < found.at_s - 60
    assert any("throttling" in text for text in found.is_not)
    assert len(found.steps) == 3
    assert any("dashboards/dashboard/llm-prod-us-east-1-nova-pro" in address for _, address in found.links)
    held = {line.name: line.held_back for line in found.alarms}
    assert held["llm-prod-nova-pro-slow-decode"]
    assert not held["llm-prod-nova-pro-fallback"]
    assert found.changes == tuple(sorted(found.changes, key=lambda change: -change[0]))


def test_before_it_begins_there_is_no_cause(planned: Plan, fallback: tuple[Dataset, int]) -> None:
    """Nothing in ALARM is nothing to say, and nothing of the future is known."""
    found = triage(snapshot(planned, fallback, -5))
    assert found.cause is None
    assert found.sentence == "No cause of Model nova-pro (nova-pro) is in ALARM."
    assert found.alarms == ()
    assert not any(number.off for number in found.numbers)


def test_the_alarm_that_called_is_named_after_it_recovered(planned: Plan, fallback: tuple[Dataset, int]) -> None:
    """Who comes late reads that it is over."""
    found = triage(snapshot(planned, fallback, -5, focus="fallback"))
    assert found.sentence.startswith("llm-prod-nova-pro-fallback is OK again")
    assert found.alarms[0].focus
    assert found.steps


def test_without_states_the_numbers_answer_and_say_so(planned: Plan, fallback: tuple[Dataset, int]) -> None:
    """The verdict is the same, and labelled."""
    blind = replace(snapshot(planned, fallback, 30), states=None, missing=("states of the alarms: denied",))
    found = triage(blind)
    assert found.cause == "fallback"
    assert not found.sure
    assert found.sentence.startswith("By its numbers alone")
    for text in (as_text(found), as_markdown(found)):
        assert "denied" in text
        assert "numbers alone" in text


def test_without_anything_nothing_is_claimed(planned: Plan, fallback: tuple[Dataset, int]) -> None:
    """Neither alarms nor metrics: that is said, and not that all is well."""
    nothing = replace(snapshot(planned, fallback, 30), states=None, store=None, changes=None, calls=None)
    found = triage(nothing)
    assert found.cause is None
    assert "Nothing can be said" in found.sentence
    assert found.affected is None


def test_too_few_calls_are_not_evaluable(planned: Plan, fallback: tuple[Dataset, int]) -> None:
    """A quiet quarter of an hour is neither good nor bad."""
    before = snapshot(planned, fallback, -5)
    assert before.store is not None
    quiet = replace(before, store=known_by(before.store, 0))
    assert "not evaluable" in triage(quiet).sentence


@pytest.mark.parametrize("minutes", [-5, 5, 30, 60])
def test_text_fits_eighty_columns(planned: Plan, fallback: tuple[Dataset, int], minutes: int) -> None:
    """Every line but addresses; JSON holds every field; Markdown has its links."""
    found = triage(snapshot(planned, fallback, minutes))
    for line in as_text(found).splitlines():
        assert len(line) <= 80 or "https://" in line, line
    parsed = json.loads(as_json(found))
    assert parsed["cause"] == found.cause
    assert {"missing", "affected", "numbers", "steps", "links"} <= parsed.keys()
    assert "](https://" in as_markdown(found)


def test_numbers_are_judged_as_their_alarms_judge_them(planned: Plan, fallback: tuple[Dataset, int]) -> None:
    """With a threshold of 99 % in the configuration nine of ten calls served standard are not out of bounds."""
    changed = AlarmOverride(threshold=99.0)
    watched = replace(planned.deployment.models[0], overrides=(("fallback-share", changed), ("decode-rate", changed)))
    lenient = plan(replace(planned.deployment, models=(watched,)))
    for planned_as, off in ((planned, True), (lenient, False)):
        found = triage(snapshot(planned_as, fallback, 30))
        numbers = {number.slug: number.off for number in found.numbers}
        assert (numbers["fallback-share"], numbers["decode-rate"]) == (off, off)


def test_a_moment_outside_the_recording_is_refused(planned: Plan, fallback: tuple[Dataset, int]) -> None:
    """A day later nothing is known."""
    with pytest.raises(InvalidValueError, match="does not lie in the recording"):
        snapshot(planned, fallback, 60 * 48)


def test_the_future_is_not_known(planned: Plan, fallback: tuple[Dataset, int]) -> None:
    """No row of the metrics was available after the moment."""
    seen = snapshot(planned, fallback, 10)
    assert seen.store is not None
    newest = max(int(source.available_at.max()) for each in seen.store.sources.values() for source in each)
    assert newest <= seen.at_s
    assert seen.calls is not None
    assert max(call.arrived_s for call in seen.calls) <= seen.at_s


def test_the_window_is_whole_and_has_arrived() -> None:
    """A quarter of an hour on five-minute borders, two minutes back at least."""
    start_s, end_s = window_of(3600 * 10 + 60)
    assert (start_s, end_s) == (3600 * 10 - 1200, 3600 * 10 - 300)
    assert window_of(3600 * 10 + 120)[1] == 3600 * 10


def record(role: str, **more: Any) -> SeenCall:
    """A record of a call of the model that arrived three minutes after it."""
    return SeenCall(
        arrived_s=datetime(2026, 11, 2, 9, 3, tzinfo=UTC).timestamp(),
        record={
            "eventTime": "2026-11-02T09:00:00Z",
            "eventType": "AwsApiCall",
            "requestParameters": {"modelId": "us.amazon.nova-pro-v1:0"},
            "userIdentity": {"arn": f"arn:aws:sts::111122223333:assumed-role/{role}/session-{len(more)}"},
            **more,
        },
    )


def test_callers_are_counted_by_role_worst_first() -> None:
    """Sessions of a role are one caller; other models and second records of streams do not count."""
    standard = {"additionalEventData": {"performanceConfig": {"latency": "standard"}, "inferenceRegion": "us-west-2"}}
    calls = [
        record("batch", errorCode="ThrottlingException"),
        record("batch", **standard),
        record("checkout"),
        record("checkout", eventType="AwsServiceEvent"),
        record("stranger", requestParameters={"modelId": "other"}),
    ]
    found = affected_callers(calls, model=model(), evidence=EvidenceSettings())
    assert [(each.role, each.calls, each.throttled, each.standard) for each in found.callers] == [
        ("role/batch", 2, 1, 1),
        ("role/checkout", 1, 0, 0),
    ]
    assert found.records == 3
    assert dict(found.regions)["us-west-2"] == 1
    assert found.delay_s == 180


def test_every_cause_has_its_words() -> None:
    """No row of the table is without a sentence, and no sentence without a row."""
    assert {row.slug for row in TABLE} == set(_SAYS)
