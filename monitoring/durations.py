"""How long is `1h30m`? Durations as people write them in scenarios: weeks, days, hours, minutes and seconds."""

from __future__ import annotations

import re

from cloudwatch.problems import InvalidValueError

__all__ = ["parse_duration", "print_duration"]

_UNITS = (("w", 604_800), ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1))
_FORM = re.compile("".join(rf"(?:(\d{{1,6}}){unit})?" for unit, _ in _UNITS) + r"\Z")


def parse_duration(text: str) -> int:
    """Return the seconds of a duration such as `90s`, `5m`, `1h30m`, `2d`; a leading `+` is allowed.

    Raises:
        InvalidValueError: It is not a duration.
    """
    match = _FORM.match(text.removeprefix("+"))
    if match is None or not any(match.groups()):
        raise InvalidValueError(f"{text[:40]!r} is no duration; write for example 90s, 5m, 1h30m or 2d")
    return sum(int(digits) * size for digits, (_, size) in zip(match.groups(), _UNITS, strict=True) if digits)


def print_duration(seconds: float) -> str:
    """Return seconds as the shortest text that `parse_duration` reads back; fractions are rounded."""
    rest, parts = round(seconds), ""
    for unit, size in _UNITS[1:]:
        count, rest = divmod(rest, size)
        parts += f"{count}{unit}" if count else ""
    return parts or "0s"
