"""The page of a model: what stands where, what it computes, and what it leaves out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from alarms.alarm_set import AlarmSet, Omission
from alarms.causes import model_alarms
from bedrock.evidence import EvidenceRoute
from bedrock.models import MonitoredModel, Prices, Quotas
from cloudwatch.alarm import MetricAlarm
from cloudwatch.dashboard.queries import widget_queries
from cloudwatch.dashboard.reader import read_body
from cloudwatch.dashboard.render import to_json
from cloudwatch.dashboard.validate import validate_body
from cloudwatch.dashboard.values import (
    AlarmWidget,
    ExpressionRow,
    HorizontalAnnotation,
    LogWidget,
    MetricRow,
    MetricWidget,
    TextWidget,
)
from cloudwatch.math.program import queries_problems
from dashboards.alarm_lines import shows_alarm
from dashboards.pages.model import model_page
from tests.dashboards.evaluated import shown
from tests.dashboards.samples import SITE, alarms_of, evidence_of, graphs, headings, optimized, silent, standard, titled

if TYPE_CHECKING:
    from cloudwatch.dashboard.values import DashboardBody
    from dashboards.page import Dashboard

MODELS = {
    "optimized": optimized(),
    "optimized with three ids": optimized(aliases=3),
    "optimized with eight ids": optimized(aliases=8),
    "standard": standard(),
    "standard with eight ids": standard(aliases=8),
    "non-streaming": silent(),
    "reserved tier": standard("haiku", reserved_tier=True),
}


def page_of(model: MonitoredModel, *, route: EvidenceRoute = EvidenceRoute.EVENTBRIDGE) -> Dashboard:
    """Return the page of a model with its sample alarms."""
    evidence = evidence_of(model, route=route)
    alarms = alarms_of(model, evidence=evidence, groups=3 if len(model.model_ids) > 3 else 1)
    return model_page(model, site=SITE, alarms=alarms, evidence=evidence)


def body_of(model: MonitoredModel, *, route: EvidenceRoute = EvidenceRoute.EVENTBRIDGE) -> DashboardBody:
    """Return the body of that page."""
    return page_of(model, route=route).body


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("route", [EvidenceRoute.EVENTBRIDGE, EvidenceRoute.RULE_COUNTERS, EvidenceRoute.NONE])
def test_aws_would_take_every_page(name: str, route: EvidenceRoute) -> None:
    """No error and no warning, name included, and the written text reads back into the same values."""
    page = page_of(MODELS[name], route=route)
    assert validate_body(page.body, page.name) == ()
    assert read_body(to_json(page.body)) == (page.body, ())


@pytest.mark.parametrize("name", MODELS)
def test_every_expression_computes(name: str) -> None:
    """Metric math of every widget is read and typed by the engine: no unknown id, no scalar result."""
    for graph in graphs(body_of(MODELS[name])):
        assert queries_problems(widget_queries(graph)) == (), graph.title


@pytest.mark.parametrize("name", MODELS)
def test_every_metric_alarm_has_a_graph_of_its_own_quantity(name: str) -> None:
    """Also an alarm of a slug that no section knows: its inputs, its period and its threshold are on the page."""
    model = MODELS[name]
    body = body_of(model)
    alarms = alarms_of(model, evidence=evidence_of(model), groups=3 if len(model.model_ids) > 3 else 1)
    metric_alarms = [entry for entry in alarms if isinstance(entry.alarm, MetricAlarm)]
    assert metric_alarms
    for entry in metric_alarms:
        assert any(shows_alarm(graph, entry) for graph in graphs(body)), entry.slug


@pytest.mark.parametrize("name", MODELS)
def test_a_page_with_nothing_to_measure_shows_no_number(name: str) -> None:
    """Without traffic no expression of any widget has a point: a gap, never a healthy 0."""
    for graph in graphs(body_of(MODELS[name])):
        for row in graph.metrics:
            if isinstance(row, ExpressionRow) and row.visible is not False:
                assert row.label is not None
                assert shown(graph, {}, label=row.label) is None, (graph.title, row.label)


def test_sections_stand_in_the_order_of_questions() -> None:
    """From identity down to whose calls."""
    assert headings(body_of(optimized(reserved_tier=True))) == [
        "Latency anatomy",
        "Slower or chattier?",
        "Throttling and quota",
        "Served latency mode",
        "Prompt cache",
        "Tokens and requests",
        "Errors",
        "Service tier",
        "Other alarms",
        "Whose calls?",
    ]


def test_what_does_not_apply_is_absent() -> None:
    """A model that does not stream, cache or ask for optimized has no such section, and says in one line that it does not stream."""
    body = body_of(silent())
    assert headings(body) == [
        "Latency anatomy",
        "Throttling and quota",
        "Tokens and requests",
        "Errors",
        "Whose calls?",
    ]
    text = to_json(body)
    assert "does not stream" in text
    assert "TimeToFirstToken" not in [
        r.metric.name for g in graphs(body) for r in g.metrics if isinstance(r, MetricRow)
    ]
    assert not [graph.title for graph in graphs(body) if "OTPS" in (graph.title or "")]


def test_tiles_come_first() -> None:
    """The eight headline tiles of a model that has everything, each with a sparkline."""
    tiles = [graph for graph in graphs(body_of(optimized())) if graph.view == "singleValue"]
    assert [tile.title for tile in tiles] == [
        "TTFT p90, ms",
        "OTPS, output tokens/s",
        "Throttled, % of attempts",
        "Fallback, % served standard",
        "Cache hit rate, %",
        "Requests per minute",
        "Output tokens per request",
        "Cost, USD per hour",
    ]
    assert all(tile.sparkline for tile in tiles)


def test_the_card_says_who_and_what_was_promised() -> None:
    """Ids, mode, objectives, baselines, quotas and links; only https links are links, and addresses cannot break out."""
    card = body_of(optimized(aliases=2)).widgets[0].content
    assert isinstance(card, TextWidget)
    assert "`us.amazon.nova-pro-v1:0` `amazon.nova-pro-v1:0`" in card.markdown
    assert "TTFT p90 ≤ 800 ms" in card.markdown
    assert "120 output tokens/s, 75 when served standard" in card.markdown
    assert "800,000 tokens/min, 200,000 tokens/min optimized, 500 requests/min" in card.markdown
    assert "[Runbook](https://wiki.example.com/nova%20%28pro%29)" in card.markdown
    assert "insecure.example.com" not in card.markdown
    assert "#dashboards/dashboard/llm-prod-us-east-1-fleet)" in card.markdown


def test_the_card_says_what_is_not_watched() -> None:
    """An alarm that a model does not get is named with its reason; where every alarm is there the line is absent."""
    model = silent()
    some = replace(alarms_of(model), omitted=(Omission(slug="slow-decode", reason="no call streams"),))
    card = model_page(model, site=SITE, alarms=some, evidence=evidence_of(model)).body.widgets[0].content
    assert isinstance(card, TextWidget)
    assert "| **Not watched** | slow-decode: no call streams |" in card.markdown
    assert "Not watched" not in to_json(body_of(model))


def test_a_title_cannot_break_the_card() -> None:
    """Markdown in a configured title is shown as it was written."""
    card = body_of(standard()).widgets[0].content
    assert isinstance(card, TextWidget)
    assert card.markdown.startswith("# Claude \\| \\*Sonnet\\* · prod · us-east-1\n")


def test_the_status_shows_causes_and_symptoms_of_this_model_apart() -> None:
    """Causes by ARN, composites too; the symptoms that runbooks ask for are below them."""
    status, symptoms = [w.content for w in body_of(optimized()).widgets if isinstance(w.content, AlarmWidget)]
    prefix = "arn:aws:cloudwatch:us-east-1:111122223333:alarm:llm-prod-nova-pro-"
    assert status.title == "Causes"
    assert status.alarms == (prefix + "throttled", prefix + "fallback-share", prefix + "slow-decode")
    assert symptoms.alarms == (prefix + "decode-rate", prefix + "latency-objective")
    assert (symptoms.title or "").startswith("Symptoms")


def test_reasons_that_are_equal_are_said_once() -> None:
    """`a, b: why` in place of `a: why; b: why`."""
    omitted = tuple(
        Omission(slug=slug, reason=why) for slug, why in (("a", "off"), ("b", "no objective"), ("c", "off"))
    )
    page = model_page(
        optimized(), site=SITE, alarms=AlarmSet(entries=(), omitted=omitted), evidence=evidence_of(optimized())
    )
    assert "| **Not watched** | a, c: off; b: no objective |" in to_json(page.body)


def test_an_empty_graph_of_a_quiet_model_explains_itself() -> None:
    """An alarm that judges 20 calls or more has no points below; its title says so."""
    model = optimized()
    alarms = model_alarms(model, site=SITE, evidence=evidence_of(model), targets={})
    page = model_page(model, site=SITE, alarms=alarms, evidence=evidence_of(model))
    titles = [graph.title or "" for graph in graphs(page.body)]
    assert [
        one for one in titles if one.startswith("Invocation latency p90 (ms, ") and "where 20 calls or more)" in one
    ]
    assert not [one for one in titles if one.startswith("Quota used") and "calls or more" in one]


def test_without_alarms_there_is_no_status_and_no_line() -> None:
    """Alarms switched off leave plain graphs of the rates."""
    model = optimized()
    body = model_page(model, site=SITE, alarms=AlarmSet(entries=()), evidence=evidence_of(model)).body
    assert validate_body(body) == ()
    assert not [widget for widget in body.widgets if isinstance(widget.content, AlarmWidget)]
    assert titled(body, "Throttled attempts (% of attempts)").annotations.horizontal == ()
    assert titled(body, "Fallback share (% of calls, 300 s)").annotations.horizontal == ()


def test_percentiles_of_one_id_share_a_graph() -> None:
    """One ModelId: p50, p90 and p99 together, with the objectives."""
    graph = titled(body_of(optimized()), "Time to first token p50 p90 p99 (ms)")
    assert [row.stat for row in graph.metrics] == ["p50", "p90", "p99"]
    assert [line.value for line in graph.annotations.horizontal if isinstance(line, HorizontalAnnotation)] == [
        800,
        2000,
    ]


def test_percentiles_of_several_ids_are_never_combined() -> None:
    """Three ModelIds: a graph for each percentile with a line for each id, and the objective of that percentile only."""
    body = body_of(optimized(aliases=3))
    for percent, objective in (("p50", []), ("p90", [800]), ("p99", [2000])):
        graph = titled(body, f"Time to first token {percent} by ModelId")
        assert [row.stat for row in graph.metrics] == [percent] * 3
        assert len({row.label for row in graph.metrics}) == 3
        assert [
            line.value for line in graph.annotations.horizontal if isinstance(line, HorizontalAnnotation)
        ] == objective


def test_counts_of_several_ids_are_summed() -> None:
    """Attempts of two ids: calls and throttles of both."""
    graph = titled(body_of(optimized(aliases=2)), "Attempts and throttles")
    values = {
        "Invocations@us.amazon.nova-pro-v1:0": 10,
        "Invocations@amazon.nova-pro-v1:0": 5,
        "InvocationThrottles@amazon.nova-pro-v1:0": 2,
    }
    assert shown(graph, values, label="attempts") == 17
    assert shown(graph, values, label="throttled") == 2


def test_a_tile_shows_the_worst_id() -> None:
    """Two ids at 800 and 1,200 ms: the tile says worst and shows 1,200; an id without traffic changes nothing."""
    title = "TTFT p90 of the worst ModelId, ms"
    tile = titled(body_of(optimized(aliases=3)), title)
    values = {
        "TimeToFirstToken/p90@us.amazon.nova-pro-v1:0": 800,
        "TimeToFirstToken/p90@amazon.nova-pro-v1:0": 1200,
    }
    assert shown(tile, values, label=title) == 1200


OTPS = "OTPS, output tokens/s"
RATE = "OTPS (sum of tokens / sum of decode time)"


def test_otps_is_tokens_over_decode_time() -> None:
    """1,000 tokens in 10 s of latency with 2 s before the first token are 125 tokens a second."""
    graph = titled(body_of(optimized()), RATE)
    values = {
        "OutputTokenCount": 1000,
        "InvocationLatency": 10_000,
        "TimeToFirstToken": 2000,
        "InvocationLatency/SampleCount": 1,
    }
    assert shown(graph, values, label=OTPS) == 125
    assert graph.y_axis.left is not None
    assert graph.y_axis.right is not None


@pytest.mark.parametrize(
    "values",
    [
        pytest.param({"OutputTokenCount": 1000, "InvocationLatency": 10_000}, id="no time to first token"),
        pytest.param({"OutputTokenCount": 9, "InvocationLatency": 100, "TimeToFirstToken": 100}, id="no decode time"),
        pytest.param(
            {"OutputTokenCount": 9, "InvocationLatency": 100, "TimeToFirstToken": 120}, id="negative decode time"
        ),
        pytest.param({"OutputTokenCount": 9, "TimeToFirstToken": 100}, id="no latency"),
    ],
)
@pytest.mark.parametrize("model", [optimized(), standard()], ids=["streams", "streams in part"])
def test_otps_is_missing_rather_than_wrong(model: MonitoredModel, values: dict[str, float]) -> None:
    """Never a rate over the whole latency, never a negative one."""
    counts = {"InvocationLatency/SampleCount": 1.0} if "InvocationLatency" in values else {}
    assert shown(titled(body_of(model), RATE), {**values, **counts}, label=OTPS) is None


def test_otps_has_one_form_whatever_the_streaming_share() -> None:
    """Page and alarm show one number: a model of which nearly all calls stream has the expressions of a mixed one."""
    forms = [
        [
            row.expression
            for row in titled(body_of(replace(optimized(), streaming_share=share)), RATE).metrics
            if isinstance(row, ExpressionRow)
        ]
        for share in (0.5, 0.96, 1)
    ]
    assert forms[0] == forms[1] == forms[2]


def test_input_tokens_per_call_are_all_that_was_not_read_from_the_cache() -> None:
    """What the baseline is: 900 uncached and 100 written over 2 calls are 500; without prompt caching there are no writes."""
    values = {"InputTokenCount": 900, "InputTokenCount/SampleCount": 2, "CacheWriteInputTokenCount": 100}
    cached = titled(body_of(replace(optimized(), prompt_caching=True)), "Tokens per request")
    assert shown(cached, values, label="input to process: uncached + cache write") == 500
    plain = titled(body_of(replace(optimized(), prompt_caching=False)), "Tokens per request")
    assert shown(plain, values, label="input") == 450


def test_otps_of_a_mixed_model_takes_the_first_token_of_the_others() -> None:
    """Ten calls of 1,000 ms, six streamed with 200 ms to the first token: 8,000 ms of decoding, not 8,800."""
    graph = titled(body_of(standard()), RATE)
    values = {
        "OutputTokenCount": 800,
        "InvocationLatency/Sum": 10_000,
        "InvocationLatency/SampleCount": 10,
        "TimeToFirstToken/Average": 200,
        "TimeToFirstToken/SampleCount": 6,
    }
    assert shown(graph, values, label=OTPS) == 100
    share = titled(body_of(standard()), "Streaming share (%)")
    assert shown(share, values, label="calls that stream, %") == 60


def test_the_decode_alarm_is_a_line_in_tokens_per_second() -> None:
    """20 % slower than 120 tokens a second is 96, at the alarm's own period; the alarm's own graph says 20 %."""
    body = body_of(optimized())
    lines = [
        (line.value, line.y_axis)
        for line in titled(body, RATE).annotations.horizontal
        if isinstance(line, HorizontalAnnotation)
    ]
    assert lines == [(120, None), (350, "right"), (96, None)]
    own = titled(body, "% slower than baseline")
    assert [line.value for line in own.annotations.horizontal if isinstance(line, HorizontalAnnotation)] == [20]


def test_a_decode_alarm_in_another_unit_is_not_converted() -> None:
    """A threshold is drawn over a quantity of its own unit only."""
    model = optimized()
    alarms = alarms_of(model)
    entries = tuple(replace(e, unit="tokens/s") if e.slug == "decode-rate" else e for e in alarms)
    body = model_page(model, site=SITE, alarms=AlarmSet(entries=entries), evidence=evidence_of(model)).body
    lines = titled(body, RATE).annotations.horizontal
    assert [line.value for line in lines if isinstance(line, HorizontalAnnotation)] == [120, 350]


def test_quota_tokens_stand_against_the_quota_of_a_minute() -> None:
    """EstimatedTPMQuotaUsage as a sum over 60 s, lines at 100 % and 80 % of what it counts against, and the reservation."""
    body = body_of(optimized())
    graph = titled(body, "Quota tokens (per minute) against TPM")
    assert graph.period_s == 60
    assert body.period_override == "inherit"
    values = {"EstimatedTPMQuotaUsage": 70_000, "InputTokenCount": 25_000, "Invocations": 10}
    assert shown(graph, values, label="counted (estimate by Bedrock)") == 70_000
    assert shown(graph, values, label="reserved at start (input + max_tokens)") == 65_000
    values_of_lines = [line.value for line in graph.annotations.horizontal if isinstance(line, HorizontalAnnotation)]
    assert values_of_lines == [1_000_000, 800_000]
    standard_only = titled(body_of(standard(quotas=Quotas(tpm=500))), "Quota tokens (per minute) against TPM")
    lines = [line for line in standard_only.annotations.horizontal if isinstance(line, HorizontalAnnotation)]
    assert [(line.value, line.label) for line in lines] == [(500, "TPM quota"), (400, "80 % of TPM quota")]


def test_without_a_known_quota_there_is_no_line() -> None:
    """An unknown quota draws nothing, and an unknown max_tokens no reservation."""
    graph = titled(body_of(optimized(quotas=Quotas())), "Quota tokens (per minute) against TPM")
    assert graph.annotations.horizontal == ()
    assert [row.label for row in graph.metrics if isinstance(row, ExpressionRow)] == ["counted (estimate by Bedrock)"]


def test_the_hit_rate_counts_every_prompt_token_once() -> None:
    """30 read, 10 written, 60 uncached: 30 %; no read at all is 0 %; the title says what is divided by what."""
    graph = titled(body_of(optimized()), "Cache hit rate (%) = read / (read + write + uncached)")
    values: dict[str, float] = {
        "CacheReadInputTokenCount": 30,
        "CacheWriteInputTokenCount": 10,
        "InputTokenCount": 60,
    }
    assert shown(graph, values, label="hit rate, %") == 30
    assert shown(graph, {"InputTokenCount": 60}, label="hit rate, %") == 0


def test_cache_metrics_are_those_of_the_account() -> None:
    """The names come from the configuration."""
    model = optimized()
    names = ("CacheReadInputTokens", "CacheWriteInputTokens")
    body = model_page(
        model, site=SITE, alarms=AlarmSet(entries=()), evidence=evidence_of(model), cache_metrics=names
    ).body
    used = {row.metric.name for graph in graphs(body) for row in graph.metrics if isinstance(row, MetricRow)}
    assert set(names) <= used
    assert "CacheReadInputTokenCount" not in used


def test_cost_is_of_every_kind_of_token() -> None:
    """A million of each kind in five minutes, twelve times an hour; without a price there is no tile."""
    graph = titled(body_of(optimized()), "Cost, USD per hour")
    million = 1_000_000
    values = {
        "InputTokenCount": million,
        "OutputTokenCount": million,
        "CacheReadInputTokenCount": million,
        "CacheWriteInputTokenCount": million,
    }
    assert shown(graph, values, label="Cost, USD per hour") == pytest.approx(12 * (0.8 + 3.2 + 0.2 + 0.8))
    assert not [g for g in graphs(body_of(optimized(prices=Prices(input=1)))) if "Cost" in (g.title or "")]


def test_the_fallback_share_leaves_out_what_the_record_does_not_say() -> None:
    """30 optimized, 10 standard, 60 unknown: 25 % of the calls that say how they were served."""
    graph = titled(body_of(optimized()), "Fallback, % served standard")
    values = {"nova-pro-served-optimized": 30, "nova-pro-served-standard": 10, "nova-pro-served-unknown": 60}
    assert shown(graph, values, label="Fallback, % served standard") == 25
    assert shown(graph, {"nova-pro-served-optimized": 30}, label="Fallback, % served standard") == 0


def test_unknown_evidence_is_said_not_hidden() -> None:
    """A model that asks for optimized without a route of evidence says that fallback cannot be seen."""
    body = body_of(optimized(), route=EvidenceRoute.NONE)
    assert "a fallback to standard cannot be seen" in to_json(body)
    assert "Whose calls?" not in headings(body)
    assert not [graph for graph in graphs(body) if "allback" in (graph.title or "")]


@pytest.mark.parametrize(
    ("route", "source", "caller"),
    [
        (
            EvidenceRoute.EVENTBRIDGE,
            "detail.errorCode like /^Throttl.*$/",
            "coalesce(detail.userIdentity.sessionContext.sessionIssuer.arn, detail.userIdentity.arn)",
        ),
        (
            EvidenceRoute.RULE_COUNTERS,
            "detail.errorCode like /^Throttl.*$/",
            "fields detail.userIdentity.arn as caller",
        ),
        (
            EvidenceRoute.TRAIL,
            "filter errorCode like /^Throttl.*$/",
            "coalesce(userIdentity.sessionContext.sessionIssuer.arn, userIdentity.arn)",
        ),
        (EvidenceRoute.INVOCATION_LOG, "filter errorCode like /^Throttl.*$/", "fields identity.arn as caller"),
    ],
)
def test_the_table_of_calls_names_roles_and_never_content(route: EvidenceRoute, source: str, caller: str) -> None:
    """Only named fields leave the log: no message, no body, no prompt."""
    (table,) = [w.content for w in body_of(optimized(), route=route).widgets if isinstance(w.content, LogWidget)]
    assert source in table.query
    assert caller in table.query
    assert '["us.amazon.nova-pro-v1:0"]' in table.query
    shown_fields = table.query.split("| stats ")[1]
    assert not {"@message", "inputBodyJson", "requestParameters"} & set(shown_fields.replace(",", " ").split())
    assert "@message" not in table.query


def test_a_trail_is_asked_for_one_region() -> None:
    """A trail's log group holds every Region; the dedicated ones hold their own only."""
    for route, there in ((EvidenceRoute.TRAIL, True), (EvidenceRoute.EVENTBRIDGE, False)):
        (table,) = [w.content for w in body_of(optimized(), route=route).widgets if isinstance(w.content, LogWidget)]
        assert ('filter awsRegion = "us-east-1"' in table.query) is there


