"""Where does the time go, and is the model slower or chattier?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedrock.metrics import BedrockMetric
from cloudwatch.alarm import MetricAlarm
from cloudwatch.dashboard.values import HorizontalAnnotation
from dashboards import palette
from dashboards.alarm_lines import policy_text
from dashboards.layout import Block, spread
from dashboards.rows import Sheet
from dashboards.widgets import baseline_line, graph, heading, objective_line, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alarms.alarm_set import AlarmEntry
    from cloudwatch.dashboard.values import MetricWidget
    from cloudwatch.metric import Metric
    from dashboards.subject import Subject

__all__ = ["anatomy", "decode_lines", "percentile_graphs", "slower_or_chattier"]

PERCENTS = ("p50", "p90", "p99")
NO_STREAM = (
    "**This model does not stream**, so Bedrock publishes no TimeToFirstToken for it: there is no time to first token and no "
    "output rate (OTPS) here, and a rate over the whole latency would be another number."
)
SLOWER_THAN_BASELINE = "% slower than baseline"


def anatomy(subject: Subject) -> tuple[Block, ...]:
    """Return time to first token, whole latency and what lies between, with objectives and their alarms."""
    model, quantities, goals = subject.model, subject.quantities, subject.model.objectives
    blocks: list[Block] = [heading("Latency anatomy", "where the time goes")]
    if not model.streams:
        blocks.append(Block(content=text(NO_STREAM), width=24, height=2, new_line=True))
    graphs: list[MetricWidget] = []
    if model.streams:
        graphs += percentile_graphs(
            quantities.series(BedrockMetric.TTFT),
            region=subject.region,
            name="Time to first token",
            color=palette.TTFT,
            objectives={"p90": goals.ttft_p90_ms, "p99": goals.ttft_p99_ms},
        )
    graphs += percentile_graphs(
        quantities.series(BedrockMetric.LATENCY),
        region=subject.region,
        name="Whole latency",
        color=palette.LATENCY,
        objectives={"p90": goals.latency_p90_ms},
    )
    if model.streams:
        sheet = Sheet()
        sheet.draw(quantities.generation_ms(sheet), label="first to last token, mean ms", color=palette.OTPS)
        sheet.draw(
            quantities.prefill_share(sheet), label="share before first token, %", color=palette.TTFT, y_axis="right"
        )
        title = "Generation time (ms) and share of prefill (%)"
        graphs.append(graph(sheet, region=subject.region, title=title, left="ms", right="% of latency"))
    graphs += subject.alarm_graphs("ttft-objective", color=palette.TTFT)
    graphs += subject.alarm_graphs("latency-objective", color=palette.LATENCY)
    graphs += subject.alarm_graphs("objective-held", color=palette.LATENCY)
    return (*blocks, *spread(graphs, per_line=3))


def percentile_graphs(
    series: Sequence[Metric],
    *,
    region: str,
    name: str,
    color: str,
    objectives: dict[str, float | None],
    period_s: int = 60,
    of: str = "",
) -> tuple[MetricWidget, ...]:
    """Return p50, p90 and p99 of one series in a graph, or of several in a graph for each percentile.

    Percentiles of several ModelId values cannot be combined, so each value has its own line.

    Args:
        series: One for each ModelId value.
        region: Region of the metrics.
        name: What is measured.
        color: Of the quantity.
        objectives: Milliseconds promised, by percentile.
        period_s: Seconds of one point.
        of: Words for what the percentile is taken of, put into the title.
    """

    def lines(percents: Sequence[str]) -> list[HorizontalAnnotation]:
        return [
            objective_line(value, label=f"objective {percent}")
            for percent, value in objectives.items()
            if value is not None and percent in percents
        ]

    if len(series) == 1:
        sheet = Sheet()
        for percent, shade in zip(PERCENTS, palette.PERCENTILES[color], strict=True):
            sheet.plot(series[0], stat=percent, label=percent, color=shade)
        title = f"{name} p50 p90 p99{of} (ms)"
        return (graph(sheet, region=region, title=title, left="ms", lines=lines(PERCENTS), period_s=period_s),)
    graphs = []
    for percent in PERCENTS:
        sheet = Sheet()
        for index, metric in enumerate(series):
            sheet.plot(
                metric,
                stat=percent,
                label=metric.dimension("ModelId") or name,
                color=palette.ALIASES[index % len(palette.ALIASES)],
            )
        title = f"{name} {percent}{of or ' by ModelId'} (ms)"
        graphs.append(graph(sheet, region=region, title=title, left="ms", lines=lines([percent]), period_s=period_s))
    return tuple(graphs)


def slower_or_chattier(subject: Subject) -> tuple[Block, ...]:
    """Return the decode rate against the length of answers: which of the two made calls take longer?"""
    model, quantities, base = subject.model, subject.quantities, subject.model.baselines
    if not model.streams:
        return ()
    sheet = Sheet()
    sheet.draw(quantities.otps(sheet), label="OTPS, output tokens/s", color=palette.OTPS)
    sheet.draw(
        quantities.output_per_call(sheet),
        label="output tokens per request",
        color=palette.OUTPUT_TOKENS,
        y_axis="right",
    )
    period_s = min((alarm.period_s for _, alarm in _decode_alarms(subject)), default=60)
    lines = [
        baseline_line(base.otps, label="baseline OTPS"),
        baseline_line(base.output_tokens, label="baseline output tokens per request", right=True),
        *decode_lines(subject, period_s=period_s),
    ]
    rate = graph(
        sheet,
        region=subject.region,
        title="OTPS (sum of tokens / sum of decode time) and output tokens per request",
        left="output tokens/s",
        right="tokens per request",
        lines=lines,
        period_s=period_s,
    )
    sheet = Sheet()
    sheet.draw(quantities.streaming_share(sheet), label="calls that stream, %", color=palette.REQUESTS)
    share = graph(
        sheet,
        region=subject.region,
        title="Streaming share (%)",
        left="% of calls",
        lines=[baseline_line(100 * model.streaming_share, label="expected")],
        top=100,
    )
    alarmed = subject.alarm_graphs("decode-rate", "decode-rate-standard", color=palette.OTPS)
    return (
        heading("Slower or chattier?", f"OTPS falls: slower. Tokens per request rise: chattier.{_bias(subject)}"),
        *_first_line(rate, share, alarmed[:1]),
        *spread(alarmed[1:], per_line=3),
    )


def _first_line(rate: MetricWidget, share: MetricWidget, alarmed: Sequence[MetricWidget]) -> tuple[Block, ...]:
    widths = (11, 8, 5) if alarmed else (16, 8)
    return tuple(
        Block(content=content, width=width, height=7, new_line=index == 0)
        for index, (content, width) in enumerate(zip((rate, *alarmed, share), widths, strict=True))
    )


def _bias(subject: Subject) -> str:
    return (
        " In OTPS, calls that do not stream get the mean TTFT of those that do"
        if subject.model.streaming_share < 1
        else ""
    )


def _decode_alarms(subject: Subject) -> tuple[tuple[AlarmEntry, MetricAlarm], ...]:
    return tuple(
        (entry, entry.alarm)
        for entry in subject.alarms
        if isinstance(entry.alarm, MetricAlarm) and entry.unit == SLOWER_THAN_BASELINE
    )


def decode_lines(subject: Subject, *, period_s: int) -> tuple[HorizontalAnnotation, ...]:
    """Return the alarms on the decode rate, on the axis of OTPS: `baseline x (1 - threshold/100)`.

    These alarms compare per cent slower than the baseline, from the same sums as the page's OTPS, so a threshold is one number of
    tokens a second. Only an alarm with that unit and the graph's own period is converted; its own graph has its own line anyway.
    """
    lines: dict[float, HorizontalAnnotation] = {}
    for entry, alarm in _decode_alarms(subject):
        if alarm.threshold is None or alarm.period_s != period_s:
            continue
        value = round(subject.model.baselines.otps * (1 - alarm.threshold / 100), 3)
        line = HorizontalAnnotation(
            value=value,
            label=f"{entry.slug}: {alarm.threshold:g} % slower, {policy_text(alarm)}",
            color=palette.ALARM_LINE,
            fill="below",
        )
        lines.setdefault(value, line)
    return tuple(lines.values())
