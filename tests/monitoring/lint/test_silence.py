"""Turning checks off: in the document, in the configuration, until a day, and by comparison with a base."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from cloudwatch.problems import ProblemsError
from monitoring.config.source import parse_source
from monitoring.lint.finding import Severity
from monitoring.lint.run import lint
from monitoring.lint.settings import LintSettings, settings_from
from tests.monitoring.lint.documents import TODAY, alarm, found, template

if TYPE_CHECKING:
    from pathlib import Path

TWO = """{head}Resources:
  {above}
  A:
    Type: AWS::CloudWatch::Alarm
    Properties: {{AlarmName: a, Namespace: N, MetricName: m, Statistic: Sum, Period: 90{inside}
      EvaluationPeriods: 1, Threshold: 1, ComparisonOperator: GreaterThanThreshold, AlarmDescription: "https://r.example.com",
      AlarmActions: ["arn:aws:sns:us-east-1:111122223333:t"]}}
  B:
    Type: AWS::CloudWatch::Alarm
    Properties: {{AlarmName: b, Namespace: N, MetricName: m, Statistic: Sum, Period: 90,
      EvaluationPeriods: 1, Threshold: 1, ComparisonOperator: GreaterThanThreshold, AlarmDescription: "https://r.example.com",
      AlarmActions: ["arn:aws:sns:us-east-1:111122223333:t"]}}
"""
OFF = "# monitor: disable=invalid-period"


def _names(text: str) -> list[str]:
    return [one.subject for one in found(text, file="x.yaml", check="invalid-period")]


@pytest.mark.parametrize(
    ("head", "above", "inside", "left"),
    [
        ("", "# nothing", ",", ["a", "b"]),
        ("", OFF, ",", ["b"]),
        ("", "# why\n  " + OFF + "\n  # more", ",", ["b"]),
        ("", "# nothing", ", " + OFF, ["b"]),
        (OFF + "\n", "# nothing", ",", []),
        ("", "# monitor: disable=all", ",", ["b"]),
        ("", "# monitor: disable=no-runbook", ",", ["a", "b"]),
        ("", OFF + " until=2026-11-01", ",", ["b"]),
        ("", OFF + " until=2026-10-31", ",", ["a", "b"]),
        ("", OFF + " until=soon", ",", ["b"]),
        ("", OFF + " until=2026-13-01", ",", ["a", "b"]),
    ],
)
def test_comments(head: str, above: str, inside: str, left: list[str]) -> None:
    """Above or in a resource for that one, at the top for all; a snooze ends after its day."""
    assert _names(TWO.format(head=head, above=above, inside=inside)) == left


@pytest.mark.parametrize(
    ("section", "silent"),
    [
        ({"disable": ["invalid-period"]}, True),
        ({"disable": "invalid-period"}, True),
        ({"disable": ["invalid-period"], "until": "2026-11-01"}, True),
        ({"disable": ["invalid-period"], "until": "2026-10-31"}, False),
        ({"disable": ["invalid-period"], "until": "never"}, False),
        ({"disable": 5}, False),
        ("invalid-period", False),
    ],
)
@pytest.mark.parametrize("everywhere", [True, False])
def test_metadata(section: Any, silent: bool, everywhere: bool) -> None:
    """JSON has no comments: Metadata of the resource or of the template."""
    document = template(A=alarm(Period=90))
    holder = document if everywhere else document["Resources"]["A"]
    holder["Metadata"] = {"bedrock-monitor": section}
    assert (found(document, check="invalid-period") == []) is silent


def test_the_configuration_changes_severities_and_turns_off(tmp_path: Path) -> None:
    """The section lint of monitoring.yaml holds for every file."""
    file = tmp_path / "a.json"
    file.write_text(json.dumps(template(A=alarm(Period=90, AlarmDescription="x"))), encoding="utf-8")
    text = "lint:\n  checks:\n    invalid-period: {off: true, until: '2026-11-01'}\n    no-runbook: {severity: bug}\n"
    settings = settings_from(parse_source(text, file="monitoring.yaml"), checks=["invalid-period", "no-runbook"])
    assert settings == LintSettings(severities={"no-runbook": Severity.BUG}, off={"invalid-period": date(2026, 11, 1)})
    today = lint([str(file)], today=TODAY, settings=settings).findings
    assert [(one.check, one.severity) for one in today] == [("no-runbook", "bug")]
    tomorrow = lint([str(file)], today=date(2026, 11, 2), settings=settings).findings
    assert {one.check for one in tomorrow} == {"invalid-period", "no-runbook"}


def test_a_wrong_section_is_refused_with_every_problem() -> None:
    """Unknown checks and settings get a suggestion."""
    text = "lint:\n  checks:\n    no-runbok: {}\n    no-actions: {severity: high, of: true, off: 3}\n    model-id: {until: x}\n"
    with pytest.raises(ProblemsError) as refused:
        settings_from(parse_source(text, file="m.yaml"), checks=["no-runbook", "no-actions", "model-id"])
    said = str(refused.value)
    for part in (
        "Did you mean 'no-runbook'?",
        "severity is high",
        "Did you mean 'off'?",
        "off is true or false",
        "until is x",
    ):
        assert part in said


def test_only_what_changed_since_the_base(tmp_path: Path) -> None:
    """The same resource is passed over, a changed one and a new one are reported."""
    before, after = tmp_path / "before.json", tmp_path / "after.json"
    before.write_text(json.dumps(template(A=alarm(Period=90), B=alarm(Period=90))), encoding="utf-8")
    changed = template(A=alarm(Period=90), B=alarm(Period=90, Threshold=6), C=alarm(Period=90, AlarmName="other"))
    after.write_text(json.dumps(changed), encoding="utf-8")
    report = lint([str(after)], today=TODAY, base=[str(before)])
    assert [one.path.split("/")[2] for one in report.findings if one.check == "invalid-period"] == ["B", "C"]
    assert lint([str(after)], today=TODAY, base=[str(tmp_path)]).findings == ()
