"""What do our pages compute? Each quantity as metric math over the series of one model.

Counts and tokens add up over the ModelId values of a model; percentiles do not, so nothing here combines them. Two rules of
CloudWatch (User Guide, "Using metric math") carry all of it: in arithmetic a missing side counts as 0 where the other side has a
point, and a point that divides by zero is dropped. So `100*(x+0*base)/base` is 0 where there is traffic and no x, and has no point
where there is no traffic: an idle model shows a gap, never a healthy number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bedrock.metrics import BedrockMetric, invocation_metric
from bedrock.models import LatencyMode
from dashboards.rows import join

if TYPE_CHECKING:
    from bedrock.models import MonitoredModel
    from cloudwatch.metric import Metric
    from dashboards.rows import Sheet

__all__ = ["CACHE_METRICS", "HIT_RATE_DEFINITION", "Quantities"]

CACHE_METRICS = (str(BedrockMetric.CACHE_READ), str(BedrockMetric.CACHE_WRITE))
HIT_RATE_DEFINITION = "read / (read + write + uncached)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantities:
    """The quantities of one model.

    Attributes:
        model: The model.
        cache_metrics: Names of the cache read and cache write metrics.

    Methods with a sheet return an expression over rows that they put, hidden, into that sheet.
    """

    model: MonitoredModel
    cache_metrics: tuple[str, str] = CACHE_METRICS

    def series(self, name: str) -> tuple[Metric, ...]:
        """Return a metric's series of the model, one for each ModelId value."""
        return tuple(invocation_metric(model_id, name) for model_id in self.model.series_ids)

    @property
    def cache_read(self) -> tuple[Metric, ...]:
        """Series of tokens read from the prompt cache."""
        return self.series(self.cache_metrics[0])

    @property
    def cache_write(self) -> tuple[Metric, ...]:
        """Series of tokens written to the prompt cache."""
        return self.series(self.cache_metrics[1])

    def calls(self, sheet: Sheet) -> str:
        """Invocations in the period."""
        return sheet.total(self.series(BedrockMetric.INVOCATIONS))

    def throttles(self, sheet: Sheet) -> str:
        """Throttled attempts in the period."""
        return sheet.total(self.series(BedrockMetric.THROTTLES))

    def attempts(self, sheet: Sheet) -> str:
        """Invocations and throttled attempts, which are apart under both definitions of Invocations."""
        return sheet.total(self.series(BedrockMetric.THROTTLES), self.series(BedrockMetric.INVOCATIONS))

    def throttle_rate(self, sheet: Sheet) -> str:
        """Per cent of attempts that were throttled."""
        attempts = self.attempts(sheet)
        return share_of(self.throttles(sheet), attempts)

    def error_rate(self, sheet: Sheet, *, name: BedrockMetric) -> str:
        """Per cent of calls that ended in an error, of calls and errors: right to within a twentieth under both definitions."""
        everything = sheet.total(self.series(name), self.series(BedrockMetric.INVOCATIONS))
        return share_of(sheet.total(self.series(name)), everything)

    def input_tokens(self, sheet: Sheet) -> str:
        """Uncached input tokens in the period."""
        return sheet.total(self.series(BedrockMetric.INPUT_TOKENS))

    def output_tokens(self, sheet: Sheet) -> str:
        """Output tokens in the period."""
        return sheet.total(self.series(BedrockMetric.OUTPUT_TOKENS))

    def output_per_call(self, sheet: Sheet) -> str:
        """Output tokens per answer: mean over the calls that reported tokens."""
        series = self.series(BedrockMetric.OUTPUT_TOKENS)
        return f"{sheet.total(series)}/{sheet.total(series, stat='SampleCount')}"

    def input_per_call(self, sheet: Sheet) -> str:
        """Input tokens to process per call, mean: what `baselines.input_tokens` is, and `prefill-size` compares with it.

        Uncached input and, where callers cache prompts, cache writes: all that was not read from the cache.
        """
        series = self.series(BedrockMetric.INPUT_TOKENS)
        count = sheet.total(series, stat="SampleCount")
        if not self.model.prompt_caching:
            return f"{sheet.total(series)}/{count}"
        return f"({sheet.total(series, self.cache_write)}+0*{count})/{count}"

    @property
    def input_words(self) -> str:
        """What `input_per_call` counts, for a legend."""
        return "input to process: uncached + cache write" if self.model.prompt_caching else "input"

    def _decode(self, sheet: Sheet) -> tuple[str, str, str]:
        latency = sheet.total(self.series(BedrockMetric.LATENCY))
        first = sheet.total(self.series(BedrockMetric.TTFT))
        return latency, first, f"(({first}+0*{latency})>0) AND ({latency}>{first})"

    def otps(self, sheet: Sheet) -> str:
        """Output tokens per second of decoding, a ratio of sums: every token weighs the same. As the alarm computes it.

        No point without TimeToFirstToken: the rate would silently become tokens over the whole latency. Calls that do not stream
        have a latency and no TimeToFirstToken: the mean time to first token of the same ModelId is taken off theirs, however few
        they are, so that page and alarm show one number.
        """
        rows = zip(
            sheet.ids(self.series(BedrockMetric.OUTPUT_TOKENS), stat="Sum"),
            sheet.ids(self.series(BedrockMetric.LATENCY), stat="Sum"),
            sheet.ids(self.series(BedrockMetric.LATENCY), stat="SampleCount"),
            sheet.ids(self.series(BedrockMetric.TTFT), stat="Average"),
            strict=True,
        )
        spent: list[str] = []
        answered: list[str] = []
        for tokens, latency, calls, first in rows:
            streamed = f"({first}+0*{latency})>0"
            spent.append(sheet.express(f"IF({streamed}, {latency}-{first}*{calls}, 0)"))
            answered.append(sheet.express(f"IF({streamed}, {tokens}+0*{latency}, 0)"))
        decode, got = (one[0] if len(one) == 1 else sheet.express(join("SUM", one)) for one in (spent, answered))
        return f"IF({decode}>0, 1000*{got}/{decode})"

    def prefill_share(self, sheet: Sheet) -> str:
        """Per cent of the latency before the first token, over all calls."""
        latency, first, judged = self._decode(sheet)
        return f"IF({judged}, 100*{first}/{latency})"

    def generation_ms(self, sheet: Sheet) -> str:
        """Mean milliseconds from first to last token per call."""
        latency, first, judged = self._decode(sheet)
        calls = sheet.total(self.series(BedrockMetric.LATENCY), stat="SampleCount")
        return f"IF({judged}, ({latency}-{first})/{calls})"

    def streaming_share(self, sheet: Sheet) -> str:
        """Per cent of calls that streamed: calls with a TimeToFirstToken of calls with a latency."""
        streamed = sheet.total(self.series(BedrockMetric.TTFT), stat="SampleCount")
        return share_of(streamed, sheet.total(self.series(BedrockMetric.LATENCY), stat="SampleCount"))

    def cache_hit_rate(self, sheet: Sheet) -> str:
        """Per cent of prompt tokens that were read from the cache; see `HIT_RATE_DEFINITION`."""
        prompt = sheet.total(self.series(BedrockMetric.INPUT_TOKENS), self.cache_read, self.cache_write)
        return share_of(sheet.total(self.cache_read), prompt)

    def quota_usage(self, sheet: Sheet) -> str:
        """Estimated tokens counted against the TPM quota in the period: absolute, not per cent."""
        return sheet.total(self.series(BedrockMetric.TPM_USAGE))

    @property
    def token_quota(self) -> tuple[str, float] | None:
        """The tokens-per-minute quota that `quota_usage` is compared with, by name; None where it is not known.

        On a model that asks for optimized latency the usage of its two quotas is one number, so it is their sum, as in the alarm.
        """
        quotas = self.model.quotas
        if quotas.tpm is None:
            return None
        if self.model.latency is LatencyMode.OPTIMIZED and quotas.optimized_tpm is not None:
            return "TPM quota, standard and optimized", quotas.tpm + quotas.optimized_tpm
        return "TPM quota", quotas.tpm

    def reservation(self, sheet: Sheet) -> str | None:
        """Tokens that calls reserve when they start: input + max_tokens each; None where max_tokens is not known.

        CloudWatch sees a call when it ends, so this estimates the reservations of the calls that ended in the period.
        """
        maximum = self.model.quotas.max_tokens
        if maximum is None:
            return None
        return f"{self.input_tokens(sheet)}+{maximum}*{self.calls(sheet)}"

    def cost(self, sheet: Sheet, *, scale: float = 1) -> str | None:
        """US dollars of the tokens in the period times `scale`, at the configured prices; None where a price is missing."""
        prices = self.model.prices
        if prices.input is None or prices.output is None:
            return None
        parts = [
            (prices.input, self.input_tokens(sheet)),
            (prices.output, self.output_tokens(sheet)),
        ]
        if self.model.prompt_caching:
            parts += [
                (price, sheet.total(series))
                for price, series in ((prices.cache_read, self.cache_read), (prices.cache_write, self.cache_write))
                if price is not None
            ]
        dollars = "+".join(f"{_plain(price)}*{tokens}" for price, tokens in parts)
        return f"{_plain(scale)}*({dollars})/1000000"


def share_of(part: str, whole: str) -> str:
    """Return per cent of a part in a whole: 0 where only the part is missing, no point where the whole is."""
    return f"100*({part}+0*{whole})/{whole}"


def _plain(number: float) -> str:
    """Write a number without an exponent: whether metric math reads one is not documented."""
    text = f"{number:.9f}"
    return text.rstrip("0").rstrip(".")
