"""The bill: counted as AWS bills, within what was promised."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from alarms.alarm_set import AlarmEntry, AlarmSet, Profile, Role
from bedrock.evidence import EvidenceRoute
from cloudwatch.alarm import Comparison, CompositeAlarm, MetricAlarm
from cloudwatch.metric import ExpressionQuery, Metric, MetricQuery
from monitoring.cli.main import run
from monitoring.cost import BillLine, alarm_lines, bills_as_json, bills_as_text
from tests.monitoring.reference_bills import FIVE, OPTIMIZED, PAGE, PLAIN, bill_for, page, with_aliases


def entry(period_s: int, metrics: int) -> AlarmEntry:
    """Return a metric alarm over that many metrics."""
    reads = tuple(
        MetricQuery(id=f"m{place}", metric=Metric(namespace="N", name=f"M{place}"), stat="Sum", period_s=period_s)
        for place in range(metrics)
    )
    total = ExpressionQuery(id="e", expression="SUM(METRICS())", return_data=True)
    alarm = MetricAlarm(
        name=f"a-{period_s}-{metrics}",
        queries=(*reads, total),
        comparison=Comparison.GREATER,
        threshold=1,
        evaluation_periods=1,
        datapoints_to_alarm=1,
    )
    return AlarmEntry(slug="a", role=Role.SYMPTOM, alarm=alarm, title="")


def test_an_alarm_costs_as_much_as_the_metrics_it_reads() -> None:
    """Expressions are free, composites flat, periods under a minute dearer."""
    over = CompositeAlarm(name="c", rule='ALARM("a-60-4")')
    entries = (entry(60, 4), entry(300, 3), entry(10, 2), AlarmEntry(slug="c", role=Role.CAUSE, alarm=over, title=""))
    lines = [(line.what, line.count, round(line.amount, 2)) for line in alarm_lines(AlarmSet(entries=entries))]
    assert lines == [
        ("metrics in alarms", 7, 0.70),
        ("metrics in high-resolution alarms", 2, 0.60),
        ("composite alarms", 1, 0.50),
    ]


def test_the_reference_stays_within_its_budget() -> None:
    """Five models, one alias each: at most 10 dollars a model, lean at most 4."""
    assert bill_for(FIVE).per_model <= 10
    assert bill_for(FIVE, profile=Profile.LEAN).per_model <= 4


def test_a_lean_model_still_costs_what_tells_fallback_from_throttling() -> None:
    """An optimized model has alarms for both, with the evidence they need, within four dollars when five share a page."""
    lean = bill_for((OPTIMIZED, *FIVE[1:]), profile=Profile.LEAN)
    (model,) = [each for each in lean.models if each.model == "optimized"]
    assert any(line.what == "custom metrics" for line in model.lines)
    assert model.amount <= 4


def test_the_sum_is_the_sum_of_its_lines() -> None:
    """Nothing is counted twice or left out."""
    found = bill_for(FIVE)
    lines = [*found.shared, *(line for each in found.models for line in each.lines)]
    assert found.amount == pytest.approx(sum(line.count * line.price for line in lines))
    assert found.per_model == pytest.approx(found.amount / 5)


def test_aliases_cost_metrics_not_dashboards() -> None:
    """Three aliases read three times the AWS metrics; evidence is one series a model whatever its ids."""
    one, three = bill_for((OPTIMIZED,)).models[0], bill_for(with_aliases((OPTIMIZED,), 3)).models[0]
    first, third = ({line.what: line.count for line in each.lines} for each in (one, three))
    assert third["metrics in alarms"] > 2 * first["metrics in alarms"]
    assert third["dashboards"] == first["dashboards"]
    assert third["custom metrics"] == first["custom metrics"]


def test_counters_of_rules_are_no_custom_metrics() -> None:
    """AWS/Events MatchedEvents is published by AWS, and little is logged."""
    filters, counters = (
        bill_for((OPTIMIZED,), route=route) for route in (EvidenceRoute.EVENTBRIDGE, EvidenceRoute.RULE_COUNTERS)
    )
    assert not any(line.what == "custom metrics" for line in counters.models[0].lines)
    assert filters.logs is not None
    assert counters.logs is not None
    assert counters.logs.per_million < filters.logs.per_million


def test_a_model_that_nobody_asks_optimized_has_no_series_of_its_own() -> None:
    """Its throttles by kind are published only while it throttles, and stand apart."""
    found = bill_for((PLAIN,))
    assert not any(line.what == "custom metrics" for line in found.models[0].lines)
    assert found.occasional == BillLine(what="custom metrics while calls are throttled", count=4, price=0.30)


def test_text_says_where_prices_come_from() -> None:
    """An amount without its date and doubt would be quoted."""
    text = bills_as_text([bill_for(FIVE)])
    assert "second hand" in text
    assert "2026" in text
    assert "per model" in text
    assert "1 dashboards" not in text


def test_json_holds_the_same_amounts() -> None:
    """For programs: the same sums, to the cent."""
    found = bill_for(FIVE)
    read = json.loads(json.dumps(bills_as_json([found, replace(found, profile="lean")])))
    assert read["total"] == pytest.approx(2 * found.amount)
    assert read["bills"][0]["per_model"] == pytest.approx(found.per_model, abs=0.005)
    assert {each["model"] for each in read["bills"][0]["models"]} == {model.key for model in FIVE}


def test_the_command_prints_the_bill_of_a_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    """The example of the repository, as JSON: every account and Region, and the same sum."""
    with pytest.raises(SystemExit) as ended:
        run(["cost", str(PAGE.parents[1] / "examples" / "acme" / "monitoring.yaml"), "--format", "json"])
    assert ended.value.code == 0
    read = json.loads(capsys.readouterr().out)
    assert len(read["bills"]) >= 3
    assert read["total"] == pytest.approx(sum(one["total"] for one in read["bills"]), abs=0.02)


def test_the_command_refuses_what_is_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    """A user's mistake is a message and exit code 2."""
    with pytest.raises(SystemExit) as ended:
        run(["cost", "no-such-file.yaml"])
    assert ended.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


def test_the_page_of_evidence_names_the_same_prices() -> None:
    """docs/evidence.md compares routes by what a million calls cost."""
    text = (PAGE.parent / "evidence.md").read_text(encoding="utf-8")
    for route in (EvidenceRoute.EVENTBRIDGE, EvidenceRoute.RULE_COUNTERS):
        logs = bill_for(FIVE, route=route).logs
        assert logs is not None
        (row,) = [line for line in text.splitlines() if line.startswith(f"| `{route}`") and "|" in line[3:]][:1]
        assert f"${logs.per_million:.2f}" in row


def test_the_page_is_fresh() -> None:
    """`python -m tests.monitoring.reference_bills` writes it."""
    assert PAGE.read_text(encoding="utf-8") == page()
