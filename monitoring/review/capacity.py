"""Is there room for next week? Peak minute, what its calls take from the quota, and what they reserve.

    consumed = peak requests x (input + cache write + output x burndown)      at the end of the calls
    reserved = peak requests x (input + cache write + max_tokens)              when they start

The reservation is what throttles: a quota that is half used can be fully reserved. (Bedrock User Guide, How tokens are counted.)
The reservation is an upper bound, as if all calls of a minute were under way together. Growth is that of calls against the week
before, between none and double: a plan, not a forecast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bedrock.quotas import consumed_tokens, reserved_tokens
from monitoring.review.summary import token_quota

if TYPE_CHECKING:
    from bedrock.models import MonitoredModel
    from monitoring.review.summary import ModelWeek

__all__ = ["CapacityPlan", "plan_capacity"]

_LARGEST_GROWTH = 2.0
_MOST_CALLS = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityPlan:
    """The busiest minute of next week.

    Attributes:
        growth: Factor on the peak of this week, 1 to 2.
        peak_requests: Requests in the busiest minute of this week.
        planned_requests: The same next week.
        each_tokens: Quota tokens of a call at its end.
        each_reserved: Tokens that a call reserves when it starts, or None where max_tokens is not known.
        consumed, reserved: Tokens of the planned minute.
        quota_name, quota: The quota they are compared with, or None where it is not known.
        rpm: Quota of requests, or None.
    """

    growth: float
    peak_requests: float
    planned_requests: float
    each_tokens: float
    each_reserved: float | None
    quota_name: str | None
    quota: float | None
    rpm: float | None

    @property
    def consumed(self) -> float:
        """Tokens that the planned minute takes."""
        return self.planned_requests * self.each_tokens

    @property
    def reserved(self) -> float | None:
        """Tokens that the planned minute reserves at most."""
        return None if self.each_reserved is None else self.planned_requests * self.each_reserved

    @property
    def headroom(self) -> float | None:
        """Share of the quota that is left, by what is consumed; negative where it does not fit."""
        return None if not self.quota else 1 - self.consumed / self.quota

    @property
    def reserved_headroom(self) -> float | None:
        """The same by what is reserved."""
        return None if not self.quota or self.reserved is None else 1 - self.reserved / self.quota

    @property
    def rpm_headroom(self) -> float | None:
        """Share of the quota of requests that is left."""
        return None if not self.rpm else 1 - self.planned_requests / self.rpm

    @property
    def fitting_max_tokens(self) -> int | None:
        """The largest max_tokens with which the planned minute would fit its quota; None where nothing has to change."""
        if self.quota is None or self.each_reserved is None or (self.reserved_headroom or 0) >= 0:
            return None
        room = self.quota / self.planned_requests
        return max(0, int((room - self._prompt) // 100 * 100))

    _prompt: float = 0.0

    @property
    def sentence(self) -> str:
        """What to do, in one sentence."""
        if self.quota is None:
            return "No token quota is configured, so headroom cannot be told."
        if (self.headroom or 0) < 0:
            return f"Ask for more: the planned minute takes {100 * self.consumed / self.quota:.0f} % of the {self.quota_name}."
        if self.fitting_max_tokens is not None:
            return (
                f"Usage fits, reservations may not: at the peak up to {100 * (self.reserved or 0) / self.quota:.0f} % of the "
                f"{self.quota_name} is reserved. max_tokens of {self.fitting_max_tokens:,} would fit."
            )
        if self.rpm_headroom is not None and self.rpm_headroom < 0:
            return f"Ask for more requests per minute: {self.planned_requests:.0f} are planned, {self.rpm:.0f} allowed."
        if (self.headroom or 0) < 1 - _MOST_CALLS:
            return f"Fits, but only {100 * (self.headroom or 0):.0f} % of the {self.quota_name} is left at the peak."
        return f"Fits: {100 * (self.headroom or 0):.0f} % of the {self.quota_name} is left at the peak."


def plan_capacity(model: MonitoredModel, *, week: ModelWeek, before: ModelWeek | None) -> CapacityPlan | None:
    """Return the plan; None without calls, or where single minutes are not known."""
    if not week.peak_requests or week.input_tokens is None or week.output_tokens is None:
        return None
    growth = 1.0
    if before is not None and before.calls:
        growth = min(_LARGEST_GROWTH, max(1.0, week.calls / before.calls))
    prompt = week.input_tokens + week.cache_write_tokens
    quota = token_quota(model)
    limit = model.quotas.max_tokens
    return CapacityPlan(
        growth=growth,
        peak_requests=week.peak_requests,
        planned_requests=week.peak_requests * growth,
        each_tokens=consumed_tokens(
            input_tokens=week.input_tokens,
            output_tokens=week.output_tokens,
            burndown=model.quotas.burndown,
            cache_write_tokens=week.cache_write_tokens,
        ),
        each_reserved=None if limit is None else reserved_tokens(input_tokens=prompt, max_tokens=limit),
        quota_name=None if quota is None else quota[0],
        quota=None if quota is None else quota[1],
        rpm=model.quotas.rpm,
        _prompt=prompt,
    )
