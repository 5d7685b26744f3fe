"""How much goes in and out, how much of it comes from the prompt cache, and what fails?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedrock.metrics import BedrockMetric
from dashboards import palette
from dashboards.layout import spread
from dashboards.quantities import HIT_RATE_DEFINITION
from dashboards.rows import Sheet
from dashboards.widgets import baseline_line, graph, heading, stacked

if TYPE_CHECKING:
    from dashboards.layout import Block
    from dashboards.subject import Subject

__all__ = ["errors", "prompt_cache", "token_use"]


def prompt_cache(subject: Subject) -> tuple[Block, ...]:
    """Return the hit rate and what prompts were made of, only where callers use prompt caching."""
    model, quantities = subject.model, subject.quantities
    if not model.prompt_caching:
        return ()
    sheet = Sheet()
    sheet.draw(quantities.cache_hit_rate(sheet), label="hit rate, %", color=palette.CACHE_READ)
    rate = graph(
        sheet,
        region=subject.region,
        title=f"Cache hit rate (%) = {HIT_RATE_DEFINITION}",
        left="% of prompt tokens",
        lines=[baseline_line(100 * model.baselines.cache_hit_rate, label="baseline")],
        period_s=300,
        top=100,
    )
    sheet = Sheet()
    for words, series, color in (
        ("read from cache", quantities.cache_read, palette.CACHE_READ),
        ("written to cache", quantities.cache_write, palette.CACHE_WRITE),
        ("uncached input", quantities.series(BedrockMetric.INPUT_TOKENS), palette.UNCACHED_INPUT),
    ):
        sheet.draw(sheet.total(series), label=words, color=color)
    parts = stacked(sheet, region=subject.region, title="Prompt tokens (per minute)", left="tokens per minute")
    alarmed = subject.alarm_graphs("cache-hit", color=palette.CACHE_READ)
    return (heading("Prompt cache"), *spread([rate, parts, *alarmed], per_line=3))


def token_use(subject: Subject) -> tuple[Block, ...]:
    """Return tokens a request, tokens a minute and requests a minute."""
    model, quantities, region = subject.model, subject.quantities, subject.region
    sheet = Sheet()
    sheet.draw(quantities.output_per_call(sheet), label="output", color=palette.OUTPUT_TOKENS)
    sheet.draw(
        quantities.input_per_call(sheet), label=quantities.input_words, color=palette.UNCACHED_INPUT, y_axis="right"
    )
    per_call = graph(
        sheet,
        region=region,
        title="Tokens per request, mean",
        left="output tokens",
        right="input tokens",
        lines=[
            baseline_line(model.baselines.output_tokens, label="baseline output"),
            baseline_line(model.baselines.input_tokens, label="baseline input", right=True),
        ],
    )
    sheet = Sheet()
    sheet.draw(quantities.output_tokens(sheet), label="output", color=palette.OUTPUT_TOKENS)
    sheet.draw(quantities.input_tokens(sheet), label="uncached input", color=palette.UNCACHED_INPUT)
    per_minute = stacked(sheet, region=region, title="Tokens (per minute)", left="tokens per minute")
    sheet = Sheet()
    for index, metric in enumerate(quantities.series(BedrockMetric.INVOCATIONS)):
        color = palette.REQUESTS if len(model.series_ids) == 1 else palette.ALIASES[index % len(palette.ALIASES)]
        sheet.plot(metric, stat="Sum", label=metric.dimension("ModelId") or "", color=color)
    calls = stacked(sheet, region=region, title="Requests by ModelId (per minute)", left="per minute")
    alarmed = [
        *subject.alarm_graphs("answer-length", color=palette.OUTPUT_TOKENS),
        *subject.alarm_graphs("prefill-size", color=palette.UNCACHED_INPUT),
        *subject.alarm_graphs("no-traffic", color=palette.REQUESTS),
    ]
    return (heading("Tokens and requests"), *spread([per_call, per_minute, calls, *alarmed], per_line=3))


def errors(subject: Subject) -> tuple[Block, ...]:
    """Return failed calls: the service's, and the callers' own."""
    quantities, region = subject.quantities, subject.region
    rate = subject.alarm_graphs("service-errors", color=palette.SERVER_ERRORS)
    if not rate:
        sheet = Sheet()
        rate_of = quantities.error_rate(sheet, name=BedrockMetric.SERVER_ERRORS)
        sheet.draw(rate_of, label="5xx, % of calls", color=palette.SERVER_ERRORS)
        rate = (graph(sheet, region=region, title="Service errors (% of calls)", left="% of calls"),)
    sheet = Sheet()
    for words, name, color in (
        ("5xx: the service's", BedrockMetric.SERVER_ERRORS, palette.SERVER_ERRORS),
        ("4xx: the callers' (not throttles)", BedrockMetric.CLIENT_ERRORS, palette.CLIENT_ERRORS),
    ):
        sheet.draw(sheet.total(quantities.series(name)), label=words, color=color)
    counts = stacked(sheet, region=region, title="Failed calls (per minute)", left="per minute")
    return (heading("Errors"), *spread([*rate, counts], per_line=2))
