"""What is wrong with a configuration whose form is right?

Rules that look at two places of the file, at the model catalogue or at limits of AWS. Each yields the path it is about and a
problem; none stops at the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from alarms.naming import CAUSES, FLEET, SYMPTOMS, WEEKLY, Site, collisions
from bedrock.catalogue import catalogue, is_foundation_model
from cloudwatch.limits import ACTIONS_PER_STATE, TAGS
from cloudwatch.problems import Problem, ProblemSeverity
from monitoring.config.merge import value_at
from monitoring.config.regions import KNOWN_REGIONS
from monitoring.config.settings import (
    ModelHere,
    account_keys,
    account_settings,
    models_here,
    partition_of,
    site_values,
)
from monitoring.config.source import did_you_mean, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from monitoring.config.merge import Effective
    from monitoring.config.source import Path_, Source

__all__ = ["findings"]

Finding = tuple["Path_", Problem]

OPTIMIZED_SUFFIX = (
    "+latency-optimized"  # bedrock.models.OPTIMIZED_SUFFIX, which is not imported for the sake of a quick start
)
# Logs API, PutRetentionPolicy
RETENTION_DAYS = (
    1,
    3,
    5,
    7,
    14,
    30,
    60,
    90,
    120,
    150,
    180,
    365,
    400,
    545,
    731,
    1096,
    1827,
    2192,
    2557,
    2922,
    3288,
    3653,
)
NEEDED_BASELINES = ("otps", "output_tokens", "input_tokens")


def findings(source: Source) -> Iterator[Finding]:
    """Yield the path and the problem of everything that is wrong or doubtful in a source that passed the schema."""
    return iter(list(dict.fromkeys(_Checks(source).all())))


class _Checks:
    """The rules, with the source they look at."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.data = source.data
        self.shared: dict[str, Any] = self.data.get("models") or {}

    def all(self) -> Iterator[Finding]:
        yield from self.shared_models()
        yield from self.targets(("organisation", "defaults"))
        for alias, account in self.data["accounts"].items():
            yield from self.regions(alias, account)
            yield from self.targets(("accounts", alias))
            for region in account.get("in_regions") or {}:
                yield from self.targets(("accounts", alias, "in_regions", region))
            yield from self.model_list(alias, account)
            for region in account["regions"]:
                settings = account_settings(self.source, alias=alias, region=region)
                here = list(models_here(self.source, alias=alias, region=region, priced=False))
                yield from self.notifications(alias, region, settings)
                yield from self.evidence(alias, region, settings, here)
                yield from self.key_arn(region, settings)
                for model in here:
                    yield from self.model(model, region)
                yield from self.shared_ids(here)
        yield from self.names()

    def found(
        self,
        path: Path_,
        code: str,
        message: str,
        hint: str = "",
        *,
        of_key: bool = False,
        severity: ProblemSeverity = ProblemSeverity.ERROR,
    ) -> Finding:
        place = self.source.place(path, of_key=of_key)
        return path, Problem(code=code, message=message, hint=hint, place=place, severity=severity)

    def warned(self, path: Path_, code: str, message: str, hint: str = "", *, of_key: bool = False) -> Finding:
        return self.found(path, code, message, hint, of_key=of_key, severity=ProblemSeverity.WARNING)

    # --- accounts

    def regions(self, alias: str, account: dict[str, Any]) -> Iterator[Finding]:
        base: Path_ = ("accounts", alias)
        partitions = {partition_of(region) for region in account["regions"]}
        given = account.get("partition")
        for index, region in enumerate(account["regions"]):
            path: Path_ = (*base, "regions", index)
            if region in account["regions"][:index]:
                yield self.found(
                    path, "repeated-region", f"the Region {region} stands in the list twice.", "Remove one."
                )
            yield from self.known_region(path, region)
            if given is not None and partition_of(region) != given:
                message = f"{region} is in the partition {partition_of(region)}, not in {given}."
                yield self.found(path, "wrong-partition", message, "Remove 'partition': it follows from the Regions.")
        if given is None and len(partitions) > 1:
            message = f"the Regions of {alias} are in several partitions: {', '.join(sorted(partitions))}."
            hint = "An account is in one partition: write one account for each."
            yield self.found((*base, "regions"), "wrong-partition", message, hint)
        for region in account.get("in_regions") or {}:
            if region not in account["regions"]:
                message = f"in_regions names {region}, which is not a Region of {alias}."
                hint = f"Add it to regions, or use one of {', '.join(account['regions'])}."
                yield self.found((*base, "in_regions", region), "unknown-region", message, hint, of_key=True)
        tags = {**(self.data["organisation"].get("tags") or {}), **(account.get("tags") or {})}
        if len(tags) > TAGS:
            message = f"{alias} has {len(tags)} tags, AWS takes {TAGS}."
            yield self.found((*base, "tags"), "too-many-tags", message, "Remove some.")

    def known_region(self, path: Path_, region: str) -> Iterator[Finding]:
        if region in KNOWN_REGIONS:
            return
        close = did_you_mean(region, KNOWN_REGIONS)
        if close:
            yield self.warned(path, "unknown-region", f"the Region {shown(region)} is not known.", close)

    def key_arn(self, region: str, settings: Effective) -> Iterator[Finding]:
        arn, path = settings.get("kms_key"), settings.path("kms_key")
        if arn is None or path is None or arn.split(":")[3] == region:
            return
        message = f"the key is in {arn.split(':')[3]}, the topics and log group that use it are in {region}."
        yield self.found(
            path, "wrong-region", message, f"Give the key of {region} under in_regions: {region}: kms_key."
        )

    def targets(self, base: Path_) -> Iterator[Finding]:
        for severity, target in (value_at(self.data, (*base, "notifications")) or {}).items():
            if target is not None and not target.get("topics") and not any((target.get("create") or {}).values()):
                path: Path_ = (*base, "notifications", severity)
                message = f"{severity} has no target: neither topics nor a subscriber in create."
                hint = "Add topics: [ARN] or create: {emails: [...]}."
                yield self.found(path, "no-target", message, hint, of_key=True)

    def notifications(self, alias: str, region: str, settings: Effective) -> Iterator[Finding]:
        account_id = str(self.data["accounts"][alias]["id"])
        given = [key for key in settings.values if key[0] == "notifications"]
        for severity in dict.fromkeys(key[1] for key in given):
            names = {key[2] for key in given if key[1] == severity}
            first = next(settings.path(*key) for key in given if key[1] == severity)
            path: Path_ = (first or ())[: (first or ()).index(severity) + 1]
            if {"topics", "create"} <= names:
                message = f"{severity} has both topics and create."
                yield self.found(
                    path, "two-targets", message, "Keep one: existing topics, or a created one.", of_key=True
                )
            if "topics" in names:
                yield from self.topics(region, account_id, settings, severity)
        if not any(key[1] == "page" for key in given) and not self.written(alias, region, "page"):
            message = f"{alias} has no target for page: nobody is woken in {region}."
            hint = "Add notifications: page: with topics or create."
            yield self.warned(("accounts", alias), "no-page-target", message, hint, of_key=True)

    def written(self, alias: str, region: str, severity: str) -> bool:
        """Whether any level names a target of the severity, right or wrong."""
        levels: tuple[Path_, ...] = (
            ("organisation", "defaults"),
            ("accounts", alias),
            ("accounts", alias, "in_regions", region),
        )
        return any(value_at(self.data, (*level, "notifications", severity)) is not None for level in levels)

    def topics(self, region: str, account_id: str, settings: Effective, severity: str, /) -> Iterator[Finding]:
        arns: list[str] = settings.get("notifications", severity, "topics")
        path = settings.path("notifications", severity, "topics") or ()
        regions = self.data["accounts"][self.alias_of(path)]["regions"] if path[0] == "accounts" else None
        here = [arn for arn in arns if arn.split(":")[3] == region]
        for index, arn in enumerate(arns):
            topic_region, topic_account = arn.split(":")[3:5]
            if regions is not None and topic_region not in regions:
                message = f"the topic is in {topic_region}, where {self.alias_of(path)} has no alarms."
                hint = f"An alarm can only notify a topic of its own Region: {', '.join(regions)}."
                yield self.found((*path, index), "wrong-region", message, hint)
            elif topic_account != account_id:
                message = f"the topic belongs to account {topic_account}, the alarms to {account_id}."
                hint = "Its policy has to let cloudwatch.amazonaws.com of this account publish; bedrock-monitor does not set it."
                yield self.warned((*path, index), "other-account", message, hint)
            if arn.endswith(".fifo"):
                yield self.found(
                    (*path, index), "fifo-topic", "alarms cannot notify a FIFO topic.", "Use a standard topic."
                )
        if not here and (regions is None or any(arn.split(":")[3] in regions for arn in arns)):
            message = f"no topic for {severity} is in {region}: an alarm can only notify a topic of its own Region."
            yield self.found(path, "wrong-region", message, f"Add a topic of {region} to the list, or use create.")
        if len(here) > ACTIONS_PER_STATE:
            message = f"{len(here)} topics for {severity} in {region}; an alarm takes {ACTIONS_PER_STATE}."
            yield self.found(path, "too-many-topics", message, "Remove some.")

    @staticmethod
    def alias_of(path: Path_) -> str:
        return str(path[1])

    def evidence(self, alias: str, region: str, settings: Effective, here: list[ModelHere], /) -> Iterator[Finding]:
        evidence = settings.group("evidence")
        route = evidence.get("route", "eventbridge")
        path = settings.path("evidence", "route") or ("accounts", alias)
        of_key = path == ("accounts", alias)
        if route in {"trail", "invocation_log"} and "log_group" not in evidence:
            message = f"route {route} needs the log group that is written already."
            yield self.found(path, "no-log-group", message, "Add evidence: log_group: NAME.")
        if route == "trail":
            home = evidence.get("trail_home_region")
            if home is None:
                message = "route trail needs the home Region of the trail: its log group is there."
                yield self.found(path, "no-home-region", message, "Add evidence: trail_home_region: REGION.")
            elif home != region:
                message = (
                    f"route trail cannot be used in {region}: the log group of the trail is in its home Region {home}, "
                    "and the trail must log read and write management events."
                )
                hint = f"Write in_regions: {region}: evidence: route: eventbridge under {alias}."
                yield self.found(path, "trail-elsewhere", message, hint)
        days = evidence.get("retention_days")
        if days is not None and days not in RETENTION_DAYS:
            nearest = next((allowed for allowed in RETENTION_DAYS if allowed > days), RETENTION_DAYS[-1])
            message = f"CloudWatch Logs has no retention of {days} days."
            where = settings.path("evidence", "retention_days") or path
            yield self.found(where, "retention", message, f"Write {nearest}, the next longer one.")
        if route == "none":
            for model in here:
                if model.effective.get("latency") == "optimized":
                    message = (
                        f"fallback cannot be seen: {model.key} asks for optimized, and the evidence route is none."
                    )
                    yield self.warned(path, "fallback-unseen", message, "Use route eventbridge.", of_key=of_key)

    # --- models

    def shared_models(self) -> Iterator[Finding]:
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
        if key in {FLEET, WEEKLY}:
            message = f"the key {key} is the name of a page of every account."
            yield self.found(path, "reserved-key", message, "Rename the model.", of_key=True)

    def model_list(self, alias: str, account: dict[str, Any]) -> Iterator[Finding]:
        base: Path_ = ("accounts", alias)
        keys = account_keys(self.source, alias)
        if not keys:
            yield self.warned(
                base, "no-models", f"{alias} has no models: nothing is watched.", "Add models.", of_key=True
            )
        for key, model in (account.get("models") or {}).items():
            path: Path_ = (*base, "models", key)
            yield from self.reserved(path, key)
            if key not in self.shared and not self.has_ids(model):
                close = did_you_mean(key, list(self.shared))
                message = f"{key} has no ids, and the organisation has no model of that name."
                yield self.found(path, "no-ids", message, close or "Add ids: [...].", of_key=True)
        for origin, models in ((("models",), self.shared), ((*base, "models"), account.get("models") or {})):
            for key, model in models.items():
                if key in keys and model:
                    yield from self.model_regions((*origin, key), model, alias, account)

    @staticmethod
    def has_ids(model: dict[str, Any] | None) -> bool:
        in_regions = ((model or {}).get("in_regions") or {}).values()
        return bool(model and model.get("ids")) or any((region or {}).get("ids") for region in in_regions)

    def model_regions(
        self, path: Path_, model: dict[str, Any], alias: str, account: dict[str, Any], /
    ) -> Iterator[Finding]:
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
        owners: dict[str, str] = {}
        for model in here:
            base = model.effective.path("ids") or model.path
            for index, model_id in enumerate(model.effective.get("ids", default=[])):
                owner = owners.setdefault(model_id, model.key)
                if owner != model.key:
                    message = f"{shown(model_id)} belongs to two models: {owner} and {model.key}."
                    hint = "Its traffic would be counted twice: keep it in one."
                    yield self.found((*base, index), "shared-id", message, hint)

    # --- names

    def names(self) -> Iterator[Finding]:
        sites = [
            (Site(**site_values(self.source, alias=alias, region=region)), account_keys(self.source, alias))
            for alias, account in self.data["accounts"].items()
            for region in account["regions"]
        ]
        told: set[tuple[str, str]] = set()
        for clash in collisions(sites):
            alias, model = clash.second
            first = " ".join(part for part in clash.first if part)
            second = " ".join(part for part in clash.second if part)
            if (first, second) in told or {model, clash.first[1]} & {FLEET, WEEKLY}:
                continue
            told.add((first, second))
            path: Path_ = ("accounts", alias) if model is None else ("accounts", alias, "models", model)
            path = path if path in self.source.values else ("models", str(model))
            message = f"{first} and {second} would share the {clash.kind} {clash.name}."
            yield self.found(path, "name-collision", message, "Rename one of them.", of_key=True)
