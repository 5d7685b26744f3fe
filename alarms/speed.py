"""Is the model slower, are its users waiting, and did the requests change? Symptoms from times and token counts.

Counts and tokens add up over the ModelId values of a model; percentiles do not, so an objective is compared with the worst
value that has enough calls. The decode rate is a ratio of sums: every token weighs the same.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from alarms.measures import Measure, Reader, measures_of
from alarms.policy import Cadence, policy_for
from alarms.queries import number
from bedrock.metrics import BedrockMetric
from cloudwatch.alarm import Comparison

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bedrock.models import MonitoredModel

__all__ = [
    "MINIMUM_STREAMING_SHARE",
    "answer_length",
    "cache_hit",
    "decode_rate",
    "latency_objective",
    "objectives_missed",
    "prefill_size",
    "ttft_objective",
]

MEMORY_SHARE = 0.5
_TIMES = {"ttft-objective": BedrockMetric.TTFT, "latency-objective": BedrockMetric.LATENCY}
# Below this share of streamed calls the decode rate rests on too few of them: it is shown, and never alarmed on.
MINIMUM_STREAMING_SHARE = 0.2


def decode_rate(model: MonitoredModel) -> tuple[Measure, ...]:
    """Per cent below the baseline of output tokens per second; () where too few calls stream.

    Tokens over (latency - time to first token), token-weighted. Without a time to first token there is no value: it would
    silently become tokens over the whole latency. Calls that do not stream get the mean time to first token of those that do,
    id by id: a release that streams less would else look like a slower model.
    """
    if model.streaming_share < MINIMUM_STREAMING_SHARE:
        return ()
    base = model.baselines
    enough = number(policy_for("decode-rate").minimum * base.output_tokens)
    rate = number(base.otps)

    def value(reader: Reader) -> str:
        queries = reader.queries
        tokens = reader.read("tok", BedrockMetric.OUTPUT_TOKENS)
        latency = reader.read("lat", BedrockMetric.LATENCY)
        calls = reader.read("n", BedrockMetric.LATENCY, stat="SampleCount")
        first = reader.read("ft", BedrockMetric.TTFT, stat="Average")
        decode: list[str] = []
        answered: list[str] = []
        for place, (tok, lat, n, ft) in enumerate(zip(tokens, latency, calls, first, strict=True), start=1):
            streamed = f"({ft}+0*{lat})>0"
            decode.append(queries.express(f"d{place}", f"IF({streamed}, {lat}-{ft}*{n}, 0)"))
            answered.append(queries.express(f"g{place}", f"IF({streamed}, {tok}+0*{lat}, 0)"))
        spent, got = queries.total("d", decode), queries.total("g", answered)
        return f"IF(({spent}>0) AND ({got}>={enough}), 100-100000*{got}/({spent}*{rate}), 0)"

    return measures_of(
        model,
        "decode-rate",
        metrics_each=4,
        threshold=policy_for("decode-rate").threshold or 0,
        value=value,
        share_of_calls=model.streaming_share,
    )


def ttft_objective(model: MonitoredModel) -> tuple[Measure, ...]:
    """Milliseconds to first token, p90 of the worst ModelId value with enough calls; () without objective or streaming."""
    objective = model.objectives.ttft_p90_ms
    if objective is None or not model.streams:
        return ()
    return _percentile(model, "ttft-objective", name=BedrockMetric.TTFT, objective=objective)


def latency_objective(model: MonitoredModel) -> tuple[Measure, ...]:
    """Milliseconds to last token, p90 of the worst ModelId value with enough calls; () without objective."""
    objective = model.objectives.latency_p90_ms
    if objective is None:
        return ()
    return _percentile(model, "latency-objective", name=BedrockMetric.LATENCY, objective=objective)


def _percentile(model: MonitoredModel, slug: str, *, name: BedrockMetric, objective: float) -> tuple[Measure, ...]:
    def value(reader: Reader) -> str:
        counts = reader.read("n", name, stat="SampleCount")
        tails = reader.read("p", name, stat="p90")
        judged = [f"IF({n}>={reader.minimum}, {p}, 0)" for n, p in zip(counts, tails, strict=True)]
        if len(judged) == 1:
            return judged[0]
        worst = [reader.queries.express(f"w{place}", text) for place, text in enumerate(judged, start=1)]
        return f"MAX([{','.join(worst)}])"

    share = model.streaming_share if name is BedrockMetric.TTFT else 1.0
    return measures_of(
        model,
        slug,
        metrics_each=2,
        threshold=objective,
        value=value,
        comparison=Comparison.GREATER,
        share_of_calls=share,
    )


def objectives_missed(model: MonitoredModel, *, of: Sequence[Measure], window_s: int) -> tuple[Measure, ...]:
    """Per cent of the objective, the worst of several, over a long window: what is in ALARM there is old news.

    It reads the same periods under the same guard, and asks for half the share of its window that the measures ask of theirs: what
    breaches that often has set them off before, so that the first word of a change is hardly ever held back.

    Args:
        model: The model.
        of: Measures of the objectives, each ModelId value in them once for each objective.
        window_s: Length of the memory, seconds.
    """
    if not of:
        return ()
    goals = {measure.slug: number(measure.threshold) for measure in of}
    share = MEMORY_SHARE * max(one.cadence.datapoints_to_alarm / one.cadence.evaluation_periods for one in of)
    period_s = min(measure.cadence.period_s for measure in of)
    periods = window_s // period_s
    cadence = Cadence(period_s=period_s, evaluation_periods=periods, datapoints_to_alarm=math.ceil(share * periods))

    def value(reader: Reader) -> str:
        judged: list[str] = []
        for letter, (slug, goal) in zip("gh", goals.items(), strict=False):
            counts = reader.read(f"n{letter}", _TIMES[slug], stat="SampleCount")
            tails = reader.read(f"p{letter}", _TIMES[slug], stat="p90")
            judged += [f"IF({n}>={reader.minimum}, 100*{p}/{goal}, 0)" for n, p in zip(counts, tails, strict=True)]
        if len(judged) == 1:
            return judged[0]
        worst = [reader.queries.express(f"w{place}", text) for place, text in enumerate(judged, start=1)]
        return f"MAX([{','.join(worst)}])"

    return measures_of(
        model,
        "objective-held",
        metrics_each=2 * len(goals),
        threshold=policy_for("objective-held").threshold or 0,
        value=value,
        comparison=Comparison.GREATER,
        cadence=cadence,
    )


def prefill_size(model: MonitoredModel, *, cache_write: str) -> tuple[Measure, ...]:
    """Per cent of the baseline of input tokens that must be processed per call: uncached ones and cache writes.

    High means longer prompts or a lost cache. `cache_write` is the name of the cache write metric.
    """

    def value(reader: Reader) -> str:
        counts = reader.total("c", BedrockMetric.INPUT_TOKENS, stat="SampleCount")
        tokens = reader.read("in", BedrockMetric.INPUT_TOKENS)
        written = reader.read("wr", cache_write) if model.prompt_caching else ()
        total = reader.queries.total("pre", (*tokens, *written))
        baseline = number(model.baselines.input_tokens)
        return f"IF({counts}>={reader.minimum}, 100*({total}+0*{counts})/({counts}*{baseline}), 100)"

    threshold = policy_for("prefill-size").threshold or 0
    each = 3 if model.prompt_caching else 2
    return measures_of(model, "prefill-size", metrics_each=each, threshold=threshold, value=value)


def answer_length(model: MonitoredModel) -> tuple[Measure, ...]:
    """Per cent of the baseline of output tokens per answer."""

    def value(reader: Reader) -> str:
        counts = reader.total("c", BedrockMetric.OUTPUT_TOKENS, stat="SampleCount")
        tokens = reader.total("tok", BedrockMetric.OUTPUT_TOKENS)
        baseline = number(model.baselines.output_tokens)
        return f"IF({counts}>={reader.minimum}, 100*({tokens}+0*{counts})/({counts}*{baseline}), 100)"

    threshold = policy_for("answer-length").threshold or 0
    return measures_of(model, "answer-length", metrics_each=2, threshold=threshold, value=value)


def cache_hit(model: MonitoredModel, *, cache_read: str, cache_write: str) -> tuple[Measure, ...]:
    """Per cent of prompt tokens read from the cache, below 60 % of its baseline; () without prompt caching."""
    baseline = 100 * model.baselines.cache_hit_rate
    if not model.prompt_caching or baseline <= 0:
        return ()

    def value(reader: Reader) -> str:
        tokens = reader.read("in", BedrockMetric.INPUT_TOKENS)
        found = reader.read("rd", cache_read)
        written = reader.read("wr", cache_write)
        prompt = reader.queries.total("z", (*tokens, *found, *written))
        hits = reader.queries.total("rd", found)
        enough = number(reader.minimum * model.baselines.input_tokens)
        return f"IF({prompt}>={enough}, 100*({hits}+0*{prompt})/{prompt}, {number(baseline)})"

    return measures_of(
        model, "cache-hit", metrics_each=3, threshold=0.6 * baseline, value=value, comparison=Comparison.LESS
    )
