"""Models, alarms and evidence made by hand: what pages are tested with, whatever the alarm policy decides."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from alarms.alarm_set import AlarmEntry, AlarmSet, Role, Severity
from alarms.naming import Site, alarm_name, log_group_name, metric_namespace
from bedrock.evidence import EvidenceRoute, EvidenceSettings
from bedrock.evidence_plan import EvidencePlan, plan_evidence
from bedrock.metrics import BedrockMetric, account_metric, invocation_metric
from bedrock.models import Baselines, LatencyMode, MonitoredModel, Objectives, Prices, Quotas
from cloudwatch.alarm import Comparison, CompositeAlarm, MetricAlarm, MissingData
from cloudwatch.dashboard.render import render
from cloudwatch.dashboard.values import DashboardBody, MetricWidget, TextWidget
from cloudwatch.metric import ExpressionQuery, Metric, MetricQuery

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboards.page import Dashboard

SITE = Site(prefix="llm", alias="prod", account_id="111122223333", region="us-east-1")


def optimized(key: str = "nova-pro", *, aliases: int = 1, **changes: Any) -> MonitoredModel:
    """Return a model that asks for optimized latency, streams, caches and knows its quotas and prices."""
    ids = ("us.amazon.nova-pro-v1:0", "amazon.nova-pro-v1:0", *(f"cypje2y15y{n:02}" for n in range(3, 20)))[:aliases]
    values: dict[str, Any] = {
        "key": key,
        "title": "Amazon Nova Pro",
        "model_ids": ids if key == "nova-pro" else tuple(f"{key}.{name}" for name in ids),
        "latency": LatencyMode.OPTIMIZED,
        "streaming_share": 1.0,
        "prompt_caching": True,
        "baselines": Baselines(otps=120, standard_otps=75, output_tokens=350, input_tokens=2000, cache_hit_rate=0.4),
        "objectives": Objectives(ttft_p90_ms=800, ttft_p99_ms=2000, latency_p90_ms=6000, success_rate=0.995),
        "quotas": Quotas(tpm=800_000, rpm=500, tpd=400_000_000, optimized_tpm=200_000, burndown=1, max_tokens=4000),
        "prices": Prices(input=0.8, output=3.2, cache_read=0.2, cache_write=0.8),
        "links": (("Runbook", "https://wiki.example.com/nova (pro)"), ("Not a page", "http://insecure.example.com")),
    }
    return MonitoredModel(**(values | changes))


def standard(key: str = "sonnet", *, aliases: int = 1, **changes: Any) -> MonitoredModel:
    """Return a model that asks for standard latency, streams in part, does not cache, and knows little."""
    ids = tuple(f"{geo}.anthropic.{key}-v1:0" for geo in ("us", "eu", "apac", "global", "jp", "au", "ca", "sa"))
    values: dict[str, Any] = {
        "key": key,
        "title": "Claude | *Sonnet*",
        "model_ids": ids[:aliases],
        "streaming_share": 0.6,
        "baselines": Baselines(otps=60, output_tokens=500, input_tokens=3000),
    }
    return MonitoredModel(**(values | changes))


def silent(key: str = "titan-embed", **changes: Any) -> MonitoredModel:
    """Return a model without a streaming API."""
    values: dict[str, Any] = {
        "key": key,
        "title": "Titan Embeddings",
        "model_ids": ("amazon.titan-embed-text-v2:0",),
        "streaming_share": 0.0,
        "baselines": Baselines(otps=1, output_tokens=1, input_tokens=500),
        "objectives": Objectives(latency_p90_ms=300),
        "quotas": Quotas(tpm=300_000, rpm=2000),
    }
    return MonitoredModel(**(values | changes))


def evidence_of(*models: MonitoredModel, route: EvidenceRoute = EvidenceRoute.EVENTBRIDGE) -> EvidencePlan:
    """Return the evidence plan of some models on a route."""
    group = "/aws/bedrock/calls" if route in {EvidenceRoute.TRAIL, EvidenceRoute.INVOCATION_LOG} else None
    return plan_evidence(
        models,
        settings=EvidenceSettings(route=route, log_group=group, trail_home_region=SITE.region),
        region=SITE.region,
        namespace=metric_namespace(SITE),
        log_group=log_group_name(SITE),
        rule_prefix="llm-prod",
    )


def _metric_entry(
    model: MonitoredModel,
    slug: str,
    *,
    reads: Sequence[tuple[str, Sequence[Metric], str]],
    expression: str,
    threshold: float,
    unit: str,
    policy: tuple[int, int, int] = (60, 20, 9),
    severity: Severity | None = None,
    comparison: Comparison = Comparison.GREATER_OR_EQUAL,
) -> AlarmEntry:
    period_s, n, m = policy
    queries = [
        MetricQuery(id=f"{letter}{place}", metric=metric, stat=stat, period_s=period_s)
        for letter, metrics, stat in reads
        for place, metric in enumerate(metrics, start=1)
    ]
    sums = [
        ExpressionQuery(id=letter, expression=f"SUM([{','.join(f'{letter}{i + 1}' for i in range(len(metrics)))}])")
        for letter, metrics, _ in reads
        if len(metrics) > 1
    ]
    for letter, metrics, _ in reads:
        if len(metrics) == 1:
            expression = expression.replace(f"<{letter}>", f"{letter}1")
        expression = expression.replace(f"<{letter}>", letter)
    return AlarmEntry(
        slug=slug,
        role=Role.CAUSE if severity else Role.SYMPTOM,
        severity=severity,
        model=model.key,
        unit=unit,
        title=slug.replace("-", " ").capitalize(),
        alarm=MetricAlarm(
            name=alarm_name(SITE, model=model.key, slug=slug),
            queries=(*queries, *sums, ExpressionQuery(id="value", expression=expression, return_data=True)),
            comparison=comparison,
            threshold=threshold,
            evaluation_periods=n,
            datapoints_to_alarm=m,
            treat_missing_data=MissingData.NOT_BREACHING,
        ),
    )


def alarms_of(model: MonitoredModel, *, evidence: EvidencePlan | None = None, groups: int = 1) -> AlarmSet:
    """Return alarms of a model in the form that the product gives them; aliases beyond two go into more groups."""
    plan = evidence if evidence is not None else evidence_of(model)
    entries: list[AlarmEntry] = []
    parts = [model.series_ids[start::groups] for start in range(groups)]

    def series(name: str, ids: Sequence[str]) -> tuple[Metric, ...]:
        return tuple(invocation_metric(one, name) for one in ids)

    ids = model.series_ids[:3]
    entries.append(
        _metric_entry(
            model,
            "throttled",
            reads=[
                ("t", series(BedrockMetric.THROTTLES, ids), "Sum"),
                ("i", series(BedrockMetric.INVOCATIONS, ids), "Sum"),
            ],
            expression="IF((<i>+<t>)>=20, 100*(<t>+0*<i>)/(<i>+<t>), 0)",
            threshold=5,
            unit="% of attempts throttled",
            policy=(60, 15, 3),
            severity=Severity.PAGE,
        )
    )
    if model.streams:
        for number, part in enumerate(parts, start=1):
            entries.append(
                _metric_entry(
                    model,
                    "decode-rate" if groups == 1 else f"decode-rate-{number}",
                    reads=[
                        ("tok", series(BedrockMetric.OUTPUT_TOKENS, part[:3]), "Sum"),
                        ("lat", series(BedrockMetric.LATENCY, part[:3]), "Sum"),
                        ("ft", series(BedrockMetric.TTFT, part[:3]), "Sum"),
                    ],
                    expression=f"IF((<lat>>(<ft>+0*<lat>)), 100-100000*<tok>/((<lat>-<ft>)*{model.baselines.otps:g}), 0)",
                    threshold=20,
                    unit="% slower than baseline",
                )
            )
    if model.objectives.latency_p90_ms is not None:
        entries.append(
            _metric_entry(
                model,
                "latency-objective",
                reads=[
                    ("n", series(BedrockMetric.LATENCY, ids[:1]), "SampleCount"),
                    ("p", series(BedrockMetric.LATENCY, ids[:1]), "p90"),
                ],
                expression="IF(<n>>=20, <p>, 0)",
                threshold=model.objectives.latency_p90_ms,
                unit="ms",
                policy=(300, 6, 3),
                comparison=Comparison.GREATER,
            )
        )
    if plan.sees_fallback(model):
        entries.append(
            _metric_entry(
                model,
                "fallback-share",
                reads=[("o", plan.served(model, "optimized"), "Sum"), ("s", plan.served(model, "standard"), "Sum")],
                expression="IF((<o>+<s>)>=20, 100*(<s>+0*<o>)/(<o>+<s>), 0)",
                threshold=25,
                unit="% of calls served standard",
                policy=(300, 3, 1),
                severity=Severity.TICKET,
            )
        )
        entries.append(
            _metric_entry(
                model,
                "brand-new",
                reads=[("o", plan.served(model, "optimized"), "Sum")],
                expression="<o>",
                threshold=1,
                unit="calls",
                policy=(900, 3, 3),
                comparison=Comparison.LESS,
            )
        )
    names = [entry.alarm.name for entry in entries]
    entries.append(
        AlarmEntry(
            slug="slow-decode",
            role=Role.CAUSE,
            severity=Severity.PAGE,
            model=model.key,
            title="Slower than its baseline",
            alarm=CompositeAlarm(
                name=alarm_name(SITE, model=model.key, slug="slow-decode"), rule=f'ALARM("{names[-1]}")'
            ),
        )
    )
    return AlarmSet(entries=tuple(entries))


def account_alarms() -> AlarmSet:
    """Return the account-wide alarms."""
    errors, calls = (account_metric(name) for name in (BedrockMetric.CLIENT_ERRORS, BedrockMetric.INVOCATIONS))
    alarm = MetricAlarm(
        name=alarm_name(SITE, model=None, slug="caller-errors"),
        queries=(
            MetricQuery(id="e", metric=errors, stat="Sum", period_s=300),
            MetricQuery(id="i", metric=calls, stat="Sum", period_s=300),
            ExpressionQuery(id="value", expression="IF(i>=20, 100*(e+0*i)/i, 0)", return_data=True),
        ),
        comparison=Comparison.GREATER_OR_EQUAL,
        threshold=10,
        evaluation_periods=6,
        datapoints_to_alarm=3,
    )
    entry = AlarmEntry(
        slug="caller-errors", role=Role.CAUSE, severity=Severity.TICKET, alarm=alarm, title="Caller errors"
    )
    return AlarmSet(entries=(entry,))


def pretty(page: Dashboard) -> str:
    """Return a page as a document to open: indented, nothing shortened; CloudWatch's source editor takes it as it is."""
    return json.dumps(render(page.body), indent=1, ensure_ascii=False) + "\n"


def graphs(body: DashboardBody) -> list[MetricWidget]:
    """Return the metric widgets of a body."""
    return [widget.content for widget in body.widgets if isinstance(widget.content, MetricWidget)]


def titled(body: DashboardBody, words: str) -> MetricWidget:
    """Return the one metric widget with these words in its title."""
    found = [graph for graph in graphs(body) if words in (graph.title or "")]
    assert len(found) == 1, [graph.title for graph in found or graphs(body)]
    return found[0]


def headings(body: DashboardBody) -> list[str]:
    """Return the section headings, without their notes."""
    texts = [widget.content.markdown for widget in body.widgets if isinstance(widget.content, TextWidget)]
    return [text[3:].split(" — ")[0] for text in texts if text.startswith("## ")]
