"""Which foundation model is behind a ModelId, and what may be assumed about it?

`models.toml` is a dated list. A ModelId is compared without what does not change the model: the ARN around it, the geography
prefix of an inference profile (`us.`, `eu.`, `apac.`, `global.`), and the version after a colon. The id of an application
inference profile says nothing about the model: the configuration names the foundation model itself.
(Bedrock User Guide, Supported foundation models; Inference profiles.)
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from bedrock.models import Prices

__all__ = [
    "Catalogue",
    "CatalogueEntry",
    "base_id",
    "catalogue",
    "geography_prefix",
    "is_application_profile",
    "is_foundation_model",
    "is_inference_profile",
]

_GEOGRAPHY = re.compile(r"^(?:[a-z]{2}|us-gov|apac|global)\.(?=[a-z0-9-]+\.)")
_APPLICATION_PROFILE_ID = re.compile(r"^[a-z0-9]{10,16}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntry:
    """One foundation model.

    Attributes:
        key: Name in the catalogue, for example `nova-pro`.
        title: What AWS calls it.
        ids: Model ids without prefix and version after the colon.
        optimized_regions: Regions that offer latency-optimized inference.
        by_profile: Whether no Region takes the bare id: only an inference profile reaches the model.
        prompt_caching: Whether the model offers prompt caching.
        streaming_share: Share of calls that usually stream (0 without a streaming API).
        otps, standard_otps, output_tokens, input_tokens: Estimates of an ordinary workload; None where unknown.
    """

    key: str
    title: str
    ids: tuple[str, ...]
    otps: float
    output_tokens: float
    input_tokens: float
    standard_otps: float | None = None
    optimized_regions: tuple[str, ...] = ()
    by_profile: bool = False
    prompt_caching: bool = False
    streaming_share: float = 1.0

    @property
    def prices(self) -> Prices:
        """Dollars per million tokens of a standard call."""
        from bedrock.prices import token_prices  # noqa: PLC0415 - `validate` recognises models without their prices

        return token_prices(self.key)

    @property
    def optimized_prices(self) -> Prices:
        """Dollars per million tokens of latency-optimized inference."""
        from bedrock.prices import token_prices  # noqa: PLC0415

        return token_prices(self.key, optimized=True)

    @property
    def burndown(self) -> float:
        """Quota tokens per output token."""
        from bedrock.quotas import burndown_for  # noqa: PLC0415

        return burndown_for(self.ids[0]).rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """Every model that is known, with the date and source of the list.

    Attributes:
        date: When the list was read.
        source: AWS pages it was read from.
        baselines_source: What the baselines are worth.
        entries: Models by key.
        geographies: Prefix of a cross-Region profile, and how the Regions begin from which it can be called.
    """

    date: date
    source: str
    baselines_source: str
    entries: Mapping[str, CatalogueEntry]
    geographies: Mapping[str, Sequence[str]]

    def find(self, name: str) -> CatalogueEntry | None:
        """Return the model with a catalogue key, a model id, a profile id or an ARN; None where it is not recognised."""
        if name in self.entries:
            return self.entries[name]
        wanted = base_id(name)
        return next((entry for entry in self.entries.values() if wanted in entry.ids), None)

    def closest(self, model_id: str) -> str | None:
        """Return the id that was meant by a misspelt one, written as that one is (prefix, ARN, version); None where none is near."""
        from difflib import get_close_matches  # noqa: PLC0415 - only an unknown id needs it

        wanted = base_id(model_id)
        known = [known for entry in self.entries.values() for known in entry.ids]
        close = get_close_matches(wanted.lower(), known, n=1, cutoff=0.85)
        if not close:
            return None
        if wanted in model_id:
            return model_id.replace(wanted, close[0], 1)
        return f"{close[0]}:0"

    def callable_from(self, model_id: str, *, region: str) -> bool:
        """Whether a ModelId can be called from a Region as far as its geography says; True where it, or the Region, says nothing."""
        starts = self.geographies.get(geography_prefix(model_id) or "")
        known = any(region.startswith(tuple(every)) for every in self.geographies.values())
        return starts is None or not known or region.startswith(tuple(starts))

    def profile_for(self, model_id: str, *, region: str) -> str:
        """Return the id of the cross-Region profile that a call from a Region would use for the model of an id; unverified."""
        prefix = next((prefix for prefix, starts in self.geographies.items() if region.startswith(tuple(starts))), None)
        name = _GEOGRAPHY.sub("", model_id.rsplit("/", 1)[-1] if model_id.startswith("arn:") else model_id)
        return f"{prefix}.{name}" if prefix else name


def base_id(model_id: str) -> str:
    """Return a ModelId without ARN, geography prefix and version: `us.amazon.nova-pro-v1:0` is `amazon.nova-pro-v1`."""
    name = model_id.rsplit("/", 1)[-1] if model_id.startswith("arn:") else model_id
    return _GEOGRAPHY.sub("", name).split(":", 1)[0]


def geography_prefix(model_id: str) -> str | None:
    """Return `us`, `eu`, `apac`, `global`... of a cross-Region inference profile id or ARN, None for anything else."""
    name = model_id.rsplit("/", 1)[-1] if model_id.startswith("arn:") else model_id
    match = _GEOGRAPHY.match(name)
    return match.group().removesuffix(".") if match else None


def is_application_profile(model_id: str) -> bool:
    """Whether a ModelId is an application inference profile: its ARN, or the bare id that CloudWatch shows."""
    if model_id.startswith("arn:"):
        return ":application-inference-profile/" in model_id
    return bool(_APPLICATION_PROFILE_ID.match(model_id))


def is_foundation_model(model_id: str) -> bool:
    """Whether a ModelId is a plain foundation model, by id or ARN: it cannot be called with latency optimized."""
    if model_id.startswith("arn:"):
        return ":foundation-model/" in model_id
    return "." in model_id and geography_prefix(model_id) is None


def is_inference_profile(model_id: str) -> bool:
    """Whether a ModelId is an inference profile (geography, global or application), not a plain foundation model."""
    return (
        geography_prefix(model_id) is not None or is_application_profile(model_id) or "inference-profile/" in model_id
    )


@cache
def catalogue() -> Catalogue:
    """Return the catalogue of this release."""
    data = tomllib.loads(Path(__file__).with_name("models.toml").read_text(encoding="utf-8"))
    geographies = data.pop("geographies")
    entries = {key: _entry(key, table) for key, table in data.items() if isinstance(table, dict)}
    return Catalogue(
        date=data["date"],
        source=data["source"],
        baselines_source=data["baselines_source"],
        entries=entries,
        geographies=geographies,
    )


def _entry(key: str, table: dict[str, Any]) -> CatalogueEntry:
    otps, standard_otps, output_tokens, input_tokens = (float(number) for number in table["baselines"])
    return CatalogueEntry(
        key=key,
        title=table["title"],
        ids=tuple(table["ids"]),
        otps=otps,
        standard_otps=standard_otps or None,
        output_tokens=output_tokens,
        input_tokens=input_tokens,
        optimized_regions=tuple(table.get("optimized", ())),
        by_profile=bool(table.get("by_profile", False)),
        prompt_caching=bool(table.get("caching", False)),
        streaming_share=float(table.get("streaming", 1.0)),
    )
