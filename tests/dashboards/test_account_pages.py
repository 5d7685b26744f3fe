"""Fleet, weekly review and the shared page of the lean profile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bedrock.evidence import EvidenceRoute
from bedrock.metrics import BedrockMetric, invocation_metric
from bedrock.models import MonitoredModel, Quotas
from cloudwatch.dashboard.queries import widget_queries
from cloudwatch.dashboard.reader import read_body
from cloudwatch.dashboard.render import to_json
from cloudwatch.dashboard.validate import METRICS_PER_DASHBOARD, WIDGETS, validate_body
from cloudwatch.dashboard.values import AlarmWidget, HorizontalAnnotation, MetricRow, TextWidget
from cloudwatch.math.program import queries_problems
from cloudwatch.search import parse_search
from dashboards.pages.fleet import fleet_page, known_ids, unlisted_search
from dashboards.pages.lean import lean_page
from dashboards.pages.weekly_review import weekly_pages
from tests.dashboards.evaluated import shown
from tests.dashboards.samples import (
    SITE,
    account_alarms,
    alarms_of,
    evidence_of,
    graphs,
    headings,
    optimized,
    silent,
    standard,
    titled,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bedrock.evidence_plan import EvidencePlan
    from dashboards.page import Dashboard

FEW = [optimized(), standard(aliases=3), silent()]


def evidence_for(models: Sequence[MonitoredModel]) -> EvidencePlan:
    """Return evidence; many models need the route that is not bounded by the filters of a log group."""
    route = EvidenceRoute.RULE_COUNTERS if len(models) > 30 else EvidenceRoute.EVENTBRIDGE
    return evidence_of(*models, route=route)


def fleet(models: Sequence[MonitoredModel]) -> Dashboard:
    """Return the fleet page of some models."""
    evidence = evidence_for(models)
    pairs = [(model, alarms_of(model, evidence=evidence)) for model in models]
    return fleet_page(pairs, site=SITE, alarms=account_alarms(), evidence=evidence)


def weekly(models: Sequence[MonitoredModel]) -> tuple[Dashboard, ...]:
    """Return the weekly pages of some models."""
    evidence = evidence_for(models)
    pairs = [(model, alarms_of(model, evidence=evidence)) for model in models]
    return weekly_pages(pairs, site=SITE, alarms=account_alarms(), evidence=evidence)


def lean(models: Sequence[MonitoredModel]) -> Dashboard:
    """Return the lean page of some models."""
    evidence = evidence_for(models)
    pairs = [(model, alarms_of(model, evidence=evidence)) for model in models]
    return lean_page(pairs, site=SITE, alarms=account_alarms(), evidence=evidence)


def many(count: int, *, aliases: int = 1) -> list[MonitoredModel]:
    """Return that many models."""
    return [optimized(f"model-{number}", aliases=aliases, title=f"Model {number}") for number in range(count)]


PAGES = {
    "fleet": fleet(FEW),
    "fleet of none": fleet([]),
    "fleet of twenty": fleet(many(20)),
    "weekly": weekly(FEW)[0],
    "weekly of none": weekly([])[0],
    "lean": lean(FEW),
    "lean of none": lean([]),
    "lean of eight ids": lean([standard(aliases=8)]),
}


@pytest.mark.parametrize("name", PAGES)
def test_aws_would_take_every_page(name: str) -> None:
    """No error, no warning; the text reads back into the same values; every expression computes."""
    page = PAGES[name]
    assert validate_body(page.body, page.name) == ()
    assert read_body(to_json(page.body)) == (page.body, ())
    for graph in graphs(page.body):
        assert queries_problems(widget_queries(graph)) == (), graph.title


def test_names_come_from_the_site() -> None:
    """Fleet and lean share a name, because an account has one or the other."""
    names = [page.name for page in (fleet(FEW), lean(FEW), *weekly(FEW))]
    assert names == ["llm-prod-us-east-1-fleet", "llm-prod-us-east-1-fleet", "llm-prod-us-east-1-weekly"]


def test_the_fleet_has_one_line_for_each_model() -> None:
    """Every table has a drawn row for each model that it applies to, newest value in the label."""
    body = fleet(FEW).body
    lines = {
        graph.title: [row.label for row in graph.metrics if row.visible is not False]
        for graph in graphs(body)
        if graph.view == "table"
    }
    everyone = ["Amazon Nova Pro  ${LAST}", "Claude | *Sonnet*  ${LAST}", "Titan Embeddings  ${LAST}"]
    assert lines["Requests per minute"] == everyone
    assert lines["TTFT p90 of 5 min, worst ModelId (ms)"] == everyone[:2]
    assert lines["Fallback (% served standard)"] == everyone[:1]
    assert lines["Cost (USD per hour)"] == everyone[:1]


def test_percentile_tables_are_not_averaged() -> None:
    """A table of percentiles summarises by the least and the highest, never by a mean or a sum of percentiles."""
    for page in (fleet(FEW), *weekly(FEW)):
        for graph in graphs(page.body):
            if graph.table.summary_columns:
                assert set(graph.table.summary_columns) <= {"MIN", "MAX"}
            assert "average" not in (graph.title or "").lower()


def test_the_fleet_shows_every_cause_and_links_every_page() -> None:
    """Status of all causes, account-wide ones too, and a link to each model's page."""
    body = fleet(FEW).body
    (status,) = [widget.content for widget in body.widgets if isinstance(widget.content, AlarmWidget)]
    assert status.alarms[-1].endswith(":alarm:llm-prod-caller-errors")
    assert len(status.alarms) == 3 + 2 + 2 + 1
    head = body.widgets[0].content
    assert isinstance(head, TextWidget)
    for model in FEW:
        assert f"#dashboards/dashboard/llm-prod-us-east-1-{model.key})" in head.markdown


