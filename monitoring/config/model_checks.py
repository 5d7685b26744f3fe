"""Can a model be watched as it is written?

Ids against the catalogue, latency-optimized inference (Bedrock User Guide, Optimize model inference for latency), objectives,
changes of alarms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from alarms.naming import CAUSES, FLEET, SYMPTOMS, WEEKLY
from bedrock.catalogue import catalogue, is_foundation_model
from monitoring.config.finder import Finder
from monitoring.config.settings import account_keys
from monitoring.config.source import did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.config.finder import Finding
    from monitoring.config.settings import ModelHere
    from monitoring.config.source import Path_

__all__ = ["OPTIMIZED_SUFFIX", "ModelChecks"]

# `bedrock.models.OPTIMIZED_SUFFIX`, which is not imported for the sake of a quick start; a test compares.
OPTIMIZED_SUFFIX = "+latency-optimized"
NEEDED_BASELINES = ("otps", "output_tokens", "input_tokens")


class ModelChecks(Finder):
    """Checks of models: of the organisation, of an account, and with effective values in a Region."""

    def shared_models(self) -> Iterator[Finding]:
        """Models of the organisation are used, in Regions that exist."""
        used = {key for alias in self.data["accounts"] for key in account_keys(self.source, alias)}
        regions = list(dict.fromkeys(name for account in self.data["accounts"].values() for name in account["regions"]))
        for key, model in self.shared.items():
            yield from self.reserved(("models", key), key)
            named = [(("models", key, "regions", at), name) for at, name in enumerate(model.get("regions") or ())]
            named += [(("models", key, "in_regions", name), name) for name in model.get("in_regions") or {}]
            for path, name in named:
                if name not in regions:
                    message = f"no account is in {name}."
                    hint = did_you_mean(name, regions) or f"Regions of the accounts: {', '.join(regions)}."
                    yield self.found(path, "unknown-region", message, hint, of_key="in_regions" in path)
            if key not in used:
                message = f"no account lists the model {key}: it is watched nowhere."
                yield self.warned(
                    ("models", key), "unused-model", message, "Add it to an account's models.", of_key=True
                )

    def reserved(self, path: Path_, key: str) -> Iterator[Finding]:
        """A model is not called like a page."""
        if key in {FLEET, WEEKLY}:
            message = f"the key {key} is the name of a page of every account."
            yield self.found(path, "reserved-key", message, "Rename the model.", of_key=True)

    def model_list(self, alias: str, account: dict[str, Any]) -> Iterator[Finding]:
        """Each model of an account has ids, its own or the organisation's."""
        base: Path_ = ("accounts", alias)
        keys = account_keys(self.source, alias)
        if not keys:
            yield self.warned(
                base, "no-models", f"{alias} has no models: nothing is watched.", "Add models.", of_key=True
            )
        for key, model in (account.get("models") or {}).items():
            path: Path_ = (*base, "models", key)
            yield from self.reserved(path, key)
            if key not in self.shared and not self._has_ids(model):
                close = did_you_mean(key, list(self.shared))
                message = f"{key} has no ids, and the organisation has no model of that name."
                yield self.found(path, "no-ids", message, close or "Add ids: [...].", of_key=True)
        for origin, models in ((("models",), self.shared), ((*base, "models"), account.get("models") or {})):
            for key, model in models.items():
                if key in keys and model:
                    yield from self.model_regions((*origin, key), model, alias, account)

    @staticmethod
    def _has_ids(model: dict[str, Any] | None) -> bool:
        in_regions = ((model or {}).get("in_regions") or {}).values()
        return bool(model and model.get("ids")) or any((region or {}).get("ids") for region in in_regions)

    def model_regions(
        self, path: Path_, model: dict[str, Any], alias: str, account: dict[str, Any], /
    ) -> Iterator[Finding]:
        """A model's Regions are Regions of its account."""
        shared = path[0] == "models"
        for index, region in enumerate(model.get("regions") or ()):
            if region not in account["regions"] and not shared:
                message = f"{region} is not a Region of {alias} ({', '.join(account['regions'])})."
                yield self.found(
                    (*path, "regions", index), "unknown-region", message, "Add it to the account's regions."
                )
        for region in model.get("in_regions") or {}:
            if region not in account["regions"] and not shared:
                message = f"in_regions names {region}, which is not a Region of {alias}."
                hint = f"Use one of {', '.join(account['regions'])}."
                yield self.found((*path, "in_regions", region), "unknown-region", message, hint, of_key=True)

    def model(self, model: ModelHere, region: str) -> Iterator[Finding]:
        """Everything about one model in one Region."""
        values = model.effective
        ids: list[str] | None = values.get("ids")
        if not ids:
            if model.key in self.shared:
                message = f"{model.key} has no ids."
                yield self.found(
                    model.path, "no-ids", message, "Add ids: the ModelId values in CloudWatch.", of_key=True
                )
            return
        yield from self.ids(model, ids)
        yield from self.catalogue_entry(model)
        yield from self.latency(model, region, ids)
        yield from self.alarms(model)
        if values.get("streaming_share") == 0:
            for name in ("ttft_p90_ms", "ttft_p99_ms"):
                if (path := values.path("objectives", name)) is not None:
                    message = f"{model.key} does not stream (streaming_share 0), so time to first token does not exist."
                    yield self.found(
                        path, "ttft-without-streaming", message, "Remove the objective, or correct the share."
                    )
        optimized_tpm = values.path("quotas", "optimized_tpm")
        if optimized_tpm is not None and values.get("latency") != "optimized":
            message = f"optimized_tpm has no effect: {model.key} does not ask for optimized."
            yield self.warned(optimized_tpm, "no-effect", message, "Write latency: optimized, or remove the quota.")
        hit_rate = values.path("baselines", "cache_hit_rate")
        if hit_rate is not None and values.get("baselines", "cache_hit_rate") and not values.get("prompt_caching"):
            message = f"cache_hit_rate has no effect: {model.key} does not use prompt caching."
            yield self.warned(hit_rate, "no-effect", message, "Write prompt_caching: true, or remove the baseline.")

    def ids(self, model: ModelHere, ids: list[str]) -> Iterator[Finding]:
        """Ids are ModelId values, once each."""
        base = model.effective.path("ids") or model.path
        for index, model_id in enumerate(ids):
            path: Path_ = (*base, index)
            if model_id.endswith(OPTIMIZED_SUFFIX):
                message = f"{shown(model_id)} is the optimized series of a ModelId, not a ModelId."
                hint = (
                    f"Write {model_id.removesuffix(OPTIMIZED_SUFFIX)} with latency: optimized; "
                    "optimized_series: include counts the series as traffic of its own."
                )
                yield self.found(path, "optimized-suffix", message, hint)
            if model_id in ids[:index]:
                yield self.found(path, "repeated-id", f"{shown(model_id)} stands in the list twice.", "Remove one.")

    def catalogue_entry(self, model: ModelHere) -> Iterator[Finding]:
        """The foundation model is known, or the baselines are given."""
        values, known = model.effective, catalogue()
        named = values.get("foundation_model")
        if named is not None and known.find(named) is None:
            path = values.path("foundation_model") or model.path
            message = f"the catalogue of {known.date} does not know {shown(named)}."
            close = did_you_mean(named, list(known.entries))
            hint = close or "Remove the line and give baselines: otps, output_tokens, input_tokens."
            yield self.found(path, "unknown-foundation-model", message, hint)
            return
        entries = {entry.key: name for name in values.get("ids") if (entry := known.find(name)) is not None}
        if len(entries) > 1:
            path = values.path("ids") or model.path
            message = f"the ids of {model.key} are different foundation models: {', '.join(entries)}."
            yield self.warned(
                path, "mixed-models", message, "Write one model for each: they differ in speed and price."
            )
        missing = [name for name in NEEDED_BASELINES if values.get("baselines", name) is None]
        if missing:
            message = f"no baseline of {', '.join(missing)} for {model.key}: the catalogue does not recognise its ids."
            hint = "Name what is behind them (foundation_model: nova-pro), or give the baselines."
            yield self.found(model.path, "no-baselines", message, hint, of_key=True)

    def latency(self, model: ModelHere, region: str, ids: list[str]) -> Iterator[Finding]:
        """Latency-optimized inference is called through a profile, where it is offered."""
        values = model.effective
        if values.get("latency") != "optimized":
            return
        base = values.path("ids") or model.path
        for index, model_id in enumerate(ids):
            plain = model_id.removesuffix(OPTIMIZED_SUFFIX)
            if is_foundation_model(plain):
                message = f"{shown(plain)} cannot be called with latency optimized: it is not an inference profile."
                hint = f"Use a cross-Region profile such as us.{plain.rsplit('/', 1)[-1]}, or latency: standard."
                yield self.found((*base, index), "optimized-bare-id", message, hint)
        if model.entry is not None and region not in model.entry.optimized_regions:
            offered = ", ".join(model.entry.optimized_regions)
            message = f"the catalogue of {catalogue().date} knows no latency-optimized {model.entry.title} in {region}."
            hint = f"It is offered in {offered}." if offered else "It is not offered for this model."
            path = values.path("latency") or model.path
            yield self.warned(path, "optimized-not-offered", message, hint)

    def alarms(self, model: ModelHere) -> Iterator[Finding]:
        """Changes are of alarms that exist, and can happen."""
        values = model.effective
        slugs = dict.fromkeys(key[1] for key in values.values if key[0] == "alarms")
        for slug in slugs:
            keys = [key for key in values.values if key[:2] == ("alarms", slug)]
            path = (values.path(*keys[0]) or model.path)[:-1]
            if slug not in {*CAUSES, *SYMPTOMS}:
                close = did_you_mean(slug, (*CAUSES, *SYMPTOMS))
                hint = close or f"Alarms: {', '.join((*CAUSES, *SYMPTOMS))}."
                yield self.found(path, "unknown-alarm", f"there is no alarm {shown(slug)}.", hint, of_key=True)
                continue
            n, m = values.get("alarms", slug, "n"), values.get("alarms", slug, "m")
            if (n is None) != (m is None):
                present = "n" if m is None else "m"
                path = values.path("alarms", slug, present) or path
                message = f"{slug} has {present} without {'m' if m is None else 'n'}."
                yield self.found(path, "n-without-m", message, "Give n and m together: m breaching periods of n.")
            elif n is not None and m > n:
                path = values.path("alarms", slug, "m") or path
                yield self.found(
                    path, "m-over-n", f"{slug} needs {m} of {n} periods, which never happens.", "Make m at most n."
                )
            if slug in SYMPTOMS and values.get("alarms", slug, "severity") is not None:
                path = values.path("alarms", slug, "severity") or path
                message = f"{slug} is a symptom: it notifies nobody, so it has no severity."
                yield self.found(path, "symptom-severity", message, "Set the severity of a cause.")

    def shared_ids(self, here: list[ModelHere]) -> Iterator[Finding]:
        """A ModelId belongs to one model."""
        owners: dict[str, str] = {}
        for model in here:
            base = model.effective.path("ids") or model.path
            for index, model_id in enumerate(model.effective.get("ids", default=[])):
                owner = owners.setdefault(model_id, model.key)
                if owner != model.key:
                    message = f"{shown(model_id)} belongs to two models: {owner} and {model.key}."
                    hint = "Its traffic would be counted twice: keep it in one."
                    yield self.found((*base, index), "shared-id", message, hint)
