"""Which lines are added to a configuration, and where may they stand so that they mean this account and Region alone?

Additions never change a value that stands in the file. Values of an account and Region go below its own model where it has
one, below `in_regions` where the model is called in several Regions, and nowhere where a model is shared by several accounts.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ruamel.yaml.comments import CommentedSeq

from bedrock.catalogue import catalogue, is_foundation_model
from bedrock.models import OPTIMIZED_SUFFIX
from monitoring.discovery import FoundModel, grouped, model_key
from monitoring.measurement import Measured, measure, suggested_objectives
from monitoring.quota_match import ModelQuota, quotas_for, scope_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bedrock.models import MonitoredModel
    from monitoring.config.editing import EditableSource
    from monitoring.deployment import Deployment
    from monitoring.discovery import Account

__all__ = ["FEWEST_HOURS", "Additions", "measured_here", "quotas_here"]

FEWEST_HOURS = 12
"""Hours below which nothing is said about a baseline."""
_Path = tuple[str | int, ...]


def measured_here(account: Account, model: MonitoredModel) -> Measured:
    """Return how a configured model behaves in the account."""
    uses = [use for use in account.uses if use.model_id in model.model_ids]
    return measure(uses, start_s=account.start_s, end_s=account.end_s, cache_metrics=account.cache_metrics)


def quotas_here(account: Account, model: MonitoredModel) -> Sequence[ModelQuota]:
    """Return the quotas of a configured model in the account."""
    wrapped = account.wrapped(model.model_ids[0])
    entry = catalogue().find(wrapped)
    if entry is None:
        return ()
    return quotas_for(entry.title, scope=scope_of(wrapped), quotas=account.quotas or ())


class Additions:
    """Additions to one file.

    Args:
        account: What was found.
        source: The file.
        deployments: What it deploys everywhere, before the additions.
    """

    def __init__(self, *, account: Account, source: EditableSource, deployments: Sequence[Deployment]) -> None:
        self.account = account
        self.source = source
        self.deployments = deployments
        self.added: list[str] = []
        self.notes: list[str] = []
        accounts = source.get(("accounts",), {}) or {}
        same = [alias for alias, each in accounts.items() if str((each or {}).get("id")) == account.account_id]
        self.known_account = bool(same)
        taken = [*accounts, *(each.site.alias for each in deployments)]
        self.alias = same[0] if same else model_key(account.name or f"account-{account.account_id}", taken=taken)

    @property
    def base(self) -> _Path:
        """Path of the account."""
        return ("accounts", self.alias)

    @property
    def when(self) -> str:
        """Which time was looked at, for comments."""
        account = self.account
        day = datetime.fromtimestamp(account.end_s, tz=UTC).date().isoformat()
        return f"{account.days} days to {day}"

    def put(self, path: _Path, value: Any, comment: str | None = None) -> None:
        """Set a value, with a comment at the end of its line."""
        self.source.set(path, value, comment=comment)

    def add_place(self) -> None:
        """Add the account, or a Region of an account that is there."""
        account = self.account
        if self.known_account:
            regions = list(self.source.get((*self.base, "regions"), []))
            self._hold_models(regions)
            self.put((*self.base, "regions", len(regions)), account.region, "found by discover")
            self.added.append(f"Region {account.region} of {self.alias}")
            return
        if not self.source.get(("accounts",)):
            self.source.remove(("accounts",))  # the flow style of {} would be kept
        self.put((*self.base, "id"), account.account_id)
        self.put((*self.base, "regions"), CommentedSeq([account.region]))
        self.put((*self.base, "evidence", "route"), *self._route())
        names = account.cache_metrics
        if names is not None and names[0] != "CacheReadInputTokenCount":
            self.put((*self.base, "cache_metrics", "read"), names[0], "as the account publishes it")
            self.put((*self.base, "cache_metrics", "write"), names[1])
        self.added.append(f"account {self.alias} ({account.account_id}) in {account.region}")

    def _hold_models(self, regions: Sequence[str]) -> None:
        """Keep the account's models in the Regions they are in, so that another Region does not extend them."""
        for key, model in self._listed().items():
            if "regions" not in (model or {}) and "regions" not in (self.source.get(("models", key)) or {}):
                comment = "as before: another Region was added"
                self.put((*self.base, "models", key, "regions"), CommentedSeq(regions), comment)

    def _listed(self) -> dict[str, Any]:
        """Return the account's models; where it lists none, so that it has all of the organisation's, list them."""
        own = self.source.get((*self.base, "models"))
        if not own:
            for key in self.source.get(("models",)) or {}:
                self.put((*self.base, "models", key), None)
        return dict(self.source.get((*self.base, "models")) or {})

    def _route(self) -> tuple[str, str]:
        trails = self.account.trails
        if trails is None:
            return "eventbridge", "trails could not be read: check that one logs management events"
        good = next((trail for trail in trails if trail.logging and trail.management), None)
        if good is not None:
            return "eventbridge", f"trail {good.name} logs management events"
        return (
            "none",
            "no trail logs management events here; with one, eventbridge shows at which speed calls were served",
        )

    def add_models(self, here: Deployment | None) -> None:
        """Add new models, and new ids to the models they belong to."""
        known = {name for model in here.models for name in model.model_ids} if here is not None else set()
        settings = self.source.get(("models",), {}) or {}
        own = self.source.get((*self.base, "models"), {}) or {}
        for found in grouped(self.account, taken=[*settings, *own]):
            fresh = [name for name in found.model_ids if name not in known and self._called(name)]
            if not fresh:
                continue
            homes = [model for model in here.models if self._same(model, found)] if here is not None else []
            if len(homes) == 1 and self._extend(homes[0], found, fresh):
                continue
            if homes:
                keys = " or ".join(model.key for model in homes)
                self.notes.append(
                    f"ids {', '.join(fresh)} are a model of their own now; move them to {keys} if they belong there"
                )
            if not self._join(found, fresh):
                self._add(found, fresh)

    def _join(self, found: FoundModel, fresh: Sequence[str]) -> bool:
        """Take a model that is in the file already for another place: the account's own, or one of the organisation."""
        region = self.account.region
        for base in (self.base, ()):
            models: dict[str, Any] = self.source.get((*base, "models")) or {}
            for key, model in models.items():
                if not set(fresh) & set((model or {}).get("ids") or ()):
                    continue
                regions = (model or {}).get("regions")
                if base and regions is not None:
                    self.put((*base, "models", key, "regions", len(regions)), region, "found by discover")
                elif not base and self.known_account:
                    continue  # whoever left the model out of this account may have meant it
                elif not base:
                    self.put((*self.base, "models", key), None)
                self._numbers((*self.base, "models", key, "in_regions", region), found, promises=False)
                self.added.append(f"model {key} in {region}")
                return True
        return False

    def _called(self, name: str) -> bool:
        calls = self.account.calls
        return max(calls.get(name, 0.0), calls.get(name + OPTIMIZED_SUFFIX, 0.0)) > 0

    def _same(self, model: MonitoredModel, found: FoundModel) -> bool:
        kinds = {(catalogue().find(self.account.wrapped(name)) or found.entry) for name in model.model_ids}
        return (
            found.entry is not None
            and kinds == {found.entry}
            and any(catalogue().find(self.account.wrapped(name)) for name in model.model_ids)
        )

    def _extend(self, model: MonitoredModel, found: FoundModel, fresh: Sequence[str]) -> bool:
        """Add ids where the model's own stand; a latency-optimized model takes no plain model id."""
        if model.latency == "optimized" and any(is_foundation_model(name) for name in fresh):
            return False
        region = self.account.region
        places: list[_Path] = [
            (*base, *inner, "ids")
            for base in ((*self.base, "models", model.key), ("models", model.key))
            for inner in (("in_regions", region), ())
        ]
        path = next((each for each in places if self.source.get(each)), None)
        if path is None:
            return False
        for name in fresh:
            self.put((*path, len(self.source.get(path))), name, self._id_comment(name, found))
            self.added.append(f"id {name} of model {model.key}")
        return True

    def fill(self, model: MonitoredModel) -> None:
        """Add quotas and baselines that the file does not say anywhere for this model."""
        base = self._values_path(model.key)
        if base is None:
            self.notes.append(
                f"model {model.key} is shared by several accounts: its quotas and baselines here are not written; list it "
                f"below accounts: {self.alias}: models: to give it values of its own"
            )
            return
        for quota in quotas_here(self.account, model):
            if getattr(model.quotas, quota.key) is None and not self._said(model.key, "quotas", quota.key):
                self._quota(base, quota)
                self.added.append(f"quota {quota.key} of model {model.key}")
        measured = measured_here(self.account, model)
        if measured.hours < FEWEST_HOURS:
            return
        for key in ("otps", "output_tokens", "input_tokens", *(("cache_hit_rate",) if model.prompt_caching else ())):
            value = getattr(measured, key)
            if value and not self._said(model.key, "baselines", key) and (key != "otps" or model.streams):
                self.put((*base, "baselines", key), _plain(value), f"measured, {measured.hours} hours, {self.when}")
                self.added.append(f"baseline {key} of model {model.key}")

    def _values_path(self, key: str) -> _Path | None:
        """Return where values of this account and Region may stand without meaning any other."""
        places = [each.site for each in self.deployments if any(model.key == key for model in each.models)]
        if key in (self.source.get((*self.base, "models")) or {}):
            own: _Path = (*self.base, "models", key)
            here = [site for site in places if site.alias == self.alias]
            return own if len(here) <= 1 else (*own, "in_regions", self.account.region)
        return (
            ("models", key)
            if len(places) <= 1
            else ("models", key, "in_regions", self.account.region)
            if len({site.alias for site in places}) == 1
            else None
        )

    def _said(self, key: str, group: str, name: str) -> bool:
        region = self.account.region
        bases: list[_Path] = [(*self.base, "models", key), ("models", key)]
        bases += [(*base, "in_regions", region) for base in list(bases)]
        bases += [(*self.base, "model_defaults"), ("organisation", "defaults", "model_defaults")]
        return any(name in (self.source.get((*base, group)) or {}) for base in bases)

    def _quota(self, base: _Path, found: ModelQuota) -> None:
        quota = found.quota
        self.put((*base, "quotas", found.key), _plain(quota.value), f"Service Quotas {quota.code}: {quota.name}")

    def _id_comment(self, name: str, found: FoundModel) -> str:
        calls = _number_text(
            max(self.account.calls.get(name, 0.0), self.account.calls.get(name + OPTIMIZED_SUFFIX, 0.0))
        )
        title = f"application inference profile {found.names[name]}, " if name in found.names else ""
        return f"{title}{calls} calls in {self.when}"

    def _add(self, found: FoundModel, fresh: Sequence[str]) -> None:
        measured = found.measured
        base: _Path = (*self.base, "models", found.key)
        if found.entry is None and None in (measured.output_tokens, measured.input_tokens, measured.otps):
            self.notes.append(
                f"ids {', '.join(fresh)} are left out: the model behind them is not known and too little was measured; "
                "add them with foundation_model or baselines"
            )
            return
        self._listed()
        self.put((*base, "ids"), CommentedSeq())
        for index, name in enumerate(fresh):
            self.put((*base, "ids", index), name, self._id_comment(name, found))
        if found.foundation_model is not None and found.entry is not None:
            self.put((*base, "foundation_model"), found.foundation_model, "what the application profile wraps")
            arns = [profile.arn for name in fresh if (profile := self.account.profile(name)) and profile.application]
            if arns:
                others = [name for name in fresh if name not in found.names]
                self.put(
                    (*base, "cloudtrail_ids"), CommentedSeq([*arns, *others]), "as callers pass them: unverified on AWS"
                )
        if found.optimized and not any(is_foundation_model(name) for name in fresh):
            self.put((*base, "latency"), "optimized", f"a series with {OPTIMIZED_SUFFIX} is published")
        if len(self.source.get((*self.base, "regions"), [])) > 1:
            self.put((*base, "regions"), CommentedSeq([self.account.region]), "where it was seen")
        self._numbers(base, found)
        self.added.append(f"model {found.key}: {', '.join(fresh)}")

    def _numbers(self, base: _Path, found: FoundModel, *, promises: bool = True) -> None:
        measured = found.measured
        if measured.requests_per_minute:
            self.put((*base, "requests_per_minute"), _plain(measured.requests_per_minute), f"measured, {self.when}")
        if measured.streaming_share is not None and (found.entry is None or found.entry.streaming_share > 0):
            share = round(measured.streaming_share, 2)
            self.put((*base, "streaming_share"), share, f"calls with a TimeToFirstToken, {self.when}")
        if measured.cache_hit_rate is not None:
            self.put((*base, "prompt_caching"), True, "cache metrics are published")  # noqa: FBT003 - a YAML value
        for name, value in (suggested_objectives(measured) if promises else {}).items():
            told = (
                "suggested: worst hours of two weeks and a quarter"
                if name != "success_rate"
                else "suggested: two weeks"
            )
            self.put((*base, "objectives", name), _plain(value), f"{told}; write what users were promised")
        for key in ("otps", "output_tokens", "input_tokens", "cache_hit_rate"):
            if value := getattr(measured, key):
                self.put((*base, "baselines", key), _plain(value), f"measured, {measured.hours} hours, {self.when}")
        for quota in found.quotas:
            if quota.key != "optimized_tpm" or found.optimized:
                self._quota(base, quota)


def _number_text(value: float) -> str:
    """Return a number as a configuration holds it: whole where it is large, three digits where it is not."""
    if value == int(value) or abs(value) >= 1000:
        return str(round(value))
    return f"{value:.3g}"


def _plain(value: float) -> int | float:
    text = _number_text(value)
    return int(text) if text.lstrip("-").isdigit() else float(text)
