"""Are these the ModelIds that CloudWatch will show?

A wrong id is the one mistake that nothing else tells: its series never exist, so nothing is ever watched. Ids are compared with
the catalogue (Bedrock User Guide, Supported foundation models; Inference profiles), with the Region they are called from, and
with what latency-optimized inference takes (Optimize model inference for latency). The catalogue ages, so what it does not know
is a warning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bedrock.catalogue import base_id, catalogue, is_application_profile, is_foundation_model, is_inference_profile
from monitoring.config.finder import Finder
from monitoring.config.source import did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.config.finder import Finding
    from monitoring.config.settings import ModelHere
    from monitoring.config.source import Path_

__all__ = ["OPTIMIZED_SUFFIX", "IdChecks"]

# `bedrock.models.OPTIMIZED_SUFFIX`, which is not imported for the sake of a quick start; a test compares.
OPTIMIZED_SUFFIX = "+latency-optimized"
NEEDED_BASELINES = ("otps", "output_tokens", "input_tokens")
_NAME_IT = "name what is behind it (foundation_model: nova-pro)"


class IdChecks(Finder):
    """Checks of the ids of a model, with effective values in a Region."""

    def all(self, model: ModelHere, region: str, ids: list[str], /) -> Iterator[Finding]:
        """Everything about the ids of one model in one Region."""
        yield from self.written(model, ids)
        yield from self.recognised(model, ids)
        yield from self.baselines(model, ids)
        yield from self.reachable(model, region, ids)
        yield from self.latency(model, region, ids)

    def base(self, model: ModelHere) -> Path_:
        """Return where the ids of a model stand."""
        return model.effective.path("ids") or model.path

    def written(self, model: ModelHere, ids: list[str]) -> Iterator[Finding]:
        """Ids are ModelId values, once each."""
        for index, model_id in enumerate(ids):
            path: Path_ = (*self.base(model), index)
            if model_id.endswith(OPTIMIZED_SUFFIX):
                message = f"{shown(model_id)} is the optimized series of a ModelId, not a ModelId."
                hint = (
                    f"Write {model_id.removesuffix(OPTIMIZED_SUFFIX)} with latency: optimized; "
                    "optimized_series: include counts the series as traffic of its own."
                )
                yield self.found(path, "optimized-suffix", message, hint)
            elif model_id in ids[:index]:
                yield self.found(path, "repeated-id", f"{shown(model_id)} stands in the list twice.", "Remove one.")

    def recognised(self, model: ModelHere, ids: list[str]) -> Iterator[Finding]:
        """The foundation model is known; an id that is nearly one of the catalogue is probably misspelt."""
        values, known = model.effective, catalogue()
        named = values.get("foundation_model")
        if named is not None:
            if known.find(named) is None:
                path = values.path("foundation_model") or model.path
                message = f"the catalogue of {known.date} does not know {shown(named)}."
                close = did_you_mean(named, list(known.entries))
                hint = close or "Remove the line and give baselines: otps, output_tokens, input_tokens."
                yield self.found(path, "unknown-foundation-model", message, hint)
            return
        entries = {entry.key: name for name in ids if (entry := known.find(name)) is not None}
        if len(entries) > 1:
            message = f"the ids of {model.key} are different foundation models: {', '.join(entries)}."
            hint = "Write one model for each: they differ in speed and price."
            yield self.warned(self.base(model), "mixed-models", message, hint)
        for index, model_id in enumerate(ids):
            plain = model_id.removesuffix(OPTIMIZED_SUFFIX)
            entry = known.find(plain)
            path = (*self.base(model), index)
            if entry is None and self.missing(model):
                continue  # `baselines` says it
            if entry is None:
                yield from self.unknown(path, plain, entries=entries)
            elif plain not in known.entries and ":" not in plain.rsplit("/", 1)[-1]:
                message = (
                    f"{shown(plain)} has no version: CloudWatch shows the id as it is called, {shown(f'{plain}:0')}."
                )
                yield self.warned(path, "id-without-version", message, f"Write {plain}:0, or what your callers send.")

    def unknown(self, path: Path_, model_id: str, *, entries: dict[str, str]) -> Iterator[Finding]:
        """What is not known of an id that the catalogue does not have, said once."""
        known = catalogue()
        close = None if is_application_profile(model_id) else known.closest(model_id)
        generic = "no prices, and an output token counts once against the quota (burndown 1)"
        if close is not None:
            message = (
                f"{shown(model_id)} is not in the catalogue of {known.date}. CloudWatch shows nothing under a wrong id."
            )
            hint = f"Did you mean '{close}'? If the id is right, {_NAME_IT}; till then: {generic}."
            yield self.warned(path, "unknown-model-id", message, hint)
        elif not entries:
            message = f"{shown(model_id)} is not in the catalogue of {known.date}, so estimates are generic: {generic}."
            if is_application_profile(model_id):
                message = (
                    f"{shown(model_id)} is an application inference profile: its id does not say which model is behind it, "
                    f"so estimates are generic: {generic}."
                )
            hint = (
                f"{_NAME_IT[:1].upper()}{_NAME_IT[1:]}; or make sure of the id, and give prices and quotas: burndown."
            )
            yield self.warned(path, "unknown-model-id", message, hint)

    @staticmethod
    def missing(model: ModelHere) -> list[str]:
        """Return the baselines that neither the catalogue nor the file gives."""
        return [name for name in NEEDED_BASELINES if model.effective.get("baselines", name) is None]

    def baselines(self, model: ModelHere, ids: list[str]) -> Iterator[Finding]:
        """The baselines are known from the catalogue, or given."""
        values, known = model.effective, catalogue()
        named = values.get("foundation_model")
        missing = self.missing(model)
        if missing and (named is None or known.find(named) is not None):
            message = f"no baseline of {', '.join(missing)} for {model.key}: the catalogue does not recognise its ids."
            close = next((found for name in ids if (found := known.closest(name))), None)
            hint = f"{_NAME_IT[:1].upper()}{_NAME_IT[1:]}, or give the baselines."
            if close is not None:
                hint = f"Did you mean the id '{close}'? Else n{hint[1:]}"
            yield self.found(model.path, "no-baselines", message, hint, of_key=True)

    def reachable(self, model: ModelHere, region: str, ids: list[str]) -> Iterator[Finding]:
        """Some id can be called from this Region."""
        known = catalogue()
        if not any(known.callable_from(model_id, region=region) for model_id in ids):
            for index, model_id in enumerate(ids):
                better = known.profile_for(model_id, region=region)
                message = (
                    f"{shown(model_id)} is a profile that cannot be called from {region}: nothing is published there."
                )
                hint = f"Write the id that callers in {region} use, such as {better}; one Region's ids go under in_regions."
                yield self.warned((*self.base(model), index), "other-geography", message, hint)
        by_profile = model.entry is not None and model.entry.by_profile and region.startswith("us-gov-") is False
        if by_profile and model.effective.get("latency") != "optimized" and not any(map(is_inference_profile, ids)):
            for index, model_id in enumerate(ids):
                if is_foundation_model(model_id):
                    message = (
                        f"{base_id(model_id)} can only be called through an inference profile, as far as the catalogue of "
                        f"{known.date} knows (unverified): nothing is published under its bare id."
                    )
                    hint = f"Write what your callers send, such as {known.profile_for(model_id, region=region)}."
                    yield self.warned((*self.base(model), index), "profile-only", message, hint)

    def latency(self, model: ModelHere, region: str, ids: list[str]) -> Iterator[Finding]:
        """Latency-optimized inference is called through a profile, where it is offered: one message, whatever is wrong."""
        values, known = model.effective, catalogue()
        if values.get("latency") != "optimized":
            return
        bare = [
            (index, name) for index, name in enumerate(ids) if is_foundation_model(name.removesuffix(OPTIMIZED_SUFFIX))
        ]
        if model.entry is not None and region not in model.entry.optimized_regions:
            offered = ", ".join(model.entry.optimized_regions)
            message = f"the catalogue of {known.date} knows no latency-optimized {model.entry.title} in {region}."
            hint = f"Write latency: standard; it is offered in {offered}." if offered else "Write latency: standard."
            path = values.path("latency") or model.path
            if bare:
                message = f"{message[:-1]}, and no model takes it by a bare id."
                yield self.found(path, "optimized-not-offered", message, hint)
            else:
                yield self.warned(path, "optimized-not-offered", message, hint)
            return
        for index, name in bare:
            plain = name.removesuffix(OPTIMIZED_SUFFIX)
            message = f"{shown(plain)} cannot be called with latency optimized: it is not an inference profile."
            hint = (
                f"Use a cross-Region profile such as {known.profile_for(plain, region=region)}, or latency: standard."
            )
            yield self.found((*self.base(model), index), "optimized-bare-id", message, hint)
