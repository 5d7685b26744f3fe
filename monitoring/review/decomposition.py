"""Slower or chattier? How much of a change in latency comes from each of its three parts.

    latency = time to first token + output tokens / decode rate

so with t, n and r before and after, each part's contribution is what changes when only it changes, averaged over both values of the
other (the symmetric, or Shapley, split of two factors):

    prefill = t1 - t0
    length  = (n1 - n0) x (1/r0 + 1/r1) / 2
    decode  = (1/r1 - 1/r0) x (n0 + n1) / 2

The three sum to the change, exactly, whatever the numbers; none depends on an order in which things are said to have happened.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cloudwatch.problems import InvalidValueError

__all__ = ["Decomposition", "TypicalCall", "Verdict", "decompose"]

SMALL = 0.05
"""Share of the latency before under which a change is none."""
DOMINANT = 0.6
"""Share of the change from which one part is the answer."""


class Verdict(StrEnum):
    """What the change is."""

    UNCHANGED = "unchanged"
    SLOWER = "slower"
    FASTER = "faster"
    CHATTIER = "chattier"
    TERSER = "terser"
    LATER = "later"
    EARLIER = "earlier"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True, kw_only=True)
class TypicalCall:
    """A call in three numbers: milliseconds to the last and to the first token, and output tokens.

    Raises:
        InvalidValueError: There is no time between first and last token, or no token.
    """

    latency_ms: float
    ttft_ms: float
    output_tokens: float

    def __post_init__(self) -> None:
        if not self.latency_ms > self.ttft_ms >= 0 or self.output_tokens <= 0:
            raise InvalidValueError(
                f"{self.output_tokens:g} tokens between {self.ttft_ms:g} and {self.latency_ms:g} ms have no decode rate"
            )

    @property
    def otps(self) -> float:
        """Output tokens per second between the first and the last token."""
        return 1000 * self.output_tokens / (self.latency_ms - self.ttft_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decomposition:
    """The change between two calls, in milliseconds; the three parts sum to `change_ms`."""

    before: TypicalCall
    after: TypicalCall
    prefill_ms: float
    decode_ms: float
    length_ms: float

    @property
    def change_ms(self) -> float:
        """How much later the last token comes."""
        return self.after.latency_ms - self.before.latency_ms

    @property
    def verdict(self) -> Verdict:
        """The part that explains most of the change; mixed where none does."""
        change = self.change_ms
        if abs(change) < SMALL * self.before.latency_ms:
            return Verdict.UNCHANGED
        names = {
            "prefill": (self.prefill_ms, Verdict.LATER, Verdict.EARLIER),
            "decode": (self.decode_ms, Verdict.SLOWER, Verdict.FASTER),
            "length": (self.length_ms, Verdict.CHATTIER, Verdict.TERSER),
        }
        for part, up, down in names.values():
            if part / change >= DOMINANT:
                return up if change > 0 else down
        return Verdict.MIXED

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        head = f"{_seconds(self.before.latency_ms)} became {_seconds(self.after.latency_ms)}"
        match self.verdict:
            case Verdict.UNCHANGED:
                return f"Unchanged: {head}."
            case Verdict.SLOWER | Verdict.FASTER as found:
                return (
                    f"{found.capitalize()}: {head}, {_share(self.decode_ms, self.change_ms)} of it the decode rate "
                    f"({self.before.otps:.0f} to {self.after.otps:.0f} tokens/s)."
                )
            case Verdict.CHATTIER | Verdict.TERSER as found:
                return (
                    f"{found.capitalize()}, not {'slower' if self.change_ms > 0 else 'faster'}: {head}, "
                    f"{_share(self.length_ms, self.change_ms)} of it answers of {self.before.output_tokens:.0f} to "
                    f"{self.after.output_tokens:.0f} tokens."
                )
            case Verdict.LATER | Verdict.EARLIER as found:
                return (
                    f"{found.capitalize()} first token: {head}, {_share(self.prefill_ms, self.change_ms)} of it time to "
                    f"first token ({_seconds(self.before.ttft_ms)} to {_seconds(self.after.ttft_ms)})."
                )
            case Verdict.MIXED:
                parts = {"first token": self.prefill_ms, "decode rate": self.decode_ms, "length": self.length_ms}
                told = ", ".join(f"{name} {_signed(part)}" for name, part in parts.items())
                return f"Mixed: {head} ({told})."

    @property
    def arithmetic(self) -> tuple[str, ...]:
        """The three parts with their numbers, and their sum."""
        one, two = self.before, self.after
        return (
            f"first token {_seconds(one.ttft_ms)} to {_seconds(two.ttft_ms)}: {_signed(self.prefill_ms)}",
            f"decode rate {one.otps:.1f} to {two.otps:.1f} tokens/s: {_signed(self.decode_ms)}",
            f"answer {one.output_tokens:.0f} to {two.output_tokens:.0f} tokens: {_signed(self.length_ms)}",
            f"together {_signed(self.change_ms)}: {_seconds(one.latency_ms)} to {_seconds(two.latency_ms)}",
        )


def decompose(before: TypicalCall, after: TypicalCall) -> Decomposition:
    """Split the change of latency between two calls into prefill, decode rate and length, milliseconds."""
    per_token = [1000 / call.otps for call in (before, after)]
    return Decomposition(
        before=before,
        after=after,
        prefill_ms=after.ttft_ms - before.ttft_ms,
        decode_ms=(per_token[1] - per_token[0]) * (before.output_tokens + after.output_tokens) / 2,
        length_ms=(after.output_tokens - before.output_tokens) * sum(per_token) / 2,
    )


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.2f} s"


def _signed(milliseconds: float) -> str:
    return f"{milliseconds / 1000:+.2f} s"


def _share(part: float, change: float) -> str:
    share = part / change
    return "all" if round(share, 2) == 1 else "more than all" if share > 1 else f"{share * 100:.0f} %"