def test_a_standard_model_is_asked_for_throttles_only() -> None:
    """Every call of a standard model is served standard; listing them as fallen back would be wrong."""
    (table,) = [w.content for w in body_of(standard()).widgets if isinstance(w.content, LogWidget)]
    assert '= "standard"' not in table.query
    assert table.title == "Throttled calls by caller"


def test_the_same_quantity_has_the_same_colour() -> None:
    """A label that names one quantity has one colour over all pages' graphs, and every colour is written #rrggbb."""
    colours: dict[str, set[str | None]] = {}
    for model in (optimized(), silent(), optimized(reserved_tier=True)):
        for graph in graphs(body_of(model)):
            for row in graph.metrics:
                if row.visible is not False and row.color:
                    colours.setdefault(row.label or "", set()).add(row.color)
    ambiguous = {"p50", "p90", "p99"}
    assert {label for label, found in colours.items() if len(found) > 1} <= ambiguous
    assert all(color and len(color) == 7 for found in colours.values() for color in found)


def test_the_page_of_a_model_depends_on_that_model_alone() -> None:
    """Other models in the account, in any order, leave the text of the page as it was."""
    model, others = optimized(), [standard(), silent(), optimized("nova-lite")]
    texts = set()
    for models in ([model], [model, *others], [*reversed(others), model]):
        evidence = evidence_of(*models)
        alarms = alarms_of(model, evidence=evidence)
        texts.add(to_json(model_page(model, site=SITE, alarms=alarms, evidence=evidence).body))
    assert len(texts) == 1


def test_every_graph_says_its_unit() -> None:
    """Title and axis label of a time series are never empty, and CloudWatch's own units are off."""
    for model in MODELS.values():
        for graph in graphs(body_of(model)):
            assert isinstance(graph, MetricWidget)
            assert graph.title
            if graph.view == "timeSeries":
                assert graph.y_axis.left is not None
                assert graph.y_axis.left.label, graph.title
                assert graph.y_axis.left.show_units is False
