"""Which values does a model have, and which line gave each?

A table of key, value and origin for the first account and Region, then for each other one what is different there. It fits 80
columns. A value of the catalogue names its entry, and a baseline of the catalogue says that it is an estimate.
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
        as_json: One object instead of tables: `{"model", "values": [{account, region, key, value, origin}]}`.
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
    return (_json(model, found) if as_json else _tables(model, found)), ""


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


def _tables(model: str, found: dict[tuple[str, str], Rows]) -> str:
    from io import StringIO  # noqa: PLC0415 - rich is slow, and only this needs it

    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    stream = StringIO()
    console = Console(file=stream, width=WIDTH, color_system=None, highlight=False)
    first: Rows = []
    for (alias, region), rows in found.items():
        different = [row for row in rows if row not in first]
        gone = {key for key, _, _ in first} - {key for key, _, _ in rows}
        different += [(key, "(none)", "") for key in sorted(gone)]
        if not first:
            stream.write(f"{model} in {alias} {region}\n\n")
        elif not different:
            stream.write(f"\n{model} in {alias} {region}: the same.\n")
            continue
        else:
            stream.write(f"\n{model} in {alias} {region}, where it differs:\n\n")
        first = first or rows
        table = Table(box=None, pad_edge=False, show_edge=False, padding=(0, 2, 0, 0), show_header=first is rows)
        table.add_column("key", no_wrap=True, min_width=max(len(key) for key, _, _ in first))
        table.add_column("value", overflow="fold", min_width=12, max_width=22)
        table.add_column("from", overflow="fold")
        for key, value, origin in different:
            table.add_row(Text(key), Text(value), Text(origin))
        console.print(table)
    known = catalogue()
    stream.write(f"\nCatalogue of {known.date}; its baselines are a first {known.baselines_source}.\n")
    return "\n".join(line.rstrip() for line in stream.getvalue().rstrip().split("\n"))


def _json(model: str, found: dict[tuple[str, str], Rows]) -> str:
    import json  # noqa: PLC0415 - only this format needs it

    rows = [
        {"account": alias, "region": region, "key": key, "value": value, "origin": origin}
        for (alias, region), values in found.items()
        for key, value, origin in values
    ]
    return json.dumps({"model": model, "values": rows}, indent=2, ensure_ascii=False)
