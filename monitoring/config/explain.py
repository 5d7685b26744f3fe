"""Which values does a model have, and which line gave each?

A table of key, value and origin for the first account and Region, then its alarms; for each other place what is different there.
It fits 80 columns as far as ids do, which are never broken. A value of the catalogue names its entry, and a baseline of the catalogue says that it is an estimate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bedrock.catalogue import catalogue
from monitoring.config.settings import models_here
from monitoring.config.source import did_you_mean

if TYPE_CHECKING:
    from monitoring.config.merge import Origin
    from monitoring.config.source import Source

__all__ = ["explained"]

WIDTH = 80
VALUE_WIDTH = 22
Rows = list[tuple[str, str, str]]


def explained(
    source: Source, *, model: str, account: str | None = None, region: str | None = None, as_json: bool = False
) -> tuple[str, str]:
    """Return the tables of a model, and an empty text; or an empty text, and what is wrong with the question.

    Args:
        source: A configuration without errors.
        model: Key of the model.
        account: Only this alias.
        region: Only this Region.
        as_json: One object instead of tables: `{"model", "values": [{account, region, key, value, origin}], "alarms": [...]}`.
    """
    accounts: dict[str, Any] = source.data["accounts"]
    if account is not None and account not in accounts:
        return "", f"there is no account {account}. {did_you_mean(account, list(accounts)) or _known(accounts)}"
    regions = {name for alias in accounts for name in accounts[alias]["regions"]}
    if region is not None and region not in regions:
        return "", f"no account is in {region}. {did_you_mean(region, sorted(regions)) or _known(regions)}"
    found: dict[tuple[str, str], Rows] = {}
    keys: dict[str, None] = {}
    for alias in accounts:
        for name in accounts[alias]["regions"]:
            for here in models_here(source, alias=alias, region=name):
                keys[here.key] = None
                if here.key == model and account in {None, alias} and region in {None, name}:
                    values = here.effective
                    found[alias, name] = [
                        (".".join(key), _text(value), _origin(source, values.origins[key], key))
                        for key, value in sorted(values.values.items(), key=_order)
                    ]
    if not found:
        where = f" in {' '.join(part for part in (account, region) if part)}" if account or region else ""
        return "", f"there is no model {model}{where}. {did_you_mean(model, list(keys)) or _known(keys)}"
    alarms = _alarms(source, model, found)
    return (_json(model, found, alarms) if as_json else _tables(model, found, alarms)), ""


def _alarms(
    source: Source, model: str, found: dict[tuple[str, str], Rows]
) -> dict[tuple[str, str], list[dict[str, str]]]:
    from monitoring.config.build import deployments_of  # noqa: PLC0415 - builds alarms, and only this needs it
    from monitoring.config.explain_alarms import alarm_rows  # noqa: PLC0415

    alarms: dict[tuple[str, str], list[dict[str, str]]] = {}
    for deployment in deployments_of(source):
        alias, region = deployment.site.alias, deployment.site.region
        if (alias, region) in found:
            (here,) = (one for one in models_here(source, alias=alias, region=region) if one.key == model)
            alarms[alias, region] = alarm_rows(source, deployment, model=model, values=here.effective)
    return alarms


def _known(names: Any) -> str:
    return f"Known: {', '.join(names)}."


def _order(item: tuple[tuple[str, ...], Any]) -> tuple[int, tuple[str, ...]]:
    first = ("title", "foundation_model", "ids", "cloudtrail_ids", "regions", "latency")
    key = item[0]
    return (first.index(key[0]) if key[0] in first else len(first) + len(key), key)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return f"{value:,.10g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _origin(source: Source, origin: Origin, key: tuple[str, ...]) -> str:
    if origin.path is not None:
        return f"line {source.place(origin.path, of_key=True).line}, {origin.text}"
    if origin.layer == "catalogue" and key[0] == "baselines":
        return f"{origin.text}, estimate"
    return origin.text


def _tables(model: str, found: dict[tuple[str, str], Rows], alarms: dict[tuple[str, str], list[dict[str, str]]]) -> str:
    from monitoring.config.explain_alarms import alarm_lines, helpers_line  # noqa: PLC0415 - builds alarms, and only this needs it

    lines: list[str] = []
    first: Rows = []
    known_alarms: list[dict[str, str]] = []
    width = max(len(key) for rows in found.values() for key, _, _ in rows) + 2
    for (alias, region), rows in found.items():
        different = [row for row in rows if row not in first]
        gone = {key for key, _, _ in first} - {key for key, _, _ in rows}
        different += [(key, "(none)", "") for key in sorted(gone)]
        here = alarms[alias, region]
        alike = [row for row in here if row in known_alarms] if first else []
        if not first:
            lines += [f"{model} in {alias} {region}", ""]
            lines.append(f"{'key':{width}}{'value':{VALUE_WIDTH}}from".rstrip())
        elif not different and len(alike) == len(here):
            lines += ["", f"{model} in {alias} {region}: the same."]
            continue
        else:
            lines += ["", f"{model} in {alias} {region}, where it differs:", ""]
        for key, value, origin in different:
            lines += _value_lines(key, value, origin, width=width)
        told = [row for row in here if row not in alike]
        if told:
            lines += [
                "",
                f"alarms{', where they differ' if first else ''}:",
                "",
                *alarm_lines(told),
                *helpers_line(told),
            ]
        first, known_alarms = first or rows, known_alarms or here
    known = catalogue()
    lines += ["", f"Catalogue of {known.date}; its baselines are a first {known.baselines_source}."]
    return "\n".join(line.rstrip() for line in lines)


def _value_lines(key: str, value: str, origin: str, *, width: int) -> list[str]:
    """Return the lines of one value. An item of a list stands on a line of its own, and is never broken: it is copied."""
    items = value.split(", ") if key in {"ids", "cloudtrail_ids", "regions"} else [value]
    lines = [f"{key if number == 0 else '':{width}}{item}" for number, item in enumerate(items)]
    room = len(lines[-1]) < width + VALUE_WIDTH
    if room:
        lines[-1] = f"{lines[-1]:{width + VALUE_WIDTH}}{origin}"
    if not room or len(lines[-1]) > WIDTH:
        lines[-1] = lines[-1].removesuffix(origin).rstrip()
        lines.append(
            f"{'':{WIDTH - len(origin) if len(origin) + width > WIDTH - VALUE_WIDTH else width + VALUE_WIDTH}}{origin}"
        )
    return lines


def _json(model: str, found: dict[tuple[str, str], Rows], alarms: dict[tuple[str, str], list[dict[str, str]]]) -> str:
    import json  # noqa: PLC0415 - only this format needs it

    rows = [
        {"account": alias, "region": region, "key": key, "value": value, "origin": origin}
        for (alias, region), values in found.items()
        for key, value, origin in values
    ]
    told = [{"account": alias, "region": region, **row} for (alias, region), here in alarms.items() for row in here]
    return json.dumps({"model": model, "values": rows, "alarms": told}, indent=2, ensure_ascii=False)
