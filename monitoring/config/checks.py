"""What is wrong with a configuration whose form is right?

Rules that look at two places of the file, at the model catalogue or at limits of AWS. Each yields the path it is about and a
problem; none stops at the first. Here they are put together; the check of names, which looks at all accounts, is here too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from alarms.naming import FLEET, WEEKLY, Site, collisions
from monitoring.config.account_checks import AccountChecks
from monitoring.config.finder import Finder
from monitoring.config.model_checks import ModelChecks
from monitoring.config.presence import told_as
from monitoring.config.settings import account_keys, site_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from monitoring.config.finder import Finding
    from monitoring.config.settings import PlaceHere
    from monitoring.config.source import Path_, Source

__all__ = ["findings"]


def findings(source: Source, places: Sequence[PlaceHere]) -> Iterator[Finding]:
    """Yield the path and the problem of everything that is wrong or doubtful in a source that passed the schema.

    Args:
        source: The file.
        places: `monitoring.config.settings.places_of` it.
    """
    return iter(list(dict.fromkeys(_all(source, places))))


def _all(source: Source, places: Sequence[PlaceHere]) -> Iterator[Finding]:
    accounts, models = AccountChecks(source), ModelChecks(source)
    yield from models.shared_models()
    yield from accounts.targets(("organisation", "defaults"))
    for alias, account in source.data["accounts"].items():
        yield from accounts.regions(alias, account)
        yield from accounts.targets(("accounts", alias))
        for region in account.get("in_regions") or {}:
            yield from accounts.targets(("accounts", alias, "in_regions", region))
        yield from accounts.chats(alias)
        yield from models.model_list(alias, account)
        for of, region, settings, here in places:
            if of != alias:
                continue
            lean = settings.get("profile") == "lean"
            route = settings.get("evidence", "route", default="eventbridge")
            yield from accounts.notifications(alias, region, settings)
            yield from accounts.reach(
                alias, region, settings, [told_as(model.effective, lean=lean, route=route) for model in here]
            )
            yield from accounts.evidence(alias, region, settings, here)
            yield from accounts.key_arn(region, settings)
            for model in here:
                yield from models.model(model, region, lean=lean, route=route)
            yield from models.shared_ids(here)
    yield from _Names(source).all()


class _Names(Finder):
    """The check of names: no two alike in any scope where AWS wants them different."""

    def all(self) -> Iterator[Finding]:
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
