"""How is a refused value said to the person who wrote it?

pydantic decides, this module speaks: every error becomes a `Problem` with the place in the file, the value received and what
to write instead. pydantic's own sentences never reach a user.
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any, Required, Union, get_args, get_origin

from typing_extensions import get_type_hints, is_typeddict

from cloudwatch.problems import Problem
from monitoring.config.regions import KNOWN_REGIONS
from monitoring.config.schema import Configuration
from monitoring.config.source import did_you_mean, dotted, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from monitoring.config.source import Source

__all__ = ["problem_for"]

# What is expected, by the name of the last field (or of what the key names), where a pattern or type alone says too little.
_FORMS = {
    "id": 'twelve digits in quotes, for example "111122223333"',
    "regions": "a Region, for example us-east-1",
    "trail_home_region": "a Region, for example us-east-1",
    "topics": "the ARN of an SNS topic, for example arn:aws:sns:us-east-1:111122223333:oncall",
    "kms_key": "the ARN of a KMS key, for example arn:aws:kms:us-east-1:111122223333:key/...",
    "ids": "a ModelId without spaces, quotes and asterisks, for example us.amazon.nova-pro-v1:0",
    "cloudtrail_ids": "a model id without spaces, quotes and asterisks, for example us.amazon.nova-pro-v1:0",
    "served_latency_path": "a dotted path of letters, digits, _ and - (no $. before it)",
    "optimized_value": "text without quotes, backslashes and asterisks",
    "standard_value": "text without quotes, backslashes and asterisks",
    "throttle_error_code": "text without quotes and backslashes",
    "emails": "an e-mail address",
    "links": "an address that starts with https://",
    "partition": "aws, aws-us-gov or aws-cn",
    "prefix": "1 to 20 lower-case letters, digits and hyphens, a letter first",
    "models": "a key of 1 to 40 lower-case letters, digits and hyphens, a letter first",
    "accounts": "an alias of 1 to 40 lower-case letters, digits and hyphens, a letter first",
    "in_regions": "a Region, for example us-east-1",
    "log_group": "the name of a log group: letters, digits and . - _ / #",
    "bootstrap_qualifier": "1 to 10 lower-case letters and digits",
    "permissions_boundary": "the name of an IAM policy",
    "name": "letters, digits, - and _",
    "workspace_id": "a Slack workspace id, for example T0123ABCDEF",
    "channel_id": "a Slack channel id, for example C0123ABCDEF",
}


def problem_for(error: Mapping[str, Any], source: Source, *, root: Any = Configuration) -> Problem:
    """Return one of pydantic's errors (`ValidationError.errors()`) as a problem in the words of this product.

    Args:
        error: What pydantic found.
        source: The file, for the place.
        root: Typed dictionary of the whole file, for what its keys are called and mean.
    """
    path: tuple[str | int, ...] = tuple(part for part in error["loc"] if part != "[key]")
    of_key = len(path) < len(error["loc"])
    kind, received, context = str(error["type"]), error["input"], error.get("ctx", {})
    name = str(next((part for part in reversed(path[:-1] if of_key else path) if isinstance(part, str)), ""))
    if len(path) > 1 and path[-2] == "links":
        name = "links"
    where = dotted(path) or "the file"
    if kind == "extra_forbidden":
        return _unknown_key(path, source, root)
    if kind == "missing":
        message = f"{where} is missing."
        return Problem(
            code="missing-key",
            message=message,
            hint=f"Add '{path[-1]}: ...' ({_described(path, root).rstrip('.')}).",
            place=source.place(path[:-1], of_key=True),
        )
    if of_key:
        message = f"the key {shown(path[-1])} is not {_FORMS.get(name, 'allowed here')}."
        return Problem(code="wrong-key", message=message, hint="Rename it.", place=source.place(path, of_key=True))
    message, hint = _wrong_value(kind, where, received, context, name)
    return Problem(code="wrong-value", message=message, hint=hint, place=source.place(path))


def _wrong_value(kind: str, where: str, received: Any, context: Mapping[str, Any], name: str, /) -> tuple[str, str]:
    got = f", not {shown(received)}."
    if received is None:
        return f"{where} has no value.", f"Write {_FORMS.get(name, 'a value')} after the colon, or remove the line."
    if kind in {"enum", "literal_error"}:
        allowed = [value.strip().strip("'") for value in str(context["expected"]).replace(" or ", ", ").split(",")]
        close = did_you_mean(str(received), allowed)
        return f"{where} has to be one of {', '.join(allowed)}{got}", close or "Write one of them, without quotes."
    if kind in {"model_type", "dict_type", "model_attributes_type"}:
        return f"{where} has to be a mapping of 'key: value' lines{got}", "Indent the keys below it."
    if kind == "list_type":
        return f"{where} has to be a list{got}", f"Write [{shown(received).strip(chr(39))}]." if _plain(
            received
        ) else "Write [a, b]."
    if kind == "bool_type":
        return f"{where} has to be true or false{got}", "YAML 1.2 knows no yes, no, on or off."
    if kind in {"float_type", "int_type", "int_from_float"}:
        noun = "a number" if kind == "float_type" else "a whole number"
        return f"{where} has to be {noun}{got}", _number_hint(received, whole=kind != "float_type")
    if kind == "finite_number":
        return f"{where} has to be a finite number{got}", "Write digits, or remove the line."
    for bound, words in (("gt", "above"), ("ge", "at least"), ("lt", "below"), ("le", "at most")):
        if bound in context:
            limit = context[bound]
            number = f"{limit:g}" if isinstance(limit, float) else str(limit)
            percent = "Shares are written as fractions: 0.95, not 95." if bound == "le" and limit == 1 else ""
            return f"{where} has to be {words} {number}{got}", percent or "Correct the number, or remove the line."
    if kind == "too_short":
        return f"{where} is empty.", f"Write {_FORMS.get(name, 'at least one value')}, or remove the line."
    if kind == "string_type":
        quoted = f'Put it into quotes: "{received}".' if _plain(received) else f"Write {_FORMS.get(name, 'text')}."
        return f"{where} has to be text{got}", quoted
    if kind == "string_too_long":
        return f"{where} is longer than {context['max_length']} characters: {len(str(received))}.", "Shorten it."
    if kind == "string_too_short":
        return f"{where} is empty.", "Write text, or remove the line."
    if kind == "string_pattern_mismatch":
        close = did_you_mean(str(received), KNOWN_REGIONS) if name in {"regions", "trail_home_region"} else ""
        return f"{where} has to be {_FORMS.get(name, 'of another form')}{got}", close or _form_hint(name, str(received))
    return f"{where} has a value that is not allowed here: {shown(received)}.", _FORMS.get(name, "")


def _plain(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and len(str(value)) <= 40


def _number_hint(received: Any, *, whole: bool) -> str:
    if whole and isinstance(received, float):
        return f"Write {int(received)} or {int(received) + 1}."
    if not isinstance(received, str):
        return "Write digits, for example 60."
    if received.replace("_", "").replace(",", "").isdigit():
        return f"Write {received.replace('_', '').replace(',', '')}: no separators and no quotes."
    if received.endswith("%"):
        return "Write a fraction between 0 and 1 without %."
    if any(char.isdigit() for char in received):
        return "Write the number alone: the unit is in the key's name."
    return "Write digits, for example 60."


# What to do about a value of the wrong form, by the name of the field; else the form itself says it.
_REMEDIES = {
    "id": "Copy the twelve digits from the account's page, with leading zeros, and keep the quotes.",
    "emails": "Write name@domain, for example oncall@example.com.",
    "ids": "Write it as the ModelId dimension in CloudWatch shows it.",
    "cloudtrail_ids": "Write it as requestParameters.modelId in CloudTrail shows it.",
    "topics": "Copy the ARN from the topic's page in Amazon SNS, or write create: {emails: [...]} instead of topics.",
    "kms_key": "Copy the ARN of the key (not of its alias) from its page in KMS.",
    "served_latency_path": "Write the path inside the record, for example additionalEventData.performanceConfig.latency.",
    "optimized_value": "Write the value as the record has it: it is compared as it stands.",
    "standard_value": "Write the value as the record has it: it is compared as it stands.",
    "prefix": "Use lower-case letters, for example llm.",
}


def _form_hint(name: str, received: str) -> str:
    if name == "links" and received.startswith("http://"):
        return f"Write https://{shown(received.removeprefix('http://'))[1:-1]}: runbooks link to https pages only."
    if name == "links":
        return "Write the whole address, for example https://wiki.example.com/runbook."
    return _REMEDIES.get(name, "Write it in that form, or remove the line.")


def _unknown_key(path: Sequence[str | int], source: Source, root: Any, /) -> Problem:
    parent = dotted(path[:-1]) or "the file"
    known = sorted(_fields(path[:-1], root))
    close = did_you_mean(str(path[-1]), known)
    hint = close or f"Known keys: {', '.join(known)}."
    return Problem(
        code="unknown-key",
        message=f"{parent} has no key {shown(str(path[-1]))}.",
        hint=hint,
        place=source.place(path, of_key=True),
    )


def _fields(path: Sequence[str | int], root: Any) -> dict[str, str]:
    """Return the keys that are known at a path, with their descriptions."""
    at: Any = root
    for part in path:
        if not is_typeddict(at):
            at = next(_steps(get_args(at)[-1]), None) if at is not None else None
            continue
        annotation = get_type_hints(at, include_extras=True).get(str(part))
        at = next(_steps(annotation), None) if annotation is not None else None
    if not is_typeddict(at):
        return {}
    return {name: _description(hint) for name, hint in get_type_hints(at, include_extras=True).items()}


def _description(hint: Any) -> str:
    if get_origin(hint) is Required:
        hint = get_args(hint)[0]
    return next(
        (str(field.description) for field in getattr(hint, "__metadata__", ()) if getattr(field, "description", None)),
        "",
    )


def _described(path: Sequence[str | int], root: Any) -> str:
    text = _fields(path[:-1], root).get(str(path[-1]), "")
    return text[:1].lower() + text[1:]


def _steps(annotation: Any) -> Iterator[Any]:
    """Yield what a path goes through inside an annotation: typed dictionaries, and mappings and lists."""
    origin = get_origin(annotation)
    if origin in {dict, list} or is_typeddict(annotation):
        yield annotation
    elif origin in {Union, types.UnionType}:
        for argument in get_args(annotation):
            yield from _steps(argument)
    elif origin is not None:
        yield from _steps(get_args(annotation)[0])
