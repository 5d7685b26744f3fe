"""How far back does CloudWatch answer, and which times does it answer for?

(API, GetMetricData and GetMetricStatistics.) Points of less than 60 s are kept for 3 hours, of 60 s for 15 days, of 300 s for 63
days and of 3600 s for 455 days; older points exist only in the next coarser resolution. The start of a request is rounded down
accordingly, and a high-resolution period rounds to its own division of the minute.
"""

from __future__ import annotations

__all__ = ["SEARCH_WINDOW_S", "retention_s", "rounded_start_s"]

DAY_S = 86_400
SEARCH_WINDOW_S = 14 * DAY_S  # UG, search expressions: metrics that reported in the last two weeks
_RETENTION = ((60, 3 * 3600), (300, 15 * DAY_S), (3600, 63 * DAY_S))


def retention_s(resolution_s: int) -> int:
    """Return for how many seconds points of a resolution (seconds) are kept."""
    return next((kept for below, kept in _RETENTION if resolution_s < below), 455 * DAY_S)


def rounded_start_s(start_s: int, *, now_s: int, period_s: int = 60) -> int:
    """Return the start, epoch seconds, from which a request that asks for `start_s` is answered.

    Args:
        start_s: Requested start, epoch seconds.
        now_s: When the request is made, epoch seconds.
        period_s: Period of the request; below 60 it rounds to its own multiple.
    """
    if period_s < 60:
        return start_s - start_s % period_s
    age_s = now_s - start_s
    step = 60 if age_s < 15 * DAY_S else 300 if age_s <= 63 * DAY_S else 3600
    return start_s - start_s % step