def test_more_than_a_hundred_causes_are_split() -> None:
    """A status widget takes 100 alarms."""
    status = [w.content for w in fleet(many(40)).body.widgets if isinstance(w.content, AlarmWidget)]
    assert [len(widget.alarms) for widget in status] == [100, 21]
    assert status[0].title == "Causes of every model (1 of 2)"


def test_tables_are_split_before_500_rows() -> None:
    """Ninety models of eight ids each have more rows than a widget takes; no model is lost or cut in two."""
    body = fleet(many(90, aliases=8)).body
    assert [problem.code for problem in validate_body(body)] == ["many-metrics"]
    throttled = [graph for graph in graphs(body) if (graph.title or "").startswith("Throttled (% of attempts)")]
    assert len(throttled) > 1
    labels = [row.label for graph in throttled for row in graph.metrics if row.visible is not False]
    assert labels == [f"Model {number}  ${{LAST}}" for number in range(90)]


def test_totals_are_series_without_dimensions() -> None:
    """Account totals count what nobody configured too."""
    graph = titled(fleet(FEW).body, "Requests and throttles (per 5 min)")
    assert [row.metric.dimensions for row in graph.metrics if isinstance(row, MetricRow)] == [(), ()]


def test_the_search_finds_what_is_not_configured() -> None:
    """A foreign ModelId is found, configured ones and their optimized series are not."""
    ids = [name for model in FEW for name in known_ids(model)]
    text = unlisted_search(ids)
    assert text is not None
    search = parse_search(text)
    assert search.matches(invocation_metric("eu.mistral.pixtral-v1:0", BedrockMetric.INVOCATIONS))
    assert not search.matches(invocation_metric("eu.mistral.pixtral-v1:0", BedrockMetric.THROTTLES))
    for name in ids:
        assert not search.matches(invocation_metric(name, BedrockMetric.INVOCATIONS)), name
    assert "us.amazon.nova-pro-v1:0+latency-optimized" in ids


def test_too_many_exclusions_fall_back_and_say_so() -> None:
    """Past 1,024 characters the page lists the busiest ids and computes the share outside the configuration instead."""
    few, crowd = fleet(FEW).body, fleet(many(30)).body
    assert titled(few, "Requests by ModelId outside the configuration")
    assert titled(crowd, "Requests by ModelId, busiest 20")
    assert "do not fit into a search of 1,024 characters" in to_json(crowd)
    share = titled(crowd, "Outside the configuration (% of requests)")
    values = {f"Invocations@model-{number}.us.amazon.nova-pro-v1:0": 2.0 for number in range(30)}
    assert shown(share, values | {"Invocations@None": 80.0}, label="outside, % of requests") == 25


def test_an_id_with_a_quote_is_not_put_into_a_search() -> None:
    """What could end the search text early makes the page fall back."""
    assert unlisted_search(['a"b']) is None
    assert unlisted_search(["a'b"]) is None


def test_the_week_reads_in_the_order_of_the_meeting() -> None:
    """Seven days; served well, changed, why, quota, cost, noise."""
    body = weekly(FEW)[0].body
    assert (body.start, body.period_override) == ("-P7D", "inherit")
    assert headings(body) == [
        "Are users served well?",
        "Did it change?",
        "Why?",
        "Quota and capacity",
        "Cost",
        "Alarm noise",
    ]
    status = body.widgets[-1].content
    assert isinstance(status, AlarmWidget)
    assert status.sort_by == "stateUpdatedTimestamp"


