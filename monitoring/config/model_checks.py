"""Can a model be watched as it is written?

Keys, Regions and settings that exclude each other; ids are checked in `monitoring.config.id_checks`, changes of alarms and
objectives in `monitoring.config.alarm_checks`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from alarms.naming import FLEET, WEEKLY
from monitoring.config.alarm_checks import AlarmChecks
from monitoring.config.finder import Finder
from monitoring.config.id_checks import IdChecks
from monitoring.config.settings import account_keys
from monitoring.config.source import did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.config.finder import Finding
    from monitoring.config.settings import ModelHere
    from monitoring.config.source import Path_

__all__ = ["ModelChecks"]


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
        page, _, part = key.partition("-")
        if page in {FLEET, WEEKLY} and (not part or part.isdigit()):
            message = f"the key {key} is the name of a page of every account."
            if part:
                message = (
                    f"the key {key} is what a page of every account is called when it is split: {page}-2, {page}-3."
                )
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

    def model(self, model: ModelHere, region: str, *, lean: bool, route: str) -> Iterator[Finding]:
        """Everything about one model in one Region, of an account with a profile and an evidence route."""
        values = model.effective
        ids: list[str] | None = values.get("ids")
        if not ids:
            if model.key in self.shared:
                message = f"{model.key} has no ids."
                yield self.found(
                    model.path, "no-ids", message, "Add ids: the ModelId values in CloudWatch.", of_key=True
                )
            return
        yield from IdChecks(self.source).all(model, region, ids)
        yield from AlarmChecks(self.source).all(model, lean=lean, route=route)
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
