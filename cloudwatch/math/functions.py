"""Which functions does metric math have, and what may go into each?

The first of two tables: signatures. What the functions do is the second, in `cloudwatch.math.behaviours`; the two have the same
keys. Written as in the documentation (User Guide, Using metric math; its table of functions):

    S  scalar      TS  one time series      TS[]  array of series      String, String[]
    Metric         the id of a metric, not of an expression             Word  a bare word

`A|B` is a choice, `A?` may be left out, `A*` may be repeated. `->` says that the value in a slot depends on that slot alone; `=>`
that it depends on the other slots of the window too, so that the answer changes with the window.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BAND_DEVIATIONS", "FUNCTIONS", "Function", "Parameter", "Signature", "Type"]

BAND_DEVIATIONS = 2  # standard deviations of ANOMALY_DETECTION_BAND when left out


class Type(StrEnum):
    """The type of an expression."""

    SCALAR = "S"
    SERIES = "TS"
    ARRAY = "TS[]"
    STRING = "String"
    STRINGS = "String[]"
    WORD = "Word"
    ANY_SERIES = "TS or TS[]"  # only the answer of a Lambda function, which decides itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """What one argument may be: names of types, `Metric`, or the very words."""

    choices: frozenset[str]
    optional: bool = False
    repeated: bool = False

    def __str__(self) -> str:
        return "|".join(sorted(self.choices)) + ("?" if self.optional else "") + ("*" if self.repeated else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """One way to call a function."""

    parameters: tuple[Parameter, ...]
    result: Type
    windowed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function.

    Attributes:
        name: Upper case.
        signatures: Tried in order.
        supplied: Whether its answer exists only in AWS, so that a caller has to supply it.
    """

    name: str
    signatures: tuple[Signature, ...]
    supplied: bool = False


def _parameter(text: str) -> Parameter:
    bare = text.strip().rstrip("?*")
    return Parameter(
        choices=frozenset(bare.split("|")), optional=text.strip()[-1] in "?*", repeated=text.strip().endswith("*")
    )


def _signature(text: str) -> Signature:
    windowed = "=>" in text
    given, result = text.split("=>" if windowed else "->")
    parameters = tuple(_parameter(part) for part in given.split(",") if part.strip())
    return Signature(parameters=parameters, result=Type(result.strip()), windowed=windowed)


def _table(*, supplied: bool, **signatures: tuple[str, ...]) -> dict[str, Function]:
    return {
        name: Function(name=name, signatures=tuple(map(_signature, texts)), supplied=supplied)
        for names, texts in signatures.items()
        for name in names.split("__")
    }


_ELEMENTWISE = ("TS -> TS", "TS[] -> TS[]")
_REDUCING = ("TS => S", "TS[] -> TS")
_NEIGHBOURS = ("TS => TS", "TS[] => TS[]")

FUNCTIONS: Mapping[str, Function] = _table(
    supplied=False,
    ABS__CEIL__FLOOR__LOG__LOG10=_ELEMENTWISE,
    AVG__SUM__MIN__MAX__STDDEV__DATAPOINT_COUNT=_REDUCING,
    DIFF__RATE__DIFF_TIME__RUNNING_SUM=_NEIGHBOURS,
    METRIC_COUNT=("TS[] -> S",),
    FILL=(
        "TS, S|TS -> TS",
        "TS, REPEAT|LINEAR => TS",
        "TS[], S|TS -> TS[]",
        "TS[], REPEAT|LINEAR => TS[]",
    ),
    TIME_SERIES=("S -> TS",),
    IF=("S, S, S? -> S", "S|TS, S|TS, S|TS? -> TS"),
    METRICS=("String? -> TS[]",),
    FIRST__LAST=("TS[] -> TS",),
    SORT=("TS[], AVG|MIN|MAX|SUM, ASC|DESC, S? => TS[]",),
    SLICE=("TS[], S, S? -> TS[]",),
    REMOVE_EMPTY=("TS[] => TS[]",),
    PERIOD=("Metric -> S",),
    MINUTE__HOUR__DAY__DATE__MONTH__YEAR__EPOCH=("TS -> TS",),
) | _table(
    supplied=True,
    SEARCH=("String, String, S? -> TS[]",),
    ANOMALY_DETECTION_BAND=("TS, S? -> TS[]",),
    INSIGHT_RULE_METRIC=("String|Word, String|Word -> TS",),
    SERVICE_QUOTA=("TS -> TS",),
    DB_PERF_INSIGHTS=("String, String, String -> TS", "String, String, String[] -> TS[]"),
    LAMBDA=("String, String|S|TS|TS[]* -> TS or TS[]",),
)
