"""Which colour is which quantity? One palette for every page.

Colours are from the palettes of Okabe and Ito and of Paul Tol, which people with any of the usual colour vision deficiencies can
tell apart; no two quantities that are drawn together are told apart by red against green. The same quantity has the same colour
on every page. Written as `#rrggbb`, because PutDashboard refuses named colours.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "ALARM_LINE",
    "ALIASES",
    "BASELINE",
    "CACHE_READ",
    "CACHE_WRITE",
    "CLIENT_ERRORS",
    "COST",
    "LATENCY",
    "OBJECTIVE",
    "OTPS",
    "OUTPUT_TOKENS",
    "PERCENTILES",
    "QUOTA_USE",
    "REQUESTS",
    "RESERVATION",
    "SERVED_OPTIMIZED",
    "SERVED_STANDARD",
    "SERVED_UNKNOWN",
    "SERVER_ERRORS",
    "THROTTLES",
    "TTFT",
    "UNCACHED_INPUT",
]

TTFT: Final = "#0072b2"
LATENCY: Final = "#332288"
OTPS: Final = "#009e73"
OUTPUT_TOKENS: Final = "#cc79a7"
UNCACHED_INPUT: Final = "#56b4e9"
CACHE_READ: Final = "#117733"
CACHE_WRITE: Final = "#ddaa33"
REQUESTS: Final = "#44aa99"
THROTTLES: Final = "#d55e00"
SERVED_OPTIMIZED: Final = "#4477aa"
SERVED_STANDARD: Final = "#e69f00"
SERVED_UNKNOWN: Final = "#999999"
SERVER_ERRORS: Final = "#882255"
CLIENT_ERRORS: Final = "#aa4499"
QUOTA_USE: Final = "#6699cc"
RESERVATION: Final = "#997700"
COST: Final = "#999933"

# Lines that are not measured.
ALARM_LINE: Final = "#cc3311"
OBJECTIVE: Final = "#7a4fa3"
BASELINE: Final = "#737373"

# One quantity, three percentiles: light to dark.
PERCENTILES: Final[dict[str, tuple[str, str, str]]] = {
    TTFT: ("#88ccee", "#0072b2", "#003a5d"),
    LATENCY: ("#b3a6e0", "#6a51a3", "#332288"),
}

# Several aliases of one model, in configuration order; from the ninth on they repeat.
ALIASES: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#882255", "#737373")
