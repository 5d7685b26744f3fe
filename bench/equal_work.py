"""What is the same work for everybody? Models to monitor, and a specification of them that says nothing of how.

The specification holds what our values hold: alarms with their metrics, composites over alarms, widgets with their lines, the
texts. `bench/cmc/synth.cts` and `bench/cmc/synth.py` build it with cdk-monitoring-constructs.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from alarms.alarm_set import Role, Severity
from alarms.causes import model_alarms
from alarms.naming import Site, log_group_name, metric_namespace, rule_prefix, topic_arn
from bedrock.evidence import EvidenceSettings
from bedrock.evidence_plan import plan_evidence
from bedrock.models import Baselines, LatencyMode, MonitoredModel, Objectives, Quotas
from cloudwatch.alarm import CompositeAlarm, MetricAlarm
from cloudwatch.alarm_rule import children, parse_rule
from cloudwatch.dashboard.render import render
from cloudwatch.metric import MetricQuery
from dashboards.pages.model import model_page
from monitoring.plan import ModelPlan

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SITE", "counts", "model_plans", "specification"]

SITE = Site(prefix="llm", alias="bench", account_id="111122223333", region="us-east-1")
_STATISTICS = {"Sum", "Average", "Maximum", "Minimum", "SampleCount", "p50", "p90", "p99"}


def model_plans(number: int) -> tuple[ModelPlan, ...]:
    """Return that many models, each latency-optimized with caching, objectives and quotas: every alarm and section."""
    models = tuple(
        MonitoredModel(
            key=f"model-{index:02}",
            title=f"Model {index}",
            model_ids=(f"us.amazon.nova-pro-{index:02}-v1:0",),
            baselines=Baselines(
                otps=118.0, standard_otps=74.0, output_tokens=320.0, input_tokens=1900.0, cache_hit_rate=0.6
            ),
            latency=LatencyMode.OPTIMIZED,
            requests_per_minute=120.0,
            prompt_caching=True,
            objectives=Objectives(ttft_p90_ms=900.0, latency_p90_ms=6000.0, success_rate=0.995),
            quotas=Quotas(tpm=800_000.0, rpm=200.0, optimized_tpm=400_000.0, max_tokens=2000),
        )
        for index in range(1, number + 1)
    )
    evidence = plan_evidence(
        models,
        settings=EvidenceSettings(),
        region=SITE.region,
        namespace=metric_namespace(SITE),
        log_group=log_group_name(SITE),
        rule_prefix=rule_prefix(SITE),
    )
    targets = {severity: (topic_arn(SITE, severity),) for severity in Severity}
    out: list[ModelPlan] = []
    for model in models:
        alarms = model_alarms(model, site=SITE, evidence=evidence, targets=targets, ok_targets=targets)
        page = model_page(model, site=SITE, alarms=alarms, evidence=evidence)
        out.append(ModelPlan(model=model, alarms=alarms, page=page))
    return tuple(out)


def specification(plans: tuple[ModelPlan, ...]) -> list[dict[str, Any]]:
    """Return the work as plain data."""
    return [_model(plan) for plan in plans]


def _model(plan: ModelPlan) -> dict[str, Any]:
    assert plan.page is not None
    slug_of = {entry.alarm.name: entry.slug for entry in plan.alarms}
    metric = {entry.alarm.name for entry in plan.alarms if isinstance(entry.alarm, MetricAlarm)}
    alarms, composites = [], []
    for entry in plan.alarms:
        common = {
            "slug": entry.slug,
            "description": entry.alarm.description,
            "cause": entry.role is Role.CAUSE,
        }
        if isinstance(entry.alarm, CompositeAlarm):
            named = [name for name in children(parse_rule(entry.alarm.rule)) if name in metric] or sorted(metric)[:1]
            composites.append(common | {"children": [slug_of[name] for name in named]})
        else:
            alarms.append(common | _alarm(entry.alarm))
    return {
        "key": plan.model.key,
        "alarms": alarms,
        "composites": composites,
        "widgets": [_widget(widget) for widget in render(plan.page.body)["widgets"]],
        "topic": topic_arn(SITE, Severity.PAGE),
    }


def _alarm(alarm: MetricAlarm) -> dict[str, Any]:
    queries: list[dict[str, Any]] = []
    for query in alarm.queries:
        if isinstance(query, MetricQuery):
            queries.append(
                {
                    "id": query.id,
                    "namespace": query.metric.namespace,
                    "name": query.metric.name,
                    "dimensions": dict(query.metric.dimensions),
                    "stat": _statistic(query.stat),
                    "period_s": query.period_s,
                }
            )
        else:
            queries.append({"id": query.id, "expression": query.expression, "label": query.label or query.id})
    return {
        "queries": queries,
        "returned": alarm.returned.id,
        "comparison": alarm.comparison.value,
        "threshold": alarm.threshold,
        "n": alarm.evaluation_periods,
        "m": alarm.datapoints_to_alarm,
        "missing": alarm.treat_missing_data.value,
    }


def _widget(widget: dict[str, Any]) -> dict[str, Any]:
    properties = widget["properties"]
    rows = [_row(row, properties) for row in properties.get("metrics", ())]
    for index, row in enumerate(rows):
        row.setdefault("id", f"row{index}")
    return {
        "title": properties.get("title", ""),
        "width": widget["width"],
        "height": widget["height"],
        "queries": rows,
        "shown": [row["id"] for row in rows if row.pop("visible")],
        "text": properties.get("markdown") or json.dumps(properties),
    }


def _row(row: list[Any], properties: dict[str, Any]) -> dict[str, Any]:
    options = dict(row[-1]) if isinstance(row[-1], dict) else {}
    out: dict[str, Any] = {"visible": options.get("visible", True)}
    if "id" in options:
        out["id"] = options["id"]
    if "label" in options:
        out["label"] = options["label"]
    period_s = options.get("period", properties.get("period", 300))
    if "expression" in options:
        return out | {"expression": options["expression"], "label": options.get("label", "")}
    names = row[:-1] if isinstance(row[-1], dict) else row
    return out | {
        "namespace": names[0],
        "name": names[1],
        "dimensions": dict(zip(names[2::2], names[3::2], strict=True)),
        "stat": _statistic(options.get("stat", properties.get("stat", "Average"))),
        "period_s": period_s,
    }


def _statistic(text: str) -> str:
    return text if text in _STATISTICS else "Average"


def counts(folder: Path) -> list[dict[str, Any]]:
    """Return what each model's template holds: alarms, metrics per alarm, composites, widgets, lines, body bytes."""
    found = []
    for path in sorted(folder.glob("*.template.json")):
        resources = json.loads(path.read_text())["Resources"].values()
        bodies = [
            _text(resource["Properties"]["DashboardBody"])
            for resource in resources
            if resource["Type"] == "AWS::CloudWatch::Dashboard"
        ]
        widgets = [widget for body in bodies for widget in json.loads(body)["widgets"]]
        found.append(
            {
                "alarms": sum(resource["Type"] == "AWS::CloudWatch::Alarm" for resource in resources),
                "composites": sum(resource["Type"] == "AWS::CloudWatch::CompositeAlarm" for resource in resources),
                "metrics per alarm": sorted(
                    Counter(
                        sum("MetricStat" in query for query in resource["Properties"].get("Metrics", ())) or 1
                        for resource in resources
                        if resource["Type"] == "AWS::CloudWatch::Alarm"
                    ).items()
                ),
                "dashboards": len(bodies),
                "widgets": len(widgets),
                "body bytes": sum(map(len, bodies)),
            }
        )
    return found


def _text(value: Any) -> str:
    """Return a text property; a joined one with a letter for each reference."""
    if isinstance(value, str):
        return value
    parts = value["Fn::Join"][1]
    return "".join(part if isinstance(part, str) else re.sub(r"\W", "", json.dumps(part)) for part in parts)
