"""Which statistic does a text like `p99.9`, `TM(10%:90%)` or `PR(:300)` name?

Grammar (User Guide, CloudWatch statistics definitions; API, the pattern of SingleMetricAnomalyDetector.Stat):

    stat    := SampleCount | Average | Sum | Minimum | Maximum | IQM
             | (p|tm|tc|ts|wm) percent                      lower case takes one number, the upper bound
             | (TM|TC|TS|WM) '(' [percent%] ':' [percent%] ')'     upper case takes a range, one end may be open
             | (TM|TC|TS|WM|PR) '(' [number] ':' [number] ')'
    percent := 0 to 100 with up to 10 decimals

Both ends are percentages or both are values. Texts that mean the same give equal values: `tm99` and `TM(:99%)`, `IQM` and
`TM(25%:75%)`, `p90` and `p90.0`. The pattern also takes `o` and `u` with a number and the endings `_E`, `_L` and `_H`, which no
page explains: they parse to `OpaqueStat` and cannot be computed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import assert_never

from cloudwatch.problems import InvalidValueError

__all__ = [
    "OpaqueStat",
    "PercentRange",
    "Percentile",
    "PercentileRank",
    "Plain",
    "Stat",
    "TrimKind",
    "Trimmed",
    "ValueRange",
    "is_percentile_family",
    "parse_stat",
    "print_stat",
]

_PERCENT = r"(?:\d{1,2}(?:\.\d{0,10})?|100(?:\.0{0,10})?)"
_VALUE = r"(?:\d+(?:\.\d{0,10})?(?:[Ee][+-]?\d+)?)"
_ONE_NUMBER = re.compile(r"(p|tc|tm|ts|wm)(\d{1,2}(?:\.\d{0,10})?|100)", re.ASCII)
_RANGE = re.compile(rf"(TM|TC|TS|WM|PR)\((?:({_PERCENT})%)?:(?:({_PERCENT})%)?\)", re.ASCII)
_VALUES = re.compile(rf"(TM|TC|TS|WM|PR)\(({_VALUE})?:({_VALUE})?\)", re.ASCII)
_OPAQUE = re.compile(
    r"(?:(?:SampleCount|Average|Sum|Minimum|Maximum|IQM|(?:p|tc|tm|ts|wm)(?:\d{1,2}(?:\.\d{0,10})?|100))_[ELH]"
    r"|[ou]\d+(?:\.\d*)?(?:_[ELH])?)",
    re.ASCII,
)
_HUNDRED = Decimal(100)
_LARGEST = Decimal(2) ** 360  # API, MetricDatum: no value lies beyond
_PLAIN_DIGITS = 20


class Plain(StrEnum):
    """The statistics that a statistic set can always answer."""

    SAMPLE_COUNT = "SampleCount"
    AVERAGE = "Average"
    SUM = "Sum"
    MINIMUM = "Minimum"
    MAXIMUM = "Maximum"


_PLAIN = {plain.value: plain for plain in Plain}


class TrimKind(StrEnum):
    """What is computed of the samples inside a range."""

    MEAN = "TM"
    COUNT = "TC"
    SUM = "TS"
    WINSORIZED_MEAN = "WM"


@dataclass(frozen=True, slots=True, kw_only=True)
class PercentRange:
    """Samples between two percentiles: 0 to 100, an open end is 0 or 100."""

    lower: Decimal = Decimal(0)
    upper: Decimal = _HUNDRED


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueRange:
    """Samples above `lower` (exclusive) up to `upper` (inclusive), in the unit of the metric; None is an open end."""

    lower: Decimal | None = None
    upper: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Percentile:
    """The value below which `percent` of the samples lie, 0 to 100."""

    percent: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Trimmed:
    """Trimmed mean, count or sum, or winsorized mean, of the samples in a range."""

    kind: TrimKind
    bounds: PercentRange | ValueRange


@dataclass(frozen=True, slots=True, kw_only=True)
class PercentileRank:
    """Share of the samples that lie in a range of values, in percent."""

    bounds: ValueRange


@dataclass(frozen=True, slots=True, kw_only=True)
class OpaqueStat:
    """A text that the API takes and no page explains."""

    text: str


Stat = Plain | Percentile | Trimmed | PercentileRank | OpaqueStat


@lru_cache(maxsize=1024)
def parse_stat(text: str) -> Stat:
    """Return the statistic that a text names.

    Raises:
        InvalidValueError: CloudWatch has no such statistic; the message says why.
    """
    if plain := _PLAIN.get(text):
        return plain
    if text == "IQM":
        return Trimmed(kind=TrimKind.MEAN, bounds=PercentRange(lower=Decimal(25), upper=Decimal(75)))
    if match := _ONE_NUMBER.fullmatch(text):
        percent = _canonical(match[2])
        if match[1] == "p":
            return Percentile(percent=percent)
        return Trimmed(kind=TrimKind(match[1].upper()), bounds=PercentRange(upper=percent))
    if (match := _RANGE.fullmatch(text)) and (match[2] or match[3]):
        if match[1] == "PR":
            raise InvalidValueError(f"Statistic {text}: PR takes values, PR(100:2000), not percentages")
        lower, upper = (None if end is None else _canonical(end) for end in match.group(2, 3))
        percents = PercentRange(lower=lower or Decimal(0), upper=_HUNDRED if upper is None else upper)
        return Trimmed(kind=TrimKind(match[1]), bounds=percents)
    if (match := _VALUES.fullmatch(text)) and (match[2] or match[3]):
        low, high = (None if end is None else _value(end, of=text) for end in match.group(2, 3))
        values = ValueRange(lower=low, upper=high)
        return PercentileRank(bounds=values) if match[1] == "PR" else Trimmed(kind=TrimKind(match[1]), bounds=values)
    if _OPAQUE.fullmatch(text):
        return OpaqueStat(text=text)
    raise InvalidValueError(f"Statistic {text[:60]!r}: {_why_not(text)}")


def print_stat(stat: Stat) -> str:
    """Return the shortest text that `parse_stat` reads back as an equal value."""
    match stat:
        case Plain():
            return stat.value
        case Percentile(percent=percent):
            return f"p{_text(percent)}"
        case Trimmed(kind=kind, bounds=bounds):
            return _print_trimmed(kind, bounds)
        case PercentileRank(bounds=bounds):
            return f"PR({_print_values(bounds)})"
        case OpaqueStat(text=text):
            return text
        case _:
            assert_never(stat)


def is_percentile_family(stat: Stat) -> bool:
    """Tell whether a statistic needs the single values, which a statistic set does not hold."""
    return not isinstance(stat, Plain)


def _print_trimmed(kind: TrimKind, bounds: PercentRange | ValueRange) -> str:
    if isinstance(bounds, ValueRange):
        return f"{kind.value}({_print_values(bounds)})"
    if not bounds.lower:
        return f"{kind.value.lower()}{_text(bounds.upper)}"
    upper = "" if bounds.upper == _HUNDRED else f"{_text(bounds.upper)}%"
    return f"{kind.value}({_text(bounds.lower)}%:{upper})"


def _canonical(text: str) -> Decimal:
    number = Decimal(text)
    return number.normalize() if number else Decimal(0)


def _value(text: str, *, of: str) -> Decimal:
    exponent = re.search(r"[Ee][+-]?(\d+)\Z", text)
    # A bound on the digits comes first: Decimal would spend the memory that an absurd exponent asks for.
    if len(text) > 400 or (exponent and int(exponent[1]) > 400) or (number := _canonical(text)) > _LARGEST:
        raise InvalidValueError(f"Statistic {of[:60]}: the bound {text[:40]} is beyond 2^360, as no value can be")
    return number


def _text(number: Decimal) -> str:
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    if -10 <= exponent <= _PLAIN_DIGITS:
        return format(number, "f")
    digits = "".join(str(digit) for digit in number.as_tuple().digits)
    return f"{digits}E{exponent}"


def _print_values(bounds: ValueRange) -> str:
    return ":".join("" if end is None else _text(end) for end in (bounds.lower, bounds.upper))


def _why_not(text: str) -> str:
    for known in [*Plain, "IQM"]:
        if text.lower() == known.lower():
            return f"it is spelled {known}"
    head = re.match(r"[A-Za-z]+", text)
    word = head[0] if head else ""
    if word.lower() in {"tm", "tc", "ts", "wm", "pr"} and "(" in text:
        if word.islower() or not word.isupper():
            return f"ranges take upper case, {word.upper()}(...)"
        if ("%" in text) and text.count("%") == 1 and re.search(r"\d:\d|%:\d", text):
            return "both ends are percentages or both are values"
        return f"a range is {word}(lower:upper) with at least one end, percentages 0% to 100%, at most 10 decimals"
    if word.lower() in {"p", "tm", "tc", "ts", "wm"}:
        if not word.islower():
            return f"one number takes lower case, {word.lower()}90; a range takes upper case, TM(10%:90%)"
        return f"{word} takes a number from 0 to 100 with at most 10 decimals, {word}90"
    return "not one of SampleCount, Average, Sum, Minimum, Maximum, IQM, p90, tm90, tc90, ts90, wm90, TM(a:b), PR(a:b)"
