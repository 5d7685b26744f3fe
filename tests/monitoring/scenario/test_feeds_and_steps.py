"""Samples by steps, events until a time, notes on what is probably not meant, and verdicts that rest on filters."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cloudwatch.problems import ProblemsError
from cloudwatch.series import Samples
from monitoring.scenario import report
from monitoring.scenario.document import load_scenario
from monitoring.scenario.run import run_scenario
from monitoring.scenario.step_samples import draw

FILTERED = """\
name: throttled records come five minutes late
alarms: {template: filters.json}
start: 2026-11-02T09:00:00Z
duration: 30m
events:
  - log_group: calls
    at: 2m
    every: 20s
    until: 8m
    available_after: 5m
    records: [{errorCode: ThrottlingException}]
expect:
  - {alarm: Alarm, at: +20m, state: OK}
"""

STEPS = """\
name: steps
alarms: {template: filters.json}
start: 2026-11-02T09:00:00Z
duration: 10m
series:
  - metric: N Latency
    samples: {count: 3, values: 420x4 900x2 _ 420x3}
expect:
  - {alarm: Alarm, never: ALARM}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a template of one filter and one alarm: three matches in a minute, two minutes of three."""
    resources = {
        "Filter": {
            "Type": "AWS::Logs::MetricFilter",
            "Properties": {
                "LogGroupName": "calls",
                "FilterPattern": '{ $.errorCode = "Throttl*" }',
                "MetricTransformations": [{"MetricNamespace": "N", "MetricName": "T", "MetricValue": "1"}],
            },
        },
        "Alarm": {
            "Type": "AWS::CloudWatch::Alarm",
            "Properties": {
                "Namespace": "N",
                "MetricName": "T",
                "Statistic": "Sum",
                "Period": 60,
                "EvaluationPeriods": 3,
                "DatapointsToAlarm": 2,
                "Threshold": 3,
                "ComparisonOperator": "GreaterThanOrEqualToThreshold",
                "TreatMissingData": "notBreaching",
                "AlarmActions": ["arn:aws:sns:us-east-1:111122223333:oncall"],
            },
        },
    }
    (tmp_path / "filters.json").write_text(json.dumps({"Resources": resources}), encoding="utf-8")
    return tmp_path


def written(folder: Path, text: str) -> Path:
    """A scenario file in the folder."""
    file = folder / "scenario.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def samples_of(folder: Path, samples: str) -> Samples:
    """What `samples: ...` becomes."""
    file = written(folder, STEPS.replace("{count: 3, values: 420x4 900x2 _ 420x3}", samples))
    ((_, found),) = load_scenario(file).series
    assert isinstance(found, Samples)
    return found


def test_all_samples_of_a_step_are_alike(folder: Path) -> None:
    """Three values a minute, none in the minute of the gap."""
    found = samples_of(folder, "{count: 3, values: 420x4 900x2 _ 420x3}")
    assert found.sums.tolist() == [420.0] * 12 + [900.0] * 6 + [420.0] * 9
    assert np.unique((found.timestamps - found.timestamps[0]) // 60).tolist() == [0, 1, 2, 3, 4, 5, 7, 8, 9]


def test_the_number_of_samples_may_change(folder: Path) -> None:
    """As many counts as steps; 0 is a step without samples."""
    found = samples_of(folder, "{count: 2 0 1, values: 5x3}")
    assert ((found.timestamps - found.timestamps[0]) // 60).tolist() == [0, 0, 2]


def test_drawn_samples_follow_their_counts(folder: Path) -> None:
    """A distribution is drawn as often as each step says."""
    found = samples_of(folder, "{every: 5m, count: 4 1, distribution: {constant: 7}}")
    assert ((found.timestamps - found.timestamps[0]) // 300).tolist() == [0, 0, 0, 0, 1]


def test_drawn_values_depend_on_the_seed_alone() -> None:
    """One seed, one list; another seed, another list."""
    lognormal = {"lognormal": {"median": 420.0, "p90": 800.0}}
    first, again, other = (np.concatenate(draw(lognormal, counts=[50, 50], seed=seed)) for seed in (1, 1, 2))
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


def test_events_are_sent_until_a_time(folder: Path) -> None:
    """Every 20 seconds from minute 2 to minute 8 are 18 events, and they arrive five minutes later."""
    (feed,) = load_scenario(written(folder, FILTERED)).feeds
    start = feed.event_s[0] - 120
    assert [feed.event_s[-1] - start, len(feed.event_s)] == [7 * 60 + 40, 18]
    assert {after - before for before, after in zip(feed.event_s, feed.ingestion_s, strict=True)} == {300}


def test_a_list_of_events_is_sent_over_and_over(folder: Path) -> None:
    """Two records in turn: every second one matches."""
    text = FILTERED.replace("[{errorCode: ThrottlingException}]", "[{errorCode: ThrottlingException}, {errorCode: X}]")
    (feed,) = load_scenario(written(folder, text)).feeds
    assert [event["errorCode"] for event in feed.events[:3]] == ["ThrottlingException", "X", "ThrottlingException"]


@pytest.mark.parametrize(
    ("at", "state", "switches"),
    [("+9m", "ALARM", {"filter_timestamp"}), ("+5m", "OK", set())],
)
def test_a_verdict_on_late_records_says_which_time_it_rests_on(
    folder: Path, at: str, state: str, switches: set[str]
) -> None:
    """Whether a filter stamps arrival or event decides whether a late record is seen: the verdict is fragile."""
    outcome = run_scenario(load_scenario(written(folder, FILTERED.replace("+20m, state: OK", f"{at}, state: {state}"))))
    assert outcome.failures == ()
    assert {found.switch for found in outcome.fragile} == switches


def test_a_series_that_no_alarm_reads_is_noted(folder: Path) -> None:
    """A misspelt metric would else be a silent metric; the note names what was probably meant."""
    outcome = run_scenario(load_scenario(written(folder, STEPS.replace("N Latency", "N t"))))
    assert outcome.failures == ()
    text = report.as_text([outcome], strict=True)
    assert text.startswith("ok")
    assert "note: line 6: no alarm reads N t without dimensions. Did you mean 'N T without dimensions'?" in text
    (row,) = json.loads(report.as_json([outcome], [], strict=False))["scenarios"]
    assert len(row["notes"]) == 1


def test_points_after_the_end_are_noted(folder: Path) -> None:
    """Nobody sees them: the duration or a count is wrong."""
    series = "samples: {count: 3, values: 420x4 900x2 _ 420x3}"
    text = STEPS.replace("N Latency", "N T").replace(series, "stat: Sum\n    values: 1x12")
    outcome = run_scenario(load_scenario(written(folder, text)))
    assert [note.message for note in outcome.notes] == ["N T: 2 points lie after the end of the scenario."]


def test_a_missing_notification_says_why(folder: Path) -> None:
    """An alarm that was never in ALARM is told from one that has no actions."""
    text = FILTERED.replace("{alarm: Alarm, at: +20m, state: OK}", "{notified: [Alarm, Alarm]}")
    told = report.as_text([run_scenario(load_scenario(written(folder, text)))], strict=False)
    assert "as expected Alarm, at 2026-11-02 09:09Z (own change)" in told
    assert "missing     Alarm: in ALARM from 2026-11-02 09:09Z" in told


def test_a_configuration_that_was_written_anew_is_read_anew(folder: Path) -> None:
    """Scenarios of one configuration read it once, but never an old version of it."""
    example = Path(__file__).resolve().parents[3] / "examples" / "acme" / "monitoring.yaml"
    config = folder / "monitoring.yaml"
    config.write_text(example.read_text(encoding="utf-8"), encoding="utf-8")
    text = STEPS.replace(
        "{template: filters.json}", "{config: monitoring.yaml, account: prod-assistant, region: us-east-1}"
    )
    text = text.replace("alarm: Alarm", "alarm: llm-prod-assistant-router-throttled")
    run_scenario(load_scenario(written(folder, text)))
    config.write_text(config.read_text(encoding="utf-8").replace("prefix: llm", "prefix: models"), encoding="utf-8")
    with pytest.raises(ProblemsError, match="models-prod-assistant-router-throttled"):
        run_scenario(load_scenario(written(folder, text)))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("count: 3", "count: many", "Write 60, or 60x30 0x10"),
        ("count: 3", "count: -3", "a whole number of values"),
        ("count: 3", "count: _", "count has a gap"),
        ("count: 3", "count: 3x4 2x4", "10 values, 8 counts and 10 steps"),
        ("values: 420x4 900x2 _ 420x3", "seed: 3", "either values"),
        ("values: 420x4 900x2 _ 420x3", "distribution: {lognormal: {median: 3}}", "lognormal.p90 is missing"),
        ("values: 420x4 900x2 _ 420x3", "distribution: {gamma: 3}", "Known keys: constant, lognormal"),
        ("{count: 3, values: 420x4 900x2 _ 420x3}", "[1, 2]", "list of lists"),
        ("samples: {count: 3, values: 420x4 900x2 _ 420x3}", "values: [1, 2]", "Write 1 2, without brackets"),
        ("duration: 10m", "duration: 10", "Write 10m for minutes"),
        ("N Latency", "N/Latency", "a namespace, a space and a name"),
        ("start: 2026-11-02T09:00:00Z", "start: 2026-11-02T09:00", "a time zone"),
        ("never: ALARM", "never: alarm", "Write ALARM"),
        ("alarm: Alarm", "alarm: larm", "Did you mean 'Alarm'"),
        ("{alarm: Alarm, never: ALARM}", "{notified: [Alrm]}", "Did you mean 'Alarm'"),
        ("filters.json", "filter.json", "relative to the scenario file"),
    ],
)
def test_a_message_says_what_to_write(folder: Path, old: str, new: str, says: str) -> None:
    """One thing is broken in a good file; the message says what is expected, and has a place in the file."""
    assert old in STEPS
    with pytest.raises(ProblemsError) as caught:
        run_scenario(load_scenario(written(folder, STEPS.replace(old, new, 1))))
    assert says in str(caught.value)
    assert all(problem.place.line and problem.place.line > 1 for problem in caught.value.problems)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("until: 8m", "until: 1m", "until lies after at"),
        ("    every: 20s\n", "", "until needs every"),
        ("every: 20s", "every: 20s\n    repeat: 2", "does not go with repeat"),
        ("every: 20s", "every: 0s", "every is longer than 0s"),
        ("log_group: calls", "log_group: call", "filters read: calls"),
    ],
)
def test_a_feed_that_cannot_be_meant_is_refused(folder: Path, old: str, new: str, says: str) -> None:
    """One thing is broken in a good feed."""
    assert old in FILTERED
    with pytest.raises(ProblemsError, match=says):
        run_scenario(load_scenario(written(folder, FILTERED.replace(old, new, 1))))


@pytest.mark.parametrize(
    ("second", "says"),
    [
        ("stat: Sum\n    values: 1x3", "line 6 gives the Sum of N Latency already"),
        ("samples: [[1]]", "given as samples and as values of a statistic"),
    ],
)
def test_a_metric_that_is_given_twice_is_refused_where_it_stands(folder: Path, second: str, says: str) -> None:
    """The second place is shown and the first is named."""
    one = "  - metric: N Latency\n    stat: Sum\n    values: 1x3\n"
    text = STEPS.replace(
        "  - metric: N Latency\n    samples: {count: 3, values: 420x4 900x2 _ 420x3}\n",
        f"{one}  - metric: N Latency\n    {second}\n",
    )
    with pytest.raises(ProblemsError, match=says) as caught:
        load_scenario(written(folder, text))
    assert caught.value.problems[0].place.line == 9
