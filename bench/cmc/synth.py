"""The same monitoring with cdk-monitoring-constructs from Python; the twin of synth.cts, line for line.

python synth.py SPECIFICATION OUTDIR
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import cdk_monitoring_constructs as cmc
import jsii
from aws_cdk import App, Duration, Environment, Stack
from aws_cdk import aws_cloudwatch as cw
from aws_cdk import aws_sns as sns

CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def enum(kind: Any, text: str) -> Any:
    """Return the member of a CDK enumeration by CloudFormation's word for it."""
    return kind[CAMEL.sub("_", text).upper()]


class ModelMonitoring(cmc.Monitoring):
    """One model as a segment."""

    def __init__(self, scope: cmc.MonitoringScope, spec: dict[str, Any]) -> None:
        super().__init__(scope, alarm_friendly_name=spec["key"])
        self._spec = spec
        self._metrics = self.create_metric_factory()
        factory = self.create_alarm_factory(spec["key"])
        made: dict[str, cmc.AlarmWithAnnotation] = {}
        for alarm in spec["alarms"]:
            made[alarm["slug"]] = factory.add_alarm(
                self._metric(alarm["queries"], alarm["returned"]),
                alarm_name_suffix=alarm["slug"],
                alarm_description=alarm["description"],
                threshold=alarm["threshold"],
                comparison_operator=enum(cw.ComparisonOperator, alarm["comparison"]),
                evaluation_periods=alarm["n"],
                datapoints_to_alarm=alarm["m"],
                treat_missing_data=enum(cw.TreatMissingData, alarm["missing"]),
                action_override=None if alarm["cause"] else cmc.NoopAlarmActionStrategy(),
            )
        for composite in spec["composites"]:
            factory.add_composite_alarm(
                [made[slug] for slug in composite["children"]],
                disambiguator=composite["slug"],
                alarm_description=composite["description"],
                action_override=None if composite["cause"] else cmc.NoopAlarmActionStrategy(),
            )

    @jsii.member(jsii_name="widgets")
    def widgets(self) -> list[cw.IWidget]:
        """Return the widgets of the detail dashboard."""
        return [self._widget(widget) for widget in self._spec["widgets"]]

    def _widget(self, widget: dict[str, Any]) -> cw.IWidget:
        if not widget["shown"]:
            return cw.TextWidget(markdown=widget["text"], width=widget["width"], height=widget["height"])
        return cw.GraphWidget(
            title=widget["title"],
            width=widget["width"],
            height=widget["height"],
            left=[self._metric(widget["queries"], line) for line in widget["shown"]],
        )

    def _plain(self, query: dict[str, Any]) -> Any:
        return self._metrics.create_metric(
            query["name"],
            STATISTICS[query["stat"]],
            query.get("label"),
            query["dimensions"],
            None,
            query["namespace"],
            Duration.seconds(query.get("period_s", 300)),
        )

    def _metric(self, queries: list[dict[str, Any]], wanted_id: str) -> Any:
        wanted = next(query for query in queries if query["id"] == wanted_id)
        if "expression" not in wanted:
            return self._plain(wanted)
        words = set(re.split(r"[^A-Za-z0-9_]+", wanted["expression"]))
        inputs = {
            query["id"]: self._metric(queries, query["id"])
            for query in queries
            if query["id"] != wanted_id and query["id"] in words
        }
        period = Duration.seconds(next((query["period_s"] for query in queries if "period_s" in query), 300))
        label = wanted.get("label") or wanted_id
        return self._metrics.create_metric_math(wanted["expression"], inputs, label, None, period)


STATISTICS = {
    "Sum": cmc.MetricStatistic.SUM,
    "Average": cmc.MetricStatistic.AVERAGE,
    "Maximum": cmc.MetricStatistic.MAX,
    "Minimum": cmc.MetricStatistic.MIN,
    "SampleCount": cmc.MetricStatistic.N,
    "p50": cmc.MetricStatistic.P50,
    "p90": cmc.MetricStatistic.P90,
    "p99": cmc.MetricStatistic.P99,
}


def main(specification: str, outdir: str) -> None:
    """Synthesise every model of a specification, a stack each."""
    app = App(outdir=outdir, analytics_reporting=False, stack_traces=False, tree_metadata=False)
    for spec in json.loads(Path(specification).read_text()):
        stack = Stack(app, spec["key"], env=Environment(account="111122223333", region="us-east-1"))
        topic = sns.Topic.from_topic_arn(stack, "Topic", spec["topic"])
        facade = cmc.MonitoringFacade(
            stack,
            "Monitoring",
            alarm_factory_defaults=cmc.AlarmFactoryDefaults(
                alarm_name_prefix="llm",
                actions_enabled=True,
                action=cmc.SnsAlarmActionStrategy(on_alarm_topic=topic, on_ok_topic=topic),
            ),
            dashboard_factory=cmc.DefaultDashboardFactory(
                stack,
                "Dashboards",
                dashboard_name_prefix=f"llm-{spec['key']}",
                create_summary_dashboard=False,
                create_alarm_dashboard=False,
            ),
        )
        facade.add_segment(ModelMonitoring(facade, spec))
    app.synth()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
