"""How many quota tokens does a call take?

When a request starts, its input and its max_tokens are reserved; when it ends, the reservation is replaced by what it used:
input, cache writes and output times the burndown rate of the model. Cache reads never count. What is billed is neither.
(Bedrock User Guide, How tokens are counted in Amazon Bedrock.) Burndown rates change: they stand in `quotas.toml`, with a date.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date

__all__ = ["BurndownRule", "billed_tokens", "burndown_for", "burndown_rules", "consumed_tokens", "reserved_tokens"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BurndownRule:
    """The burndown rate of a family of models.

    Attributes:
        family: Name of the family.
        match: Patterns of model ids without geography prefix and version; `*` is a wildcard.
        rate: Quota tokens that one output token costs at settlement.
        date: When the rate was read.
        source: AWS page it was read from.
    """

    family: str
    match: tuple[str, ...]
    rate: float
    date: date
    source: str


@cache
def burndown_rules() -> tuple[BurndownRule, ...]:
    """Return the rules in the order in which they are tried; the last one matches every model."""
    data = tomllib.loads(Path(__file__).with_name("quotas.toml").read_text(encoding="utf-8"))
    return tuple(
        BurndownRule(
            family=rule["family"],
            match=tuple(rule["match"]),
            rate=float(rule["rate"]),
            date=data["date"],
            source=data["source"],
        )
        for rule in data["burndown"]
    )


def burndown_for(model_id: str) -> BurndownRule:
    """Return the rule of a model: `model_id` without geography prefix (see `bedrock.catalogue.base_id`)."""
    return next(rule for rule in burndown_rules() if any(fnmatchcase(model_id, pattern) for pattern in rule.match))


def reserved_tokens(*, input_tokens: float, max_tokens: float) -> float:
    """Return the tokens taken from the quota when a request starts: input + max_tokens."""
    return input_tokens + max_tokens


def consumed_tokens(
    *, input_tokens: float, output_tokens: float, burndown: float, cache_write_tokens: float = 0.0
) -> float:
    """Return the tokens taken from the quota once a request has ended: input + cache write + output x burndown.

    `input_tokens` is InputTokenCount, which excludes cached tokens; cache reads do not count.
    """
    return input_tokens + cache_write_tokens + output_tokens * burndown


def billed_tokens(
    *, input_tokens: float, output_tokens: float, cache_read_tokens: float = 0.0, cache_write_tokens: float = 0.0
) -> float:
    """Return the tokens on the bill: the real ones, each kind at its own price."""
    return input_tokens + output_tokens + cache_read_tokens + cache_write_tokens
