"""A recording made from an account: real history instead of a replay, coarse rows, and percentiles of several periods."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from bedrock.evidence import ServedAs
from bedrock.metrics import BedrockMetric, invocation_metric
from cloudwatch.problems import InvalidValueError
from cloudwatch.series import GivenStatistic, Samples
from cloudwatch.stat import parse_stat
from monitoring.dataset import Dataset, EventLog
from monitoring.plan import Plan, plan
from monitoring.recording.sources import ALARM_HISTORY
from monitoring.review.report import Review, build_review
from monitoring.review.sources import recorded_fortnight, recorded_store
from monitoring.review.week import parse_week, week_before
from tests.monitoring.sample_plans import SITE, deployment, model

if TYPE_CHECKING:
    from cloudwatch.metric import Metric

WEEK = parse_week("2026-W48")
WEEKS = (WEEK, week_before(WEEK))
PAGED = "llm-prod-nova-pro-fallback"
MODEL_ID = "us.amazon.nova-pro-v1:0"


@pytest.fixture(scope="module")
def planned() -> Plan:
    """One model."""
    return plan(deployment(models=(model(model_ids=(MODEL_ID,)),)))


def placed(name: str) -> Metric:
    """A metric with its account and Region, as recordings hold it."""
    return replace(invocation_metric(MODEL_ID, name), account_id=SITE.account_id, region=SITE.region)


def calls(step_s: int) -> Samples:
    """Ten calls in each row, as a statistic set."""
    times = np.arange(WEEKS[1].start_s, WEEK.end_s, step_s)
    rows = len(times)
    return Samples.of_sets(
        times, counts=np.full(rows, 10.0), sums=np.full(rows, 10.0), minima=np.ones(rows), maxima=np.ones(rows)
    )


def tails(period_s: int, value: float) -> GivenStatistic:
    """A p90 of the latency over a period."""
    times = np.arange(WEEKS[1].start_s, WEEK.end_s, period_s)
    return GivenStatistic.of_points(times, np.full(len(times), value), stat=parse_stat("p90"), period_s=period_s)


def recording(planned: Plan, *, step_s: int = 60, history: bool = True) -> Dataset:
    """Two weeks with a page on Monday at one, over at three."""
    items: list[tuple[int, dict[str, Any]]] = [
        (3600, {"alarm": PAGED, "type": "StateUpdate", "data": {"newState": {"stateValue": "ALARM"}}}),
        (3601, {"alarm": PAGED, "type": "Action", "summary": "Successfully executed action arn:aws:sns:x"}),
        (10_800, {"alarm": PAGED, "type": "StateUpdate", "data": {"newState": {"stateValue": "OK"}}}),
        (3600, {"alarm": "theirs", "type": "StateUpdate", "data": {"newState": {"stateValue": "ALARM"}}}),
        (20_000, {"alarm": PAGED, "type": "ConfigurationUpdate", "data": None}),
    ]
    times = np.array([WEEK.start_s + at for at, _ in items], dtype=np.int64)
    log = EventLog(
        log_group=ALARM_HISTORY,
        records=tuple(item for _, item in items),
        event_times_s=times,
        ingestion_times_s=times,
    )
    served = planned.evidence.served("nova-pro", ServedAs.OPTIMIZED)[0]
    return Dataset(
        start_s=WEEKS[1].start_s,
        end_s=WEEK.end_s,
        series=(
            (placed(BedrockMetric.INVOCATIONS), calls(step_s)),
            (placed(BedrockMetric.LATENCY), tails(60, 111.0)),
            (placed(BedrockMetric.LATENCY), tails(3600, 222.0)),
            (replace(served, account_id=SITE.account_id, region=SITE.region), calls(step_s)),
        ),
        logs=(log,) if history else (),
        about={"source": "aws", "covered": {"history 111122223333/us-east-1": [[0, 1]]} if history else {}},
    )


def review(planned: Plan, dataset: Dataset) -> Review:
    """Its review."""
    found = recorded_fortnight(dataset, plan=planned, weeks=WEEKS)
    return build_review(
        planned,
        weeks=WEEKS,
        this=found.this,
        last=found.last,
        history=found.history,
        missing=found.missing,
        source=found.source,
    )


def test_the_recorded_history_counts_and_not_a_replay(planned: Plan) -> None:
    """What really paged is told, with its recovery; alarms of others are not."""
    found = review(planned, recording(planned))
    assert found.alarms is not None
    assert found.alarms.source == "history of the alarms, as recorded"
    assert [(line.entry.alarm.name, len(line.called), line.recover_s) for line in found.alarms.lines] == [
        (PAGED, 1, 7200)
    ]


def test_without_a_history_what_can_be_replayed_is(planned: Plan) -> None:
    """Alarms whose statistics were not recorded are named, the others run."""
    found = review(planned, recording(planned, history=False))
    assert found.alarms is not None
    assert "replayed" in found.alarms.source


def test_of_several_periods_the_longest_percentile_is_taken(planned: Plan) -> None:
    """Hourly p90s are nearer to one of all calls than those of minutes."""
    found = review(planned, recording(planned)).models[0].week.latency_ms[90]
    assert (found.value, found.of) == (222.0, "median of hourly p90s")


@pytest.mark.parametrize(("step_s", "minutes"), [(60, True), (300, False), (3600, False)])
def test_coarse_rows_give_no_minutes(planned: Plan, step_s: int, minutes: bool) -> None:
    """Rows of five minutes read as minutes would be bursts of five times the traffic: they are not."""
    found = review(planned, recording(planned, step_s=step_s))
    one = found.models[0]
    assert (one.week.peak_requests is not None) is minutes
    assert one.bursts == ()
    assert any("single minutes" in each for each in found.missing) is not minutes
    assert one.week.calls == 10 * 7 * 86_400 / step_s


def test_evidence_that_was_recorded_is_not_counted_from_events_too(planned: Plan) -> None:
    """A series that the recording holds is taken as it is."""
    store = recorded_store(recording(planned), planned)
    served = planned.evidence.served("nova-pro", ServedAs.OPTIMIZED)[0]
    assert len(store.sources[served]) == 1


def test_another_week_is_refused(planned: Plan) -> None:
    """With the times that the recording holds."""
    weeks = (parse_week("2026-W10"), parse_week("2026-W09"))
    with pytest.raises(InvalidValueError, match=r"runs from 2026-11-16 .* holds nothing of 2026-W10"):
        recorded_fortnight(recording(planned), plan=planned, weeks=weeks)
