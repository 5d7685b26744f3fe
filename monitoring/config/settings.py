"""Which settings does an account have in a Region, and which models?

Plain values with their origins, as `monitoring.config.checks` and `explain` read them and `build` turns into deployments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from monitoring.config.merge import Effective, Layer, effective_model, model_layers, overlay, value_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bedrock.catalogue import CatalogueEntry
    from monitoring.config.source import Path_, Source

__all__ = [
    "ModelHere",
    "PlaceHere",
    "account_keys",
    "account_settings",
    "models_here",
    "partition_of",
    "places_of",
    "site_values",
]

NO_ROUTE_DEFAULTS = ("log_group", "trail_home_region")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelHere:
    """A model in one account and Region: values in force, and the catalogue entry behind them."""

    key: str
    effective: Effective
    entry: CatalogueEntry | None
    path: Path_


def account_keys(source: Source, alias: str) -> list[str]:
    """Return the keys of an account's models: the ones it lists, or all of the organisation's."""
    listed = source.data["accounts"][alias].get("models")
    return list(listed if listed is not None else source.data.get("models") or {})


def models_here(source: Source, *, alias: str, region: str, priced: bool = True) -> Iterator[ModelHere]:
    """Yield the models of an account that are called in a Region; `priced` False: without the catalogue's prices and burndown."""
    for key in account_keys(source, alias):
        layers = model_layers(source, alias=alias, key=key, region=region)
        regions = overlay(layers).get("regions")
        if regions is not None and region not in regions:
            continue
        effective, entry = effective_model(layers, priced=priced)
        path: Path_ = ("accounts", alias, "models", key)
        yield ModelHere(
            key=key, effective=effective, entry=entry, path=path if path in source.values else ("models", key)
        )


# Alias, Region, settings of the account there, models called there (without the catalogue's prices and burndown).
PlaceHere = tuple[str, str, Effective, "list[ModelHere]"]


def places_of(source: Source) -> list[PlaceHere]:
    """Return every account and Region of a source that passed the schema, with what is in force there."""
    return [
        (
            alias,
            region,
            account_settings(source, alias=alias, region=region),
            list(models_here(source, alias=alias, region=region, priced=False)),
        )
        for alias, account in source.data["accounts"].items()
        for region in account["regions"]
    ]


def account_settings(source: Source, *, alias: str, region: str | None = None) -> Effective:
    """Return the settings of an account (in a Region) that are not of a model, evidence and notifications among them."""
    paths: list[tuple[str, str, Path_]] = [
        ("organisation", "organisation defaults", ("organisation", "defaults")),
        ("account", "account", ("accounts", alias)),
    ]
    if region is not None:
        paths.append(("Region", f"account in {region}", ("accounts", alias, "in_regions", region)))
    result = Effective()
    for layer, text, path in paths:
        data = value_at(source.data, path) or {}
        kept = {key: value for key, value in data.items() if key not in {"models", "model_defaults", "in_regions"}}
        step = overlay([Layer(layer=layer, text=text, data=kept, path=path)])
        _replace_whole(step, result)
        result.values.update(step.values)
        result.origins.update(step.origins)
    return result


def _replace_whole(step: Effective, below: Effective) -> None:
    """A severity's target replaces the one below it; a new evidence route forgets the log group of the old one."""
    gone = {key[:2] for key in step.values if key[0] == "notifications"}
    if ("evidence", "route") in step.values:
        gone |= {("evidence", name) for name in NO_ROUTE_DEFAULTS}
    for key in [key for key in below.values if key[:2] in gone]:
        del below.values[key], below.origins[key]


def partition_of(region: str) -> str:
    """Return the partition of a Region."""
    return "aws-cn" if region.startswith("cn-") else "aws-us-gov" if region.startswith("us-gov-") else "aws"


def site_values(source: Source, *, alias: str, region: str) -> dict[str, str]:
    """Return the fields of `alarms.naming.Site`: where an account's alarms in a Region live."""
    account = source.data["accounts"][alias]
    return {
        "prefix": source.data["organisation"].get("prefix") or "llm",
        "alias": alias,
        "account_id": str(account["id"]),
        "region": region,
        "partition": account.get("partition") or partition_of(region),
    }
