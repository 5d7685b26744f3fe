"""The alarms that the product really makes, on the pages that it really makes."""

from __future__ import annotations

import re

import pytest

from alarms.alarm_set import Profile
from alarms.causes import model_alarms, site_alarms
from bedrock.models import AlarmOverride, MonitoredModel
from cloudwatch.alarm import MetricAlarm
from cloudwatch.dashboard.queries import widget_queries
from cloudwatch.dashboard.validate import validate_body
from cloudwatch.dashboard.values import ExpressionRow, HorizontalAnnotation
from cloudwatch.math.program import queries_problems
from dashboards.alarm_lines import shows_alarm
from dashboards.pages.fleet import fleet_page
from dashboards.pages.lean import lean_page
from dashboards.pages.model import model_page
from dashboards.pages.weekly_review import weekly_pages
from tests.dashboards.evaluated import shown
from tests.dashboards.samples import SITE, evidence_of, graphs, headings, optimized, silent, standard

ALL = tuple((slug, AlarmOverride()) for slug in ("no-traffic", "answer-length", "cache-hit", "fallback-and-throttling"))
MODELS = {
    "optimized": optimized(overrides=ALL),
    "optimized, three ids": optimized(aliases=3, overrides=ALL),
    "optimized, eight ids": optimized(aliases=8, overrides=ALL),
    "streams in part": standard(aliases=3, overrides=ALL),
    "reserved tier, eight ids": standard(aliases=8, reserved_tier=True),
    "does not stream": silent(overrides=ALL, requests_per_minute=3.0),
    "quiet": optimized(requests_per_minute=0.5, overrides=ALL),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_every_alarm_is_drawn_and_the_page_is_taken(model: MonitoredModel) -> None:
    """Each metric alarm has its own quantity, period and threshold on the page; sections know every slug."""
    evidence = evidence_of(model)
    alarms = model_alarms(model, site=SITE, evidence=evidence, targets={})
    page = model_page(model, site=SITE, alarms=alarms, evidence=evidence)
    assert validate_body(page.body, page.name) == ()
    drawn = graphs(page.body)
    assert all(queries_problems(widget_queries(graph)) == () for graph in drawn)
    for entry in alarms:
        if isinstance(entry.alarm, MetricAlarm):
            assert any(shows_alarm(graph, entry) for graph in drawn), entry.slug
    assert "Other alarms" not in headings(page.body)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_line_of_an_alarm_stands_over_a_graph_of_its_period(model: MonitoredModel) -> None:
    """The period in a line's label is the period of the graph under it."""
    evidence = evidence_of(model)
    alarms = model_alarms(model, site=SITE, evidence=evidence, targets={})
    body = model_page(model, site=SITE, alarms=alarms, evidence=evidence).body
    seen = 0
    for graph in graphs(body):
        for line in graph.annotations.horizontal:
            said = (
                re.search(r"\d+ of \d+ x (\d+) s$", str(line.label)) if isinstance(line, HorizontalAnnotation) else None
            )
            if said:
                seen += 1
                assert int(said[1]) == graph.period_s, (graph.title, line)
    assert seen


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_an_idle_model_shows_no_number(model: MonitoredModel) -> None:
    """Alarms say a healthy number without traffic, their graphs show a gap; only no-traffic fills, because that is its meaning."""
    evidence = evidence_of(model)
    alarms = model_alarms(model, site=SITE, evidence=evidence, targets={})
    body = model_page(model, site=SITE, alarms=alarms, evidence=evidence).body
    numbers = {
        row.label: shown(graph, {}, label=str(row.label))
        for graph in graphs(body)
        for row in graph.metrics
        if isinstance(row, ExpressionRow) and row.visible is not False
    }
    assert {label for label, number in numbers.items() if number is not None} <= {"No traffic"}


def test_account_pages_take_the_alarms_too() -> None:
    """Fleet, week and lean page of a mixed account."""
    models = [optimized(), standard(aliases=3), silent()]
    evidence = evidence_of(*models)
    for profile in Profile:
        pairs = [(m, model_alarms(m, site=SITE, evidence=evidence, targets={}, profile=profile)) for m in models]
        account = site_alarms(models, site=SITE, evidence=evidence, targets={})
        for page in (
            fleet_page(pairs, site=SITE, alarms=account, evidence=evidence),
            *weekly_pages(pairs, site=SITE, alarms=account, evidence=evidence),
            lean_page(pairs, site=SITE, alarms=account, evidence=evidence),
        ):
            assert validate_body(page.body, page.name) == ()
