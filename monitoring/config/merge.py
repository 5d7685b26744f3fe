"""Which value is in force, and where does it come from?

Layers are laid over each other, later ones win value by value: built in, catalogue, organisation defaults, account defaults,
model of the organisation, model of the account, the same two in the Region. Mappings merge, lists and plain values replace.
A key without a value (`null`) says nothing. Every value keeps its origin, for `validate --explain`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bedrock.catalogue import Catalogue, CatalogueEntry, catalogue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from monitoring.config.source import Path_, Source

__all__ = ["Effective", "Layer", "Origin", "effective_model", "model_layers", "overlay", "value_at"]

BUILT_IN: dict[str, Any] = {
    "latency": "standard",
    "optimized_series": "exclude",
    "sdk_max_attempts": 3,
    "reserved_tier": False,
    "prompt_caching": False,
    "streaming_share": 1.0,
    "baselines": {"cache_hit_rate": 0.0},
    "quotas": {"burndown": 1.0},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a value comes from.

    Attributes:
        layer: `built in`, `catalogue`, `organisation`, `account`, `model` or `Region`.
        text: In words, for a reader.
        path: Where in the file, or None for a value that is not in it.
    """

    layer: str
    text: str
    path: Path_ | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """Settings of one level: the mapping, and where it stands (`path` None outside the file)."""

    layer: str
    text: str
    data: Mapping[str, Any]
    path: Path_ | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Effective:
    """Values in force, with origins, by their key inside a model: `("baselines", "otps")`."""

    values: dict[tuple[str, ...], Any] = field(default_factory=dict)
    origins: dict[tuple[str, ...], Origin] = field(default_factory=dict)

    def get(self, *key: str, default: Any = None) -> Any:
        """Return a value, or `default`."""
        return self.values.get(key, default)

    def group(self, name: str) -> dict[str, Any]:
        """Return the plain values of a mapping such as `quotas`."""
        return {key[1]: value for key, value in self.values.items() if len(key) == 2 and key[0] == name}

    def path(self, *key: str) -> Path_ | None:
        """Return where in the file a value stands, None for a value that is not in it."""
        origin = self.origins.get(key)
        return origin.path if origin else None


def overlay(layers: Sequence[Layer]) -> Effective:
    """Lay layers over each other, the last one on top."""
    result = Effective()
    for layer in layers:
        _lay(layer.data, (), layer, result)
    return result


def _lay(data: Mapping[str, Any], key: tuple[str, ...], layer: Layer, result: Effective, /) -> None:
    for name, value in data.items():
        if value is None:
            continue
        at = (*key, name)
        if isinstance(value, dict):
            _lay(value, at, layer, result)
            continue
        result.values[at] = value
        path = None if layer.path is None else (*layer.path, *at)
        result.origins[at] = Origin(layer=layer.layer, text=layer.text, path=path)


def effective_model(
    layers: Sequence[Layer], *, known: Catalogue | None = None, priced: bool = True
) -> tuple[Effective, CatalogueEntry | None]:
    """Return the values of a model over the catalogue entry that its ids name, and that entry (None: not recognised).

    `priced` False leaves out the catalogue's prices and burndown, which are read from files of their own.
    """
    known = known or catalogue()
    written = overlay(layers)
    entry = entry_for(written, known)
    base = [Layer(layer="built in", text="built in", data=BUILT_IN)]
    if entry is not None:
        base.append(_catalogue_layer(entry, optimized=written.get("latency") == "optimized", priced=priced))
    effective = overlay([*base, *layers])
    if effective.get("streaming_share") == 0:
        _drop_defaults(effective, ("objectives", "ttft_p90_ms"), ("objectives", "ttft_p99_ms"))
    return effective, entry


def _drop_defaults(effective: Effective, *keys: tuple[str, ...]) -> None:
    """Drop values that came as a default for many models and mean nothing for this one; what its own lines say stays."""
    for key in keys:
        if key in effective.origins and effective.origins[key].layer in {"organisation", "account"}:
            del effective.values[key], effective.origins[key]


def entry_for(written: Effective, known: Catalogue) -> CatalogueEntry | None:
    """Return the catalogue entry of a model: what `foundation_model` says, else the first id that is recognised."""
    named = written.get("foundation_model")
    names = [named] if named else written.get("ids", default=[])
    return next((entry for entry in map(known.find, names) if entry is not None), None)


def _catalogue_layer(entry: CatalogueEntry, *, optimized: bool, priced: bool) -> Layer:
    data: dict[str, Any] = {
        "title": entry.title,
        "streaming_share": entry.streaming_share,
        "baselines": {
            "otps": entry.otps if optimized else entry.standard_otps or entry.otps,
            "standard_otps": entry.standard_otps if optimized else None,
            "output_tokens": entry.output_tokens,
            "input_tokens": entry.input_tokens,
        },
    }
    if priced:
        prices = entry.optimized_prices if optimized else entry.prices
        data["quotas"] = {"burndown": entry.burndown}
        data["prices"] = {
            "input": prices.input,
            "output": prices.output,
            "cache_read": prices.cache_read,
            "cache_write": prices.cache_write,
        }
    return Layer(layer="catalogue", text=f"catalogue {entry.key}", data=data)


def model_layers(source: Source, *, alias: str, key: str, region: str | None) -> list[Layer]:
    """Return the layers of a model in an account (and Region), as they stand in the file.

    `source.data` must have passed the schema.
    """
    root = source.data
    levels: list[tuple[str, str, Path_]] = [
        ("organisation", "organisation", ("organisation", "defaults", "model_defaults")),
        ("account", "account", ("accounts", alias, "model_defaults")),
        ("model", "model", ("models", key)),
        ("model", "account's model", ("accounts", alias, "models", key)),
    ]
    if region is not None:
        levels += [
            ("Region", f"model, {region}", ("models", key, "in_regions", region)),
            ("Region", f"account's model, {region}", ("accounts", alias, "models", key, "in_regions", region)),
        ]
    layers = []
    for layer, text, path in levels:
        data = value_at(root, path)
        if data:
            plain = {name: value for name, value in data.items() if name != "in_regions"}
            layers.append(Layer(layer=layer, text=text, data=plain, path=path))
    return layers


def value_at(root: Any, path: Sequence[str | int]) -> Any:
    """Return the value at a path of mappings, None where there is none."""
    for part in path:
        if not isinstance(root, dict):
            return None
        root = root.get(part)
    return root