def test_weekly_percentiles_say_of_what() -> None:
    """Hourly and daily percentiles are computed over the calls of the hour and of the day."""
    body = weekly([optimized()])[0].body
    hourly = titled(body, "TTFT p50 p90 p99 of an hour's calls (ms)")
    daily = titled(body, "TTFT p90 of a day's calls (ms)")
    assert (hourly.period_s, daily.period_s) == (3600, 86_400)
    assert [line.value for line in daily.annotations.horizontal if isinstance(line, HorizontalAnnotation)] == [800]


def test_a_burst_of_a_minute_shows_in_the_week() -> None:
    """Throttles and quota use are drawn a minute at a time."""
    body = weekly([optimized()])[0].body
    assert titled(body, "quota tokens a minute").period_s == 60
    assert titled(body, "Requests and throttles a minute").period_s == 60


def test_the_week_stands_against_baselines() -> None:
    """OTPS, tokens a request, fallback, throttling and cache each have a reference line; cost has the mean of the week."""
    body = weekly([optimized()])[0].body
    for words, values in (
        ("hourly OTPS", [120]),
        ("Tokens per request, hourly mean", [350, 2000]),
        ("fallback (% of an hour's calls)", [0]),
        ("Throttled (% of an hour's attempts)", [0]),
        ("Hourly cache hit rate", [40]),
        ("Service errors (% of an hour's calls)", [0.5]),
        ("Quota tokens a day against TPD", [400_000_000, 320_000_000]),
    ):
        lines = titled(body, words).annotations.horizontal
        assert [line.value for line in lines if isinstance(line, HorizontalAnnotation)] == values, words
    assert "TIME_SERIES(AVG(e1))" in to_json(body)


def test_a_day_costs_what_its_tokens_cost() -> None:
    """Ten million output tokens at 3.2 dollars a million."""
    graph = titled(weekly([optimized()])[0].body, "Cost a day")
    assert shown(graph, {"OutputTokenCount": 10_000_000.0}, label="cost") == pytest.approx(32)


def test_a_long_week_is_split_and_complete() -> None:
    """Sixty models with everything: several pages within the limits, each model on one page, in order, pages linked."""
    pages = weekly(many(60, aliases=3))
    assert [page.name for page in pages[:2]] == ["llm-prod-us-east-1-weekly", "llm-prod-us-east-1-weekly-2"]
    titles: list[str] = []
    for page in pages:
        assert validate_body(page.body, page.name) == ()
        assert len(page.body.widgets) <= WIDGETS
        assert sum(len(graph.metrics) for graph in graphs(page.body)) <= METRICS_PER_DASHBOARD
        titles += [graph.title or "" for graph in graphs(page.body) if "hourly OTPS" in (graph.title or "")]
        head = page.body.widgets[0].content
        assert isinstance(head, TextWidget)
        assert head.markdown.count("[Part ") == len(pages)
    assert [title.split(":")[0] for title in titles] == [f"Model {number}" for number in range(60)]


def test_the_lean_page_chooses_a_model_id() -> None:
    """The variable offers every ModelId, the first is drawn, and no threshold of one model stands over another's graph."""
    body = lean(FEW).body
    (variable,) = body.variables
    assert (variable.type, variable.property, variable.default_value) == (
        "property",
        "ModelId",
        "us.amazon.nova-pro-v1:0",
    )
    assert [value.value for value in variable.values] == [name for model in FEW for name in model.series_ids]
    assert variable.values[1].label == "Claude | *Sonnet*: us.anthropic.sonnet-v1:0"
    drawn = {
        row.metric.dimension("ModelId") for graph in graphs(body) for row in graph.metrics if isinstance(row, MetricRow)
    }
    assert drawn == {"us.amazon.nova-pro-v1:0", None}
    for graph in graphs(body):
        follows = any(isinstance(row, MetricRow) and row.metric.dimension("ModelId") for row in graph.metrics)
        assert not (follows and graph.annotations.horizontal), graph.title


def test_the_lean_page_still_tells_fallback_from_throttling() -> None:
    """The fallback share of each optimized model with its threshold, next to the throttle rate."""
    body = lean([optimized(quotas=Quotas()), silent()]).body
    share = titled(body, "Amazon Nova Pro: fallback share")
    assert [line.value for line in share.annotations.horizontal if isinstance(line, HorizontalAnnotation)] == [25]
    assert titled(body, "Throttled and failed (%)")


def test_more_ids_than_a_variable_takes_are_typed_in() -> None:
    """A variable lists 500 values; past that it becomes an input field."""
    body = lean(many(63, aliases=8)).body
    (variable,) = body.variables
    assert (variable.input_type, variable.values) == ("input", ())
    assert [problem for problem in validate_body(body) if problem.code != "many-metrics"] == []
