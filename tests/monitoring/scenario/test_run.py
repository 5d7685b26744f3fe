"""Scenario files from YAML to verdict: what holds, what does not and how that is told, what is fragile, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from cloudwatch.problems import ProblemsError
from monitoring.scenario import report
from monitoring.scenario.document import load_scenario
from monitoring.scenario.run import Outcome, run_scenario

TEMPLATE = Path(__file__).parent / "data" / "throttles.template.yaml"

GOOD = """\
name: throttles for four minutes
alarms: {template: throttles.template.yaml}
start: 2026-11-02T09:00:00Z
duration: 30m
series:
  - metric: AWS/Bedrock InvocationThrottles
    dimensions: {ModelId: m}
    stat: Sum
    values: 0x10 9x4 _x5 0x11
expect:
  - {alarm: throttled, at: +11m, state: OK}
  - {alarm: Throttled, at: +12m, state: ALARM, reason: 2 OUT OF the last 3}
  - {notified: [throttled]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the template."""
    (tmp_path / TEMPLATE.name).write_text(TEMPLATE.read_text(encoding="utf-8"), encoding="utf-8")
    return tmp_path


def run(folder: Path, text: str) -> Outcome:
    """Run a scenario text that stands in a folder."""
    file = folder / "scenario.yaml"
    file.write_text(text, encoding="utf-8")
    return run_scenario(load_scenario(file))


def test_a_scenario_that_holds_has_no_failure(folder: Path) -> None:
    """States, reasons in any case, logical ids and notifications are compared."""
    outcome = run(folder, GOOD)
    assert outcome.failures == ()
    assert "(3 of 3 claims hold" in report.as_text([outcome], strict=False)


@pytest.mark.parametrize(
    ("claim", "says"),
    [
        (
            "{alarm: throttled, at: +11m, state: ALARM}",
            ["expected  ALARM", "got       OK", "09:11Z", "points    0 0 0 0 9"],
        ),
        (
            "{alarm: throttled, at: +12m, state: ALARM, reason: unchecked}",
            ["a reason with 'unchecked'", "2 out of the last 3"],
        ),
        ("{alarm: throttled, never: ALARM}", ["expected  never ALARM", "start + 12m", "▁▁▁██"]),
        ("{notified: []}", ["expected    nobody", "unexpected  throttled, at 2026-11-02 09:12Z"]),
    ],
)
def test_a_failure_shows_what_the_alarm_saw(folder: Path, claim: str, says: list[str]) -> None:
    """Time, expected, got, window, sparkline and reason are printed."""
    outcome = run(folder, GOOD.replace("{alarm: throttled, at: +11m, state: OK}", claim))
    text = report.as_text([outcome], strict=False)
    assert len(outcome.failures) == 1
    assert [part for part in says if part not in text] == []


def test_failures_are_collected(folder: Path) -> None:
    """Every claim that does not hold is reported, not the first alone."""
    wrong = GOOD.replace("state: OK", "state: ALARM").replace("[throttled]", "[]")
    assert len(run(folder, wrong).failures) == 2


def test_a_verdict_on_an_open_choice_is_fragile(folder: Path) -> None:
    """Whether an old breach still counts depends on the size of the evaluation range, so the verdict says so."""
    fragile = GOOD.replace("at: +11m, state: OK", "at: +17m, state: ALARM")
    outcome = run(folder, fragile)
    assert {found.switch for found in outcome.fragile} == {"evaluation_range_extra"}
    assert outcome.failures == ()
    assert report.as_text([outcome], strict=True).startswith("FAIL")
    assert report.as_text([outcome], strict=False).startswith("ok")


def test_json_and_junit_say_the_same(folder: Path) -> None:
    """Programs read the outcome in two formats."""
    outcome = run(folder, GOOD.replace("state: OK", "state: ALARM"))
    (row,) = json.loads(report.as_json([outcome], [], strict=False))["scenarios"]
    assert (row["passed"], row["failures"][0]["got"], row["failures"][0]["window"]["points"]) == (
        False,
        "OK",
        [0, 0, 0, 0, 9],
    )
    suite = ET.fromstring(report.as_junit([outcome], [], strict=False))
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")


def test_events_go_through_the_filters_of_the_template(folder: Path) -> None:
    """Records become a metric at the minute of their arrival, and the alarm on it fires."""
    template = json.loads(json.dumps({"Resources": {}}))
    template["Resources"]["Filter"] = {
        "Type": "AWS::Logs::MetricFilter",
        "Properties": {
            "LogGroupName": "calls",
            "FilterPattern": '{ $.errorCode = "Throttl*" }',
            "MetricTransformations": [{"MetricNamespace": "N", "MetricName": "T", "MetricValue": "1"}],
        },
    }
    template["Resources"]["Alarm"] = {
        "Type": "AWS::CloudWatch::Alarm",
        "Properties": {
            "Namespace": "N",
            "MetricName": "T",
            "Statistic": "Sum",
            "Period": 60,
            "EvaluationPeriods": 1,
            "Threshold": 3,
            "ComparisonOperator": "GreaterThanOrEqualToThreshold",
            "TreatMissingData": "notBreaching",
        },
    }
    (folder / "filters.json").write_text(json.dumps(template), encoding="utf-8")
    outcome = run(
        folder,
        """\
name: three throttled calls arrive five minutes late
alarms: {template: filters.json}
start: 2026-11-02T09:00:00Z
duration: 20m
events:
  - {log_group: calls, records: [{errorCode: ThrottlingException}, {errorCode: Other}], at: 2m, repeat: 3, available_after: 5m}
expect:
  - {alarm: Alarm, at: +7m, state: OK}
  - {alarm: Alarm, at: +8m, state: ALARM}
""",
    )
    assert outcome.failures == ()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("state: OK", "state: FINE", "has to be one of"),
        ("expect:", "expct:", "Did you mean 'expect'"),
        ("at: +11m", "at: +90m", "no evaluation of this scenario"),
        ("at: +11m", "at: +90s", "no evaluation of this scenario"),
        ("alarm: throttled, at", "alarm: trottled, at", "Did you mean 'throttled'"),
        ("values: 0x10 9x4", "values: 0x10 9xx4", "not a point"),
        ("stat: Sum", "stat: Summe", "Summe"),
        ("    stat: Sum\n", "", "values without stat"),
        ("template: throttles.template.yaml", "template: none.yaml", "no such file"),
        ("template: throttles.template.yaml", "template: throttles.template.yaml, config: x.yaml", "exactly one of"),
        ("start: 2026-11-02T09:00:00Z", "start: 2026-11-32T09:00:00Z", "no date"),
        ("start: 2026-11-02T09:00:00Z", "start: 2026-11-02", "start has to be"),
        ("duration: 30m", "duration: 30", "a length of time with its unit"),
        ("duration: 30m", "duration: 3mm", "no duration"),
        ("{notified: [throttled]}", "{notified: [throttled], never: OK}", "an expectation has"),
        ("stat: Sum", "stat: Average", "cannot be derived"),
    ],
)
def test_a_wrong_scenario_is_refused_with_its_place(folder: Path, old: str, new: str, says: str) -> None:
    """One thing is broken in a good scenario, and one sentence says what."""
    assert old in GOOD
    with pytest.raises(ProblemsError) as caught:
        run(folder, GOOD.replace(old, new, 1))
    assert says in str(caught.value)
    assert caught.value.problems[0].place.file is not None


def test_explain_shows_an_evaluation_step_by_step(folder: Path) -> None:
    """The points, which of them counted, and what follows are shown."""
    outcome = run(folder, GOOD)
    text = report.explained(outcome.timeline, alarm="throttled", at_s=outcome.scenario.start_s + 12 * 60)
    for part in ("Sum of AWS/Bedrock InvocationThrottles", "breaches", "extra point, not counted", "state: ALARM"):
        assert part in text
