r"""Which log events are which evidence? Filter patterns for records of Bedrock calls.

Two kinds of classes, each excluding the others, so that a record of a monitored call is counted exactly once:

* a call without an error is served optimized, standard or unknown (plus standard by design, on a model that has it);
* a throttled call names requests, tokens, tokens per day or none of them. The text for tokens is a prefix of the text for
  tokens per day, so the longest is asked first and the shorter ones exclude it.

`!=` never matches an absent field (CloudWatch Logs User Guide, Filter pattern syntax; a field test agrees), so absence is
always asked for by `NOT EXISTS`. A streamed call leaves a second record with eventType AwsServiceEvent: the clause on
AwsApiCall counts it once. A pattern holds 1,024 characters: where the ids of a model outgrow it, several filters write the
same metric, each with some of the ids.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from bedrock.evidence import AbsentMeans, EvidenceRoute, EvidenceSettings, ServedAs, ThrottleKind
from bedrock.trail_records import RUNTIME_EVENT_NAMES
from cloudwatch import limits
from cloudwatch.problems import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "RecordShape",
    "long_request_tokens",
    "record_shape",
    "served_classes",
    "served_patterns",
    "throttle_kinds",
    "throttle_pattern",
]

# Bedrock User Guide, latency-optimized inference: above this many tokens in total the model is always served standard.
_ALWAYS_STANDARD_ABOVE = {"llama3-1-405b": 11_000}
_PATH = re.compile(r"[A-Za-z0-9_-]+(?:\[\d+\])?(?:\.[A-Za-z0-9_-]+(?:\[\d+\])?)*\Z")
_UNSAFE = re.compile(r'["\\*\x00-\x1f]')

_PER_DAY = "*tokens per day*"
_TOKENS = "*oo many tokens*"
_REQUESTS = "*oo many requests*"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordShape:
    """Where things stand in a log event of one route; selectors start with `$.`.

    Attributes:
        base: Clauses that every pattern starts with.
        model: The model id as the caller passed it.
        latency: How the call was served.
        error_code: Absent on success.
        error_message: Text of the error, or None where the record has none.
        input_tokens: Input tokens of the call.
    """

    base: tuple[str, ...]
    model: str
    latency: str
    error_code: str
    error_message: str | None
    input_tokens: str


def record_shape(settings: EvidenceSettings, *, region: str) -> RecordShape:
    """Return the shape of a log event on the route of these settings.

    Args:
        settings: Route and paths.
        region: Region whose calls count; a trail's log group holds the records of every Region.

    Raises:
        InvalidValueError: The served-latency path is no dotted path, or the route has no log events.
    """
    path = settings.latency_path
    if not _PATH.match(path):
        raise InvalidValueError(f"served_latency_path {path!r}: a dotted path of letters, digits, _ and -, without $.")
    match settings.route:
        case EvidenceRoute.EVENTBRIDGE | EvidenceRoute.RULE_COUNTERS:
            root = "$.detail."
            base: tuple[str, ...] = (
                _is(f"{root}eventSource", "bedrock.amazonaws.com"),
                _is(f"{root}eventType", "AwsApiCall"),
            )
        case EvidenceRoute.TRAIL:
            root = "$."
            base = (
                _is("$.eventSource", "bedrock.amazonaws.com"),
                _is("$.eventType", "AwsApiCall"),
                _is("$.awsRegion", region),
                _any_of(_is("$.eventName", name) for name in RUNTIME_EVENT_NAMES),
            )
        case EvidenceRoute.INVOCATION_LOG:
            return RecordShape(
                base=(_any_of(_is("$.operation", name) for name in RUNTIME_EVENT_NAMES),),
                model="$.modelId",
                latency=f"$.{path}",
                error_code="$.errorCode",
                error_message=None,
                input_tokens="$.input.inputTokenCount",
            )
        case EvidenceRoute.NONE:
            raise InvalidValueError("evidence route none: there are no log events to match")
        case _:
            assert_never(settings.route)
    return RecordShape(
        base=base,
        model=f"{root}requestParameters.modelId",
        latency=root + path,
        error_code=f"{root}errorCode",
        error_message=f"{root}errorMessage",
        input_tokens=f"{root}additionalEventData.inputTokens",
    )


def long_request_tokens(ids: Iterable[str]) -> int | None:
    """Return the request length in tokens above which AWS serves the model standard by design, or None."""
    names = tuple(ids)
    return next(
        (tokens for part, tokens in _ALWAYS_STANDARD_ABOVE.items() if any(part in name for name in names)), None
    )


def served_classes(ids: Iterable[str]) -> tuple[ServedAs, ...]:
    """Return the classes that the successful calls of a model fall into."""
    by_design = long_request_tokens(ids) is not None
    return tuple(served for served in ServedAs if by_design or served is not ServedAs.STANDARD_BY_DESIGN)


def throttle_kinds(shape: RecordShape) -> tuple[ThrottleKind, ...]:
    """Return the kinds that can be told apart: without a message there is only OTHER."""
    return tuple(ThrottleKind) if shape.error_message else (ThrottleKind.OTHER,)


def served_patterns(
    served: ServedAs, *, shape: RecordShape, settings: EvidenceSettings, ids: Sequence[str]
) -> tuple[str, ...]:
    """Return the patterns that match the successful calls of a model that were served so, each call by one of them.

    Args:
        served: The class.
        shape: The log event.
        settings: Values of the served-latency field, and what its absence means.
        ids: Model ids as the records hold them.

    Raises:
        InvalidValueError: A single id is too long for a pattern, or holds a quote, backslash or asterisk.
    """
    clauses = (*shape.base, f"({shape.error_code} NOT EXISTS)", _served_clause(served, shape, settings))
    limit = long_request_tokens(ids)
    if limit is not None and served is ServedAs.STANDARD:
        clauses += (f"(({shape.input_tokens} NOT EXISTS) || ({shape.input_tokens} <= {limit}))",)
    if limit is not None and served is ServedAs.STANDARD_BY_DESIGN:
        clauses += (f"({shape.input_tokens} > {limit})",)
    patterns: list[str] = []
    chunk: list[str] = []
    for model_id in ids:
        if chunk and len(_pattern(clauses, shape, [*chunk, model_id])) > limits.FILTER_PATTERN_LENGTH:
            patterns.append(_pattern(clauses, shape, chunk))
            chunk = []
        chunk.append(model_id)
    patterns.append(_pattern(clauses, shape, chunk))
    longest = max(patterns, key=len)
    if len(longest) > limits.FILTER_PATTERN_LENGTH:
        raise InvalidValueError(
            f"model id {ids[0][:60]!r}: the filter pattern has {len(longest)} characters, CloudWatch Logs takes "
            f"{limits.FILTER_PATTERN_LENGTH}"
        )
    return tuple(patterns)


def throttle_pattern(kind: ThrottleKind, *, shape: RecordShape, settings: EvidenceSettings) -> str:
    """Return the pattern that matches the throttled calls of one kind, of every model."""
    clauses = (*shape.base, _matches(shape.error_code, settings.throttle_error_code))
    if shape.error_message:
        clauses += (_kind_clause(kind, shape.error_message),)
    return "{ " + " && ".join(clauses) + " }"


def _served_clause(served: ServedAs, shape: RecordShape, settings: EvidenceSettings) -> str:
    field = shape.latency
    optimized, standard = _quoted(settings.optimized_value), _quoted(settings.standard_value)
    absent_is_standard = settings.absent_means is AbsentMeans.STANDARD
    match served:
        case ServedAs.OPTIMIZED:
            return f"({field} = {optimized})"
        case ServedAs.STANDARD | ServedAs.STANDARD_BY_DESIGN:
            present = f"({field} = {standard})"
            return f"({present} || ({field} NOT EXISTS))" if absent_is_standard else present
        case ServedAs.UNKNOWN:
            other = f"(({field} != {optimized}) && ({field} != {standard}))"
            return other if absent_is_standard else f"(({field} NOT EXISTS) || {other})"
        case _:
            assert_never(served)


def _kind_clause(kind: ThrottleKind, message: str) -> str:
    per_day, tokens, requests = (f'"{text}"' for text in (_PER_DAY, _TOKENS, _REQUESTS))
    match kind:
        case ThrottleKind.TOKENS_PER_DAY:
            return f"({message} = {per_day})"
        case ThrottleKind.TOKENS:
            return f"({message} = {tokens}) && ({message} != {per_day})"
        case ThrottleKind.REQUESTS:
            return f"({message} = {requests}) && ({message} != {tokens}) && ({message} != {per_day})"
        case ThrottleKind.OTHER:
            none = f"(({message} != {requests}) && ({message} != {tokens}) && ({message} != {per_day}))"
            return f"(({message} NOT EXISTS) || {none})"
        case _:
            assert_never(kind)


def _pattern(clauses: Sequence[str], shape: RecordShape, ids: Sequence[str]) -> str:
    return "{ " + " && ".join((*clauses, _any_of(_is(shape.model, model_id) for model_id in ids))) + " }"


def _is(selector: str, value: str) -> str:
    return f"({selector} = {_quoted(value)})"


def _matches(selector: str, glob: str) -> str:
    _quoted(glob.replace("*", ""))
    return f'({selector} = "{glob}")'


def _any_of(clauses: Iterable[str]) -> str:
    found = tuple(clauses)
    return found[0] if len(found) == 1 else "(" + " || ".join(found) + ")"


def _quoted(text: str) -> str:
    if not text or _UNSAFE.search(text):
        raise InvalidValueError(f"{text[:60]!r} cannot stand in a filter pattern: no quote, backslash or asterisk")
    return f'"{text}"'
