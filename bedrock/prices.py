"""What does a token, an alarm, a dashboard or a gigabyte of logs cost?

Prices are data (`prices.toml`) with a date, a Region and a source; almost all are second hand, and say so.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import date

    from bedrock.models import Prices

__all__ = ["ServicePrice", "price_source", "service_price", "service_prices", "token_prices"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServicePrice:
    """One line of a bill.

    Attributes:
        name: Key in `prices.toml`, for example `alarm_metric`.
        amount: US dollars per unit, list price, without free tier.
        unit: What is counted, in words.
        date: When the price was read.
        region: Region it holds for.
        source: Where it was read.
        verified: True only for a price that was read on AWS's own page.
    """

    name: str
    amount: float
    unit: str
    date: date
    region: str
    source: str
    verified: bool


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("prices.toml").read_text(encoding="utf-8"))


def token_prices(key: str, *, optimized: bool = False) -> Prices:
    """Return dollars per million tokens of a catalogue key; all None where nothing is known."""
    from bedrock.models import Prices  # noqa: PLC0415 - the catalogue is read without prices by most commands

    row = _data()["optimized" if optimized else "tokens"].get(key, (-1, -1, -1, -1))
    known = [float(price) if price >= 0 else None for price in row]
    return Prices(input=known[0], output=known[1], cache_read=known[2], cache_write=known[3])


def price_source() -> str:
    """Return the source of the token prices with date and Region, for a label beside an amount."""
    data = _data()
    return f"{data['source']}, {data['date']}, {data['region']}"


def service_prices() -> dict[str, ServicePrice]:
    """Return every price of CloudWatch and its neighbours by name."""
    data = _data()
    return {
        name: ServicePrice(
            name=name,
            amount=float(row["amount"]),
            unit=row["unit"],
            date=data["date"],
            region=data["region"],
            source=row["source"],
            verified=bool(row.get("verified", data["verified"])),
        )
        for name, row in data["services"].items()
    }


def service_price(name: str) -> ServicePrice:
    """Return one price.

    Raises:
        KeyError: `name` is not in `prices.toml`.
    """
    return service_prices()[name]
