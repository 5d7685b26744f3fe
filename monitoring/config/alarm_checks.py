"""Can what a configuration changes on an alarm, or promises to users, do what was meant?

Changes of alarms that the model does not have, thresholds that always or never breach, fractions where per cent are meant,
seconds where milliseconds are, windows that CloudWatch refuses (CloudWatch API, PutMetricAlarm), objectives that an ordinary day
misses. Defaults for many models are not judged against one of them: only what is written at a model is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from monitoring.config.finder import Finder
from monitoring.config.presence import HELPERS, SLUGS, absent_alarms
from monitoring.config.source import did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alarms.policy import Cadence
    from monitoring.config.finder import Finding
    from monitoring.config.merge import Effective
    from monitoring.config.settings import ModelHere
    from monitoring.config.source import Path_

__all__ = ["AlarmChecks"]

# Windows up to this many periods fit every alarm and its longer copies: 86,400 s are 96 periods of 900 s, a copy has 48 more.
SHORT_WINDOW = 40
# An answer at the ninetieth percentile is longer than the mean one; an objective nearer to the mean is missed on a good day.
ORDINARY_SPREAD = 1.6
# No model answers sooner than this: a smaller number was meant in seconds.
SHORTEST_MS = 20
# Composites: their rule has neither a number nor periods.
COMPOSITES = frozenset(("throttled-by-reservation", "fallback-and-throttling", "request-shape"))
# Causes that are measured by another alarm, which takes their numbers too (alarms.policy).
MEASURED_BY = {"slow-decode": "decode-rate", "fallback": "fallback-share"}
# Slugs whose value is a share in per cent, 0 to 100, breaching from the threshold up ...
SHARES = frozenset(
    [
        "throttled",
        "fallback",
        "fallback-share",
        "fallback-chronic",
        "slow-decode",
        "decode-rate",
        "decode-rate-standard",
        "service-errors",
        "tier-overflow",
        "quota-use",
    ]
)
# ... and below the threshold; calls of `no-traffic` too, without an upper end.
LOW = frozenset(("blind", "cache-hit", "no-traffic"))
OF_BASELINE = frozenset(("prefill-size", "answer-length"))
OBJECTIVES = frozenset(("ttft-objective", "latency-objective"))
# Below it a threshold in per cent looks like a fraction. Few server errors matter, so a half per cent there is meant.
FRACTION_BELOW = {"service-errors": 0.5, "blind": 0.5}


class AlarmChecks(Finder):
    """Checks of the alarms and objectives of a model, with effective values in a Region."""

    def all(self, model: ModelHere, *, lean: bool, route: str) -> Iterator[Finding]:
        """Everything about changes of alarms, and about objectives, of one model in one Region."""
        values = model.effective
        slugs = dict.fromkeys(key[1] for key in values.values if key[0] == "alarms")
        absent = absent_alarms(values, lean=lean, route=route) if slugs else {}
        for slug in slugs:
            keys = [key for key in values.values if key[:2] == ("alarms", slug)]
            path = (values.path(*keys[0]) or model.path)[:-1]
            if slug in HELPERS:
                message = f"{slug} only holds back actions: it follows from {HELPERS[slug]}."
                yield self.found(path, "unknown-alarm", message, f"Change {HELPERS[slug]}.", of_key=True)
                continue
            if slug not in SLUGS:
                hint = did_you_mean(slug, SLUGS) or f"Alarms: {', '.join(SLUGS)}."
                yield self.found(path, "unknown-alarm", f"there is no alarm {shown(slug)}.", hint, of_key=True)
                continue
            yield from self.periods(values, slug, path)
            own = any(values.origins[key].layer in {"model", "Region"} for key in keys)
            if slug in absent and own and not values.get("alarms", slug, "off"):
                message = f"{slug} has no effect: {absent[slug]}, so {model.key} has no such alarm."
                hint = "Remove it, or set what the alarm needs."
                if slug == "caller-errors":
                    message, hint = f"{slug} has no effect: {absent[slug]}.", "Remove it."
                yield self.warned(path, "no-effect", message, hint, of_key=True)
                continue
            yield from self.composite(values, slug, path)
            yield from self.threshold(values, slug)
        yield from self.objectives(model)

    def periods(self, values: Effective, slug: str, path: Path_) -> Iterator[Finding]:
        """N and M are given together and can happen, in a window that CloudWatch takes."""
        n, m = values.get("alarms", slug, "n"), values.get("alarms", slug, "m")
        if (n is None) != (m is None):
            present = "n" if m is None else "m"
            path = values.path("alarms", slug, present) or path
            message = f"{slug} has {present} without {'m' if m is None else 'n'}."
            yield self.found(path, "n-without-m", message, "Give n and m together: m breaching periods of n.")
        elif n is not None and m > n:
            path = values.path("alarms", slug, "m") or path
            message = f"{slug} needs {m} of {n} periods, which never happens."
            yield self.found(path, "m-over-n", message, "Make m at most n.")
        elif n is not None and n > SHORT_WINDOW:
            yield from self.window(values, slug, values.path("alarms", slug, "n") or path, n)

    def window(self, values: Effective, slug: str, path: Path_, n: int, /) -> Iterator[Finding]:
        """The window of N periods is one that CloudWatch takes, for the longer copy of the alarm too."""
        from cloudwatch.limits import LONG_PERIOD_S, MAX_WINDOW_LONG_PERIOD_S, MAX_WINDOW_S  # noqa: PLC0415 - rarely needed

        cadence = cadence_of(values, slug)
        if cadence is None:
            return
        period_s = cadence.period_s
        longest = MAX_WINDOW_LONG_PERIOD_S if period_s >= LONG_PERIOD_S else MAX_WINDOW_S
        most = longest // period_s
        if n > most:
            message = f"{slug} looks at {n} periods of {period_s} s, which are {n * period_s} s: CloudWatch takes {longest} s."
            why = "the period follows from requests_per_minute"
            yield self.found(path, "window-too-long", message, f"Make n at most {most} ({why}).")

    def composite(self, values: Effective, slug: str, path: Path_) -> Iterator[Finding]:
        """A rule over other alarms has no number to change."""
        given = [name for name in ("threshold", "n", "m") if values.get("alarms", slug, name) is not None]
        if slug == "decode-rate-standard":
            given = [name for name in given if name != "threshold"]
        if given and slug in {*COMPOSITES, "decode-rate-standard"}:
            where = values.path("alarms", slug, given[0]) or path
            source = "takes its periods from decode-rate" if slug not in COMPOSITES else "is a rule over other alarms"
            message = f"{' and '.join(given)} of {slug} {'has' if len(given) == 1 else 'have'} no effect: it {source}."
            yield self.warned(where, "no-effect", message, "Change the alarms that it reads.", of_key=True)

    def threshold(self, values: Effective, slug: str) -> Iterator[Finding]:
        """A threshold that a healthy day does not breach, and a bad one can."""
        number = values.get("alarms", slug, "threshold")
        path = values.path("alarms", slug, "threshold")
        if number is None or path is None or slug in COMPOSITES:
            return
        said = f"the threshold {number:g} of {slug}"
        below = FRACTION_BELOW.get(slug, 1)
        if slug in LOW:
            if number <= 0:
                yield self.warned(
                    path, "never-alarms", f"{said} is never undercut: the alarm never goes off.", _write(slug)
                )
            elif slug != "no-traffic" and number > 100:
                yield self.warned(path, "always-alarms", f"{said} is above 100 %: always in ALARM.", _write(slug))
            elif slug != "no-traffic" and number < below:
                yield self.warned(path, "fraction", f"{said} is {number:g} %.", _percent(number))
        elif number <= 0:
            yield self.warned(
                path, "always-alarms", f"{said} is always reached: the alarm is always in ALARM.", _write(slug)
            )
        elif slug in SHARES:
            if number > 100 or (number == 100 and "decode" in slug):
                message = f"{said} is never reached: it is a share in per cent, and cannot pass 100."
                if slug != "quota-use":  # usage is settled when a call ends, and can pass the quota for a minute
                    yield self.warned(path, "never-alarms", message, _write(slug))
            elif number < below:
                yield self.warned(path, "fraction", f"{said} is {number:g} %.", _percent(number))
        elif slug in OF_BASELINE and number <= 100:
            message = f"{said} is {number:g} % of the baseline: an ordinary day reaches it."
            hint = f"Did you mean {100 * number:g}?" if 1 < number < 10 else _write(slug)
            yield self.warned(path, "always-alarms", message, hint)
        elif slug in OBJECTIVES and number < SHORTEST_MS:
            yield self.warned(path, "seconds", f"{said} is {number:g} ms.", f"Did you mean {1000 * number:g}?")

    def objectives(self, model: ModelHere) -> Iterator[Finding]:
        """Objectives are milliseconds and shares, and a good day keeps them."""
        values = model.effective
        for name in ("ttft_p90_ms", "ttft_p99_ms", "latency_p90_ms"):
            number, path = values.get("objectives", name), values.path("objectives", name)
            if number is not None and path is not None and number < SHORTEST_MS:
                message = f"{name} {number:g} is in milliseconds: no model answers that soon."
                yield self.warned(path, "seconds", message, f"Did you mean {1000 * number:g}?")
        p90, p99 = values.get("objectives", "ttft_p90_ms"), values.get("objectives", "ttft_p99_ms")
        path = values.path("objectives", "ttft_p99_ms")
        if None not in {p90, p99} and path is not None and p99 < p90:
            message = f"ttft_p99_ms {p99:g} is below ttft_p90_ms {p90:g}: who keeps the one keeps the other."
            yield self.warned(path, "objectives-crossed", message, "Swap them, or remove one.")
        success, path = values.get("objectives", "success_rate"), values.path("objectives", "success_rate")
        if success is not None and path is not None and success < 0.5:
            message = f"success_rate {success:g} promises that {100 * success:g} % of the calls succeed."
            yield self.warned(path, "success-rate", message, f"Did you mean {1 - success:g}?")
        yield from self.ordinary_latency(values)

    def ordinary_latency(self, values: Effective) -> Iterator[Finding]:
        """The latency objective leaves room for answers longer than the mean one."""
        objective, path = values.get("objectives", "latency_p90_ms"), values.path("objectives", "latency_p90_ms")
        tokens, rate = values.get("baselines", "output_tokens"), values.get("baselines", "otps")
        if path is None or objective < SHORTEST_MS or not rate or not tokens or tokens <= 1:
            return
        mean_ms = 1000 * tokens / rate
        if objective <= ORDINARY_SPREAD * mean_ms:
            of_file = values.path("baselines", "output_tokens") or values.path("baselines", "otps")
            message = (
                f"latency_p90_ms {objective:g} is near to what an ordinary answer takes: {tokens:g} output tokens at {rate:g} "
                f"a second are {mean_ms:.0f} ms on average, before the first token and without longer answers."
            )
            hint = f"Promise more than {_rounded(ORDINARY_SPREAD * mean_ms)}, or correct the baselines"
            yield self.warned(
                path, "objective-below-baseline", message, hint + ("." if of_file else ": they are estimates.")
            )


def cadence_of(values: Effective, slug: str) -> Cadence | None:
    """Return period, N and M of what measures a slug without a change of it; None for a rule over other alarms."""
    from alarms.policy import TROUGH_SHARE, UNSTATED_REQUESTS_PER_MINUTE, cadence_for, policies  # noqa: PLC0415 - rarely needed

    measured = MEASURED_BY.get(slug, slug)
    measured = "decode-rate" if slug == "decode-rate-standard" else measured
    if not policies()[measured].cadences:
        return None
    stated = values.get("requests_per_minute")
    per_minute = TROUGH_SHARE * (UNSTATED_REQUESTS_PER_MINUTE if stated is None else stated)
    if measured in {"decode-rate", "ttft-objective"}:
        per_minute *= values.get("streaming_share")
    return cadence_for(measured, per_minute=per_minute)


def _write(slug: str) -> str:
    from alarms.policy import policies  # noqa: PLC0415 - only a wrong file needs it

    row = policies()[MEASURED_BY.get(slug, slug)]
    usual = f"; {row.threshold:g} is usual" if row.threshold is not None else ""
    return f"Its unit is {row.unit}{usual}." if row.unit else "Remove the threshold."


def _percent(number: float) -> str:
    return f"Thresholds of shares are in per cent: did you mean {100 * number:g}?"


def _rounded(value: float) -> str:
    """Return milliseconds in two significant digits: 4000, not 4033."""
    return f"{float(f'{value:.1e}'):g}" if value < 1e6 else f"{value:.0f}"
