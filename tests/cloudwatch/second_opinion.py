"""M out of N a second time, written from the documentation's words and not from the engine: an oracle for its tests.

Works on a text of `0`, `X` and `-`, oldest first, and answers `OK`, `ALARM`, `INSUFFICIENT_DATA` or `RETAIN`.
"""

from __future__ import annotations


def verdict(text: str, *, n: int, m: int, treat: str, scope: str = "range") -> str:
    """Return what the documentation's procedure gives for one evaluation range."""
    reported = text.replace("-", "")
    if len(reported) >= n:
        return "ALARM" if reported[len(reported) - n :].count("X") >= m else "OK"
    stand_in = {"breaching": "X", "notBreaching": "0"}.get(treat)
    if stand_in is not None:
        completed = reported.rjust(n, stand_in)
        return "ALARM" if completed.count("X") >= m else "OK"
    if reported == "":
        return "RETAIN" if treat == "ignore" else "INSUFFICIENT_DATA"
    if reported.count("X") >= m:
        return "ALARM"
    early = text if scope == "range" else text[len(text) - n :]
    aged = early[: len(early) - m + 1]  # all but the newest m - 1 slots
    if "0" not in text and "X" in aged:
        return "RETAIN" if treat == "ignore" else "ALARM"
    return "OK"
